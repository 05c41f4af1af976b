"""The operator table of rule text, for the parser and the printer."""

from __future__ import annotations

from typing import Literal, NamedTuple

ARGUMENT = 999
"""The highest precedence of an argument or a list item."""
CLAUSE = 1200


class Infix(NamedTuple):
    """An infix operator: its precedence, and the highest precedences of its operands."""

    precedence: int
    left: int
    right: int


def _infix(precedence: int, kind: Literal["xfx", "xfy", "yfx"]) -> Infix:
    left = precedence if kind == "yfx" else precedence - 1
    right = precedence if kind == "xfy" else precedence - 1
    return Infix(precedence, left, right)


INFIX: dict[str, Infix] = {
    ":-": _infix(1200, "xfx"),
    "-->": _infix(1200, "xfx"),
    ";": _infix(1100, "xfy"),
    "|": _infix(1100, "xfy"),
    "->": _infix(1050, "xfy"),
    ",": _infix(1000, "xfy"),
    **{name: _infix(700, "xfx") for name in "= \\= == \\== @< @> @=< @>= =.. is =:= =\\= < > =< >=".split()},
    ":": _infix(200, "xfy"),
    "+": _infix(500, "yfx"),
    "-": _infix(500, "yfx"),
    **{name: _infix(400, "yfx") for name in "* / // mod rem div rdiv".split()},
    "**": _infix(200, "xfx"),
    "^": _infix(200, "xfy"),
}

PREFIX: dict[str, tuple[int, int]] = {
    ":-": (1200, 1199),
    "dynamic": (1150, 1149),
    "discontiguous": (1150, 1149),
    "multifile": (1150, 1149),
    "table": (1150, 1149),
    "\\+": (900, 900),
    "not": (900, 900),
    "-": (200, 200),
    "+": (200, 200),
}
"""Prefix operators: their precedence, and that of their operand."""
