"""Describes conditions that failed because of a missing value, in terms of the rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.frontend.rtec import print_rule
from holdsfor.frontend.rtec.unparse import literal_term
from holdsfor.ir import Rule
from holdsfor.logic.failures import Failure
from holdsfor.syntax.printer import print_goal


@dataclass(frozen=True, slots=True)
class Unvalued:
    """A condition without a value for some rows: position, rule, reason, number of rows, and the first row.

    >>> str(Unvalued("rules.prolog:1:58", "V is 8/N", "initiatedAt(share(X)=V, T)", "8/0 has no value", 2, "X = x, N = 0"))
    'rules.prolog:1:58: V is 8/N in initiatedAt(share(X)=V, T): 8/0 has no value; 2 rows, the first with X = x, N = 0'
    """

    location: str
    condition: str
    rule: str
    reason: str
    rows: int
    first: str

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        rule = f" in {self.rule}" if self.rule else ""
        first = f", the first with {self.first}" if self.first else ""
        return f"{where}{self.condition}{rule}: {self.reason}; {self.rows} row{'s' * (self.rows != 1)}{first}"


def unvalued(failures: Iterable[Failure], plan: Plan) -> list[Unvalued]:
    """The failures of a run, in source order."""
    found = sorted(failures, key=lambda failure: (failure.span.source.name, failure.span.start))
    return [_described(failure, plan) for failure in found]


def _described(failure: Failure, plan: Plan) -> Unvalued:
    span = failure.span
    rule = _rule_around(span, plan)
    has_text = span != NOWHERE
    condition = " ".join(span.text.split()) if has_text else print_goal(literal_term(failure.literal))
    head = "" if rule is None else print_rule(rule).partition(" :-")[0].rstrip(".")
    return Unvalued(
        span.location if has_text else "", condition, head, failure.reason, len(failure.rows), failure.shown({})
    )


def _rule_around(span: Span, plan: Plan) -> Rule | None:
    for rule in plan.analysis.program.rules:
        place = rule.span
        if place.source is span.source and place.start <= span.start and span.end <= place.end and span != NOWHERE:
            return rule
    return None
