"""DataFrames of events and input fluents as rows of a stage: mapped, narrowed, and each with its bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.compiler.analysis.entities import Entities
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats import require_columns
from holdsfor.io.frames import _entry
from holdsfor.io.layouts import Form, Layouts
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.spark.alignment import Places, Spreading
from holdsfor.spark.columns import Argument, argument, is_open, key_part, time
from holdsfor.spark.job import Rows, SourceRows
from holdsfor.spark.stages import Stage
from holdsfor.spark.wire import ARRIVALS, BUCKET, COUNTS, MOMENTS, Tag, Wire, ddl


@dataclass(frozen=True)
class Origin:
    """The rows of one event or input fluent in a DataFrame."""

    rows: SourceRows
    chosen: Column
    start: Column
    end: Column | None
    is_open: Column | None
    arrival: Column
    args: tuple[Argument, ...]

    @property
    def is_good(self) -> Column:
        """Whether nothing is missing and the times make sense; never null."""
        checks = [self.start.isNotNull(), self.arrival.isNotNull(), *(a.column.isNotNull() for a in self.args)]
        if self.end is not None and self.is_open is not None:
            checks.append(self.is_open | F.coalesce(self.end > self.start, F.lit(False)))
        return reduce(lambda one, other: one & other, checks)

    @property
    def last(self) -> Column:
        """The last time-point that a row speaks of."""
        return self.start if self.end is None else F.greatest(self.start, self.end - 1)


@dataclass(frozen=True)
class Feed:
    """A DataFrame and what its rows are; `exclusive` if each row is one thing only."""

    frame: DataFrame
    origins: tuple[Origin, ...]
    exclusive: bool


def feeds_of(
    events: DataFrame | Mapping[str, DataFrame],
    entities: Entities,
    mapping: TableMapping | None,
    unit: str,
    *,
    untyped: bool = False,
) -> list[Feed]:
    """What a user gave: one DataFrame with a mapping, or one per event and input fluent."""
    layouts = Layouts(entities)
    if isinstance(events, Mapping):
        if mapping is not None:
            raise HoldsforError("a mapping describes one DataFrame; for a dict of them, name their columns instead")
        found = []
        for name, frame in events.items():
            source = f"events[{name!r}]"
            if layouts.knows(name):
                entries = [_entry(source, name, frame.columns, layouts)]
                found += _feeds(frame, entries, layouts, unit, untyped=untyped)
        return found
    if mapping is None:
        raise HoldsforError("one DataFrame of events needs a mapping that says which columns are which event")
    return _feeds(events, mapping.entries, layouts, mapping.unit, untyped=untyped)


def _feeds(frame: DataFrame, entries: Sequence[Entry], layouts: Layouts, unit: str, *, untyped: bool) -> list[Feed]:
    origins = tuple(
        origin for entry in entries if (origin := _origin(frame, entry, layouts, unit, untyped=untyped)) is not None
    )
    if not origins:
        return []
    if len(origins) == 1 or _are_exclusive(entries):
        return [Feed(frame, origins, exclusive=True)]
    return [Feed(frame, (origin,), exclusive=True) for origin in origins]


def _are_exclusive(entries: Sequence[Entry]) -> bool:
    """Whether no row can belong to two entries: one column tells them all apart."""
    shared = set.intersection(*(set(entry.where) for entry in entries))
    return any(len({repr(entry.where[name]) for entry in entries}) == len(entries) for name in shared)


def _origin(frame: DataFrame, entry: Entry, layouts: Layouts, unit: str, *, untyped: bool) -> Origin | None:
    layout = entry.layout(layouts)
    if layout is None:
        return None
    require_columns(entry.columns, frame.columns, entry.place)
    kinds = {field.name: field.dataType for field in frame.schema.fields}

    def column(name: str) -> Column:
        return F.col(f"`{name}`")

    def moment(name: str) -> Column:
        return time(column(name), kinds[name], unit, name)

    names = [*entry.args, *([entry.value] if entry.value else [])]
    args = [argument(column(name), kinds[name], name, untyped=untyped) for name in names]
    if layout.form is not Form.EVENT and entry.value is None:
        args.append(Argument("s", F.lit("true")))
    classes = tuple(arg.slot for arg in args)
    arity = len(entry.args)
    rows = SourceRows(layout.symbol, layout.form, classes[:arity], classes[arity] if len(classes) > arity else None)
    start = moment(entry.start)
    endless = None if entry.end is None else is_open(column(entry.end), kinds[entry.end])
    end = None if endless is None or entry.end is None else F.when(~endless, moment(entry.end))
    chosen = [column(name) == F.lit(wanted) for name, wanted in entry.where.items()]
    is_chosen = reduce(lambda one, other: one & other, chosen, F.lit(True))
    arrival = start if entry.arrival is None else moment(entry.arrival)
    return Origin(rows, F.coalesce(is_chosen, F.lit(False)), start, end, endless, arrival, tuple(args))


# Rows of a stage


def stage_rows(
    feeds: Sequence[Feed], sources: Sequence[SourceRows], stage: Stage, rows: Rows, buckets: int
) -> Iterator[DataFrame]:
    """The input rows of a stage, one narrow table for each DataFrame."""
    spreading = {delivery.symbol: delivery.spreading for delivery in stage.deliveries}
    place = 0
    for feed in feeds:
        used: dict[bool, list[_Shipped]] = {}
        for origin in feed.origins:
            found = rows.inputs.get((stage.number, place))
            if found is not None:
                way = spreading[sources[place].symbol]
                one_place = way is not None and len(way) == 1
                used.setdefault(one_place, []).append(_Shipped(origin, *found, way))
            place += 1
        for one_place, shipped in used.items():
            yield _narrowed(feed.frame, shipped, stage.number, rows.wire, buckets, one_place=one_place)


@dataclass(frozen=True)
class _Shipped:
    origin: Origin
    number: int
    tag: Tag
    spreading: Spreading | None

    def values(self) -> dict[str, Column]:
        """The columns of its rows."""
        origin = self.origin
        slots = [*self.tag.args, *([self.tag.value] if self.tag.value else [])]
        found = {slot: arg.column for slot, arg in zip(slots, origin.args, strict=True)}
        found |= {"t0": origin.start, "arrival": origin.arrival}
        return found if origin.end is None else found | {"t1": origin.end}

    def bucket(self, places: Places, buckets: int) -> Column:
        """The bucket of a key."""
        if not places:
            return F.lit(0)
        return F.pmod(F.hash(*(key_part(self.origin.args[place]) for place in places)), F.lit(buckets))

    def targets(self, buckets: int) -> Column:
        """All buckets of a row, as an array."""
        if self.spreading is None:
            return F.sequence(F.lit(0), F.lit(buckets - 1))
        return F.array_distinct(F.array(*(self.bucket(places, buckets) for places in self.spreading)))


def _narrowed(
    frame: DataFrame, shipped: Sequence[_Shipped], stage: int, wire: Wire, buckets: int, *, one_place: bool
) -> DataFrame:
    """Rows with the columns of the wire; a row that is nothing, or that something is wrong with, is left out."""
    values = [one.values() for one in shipped]
    conditions = [one.origin.chosen & one.origin.is_good for one in shipped]

    def chosen(columns: Sequence[Column | None]) -> Column:
        there = [(test, column) for test, column in zip(conditions, columns, strict=True) if column is not None]
        # Rows of one kind only have been kept already.
        return there[0][1] if there and len(shipped) == 1 else _first_of(there)

    kept = frame.filter(reduce(lambda one, other: one | other, conditions))
    columns = {name: chosen([value.get(name) for value in values]) for name in wire.schema.names}
    columns["tag"] = chosen([F.lit(one.number) for one in shipped])
    if wire.staged:
        columns |= {"stage": F.lit(stage), "q": F.lit(None)}
    if one_place:
        columns["bucket"] = chosen([one.bucket((one.spreading or ((),))[0], buckets) for one in shipped])
    else:
        columns["bucket"] = chosen([one.targets(buckets) for one in shipped])
        *others, targets = _typed(wire, columns, last="array<int>")
        return kept.select(*others, F.explode(targets).alias("bucket"))
    return kept.select(*_typed(wire, columns))


def _first_of(cases: Iterable[tuple[Column, Column]]) -> Column:
    """The value of the first case that is true."""
    found: Any = F
    for test, column in cases:
        found = found.when(test, column)
    return F.lit(None) if found is F else found


def _typed(wire: Wire, columns: Mapping[str, Column], last: str = "int") -> list[Column]:
    """The columns of the wire, the bucket last."""
    kinds = dict(item.strip().split(" ") for item in ddl(wire.out_schema).replace("`", "").split(","))
    kinds["bucket"] = last
    return [columns[name].cast(kinds[name]).alias(name) for name in wire.out_schema.names]


# What every bucket is told of the whole stream


def told(spark: SparkSession, feeds: Sequence[Feed], wire: Wire, buckets: int) -> DataFrame:
    """The reach of the stream, for every bucket, and how many rows it has, for the first."""
    whole = _reach(spark, feeds).crossJoin(spark.range(buckets).select(F.col("id").cast("int").alias("bucket")))

    def row(tag: int, first: Column, last: Column) -> Column:
        return F.struct(F.lit(tag).alias("tag"), first.alias("t0"), last.alias("t1"))

    rows = F.array(
        row(BUCKET, F.col("bucket").cast("bigint"), F.lit(0).cast("bigint")),
        row(MOMENTS, F.col("first"), F.col("last")),
        row(ARRIVALS, F.col("first_arrival"), F.col("last_arrival")),
        row(COUNTS, F.col("good"), F.col("bad")),
    )
    exploded = whole.select("bucket", F.explode(rows).alias("row")).select("bucket", "row.*")
    columns: dict[str, Any] = {name: F.lit(None) for name in wire.out_schema.names}
    columns |= {name: F.col(name) for name in ("tag", "t0", "t1", "bucket")}
    if wire.staged:
        columns["stage"] = F.lit(1)
    return exploded.select(*_typed(wire, columns))


def _reach(spark: SparkSession, feeds: Sequence[Feed]) -> DataFrame:
    names = ("first", "last", "first_arrival", "last_arrival", "good", "bad")
    found = [_feed_reach(feed) for feed in feeds]
    if not found:
        return spark.range(1).select(*(F.lit(None).cast("bigint").alias(name) for name in names))
    together = reduce(DataFrame.union, found)
    summed = (F.min, F.max, F.min, F.max, F.sum, F.sum)
    return together.agg(*(how(name).alias(name) for how, name in zip(summed, names, strict=True)))


def _feed_reach(feed: Feed) -> DataFrame:
    def where(column: str) -> Column:
        return _first_of((origin.chosen & origin.is_good, getattr(origin, column)) for origin in feed.origins)

    chosen = reduce(lambda one, other: one | other, (origin.chosen for origin in feed.origins))
    good = reduce(lambda one, other: one | other, (origin.chosen & origin.is_good for origin in feed.origins))
    return feed.frame.agg(
        F.min(where("start")).alias("first"),
        F.max(where("last")).alias("last"),
        F.min(where("arrival")).alias("first_arrival"),
        F.max(where("arrival")).alias("last_arrival"),
        F.count_if(good).alias("good"),
        F.count_if(chosen & ~good).alias("bad"),
    )
