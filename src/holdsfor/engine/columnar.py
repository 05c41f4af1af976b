"""The columnar method: acyclic simple fluents and derived events, all instances at once."""

from __future__ import annotations

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import Evaluation, width
from holdsfor.engine.frames import Codes, Lists, numbering, one_of_each, order_of, row_keys
from holdsfor.engine.inertia import Part, make_intervals
from holdsfor.engine.inputs import stacked_events
from holdsfor.engine.kernels import EMPTY, Ints, is_sorted
from holdsfor.engine.points import Instances, effect_points, expanded
from holdsfor.engine.tables import Events, Intervals, Points, Space, Stacked
from holdsfor.ir import EffectKind, EffectRule, EventRule


def run_simple(evaluation: Evaluation, symbol: Symbol) -> None:
    """A simple fluent: points from its rules, intervals of all instances in one pass."""
    dictionary = evaluation.dictionary
    rules = [rule for rule in evaluation.entities[symbol].rules if isinstance(rule, EffectRule)]
    rules = [rule for rule in rules if not evaluation.is_idle(rule)]
    starts = evaluation.initial_points(symbol) + evaluation.scheduled.get(symbol, [])
    for rule in rules:
        if rule.kind is EffectKind.INITIATED:
            frame = evaluation.rule_frame(rule)
            if frame.rows:
                starts.append(effect_points(evaluation.notes.head(rule), frame, dictionary))
    arity = width(symbol)
    known = Stacked([*starts, *_carried(evaluation, symbol)], arity)
    evaluation.instances[symbol] = known
    ends, instances = [], Instances(known)
    for rule in rules:
        if rule.kind is EffectKind.TERMINATED:
            frame = evaluation.rule_frame(rule)
            if frame.rows:
                points = effect_points(evaluation.notes.head(rule), frame, dictionary)
                ends.append(expanded(points, instances, dictionary))
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
    """A derived event: the distinct heads of its rules. What is computed stays a number, and needs no code."""
    found: list[Events] = []
    for rule in evaluation.entities[symbol].rules:
        assert isinstance(rule, EventRule)
        if evaluation.is_idle(rule):
            continue
        frame, head = evaluation.rule_frame(rule), evaluation.notes.head(rule)
        if frame.rows:
            columns = [head.column(place, frame, evaluation.dictionary) for place in range(len(head.terms))]
            found.append(Events(tuple(columns), head.times(frame)))
    if not found:
        evaluation.derived[symbol] = Events((Codes(EMPTY),) * width(symbol), EMPTY)
        return
    events = stacked_events(found, evaluation.dictionary)
    rows = _one_of_each(events)
    args = tuple(type(c)(c.data[rows]) for c in events.args if not isinstance(c, Lists))
    evaluation.derived[symbol] = Events(args, events.time[rows])


def _one_of_each(events: Events) -> Ints:
    """A row for each distinct occurrence, in order."""
    columns = [*(column.data for column in events.args if not isinstance(column, Lists)), events.time]
    whole = [column for column in columns if column.dtype.kind == "i"]
    keys = row_keys(whole)
    if len(whole) == len(columns):
        return one_of_each(keys)
    order = np.arange(len(keys)) if is_sorted(keys) else order_of(keys)
    ordered = keys[order]
    if bool((ordered[1:] != ordered[:-1]).all()):
        # Whole numbers tell all rows apart: there is no need to look at others.
        return order
    return numbering(row_keys(columns))[0]
