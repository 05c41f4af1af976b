"""What is known at one query time, as tables of the engine: all that was inside some window after it arrived."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.engine.cyclic.component import Component
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment
from holdsfor.engine.inputs import seen_intervals
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.state import Border, Reports
from holdsfor.engine.step import run_stratum
from holdsfor.engine.stream import FluentColumns, Stream
from holdsfor.engine.tables import FOREVER, Events
from holdsfor.engine.windows import WindowPlan


def counted(stream: Stream, windows: WindowPlan, query: int) -> Stream:
    """The rows of a stream that count at a query time; of input fluents, those that are not cut away whole."""
    found = Stream()
    for symbol, events in stream.events.items():
        is_counted = windows.counted_at(events.arrival, events.time) <= query
        found.events[symbol] = events.take(np.flatnonzero(is_counted & (events.time <= query)))
    for symbol, fluent in stream.fluents.items():
        loaded = windows.loaded_at(fluent.arrival)
        first = _first_seen(windows, fluent)
        keep = (loaded <= query) & (fluent.end > np.maximum(fluent.start, first))
        keep &= ~fluent.is_point | (fluent.start >= first)
        found.fluents[symbol] = fluent.take(np.flatnonzero(keep))
    return found


def _first_seen(windows: WindowPlan, fluent: FluentColumns) -> np.typing.NDArray[np.int64]:
    """The first time-point of the window that each report came in."""
    if windows.size is None:
        return np.full(len(fluent.start), -FOREVER)
    loaded = windows.loaded_at(fluent.arrival)
    return np.where(loaded < FOREVER, loaded - windows.size + 1, FOREVER)


def inputs_of(rows: Stream, windows: WindowPlan, query: int, codes: int) -> Inputs:
    """The rows that count as what an evaluation reads."""
    inputs = Inputs()
    for symbol, events in rows.events.items():
        inputs.events[symbol] = Events(events.columns, events.time)
    for symbol, fluent in rows.fluents.items():
        first = _first_seen(windows, fluent)
        reports = Reports(
            fluent.args,
            fluent.value,
            np.maximum(fluent.start, first),
            fluent.end,
            fluent.start < first,
            fluent.is_point,
        )
        inputs.intervals[symbol], inputs.is_cut[symbol], _ = seen_intervals(reports, query, codes)
    return inputs


def evaluated(
    plan: Plan, dictionary: Dictionary, inputs: Inputs, query: int, origin: int, needed: Collection[Symbol]
) -> Evaluation:
    """The strata that some fluents and events need, worked out over all that is known."""
    moment = Moment(origin - 2, query, origin, origin - 2, -int(FOREVER))
    evaluation = Evaluation(_Logging(plan, dictionary), moment, inputs, Border())
    for stratum in plan.strata:
        if any(symbol in needed for symbol in stratum.members):
            run_stratum(evaluation, stratum)
    return evaluation


class _Logging(Prepared):
    """Fluents that are swept say when they are initiated and terminated, whether a rule asks or not."""

    def component(self, stratum: Stratum) -> Component:
        """The rules of a stratum that is swept, taken apart."""
        return replace(super().component(stratum), wants_log=True)
