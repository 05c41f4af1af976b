"""Combines streams into one frame, and routes the rows of a micro-batch to the buckets.

All sources become one streaming DataFrame, because a query has one clock; the columns of each source are renamed. One
pass determines for each row its origin, whether it is valid, whether it is late, and its buckets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

from holdsfor.compiler.analysis.entities import Entities
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats import require_columns
from holdsfor.io.frames import entry_of
from holdsfor.io.layouts import Form, Layouts
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.spark.columns import identifier, literal, time
from holdsfor.spark.connectors.payload import unreadable_column
from holdsfor.spark.job import Rows
from holdsfor.spark.nested import with_paths, with_paths_of
from holdsfor.spark.sources import Origin, ShippedOrigin, any_of, feeds_of_frame, first_true
from holdsfor.spark.stages import StagePlan
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.rows import BACK, BACK_COPY, BAD, ROW, ROW_COPY, UNUSED, travelling_schema
from holdsfor.spark.wire import sql_types

Streams: TypeAlias = DataFrame | Mapping[str, DataFrame]

SOURCE, NOW, BEAT = "_holdsfor_source", "_holdsfor_now", "_holdsfor_beat"
"""Internal columns: the stream of a row, the start of its batch, and the beat of an idle source."""
SENDER = "sender"
"""The source of a row, if each has its own lateness."""


@dataclass(frozen=True)
class Sources:
    """The user's streams: the entries of their rows, and the renamed columns of each."""

    entries: tuple[Entry, ...]
    columns: tuple[tuple[str, dict[str, str]], ...]
    unit: str
    untyped: bool
    retracted: str | None
    named_by: str | None = None
    """The column with the source of a row, if one stream has several."""

    @classmethod
    def of(
        cls,
        streams: Streams,
        entities: Entities,
        mapping: TableMapping | None,
        unit: str,
        retracted: str | None,
        named_by: str | None = None,
        *,
        untyped: bool,
    ) -> Sources:
        """Describes the streams."""
        layouts = Layouts(entities)
        if not isinstance(streams, Mapping):
            if mapping is None:
                raise HoldsforError("one stream of events needs a mapping that says which columns are which event")
            if retracted is not None:
                require_columns([retracted], streams.columns, "the stream, which marks retractions,")
            known = [entry for entry in mapping.entries if entry.layout(layouts) is not None]
            with_paths_of(streams, known)
            if named_by is not None:
                with_paths(streams, [named_by], "the stream, whose rows name their source,")
            columns = (("events", {name: name for name in streams.columns}),)
            return cls(mapping.entries, columns, mapping.unit, untyped, retracted, named_by)
        if mapping is not None:
            raise HoldsforError("a mapping describes one stream; for a dict of them, name their columns instead")
        entries, found = [], []
        for place, (name, frame) in enumerate(streams.items()):
            names = {column: f"{place}:{column}" for column in frame.columns}
            found.append((name, names))
            if layouts.knows(name):
                unread = unreadable_column(frame.columns)
                plain = [column for column in frame.columns if column not in (retracted, unread)]
                entries.append(_renamed(entry_of(f"events[{name!r}]", name, plain, layouts), names, place))
        if retracted is not None and not any(retracted in names for _, names in found):
            raise HoldsforError(f"no stream has the column {retracted!r}, which marks retractions")
        return cls(tuple(entries), tuple(found), unit, untyped, retracted)

    def together(self, streams: Streams) -> DataFrame:
        """The union of all streams."""
        frames = list(streams.values()) if isinstance(streams, Mapping) else [streams]
        renamed = []
        for place, (frame, (_, names)) in enumerate(zip(frames, self.columns, strict=True)):
            listed = [f"{identifier(old)} as {identifier(new)}" for old, new in names.items()]
            renamed.append(frame.selectExpr(*listed, f"{place} as {SOURCE}", f"current_timestamp() as {NOW}"))
        if not isinstance(streams, Mapping):
            paths = [path for entry in self.entries for path in entry.columns]
            return with_paths(renamed[0], paths if self.named_by is None else [*paths, self.named_by], None)
        return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), renamed)

    def origins(self, frame: DataFrame, entities: Entities) -> list[tuple[Origin, ...]]:
        """The origins of rows; a row has at most one origin of each tuple."""
        feeds = feeds_of_frame(frame, self.entries, Layouts(entities), self.unit, untyped=self.untyped)
        return [feed.origins for feed in feeds]

    def flag(self) -> str:
        """Whether a row is a retraction."""
        if self.retracted is None:
            return "false"
        flags = [names[self.retracted] for _, names in self.columns if self.retracted in names]
        cases = " or ".join(f"coalesce(cast({identifier(name)} as boolean), false)" for name in flags)
        return f"({cases or 'false'})"

    def unreadable(self) -> str | None:
        """Whether the text of a row could not be parsed; None if no stream has this information."""
        named = [(names, unreadable_column(list(names))) for _, names in self.columns]
        unreadable = [identifier(names[column]) for names, column in named if column is not None]
        return any_of([f"{name} is not null" for name in unreadable]) if unreadable else None

    def row_text(self) -> str:
        """The original row as JSON."""
        cases = []
        for place, (_, names) in enumerate(self.columns):
            members = ", ".join(f"{literal(old)}, {identifier(new)}" for old, new in names.items())
            cases.append(f"when {place} then to_json(named_struct({members}))")
        return f"case {SOURCE} {' '.join(cases)} end"

    def sender(self) -> str:
        """The source of a row: the stream, or the content of a column."""
        return self.source_text() if self.named_by is None else f"cast({identifier(self.named_by)} as string)"

    def source_text(self) -> str:
        """The name of the stream of a row."""
        named = " ".join(f"when {place} then {literal(name)}" for place, (name, _) in enumerate(self.columns))
        return f"case {SOURCE} {named} end"


