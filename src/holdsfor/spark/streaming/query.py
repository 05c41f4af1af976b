"""Recognition over streaming DataFrames: a query that writes a changelog of intervals to a sink."""

from __future__ import annotations

import math
import tomllib
import warnings
from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from holdsfor.columns.fingerprint import fingerprint
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.mapping import TableMapping, make_mapping, read_mapping
from holdsfor.loading import Background
from holdsfor.physical.exactness import SwapPlan
from holdsfor.recognition import MappingInput
from holdsfor.spark.batch import Rules, read_program, session_of, unit_in
from holdsfor.spark.input_frames import known_scale, require_frames
from holdsfor.spark.session import usual_buckets, workers_like_driver
from holdsfor.spark.stages import bucket_count
from holdsfor.spark.streaming.chain import Ledger, link_before, run_of
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.commits import Commit, last_commit
from holdsfor.spark.streaming.driver import Report
from holdsfor.spark.streaming.earlier import EarlierRules
from holdsfor.spark.streaming.frames import Sources, Streams, observed, with_beat
from holdsfor.spark.streaming.named_sinks import NamedSink, SinkMaker, require_column_types
from holdsfor.spark.streaming.results import CAUSED, EVENT_CHANGES
from holdsfor.spark.streaming.run import Home, OnReport, Run, Sinks
from holdsfor.spark.streaming.shared import probe
from holdsfor.spark.streaming.sinks import Sink, as_sink
from holdsfor.spark.streaming.store import Store, is_local, make_folder, spark_path
from holdsfor.spark.streaming.table_workers import TableHome
from holdsfor.spark.streaming.work import Work
from holdsfor.spark.streaming.workers import FileHome
from holdsfor.spark.ticks import require_batch, require_no_preprocessing
from holdsfor.times import (
    UNITS,
    DurationInput,
    TimeInput,
    TimeScale,
    duration,
    duration_or_none,
    span_in_points,
    time_point_or_none,
)

_BACKFILL = -1


