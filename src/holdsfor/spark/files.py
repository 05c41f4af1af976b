"""Reads files of events as DataFrames: tables with a mapping, and RTEC's stream format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, StringType, StructField, StructType

from holdsfor.compiler.analysis.entities import Entities, EntityKind
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.compression import MARK_SIZE, packing_of
from holdsfor.io.formats import format_of
from holdsfor.io.formats.choice import ending_of, known_format
from holdsfor.io.formats.json_documents import has_several_values
from holdsfor.io.inputs import input_files
from holdsfor.io.layouts import FIELDS_BEFORE_ARGUMENTS, Form, Layouts
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.io.nested import resolved
from holdsfor.io.sources import STANDARD_INPUT, head_of
from holdsfor.spark.columns import identifier
from holdsfor.spark.connectors.payload import MALFORMED
from holdsfor.spark.nested import kind_at, with_paths
from holdsfor.spark.sources import SourceFrame, feeds_of

_UNPACKED = {"gzip": ".gz", "bzip2": ".bz2"}
"""The file name endings of compressions that Spark supports."""


def file_feeds(
    spark: SparkSession, paths: Sequence[str | Path], entities: Entities, mapping: TableMapping | None
) -> list[SourceFrame]:
    """The feeds of files, by a mapping or in RTEC's format."""
    files = spark_files(paths, mapping)
    if mapping is None:
        return _rtec(spark, list(map(located, files)), entities)
    groups: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for path in files:
        places = tuple(mapping.entries.index(entry) for entry in mapping.of_file(path))
        groups.setdefault((style_of(path, mapping), places), []).append(located(path))
    found = []
    for (style, places), listed in groups.items():
        part = replace(mapping, entries=tuple(mapping.entries[place] for place in places))
        frame = read_table(spark, style, listed, part)
        found += feeds_of(frame, entities, part, mapping.unit, untyped=style == "csv")
    return found


def spark_files(paths: Sequence[str | Path], mapping: TableMapping | None) -> list[str | Path]:
    """The input files, all readable by Spark; raises HoldsforError for the first that is not."""
    if STANDARD_INPUT in map(str, paths):
        raise HoldsforError("Spark reads files, not standard input")
    files = input_files(paths, mapping)
    for path in files:
        if not Path(path).exists():
            raise HoldsforError(f"cannot read {path}: there is no such file")
        _require_unpackable(path)
    return files


def located(path: str | Path) -> str:
    """An absolute path, independent of the working directory of Java."""
    return str(Path(path).absolute())


def _require_unpackable(path: str | Path) -> None:
    """Checks that Spark can unpack a file. Spark decides by the ending, and supports two compressions of text."""
    try:
        with Path(path).open("rb") as file:
            packing = packing_of(file.read(MARK_SIZE))
    except OSError as problem:
        raise HoldsforError(f"cannot read {path}: {problem.strerror or problem}") from problem
    if packing is None:
        return
    ending = _UNPACKED.get(packing)
    if ending is None or known_format(path) == "parquet":
        raise HoldsforError(f"Spark cannot read {path}, a {packing} file; unpack it, or use --engine local")
    if not str(path).endswith(ending):
        raise HoldsforError(f"{path} is a {packing} file, which Spark only sees by its name; let it end in {ending}")


def style_of(path: str | Path, mapping: TableMapping) -> str:
    """The format of a file that a mapping describes."""
    return "json" if mapping.rows is not None else mapping.format or format_of(path)


def read_table(spark: SparkSession, style: str, paths: list[str], mapping: TableMapping) -> DataFrame:
    """The DataFrame of files that a mapping describes."""
    if style == "parquet":
        return spark.read.parquet(*paths)
    if style in ("json", "jsonl"):
        return _json(spark, paths, mapping, is_document=style == "json")
    is_tabbed = all(ending_of(path) == ".tsv" for path in paths)
    return spark.read.csv(paths, header=True, sep=mapping.delimiter or ("\t" if is_tabbed else ","))


def _json(spark: SparkSession, paths: list[str], mapping: TableMapping, *, is_document: bool) -> DataFrame:
    """JSON files. As in a local run, a field without values is null; lines that are not JSON are kept as text."""
    for path in paths if is_document else ():
        # In a file with an array, Spark reads all objects; in one with objects, only the first.
        if head_of(path).lstrip().startswith(b"{") and has_several_values(path):
            raise HoldsforError(f"Spark reads only the first object of {path}; write them as an array or as JSON lines")
    reader = spark.read.option("columnNameOfCorruptRecord", MALFORMED).option("multiLine", is_document)
    found = reader.json(paths)
    wanted = list(dict.fromkeys(column for entry in mapping.entries for column in entry.columns))
    if mapping.rows is not None:
        return with_paths(_elements(found, mapping.rows, ", ".join(paths)), wanted, None)
    absent = [StructField(column, StringType()) for column in wanted if resolved(column, found.columns) is None]
    if absent:
        found = reader.schema(StructType([*found.schema.fields, *absent])).json(paths)
    _require_structs(found, wanted)
    return with_paths(found, wanted, None)


def _elements(frame: DataFrame, rows: str, source: str) -> DataFrame:
    """The elements of an array as rows."""
    kind = kind_at(frame.schema, rows)
    if not (isinstance(kind, ArrayType) and isinstance(kind.elementType, StructType)):
        raise HoldsforError(f"{source} has no array {rows!r} of objects")
    named = with_paths(frame, [rows], source)
    return named.selectExpr(f"explode({identifier(rows)}) as element").select("element.*")


def _require_structs(frame: DataFrame, paths: Sequence[str]) -> None:
    """Reports paths into text: if only some rows of JSON have an object, Spark converts all to text."""
    for path in paths:
        root, steps = resolved(path, frame.columns) or (path, ())
        if steps and isinstance(frame.schema[root].dataType, StringType):
            raise HoldsforError(f"{path}: {root} is not an object in some rows, so Spark reads it as text in all rows")


def _rtec(spark: SparkSession, paths: list[str], entities: Entities) -> list[SourceFrame]:
    """Rows of several shapes in one file, distinguished by name and number of fields."""
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
