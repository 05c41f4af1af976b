"""Locates the input rows of an explanation: file and line, or table and row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary, value_of
from holdsfor.compiler.analysis.entities import Entities, EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.mapped import mapped_rows
from holdsfor.explain.nodes import Happening, Holding, Kind, Node, Row
from holdsfor.io.columns import Cells, encode
from holdsfor.io.frames import as_part
from holdsfor.io.inputs import input_files
from holdsfor.io.layouts import Layouts
from holdsfor.io.mapping import make_mapping, read_mapping
from holdsfor.io.rtec_rows import parse
from holdsfor.io.sources import blocks, shown_name
from holdsfor.syntax.terms import arguments

_MOST_ROWS = 40
"""The most rows of one explanation that are located."""
_MOST_SHOWN = 3


@dataclass(frozen=True)
class Sources:
    """The files or tables of a stream."""

    events: Any = None
    mapping: Any = None
    unit: str = "s"


@dataclass(frozen=True)
class Wanted:
    """An event or an interval of the input, with the words that its row must contain."""

    symbol: Symbol
    args: tuple[object, ...]
    value: object | None
    times: tuple[float, float]

    def fits(self, start: int, end: int | None, args: tuple[object, ...], value: object | None) -> bool:
        """Whether a row is the event, or lies within the interval."""
        if args != self.args:
            return False
        if self.value is None:
            return start == self.times[0]
        return value == self.value and start < self.times[1] and (start + 1 if end is None else end) > self.times[0]


def with_rows(root: Node, sources: Sources, plan: Plan) -> Node:
    """A tree with the locations of its rows, if they can be found."""
    entities = plan.analysis.entities
    wanted: dict[Wanted, list[Row]] = {}
    for node in root.walk():
        one = _wanted(node, entities)
        if one is not None and len(wanted) < _MOST_ROWS:
            wanted.setdefault(one, [])
    if not wanted or sources.events is None:
        return root
    for one, row in _found(sources, wanted, plan):
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
    if node.kind is not Kind.ROW:
        return None
    if isinstance(node.claim, Happening):
        args = tuple(value_of(arg) for arg in arguments(node.claim.event))
        symbol = entities.event(node.claim.event)
        return Wanted(symbol, args, None, (node.claim.time, node.claim.time + 1))
    if isinstance(node.claim, Holding) and node.claim.interval is not None:
        fluent, value = node.claim.pair
        args = tuple(value_of(arg) for arg in arguments(fluent))
        return Wanted(entities.pair(fluent, value), args, value_of(value), (node.claim.time, node.claim.time + 1))
    return None


def _found(sources: Sources, wanted: Mapping[Wanted, object], plan: Plan) -> Iterator[tuple[Wanted, Row]]:
    if isinstance(sources.events, Mapping):
        yield from _in_tables(sources.events, wanted)
        return
    layouts = Layouts(plan.analysis.entities)
    paths = [sources.events] if isinstance(sources.events, str | Path) else list(sources.events)
    if sources.mapping is not None:
        given = sources.mapping
        mapping = make_mapping(given) if isinstance(given, Mapping) else read_mapping(given)
        yield from mapped_rows(input_files(paths, mapping), mapping, wanted, layouts)
        return
    for path in input_files(paths):
        if str(path) != "-":
            yield from _in_file(path, wanted, layouts)


def _in_file(path: str | Path, wanted: Mapping[Wanted, object], layouts: Layouts) -> Iterator[tuple[Wanted, Row]]:
    """Rows of a file in RTEC's format. Lines are filtered by name and words before they are parsed."""
    line = 0
    for block in blocks(path):
        for one in wanted:
            for at in _candidates(block, one):
                begin, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
                text = block[begin : end if end >= 0 else len(block)]
                if _says(text, one, layouts):
                    number = line + block.count(b"\n", 0, begin) + 1
                    yield one, Row(text.decode(errors="replace").strip(), shown_name(path), number)
        line += block.count(b"\n")


def _candidates(block: bytes, wanted: Wanted) -> Iterator[int]:
    """The offsets of lines that may contain the name, the words and, for events, the time."""
    name = f"{wanted.symbol.name}|".encode()
    words = [f"|{arg}".encode() for arg in wanted.args if isinstance(arg, str)]
    if wanted.symbol.kind is EntityKind.EVENT:
        words.insert(0, f"|{int(wanted.times[0])}".encode())
    # The word that is searched first should occur in few lines.
    first, *others = words or [name]
    at, last = block.find(first), -1
    while at >= 0:
        begin, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
        end = end if end >= 0 else len(block)
        if begin != last and block.startswith(name, begin) and all(block.find(w, begin, end) >= 0 for w in others):
            last = begin
            yield at
        at = block.find(first, at + 1)


def _says(line: bytes, wanted: Wanted, layouts: Layouts) -> bool:
    parsed = parse(line + b"\n", layouts)
    for piece in parsed.pieces:
        if piece.layout.symbol == wanted.symbol:
            args = tuple(_cell(cells) for cells in piece.args)
            value = None if piece.value is None else _cell(piece.value)
            end = None if piece.end is None else int(piece.end[0])
            return wanted.fits(int(piece.start[0]), end, args, value)
    return False


def _cell(cells: Cells) -> object:
    dictionary = Dictionary()
    return dictionary.values[int(encode([cells], dictionary)[0])]


def _in_tables(tables: Mapping[str, Any], wanted: Mapping[Wanted, object]) -> Iterator[tuple[Wanted, Row]]:
    """Rows of in-memory tables, with numeric times; the line is the row number."""
    for name, frame in tables.items():
        of_name = [one for one in wanted if one.symbol.name == name]
        if not of_name:
            continue
        first = ["start", "end", "value"] if of_name[0].symbol.kind is EntityKind.FLUENT else ["time"]
        try:
            table = as_part(frame, f"events[{name!r}]", first).table
        except HoldsforError:
            continue
        for one in of_name:
            yield from ((one, row) for row in _table_rows(name, table, one))


def _table_rows(name: str, table: pa.Table, wanted: Wanted) -> Iterator[Row]:
    special = [column for column in ("time", "start", "end", "value", "arrival") if column in table.column_names]
    start = "start" if "start" in special and "end" in special else "time"
    if start not in special or not pa.types.is_integer(table[start].type):
        return
    low, high = wanted.times
    near = pc.less(table[start], int(high))
    if wanted.value is None:
        near = pc.equal(table[start], int(low))
    for number in pc.indices_nonzero(near).to_pylist():
        row = {column: table[column][number].as_py() for column in table.column_names}
        args = tuple(value for column, value in row.items() if column not in special)
        end = row.get("end") if start == "start" else None
        value = row.get("value", "true") if wanted.value is not None else None
        if wanted.fits(row[start], None if end is None else int(end), args, value):
            yield Row(", ".join(f"{column}={value}" for column, value in row.items()), f"events[{name!r}]", number + 1)
