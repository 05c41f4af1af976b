"""Rules that begin alike: what their bodies have in common is solved once in a window.

The variables of every rule are named by the order in which they come, so that conditions that differ in names alone are
equal. Stages of bodies then form a tree, from the first on; a stage that several rules pass has a number, under which an
evaluation keeps its bindings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from holdsfor.compiler.passes.rename import rename_body
from holdsfor.engine.asked import Stage, literals_of_stages, stages
from holdsfor.engine.patterns import ONCE
from holdsfor.ir import Body, EffectRule, EventRule, Instance, literal_variables, walk
from holdsfor.logic.unify import substitute
from holdsfor.syntax.terms import Term, Var, variables

NOT_SHARED = -1
PointRule: TypeAlias = EffectRule | EventRule


@dataclass(frozen=True)
class Named:
    """The body and the head of a rule, with variables named by their order."""

    body: Body
    head: tuple[Term, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    """What the variables were called."""


def named(body: Body, head: Sequence[Term]) -> Named:
    """Name the variables of a rule by their order; those that occur once keep saying so."""
    found: dict[str, Term] = {}
    mentioned = [variable.name for literal in body for variable in literal_variables(literal)]
    for name in (*mentioned, *(variable.name for term in head for variable in variables(term))):
        if name not in found:
            found[name] = Var(f"{ONCE if name.startswith(ONCE) else 'V'}{len(found)}")
    names = {variable.name: name for name, variable in found.items() if isinstance(variable, Var)}
    return Named(rename_body(body, found), tuple(substitute(term, found) for term in head), names)


class Prefixes:
    """The tree of stages of some rules."""

    def __init__(self, bodies: Iterable[Body]) -> None:
        self._numbers: dict[tuple[int, Body], int] = {}
        self._passed: Counter[int] = Counter()
        for body in bodies:
            self._passed.update(self._path(body))

    def of(self, body: Body) -> list[tuple[int, Stage]]:
        """The stages of a body, each with its number if other rules begin with all stages up to it."""
        numbers = [number if self._passed[number] > 1 else NOT_SHARED for number in self._path(body)]
        return list(zip([*numbers, *[NOT_SHARED] * len(body)], stages(body), strict=False))

    def _path(self, body: Body) -> list[int]:
        path, before = list[int](), 0
        for part in literals_of_stages(body):
            if any(isinstance(literal, Instance) for literal in walk(part)):
                # What there is to end may change while a fluent is worked out.
                break
            before = self._numbers.setdefault((before, part), len(self._numbers) + 1)
            path.append(before)
        return path
