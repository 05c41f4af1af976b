"""Output files are whole or not there."""

import errno
from pathlib import Path

import pytest

from holdsfor import HoldsforError
from holdsfor.io.outputs import created


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with created(path) as file:
        file.write(b"a")
        assert not path.exists()
    assert path.read_bytes() == b"a"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "problem", [HoldsforError("no"), KeyboardInterrupt(), FileNotFoundError("other"), ValueError()]
)
def test_trouble_leaves_the_old_file(tmp_path: Path, problem: BaseException) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(type(problem)) as caught, created(path) as file:
        file.write(b"new")
        raise problem
    assert caught.value is problem
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_errors_do_not_take_away(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError), created(tmp_path / "bad.csv", kept_on_error=True) as file:
        file.write(b"row")
        raise HoldsforError("no")
    assert (tmp_path / "bad.csv").read_bytes() == b"row"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "out.csv", tmp_path):
        with pytest.raises(HoldsforError, match="cannot write"), created(path):
            pass
    with pytest.raises(HoldsforError, match="cannot write .*: No space left"), created(tmp_path / "full.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")
