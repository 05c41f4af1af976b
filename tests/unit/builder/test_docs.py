"""The page about the builder: each Python block prints as the text block below it, if there is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdsfor.frontend.rtec import print_program

PAGE = Path(__file__).parents[3] / "docs" / "builder.md"
BLOCKS = re.findall(
    r"```python\n(.*?)```(?:(?:(?!```python).)*?```prolog\n(.*?)```)?", PAGE.read_text("utf-8"), re.DOTALL
)


@pytest.mark.parametrize(("code", "text"), BLOCKS, ids=range(len(BLOCKS)))
def test_example(code: str, text: str) -> None:
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    assert print_program(names["rules"].program()) == text


def test_every_block_is_checked() -> None:
    assert len(BLOCKS) == PAGE.read_text("utf-8").count("```python") == PAGE.read_text("utf-8").count("```prolog")
