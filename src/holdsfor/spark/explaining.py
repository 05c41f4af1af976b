"""Explains situations over DataFrames: fetches the rows for one question and explains them on the driver.

The rules alone determine what the question needs. Its keys become filters on the columns of the DataFrames, which Spark
pushes down to the files if it can. Only the remaining rows reach the driver.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
from pyspark.sql import DataFrame, SparkSession

from holdsfor.columns.dictionary import Dictionary, Value
from holdsfor.columns.stream import EventColumns, Stream
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.asking import Explainer
from holdsfor.explain.demand import Demand, Pattern, demand_of
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.known import Frame
from holdsfor.explain.limits import DEPTH
from holdsfor.explain.questions import read_question
from holdsfor.io.builder import Builder
from holdsfor.io.formats import table_part
from holdsfor.io.frames import entry_of
from holdsfor.io.layouts import Form, Layouts
from holdsfor.io.mapping import TableMapping
from holdsfor.io.tables import TableReader
from holdsfor.loading import Background
from holdsfor.recognition import MappingInput, plan_windows
from holdsfor.spark.batch import Events, Rules, read_input, session_of, unit_in
from holdsfor.spark.columns import Argument, key_part, literal
from holdsfor.spark.keys import part
from holdsfor.spark.sources import Origin, SourceFrame, reach_of_feeds
from holdsfor.times import DurationInput, TimeInput, span_in_points, time_point, time_point_or_none


def explain(
    program: Rules,
    events: Events,
    question: str,
    at: TimeInput,
    *,
    mapping: MappingInput | TableMapping = None,
    background: Background | None = None,
    window: DurationInput | None = None,
    step: DurationInput | None = None,
    start: TimeInput | None = None,
    end: TimeInput | None = None,
    unit: str | None = None,
    query_time: TimeInput | None = None,
    depth: int | None = DEPTH,
    untyped: bool = False,
) -> Explanation:
    """Explains why something holds at a time-point, or why not. Accepts the same events as `recognise`."""
    plan, feeds, scale = read_input(program, events, mapping, background, unit, None, untyped=untyped)
    known = unit_in(scale)
    span = span_in_points((window, step, start, end), known)
    point, query = time_point(at, known, "at"), time_point_or_none(query_time, known, "query_time")
    parsed = read_question(question, plan.analysis.entities)
    demand = demand_of(plan, parsed.symbol, parsed.term)
    reach = reach_of(session_of(events), feeds)
    windows = plan_windows(reach, *span)
    stream, dictionary = fetched(plan, feeds, demand)
    found = Explainer(plan, stream, dictionary, frame=Frame.of(reach, windows), time_scale=scale)
    return found.explain(question, point, query_time=query, depth=depth)


def reach_of(spark: SparkSession, feeds: Sequence[SourceFrame]) -> Stream:
    """The first and last time-points and arrivals of all rows, as a stream of two rows."""
    row = reach_of_feeds(spark, feeds, counted=False).first()
    if row is None or row["first"] is None:
        return Stream()
    times, arrivals = (row["first"], row["last"]), (row["first_arrival"], row["last_arrival"])
    ends = EventColumns((), np.array(times, np.int64), np.array(arrivals, np.int64))
    return Stream({Symbol(EntityKind.EVENT, "", 0): ends})


def fetched(plan: Plan, feeds: Sequence[SourceFrame], demand: Demand) -> tuple[Stream, Dictionary]:
    """The rows that a demand needs."""
    layouts = Layouts(plan.analysis.entities)
    builder = Builder()
    reader = TableReader(layouts, builder, "s")
    for frame, origin in wanted_rows(feeds, demand):
        name = origin.rows.symbol.name
        columns = frame.columns
        part = table_part(frame.toArrow())
        loose = [f"argument {place}" for place, arg in enumerate(origin.args) if arg.slot == "u"]
        part = replace(part, untyped=frozenset(one for one in loose if one in columns))
        if len(part.table):
            reader.read(part, [entry_of(f"events[{name!r}]", name, columns, layouts)], name)
    dictionary = Dictionary()
    return builder.finish(dictionary).stream, dictionary


def wanted_rows(feeds: Sequence[SourceFrame], demand: Demand) -> Iterator[tuple[DataFrame, Origin]]:
    """The rows of each event and input fluent that a demand needs, as DataFrames."""
    for feed in feeds:
        for origin in feed.origins:
            patterns = demand.patterns.get(origin.rows.symbol)
            if patterns is None:
                continue
            rows = feed.frame.where(origin.chosen).where(key_filter(origin, patterns)).where(origin.good)
            yield rows.selectExpr(*_columns(origin)), origin


def _columns(origin: Origin) -> Iterator[str]:
    is_event = origin.rows.form is Form.EVENT
    is_point = origin.rows.form is Form.POINT
    yield f"{origin.start} as `{'time' if is_event or is_point else 'start'}`"
    if origin.rows.form is Form.INTERVAL:
        yield f"{origin.end} as `end`"
    arity = origin.rows.symbol.arity
    if not is_event:
        yield f"{origin.args[arity].sql} as `value`"
    yield f"{origin.arrival} as `arrival`"
    for place, arg in enumerate(origin.args[:arity]):
        yield f"{arg.sql} as `argument {place}`"


def key_filter(origin: Origin, patterns: Collection[Pattern]) -> str:
    """An SQL condition for the rows that match one of the patterns.

    >>> from holdsfor.spark.columns import Argument
    >>> _same(Argument("s", "`vessel`"), "v1")
    "`vessel` = 'v1'"
    """
    tests = []
    for pattern in sorted(patterns, key=repr):
        pairs = zip(origin.args, pattern, strict=False)
        tests.append(" and ".join(_same(arg, value) for arg, value in pairs if value is not None) or "true")
    return " or ".join(f"({test})" for test in tests) or "false"


def _same(argument: Argument, value: Value) -> str:
    """Whether an argument has a value; text never equals a number."""
    is_text = isinstance(value, str)
    if not isinstance(value, str | int | float):
        raise HoldsforError(f"{value} is neither a number nor text; tables have nothing else")
    match argument.slot:
        case "u" if not is_text:
            # Other numbers may have the same part. This can only give additional rows; no row is missing.
            return f"{key_part(argument)} = {part(value)}L"
        case "l" | "d" if is_text:
            return "false"
        case "l" if part(value) != value:
            return "false"
        case "s" if not is_text:
            return "false"
        case _:
            return f"{argument.sql} = {literal(value)}"
