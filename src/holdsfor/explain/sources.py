"""Locates the input rows of an explanation: file and line, or table and row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary, value_of
from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.entities import Entities, EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.nodes import Happening, Holding, Kind, Node, Row
from holdsfor.io.builder import Piece
from holdsfor.io.columns import encode
from holdsfor.io.formats import TablePart, parts
from holdsfor.io.frames import as_part, entry_of
from holdsfor.io.inputs import input_files
from holdsfor.io.layouts import Layout, Layouts
from holdsfor.io.mapping import Entry, TableMapping, make_mapping, read_mapping
from holdsfor.io.rtec_rows import parse
from holdsfor.io.sources import blocks, shown_name
from holdsfor.io.tables import EntryRows, rows_of_entry
from holdsfor.io.typed import plain
from holdsfor.syntax.terms import arguments

_MOST_ROWS = 40
"""The most rows of one explanation that are located."""
_MOST_SHOWN = 3


@dataclass(frozen=True)
class Sources:
    """The files or tables of a stream, and the length of a time-point."""

    events: Any = None
    mapping: Any = None
    unit: str = "s"


@dataclass(frozen=True)
class Wanted:
    """An event or an interval of the input, with the words that its row must contain."""

    symbol: Symbol
    args: tuple[object, ...]
    value: object | None
    time: int

    def fitting(self, piece: Piece) -> Iterator[int]:
        """The rows that are the event, or whose interval contains the time-point."""
        if piece.layout.symbol != self.symbol:
            return
        end = piece.start + 1 if piece.end is None or self.value is None else piece.end
        dictionary = Dictionary()
        given = zip((*piece.args, piece.value), (*self.args, self.value), strict=True)
        columns = [(encode([cells], dictionary), word) for cells, word in given if cells is not None]
        for row in np.flatnonzero((piece.start <= self.time) & (self.time < end)).tolist():
            if all(dictionary.values[int(column[row])] == word for column, word in columns):
                yield row


def with_rows(root: Node, sources: Sources, plan: Plan) -> Node:
    """A tree with the locations of its rows, if they can be found."""
    entities = plan.analysis.entities
    found = (one for node in root.walk() if (one := _wanted(node, entities)) is not None)
    wanted: dict[Wanted, list[Row]] = {one: [] for one in list(dict.fromkeys(found))[:_MOST_ROWS]}
    if not wanted or sources.events is None:
        return root
    for one, row in _found(sources, wanted, Layouts(entities)):
        if len(wanted[one]) < _MOST_SHOWN:
            wanted[one].append(row)
    return _placed(root, wanted, entities, {})


def _placed(node: Node, found: Mapping[Wanted, list[Row]], entities: Entities, done: dict[int, Node]) -> Node:
    """A tree with rows added; shared nodes stay shared."""
    if id(node) not in done:
        below = tuple(_placed(child, found, entities, done) for child in node.children)
        one = _wanted(node, entities)
        rows = tuple(found.get(one, ())) if one is not None else ()
        done[id(node)] = replace(node, text=_with_lines(node, below), children=below, rows=rows or node.rows)
    return done[id(node)]


def _with_lines(node: Node, below: tuple[Node, ...]) -> str:
    """The text of a step; for a sliding aggregate, with the lines of the rows in its window."""
    rows = [row for child in below for row in child.rows if row.line is not None]
    if node.kind is not Kind.WINDOW or not rows:
        return node.text
    places = [str(row.line) if len({row.file for row in rows}) == 1 else row.location for row in rows]
    return f"{node.text}: {'row' if len(places) == 1 else 'rows'} {', '.join(dict.fromkeys(places))}"


def _wanted(node: Node, entities: Entities) -> Wanted | None:
    claim = node.claim if node.kind is Kind.ROW else None
    if isinstance(claim, Happening):
        return Wanted(entities.event(claim.event), tuple(map(value_of, arguments(claim.event))), None, claim.time)
    if isinstance(claim, Holding) and claim.interval is not None:
        fluent, value = claim.pair
        return Wanted(
            entities.pair(fluent, value), tuple(map(value_of, arguments(fluent))), value_of(value), claim.time
        )
    return None


def _found(sources: Sources, wanted: Mapping[Wanted, object], layouts: Layouts) -> Iterator[tuple[Wanted, Row]]:
    given = sources.mapping
    if isinstance(sources.events, Mapping):
        for name, frame in sources.events.items():
            yield from _in_frame(name, frame, sources.unit, wanted, layouts)
        return
    paths = [sources.events] if isinstance(sources.events, str | Path) else list(sources.events)
    if given is None:
        for path in input_files(paths):
            yield from _in_text(path, wanted, layouts) if str(path) != "-" else ()
        return
    mapping = make_mapping(given) if isinstance(given, Mapping) else read_mapping(given)
    for path in input_files(paths, mapping):
        yield from _in_mapped(path, mapping, wanted, layouts) if str(path) != "-" else ()


def _in_text(path: str | Path, wanted: Mapping[Wanted, object], layouts: Layouts) -> Iterator[tuple[Wanted, Row]]:
    """Rows of a file in RTEC's format. Lines are filtered by name and words before they are parsed."""
    line = 0
    for block in blocks(path):
        for one in wanted:
            for begin in _candidates(block, one):
                end = block.find(b"\n", begin)
                text = block[begin : end if end >= 0 else len(block)]
                if any(True for piece in parse(text + b"\n", layouts).pieces for _ in one.fitting(piece)):
                    number = line + block.count(b"\n", 0, begin) + 1
                    yield one, Row(text.decode(errors="replace").strip(), shown_name(path), number)
        line += block.count(b"\n")


