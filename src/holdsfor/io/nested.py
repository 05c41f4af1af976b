"""Resolves paths into nested columns: `user.id` and `items[0].sku`, in JSON, Arrow, Parquet and Spark's structs.

A column with exactly this name takes precedence. Inside a path, a name with a dot or a bracket is in double quotes:
`"user.name".first`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.typed import plain

Step: TypeAlias = str | int
"""A member of a struct by name, or an element of a list by index."""

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NAME = rf'{_QUOTED}|[^.\[\]"]+'
_PATH = re.compile(rf"(?:{_NAME})(?:\.(?:{_NAME})|\[\d+\])*")
_STEP = re.compile(rf"\.?({_NAME})|\[(\d+)\]")


def steps_of(path: str) -> tuple[Step, ...] | None:
    """The steps of a path; None for text that is not a path.

    >>> steps_of("items[0].sku"), steps_of('"a.b".c'), steps_of("x..y")
    (('items', 0, 'sku'), ('a.b', 'c'), None)
    """
    if _PATH.fullmatch(path) is None:
        return None
    found: list[Step] = []
    for step in _STEP.finditer(path):
        try:
            found.append(int(step[2]) if step[2] else json.loads(step[1]) if step[1][0] == '"' else step[1])
        except ValueError:
            return None
    return tuple(found)


def path_of(steps: Sequence[Step]) -> str:
    """The text of a path.

    >>> path_of(["items", 0, "sku"]), path_of(["a.b", "c"])
    ('items[0].sku', '"a.b".c')
    """
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            plain_name = re.fullmatch(r'[^.\[\]"]+', step)
            text += f"{'.' if text else ''}{step if plain_name else json.dumps(step, ensure_ascii=False)}"
    return text


def resolved(path: str, there: Collection[str]) -> tuple[str, tuple[Step, ...]] | None:
    """The root column of a path and the steps into it; None if there is no such column.

    >>> resolved("user.id", ["user"]), resolved("user.id", ["user", "user.id"]), resolved("id", ["user"])
    (('user', ('id',)), ('user.id', ()), None)
    """
    if path in there:
        return path, ()
    root, *rest = steps_of(path) or ("",)
    return (str(root), tuple(rest)) if root in there else None


def roots(paths: Sequence[str], there: Collection[str], source: str) -> list[str]:
    """The root columns of paths; raises HoldsforError for the first path without one."""
    found = [resolved(path, there) for path in paths]
    for path, one in zip(paths, found, strict=True):
        if one is None:
            raise HoldsforError(absent(source, path, there))
    return list(dict.fromkeys(one[0] for one in found if one is not None))


def absent(source: str, path: str, there: Collection[str]) -> str:
    """The error for a missing column, with suggestions."""
    close = suggest(path, there)
    return f"{source} has no column {path!r}; " + (f"did you mean {close}?" if close else f"it has {', '.join(there)}")


def with_paths(table: pa.Table, paths: Sequence[str], source: str | None) -> pa.Table:
    """A table with a column per path, named after the path.

    If the types have no such member, this is an error, or null without a `source` to report.
    """
    there = table.column_names
    for path in paths:
        if path in table.column_names:
            continue
        found = resolved(path, there)
        column = None if found is None else _inner(plain(table[found[0]]), found[1])
        if column is None and source is not None:
            raise HoldsforError(absent(source, path, list(leaves(table.schema))))
        table = table.append_column(path, pa.nulls(len(table)) if column is None else column)
    return table


def _inner(column: Any, steps: Sequence[Step]) -> Any:
    """The value of a column at the end of some steps; None if its type has no such member."""
    for step in steps:
        column = _element(column, step) if isinstance(step, int) else _member(column, step)
        if column is None:
            return None
    return plain(column)


def _member(column: Any, name: str) -> Any:
    kind = column.type
    if pa.types.is_struct(kind):
        place = kind.get_field_index(name)
        return None if place < 0 else plain(pc.struct_field(column, place))
    if pa.types.is_map(kind):
        return plain(pc.map_lookup(column, pa.scalar(name).cast(kind.key_type), "first"))
    return column if pa.types.is_null(kind) else None


def _element(column: Any, place: int) -> Any:
    kind = column.type
    if pa.types.is_null(kind):
        return column
    if not is_list(kind):
        return None
    if not pa.types.is_list(kind):
        column = column.cast(pa.list_(kind.value_type))
    begins = column.offsets.to_numpy()
    has_it = (np.diff(begins) > place) & column.is_valid().to_numpy(zero_copy_only=False)
    return plain(column.values.take(pa.array(begins[:-1] + place, pa.int64(), mask=~has_it)))


def is_list(kind: pa.DataType) -> bool:
    """Whether values of a type are lists."""
    checks = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(check(kind) for check in checks)


def leaves(schema: pa.Schema | pa.StructType) -> Iterator[str]:
    """The paths of all columns that are not structs.

    >>> kind = pa.struct([("id", pa.int64()), ("tags", pa.list_(pa.string()))])
    >>> list(leaves(pa.schema([("at", pa.int64()), ("user", kind)])))
    ['at', 'user.id', 'user.tags']
    """
    names = {field.name for field in schema}
    for field in schema:
        yield from _below([field.name], field.type, names)


def _below(steps: Sequence[Step], kind: pa.DataType, names: Collection[str]) -> Iterator[str]:
    if pa.types.is_struct(kind):
        members = Counter(field.name for field in kind)
        for field in kind:
            # A path cannot distinguish members with the same name.
            if members[field.name] == 1:
                yield from _below([*steps, field.name], field.type, names)
    elif len(steps) == 1:
        yield str(steps[0])
    else:
        text = path_of(steps)
        yield text if text not in names else f"{json.dumps(steps[0], ensure_ascii=False)}.{path_of(steps[1:])}"


def value_at(found: object, steps: Sequence[Step]) -> object:
    """The value in JSON at the end of some steps; None if there is none."""
    for step in steps:
        if isinstance(found, dict) and isinstance(step, str):
            found = found.get(step)
        elif isinstance(found, list) and isinstance(step, int) and step < len(found):
            found = found[step]
        else:
            return None
    return found