def _renamed(entry: Entry, names: Mapping[str, str], place: int) -> Entry:
    def new(column: str | None) -> str | None:
        return None if column is None else names[column]

    return replace(
        entry,
        start=names[entry.start],
        args=tuple(names[arg] for arg in entry.args),
        end=new(entry.end),
        value=new(entry.value),
        arrival=new(entry.arrival),
        where={SOURCE: place},
    )


def with_beat(frame: DataFrame) -> DataFrame:
    """A stream with a row every second that contains the time, so that batches continue without input."""
    beat = frame.sparkSession.readStream.format("rate").option("rowsPerSecond", 1).load()
    return frame.unionByName(beat.selectExpr(f"timestamp as {BEAT}"), allowMissingColumns=True)


@dataclass(frozen=True)
class Sorting:
    """SQL that classifies the rows of a batch by origin."""

    sources: Sources
    origins: tuple[Origin, ...]
    first: int
    """The index of the first origin among all origins."""
    stages: StagePlan
    rows: Rows
    windows: Windows
    buckets: int
    lost: str = "false"
    """Whether a row without an origin is malformed. One of all sortings counts these."""

    @property
    def _places(self) -> Iterator[tuple[int, Origin, list[ShippedOrigin]]]:
        for place, origin in enumerate(self.origins, self.first):
            shipped = list(self._routes(place, origin))
            if shipped:
                yield place, origin, shipped

    def _routes(self, place: int, origin: Origin) -> Iterator[ShippedOrigin]:
        """The stages that read the rows of an origin."""
        for stage in self.stages.stages:
            found = self.rows.inputs.get((stage.number, place))
            if found is not None:
                delivery = next(one for one in stage.deliveries if one.symbol == origin.rows.symbol)
                yield ShippedOrigin(origin, *found, delivery.spreading, delivery.lines, stage.sides)

    @property
    def is_used(self) -> bool:
        """Whether any stage reads these rows."""
        return any(True for _ in self._places)

    def sorted_out(self, frame: DataFrame, keep: Sequence[str] = ()) -> DataFrame:
        """Rows with `chosen`, `good`, `moment` (the time for the clock), and their columns.

        The SQL is the same for every batch, so that Spark compiles it once.
        """
        used = list(self._places)
        values = [shipped[0].values() for _, _, shipped in used]
        column = self._by_origin
        columns = self._verdict() | {
            "is_span": column([str(origin.rows.form is Form.INTERVAL).lower() for _, origin, _ in used]),
            "back": self.sources.flag(),
        }
        for name in self.rows.wire.schema.names:
            if name not in ("tag", "arrival", "stage", "q", "data"):
                columns[name] = column([value.get(name) for value in values])
        if self._has_one_target:
            routes = [shipped[0] for _, _, shipped in used]
            columns["tag"] = column([str(route.number) for route in routes])
            columns["stage"] = column([str(self._stage(route)) for route in routes])
            columns["bucket"] = column([route.bucket((route.spreading or ((),))[0], self.buckets) for route in routes])
        else:
            columns["targets"] = column([self._targets(shipped) for _, _, shipped in used])
        beat = [f"{BEAT}"] if BEAT in frame.columns else []
        kinds = sql_types(self.rows.wire.schema) | {"moment": "bigint"}
        cast = [
            f"cast({sql} as {kinds[name]}) as {name}" if name in kinds else f"{sql} as {name}"
            for name, sql in columns.items()
        ]
        return frame.selectExpr(*keep, *beat, *cast)

    def judged(self, frame: DataFrame, *more: str) -> DataFrame:
        """The `good` and `bad` rows and their `moment`, and nothing else, because this pass comes first and covers all
        rows.
        """
        found = self._verdict()
        good, bad = (f"({found['chosen']}) and {sign}({found['good']})" for sign in ("", "not "))
        more = (*more, *self._sender)
        return frame.selectExpr(
            f"{good} as good", f"{bad} as bad", f"cast({found['moment']} as bigint) as moment", *more
        )

    @property
    def _sender(self) -> list[str]:
        """The source of a row, if each has its own lateness."""
        return [f"{self.sources.sender()} as {SENDER}"] if self.windows.lateness_of else []

    def _by_origin(self, found: Sequence[str | None]) -> str:
        """One column from the expressions of each origin."""
        tests = [origin.chosen for _, origin, _ in self._places]
        return first_true(list(zip(tests, found, strict=True)))

    def _verdict(self) -> dict[str, str]:
        """Whether a row belongs to these origins, whether it is valid, and its time for the clock."""
        origins = [origin for _, origin, _ in self._places]
        moment = [self._moment(origin) for origin in origins]
        good = [f"({origin.good}) and {time} is not null" for origin, time in zip(origins, moment, strict=True)]
        chosen, is_good = any_of([origin.chosen for origin in origins]), f"coalesce({self._by_origin(good)}, false)"
        if self.windows.lateness_of and self.sources.named_by is not None:
            named = ", ".join(map(literal, self.windows.lateness_of))
            is_good = f"{is_good} and coalesce({self.sources.sender()} in ({named}), false)"
        if self.lost != "false":
            chosen, is_good = f"({chosen}) or ({self.lost})", f"not ({self.lost}) and {is_good}"
        return {
            "chosen": f"{SOURCE} is not null and coalesce({chosen}, false)",
            "good": is_good,
            "moment": self._by_origin(moment),
        }

    def _moment(self, origin: Origin) -> str:
        if self.windows.by_event:
            return origin.start
        if origin.arrival != origin.start:
            return origin.arrival
        return time(NOW, T.TimestampType(), self.sources.unit)

    @property
    def _has_one_target(self) -> bool:
        """Whether every row goes to one bucket of one stage."""
        routes = [shipped for _, _, shipped in self._places]
        return all(len(found) == 1 and len(found[0].spreading or ()) == 1 for found in routes)

    def _stage(self, shipped: ShippedOrigin) -> int:
        return next(stage for (stage, _), (tag, _) in self.rows.inputs.items() if tag == shipped.number)

    def _targets(self, shipped: Sequence[ShippedOrigin]) -> str:
        """The targets of a row: stages, tags and buckets."""
        found = []
        for one in shipped:
            row = f"named_struct('stage', {self._stage(one)}S, 'tag', {one.number}S, 'bucket', cast(b as int))"
            found.append(f"transform({one.targets(self.buckets)}, b -> {row})")
        return found[0] if len(found) == 1 else f"concat({', '.join(found)})"

    def misplaced(self, clock: Clock, latest: int | None) -> str:
        """The reason why the time of a valid row excludes it, or null."""
        late = self.lateness(clock)
        return late if latest is None else f"if(moment > {latest}L, 'too far ahead', {late})"

    def lateness(self, clock: Clock) -> str:
        """The reason why a valid row is late, or null: the rule of `Admission`, for output of the row."""
        if clock.query is None or clock.start is None:
            return "cast(null as string)"
        arrival = f"greatest(moment, {clock.query + 1}L)"
        low = f"({arrival} + pmod({clock.query}L - {arrival}, {self.windows.step}L) - {self.windows.size}L)"
        is_over = f"case when is_span then coalesce(t1 <= {low} + 1, false) else t0 <= {low} end"
        early = f"when moment <= {clock.start}L then 'before the start'"
        return f"case {early} when {arrival} <= {low} or {is_over} then 'late' end"

    @property
    def source_metrics(self) -> list[tuple[str, str]]:
        """The counts of the rows of the streams."""
        verdict = {name: f"({sql})" for name, sql in self._verdict().items()}
        return _metrics(**verdict)

    def travelling(self, sorted_out: DataFrame) -> DataFrame:
        """Valid rows with their buckets."""
        return self._marked(sorted_out.where("chosen and good"), f"if(back, {BACK}, {ROW})")

    def fetched(self, frame: DataFrame) -> DataFrame:
        """Valid rows with their buckets, and one marked row for each other row; each with its beat, if any."""
        others = f"if(chosen, {BAD}, {UNUSED})"
        rows = self.sorted_out(frame, self._sender)
        return self._marked(rows, f"if(chosen and good, if(back, {BACK}, {ROW}), {others})", is_fetched=True)

    def _marked(self, rows: DataFrame, mark: str, *, is_fetched: bool = False) -> DataFrame:
        """Rows with the columns for routing; copies for further buckets have their own mark."""
        schema = travelling_schema(self.rows.wire)
        kinds = sql_types(schema)
        columns = {name: name for name in schema.names} | {"arrival": "moment", "retracted": mark}
        verdict, more = list[str](), list[str]()
        if is_fetched:
            has_beat, sender = BEAT in rows.columns, [SENDER] if self._sender else []
            verdict = ["chosen", "good", *([BEAT] if has_beat else []), *sender]
            more = [f"{beat_time(self.sources.unit) if has_beat else 'cast(null as bigint)'} as beat", *sender]
        if not self._has_one_target:
            listed = [name for name in schema.names if name not in ("tag", "stage", "bucket", "retracted", "arrival")]
            listed += ["moment", "back", *verdict]
            target = "posexplode_outer(if(chosen and good, targets, null))" if is_fetched else "posexplode(targets)"
            rows = rows.selectExpr(*listed, f"{target} as (copy, target)")
            columns |= {"tag": "target.tag", "stage": "target.stage", "bucket": "target.bucket"}
            columns["retracted"] = f"if(coalesce(copy, 0) = 0, {mark}, if(back, {BACK_COPY}, {ROW_COPY}))"
        return rows.selectExpr(*(f"cast({columns[name]} as {kinds[name]}) as {name}" for name in schema.names), *more)


def _metrics(chosen: str, good: str, moment: str) -> list[tuple[str, str]]:
    return [
        ("good", f"count_if({chosen} and {good})"),
        ("malformed", f"count_if({chosen} and not {good})"),
        ("first", f"min(case when {chosen} and {good} then {moment} end)"),
        ("last", f"max(case when {chosen} and {good} then {moment} end)"),
    ]


def observed(frame: DataFrame, sortings: Sequence[Sorting]) -> DataFrame:
    """A stream that reports its input to listeners of its query, under the name `holdsfor`."""
    found: dict[str, list[str]] = {}
    for sorting in sortings:
        for name, sql in sorting.source_metrics:
            found.setdefault(name, []).append(sql)
    whole = {name: " + ".join(parts) for name, parts in found.items() if name in ("good", "malformed")}
    for name, function in (("first", "least"), ("last", "greatest")):
        whole[name] = found[name][0] if len(found[name]) == 1 else f"{function}({', '.join(found[name])})"
    whole["events"] = whole.pop("good")
    return frame.observe("holdsfor", *(F.expr(sql).alias(name) for name, sql in whole.items()))


def beat_time(unit: str) -> str:
    """The beat of an idle source as a time."""
    return time(BEAT, T.TimestampType(), unit)
