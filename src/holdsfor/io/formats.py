"""Files with a header or a schema, CSV, JSON lines and Parquet, as tables in pieces."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.kernels import Ints
from holdsfor.io.rejects import refused
from holdsfor.io.sources import STANDARD_INPUT, blocks, opened, shown_name
from holdsfor.io.typed import plain
from holdsfor.syntax.numbers import EXACT

_ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@dataclass(frozen=True)
class Part:
    """Some rows of a table.

    `lines` says where each stands in its file, or where the first does if they follow each other; `text` shows some of
    them, `refused` are rows that are none.
    Columns that are `untyped` hold text in which numbers are text too.
    """

    table: pa.Table
    lines: Ints | int
    text: Callable[[Ints], Any]
    untyped: frozenset[str] = frozenset()
    refused: tuple[pa.Table, ...] = ()
    _columns: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def line(self, rows: Ints) -> Ints:
        """Where some rows stand in their file."""
        return rows + self.lines if isinstance(self.lines, int) else self.lines[rows]

    def column(self, name: str) -> Any:
        """A column in one piece."""
        if name not in self._columns:
            self._columns[name] = plain(self.table[name])
        return self._columns[name]


def format_of(path: str | Path) -> str:
    """The format of a file, going by its ending.

    >>> format_of("a.csv.gz"), format_of("b.PARQUET")
    ('csv', 'parquet')
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    found = _ENDINGS.get(suffixes[-1]) if suffixes else None
    if found is None:
        raise HoldsforError(
            f'what format has {shown_name(path)}? say `format = "csv"`, jsonl or parquet in the mapping'
        )
    return found


def parts(
    path: str | Path,
    columns: Sequence[str],
    style: str | None,
    delimiter: str | None,
    *,
    absent_is_null: bool = True,
) -> Iterator[Part]:
    """The rows of a file, with at least the columns named. A field that no JSON line has is null, if it may be absent."""
    used = style or format_of(path)
    if used == "parquet":
        return _parquet(path, columns)
    if used == "jsonl":
        return _json(path, columns, absent_is_null=absent_is_null)
    return _csv(path, columns, delimiter or ("\t" if ".tsv" in Path(path).suffixes else ","))


def columns_of(path: str | Path) -> tuple[list[str], str | None]:
    """All columns of a table, and the delimiter that a CSV file has."""
    style = format_of(path)
    if style == "csv":
        head = next(iter(blocks(path)), b"\n")
        header = head[: head.index(b"\n") + 1]
        usual = "\t" if ".tsv" in Path(path).suffixes else ","
        delimiter = next((one for one in (usual, ";", "\t", "|") if one.encode() in header), usual)
        return (_parsed_csv(header, [], delimiter)[0].column_names if header.strip() else []), delimiter
    if style == "parquet":
        import pyarrow.parquet as pq

        with opened(path) as file:
            try:
                return list(pq.ParquetFile(file).schema_arrow.names), None
            except pa.ArrowInvalid as problem:
                raise HoldsforError(f"{shown_name(path)} is not a Parquet file: {problem}") from problem
    names = dict.fromkeys(name for part in _json(path, (), absent_is_null=True) for name in part.table.column_names)
    return list(names), None


def require_columns(wanted: Sequence[str], there: Sequence[str], source: str) -> None:
    """Complain about the first column that a table does not have."""
    for column in wanted:
        if column not in there:
            close = suggest(column, there)
            hint = f"did you mean {close}?" if close else f"it has {', '.join(there)}"
            raise HoldsforError(f"{source} has no column {column!r}; {hint}")


def _parquet(path: str | Path, columns: Sequence[str]) -> Iterator[Part]:
    import pyarrow.parquet as pq

    with opened(path) as file:
        source: Any = io.BytesIO(file.read()) if str(path) == STANDARD_INPUT else file
        try:
            contents = pq.ParquetFile(source)
            require_columns(columns, contents.schema_arrow.names, shown_name(path))
            row = 0
            # Whole groups of rows are read on all processors; small batches of them take twice as long.
            for group in range(contents.num_row_groups):
                table = contents.read_row_group(group, columns=list(columns))
                yield table_part(table, row)
                row += len(table)
        except pa.ArrowInvalid as problem:
            raise HoldsforError(f"{shown_name(path)} is not a Parquet file: {problem}") from problem


def table_part(table: pa.Table, before: int = 0) -> Part:
    """A table as a part; rows are counted from 1."""

    def show(rows: Ints) -> Any:
        found = table.take(pa.array(rows)).to_pylist()
        return pa.array([json.dumps(row, default=str, ensure_ascii=False) for row in found], pa.string())

    return Part(table, before + 1, show)


def _csv(path: str | Path, columns: Sequence[str], delimiter: str) -> Iterator[Part]:
    header: list[str] = []
    line = 0
    for block in blocks(path):
        first = 0
        if not header:
            first = block.index(b"\n") + 1
            header = _parsed_csv(block[:first], [], delimiter)[0].column_names
            require_columns(columns, header, shown_name(path))
            line += 1
        lines = _Lines(block[first:], line)
        if len(lines):
            yield _csv_part(lines, header, columns, delimiter)
        line += len(lines)


