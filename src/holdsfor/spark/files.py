"""Files of events as DataFrames: tables with a mapping, and RTEC's stream format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from holdsfor.compiler.analysis.entities import Entities, EntityKind
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats import format_of
from holdsfor.io.layouts import FIELDS_BEFORE_ARGUMENTS, Form, Layouts
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.io.sources import STANDARD_INPUT
from holdsfor.spark.connectors.payload import MALFORMED
from holdsfor.spark.sources import Feed, feeds_of


def file_feeds(
    spark: SparkSession, paths: Sequence[str | Path], entities: Entities, mapping: TableMapping | None
) -> list[Feed]:
    """What files have, as a mapping or RTEC's format says it."""
    if STANDARD_INPUT in map(str, paths):
        raise HoldsforError("Spark reads files, not standard input")
    for path in paths:
        if not Path(path).exists():
            raise HoldsforError(f"cannot read {path}: there is no such file")
    if mapping is None:
        return _rtec(spark, [str(path) for path in paths], entities)
    groups: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for path in paths:
        places = tuple(mapping.entries.index(entry) for entry in mapping.of_file(path))
        groups.setdefault((mapping.format or format_of(path), places), []).append(str(path))
    found = []
    for (style, places), listed in groups.items():
        part = replace(mapping, entries=tuple(mapping.entries[place] for place in places))
        frame = read_table(spark, style, listed, part)
        found += feeds_of(frame, entities, part, mapping.unit, untyped=style == "csv")
    return found


def read_table(spark: SparkSession, style: str, paths: list[str], mapping: TableMapping) -> DataFrame:
    """Files that a mapping describes."""
    if style == "parquet":
        return spark.read.parquet(*paths)
    if style == "jsonl":
        return _json_lines(spark, paths, mapping)
    is_tabbed = all(".tsv" in Path(path).suffixes for path in paths)
    return spark.read.csv(paths, header=True, sep=mapping.delimiter or ("\t" if is_tabbed else ","))


def _json_lines(spark: SparkSession, paths: list[str], mapping: TableMapping) -> DataFrame:
    """As in a local run, a field that no row has is null in all of them; lines that are no JSON are kept as text."""
    reader = spark.read.option("columnNameOfCorruptRecord", MALFORMED)
    found = reader.json(paths)
    wanted = dict.fromkeys(column for entry in mapping.entries for column in entry.columns)
    absent = [StructField(column, StringType()) for column in wanted if column not in found.columns]
    return reader.schema(StructType([*found.schema.fields, *absent])).json(paths) if absent else found


def _rtec(spark: SparkSession, paths: list[str], entities: Entities) -> list[Feed]:
    """Rows of several shapes in one file: name and number of fields tell them apart."""
    entries = tuple(_entries(entities))
    width = max((len(entry.args) for entry in entries), default=0) + max(FIELDS_BEFORE_ARGUMENTS.values())
    lines = spark.read.text(paths).selectExpr("split(value, '[|]', -1) as f")
    fields = [f"trim(get(f, {place})) as f{place}" for place in range(width)]
    frame = lines.selectExpr("concat(trim(f[0]), '|', size(f)) as kind", *fields)
    return feeds_of(frame, entities, TableMapping("the stream", entries), "s", untyped=True) if entries else []


def _entries(entities: Entities) -> Iterator[Entry]:
    layouts = Layouts(entities)
    for entity in entities:
        symbol = entity.symbol
        if symbol.inner or layouts.find(symbol.name, symbol.kind, symbol.arity) is None:
            continue
        for form, before in FIELDS_BEFORE_ARGUMENTS.items():
            width = before + symbol.arity
            layout = layouts.of_row(symbol.name, width)
            if not isinstance(layout, str) and layout is not None and (layout.symbol, layout.form) == (symbol, form):
                yield _entry(symbol.name, form, width, before)


def _entry(name: str, form: Form, width: int, before: int) -> Entry:
    return Entry(
        place=f"rows of {name}",
        kind=EntityKind.EVENT if form is Form.EVENT else EntityKind.FLUENT,
        name=name,
        start="f2",
        args=tuple(f"f{place}" for place in range(before, width)),
        end="f3" if form is Form.INTERVAL else None,
        value=None if form is Form.EVENT else f"f{before - 1}",
        arrival="f1",
        where={"kind": f"{name}|{width}"},
    )
