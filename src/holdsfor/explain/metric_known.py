"""What metric rules among others give at one query time, by the evaluators that such programs still have."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment
from holdsfor.engine.inputs import seen_intervals
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.state import Border, Reports
from holdsfor.engine.step import run_stratum
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER, Events
from holdsfor.engine.windows import WindowPlan
from holdsfor.explain.known import first_seen


def inputs_of(rows: Stream, windows: WindowPlan, query: int, codes: int) -> Inputs:
    """The rows that count as what an evaluation reads."""
    inputs = Inputs()
    for symbol, events in rows.events.items():
        inputs.events[symbol] = Events(events.columns, events.time)
    for symbol, fluent in rows.fluents.items():
        first = first_seen(windows, fluent)
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
    evaluation = Evaluation(Prepared(plan, dictionary), moment, inputs, Border())
    for stratum in plan.strata:
        if any(symbol in needed for symbol in stratum.members):
            run_stratum(evaluation, stratum)
    return evaluation
