"""Results of a run: tables for data tools, rows for Python, a small table for notebooks."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
import pyarrow as pa

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.report import EVENTS, INTERVALS, Texts, event_table, interval_table, rows_of
from holdsfor.columns.tables import FOREVER, Intervals
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.analysis.argument_names import argument_columns, flat_columns
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.limits import DEPTH
from holdsfor.io.arguments import arguments_added
from holdsfor.io.columns import value_column
from holdsfor.io.scaled import EVENT_TIMES, INTERVAL_TIMES, with_texts, with_timestamps
from holdsfor.ir import Program
from holdsfor.recognition import Summary, only_fluents
from holdsfor.result_tables import SHOWN, EventResult, as_pandas, counted, frame_library, shown_html, shown_text
from holdsfor.times import TimeInput, TimeScale, time_point, time_point_or_none

if TYPE_CHECKING:
    from holdsfor.explain.asking import Explainer
    from holdsfor.explain.explanation import Explanation
    from holdsfor.reference import IntervalRow
    from holdsfor.viz.timeline import Timeline


class Result:
    """The intervals at every query time, and the numbers of rows that were read and used (`summary`).

    Tables of one fluent (`result["gap"]`) have a column for each argument, named after the variables of the rules.
    """

    def __init__(
        self,
        answers: Sequence[Answer],
        texts: Texts,
        summary: Summary,
        windows: WindowPlan | None = None,
        explainer: Callable[[], Explainer] | None = None,
        *,
        time_scale: TimeScale | None = None,
        program: Program | None = None,
        fluent: str | None = None,
    ) -> None:
        self._answers = list(answers)
        self._program, self._fluent = program, fluent
        self._texts = texts
        self._windows = windows
        self._explainer = explainer
        self.summary = summary
        self.time_scale = time_scale
        """The time unit and zone, if the rules, the input or the caller declare them."""

    @property
    def answers(self) -> Sequence[Answer]:
        """The answers at each query time, as columns of codes; `texts` decodes them."""
        return self._answers

    @property
    def texts(self) -> Texts:
        """The texts of all codes."""
        return self._texts

    @property
    def windows(self) -> WindowPlan | None:
        """The query times and their windows; None is one query over everything."""
        return self._windows

    @property
    def unit(self) -> str | None:
        """The time unit."""
        return None if self.time_scale is None else self.time_scale.unit

    @property
    def query_times(self) -> list[int]:
        """The query times."""
        return [answer.query_time for answer in self._answers]

    @cached_property
    def fluents(self) -> list[str]:
        """The names of all fluents that could have been found."""
        return sorted({symbol.name for answer in self._answers for symbol in answer.fluents})

    @cached_property
    def events(self) -> list[str]:
        """The names of all events that could have been derived."""
        return sorted({symbol.name for answer in self._answers for symbol in answer.events})

    def __len__(self) -> int:
        return sum(len(table) for answer in self._answers for table in answer.fluents.values())

    def __iter__(self) -> Iterator[IntervalRow]:
        for answer in self._answers:
            yield from rows_of(interval_table(answer, self._texts))

    @overload
    def __getitem__(self, key: str) -> Result | Any: ...

    @overload
    def __getitem__(self, key: SupportsIndex) -> IntervalRow: ...

    @overload
    def __getitem__(self, key: slice) -> list[IntervalRow]: ...

    def __getitem__(self, key: str | SupportsIndex | slice) -> Result | Any | IntervalRow | list[IntervalRow]:
        """The intervals of one fluent by its name, a row by its number, or the rows of a slice.

        The name of a derived event gives an `EventResult`; type checkers do not see that.
        """
        if isinstance(key, str):
            return self._of_event(key) if key in self.events and key not in self.fluents else self._of_fluent(key)
        if isinstance(key, slice):
            return list(rows_of(self._table.take(pa.array(range(len(self))[key], pa.int64()))))
        try:
            place = operator.index(key)
        except TypeError:
            raise HoldsforError(
                f'a result takes the name of a fluent (result["name"]), the number of a row or a slice, not {key!r}'
            ) from None
        return next(iter(rows_of(self._table.slice(range(len(self))[place], 1))))

    def _of_fluent(self, fluent: str) -> Result:
        if fluent not in self.fluents:
            close = suggest(fluent, [*self.fluents, *self.events])
            hint = f"did you mean {close}?" if close else f"there are {', '.join(self.fluents) or 'none'}"
            raise HoldsforError(f"no fluent is called {fluent!r}; {hint}")
        return self._only([only_fluents(answer, {fluent}) for answer in self._answers], fluent)

    def _of_event(self, event: str) -> EventResult:
        found = [{symbol: t for symbol, t in answer.events.items() if symbol.name == event} for answer in self._answers]
        tables = [
            event_table(replace(answer, events=events), self._texts)
            for answer, events in zip(self._answers, found, strict=True)
        ]
        table = pa.concat_tables([EVENTS.empty_table(), *tables])
        return EventResult(_with_arguments(table, "event", event, found, self._program), self.time_scale)

    def _only(self, answers: Sequence[Answer], fluent: str | None) -> Result:
        return Result(
            answers,
            self._texts,
            self.summary,
            self._windows,
            self._explainer,
            time_scale=self.time_scale,
            program=self._program,
            fluent=fluent,
        )

    def holds_at(self, time: TimeInput) -> Result:
        """The situations that hold at a time-point, as of the last query time whose window contains it."""
        at = time_point(time, self.unit)
        if not self._answers:
            return self
        queries = np.array(self.query_times)
        borders = queries - (FOREVER if self._windows is None or self._windows.size is None else self._windows.size)
        answer = self._answers[max(0, int(np.searchsorted(borders, at)) - 1)]
        fluents = {symbol: _holding(table, at) for symbol, table in answer.fluents.items()}
        return self._only([replace(answer, fluents=fluents, events={})], self._fluent)

    # Questions

    def why(
        self, question: str, at: TimeInput, *, query_time: TimeInput | None = None, depth: int | None = DEPTH
    ) -> Explanation:
        """Explain why a situation holds at a time-point: `result.why("open(front)=true", at=5)`.

        Raises HoldsforError if it does not. The answer is that of the last query time whose window contains the
        time-point, or of `query_time`. `depth` limits the levels of the explanation; None is no limit.
        """
        return self.explain(question, at, query_time=query_time, depth=depth).required(holds=True)

    def why_not(
        self, question: str, at: TimeInput, *, query_time: TimeInput | None = None, depth: int | None = DEPTH
    ) -> Explanation:
        """Explain why a situation does not hold at a time-point; raises HoldsforError if it does."""
        return self.explain(question, at, query_time=query_time, depth=depth).required(holds=False)

    def explain(
        self, question: str, at: TimeInput, *, query_time: TimeInput | None = None, depth: int | None = DEPTH
    ) -> Explanation:
        """Explain why a situation holds at a time-point, or why not."""
        point, query = time_point(at, self.unit, "at"), time_point_or_none(query_time, self.unit, "query_time")
        return self.given_input().explain(question, point, query_time=query, depth=depth)

    def given_input(self) -> Explainer:
        """An explainer for the input and rules of this result."""
        if self._explainer is None:
            raise HoldsforError("this result does not keep its input; use the reasoner: reasoner.why(…, events=…)")
        return self._explainer()

    # Tables

    @cached_property
    def _table(self) -> pa.Table:
        tables = [interval_table(answer, self._texts) for answer in self._answers]
        return pa.concat_tables([INTERVALS.empty_table(), *tables])

    @cached_property
    def derived_events(self) -> pa.Table:
        """The derived events inside each window: `query_time, event, time`, with times as `to_arrow` has them."""
        return with_timestamps(self.derived_event_points, self.time_scale, EVENT_TIMES)

    @cached_property
    def derived_event_points(self) -> pa.Table:
        """The same with times that are numbers of time-points."""
        tables = [event_table(answer, self._texts) for answer in self._answers]
        return pa.concat_tables([EVENTS.empty_table(), *tables])

    def to_arrow(self, *, split: bool = False, points: bool = False) -> pa.Table:
        """All intervals: `query_time, fluent, value, start, end`; a null `end` is open.

        If the time unit is known, times are timestamps with a zone, or numbers with `points`. The table of one fluent
        (`result["gap"]`) also has a column for each argument, named after the variables of the rules: `Vessel` becomes
        `vessel`. With `split`, these columns replace `fluent`, and numeric values are numbers.
        """
        table = self._split() if split else self._wide
        return with_timestamps(table, None if points else self.time_scale, INTERVAL_TIMES)

    def to_pandas(self, *, split: bool = False, points: bool = False) -> Any:
        """The same as a pandas data frame."""
        return as_pandas(self.to_arrow(split=split, points=points))

    def to_polars(self, *, split: bool = False, points: bool = False) -> Any:
        """The same as a polars data frame."""
        return frame_library("polars", "to_polars()").from_arrow(self.to_arrow(split=split, points=points))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The same for every library that speaks Arrow: `polars.DataFrame(result)`, DuckDB, …"""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @cached_property
    def _wide(self) -> pa.Table:
        """All intervals; those of one fluent with its arguments."""
        if self._fluent is None:
            return self._table
        found = [answer.fluents for answer in self._answers]
        return _with_arguments(self._table, "fluent", self._fluent, found, self._program)

    def _split(self) -> pa.Table:
        symbols = {symbol for answer in self._answers for symbol, table in answer.fluents.items() if len(table)}
        if len(symbols) > 1:
            named = ", ".join(sorted(map(str, symbols)))
            raise HoldsforError(
                f"only one fluent can be split into its arguments, not {named}; choose one: result[name]"
            )
        found = [(answer, table) for answer in self._answers for table in answer.fluents.values() if len(table)]
        times = np.concatenate(
            [np.full(len(table), answer.query_time) for answer, table in found] or [np.empty(0, int)]
        )
        fixed = [name for name in INTERVALS.names if name != "fluent"]
        names = [column for symbol in symbols for column in flat_columns(self._program, symbol, fixed)]
        return _split_table(times, [table for _, table in found], names, self._texts.dictionary)

    # For people

    def timeline(
        self,
        *,
        fluents: str | Collection[str] | None = None,
        entities: Collection[Any] | None = None,
        between: tuple[Any, Any] | None = None,
        events: Collection[str] | bool = False,
        inputs: bool = False,
        limit: int | None = None,
        unit: str | None = None,
        zone: str | None = None,
        title: str | None = None,
    ) -> Timeline:
        """A timeline of the intervals, for notebooks and files: `result.timeline().save("timeline.html")`.

        Each time-point is shown as of the last query time whose window contains it. `fluents` are names, `entities`
        arguments, `between` is two times, and `limit` is the maximal number of lanes. `events` are names of derived
        events, or True for all; `inputs` adds the events of the input. An event has a lane for each entity, which is
        its first argument; numbers in other arguments are drawn as lines. The axis has local dates if the time unit is
        known; `unit` (`s`, `ms`, …) sets it for results without one, and `zone`, such as `Europe/Athens`, selects
        another zone.
        """
        from holdsfor.viz.timeline import Timeline
        from holdsfor.viz.timeline_answers import answers_chart
        from holdsfor.viz.timeline_collect import ResultSelection
        from holdsfor.viz.timeline_dates import shown_scale

        shown = shown_scale(self.time_scale, unit, zone)
        choice = ResultSelection([fluents] if isinstance(fluents, str) else fluents, entities, between, shown)
        window = self._windows.size if self._windows is not None else None
        named = title if title is not None else self._title()
        given = self.given_input().stream.events if inputs else {}
        return Timeline(answers_chart(self._answers, window, self._texts, choice, events, named, given), limit)

    def __repr__(self) -> str:
        return shown_text(self._title(), self._first(SHOWN), len(self))

    def _repr_html_(self) -> str:
        return shown_html(self._title(), self._first(2 * SHOWN), len(self))

    def _title(self) -> str:
        skipped = f" ({counted(self.summary.malformed, 'malformed row')} skipped)" if self.summary.malformed else ""
        return f"{counted(len(self), 'interval')} at {counted(len(self._answers), 'query time')}{skipped}"

    def _first(self, rows: int) -> pa.Table:
        tables = (interval_table(answer, self._texts) for answer in self._answers)
        filled = (table for table in tables if len(table))
        first = pa.concat_tables([INTERVALS.empty_table(), *islice(filled, rows)]).slice(0, rows)
        return with_texts(first, self.time_scale, INTERVAL_TIMES)


