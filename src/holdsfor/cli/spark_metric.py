"""The commands for metric programs on Spark."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from holdsfor.cli.columns import folders, places, write_tables
from holdsfor.cli.common import friendly_errors
from holdsfor.cli.metric import MetricOptions, load_metric_files, parsed_delay
from holdsfor.cli.options import Format, counted, require_drawable, style_of
from holdsfor.cli.spark import spark_session
from holdsfor.cli.times import Given, declared_unit, exact_length, exact_point
from holdsfor.compiler.analysis.argument_names import first_variables, named_columns
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    import pyarrow as pa


def shown_metric_stages(files: Sequence[Path], *, as_json: bool) -> str:
    """The stages of a metric program."""
    from holdsfor.compiler.metric.describe_stages import metric_stages_data, metric_stages_text
    from holdsfor.compiler.metric.stages import metric_stages

    stages = metric_stages(load_metric_files(files).plan)
    if as_json:
        return json.dumps(metric_stages_data(stages), indent=2, ensure_ascii=False)
    return metric_stages_text(stages)


def run_metric_on_spark(
    options: MetricOptions, *, not_for_spark: Sequence[str], master: str, partitions: int | None, quiet: bool = False
) -> None:
    """Find the maximal intervals of the facts that a metric program derives."""
    with friendly_errors():
        if not_for_spark:
            raise HoldsforError(f"{', '.join(not_for_spark)} cannot be used with a .dmtl program on Spark")
        require_drawable(options.timeline)
        style = style_of(options.style, options.output)
        reasoner = load_metric_files(options.rules)
        plan = reasoner.plan_of(options.query or None)
        predicates = sorted({relation.name for relation in plan.outputs})
        where = places(predicates, options.output, style, "--output", "--query NAME") if options.columns else {}
        spark = spark_session(master)
        from pyspark.sql import Observation

        from holdsfor.io.mapping import read_mapping
        from holdsfor.io.writers import writing
        from holdsfor.spark import materialise
        from holdsfor.spark.input_frames import have_dates
        from holdsfor.spark.metric.batch import known_metric_scale
        from holdsfor.spark.streaming.reasons import spark_errors

        facts, untyped = _facts(spark, options)
        scale = known_metric_scale(reasoner.time_scale, facts, options.mapping, options.unit)
        if scale is None and options.mapping is not None and have_dates([facts], read_mapping(options.mapping)):
            scale = TimeScale(read_mapping(options.mapping).unit)
        unit = None if scale is None else scale.unit
        observation = Observation()
        with _warnings_shown(), spark_errors("the facts cannot be read"):
            found = materialise(
                reasoner,
                facts,
                start=exact_point("--start", options.start, unit),
                end=exact_point("--end", options.end, unit),
                query=options.query or None,
                mapping=options.mapping,
                unit=unit,
                exact=True,
                points=True,
                quoted=True,
                untyped=untyped,
                partitions=partitions,
                observation=observation,
            )
        with spark_errors("the program cannot be run"):
            table = _sorted(found.toArrow())
        counts = observation.get
        spark.stop()
        _require_some_read(options, counts)
        table = _shown(table, style, scale)
        if options.columns:
            write_tables(((name, _with_arguments(table, name, plan)) for name in predicates), where, style)
        else:
            with writing(style, options.output, table.schema) as writer:
                writer.write(table)
    if quiet:
        return
    typer.echo(
        f"{counted(counts['read'], 'fact')} read, {counts['unknown']} of names no rule knows, "
        f"{counts['malformed']} malformed",
        err=True,
    )
    typer.echo(counted(counts["intervals"], "interval"), err=True)


def _facts(spark: Any, options: MetricOptions) -> tuple[Any, bool]:
    """Facts from files of text, or tables with a mapping; and whether the tables are untyped."""
    from holdsfor.io.mapping import read_mapping
    from holdsfor.spark.files import located, read_table, spark_files, style_of

    mapping = None if options.mapping is None else read_mapping(options.mapping)
    files = spark_files(options.events, mapping)
    if mapping is None:
        if not files:
            return spark.createDataFrame([], "value string"), False
        return list(map(located, files)), False
    styles = {style_of(path, mapping) for path in files}
    if len(styles) != 1:
        raise HoldsforError("with --engine spark, all files of facts must have one format")
    style = styles.pop()
    return read_table(spark, style, list(map(located, files)), mapping), style == "csv"


def _require_some_read(options: MetricOptions, counts: Mapping[str, int]) -> None:
    """Raises HoldsforError for files without facts."""
    from holdsfor.io.format_detection import METRIC_FACTS, require_some_read

    require_some_read(
        options.events,
        read=counts["read"] + counts["unknown"],
        unknown=(),
        malformed=[f"{counts['malformed']} malformed rows"] if counts["malformed"] else [],
        mapping=None if options.mapping is None else str(options.mapping),
        expected=METRIC_FACTS,
        rules=options.rules,
    )


def _sorted(table: pa.Table) -> pa.Table:
    """Results in order, with their arguments joined."""
    import pyarrow as pa
    import pyarrow.compute as pc

    joined = pc.binary_join(table["args"].combine_chunks(), "|")
    table = table.set_column(1, "args", joined)
    before_all = Fraction(-(2**80))
    keys = [
        (name, args, before_all if start is None else Fraction(start))
        for name, args, start in zip(*(table[name].to_pylist() for name in ("predicate", "args", "start")), strict=True)
    ]
    return table.take(pa.array(sorted(range(len(keys)), key=keys.__getitem__), pa.int64()))


def _with_arguments(table: pa.Table, predicate: str, plan: MetricPlan) -> pa.Table:
    """The facts of a predicate, with a column for each argument."""
    import pyarrow.compute as pc

    from holdsfor.frontend.dmtl.constants import read_arguments
    from holdsfor.io.arguments import typed_column

    table = table.filter(pc.equal(table["predicate"], predicate))
    arities = [relation.arity for relation in plan.outputs if relation.name == predicate]
    titles = named_columns(first_variables(plan.variables, predicate, max(arities)), table.column_names)
    rows = [read_arguments(text) for text in table["args"].to_pylist()]
    for place, title in enumerate(titles):
        table = table.append_column(title, typed_column([row[place] if place < len(row) else None for row in rows]))
    return table


def _shown(table: pa.Table, style: str, scale: TimeScale | None) -> pa.Table:
    """Results with times in the format of a local run: exact text, or numbers and timestamps."""
    import pyarrow as pa

    from holdsfor.columns.metric.report import EXACT, ROUNDED
    from holdsfor.io.metric_scaled import moment_text

    if scale is None:
        is_text = style in (Format.CSV, Format.TABLE)
        return table.cast(EXACT) if is_text else _times(table, float, pa.float64()).cast(ROUNDED)
    if style != Format.PARQUET:
        return _times(table, lambda time: moment_text(time, scale), pa.string()).cast(EXACT)
    kind = pa.timestamp("ns", scale.zone)
    schema = pa.schema([one.with_type(kind) if one.name in ("start", "end") else one for one in EXACT])
    return _times(table, lambda time: int(time * scale.size // 1), kind).cast(schema)


def _times(table: pa.Table, shown: Callable[[Fraction], Any], kind: pa.DataType) -> pa.Table:
    """A table with its times, which are exact text, converted."""
    import pyarrow as pa

    for name in ("start", "end"):
        times = [None if text is None else shown(Fraction(text)) for text in table[name].to_pylist()]
        table = table.set_column(table.column_names.index(name), name, pa.array(times, kind))
    return table


@contextmanager
def _warnings_shown() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        typer.secho(f"warning: {warning.message}", err=True, fg=typer.colors.YELLOW)


@dataclass(frozen=True)
class StreamOptions:
    """The options of a stream."""

    rules: Sequence[Path]
    source: str
    path: str | None
    schema: str | None
    options: dict[str, str]
    mapping: Path | None
    lateness: Given
    delay: str | None
    query: Sequence[str]
    checkpoint: str
    sink: str
    side: str | None
    style: str
    trigger: dict[str, bool] | str | None
    buckets: int | None
    master: str
    max_ahead: float | str | None = None
    columns: bool = False
    unit: str | None = None


def stream_metric(options: StreamOptions, *, not_for_metric: Sequence[str]) -> None:
    """Evaluates a stream of facts and writes its changelog."""
    with friendly_errors():
        if not_for_metric:
            raise HoldsforError(f"{', '.join(not_for_metric)} cannot be used with a .dmtl program")
        reasoner = load_metric_files(options.rules)
        reasoner.require_no_errors()
        spark = spark_session(options.master)
        from holdsfor.spark import materialise_stream
        from holdsfor.spark.streaming.opening import opened, wait_for
        from holdsfor.spark.streaming.reasons import spark_errors

        unit = declared_unit(reasoner.time_scale, options.mapping, options.unit)
        ahead = options.max_ahead
        facts, _ = opened(spark, options.source, options.path, options.schema, dict(options.options))
        with _warnings_shown():
            made = materialise_stream(
                reasoner,
                facts,
                lateness=exact_length("--lateness", options.lateness, unit) or 0,
                delay=parsed_delay(options.delay, unit),
                query=options.query or None,
                mapping=options.mapping,
                unit=unit,
                untyped=options.source == "csv",
                buckets=options.buckets,
                max_ahead=exact_length("--max-ahead", ahead, unit) if isinstance(ahead, str) else ahead,
            )
        with spark_errors("the stream cannot be started"):
            predicates = sorted({relation.name for relation in made.plan.outputs})
            query = made.start(
                folders(options.sink, predicates) if options.columns else options.sink,
                checkpoint=options.checkpoint,
                trigger=options.trigger,
                side=options.side,
                on_report=lambda report: typer.echo(str(report)),
                style=options.style,
            )
        wait_for(query)
        spark.stop()
