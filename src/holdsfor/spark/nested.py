"""Resolves paths into nested columns of DataFrames: structs, maps and arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.mapping import Entry
from holdsfor.io.nested import Step, absent, path_of, resolved
from holdsfor.spark.columns import identifier, literal


def with_paths(frame: DataFrame, paths: Sequence[str], source: str | None) -> DataFrame:
    """A DataFrame with a column per path, named after the path; an existing column with this name is unchanged.

    If the schema has no such member, this is an error, or null without a `source` to report.
    """
    made = {}
    for path in paths:
        if path in frame.columns or path in made:
            continue
        found = _expression(frame.schema, path)
        if found is None and source is not None:
            raise HoldsforError(absent(source, path, list(_leaves(frame.schema))))
        made[path] = F.expr("cast(null as string)" if found is None else found[0])
    return frame.withColumns(made) if made else frame


def with_paths_of(frame: DataFrame, entries: Sequence[Entry]) -> DataFrame:
    """The same for all paths in the entries of a mapping."""
    for entry in entries:
        frame = with_paths(frame, entry.columns, entry.place)
    return frame


def kind_at(schema: T.StructType, path: str) -> T.DataType | None:
    """The type at the end of a path; None if there is none."""
    found = _expression(schema, path)
    return None if found is None else found[1]


def _expression(schema: T.StructType, path: str) -> tuple[str, T.DataType] | None:
    """A path in SQL, and its type."""
    found = resolved(path, schema.names)
    if found is None:
        return None
    root, steps = found
    sql, kind = identifier(root), schema[root].dataType
    for step in steps:
        inner = _step(sql, kind, step)
        if inner is None:
            return None
        sql, kind = inner
    return sql, kind


def _step(sql: str, kind: T.DataType, step: Step) -> tuple[str, T.DataType] | None:
    if isinstance(step, int):
        return (f"get({sql}, {step})", kind.elementType) if isinstance(kind, T.ArrayType) else None
    if isinstance(kind, T.StructType):
        return (f"{sql}.{identifier(step)}", kind[step].dataType) if step in kind.names else None
    if isinstance(kind, T.MapType) and isinstance(kind.keyType, T.StringType):
        return f"try_element_at({sql}, {literal(step)})", kind.valueType
    return None


def _leaves(schema: T.StructType, above: Sequence[Step] = ()) -> Iterator[str]:
    for field in schema.fields:
        if isinstance(field.dataType, T.StructType):
            yield from _leaves(field.dataType, [*above, field.name])
        else:
            yield path_of([*above, field.name]) if above else field.name
