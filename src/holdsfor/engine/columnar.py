"""The columnar method: acyclic simple fluents and derived events, all instances at once."""

from __future__ import annotations

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import Evaluation, times_of, width
from holdsfor.engine.expressions import codes_of, column_of
from holdsfor.engine.frames import Codes, numbering, row_keys
from holdsfor.engine.inertia import Part, make_intervals
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.tables import Events, Intervals, Points, Space, Stacked
from holdsfor.ir import EffectKind, EffectRule, EventRule


def run_simple(evaluation: Evaluation, symbol: Symbol) -> None:
    """A simple fluent: points from its rules, intervals of all instances in one pass."""
    rules = [rule for rule in evaluation.entities[symbol].rules if isinstance(rule, EffectRule)]
    rules = [rule for rule in rules if not evaluation.is_idle(rule)]
    starts = evaluation.initial_points(symbol) + evaluation.scheduled.get(symbol, [])
    for rule in rules:
        if rule.kind is EffectKind.INITIATED:
            starts.append(evaluation.effect_points(rule, evaluation.rule_frame(rule)))
    arity = width(symbol)
    known = Stacked([*starts, *_carried(evaluation, symbol)], arity)
    evaluation.instances[symbol] = known
    ends = []
    for rule in rules:
        if rule.kind is EffectKind.TERMINATED:
            points = evaluation.effect_points(rule, evaluation.rule_frame(rule))
            ends.append(evaluation.expanded(points, known))
    terminated = Stacked(ends, arity)
    evaluation.set_points(symbol, EffectKind.INITIATED, Stacked(starts, arity))
    evaluation.set_points(symbol, EffectKind.TERMINATED, terminated)
    evaluation.set_fluent(symbol, _intervals(evaluation, symbol, known, terminated))


def _carried(evaluation: Evaluation, symbol: Symbol) -> list[Points]:
    """What holds at the border counts as initiated when it began."""
    held = evaluation.border.holding.get(symbol)
    return [] if held is None else [Points(held.args, held.value, held.since - 1)]


def _intervals(evaluation: Evaluation, symbol: Symbol, initiated: Stacked, terminated: Stacked) -> Intervals:
    space, arity = evaluation.space, width(symbol)
    if space.fits(arity):
        made = make_intervals(_parts(space, initiated), _parts(space, terminated))
        args = tuple(space.ungroup(made.group, arity))
        broken = tuple(space.ungroup(made.broken_group, arity))
    else:
        one, two = space.groups(initiated.args, terminated.args, (len(initiated), len(terminated)))
        made = make_intervals([(one, initiated.time, initiated.value)], [(two, terminated.time, terminated.value)])
        args = _arguments(made.group, one, initiated)
        broken = _arguments(made.broken_group, one, initiated)
    evaluation.add_conflicts(made.broken, symbol, broken)
    return Intervals(args, made.value, made.start, made.end, single_valued=True)


def _parts(space: Space, points: Stacked) -> list[Part]:
    return [(space.group(part.args, len(part)), part.time, part.value) for part in points.parts]


def _arguments(group: Ints, groups: Ints, points: Points) -> tuple[Ints, ...]:
    """The arguments behind numbered groups, looked up where they were first seen."""
    if not len(group):
        return (EMPTY,) * len(points.args)
    first, _ = numbering(groups)
    row = first[np.searchsorted(groups[first], group)]
    return tuple(column[row] for column in points.args)


def run_event(evaluation: Evaluation, symbol: Symbol) -> None:
    """A derived event: the distinct heads of its rules."""
    columns: list[list[Ints]] = [[] for _ in range(width(symbol))]
    times: list[Ints] = []
    for rule in evaluation.entities[symbol].rules:
        assert isinstance(rule, EventRule)
        frame = evaluation.rule_frame(rule)
        for place, term in enumerate(symbol.columns(rule.event)):
            columns[place].append(codes_of(column_of(term, frame, evaluation.dictionary), evaluation.dictionary))
        times.append(times_of(rule.time, frame))
    data = [*(np.concatenate(column) for column in columns), np.concatenate(times)]
    rows = numbering(row_keys(data))[0]
    evaluation.derived[symbol] = Events(tuple(Codes(column[rows]) for column in data[:-1]), data[-1][rows])
