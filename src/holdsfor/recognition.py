"""One run from input to answers: reads events, plans the query times, evaluates, and keeps count."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from holdsfor.columns.answer import Answer
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.report import event_rows_table, interval_rows_table
from holdsfor.columns.stream import Stream
from holdsfor.columns.tables import FOREVER
from holdsfor.columns.ticks import answer_in_time, stream_in_ticks, whole_ticks, windows_in_ticks
from holdsfor.columns.window_checks import check_windows
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.analysis.arithmetic_arguments import ArithmeticArguments, arithmetic_arguments
from holdsfor.compiler.plan import Plan, once_per_plan
from holdsfor.core.run import RecordedRun
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.aside import without_far_ahead
from holdsfor.io.builder import Reading
from holdsfor.io.given import Paths, as_paths, refuse_unread_mapping
from holdsfor.io.inputs import input_files
from holdsfor.io.plausible import time_note
from holdsfor.io.preprocessing_rules import has_preprocessing
from holdsfor.io.rejects import Malformed, Rejects
from holdsfor.io.rtec_csv import OnRows, read_rtec
from holdsfor.times import DurationInput, TimeScale, duration_or_none, shown_time, unit_of

if TYPE_CHECKING:
    # Imported where they are used: most runs do not need them.
    from holdsfor.columns.unvalued import Unvalued
    from holdsfor.logic.failures import Failure
    from holdsfor.reference import Windows

EventsInput: TypeAlias = Paths | Mapping[str, Any]
"""Files, or tables by event name."""
MappingInput: TypeAlias = str | Path | Mapping[str, Any] | None


def read_events(
    plan: Plan,
    events: EventsInput,
    mapping: MappingInput = None,
    unit: str | None = None,
    rejects: Rejects | None = None,
    on_rows: OnRows | None = None,
    max_ahead: DurationInput | Callable[[str | None], int | None] | None = None,
) -> Reading:
    """Read events from files or tables; files are in RTEC's format unless a mapping describes them.

    Timestamps are counted in the unit that the rules declare, else in that of the mapping or in the `unit`, without one
    in seconds; those that are declared must agree. Rows that lie more than `max_ahead` time-points after
    the median are set aside. The results of a `preProcessing` of the program are input, too.
    """
    if not isinstance(events, Mapping):
        events = as_paths(events, plan)
    declared = plan.analysis.written.time_scale
    unit = unit_of(declared, unit)
    reading = _read(plan, events, mapping, unit, rejects, on_rows)
    reading.time_scale = declared or (reading.time_scale if unit is None else TimeScale(unit))
    ahead = max_ahead(reading.unit) if callable(max_ahead) else duration_or_none(max_ahead, reading.unit, "max_ahead")
    if ahead is not None:
        source = "tables" if isinstance(events, Mapping) else ", ".join(map(str, events))
        reading = without_far_ahead(reading, ahead, source)
    if not has_preprocessing(plan):
        return reading
    # Imported here, with the reference evaluator's records: most programs have none.
    from holdsfor.io.preprocessing import preprocessed

    return preprocessed(plan, reading)


def _read(
    plan: Plan,
    events: list[str | Path] | Mapping[str, Any],
    mapping: MappingInput,
    unit: str | None,
    rejects: Rejects | None,
    on_rows: OnRows | None,
) -> Reading:
    entities = plan.analysis.entities
    arithmetic = _arithmetic(plan)
    # Readers of other input formats are imported on first use.
    if isinstance(events, Mapping):
        from holdsfor.io.frames import read_frames

        return read_frames(events, entities, unit or "s", rejects=rejects, arithmetic=arithmetic)
    if mapping is None:
        return read_rtec(input_files(events), entities, rejects=rejects, on_rows=on_rows, arithmetic=arithmetic)
    from holdsfor.io.mapping import make_mapping, read_mapping
    from holdsfor.io.tables import read_tables

    described = make_mapping(mapping) if isinstance(mapping, Mapping) else read_mapping(mapping)
    described = described.with_unit(unit, plan.analysis.written.time_scale)
    refuse_unread_mapping(described, plan)
    files = input_files(events, described)
    return read_tables(files, described, entities, rejects=rejects, on_rows=on_rows, arithmetic=arithmetic)


@once_per_plan
def _arithmetic(plan: Plan) -> ArithmeticArguments:
    return arithmetic_arguments(plan.analysis.program)


def plan_windows(
    stream: Stream,
    window: int | None = None,
    step: int | None = None,
    start: int | None = None,
    end: int | None = None,
    *,
    tick: int = 1,
    scale: TimeScale | None = None,
) -> WindowPlan | None:
    """The query times of a run; None is one query over everything.

    The stream begins after `start` and is read up to `end`, by arrival; without a window every query sees all of it.
    All four are multiples of the clock `tick`.
    """
    if window is None and step is None and start is None and end is None:
        return None
    for what, size in (("window", window), ("step", step)):
        if size is not None and size < 1:
            raise HoldsforError(f"the {what} must be at least one time-point, not {size}")
    for what, given in (("window", window), ("step", step), ("start", start), ("end", end)):
        whole_ticks(what, given or 0, tick)
    first, last = stream.arrivals()
    begin = start if start is not None else (first // tick - 1) * tick
    stop = end if end is not None else last // tick * tick
    if stop < begin:
        raise HoldsforError(f"end {shown_time(stop, scale)} lies before start {shown_time(begin, scale)}")
    if window is not None:
        return WindowPlan(window, step or window, begin, stop)
    pace = step or max(tick, stop - begin)
    # Every query sees all that has happened, also what arrived after the start and happened before it.
    last = begin + pace * max(1, -(-(stop - begin) // pace))
    return WindowPlan(last - min(begin, (stream.moments()[0] // tick - 1) * tick), pace, begin, stop)


def checked_windows(
    reading: Reading,
    window: int | None = None,
    step: int | None = None,
    start: int | None = None,
    end: int | None = None,
    *,
    tick: int = 1,
) -> tuple[WindowPlan | None, str | None]:
    """The query times of a run over a reading, and a warning about them or about the times, if there is one."""
    scale = reading.time_scale
    windows = plan_windows(reading.stream, window, step, start, end, tick=tick, scale=scale)
    is_bounded = start is not None and end is not None
    notes = (
        time_note(reading.stream.moments()[0], scale) if reading.stream.rows else None,
        check_windows(reading.stream, windows, reading.dictionary, is_bounded=is_bounded, scale=scale),
    )
    return windows, "; ".join(note for note in notes if note) or None


@dataclass
class Summary:
    """The counts of a run.

    `read` rows made sense, `unknown` ones have names that no rule knows, `malformed` ones could not be read. Of those
    read, `late` ones arrived when every window they belong to was over, `outside` ones lie outside the run. Conditions
    `without_value` failed for some rows because an expression in them has none there, as 8/0.
    """

    read: int
    unknown: dict[str, int]
    malformed: int
    first_malformed: list[Malformed]
    used: int = 0
    late: int = 0
    outside: int = 0
    query_times: int = 0
    intervals: int = 0
    derived_events: int = 0
    conflicts: int = 0
    without_value: list[Unvalued] = field(default_factory=list)


class Recognition:
    """A run over a stream that has been read. Iterate over it for the answers, of all fluents or of some.

    Streams, windows and answers are in time; the engine counts in clock ticks.
    """

    def __init__(
        self,
        plan: Plan,
        reading: Reading,
        windows: WindowPlan | None = None,
        *,
        fluents: Collection[str] | None = None,
        threads: int | None = None,
    ) -> None:
        self.plan, self.reading, self.windows = plan, reading, windows
        self._windows = windows_in_ticks(windows, plan.clock_tick)
        self._fluents = fluents
        self._threads = threads
        self.run: RecordedRun | None = None
        """The measurements of the run."""
        self._failures: Iterable[Failure] = ()
        unknown, malformed = sum(reading.unknown.values()), reading.rejects.count
        read = reading.rows - unknown - malformed
        self.summary = Summary(read, reading.unknown, malformed, reading.rejects.first)
        self._count_use()

    @cached_property
    def _stream(self) -> Stream:
        return stream_in_ticks(self.reading.stream, self.plan.clock_tick, len(self.reading.dictionary))

    def _count_use(self) -> None:
        if self._windows is None:
            self.summary.used = self.summary.read
            return
        for used, late in _use(self._stream, self._windows):
            self.summary.used += int(used.sum())
            self.summary.late += int((late & ~used).sum())
        self.summary.outside = self.summary.read - self.summary.used - self.summary.late

    @property
    def queries(self) -> int:
        """The number of query times."""
        return 1 if self.windows is None else len(self.windows.query_times)

    def arrived_by(self, query: int) -> int:
        """The number of rows that had arrived by a query time."""
        return len(self._arrivals) if self.windows is None else int(np.searchsorted(self._arrivals, query, "right"))

    @cached_property
    def _arrivals(self) -> Ints:
        return np.sort(self.reading.stream.all_arrivals())

    def __iter__(self) -> Iterator[Answer]:
        counts = self.summary
        for counted in self._counted():
            answer = answer_in_time(counted, self.plan.clock_tick)
            found = answer if self._fluents is None else only_fluents(answer, self._fluents)
            counts.query_times += 1
            counts.intervals += sum(len(table) for table in found.fluents.values())
            counts.derived_events += sum(len(events) for events in found.events.values())
            counts.conflicts += answer.conflicts
            yield found
        counts.without_value = without_value(self.plan, self._failures)

    def _counted(self) -> Iterator[Answer]:
        self.run = RecordedRun(self.plan, self.reading.dictionary, self._stream, self._windows, threads=self._threads)
        yield from self.run
        self._failures = self.run.failures

    def by_reference(self) -> tuple[pa.Table, pa.Table]:
        """All intervals and derived events, evaluated by the reference evaluator."""
        # Imported here: most runs do not need it.
        from holdsfor.compiler.analyse import analyse
        from holdsfor.io.records import records
        from holdsfor.reference import recognise

        written = self.plan.analysis.written
        found = recognise(
            # The reference evaluator follows the rules as they are written, in time.
            self.plan.analysis if written.clock_tick == 1 else analyse(replace(written, clock_tick=1)),
            records(self.reading.stream, self.reading.dictionary),
            _reference_windows(self.windows),
            tick=written.clock_tick,
            max_delayed_effects=self.plan.max_delayed_effects,
        )
        rows = [
            row for row in found.intervals if self._fluents is None or row.fluent.partition("(")[0] in self._fluents
        ]
        counts = self.summary
        counts.query_times, counts.conflicts = self.queries, found.conflicts
        counts.intervals, counts.derived_events = len(rows), len(found.events)
        counts.without_value = without_value(self.plan, found.failures)
        return interval_rows_table(rows), event_rows_table(found.events)


def without_value(plan: Plan, failures: Iterable[Failure]) -> list[Unvalued]:
    """The conditions that have failed because of a missing value."""
    listed = list(failures)
    if not listed:
        return []
    from holdsfor.columns.unvalued import unvalued

    return unvalued(listed, plan)


def _reference_windows(windows: WindowPlan | None) -> Windows | None:
    from holdsfor.reference import Windows

    if windows is None:
        return None
    size = math.inf if windows.size is None else windows.size
    return Windows(size, windows.step, windows.start, windows.end)


def only_fluents(answer: Answer, names: Collection[str]) -> Answer:
    """An answer with the fluents of some names."""
    return replace(answer, fluents={symbol: t for symbol, t in answer.fluents.items() if symbol.name in names})


def _use(stream: Stream, windows: WindowPlan) -> Iterator[tuple[Bools, Bools]]:
    """Which rows counted at some query time, and which had arrived only when their last window was over."""
    size = int(FOREVER) if windows.size is None else windows.size
    for event in stream.events.values():
        loaded = windows.loaded_at(event.arrival)
        counted = windows.counted_at(event.arrival, event.time) < FOREVER
        yield counted, (loaded < FOREVER) & (event.time <= loaded - size)
    for fluent in stream.fluents.values():
        loaded = windows.loaded_at(fluent.arrival)
        is_loaded = loaded < FOREVER
        border = np.where(is_loaded, loaded - size, 0)
        ended = (fluent.end <= border + 1) | (fluent.is_point & (fluent.start <= border))
        yield is_loaded & ~ended, is_loaded & ended
