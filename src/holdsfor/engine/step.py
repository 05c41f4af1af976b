"""One query time: from the state before it and what has arrived since to the answer and the state after it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Role
from holdsfor.compiler.plan import Method, Stratum
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.answer import Answer
from holdsfor.engine.carrying import places
from holdsfor.engine.columnar import run_event, run_simple
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment
from holdsfor.engine.inputs import Sight, events_after, known_events, known_reports, seen_intervals
from holdsfor.engine.kernels import true_rows
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.profile import Profile
from holdsfor.engine.state import NEVER, Border, State
from holdsfor.engine.statics import run_static
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER
from holdsfor.engine.unsettled import find_unsettled


def advance(
    prepared: Prepared,
    state: State,
    arrived: Stream,
    query: int,
    *,
    size: int | None,
    step: int,
    work: Callable[[Evaluation], None] | None = None,
    first: int | None = None,
) -> tuple[Answer, State]:
    """Answer a query over the `size` time-points before it, and say what the next one must know.

    `arrived` is what came in since the last query time. `step` is how far off the next query time is at least. `work`
    is called in place of `evaluate`, for those who bring some of the tables along. The answer is about the window of
    an earlier query time as well if there is a `first`.
    """
    low = -int(FOREVER) if size is None else (query if first is None else first) - size
    if state.query != NEVER and state.border > max(state.origin - 1, min(state.query, low)) - 1:
        raise HoldsforError(
            f"the window ({low}, {query}] reaches back to where the state after query time {state.query} is settled "
            f"(up to {state.border}): go on with the same window and step, or smaller windows"
        )
    # One time-point more than the window needs: what begins or ends right at its border may only now be known.
    settled = state.origin - 2
    if size is not None:
        settled = max(settled, min(query, query + step - size) - 1 - prepared.kept.back)
    moment = Moment(state.border, query, state.origin, settled, low)
    sight = Sight(query, low, state.query)
    inputs, known = _seen(prepared, state.kept, arrived, sight)
    evaluation = Evaluation(prepared, moment, inputs, state.kept)
    (work or evaluate)(evaluation)
    _keep_input(evaluation, known)
    border = evaluation.next_border
    conflicts, ahead = _conflicts(evaluation)
    evaluation.conflicts = conflicts - state.conflicts
    return _answer(evaluation), State(state.origin, settled, query, border, ahead)


def _seen(prepared: Prepared, border: Border, arrived: Stream, sight: Sight) -> tuple[Inputs, Border]:
    """The input that counts at a query, and all that is known of it."""
    inputs, kept = Inputs(), Border()
    for symbol in dict.fromkeys((*border.events, *arrived.events)):
        visible, known = known_events(border.events.get(symbol), arrived.events.get(symbol), sight, prepared.dictionary)
        if visible is not None and known is not None:
            inputs.events[symbol], kept.events[symbol] = visible, known
    for symbol in dict.fromkeys((*border.reports, *arrived.fluents)):
        reports = known_reports(border.reports.get(symbol), arrived.fluents.get(symbol), sight)
        if reports is not None:
            table, is_cut, pieces = seen_intervals(reports, sight.query, len(prepared.dictionary))
            inputs.intervals[symbol], inputs.is_cut[symbol], kept.reports[symbol] = table, is_cut, pieces
    return inputs, kept


def _keep_input(evaluation: Evaluation, known: Border) -> None:
    """Keep the input that the next query needs."""
    kept, border, settled = evaluation.kept, evaluation.next_border, evaluation.moment.next_border
    for symbol, events in known.events.items():
        border.events[symbol] = events_after(events, settled - kept.reach.get(symbol, 0))
    for symbol, reports in known.reports.items():
        if symbol in kept.whole:
            border.reports[symbol] = reports
            continue
        needed = reports.end > settled + 1 - kept.span(symbol)
        if symbol in evaluation.wanted:
            table = evaluation.intervals(symbol).take(true_rows(evaluation.wanted[symbol]))
            theirs = (*table.args, table.value, table.start)
            needed |= places((*reports.args, reports.value, reports.start), theirs) >= 0
        border.reports[symbol] = reports.take(true_rows(needed))


def evaluate(evaluation: Evaluation, profile: Profile | None = None) -> None:
    """Work out every stratum of a plan."""
    for stratum in evaluation.plan.strata:
        if profile is None:
            run_stratum(evaluation, stratum)
        else:
            profile.measure(stratum, evaluation, run_stratum)
    evaluation.keep_past()


def run_stratum(evaluation: Evaluation, stratum: Stratum) -> None:
    """Work out one stratum; those before it must be finished."""
    symbol = stratum.members[0]
    if evaluation.prepared.notes.is_swept(stratum):
        # Imported here, as metric rules are below: most programs have neither, and it takes a while.
        from holdsfor.engine.cyclic.cycles import run_sweep

        run_sweep(evaluation, stratum)
    elif stratum.method is Method.ALGEBRA:
        run_static(evaluation, symbol)
    elif stratum.method is Method.METRIC:
        from holdsfor.engine.metric.mixed import run_metric

        run_metric(evaluation, stratum)
    elif symbol.kind is EntityKind.EVENT:
        run_event(evaluation, symbol)
    else:
        run_simple(evaluation, symbol)
    for member in stratum.members:
        if member in evaluation.kept.unsettled:
            evaluation.settle(member, find_unsettled(evaluation, member))


def _conflicts(evaluation: Evaluation) -> tuple[int, int]:
    """How many conflicts there are in sight, and how many of them the next query sees again."""
    found = evaluation.conflict_times
    ahead = sum(np.count_nonzero(times > evaluation.moment.next_border) for times in found)
    return sum(map(len, found)), int(ahead)


def _answer(evaluation: Evaluation) -> Answer:
    low, query = evaluation.moment.low, evaluation.moment.now
    fluents = {}
    hidden = evaluation.prepared.analysis.program.hidden
    for symbol, table in evaluation.fluents.items():
        if evaluation.prepared.notes.roles[symbol] is not Role.INPUT_FLUENT and symbol.name not in hidden:
            rows = true_rows(table.end > low + 1)
            fluents[symbol] = table if len(rows) == len(table) else table.take(rows)
    events = {symbol: happened.between(low, query) for symbol, happened in evaluation.derived.items()}
    return Answer(query, fluents, events, evaluation.conflicts)
