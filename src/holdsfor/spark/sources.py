"""Converts DataFrames of events and input fluents to rows of a stage, projected and with their buckets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame, SparkSession

from holdsfor.compiler.analysis.alignment import Places, Spreading
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats import require_columns
from holdsfor.io.frames import entry_of
from holdsfor.io.layouts import Form, Layouts
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.spark.columns import Argument, argument, identifier, is_open, key_part, literal, time
from holdsfor.spark.connectors.payload import unreadable_column
from holdsfor.spark.job import Rows, SourceRows
from holdsfor.spark.nested import with_paths_of
from holdsfor.spark.stages import KeyLink, SparkStage
from holdsfor.spark.wire import (
    ARRIVALS,
    BUCKET,
    LOWEST_TAG,
    MOMENTS,
    SECOND,
    SIZES,
    TAG_BITS,
    Tag,
    Wire,
    sql_types,
)


@dataclass(frozen=True)
class Origin:
    """The rows of one event or input fluent in a DataFrame, as SQL expressions."""

    rows: SourceRows
    chosen: str
    start: str
    end: str | None
    arrival: str
    args: tuple[Argument, ...]
    good: str
    """Whether all columns have valid values."""

    @property
    def last(self) -> str:
        """The last time-point that a row mentions."""
        return self.start if self.end is None else f"greatest({self.start}, {self.end} - 1)"


@dataclass(frozen=True)
class SourceFrame:
    """A DataFrame with the origins of its rows; a row has at most one origin."""

    frame: DataFrame
    origins: tuple[Origin, ...]
    lost: str = "false"
    """Whether a row without an origin is malformed. One of all feeds of a DataFrame counts these."""


def feeds_of(
    events: DataFrame | Mapping[str, DataFrame],
    entities: Entities,
    mapping: TableMapping | None,
    unit: str,
    *,
    untyped: bool = False,
) -> list[SourceFrame]:
    """The feeds of the user's input: one DataFrame with a mapping, or one per event and input fluent."""
    layouts = Layouts(entities)
    if isinstance(events, Mapping):
        if mapping is not None:
            raise HoldsforError("a mapping describes one DataFrame; for a dict of them, name their columns instead")
        found = []
        for name, frame in events.items():
            source = f"events[{name!r}]"
            if layouts.knows(name):
                lost = unreadable_column(frame.columns)
                entries = [entry_of(source, name, [column for column in frame.columns if column != lost], layouts)]
                found += feeds_of_frame(frame, entries, layouts, unit, untyped=untyped)
        return found
    if mapping is None:
        raise HoldsforError("one DataFrame of events needs a mapping that says which columns are which event")
    known = [entry for entry in mapping.entries if entry.layout(layouts) is not None]
    return feeds_of_frame(with_paths_of(events, known), mapping.entries, layouts, mapping.unit, untyped=untyped)


def feeds_of_frame(
    frame: DataFrame, entries: Sequence[Entry], layouts: Layouts, unit: str, *, untyped: bool
) -> list[SourceFrame]:
    """Feeds that convert the rows of a DataFrame to events and input fluents, by mapping entries."""
    found = [_origin(frame, entry, layouts, unit, untyped=untyped) for entry in entries]
    origins = tuple(origin for origin in found if origin is not None)
    if not origins:
        return []
    is_one = len(origins) == 1 or _are_exclusive(entries)
    first, *others = [origins] if is_one else [(origin,) for origin in origins]
    return [SourceFrame(frame, first, _lost(frame, entries)), *(SourceFrame(frame, other) for other in others)]


def _lost(frame: DataFrame, entries: Sequence[Entry]) -> str:
    """Whether the text of a row could not be parsed into the columns that determine its origin."""
    text = unreadable_column(frame.columns)
    if text is None:
        return "false"
    known = any_of([_chosen(entry) for entry in entries])
    return f"({identifier(text)} is not null and not coalesce({known}, false))"


def _chosen(entry: Entry) -> str:
    """Whether a row belongs to an entry."""
    tests = [f"{identifier(name)} = {literal(wanted)}" for name, wanted in entry.where.items()]
    return " and ".join(tests) or "true"


def _are_exclusive(entries: Sequence[Entry]) -> bool:
    """Whether a single column decides between all entries, so that no row belongs to two."""
    shared = set.intersection(*(set(entry.where) for entry in entries))
    return any(len({repr(entry.where[name]) for entry in entries}) == len(entries) for name in shared)


