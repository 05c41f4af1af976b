"""The page about DatalogMTL: its files are written, its commands run, their output compared."""

import re
from pathlib import Path

import pytest

from holdsfor.codes import all_codes
from tests.unit.api.test_docs_running import check_command

PAGE = (Path(__file__).parents[3] / "docs" / "datalogmtl.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_every_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = 0
    for language, file, text in BLOCKS:
        if file:
            Path(file).write_text(text, encoding="utf-8")
        else:
            assert language == "console"
            check_command(text)
            commands += 1
    assert commands == 3


def test_the_codes_are_those_that_there_are() -> None:
    named = set(re.findall(r"HF6[0-7]\d", PAGE))
    assert named == {code for code in all_codes() if "HF600" < code < "HF680"}
