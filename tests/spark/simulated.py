"""The stages of a distributed run, one bucket after the other in this process: what Spark does, without Spark."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary, Value, value_of
from holdsfor.columns.kernels import EMPTY
from holdsfor.columns.stream import from_records
from holdsfor.compiler.analysis.alignment import Spreading
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.io.layouts import Form
from holdsfor.loading import Reasoner
from holdsfor.reference import EventRow, IntervalRow, Record
from holdsfor.reference.history import Occurrence
from holdsfor.spark.engine_task import EngineTask
from holdsfor.spark.job import Job, Rows, SourceRows, Span, make_job, plan_rows
from holdsfor.spark.keys import TiedParts, buckets, connected, parts
from holdsfor.spark.stages import StageInput, StagePlan, bucket_count, fact_parts, physical_stages
from holdsfor.spark.wire import ARRIVALS, BUCKET, COUNTS, DELIVERY, DERIVED, MOMENTS, RESULT, SIZES
from holdsfor.syntax.numbers import number_text
from holdsfor.syntax.terms import arguments, functor
from tests.strategies.engine_runs import Rows as Reported

Row = dict[str, object]


def on_buckets(
    reasoner: Reasoner, records: list[Record], span: Span, count: int, rows_at_once: int | None = None
) -> Reported:
    """The rows that a run over so many buckets reports."""
    return _reported(_tables(reasoner, records, span, count, rows_at_once))


def _tables(
    reasoner: Reasoner, records: list[Record], span: Span, count: int, rows_at_once: int | None
) -> list[pa.Table]:
    count = bucket_count(reasoner.plan, count)
    stages = physical_stages(reasoner.plan, count)
    sources, values = _sources(records, reasoner)
    rows = plan_rows(stages, sources, arrivals=not span.is_whole)
    job = make_job(
        stages,
        rows,
        buckets=count,
        span=span,
        derived_events=True,
        rows_at_once=rows_at_once,
        ties=_ties(stages, sources, values),
    )
    waiting = [_told(reasoner, records, job)]
    for number in range(1, job.last + 1):
        waiting.append(_input(stages, rows, number, sources, values, job))
        task = EngineTask(job, number)
        waiting = _passed(task, pa.concat_tables(waiting), count)
    return waiting


def _sources(
    records: Iterable[Record], reasoner: Reasoner
) -> tuple[list[SourceRows], list[list[tuple[Row, list[Value]]]]]:
    found: dict[SourceRows, list[tuple[Row, list[Value]]]] = {}
    for record in records:
        term = record.event if isinstance(record, Occurrence) else record.fluent
        kind = EntityKind.EVENT if isinstance(record, Occurrence) else EntityKind.FLUENT
        symbol = Symbol(kind, *(functor(term) or ("", 0)))
        if symbol not in reasoner.analysis.entities.table:
            continue
        args = [value_of(arg) for arg in arguments(term)]
        if isinstance(record, Occurrence):
            form = Form.EVENT
            row: Row = {"t0": record.time, "arrival": record.arrival}
        else:
            form = Form.POINT if record.is_point else Form.INTERVAL
            end = None if math.isinf(record.end) else int(record.end)
            row = {"t0": record.start, "t1": end, "arrival": record.arrival}
            args.append(value_of(record.value))
        classes = tuple(_class(value) for value in args)
        key = SourceRows(symbol, form, classes[: symbol.arity], None if form is Form.EVENT else classes[-1])
        found.setdefault(key, []).append((row, args))
    return list(found), list(found.values())


def _class(value: Value) -> str:
    if isinstance(value, int):
        return "l" if -(2**63) <= value < 2**63 else "u"
    return "s" if isinstance(value, str) else "d"


def _input(
    stages: StagePlan,
    rows: Rows,
    number: int,
    sources: list[SourceRows],
    values: list[list[tuple[Row, list[Value]]]],
    job: Job,
) -> pa.Table:
    made: list[Row] = []
    this = stages.stages[number - 1]
    deliveries = {delivery.symbol: delivery for delivery in this.deliveries}
    for (stage, place), (tag_number, tag) in rows.inputs.items():
        if stage != number:
            continue
        slots = [*tag.args, *([tag.value] if tag.value else [])]
        for times, args in values[place]:
            row = {name: time for name, time in times.items() if name in job.wire.schema.names}
            row |= {
                slot: number_text(arg) if slot[0] == "u" and isinstance(arg, int) else arg
                for slot, arg in zip(slots, args, strict=True)
            }
            delivery = deliveries[sources[place].symbol]
            targets = _targets(delivery.spreading, args, job, number)
            if this.sides:
                targets = _cells(delivery, args, this.sides)
            for bucket in targets:
                made.append(row | {"tag": tag_number, "stage": number, "bucket": bucket})
    return pa.Table.from_pylist(made, schema=job.wire.out_schema)


def _targets(spreading: Spreading | None, args: list[Value], job: Job, number: int) -> Iterable[int]:
    if spreading is None:
        return range(job.buckets)
    ties = job.stages[number - 1].ties or TiedParts(EMPTY, EMPTY)
    keys = [[ties.of(np.array([part])) for part in parts(args[place] for place in places)] for places in spreading]
    return {int(buckets(key, 1, job.buckets)[0]) for key in keys}


def _cells(delivery: StageInput, args: list[Value], sides: tuple[int, ...]) -> Iterable[int]:
    """The cells of a grid of buckets that a row goes to: all are looked at, with their places on each side."""
    cells = list(product(*map(range, sides)))

    def place(value: Value, part: int) -> int:
        return int(buckets([parts([value])], 1, sides[part])[0])

    if delivery.lines:
        lines = {(part, place(args[column], part)) for column, of in delivery.lines for part in of}
        return [number for number, cell in enumerate(cells) if lines & set(enumerate(cell))]
    if delivery.spreading is None:
        return range(len(cells))
    keys = {tuple(place(args[one], part) for part, one in enumerate(places)) for places in delivery.spreading}
    return [number for number, cell in enumerate(cells) if cell in keys]


def _ties(
    stages: StagePlan, sources: list[SourceRows], values: list[list[tuple[Row, list[Value]]]]
) -> dict[int, TiedParts]:
    found = {}
    for stage in stages.stages:
        pairs = [(EMPTY, EMPTY)]
        for link in stage.links:
            if not isinstance(link.source, Symbol):
                pairs.append(fact_parts(stages.plan, link))
                continue
            rows = [
                args for s, listed in zip(sources, values, strict=True) if s.symbol == link.source for _, args in listed
            ]
            pairs.append((parts(args[link.one] for args in rows), parts(args[link.other] for args in rows)))
        if stage.links:
            found[stage.number] = connected(*(np.concatenate(columns) for columns in zip(*pairs, strict=True)))
    return found


def _told(reasoner: Reasoner, records: list[Record], job: Job) -> pa.Table:
    stream = from_records(records, reasoner.analysis.entities, Dictionary())
    made: list[Row] = []
    for bucket in range(job.buckets):
        for tag, (first, last) in (
            (MOMENTS, stream.moments()),
            (ARRIVALS, stream.arrivals()),
            (BUCKET, (bucket, 0)),
            (SIZES, (len(records), 0)),
        ):
            made.append({"tag": tag, "t0": first, "t1": last, "stage": 1, "bucket": bucket})
    return pa.Table.from_pylist(made, schema=job.wire.out_schema)


def _passed(task: EngineTask, table: pa.Table, count: int) -> list[pa.Table]:
    """The output of a stage. The rows of a bucket come in any order."""
    found = [task.out_schema.empty_table()]
    for bucket in range(count):
        rows = np.flatnonzero(table["bucket"].to_numpy() == bucket)
        random.Random(bucket).shuffle(rows)
        mine = table.take(pa.array(rows)).drop_columns(["bucket"])
        if task.job.rows_at_once is not None:
            is_row = pc.or_(pc.greater(mine["tag"], MOMENTS), pc.equal(mine["tag"], DELIVERY))
            mine = mine.append_column("#row", is_row)
            mine = mine.sort_by([("#row", "ascending"), ("t0", "ascending")]).drop_columns(["#row"])
        found += [pa.Table.from_batches([batch]) for batch in task(mine.to_batches(max_chunksize=7))]
    return found


def conflicts_on_buckets(reasoner: Reasoner, records: list[Record], count: int) -> int:
    """How many conflicts all buckets count together."""
    listed = pa.concat_tables(_tables(reasoner, records, Span(), count, None)).to_pylist()
    return sum(row["start"] for row in listed if row["tag"] == COUNTS and row["fluent"] == "conflicts")


def _reported(tables: list[pa.Table]) -> Reported:
    intervals, events = [], []
    for row in pa.concat_tables(tables).to_pylist():
        if row["tag"] == RESULT:
            start = -math.inf if row["start"] is None else row["start"]
            end = math.inf if row["end"] is None else row["end"]
            intervals.append(IntervalRow(row["query_time"], row["fluent"], row["value"], start, end))
        elif row["tag"] == DERIVED:
            events.append(EventRow(row["query_time"], row["fluent"], row["start"]))
    return Reported(tuple(sorted(intervals)), tuple(sorted(events)))