def _origin(frame: DataFrame, entry: Entry, layouts: Layouts, unit: str, *, untyped: bool) -> Origin | None:
    layout = entry.layout(layouts)
    if layout is None:
        return None
    require_columns(entry.columns, frame.columns, entry.place)
    kinds = {field.name: field.dataType for field in frame.schema.fields}
    names = [*entry.args, *([entry.value] if entry.value else [])]
    args = [argument(name, kinds[name], untyped=untyped) for name in names]
    checks = [f"{arg.sql} is not null" for arg in args]
    if layout.form is not Form.EVENT and entry.value is None:
        args.append(Argument("s", "'true'"))
    classes = tuple(arg.slot for arg in args)
    arity = len(entry.args)
    rows = SourceRows(layout.symbol, layout.form, classes[:arity], classes[arity] if len(classes) > arity else None)
    start = time(entry.start, kinds[entry.start], unit)
    arrival = start if entry.arrival is None else time(entry.arrival, kinds[entry.arrival], unit)
    checks += [f"{moment} is not null" for moment in dict.fromkeys((start, arrival))]
    end = None
    if entry.end is not None:
        endless = is_open(entry.end, kinds[entry.end])
        end = f"case when not {endless} then {time(entry.end, kinds[entry.end], unit)} end"
        checks.append(f"({endless} or {end} > {start})")
    return Origin(rows, _chosen(entry), start, end, arrival, tuple(args), " and ".join(checks))


def any_of(tests: Sequence[str]) -> str:
    """An SQL condition for a disjunction."""
    return " or ".join(f"({test})" for test in tests)


def _tied(frame: DataFrame, shipped: ShippedOrigin, stage: int, wire: Wire, buckets: int, ties: DataFrame) -> DataFrame:
    """Rows of one kind, routed to the buckets of their connected components."""
    origin = shipped.origin
    values = {name: shipped.values().get(name, "null") for name in wire.schema.names}
    values |= {"stage": str(stage), "q": "null"} if wire.staged else {}
    parts = ", ".join(key_part(origin.args[places[0]]) for places in shipped.spreading or ())
    listed = frame.where(f"{origin.chosen} and {origin.good}").selectExpr(
        *(f"{sql} as {name}" for name, sql in values.items()), f"explode(array_distinct(array({parts}))) as part"
    )
    placed = listed.join(ties, "part", "left")
    columns = dict.fromkeys(wire.out_schema.names, "null") | {name: name for name in wire.schema.names}
    return _typed(placed, columns | {"bucket": f"pmod(hash(coalesce(first, part)), {buckets})"}, wire)


def linked_parts(feeds: Sequence[SourceFrame], link: KeyLink) -> Iterator[DataFrame]:
    """The key parts that the rows of an input relate."""
    for feed in feeds:
        for origin in feed.origins:
            if origin.rows.symbol == link.source:
                one, other = (key_part(origin.args[place]) for place in (link.one, link.other))
                kept = feed.frame.where(f"{origin.chosen} and {origin.good}")
                yield kept.selectExpr(f"{one} as one", f"{other} as other").distinct()


def first_true(cases: Sequence[tuple[str, str | None]]) -> str:
    """The value of the first true case; no case distinction if all values are equal."""
    values = {value for _, value in cases}
    if len(values) == 1:
        return values.pop() or "null"
    branches = " ".join(f"when {test} then {value}" for test, value in cases if value is not None)
    return f"case {branches} end"


# Rows of a stage


def stage_rows(
    feeds: Sequence[SourceFrame],
    sources: Sequence[SourceRows],
    stage: SparkStage,
    rows: Rows,
    buckets: int,
    ties: DataFrame | None = None,
) -> Iterator[DataFrame]:
    """The input rows of a stage, as one narrow table per DataFrame.

    `ties` maps key parts to their representatives (`part`, `first`), if the stage has tied keys.
    """
    deliveries = {delivery.symbol: delivery for delivery in stage.deliveries}
    place = 0
    for feed in feeds:
        used: dict[bool, list[ShippedOrigin]] = {}
        for origin in feed.origins:
            found = rows.inputs.get((stage.number, place))
            if found is not None:
                delivery = deliveries[sources[place].symbol]
                way = delivery.spreading
                one_place = way is not None and (len(way) == 1 or ties is not None)
                shipped = ShippedOrigin(origin, *found, way, delivery.lines, stage.sides)
                used.setdefault(one_place, []).append(shipped)
            place += 1
        for one_place, listed in used.items():
            if ties is not None and all(one.spreading is not None for one in listed):
                yield from (_tied(feed.frame, one, stage.number, rows.wire, buckets, ties) for one in listed)
            else:
                yield _narrowed(feed.frame, listed, stage.number, rows.wire, buckets, one_place=one_place)


