"""Streams of any size for a scenario: its records again and again, at other times and about other things.

Every record is one of the scenario's own, so that a stream fits the rules of any family. What stands first in a record is
the thing that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor import ir
from holdsfor.loading import Reasoner
from holdsfor.reference import Occurrence, Record
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments
from tests.strategies.edits import moment
from tests.strategies.scenario_words import Pen

LONGEST = 10**9
"""From one round to the next; streams may have longer gaps."""


def enlarged(pen: Pen, records: list[Record], count: int, things: int) -> list[Record]:
    """About so many records, about so many things beside those of the scenario; the rounds overlap in time."""
    if not records:
        return []
    times = [moment(record) for record in records]
    length = min(max(times) - min(times) + 1, LONGEST)
    rounds = count // len(records) + 1
    apart = max(1, length // pen.pick((1, 2, 4)))
    found: list[Record] = []
    for number in range(rounds):
        shift = apart * (number // max(1, things))
        name = "" if number % (things + 1) == 0 else f"_{number % (things + 1)}"
        found += [_again(record, shift + pen.number(-2, 2), name) for record in records]
    return found[:count] if pen.chance(50) else pen.shuffled(found[:count]) if count <= 1_000 else found[:count]


def _again(record: Record, shift: int, name: str) -> Record:
    """A record at another time, about another thing."""
    if isinstance(record, Occurrence):
        return replace(
            record, event=_about(record.event, name), time=record.time + shift, arrival=record.arrival + shift
        )
    return replace(
        record,
        fluent=_about(record.fluent, name),
        start=record.start + shift,
        end=record.end + shift,
        arrival=record.arrival + shift,
    )


def _about(term: Term, name: str) -> Term:
    if not name or not isinstance(term, Compound):
        return term
    first, *rest = term.args
    if isinstance(first, Const) and isinstance(first.value, str):
        return Compound(term.name, (Const(first.value + name), *rest))
    return term


def thing(record: Record) -> Term | None:
    """What a record is about."""
    term = record.event if isinstance(record, Occurrence) else record.fluent
    return next(iter(arguments(term)), None)


def is_about_one(reasoner: Reasoner) -> bool:
    """Whether every rule is about one thing alone: each of its conditions has the variable of its head, or no argument.

    Then what follows about a thing follows from the records about it, and from those about nothing.
    """
    program = reasoner.analysis.program
    if reasoner.analysis.fillings or program.metric.rules:
        return False
    rules = [rule for entity in reasoner.analysis.entities for rule in entity.rules]
    return all(map(_has_one_thing, [*rules, *program.delays]))


def _has_one_thing(rule: ir.Rule) -> bool:
    conditions = [term for literal in ir.walk(rule.body) for term in _temporal(literal)]
    match rule:
        case ir.EventRule(event=head):
            pass
        case ir.EffectRule(fvp=ir.Fvp(fluent=head)) | ir.IntervalRule(fvp=ir.Fvp(fluent=head)):
            pass
        case ir.DelayRule(trigger=ir.Fvp(fluent=head), effect=effect):
            conditions += [] if effect is None else [effect.fluent]
        case ir.InitiallyRule() | ir.PostponeRule():
            return not conditions
        case _:
            return False
    first = next(iter(arguments(head)), None)
    if not isinstance(first, Var):
        return False
    return all(next(iter(arguments(term)), first) == first for term in conditions)


def _temporal(literal: ir.Literal) -> Iterator[Term]:
    match literal:
        case ir.Happens(event=event):
            yield event
        case (
            ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Effect(fvp=fvp) | ir.Instance(fvp=fvp) | ir.Intervals(fvp=fvp)
        ):
            yield fvp.fluent
        case _:
            return
