"""Determines the format of a file and reads its rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.compression import COMPRESSED
from holdsfor.io.formats.csv_files import csv_header, read_csv
from holdsfor.io.formats.json_files import read_json
from holdsfor.io.formats.parquet_files import parquet_columns, read_parquet
from holdsfor.io.formats.part import TablePart
from holdsfor.io.mapping import FORMATS
from holdsfor.io.sources import head_of, shown_name

_ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_ARCHIVES = (".zip", ".tar", ".tgz", ".7z", ".rar")
_LINES_LOOKED_AT = 3


def ending_of(path: str | Path) -> str:
    """The file name ending before any compression ending.

    >>> ending_of("a.CSV.gz"), ending_of("b")
    ('.csv', '')
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in COMPRESSED]
    return suffixes[-1] if suffixes else ""


def known_format(path: str | Path) -> str | None:
    """The format of a file name ending; None if it is unknown. A JSON file may contain lines or a document.

    >>> known_format("a.csv.gz"), known_format("b.PARQUET"), known_format("c")
    ('csv', 'parquet', None)
    """
    return _ENDINGS.get(ending_of(path))


def format_of(path: str | Path) -> str:
    """The format of a file by its ending; for `.json`, by its content."""
    found = known_format(path)
    if found is None:
        if ending_of(path) in _ARCHIVES:
            raise HoldsforError(f"{path} is an archive of files; unpack it, and give the files or their folder")
        listed = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise HoldsforError(f'what format has {shown_name(path)}? say `format = "csv"` in the mapping ({listed})')
    # A pipe can be read only once.
    if found in ("json", "jsonl") and Path(path).is_file():
        head = head_of(path)
        return "json" if head.lstrip().startswith(b"[") or (found == "json" and is_document(head)) else "jsonl"
    return "jsonl" if found == "json" else found


def is_document(head: bytes) -> bool:
    """Whether JSON with these first bytes is a document, in contrast to one object per line.

    >>> is_document(b'[{"a": 1}]'), is_document(b'{\\n "a": 1\\n}'), is_document(b'{"a": 1}\\n{"a": 2}')
    (True, True, False)
    """
    lines = [line for line in head.split(b"\n") if line.strip()][:_LINES_LOOKED_AT]
    return bool(lines) and not any(map(_is_object, lines))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def parts(
    path: str | Path,
    columns: Sequence[str] | None,
    style: str | None,
    delimiter: str | None,
    *,
    rows: str | None = None,
    absent_is_null: bool = True,
) -> Iterator[TablePart]:
    """The rows of a file, with at least the named columns, which may be paths into nested columns; None means all
    columns.

    With `absent_is_null`, a field that no row of JSON has is null. `rows` is the path of the array with the rows of a
    JSON document.
    """
    if rows is not None and (style or known_format(path)) in ("csv", "parquet"):
        raise HoldsforError(f"rows = {rows!r} is about JSON documents, and {shown_name(path)} is none")
    used = "json" if rows is not None else style or format_of(path)
    if used == "parquet":
        return read_parquet(path, columns)
    if used in ("json", "jsonl"):
        is_one = used == "json"
        return read_json(path, columns, is_document=is_one, rows=rows, absent_is_null=absent_is_null)
    return read_csv(path, columns, delimiter or usual_delimiter(path))


def columns_of(path: str | Path) -> tuple[list[str], str | None]:
    """All columns of a table, and the delimiter of a CSV file."""
    style = format_of(path)
    if style == "csv":
        return csv_header(path, usual_delimiter(path))
    if style == "parquet":
        return parquet_columns(path), None
    names = dict.fromkeys(name for part in parts(path, None, style, None) for name in part.table.column_names)
    return list(names), None


def usual_delimiter(path: str | Path) -> str:
    """The usual field delimiter for a file name."""
    return "\t" if ending_of(path) == ".tsv" else ","