@dataclass(frozen=True)
class ShippedOrigin:
    """An origin as it is sent to workers."""

    origin: Origin
    number: int
    tag: Tag
    spreading: Spreading | None
    lines: tuple[tuple[int, tuple[int, ...]], ...] = ()
    sides: tuple[int, ...] = ()

    def values(self) -> dict[str, str]:
        """The columns of its rows."""
        origin = self.origin
        slots = [*self.tag.args, *([self.tag.value] if self.tag.value else [])]
        found = {slot: arg.sql for slot, arg in zip(slots, origin.args, strict=True)}
        found |= {"t0": origin.start, "arrival": origin.arrival, "tag": str(self.number)}
        return found if origin.end is None else found | {"t1": origin.end}

    def bucket(self, places: Places, buckets: int) -> str:
        """The bucket of a key."""
        return bucket_of(self.origin, places, buckets, self.sides)

    def targets(self, buckets: int) -> str:
        """All buckets of a row, as an array."""
        if self.lines:
            lines = [
                line_of(_hash(self.origin, (place,)), part, self.sides) for place, parts in self.lines for part in parts
            ]
            return f"array_distinct(concat({', '.join(lines)}))"
        if self.spreading is None:
            return f"sequence(0, {buckets - 1})"
        return f"array_distinct(array({', '.join(self.bucket(places, buckets) for places in self.spreading)}))"


def bucket_of(origin: Origin, places: Places, buckets: int, sides: Sequence[int] = ()) -> str:
    """The bucket of the key at some places of a row; with sides, the cell in a grid of buckets."""
    if not places:
        return "0"
    if not sides:
        return f"pmod({_hash(origin, places)}, {buckets})"
    found = "0"
    for place, side in zip(places, sides, strict=True):
        found = f"({found} * {side} + pmod({_hash(origin, (place,))}, {side}))"
    return found


def line_of(hashed: str, part: int, sides: Sequence[int]) -> str:
    """The grid cells of all keys with this value at one of their parts, as an array."""
    after, before = math.prod(sides[part + 1 :]), math.prod(sides[:part])
    cells = [outer * sides[part] * after + inner for outer in range(before) for inner in range(after)]
    listed = ", ".join(map(str, cells))
    return f"transform(array({listed}), cell -> cast(cell + pmod({hashed}, {sides[part]}) * {after} as int))"


def _hash(origin: Origin, places: Places) -> str:
    return f"hash({', '.join(key_part(origin.args[place]) for place in places)})"


def _narrowed(
    frame: DataFrame, shipped: Sequence[ShippedOrigin], stage: int, wire: Wire, buckets: int, *, one_place: bool
) -> DataFrame:
    """Valid rows with the columns of the wire."""
    kept = frame.where(_usable([one.origin for one in shipped]))
    values = [one.values() for one in shipped]
    # Kept rows are valid and have exactly one origin.
    tests = [one.origin.chosen for one in shipped]

    def column(found: Sequence[str | None]) -> str:
        return first_true(list(zip(tests, found, strict=True)))

    columns = {name: column([value.get(name) for value in values]) for name in wire.schema.names}
    if wire.staged:
        columns |= {"stage": str(stage), "q": "null"}
    if one_place:
        columns["bucket"] = column([one.bucket((one.spreading or ((),))[0], buckets) for one in shipped])
    else:
        columns["bucket"] = f"explode({column([one.targets(buckets) for one in shipped])})"
    return _typed(kept, columns, wire)


def _typed(frame: DataFrame, columns: Mapping[str, str], wire: Wire) -> DataFrame:
    kinds = sql_types(wire.out_schema)
    cast = {
        name: sql if sql.startswith("explode") else f"cast({sql} as {kinds[name]})" for name, sql in columns.items()
    }
    return frame.selectExpr(*(f"{cast[name]} as {name}" for name in wire.out_schema.names))


# The shuffle dominates the cost, so the number of its columns is minimal.
BUCKET_OF_PACKED = f"shiftright(tag, {TAG_BITS})"
TAG_OF_PACKED = f"((tag & {2**TAG_BITS - 1}) - {LOWEST_TAG})"


