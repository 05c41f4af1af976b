"""Many DatalogMTL cases as one program: each has predicates of its own, so that one Spark job runs them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import (
    Aggregate,
    Atom,
    Binary,
    Comparison,
    Condition,
    MetricAtom,
    MetricFact,
    MetricLiteral,
    MetricProgram,
    MetricRule,
    Unary,
)
from tests.conformance.dmtl_cases import Case
from tests.conformance.dmtl_cases import Row as Expected
from tests.spark.metric_simulated import Row


@dataclass(frozen=True)
class Together:
    """Cases as one: the predicates of case number 3 are called `C3_…`. Answers are clipped to what each case asks for."""

    cases: tuple[Case, ...]
    program: MetricProgram
    facts: tuple[MetricFact, ...]
    start: Fraction
    end: Fraction

    @classmethod
    def of(cls, cases: Sequence[Case]) -> Together:
        """Put cases together."""
        program, facts = MetricProgram(()), []
        for number, case in enumerate(cases):
            own, given = case.parsed()
            rules = tuple(_rule(rule, f"C{number}_") for rule in own.rules)
            program += MetricProgram(rules, tuple(_fact(fact, f"C{number}_") for fact in own.facts))
            facts += [_fact(fact, f"C{number}_") for fact in given]
        start, end = min(case.start for case in cases), max(case.end for case in cases)
        return cls(tuple(cases), program, tuple(facts), start, end)

    def lines(self, facts: Iterable[MetricFact]) -> list[str]:
        """Facts as text."""
        return [metric_text(fact).strip() for fact in facts]

    def check(self, rows: Iterable[Row]) -> None:
        """Compare what was found with what is right, case by case."""
        found: dict[int, list[Expected]] = {number: [] for number in range(len(self.cases))}
        for row in rows:
            number, _, name = row[0].partition("_")
            case = self.cases[int(number[1:])]
            clipped = _clipped((name, *row[1:]), case.start, case.end)
            if clipped is not None:
                found[int(number[1:])].append(clipped)
        for number, case in enumerate(self.cases):
            assert len(found[number]) == len(set(found[number])), case.name
            assert set(found[number]) == case.rows, case.name


def _clipped(row: Row, start: Fraction, end: Fraction) -> Expected | None:
    predicate, args, low, low_closed, high, high_closed = row
    if low is None or low < start:
        low, low_closed = start, True
    if high is None or high > end:
        high, high_closed = end, True
    if low > high or (low == high and not (low_closed and high_closed)):
        return None
    return predicate, args, low, low_closed, high, high_closed


def _fact(fact: MetricFact, prefix: str) -> MetricFact:
    return replace(fact, predicate=prefix + fact.predicate)


def _rule(rule: MetricRule, prefix: str) -> MetricRule:
    head = replace(rule.head, predicate=prefix + rule.head.predicate)
    return replace(rule, head=head, body=tuple(_literal(literal, prefix) for literal in rule.body))


def _literal(literal: MetricLiteral, prefix: str) -> MetricLiteral:
    if isinstance(literal, Condition | Aggregate):
        return replace(literal, atom=_atom(literal.atom, prefix))
    assert isinstance(literal, Comparison)
    return literal


def _atom(atom: MetricAtom, prefix: str) -> MetricAtom:
    match atom:
        case Atom(predicate=predicate):
            return replace(atom, predicate=prefix + predicate)
        case Unary(operand=operand):
            return replace(atom, operand=_atom(operand, prefix))
        case Binary(left=left, right=right):
            return replace(atom, left=_atom(left, prefix), right=_atom(right, prefix))
        case _:
            return atom
