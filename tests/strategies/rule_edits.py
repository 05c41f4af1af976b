"""Random edits of the rules of a program: clauses and conditions come and go, constants change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from holdsfor.diagnostics import Span, errors_of
from holdsfor.ir import BackgroundRule, Declaration, Program
from holdsfor.ir.metric import MetricProgram, Range
from holdsfor.loading import Reasoner, from_program
from holdsfor.physical.exactness import Exactness, SwapPlan, When
from holdsfor.syntax.terms import Const
from tests.strategies.scenario_words import Pen


def edited(pen: Pen, reasoner: Reasoner) -> Reasoner | None:
    """The program after one to three edits; None if it has no meaning then."""
    program = reasoner.analysis.written
    for _ in range(pen.number(1, 3)):
        program = _edit(pen, program)
    found = from_program(program)
    return None if errors_of(found.diagnostics) else found


def exact_outputs(plan: SwapPlan, *, is_filled: bool) -> Iterator[tuple[Exactness, str, float]]:
    """The outputs that a swap makes exact, with their names and the times from which they are exact."""
    for output in plan.outputs:
        if output.when is When.BACKFILL:
            continue
        since = -math.inf
        if output.when is When.LATER:
            assert output.since is not None
            since = float(output.since)
        elif output.is_reached and plan.rows_since is not None and not is_filled:
            since = float(plan.rows_since) + 1
        yield output, output.name.rpartition("/")[0], since


def _edit(pen: Pen, program: Program) -> Program:
    if program.metric.rules and pen.chance(40):
        return replace(program, metric=edited_metric(pen, program.metric))
    rules = list(program.rules)
    if not rules:
        return program
    about_time = [place for place, rule in enumerate(rules) if not isinstance(rule, BackgroundRule | Declaration)]
    place = pen.pick(about_time) if about_time and pen.chance(80) else pen.number(0, len(rules) - 1)
    return replace(program, rules=tuple(_changed(pen, rules, place, least=0)))


def edited_metric(pen: Pen, program: MetricProgram) -> MetricProgram:
    """The metric rules after one edit."""
    rules = list(program.rules)
    place = pen.number(0, len(rules) - 1)
    return replace(program, rules=tuple(_changed(pen, rules, place, least=1)))


def _changed(pen: Pen, rules: list[Any], place: int, *, least: int) -> list[Any]:
    """Rules after one edit at a place, which leaves at least so many rules, and conditions in the rule."""
    rule = rules[place]
    what = pen.number(0, 3)
    if what == 0 and len(rules) > least:
        del rules[place]
    elif what == 1 and len(rule.body) > least:
        gone = pen.number(0, len(rule.body) - 1)
        rules[place] = replace(rule, body=(*rule.body[:gone], *rule.body[gone + 1 :]))
    elif what == 2:
        rules.append(_other_numbers(pen, rule))
    else:
        rules[place] = _other_numbers(pen, rule)
    return rules


def _other_numbers(pen: Pen, value: Any) -> Any:
    """The same with some whole numbers, and some bounds, one larger or smaller."""
    match value:
        case Range(low=low, high=high):
            less, more = (pen.pick((0, 0, 1)) for _ in range(2))
            low = None if low is None else max(low - less, low % 1)
            return replace(value, low=low, high=None if high is None else high + more)
        case Const(value=number) if isinstance(number, int) and pen.chance(50):
            return replace(value, value=max(0, number + pen.pick((-1, 1))))
        case Span():
            return value
        case tuple():
            return tuple(_other_numbers(pen, item) for item in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            inside = {item.name: _other_numbers(pen, getattr(value, item.name)) for item in fields(value) if item.init}
            return replace(value, **inside)
        case _:
            return value
