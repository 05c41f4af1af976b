"""Background facts of random event descriptions that come in and are taken back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from holdsfor import loads
from holdsfor.core.program import encoded, plan_shape
from holdsfor.diagnostics import ProgramError
from holdsfor.loading import Reasoner
from tests.strategies.scenario_words import CONSTANTS, ITEM, KINDS, Pen

Fact = tuple[str, tuple[str | int, ...]]
_FACT = re.compile(r"^(kind|limit|link)\((\w+),(\w+)\)\.$", re.MULTILINE)


@dataclass(frozen=True)
class FactEdit:
    """A fact that comes in or is taken back, and the rules with it. Facts are refused that change more than answers."""

    name: str
    row: tuple[str | int, ...]
    is_new: bool
    text: str = field(repr=False)
    reasoner: Reasoner = field(repr=False)
    is_refused: bool

    @property
    def table(self) -> dict[str, list[tuple[str | int, ...]]]:
        """The fact as a table."""
        return {self.name: [self.row]}


def fact_edit(pen: Pen, text: str, reasoner: Reasoner) -> FactEdit:
    """A change of the facts of a description."""
    known = _FACT.findall(text)
    is_new = not known or pen.chance(50)
    name, *args = _any_fact(pen) if is_new else pen.pick(known)
    line = f"{name}({','.join(args)}).\n"
    changed = text.replace(line, "") + (line if is_new else "")
    row = tuple(int(arg) if arg.isdigit() else arg for arg in args)
    try:
        other = loads(changed)
    except ProgramError:
        return FactEdit(name, row, is_new, text, reasoner, is_refused=True)
    is_refused = plan_shape(encoded(other.plan).lowered) != plan_shape(encoded(reasoner.plan).lowered)
    return FactEdit(name, row, is_new, changed, other, is_refused)


def _any_fact(pen: Pen) -> tuple[str, str, str]:
    items = CONSTANTS[ITEM]
    name = pen.pick(("link", "kind", "limit"))
    other = {"link": items, "kind": KINDS, "limit": ("1", "2", "3", "4")}[name]
    return name, pen.pick(items), pen.pick(other)
