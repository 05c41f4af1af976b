"""NumPy is told about the processor before it is imported, and only then."""

import os
import subprocess
import sys

import pytest

from holdsfor import processor

ZEN_4 = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nflags\t: sse2 avx2 avx512f\n"
ZEN_3 = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nflags\t: sse2 avx2\n"


@pytest.mark.parametrize(("about", "expected"), [(ZEN_4, True), (ZEN_3, False), ("", False)])
def test_which_processors(about: str, expected: bool):
    assert processor.sorts_slowly_with_avx512(about) is expected


def test_what_somebody_has_set_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(processor, "_about_processor", lambda: ZEN_4)
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    theirs = {processor.VARIABLE: ""}
    processor.let_numpy_sort_fast(theirs)
    assert theirs == {processor.VARIABLE: ""}
    unset: dict[str, str] = {}
    processor.let_numpy_sort_fast(unset)
    assert unset == {processor.VARIABLE: processor.FEATURES}


def test_nothing_is_set_once_numpy_is_there(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(processor, "_about_processor", lambda: ZEN_4)
    monkeypatch.setitem(sys.modules, "numpy", processor)
    environment: dict[str, str] = {}
    processor.let_numpy_sort_fast(environment)
    assert not environment


def test_numpy_takes_the_names_without_a_warning():
    code = "import numpy; print(numpy.sort([2, 1]).tolist())"
    environment = {**os.environ, processor.VARIABLE: processor.FEATURES}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[1, 2]\n", "")