def _candidates(block: bytes, wanted: Wanted) -> Iterator[int]:
    """The offsets of lines that may contain the name, the words and, for events, the time."""
    name = f"{wanted.symbol.name}|".encode()
    words = [f"|{arg}".encode() for arg in wanted.args if isinstance(arg, str)]
    if wanted.symbol.kind is EntityKind.EVENT:
        words.insert(0, f"|{wanted.time}".encode())
    # The word that is searched first should occur in few lines.
    first, *others = words or [name]
    at, last = block.find(first), -1
    while at >= 0:
        begin, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
        end = end if end >= 0 else len(block)
        if begin != last and block.startswith(name, begin) and all(block.find(w, begin, end) >= 0 for w in others):
            last = begin
            yield begin
        at = block.find(first, at + 1)


def _in_mapped(
    path: str | Path, mapping: TableMapping, wanted: Mapping[Wanted, object], layouts: Layouts
) -> Iterator[tuple[Wanted, Row]]:
    """Rows of a file with a mapping."""
    entries = mapping.of_file(path)
    columns = list(dict.fromkeys(column for entry in entries for column in entry.columns))
    for part in parts(path, columns, mapping.format, mapping.delimiter, rows=mapping.rows):
        for entry in entries:
            for one, row in _in_part(part, entry, mapping.unit, wanted, layouts):
                text, line = part.text(np.array([row]))[0], part.line(np.array([row]))[0]
                yield one, Row(str(text).strip(), shown_name(path), int(line))


def _in_frame(
    name: str, frame: Any, unit: str, wanted: Mapping[Wanted, object], layouts: Layouts
) -> Iterator[tuple[Wanted, Row]]:
    """Rows of a table in memory; the line is the number of the row."""
    kinds = {one.symbol.kind for one in wanted if one.symbol.name == name}
    source, first = f"events[{name!r}]", ["start", "end", "value"] if EntityKind.FLUENT in kinds else ["time"]
    try:
        part = as_part(frame, source, first) if kinds else None
    except HoldsforError:
        part = None
    if part is None or not len(part.table):
        return
    names = part.table.column_names
    for one, row in _in_part(part, entry_of(source, name, names, layouts), unit, wanted, layouts):
        text = ", ".join(f"{column}={part.table[column][row].as_py()}" for column in names)
        yield one, Row(text, source, row + 1)


def _in_part(
    part: TablePart, entry: Entry, unit: str, wanted: Mapping[Wanted, object], layouts: Layouts
) -> Iterator[tuple[Wanted, int]]:
    layout = entry.layout(layouts)
    for one in wanted:
        if layout is not None and layout.symbol == one.symbol:
            yield from ((one, row) for row in _rows_of(part, entry, layout, one, unit))


def _rows_of(part: TablePart, entry: Entry, layout: Layout, wanted: Wanted, unit: str) -> Sequence[int]:
    """The matching rows of a part. Words are compared first, for all rows at once."""
    chosen = rows_of_entry(part, entry)
    for name, arg in zip(entry.args, wanted.args, strict=True):
        column: Any = plain(part.table[name])
        if isinstance(arg, str) and pa.types.is_string(column.type):
            chosen &= pc.fill_null(pc.equal(column, arg), fill_value=False).to_numpy(zero_copy_only=False)
    rows: Ints = np.flatnonzero(chosen)
    if not len(rows):
        return ()
    # Malformed rows never match.
    wrong = np.zeros(len(rows), np.bool_)
    for mask, _ in EntryRows(part, entry, rows, unit).complaints():
        wrong |= mask
    rows = rows[~wrong]
    piece = EntryRows(part, entry, rows, unit).piece(layout)
    return [int(rows[place]) for place in wanted.fitting(piece)]