def _holding(table: Intervals, time: int) -> Intervals:
    return table.take(np.flatnonzero((table.start <= time) & (time < table.end)))


def _with_arguments(
    table: pa.Table,
    column: str,
    name: str,
    found: Sequence[Mapping[Symbol, object]],
    program: Program | None,
) -> pa.Table:
    """A table of the instances of one fluent or event, with a column for each argument."""
    symbols = {symbol for answer in found for symbol in answer if symbol.name == name}
    arity = max((symbol.arity for symbol in symbols), default=0)
    kind = EntityKind.EVENT if column == "event" else EntityKind.FLUENT
    names = argument_columns(program, kind, name, arity, table.column_names)
    return arguments_added(table, column, name, names)


def _split_table(
    query_time: Ints, tables: Sequence[Intervals], names: Sequence[str], dictionary: Dictionary
) -> pa.Table:
    """The intervals of one fluent with columns for its arguments, and none for itself."""
    if not tables:
        return INTERVALS.empty_table().drop_columns(["fluent"])
    args = [np.concatenate(columns) for columns in zip(*(table.args for table in tables), strict=True)]
    value, start, end = (np.concatenate([getattr(t, name) for t in tables]) for name in ("value", "start", "end"))
    columns = [pa.array(query_time), *(_decoded(column, dictionary) for column in (*args, value))]
    columns += [pa.array(start, mask=start <= -FOREVER), pa.array(end, mask=end >= FOREVER)]
    return pa.table(columns, names=["query_time", *names, "value", "start", "end"])


def _decoded(codes: Ints, dictionary: Dictionary) -> Any:
    """Numbers where all are numbers, else text."""
    wholes = dictionary.wholes_of(codes)
    if wholes is not None:
        return pa.array(wholes)
    is_there = np.zeros(len(dictionary), np.bool_)
    is_there[codes] = True
    distinct = np.flatnonzero(is_there)
    place = np.empty(len(dictionary), np.int64)
    place[distinct] = np.arange(len(distinct))
    return value_column(dictionary.values_of(distinct)).take(pa.array(place[codes]))
