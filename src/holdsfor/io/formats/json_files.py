"""Reads JSON as tables in pieces: one object per line, or the objects of a document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Ints
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats.json_documents import document_rows
from holdsfor.io.formats.part import TablePart
from holdsfor.io.formats.text_lines import TextLines
from holdsfor.io.nested import Step, absent, is_list, path_of, resolved, value_at
from holdsfor.io.rejects import refused
from holdsfor.io.sources import blocks, shown_name
from holdsfor.syntax.numbers import EXACT


def read_json(
    path: str | Path, columns: Sequence[str] | None, *, is_document: bool, rows: str | None, absent_is_null: bool
) -> Iterator[TablePart]:
    """The rows of a file, with a column per path, or with all columns. A field that no row has is null."""
    reader = _Reader()
    seen: set[str] = set()
    for lines in document_rows(path, rows) if is_document else _lines(path):
        part = reader.part(lines, columns)
        seen.update(part.table.column_names)
        # A field that no row has is missing data, as on a day without payments.
        yield part.with_paths(columns or ())
    for column in columns or () if seen and not absent_is_null else ():
        if resolved(column, seen) is None:
            raise HoldsforError(absent(shown_name(path), column, sorted(seen)))


def _lines(path: str | Path) -> Iterator[TextLines]:
    line = 0
    for block in blocks(path):
        lines = TextLines(block, line)
        yield lines
        line += len(lines)


class _Reader:
    """Creates tables from pieces of JSON lines. Remembers columns that look like timestamps, a type that JSON lacks."""

    def __init__(self) -> None:
        self._texts: pa.Schema | None = None

    def part(self, lines: TextLines, columns: Sequence[str] | None) -> TablePart:
        """The rows of a piece."""
        rows = np.flatnonzero(~lines.is_blank())
        table = self._typed(lines.block)
        if table is None or len(table) != len(rows) or any(map(_may_be_rounded, table.columns)):
            return _by_line(lines, rows, columns)
        return TablePart(table, lines.number(rows), lambda some: lines.text(rows[some]))

    def _typed(self, block: bytes) -> Any:
        """A typed table if all rows agree on the types. Text stays text, even if Arrow reads it as timestamps."""
        found = None if self._texts is None else _table(block, self._texts)
        if found is None:
            found = _table(block, None)
        if found is None:
            return None
        fields = [pa.field(field.name, _without_timestamps(field.type)) for field in found.schema]
        if pa.schema(fields) == found.schema:
            return found
        self._texts = pa.schema(fields)
        return _table(block, self._texts)


def _table(block: bytes, schema: pa.Schema | None) -> Any:
    import pyarrow.json as arrow_json

    options = arrow_json.ParseOptions(explicit_schema=schema)
    try:
        return arrow_json.read_json(pa.BufferReader(block), parse_options=options)
    except pa.ArrowInvalid:
        return None


def _without_timestamps(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _without_timestamps(field.type)) for field in kind])
    return pa.list_(_without_timestamps(kind.value_type)) if pa.types.is_list(kind) else kind


def _may_be_rounded(column: Any) -> bool:
    """Whether a column of floats may have been written as integers that no float represents."""
    if pa.types.is_struct(column.type):
        return any(map(_may_be_rounded, column.flatten()))
    if is_list(column.type):
        return _may_be_rounded(pc.list_flatten(column))
    if not pa.types.is_floating(column.type):
        return False
    ends = pc.min_max(column).as_py()
    return any(end is not None and abs(end) >= EXACT for end in ends.values())


def _by_line(lines: TextLines, rows: Ints, columns: Sequence[str] | None) -> TablePart:
    """A piece that has lines without valid JSON, or columns of mixed types: every value becomes text."""
    good, objects, bad, reasons = [], [], [], []
    for row, text in zip(rows.tolist(), lines.text(rows).to_pylist(), strict=True):
        try:
            objects.append(_object(text))
            good.append(row)
        except ValueError as problem:
            bad.append(row)
            reasons.append(str(problem))
    if columns is None:
        objects = [dict(_flat(one, [])) for one in objects]
    names = dict.fromkeys(name for found in objects for name in found)
    found = {name: [one.get(name) for one in objects] for name in names}
    for path in columns or ():
        place = resolved(path, names)
        if place is not None and path not in names:
            found[path] = [value_at(one.get(place[0]), place[1]) for one in objects]
    table = pa.table({name: pa.array(map(_as_text, values), pa.string()) for name, values in found.items()})
    odd, kept = np.array(bad, np.int64), np.array(good, np.int64)
    problems = (refused("", lines.number(odd), lines.text(odd), pa.array(reasons, pa.string())),) if bad else ()
    return TablePart(table, lines.number(kept), lambda some: lines.text(kept[some]), frozenset(found), problems)


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text, parse_int=_Number, parse_float=_Number)
    except json.JSONDecodeError as problem:
        raise ValueError(f"not JSON: {problem.msg}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004
    return found


def _flat(found: dict[str, object], above: list[Step]) -> Iterator[tuple[str, object]]:
    """The values of an object by path, without lists."""
    for name, value in found.items():
        if isinstance(value, dict):
            yield from _flat(value, [*above, name])
        elif not isinstance(value, list):
            yield (path_of([*above, name]) if above else name), value


class _Number(str):
    """A number as written."""

    __slots__ = ()


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
