"""Formats columns as rows of text: CSV and JSON lines, a whole table at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_AT_ONCE = 1 << 18
"""The number of rows per piece, so that its text stays far below Arrow's limit of 2 GB."""


def csv_lines(columns: Sequence[Any]) -> Iterator[bytes]:
    """Formats columns of text as lines of CSV, in pieces.

    >>> list(csv_lines([pa.array(["a", "b"]), pa.array(["1", "2"])]))
    [b'a,1\\nb,2\\n']
    """
    yield from _joined(columns, ["", *[","] * (len(columns) - 1), "\n"])


def json_lines(names: Sequence[str], columns: Sequence[Any]) -> Iterator[bytes]:
    """Formats columns of JSON values as one object per line, in pieces.

    >>> list(json_lines(["x", "y"], [pa.array(["1", "2"]), pa.array(['"a"', "null"])]))
    [b'{"x":1,"y":"a"}\\n{"x":2,"y":null}\\n']
    """
    keys = [json.dumps(name) for name in names]
    yield from _joined(columns, [f"{{{keys[0]}:", *[f",{key}:" for key in keys[1:]], "}\n"])


def _joined(columns: Sequence[Any], between: Sequence[str]) -> Iterator[bytes]:
    """Joins columns of text row by row, with constant text before, between and after them."""
    for begin in range(0, len(columns[0]), _AT_ONCE):
        parts: list[Any] = [between[0]]
        for column, text in zip(columns, between[1:], strict=True):
            parts += [column.slice(begin, _AT_ONCE), text]
        # The characters of a new text column are contiguous: they are the lines.
        characters = pc.binary_join_element_wise(*parts, "").buffers()[2]
        yield characters.to_pybytes()


def csv_text(column: Any) -> Any:
    """A column of text, quoted where CSV requires it.

    >>> csv_text(pa.array(["a(b)", "a(b,c)", 'a("b")'])).to_pylist()
    ['a(b)', '"a(b,c)"', '"a(""b"")"']
    """
    needs_quotes = reduce(pc.or_, (pc.match_substring(column, special) for special in ',"\n\r'))
    if not pc.any(needs_quotes).as_py():
        return column
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(column, '"', '""'), '"', "")
    return pc.if_else(needs_quotes, quoted, column)


def json_text(column: Any) -> Any:
    """A column of text as JSON strings.

    >>> json_text(pa.array(["a", 'b"c', "tab\\t", "é"])).to_pylist()
    ['"a"', '"b\\\\"c"', '"tab\\\\t"', '"é"']
    """
    escaped = pc.replace_substring(pc.replace_substring(column, "\\", "\\\\"), '"', '\\"')
    quoted = pc.binary_join_element_wise('"', escaped, '"', "")
    has_controls = pc.match_substring_regex(column, "[\\x00-\\x1f]")
    if not pc.any(has_controls).as_py():
        return quoted
    rare = [json.dumps(text, ensure_ascii=False) for text in column.filter(has_controls).to_pylist()]
    return pc.replace_with_mask(quoted, has_controls, pa.array(rare, pa.string()))