def recognise_stream(
    program: Rules,
    events: Streams,
    *,
    window: DurationInput,
    step: DurationInput | None = None,
    lateness: DurationInput | Mapping[str, DurationInput] = 0,
    source_column: str | None = None,
    mapping: MappingInput | TableMapping = None,
    background: Background | None = None,
    clock: str = "event",
    start: TimeInput | None = None,
    unit: str | None = None,
    idle: str | timedelta | None = None,
    retracted: str | None = None,
    fluents: Collection[str] | None = None,
    buckets: int | None = None,
    untyped: bool = False,
    max_ahead: DurationInput | None = None,
    state: str | None = None,
    swap: Rules | None = None,
    swap_history: Streams | None = None,
) -> StreamingRecognition:
    """Compute the intervals during which situations hold in a stream, as a changelog.

    `events` is one streaming DataFrame with a mapping, or one per event and input fluent. Query times are `start +
    step`, `start + 2 * step`, …; a query time is evaluated when the watermark has passed it by `lateness`. The
    watermark follows the latest event ("event"), or the arrival column, or processing time if there is none
    ("arrival"). After `idle` (such as "10 seconds") without events, the watermark advances with processing time.

    `lateness` may be a dict by source: by the names of `events`, or by the values of `source_column` in one stream. Then
    each source has its own watermark, and the least of them counts. A source without events for `idle` does not count.

    `retracted` names a column that is true in rows that retract. A row whose time is more than `max_ahead` beyond the
    median time of its batch is set aside, because one time in milliseconds would make all later rows late. The default
    is the larger of ten windows and ten times the distance from the lower quartile to the median; `math.inf` keeps all
    rows.

    `state` is "files", which workers open themselves, or "tables", which only Spark reads and writes. The default is
    files for a checkpoint in a local folder, and tables for one on any other store.

    `swap` are the rules that a checkpoint has so far, if they have been edited: the stream then continues with the new
    ones. See `plan_swap`. `swap_history` are DataFrames with all rows from the beginning, if the plan needs a backfill.

    If the time `unit` is known, from the rules, the mapping, this argument or timestamps, durations can be timedeltas
    or text such as "1 hour", and `start` a datetime; changelogs then have timestamps.
    """
    if clock not in ("event", "arrival"):
        raise HoldsforError(f'the clock goes by "event" or "arrival", not {clock!r}')
    if state not in (None, "files", "tables"):
        raise HoldsforError(f'the state is in "files" or in "tables", not {state!r}')
    reasoner = read_program(program, background)
    require_frames(events, reasoner.plan)
    table, flag = _mapped(mapping)
    table = None if table is None else table.with_unit(unit, reasoner.plan.analysis.written.time_scale)
    declared = reasoner.plan.analysis.written.time_scale
    scale = known_scale(declared, events, table, unit)
    known = unit_in(scale)
    flag = retracted or flag
    entities = reasoner.plan.analysis.entities
    sources = Sources.of(events, entities, table, known or "s", flag, source_column, untyped=untyped)
    size, pace, begin, _ = span_in_points((window, window if step is None else step, start, None), known)
    if size is None or pace is None:
        raise HoldsforError("a stream needs a window: how many time-points, or how long, each query time sees")
    own = _lateness_of(lateness, events, source_column, reasoner.plan, known)
    all_alike = 0 if isinstance(lateness, Mapping) else duration(lateness, known, "lateness")
    quiet = None if idle is None else _duration(idle, sources.unit)
    windows = Windows(size, pace, all_alike, clock == "event", own, quiet)
    if windows.step > windows.size:
        message = (
            f"the step {windows.step} is longer than the window {windows.size}: what happens between windows is late"
        )
        warnings.warn(message, stacklevel=2)
    require_batch(reasoner.plan, "streams on Spark")
    require_no_preprocessing(reasoner.plan)
    _require_fluents(fluents or (), reasoner.plan)
    if fluents is None and reasoner.analysis.program.hidden:
        fluents = sorted(_named(reasoner.plan))
    if buckets is not None and buckets < 1:
        raise HoldsforError(f"there must be at least 1 bucket, not {buckets}")
    ahead = math.inf if max_ahead == math.inf else duration_or_none(max_ahead, known, "max_ahead")
    if ahead is not None and ahead < 0:
        raise HoldsforError(f"max_ahead must be at least 0, not {max_ahead}")
    earlier = None
    if swap is not None:
        former = read_program(swap, background).plan
        require_batch(former, "streams on Spark")
        before = Sources.of(events, former.analysis.entities, table, known or "s", flag, source_column, untyped=untyped)
        earlier = EarlierRules.of(former, reasoner.plan, events, before, windows, scale, swap_history)
    elif swap_history is not None:
        raise HoldsforError("swap_history is for a change of rules: name the earlier rules with swap, too")
    return StreamingRecognition(
        reasoner.plan,
        events,
        sources,
        windows,
        buckets,
        begin,
        fluents,
        ahead,
        time_scale=scale,
        state=state,
        earlier=earlier,
    )


def _lateness_of(
    lateness: DurationInput | Mapping[str, DurationInput],
    events: Streams,
    column: str | None,
    plan: Plan,
    unit: str | None,
) -> dict[str, int]:
    """The lateness of each source; empty if one applies to all rows."""
    if not isinstance(lateness, Mapping):
        if column is not None:
            raise HoldsforError(
                f"source_column={column!r} needs a lateness for each source: lateness={{name: duration}}"
            )
        return {}
    if isinstance(events, Mapping):
        if column is not None:
            raise HoldsforError("source_column is for one stream; in a dict of them, each is a source")
        _require_same(lateness, events)
        read = {symbol.name for symbol in plan.inputs}
        lateness = {name: lateness[name] for name in events if name in read}
    elif column is None:
        raise HoldsforError("for a lateness by source, name the column of the stream with the source: source_column")
    if not lateness:
        raise HoldsforError("lateness has no source")
    return {name: duration(one, unit, f"lateness of {name!r}") for name, one in lateness.items()}


def _require_same(lateness: Mapping[str, DurationInput], events: Mapping[str, object]) -> None:
    """Reports a source without a lateness, or a lateness without a source."""
    for name in lateness.keys() - events.keys():
        close = suggest(name, events)
        hint = f"did you mean {close}?" if close else f"there are {', '.join(sorted(events))}"
        raise HoldsforError(f"lateness names a stream {name}; {hint}")
    missing = sorted(events.keys() - lateness.keys())
    if missing:
        raise HoldsforError(f"lateness has no duration for the stream {', '.join(missing)}")