def packed(frame: DataFrame, rows: Rows) -> DataFrame:
    """Rows with tag and bucket in one number, and without ends if no row has one."""
    left_out = ("tag", "bucket") if rows.has_ends else ("tag", "bucket", "t1")
    both = f"cast(shiftleft(bucket, {TAG_BITS}) + tag + {LOWEST_TAG} as int) as tag"
    return frame.selectExpr(both, *(name for name in frame.columns if name not in left_out))


# Information about the whole stream for every bucket

_REACH = {"first": "min", "last": "max", "first_arrival": "min", "last_arrival": "max"}
_SIZES = {"good": "sum", "bad": "sum"}


def stream_facts(
    spark: SparkSession, feeds: Sequence[SourceFrame], rows: Rows, buckets: int, *, counted: bool = True
) -> DataFrame:
    """The time range of the stream, for every bucket; if `counted`, also the number of rows, for the first bucket."""
    wire = rows.wire
    pairs = {
        BUCKET: ("cast(bucket as bigint)", "0L"),
        MOMENTS: ("first", "last"),
        ARRIVALS: ("first_arrival", "last_arrival"),
    }
    if counted:
        pairs[SIZES] = ("good", "bad")
    if rows.has_ends:
        facts = [f"struct({tag} as tag, {one} as t0, {two} as t1)" for tag, (one, two) in pairs.items()]
    else:
        facts = [
            f"struct({tag - place * SECOND} as tag, {fact} as t0, 0L as t1)"
            for tag, both in pairs.items()
            for place, fact in enumerate(both)
        ]
    everywhere = reach_of_feeds(spark, feeds, counted=counted).selectExpr(
        "*", f"explode(sequence(0, {buckets - 1})) as bucket"
    )
    listed = everywhere.selectExpr("bucket", f"inline(array({', '.join(facts)}))")
    columns = dict.fromkeys(wire.out_schema.names, "null") | {name: name for name in ("tag", "t0", "t1", "bucket")}
    return _typed(listed, columns | ({"stage": "1"} if wire.staged else {}), wire)


def reach_of_feeds(spark: SparkSession, feeds: Sequence[SourceFrame], *, counted: bool) -> DataFrame:
    """Counts and extreme times of all feeds, in one row."""
    facts = _REACH | _SIZES if counted else _REACH
    if not feeds:
        return spark.range(1).selectExpr(*(f"cast(null as bigint) as {name}" for name in facts))
    reaches = [_counted_reach(feed) if counted else _feed_reach(feed) for feed in feeds]
    if len(reaches) == 1:
        return reaches[0]
    together = reduce(DataFrame.unionAll, reaches)
    return together.selectExpr(*(f"{how}({name}) as {name}" for name, how in facts.items()))


def _moments(feed: SourceFrame) -> dict[str, str]:
    """The first and last time-points of rows, and of their arrivals."""
    return {
        name: first_true([(origin.chosen, getattr(origin, name)) for origin in feed.origins])
        for name in ("start", "last", "arrival")
    }


def _feed_reach(feed: SourceFrame) -> DataFrame:
    """The time range of a DataFrame. This pass over the input computes as little as possible."""
    rows = feed.frame.where(_usable(feed.origins)).selectExpr(
        *(f"{sql} as {name}" for name, sql in _moments(feed).items())
    )
    return rows.selectExpr(
        "min(start) as first", "max(last) as last", "min(arrival) as first_arrival", "max(arrival) as last_arrival"
    )


def _counted_reach(feed: SourceFrame) -> DataFrame:
    """The time range, and the numbers of valid and malformed rows."""
    # Common conditions of all rows are computed once, before their several uses.
    rows = feed.frame.where(any_of([*(origin.chosen for origin in feed.origins), feed.lost])).selectExpr(
        f"coalesce({_usable(feed.origins)}, false) as good",
        *(f"{sql} as {name}" for name, sql in _moments(feed).items()),
    )
    return rows.selectExpr(
        "min(start) filter (where good) as first",
        "max(last) filter (where good) as last",
        "min(arrival) filter (where good) as first_arrival",
        "max(arrival) filter (where good) as last_arrival",
        "count_if(good) as good",
        "count_if(not good) as bad",
    )


def _usable(origins: Sequence[Origin]) -> str:
    """Whether a row has an origin and is valid; conditions common to several kinds are evaluated once."""
    chosen: dict[str, list[str]] = {}
    for origin in origins:
        chosen.setdefault(origin.good, []).append(origin.chosen)
    return any_of([f"({any_of(tests)}) and {good}" for good, tests in chosen.items()])
