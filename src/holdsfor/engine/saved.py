"""State as an Arrow table: one row for every piece of it, all constants spelled out.

| column | |
| --- | --- |
| `section` | what the row is: see `SECTIONS` |
| `symbol` | the event or fluent; of what metric rules carry on, the first predicate of the stratum and what in it |
| `args`, `value` | its arguments and value as canonical text; events have no value |
| `start`, `end` | when it happened, or from when to when it holds; null is before or after all time; of what metric rules carry on, cells of their time-line |

The clock (origin, border, last query time) and the fingerprint of the rules are in the metadata of the schema. Rows of
different instances have nothing to do with each other: a state may be cut apart by instance and put together again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.metric.plan import MetricStratum
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import width
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import EMPTY, Bools, Ints
from holdsfor.engine.metric.carried import Carried
from holdsfor.engine.metric.facts import Facts, maximal
from holdsfor.engine.metric.saved import PARTS, carried_facts, put_back, relations_of
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.spelling import NO_VALUE, Spelled, codes_in, encoded
from holdsfor.engine.state import Attempts, Border, Holding, Reports, Settled, State
from holdsfor.engine.tables import FOREVER, Events, Intervals, Points, times_in
from holdsfor.ir import EffectKind

VERSION = "1"
SECTIONS = (
    "holding",  # a pair that holds at the border, since `start`
    "settled",  # a pair whose past may change from `start` on; it is held at the time-point before
    "attempt",  # a pair whose delayed effects are under way, initiated at `start`
    "past",  # an interval that has ended
    "initiated",  # a pair initiated at `start`, for rules that look back
    "terminated",
    "derived",  # a derived event at `start`, for rules that look back
    "event",  # an input event that the next window sees again
    "report",  # a piece of an input fluent
    "cut report",  # the same, its beginning cut off
    "point",  # an input fluent at one time-point
    *PARTS,  # what metric rules carry on
)
SCHEMA = pa.schema(
    [
        pa.field("section", pa.string(), nullable=False),
        pa.field("symbol", pa.string(), nullable=False),
        pa.field("args", pa.list_(pa.field("item", pa.string(), nullable=False)), nullable=False),
        pa.field("value", pa.string()),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
    ]
)
_CLOCK = ("origin", "border", "query")
_COUNT = "conflicts"
_PREFIX = "holdsfor."
_EFFECTS = {EffectKind.INITIATED: "initiated", EffectKind.TERMINATED: "terminated"}


def to_table(state: State, prepared: Prepared) -> pa.Table:
    """A state as a table."""
    blocks = [block for block in _blocks(state.kept, prepared.dictionary) if len(block.start)]
    names = list(dict.fromkeys(block.name for block in blocks))
    texts = Spelled(prepared.dictionary)
    sizes = [len(block.start) for block in blocks]
    widths = np.repeat([len(block.args) for block in blocks], sizes) if blocks else EMPTY
    flat = _joined([np.stack(block.args, axis=1).reshape(-1) for block in blocks if block.args])
    start, end = _joined([block.start for block in blocks]), _joined([block.end for block in blocks])
    columns = [
        pa.array(SECTIONS).take(pa.array(_joined_sections(blocks))),
        pa.array(names, pa.string()).take(
            pa.array(np.repeat(np.array([names.index(block.name) for block in blocks], np.int64), sizes))
        ),
        pa.ListArray.from_arrays(
            pa.array(np.concatenate(([0], np.cumsum(widths))), pa.int32()),
            texts.column(flat),
            SCHEMA.field("args").type,
        ),
        texts.column(_joined([block.value for block in blocks])),
        pa.array(start, mask=start <= -FOREVER),
        pa.array(end, mask=end >= FOREVER),
    ]
    clock = {name: str(getattr(state, name)) for name in (*_CLOCK, _COUNT)}
    found = {"version": VERSION, "rules": prepared.fingerprint, **clock}
    return pa.table(columns, schema=SCHEMA.with_metadata({_PREFIX + name: text for name, text in found.items()}))


def from_table(table: pa.Table, prepared: Prepared) -> State:
    """The state of a table; that of other rules is refused."""
    found = _metadata(table)
    expected = prepared.fingerprint
    if found["rules"] != expected:
        raise HoldsforError(
            f"this state belongs to other rules: its fingerprint is {found['rules']}, that of these rules is "
            f"{expected}; run with the rules it was saved from, or begin anew without it"
        )
    origin, border, query = (int(found[name]) for name in _CLOCK)
    return State(origin, border, query, _Reader(table, prepared).border(), int(found[_COUNT]))


def to_bytes(state: State, prepared: Prepared) -> bytes:
    """A state as a compressed Arrow stream."""
    sink = pa.BufferOutputStream()
    table = to_table(state, prepared)
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def from_bytes(data: bytes, prepared: Prepared) -> State:
    """The state in an Arrow stream."""
    try:
        table = pa.ipc.open_stream(data).read_all()
    except pa.ArrowInvalid as problem:
        raise HoldsforError(f"this is no saved state: {problem}") from problem
    return from_table(table, prepared)


def split(table: pa.Table, part: Ints) -> dict[int, pa.Table]:
    """A state cut apart, given the number of the part that each row goes to; the first takes the counts along."""
    found = {number: table.filter(pa.array(part == number)) for number in np.unique(part).tolist()}
    return {number: one if place == 0 else _counting(one, 0) for place, (number, one) in enumerate(found.items())}


def merged(tables: Sequence[pa.Table]) -> pa.Table:
    """The parts of a state put together; they must come from one query time of one program."""
    first = _metadata(tables[0])
    for table in tables[1:]:
        other = _metadata(table)
        unlike = next((name for name in first if first[name] != other[name] and name != _COUNT), None)
        if unlike is not None:
            raise HoldsforError(
                f"states that do not belong together: {unlike} is {first[unlike]} in one and {other[unlike]} in another"
            )
    whole = pa.concat_tables([table.replace_schema_metadata(tables[0].schema.metadata) for table in tables])
    return _counting(whole, sum(int(_metadata(table)[_COUNT]) for table in tables))


def _counting(table: pa.Table, conflicts: int) -> pa.Table:
    return table.replace_schema_metadata(
        {**table.schema.metadata, (_PREFIX + _COUNT).encode(): str(conflicts).encode()}
    )


def _metadata(table: pa.Table) -> dict[str, str]:
    stored: Mapping[bytes, bytes] = table.schema.metadata or {}
    names = ("version", "rules", *_CLOCK, _COUNT)
    found = {name: stored[key].decode() for name in names if (key := (_PREFIX + name).encode()) in stored}
    if len(found) < len(names) or not table.schema.equals(SCHEMA):
        raise HoldsforError("this table is no saved state of a run")
    if found["version"] != VERSION:
        raise HoldsforError(f"the state was saved in version {found['version']} of the format; this is {VERSION}")
    return found


# Writing


@dataclass(frozen=True)
class _Block:
    """Rows of one section and symbol."""

    section: str | Ints
    symbol: Symbol | str
    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints

    @property
    def name(self) -> str:
        """What the rows are about."""
        return self.symbol if isinstance(self.symbol, str) else _name(self.symbol)


def _blocks(border: Border, dictionary: Dictionary) -> Iterator[_Block]:
    for symbol, held in border.holding.items():
        yield _Block("holding", symbol, held.args, held.value, held.since, _no_end(held.since))
    for symbol, done in border.settled.items():
        yield _Block("settled", symbol, done.args, done.value, done.first, _no_end(done.first))
    for symbol, tried in border.attempts.items():
        yield _Block("attempt", symbol, tried.args, tried.value, tried.initiated, _no_end(tried.initiated))
    for symbol, past in border.past.items():
        yield _Block("past", symbol, past.args, past.value, past.start, past.end)
    for (symbol, kind), points in border.points.items():
        yield _Block(_EFFECTS[kind], symbol, points.args, points.value, points.time, _no_end(points.time))
    for section, found in (("derived", border.derived), ("event", border.events)):
        for symbol, events in found.items():
            args = tuple(codes_of(column, dictionary) for column in events.args)
            none = np.full(len(events), NO_VALUE)
            yield _Block(section, symbol, args, none, events.time, _no_end(events.time))
    for symbol, strata in border.metric.items():
        for part, number, text, facts in carried_facts(strata):
            none = np.full(facts.rows, NO_VALUE)
            yield _Block(part, _slot(symbol, number) + text, facts.args, none, facts.start, facts.end)
    for symbol, reports in border.reports.items():
        place = SECTIONS.index("report") + reports.is_cut + 2 * reports.is_point
        yield _Block(place, symbol, reports.args, reports.value, reports.start, reports.end)


def _no_end(start: Ints) -> Ints:
    return np.full(len(start), FOREVER)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts) if parts else EMPTY


def _joined_sections(blocks: Sequence[_Block]) -> Ints:
    found = []
    for block in blocks:
        section = block.section
        found.append(np.full(len(block.start), SECTIONS.index(section)) if isinstance(section, str) else section)
    return _joined(found)


def _name(symbol: Symbol) -> str:
    return f"{symbol.kind} {symbol}"


def _slot(symbol: Symbol, number: int) -> str:
    return f"metric {symbol} | {number} | "


# Reading


class _Reader:
    def __init__(self, table: pa.Table, prepared: Prepared) -> None:
        self._dictionary = prepared.dictionary
        self._entities = prepared.analysis.entities
        self._metric = {stratum.members[0]: stratum.metric for stratum in prepared.plan.strata if stratum.metric}
        table = table.combine_chunks()
        section, symbol, args, value, start, end = (_one_chunk(column) for column in table.columns)
        self._sections, self._section = encoded(section)
        self._names, self._symbol = encoded(symbol)
        self._at = args.offsets.to_numpy().astype(np.int64)
        self._flat = codes_in(args.values, self._dictionary)
        self._value = codes_in(value, self._dictionary)
        self._start = times_in(start, -FOREVER)
        self._end = times_in(end, FOREVER)

    def border(self) -> Border:
        """Everything by section and symbol."""
        border = Border()
        symbols = {_name(symbol): symbol for symbol in self._entities.table}
        slots = {_slot(one, number): (one, number) for one in self._metric for number in range(len(self._strata(one)))}
        for place, name in enumerate(self._names):
            head, bar, text = name.rpartition(" | ")
            if head + bar in slots:
                self._add_metric(border, slots[head + bar], text, self._symbol == place)
                continue
            if name not in symbols:
                raise HoldsforError(f"the state is about {name}, which the rules do not know")
            reports: list[tuple[str, Ints]] = []
            mine = self._symbol == place
            for number, section in enumerate(self._sections):
                rows = np.flatnonzero(mine & (self._section == number))
                if len(rows) and section in ("report", "cut report", "point"):
                    reports.append((section, rows))
                elif len(rows):
                    self._add(border, section, symbols[name], rows)
            if reports:
                self._add_reports(border, symbols[name], reports)
        return border

    def _strata(self, symbol: Symbol) -> tuple[MetricStratum, ...]:
        return self._metric[symbol].strata

    def _add_metric(self, border: Border, slot: tuple[Symbol, int], text: str, mine: Bools) -> None:
        """What a stratum of metric rules carries on."""
        symbol, number = slot
        relations = relations_of(self._metric[symbol])
        carried = border.metric.setdefault(symbol, [Carried() for _ in self._strata(symbol)])[number]
        for place, part in enumerate(self._sections):
            rows = np.flatnonzero(mine & (self._section == place))
            if len(rows):
                wide = int(self._at[rows[0] + 1] - self._at[rows[0]])
                args = tuple(self._flat[self._at[rows] + column] for column in range(wide))
                put_back(carried, part, text, maximal([Facts(args, self._start[rows], self._end[rows])]), relations)

    def _columns(self, symbol: Symbol, rows: Ints) -> tuple[list[Ints], Ints]:
        """Arguments, value, start and end of some rows in order, without repetitions, and the rows."""
        wide = width(symbol)
        if not ((self._at[1:] - self._at[:-1])[rows] == wide).all():
            raise HoldsforError(f"the state has rows of {symbol} with another number of arguments")
        args = [self._flat[self._at[rows] + place] for place in range(wide)]
        columns = [*args, self._value[rows], self._start[rows], self._end[rows]]
        # By arguments and start for fluents with one value at a time, else by arguments, value and start.
        is_simple = symbol.kind is EntityKind.FLUENT and self._entities[symbol].role is Role.SIMPLE_FLUENT
        value, start, end = columns[-3:]
        order = np.lexsort((end, value, start, *reversed(args)) if is_simple else (end, start, value, *reversed(args)))
        columns = [column[order] for column in columns]
        fresh = np.ones(len(rows), np.bool_)
        fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
        return [column[fresh] for column in columns], rows[order][fresh]

    def _add(self, border: Border, section: str, symbol: Symbol, rows: Ints) -> None:
        (*args, value, start, end), _ = self._columns(symbol, rows)
        columns = tuple(args)
        match section:
            case "holding":
                border.holding[symbol] = Holding(columns, value, start)
            case "settled":
                border.settled[symbol] = Settled(columns, value, start)
            case "attempt":
                border.attempts[symbol] = Attempts(columns, value, start)
            case "past":
                is_simple = self._entities[symbol].role is Role.SIMPLE_FLUENT
                border.past[symbol] = Intervals(columns, value, start, end, single_valued=is_simple)
            case "initiated" | "terminated":
                kind = EffectKind.INITIATED if section == "initiated" else EffectKind.TERMINATED
                border.points[symbol, kind] = Points(columns, value, start)
            case "derived":
                border.derived[symbol] = Events(tuple(Codes(column) for column in columns), start)
            case "event":
                border.events[symbol] = Events(tuple(Codes(column) for column in columns), start)
            case _:
                raise HoldsforError(f"the state has a section {section!r}, which this version does not know")

    def _add_reports(self, border: Border, symbol: Symbol, found: Sequence[tuple[str, Ints]]) -> None:
        rows = _joined([rows for _, rows in found])
        kinds = np.repeat([section for section, _ in found], [len(rows) for _, rows in found])
        kind_of = np.empty(len(self._start), kinds.dtype)
        kind_of[rows] = kinds
        (*args, value, start, end), kept = self._columns(symbol, rows)
        is_cut: Bools = kind_of[kept] == "cut report"
        is_point: Bools = kind_of[kept] == "point"
        border.reports[symbol] = Reports(tuple(args), value, start, end, is_cut, is_point)


def _one_chunk(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks else pa.array([], column.type)