def _named(plan: Plan) -> set[str]:
    """The names of visible fluents."""
    return {symbol.name for symbol in plan.outputs if symbol.kind is EntityKind.FLUENT}


def _require_fluents(names: Collection[str], plan: Plan) -> None:
    """Reports the first name that is not a fluent of the rules."""
    known = _named(plan)
    for name in sorted(set(names) - known):
        close = suggest(name, known)
        hint = f"did you mean {close}?" if close else f"there are {', '.join(sorted(known))}"
        raise HoldsforError(f"no rule defines a fluent {name}; {hint}")


def _mapped(mapping: MappingInput | TableMapping) -> tuple[TableMapping | None, str | None]:
    """A mapping, and the column that it calls `retracted`, which only streams support."""
    if isinstance(mapping, str | Path):
        try:
            data = tomllib.loads(Path(mapping).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return read_mapping(mapping), None
        flag = data.pop("retracted", None)
        return make_mapping(data, str(mapping)), flag
    if not isinstance(mapping, Mapping):
        return mapping, None
    return make_mapping({key: part for key, part in mapping.items() if key != "retracted"}), mapping.get("retracted")


class StreamingRecognition:
    """A program over streams, ready to be started."""

    def __init__(
        self,
        plan: Plan,
        events: Streams,
        sources: Sources,
        windows: Windows,
        buckets: int | None,
        start: int | None,
        fluents: Collection[str] | None,
        max_ahead: float | None = None,
        *,
        time_scale: TimeScale | None = None,
        state: str | None = None,
        earlier: EarlierRules | None = None,
    ) -> None:
        self._earlier = earlier
        self._max_ahead, self.time_scale, self._state = max_ahead, time_scale, state
        self.plan, self.windows = plan, windows
        self._events, self._sources, self._start, self._buckets = events, sources, start, buckets
        self._frame = sources.together(events)
        usual = buckets or usual_buckets(session_of(events))
        self._work = Work.of(plan, self._frame, sources, windows, usual, fluents, time_scale)
        self._settings: dict[str, Any] = {
            "rules": fingerprint(plan),
            "window": windows.size,
            "step": windows.step,
            "clock": "event" if windows.by_event else "arrival",
            "fluents": None if fluents is None else sorted(fluents),
            # A beat is an additional source, and Spark requires the number of sources from the start of the run.
            "idle": windows.idle is not None,
            "unit": unit_in(time_scale),
        }

    def start(
        self,
        sink: NamedSink,
        *,
        checkpoint: str,
        trigger: Mapping[str, Any] | str | None = None,
        events: NamedSink | None = None,
        side: Sink | None = None,
        on_report: OnReport | None = None,
        name: str | None = None,
        style: str = "parquet",
        column_types: Mapping[str, str] | None = None,
    ) -> Any:
        """Start the query. `sink` gets the changelog of every batch, `events` that of derived events, `side` the rows
        that could not be used.

        All are functions of rows and the number of the batch, or folders. A dict of sinks by fluent (or event) sends
        each sink the changes of its fluent, with a column for each argument; `column_types` is as in `recognise`.
        `on_report` is called after every batch.
        """
        sinks = self._sinks(sink, events, side, style, column_types)
        ledger = self._home(checkpoint).ledger(session_of(self._events))
        if not ledger.committed():
            # A history that was started must be completed first.
            link_before(ledger, 0)
        run = self._run(checkpoint, sinks, on_report)
        frame = observed(self._frame, run.work.sortings)
        if self.windows.idle is not None:
            frame = with_beat(frame)
        if on_report is not None and "connect" in type(frame).__module__:
            warnings.warn("over Spark Connect, on_report is called in a process of the server", stacklevel=2)
        writer = frame.writeStream.option("checkpointLocation", spark_path(checkpoint)).foreachBatch(run)
        if name is not None:
            writer = writer.queryName(name)
        if isinstance(trigger, str):
            writer = writer.trigger(processingTime=trigger)
        elif trigger is not None:
            writer = writer.trigger(**trigger)
        return writer.start()

    def backfill(
        self,
        history: Streams,
        sink: NamedSink,
        *,
        checkpoint: str,
        events: NamedSink | None = None,
        side: Sink | None = None,
        until: TimeInput | None = None,
        style: str = "parquet",
        column_types: Mapping[str, str] | None = None,
    ) -> Report:
        """Evaluate a history before the stream begins. The stream continues from there.

        All query times within the history are evaluated, or those up to `until`. `history` has DataFrames
        of the same columns as the streams.
        """
        last = time_point_or_none(until, unit_in(self.time_scale), "until")
        if any(batch >= 0 for batch in self._home(checkpoint).ledger(session_of(self._events)).batches()):
            raise HoldsforError(f"the stream of {checkpoint} has begun; a history comes before it")
        run = self._run(checkpoint, self._sinks(sink, events, side, style, column_types), None)
        return run.once(self._sources.together(history), _BACKFILL, last)

    def plan_swap(self, checkpoint: str) -> SwapPlan | None:
        """What the change of the rules of a checkpoint means: which answers are exact at once, which later, and which
        cannot be exact. Nothing is changed. None if the checkpoint is new, or has the new rules already.
        """
        if self._earlier is None:
            raise HoldsforError(
                "which rules the checkpoint has so far is not known: recognise_stream(…, swap=those rules)"
            )
        before = self._last(self._home(checkpoint).ledger(session_of(self._events)), self._settings)
        swap = self._earlier.swap(before, self._work, self._settings, with_rows=False)
        return None if swap is None else swap.plan(before)

    def _last(self, ledger: Ledger, settings: Mapping[str, Any]) -> Commit:
        return last_commit(ledger, settings, None, None if self._earlier is None else self._earlier.rules)

    def has_begun(self, checkpoint: str) -> bool:
        """Whether a run has committed a batch at a checkpoint."""
        return bool(self._home(checkpoint).ledger(session_of(self._events)).committed())

    def _home(self, checkpoint: str) -> Home:
        """The storage of the state: files that workers open if the folder is local, otherwise Spark tables."""
        if self._state == "tables" or (self._state is None and not is_local(checkpoint)):
            return TableHome(checkpoint)
        make_folder(checkpoint, "checkpoint")
        return FileHome(Store.below(checkpoint))

    def _sinks(
        self,
        sink: NamedSink,
        events: NamedSink | None,
        side: Sink | None,
        style: str,
        types: Mapping[str, str] | None,
    ) -> Sinks:
        maker = SinkMaker(self.plan, self._work.shapes, style, types)
        happened = None if events is None else maker.made(events, EntityKind.EVENT, EVENT_CHANGES.names)
        wanted = self._settings["fluents"]
        unreported = [] if wanted is None or not isinstance(sink, Mapping) else sorted(set(sink) - set(wanted))
        if unreported:
            raise HoldsforError(f"there is a sink for {', '.join(unreported)}, which fluents= leaves out")
        changes = maker.made(sink, EntityKind.FLUENT, CAUSED.names)
        require_column_types(types, (changes, happened))
        return Sinks(changes, happened, None if side is None else as_sink(side, style))

    def _run(self, checkpoint: str, sinks: Sinks, on_report: OnReport | None) -> Run:
        spark = session_of(self._events)
        workers_like_driver(spark)
        home = self._home(checkpoint)
        ledger = home.ledger(spark)
        before = self._last(ledger, self._settings)
        # The machine that continues the run may have another number of cores.
        buckets = bucket_count(self.plan, self._buckets or before.settings.get("buckets") or self._work.job.buckets)
        settings = self._settings | {"derived events": sinks.events is not None, "buckets": buckets}
        self._last(ledger, settings)
        home = home.owned(run_of(before.link, settings["rules"]))
        if isinstance(home, FileHome):
            probe(spark, home.store)
        work = self._work.for_buckets(buckets, derived_events=sinks.events is not None)
        swap = None if self._earlier is None else self._earlier.swap(before, work, settings)
        return Run(work, home, settings, self._start, sinks, on_report, self._max_ahead, swap)


def _duration(idle: str | timedelta, unit: str) -> int:
    """A processing time such as "10 seconds", in units of the stream.

    >>> _duration("2 minutes", "s"), _duration("1 second", "ms"), _duration("10 ms", "s")
    (120, 1000, 1)
    """
    return max(1, duration(idle, "ns", "idle") // UNITS[unit])
