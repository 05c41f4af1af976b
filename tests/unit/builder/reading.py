"""Text as a program, for comparison with what was built."""

from __future__ import annotations

from pathlib import Path

from holdsfor.diagnostics import Source
from holdsfor.frontend.builder import Rules
from holdsfor.frontend.rtec import parse_program, print_program
from holdsfor.ir import Program

EXAMPLES = Path(__file__).parents[3] / "examples"


def read(text: str) -> Program:
    program = parse_program([Source("test", text)])
    assert program.diagnostics == ()
    return program


def read_example(path: str) -> Program:
    return read((EXAMPLES / path).read_text("utf-8"))


def assert_says(rules: Rules, text: str) -> None:
    """The rules are those of the text, and are printed as text that says the same."""
    program = rules.program()
    assert print_program(program) == print_program(read(text))
    assert program == read(text)