def _csv_part(lines: _Lines, header: list[str], columns: Sequence[str], delimiter: str) -> Part:
    rows = np.flatnonzero(~lines.is_blank())
    table, strange = _parsed_csv(lines.joined(rows), header, delimiter, columns)
    bad = []
    # A quote that is not closed swallows the lines behind it, and then there are fewer rows than lines.
    for suspects in (lines.quotes() % 2 == 1, lines.quotes() > 0):
        if len(table) + len(strange) == len(rows):
            break
        odd = rows[suspects[rows]]
        bad.append(refused("", lines.number(odd), lines.text(odd), "a quote is not closed on its line"))
        rows = rows[~suspects[rows]]
        table, strange = _parsed_csv(lines.joined(rows), header, delimiter, columns)
    if strange:
        odd = rows[[row for row, _ in strange]]
        reasons = pa.array([f"{count} fields where the header has {len(header)}" for _, count in strange])
        bad.append(refused("", lines.number(odd), lines.text(odd), reasons))
        rows = np.delete(rows, [row for row, _ in strange])
    return Part(table, lines.number(rows), lambda some: lines.text(rows[some]), frozenset(columns), tuple(bad))


def _parsed_csv(
    text: bytes, header: list[str], delimiter: str, columns: Sequence[str] = ()
) -> tuple[pa.Table, list[tuple[int, int]]]:
    """The columns of CSV text as they are written, and the rows of another width; without a header it has its own."""
    import pyarrow.csv as arrow_csv

    strange: list[tuple[int, int]] = []
    if not text:
        return pa.table({name: pa.array([], pa.string()) for name in columns}), strange

    def skip(row: Any) -> str:
        strange.append((row.number - 1, row.actual_columns))
        return "skip"

    table = arrow_csv.read_csv(
        pa.BufferReader(text),
        arrow_csv.ReadOptions(column_names=header or None, use_threads=False, block_size=max(len(text), 1)),
        arrow_csv.ParseOptions(delimiter=delimiter, invalid_row_handler=skip, ignore_empty_lines=False),
        arrow_csv.ConvertOptions(
            include_columns=list(columns), column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
        ),
    )
    return table, strange


class _Lines:
    """The lines of a piece of a file, and how many came before it."""

    def __init__(self, block: bytes, before: int) -> None:
        self.block, self._before = block, before
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
        offsets = np.concatenate(([0], ends + 1)).astype(np.int32)
        self._column = pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(block))

    def __len__(self) -> int:
        return len(self._column)

    def is_blank(self) -> np.typing.NDArray[np.bool_]:
        """Which lines have nothing on them."""
        blank: np.typing.NDArray[np.bool_] = np.asarray(pc.equal(pc.utf8_trim_whitespace(self._column), ""))
        return blank.astype(np.bool_)

    def quotes(self) -> Ints:
        """How many quotes each line has."""
        counted: Ints = pc.count_substring(self._column, '"').to_numpy()
        return counted

    def joined(self, rows: Ints) -> bytes:
        """Some lines as text."""
        if len(rows) == len(self):
            return self.block
        characters = self._column.take(pa.array(rows)).buffers()[2]
        return b"" if characters is None else bytes(characters)

    def number(self, rows: Ints) -> Ints:
        """Line numbers in the file."""
        return rows + self._before + 1

    def text(self, rows: Ints) -> Any:
        """Lines as they are written."""
        return pc.utf8_rtrim(self._column.take(pa.array(rows)), "\n")


def _json(path: str | Path, columns: Sequence[str], *, absent_is_null: bool) -> Iterator[Part]:
    line = 0
    seen: set[str] = set()
    for block in blocks(path):
        lines = _Lines(block, line)
        part = _json_part(lines)
        seen.update(part.table.column_names)
        # JSON has no header: a field that no row has is one of which nothing was said, as on a day without payments.
        for column in columns:
            if column not in part.table.column_names:
                part = _with_gaps(part, column)
        yield part
        line += len(lines)
    if seen and not absent_is_null:
        require_columns(columns, sorted(seen), shown_name(path))


def _with_gaps(part: Part, column: str) -> Part:
    table = part.table.append_column(column, pa.nulls(len(part.table)))
    return Part(table, part.lines, part.text, part.untyped, part.refused)


def _json_part(lines: _Lines) -> Part:
    import pyarrow.json as arrow_json

    rows = np.flatnonzero(~lines.is_blank())
    try:
        table = arrow_json.read_json(pa.BufferReader(lines.block))
    except pa.ArrowInvalid:
        table = None
    if table is None or len(table) != len(rows) or any(map(_may_be_rounded, table.columns)):
        return _json_by_line(lines, rows)
    return Part(table, lines.number(rows), lambda some: lines.text(rows[some]))


def _may_be_rounded(column: Any) -> bool:
    """Whether a column of floats may have been written with integers that no float can hold."""
    if not pa.types.is_floating(column.type):
        return False
    ends = pc.min_max(column).as_py()
    return any(end is not None and abs(end) >= EXACT for end in ends.values())


def _json_by_line(lines: _Lines, rows: Ints) -> Part:
    """A piece with lines that are no JSON, or with columns of several types: every value becomes text."""
    good, objects, bad, reasons = [], [], [], []
    for row, text in zip(rows.tolist(), lines.text(rows).to_pylist(), strict=True):
        try:
            objects.append(_object(text))
            good.append(row)
        except ValueError as problem:
            bad.append(row)
            reasons.append(str(problem))
    names = dict.fromkeys(name for found in objects for name in found)
    table = pa.table({name: pa.array([found.get(name) for found in objects], pa.string()) for name in names})
    odd, kept = np.array(bad, np.int64), np.array(good, np.int64)
    problems = (refused("", lines.number(odd), lines.text(odd), pa.array(reasons, pa.string())),) if bad else ()
    return Part(table, lines.number(kept), lambda some: lines.text(kept[some]), frozenset(names), problems)


def _object(text: str) -> dict[str, str | None]:
    try:
        found = json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as problem:
        raise ValueError(f"not JSON: {problem.msg}") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004
    return {name: _as_text(value) for name, value in found.items()}


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)
