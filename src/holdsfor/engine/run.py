"""Runs a plan over a stream: windows one after the other, border state in between, rows to report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Method, Plan
from holdsfor.engine.columnar import run_event, run_simple
from holdsfor.engine.cycles import run_sweep
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.state import Border
from holdsfor.engine.statics import run_static
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import Events, Intervals
from holdsfor.engine.windows import WindowPlan, first_moment, visible_events, visible_intervals
from holdsfor.ir import DelayRule


@dataclass(frozen=True)
class Answer:
    """What holds at one query time: intervals that reach into the window, derived events inside it."""

    query_time: int
    fluents: dict[Symbol, Intervals]
    events: dict[Symbol, Events]
    conflicts: int


def whole_history(stream: Stream) -> WindowPlan:
    """One query over everything."""
    first, last = stream.moments()
    return WindowPlan(None, max(1, last - first + 1), first - 1, last)


def run(plan: Plan, dictionary: Dictionary, stream: Stream, windows: WindowPlan | None = None) -> Iterator[Answer]:
    """The answers of all query times, one after the other."""
    used = windows or whole_history(stream)
    origin = first_moment(stream, used)
    queries = used.query_times.tolist()
    counted = {symbol: used.counted_at(table.arrival, table.time) for symbol, table in stream.events.items()}
    arrived = {symbol: used.loaded_at(table.arrival) for symbol, table in stream.fluents.items()}
    prepared = Prepared(plan, dictionary)
    kept = prepared.kept
    border, reached = Border(), origin - 2
    for place, query in enumerate(queries):
        low = used.border(query)
        following = queries[place + 1] if place + 1 < len(queries) else query + used.step
        moment = Moment(
            border=reached,
            now=query,
            origin=origin,
            # One time-point more than the window needs: what begins or ends right at its border may only now be known.
            next_border=min(query, used.border(following)) - 1,
        )
        inputs = Inputs()
        for symbol, columns in stream.events.items():
            back = min(low - 1, reached) - kept.reach.get(symbol, 0)
            inputs.events[symbol] = visible_events(columns, counted[symbol], back, query)
        for symbol, table in stream.fluents.items():
            found = visible_intervals(table, arrived[symbol], used, query, len(dictionary))
            inputs.intervals[symbol], inputs.is_cut[symbol] = found
        evaluation = Evaluation(prepared, moment, inputs, border)
        evaluate(evaluation)
        yield _answer(evaluation, query, low)
        border, reached = evaluation.next_border, moment.next_border


def evaluate(evaluation: Evaluation) -> None:
    """Work out every stratum of a plan."""
    for stratum in evaluation.plan.strata:
        symbol = stratum.members[0]
        has_delays = any(
            isinstance(rule, DelayRule) and evaluation.entities.fluent(rule.trigger.fluent) in stratum.members
            for rule in stratum.rules
        )
        if stratum.method is Method.SWEEP or has_delays:
            run_sweep(evaluation, stratum)
        elif stratum.method is Method.ALGEBRA:
            run_static(evaluation, symbol)
        elif symbol.kind is EntityKind.EVENT:
            run_event(evaluation, symbol)
        else:
            run_simple(evaluation, symbol)


def _answer(evaluation: Evaluation, query: int, low: int) -> Answer:
    fluents = {}
    for symbol, table in evaluation.fluents.items():
        if evaluation.entities[symbol].role is not Role.INPUT_FLUENT:
            fluents[symbol] = table.take(np.flatnonzero(table.end > low + 1))
    events = {}
    for symbol, happened in evaluation.derived.items():
        rows = np.flatnonzero((happened.time > low) & (happened.time <= query))
        events[symbol] = Events(tuple(column.take(rows) for column in happened.args), happened.time[rows])
    return Answer(query, fluents, events, evaluation.conflicts)
