"""Tables and border states as rows of a heap, and back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.engine.carrying import first_unsettled
from holdsfor.engine.evaluation import Evaluation, width
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.state import Attempts, Border, Holding, Settled
from holdsfor.engine.tables import Events, Intervals, Points
from holdsfor.incremental.heap import FIRST, SECTION, Rows, different, padded, stacked
from holdsfor.incremental.keys import keys_of, part_keys
from holdsfor.ir import EffectKind

EVERYWHERE = -1
"""The key of rows that every key reads."""
NEW, FINAL = 1, 2
"""A row of a result says something that no pane before it said; no pane after it will say it again."""


_COLUMNS = {"holding": 2, "settled": 2, "attempt": 2, "past": 3, "points": 2, "derived": 1}
"""How many columns each part of a border state has beside the arguments."""


Columns = tuple[str, Symbol, tuple[Ints, ...], EffectKind | None]
"""The kind of a table, its symbol, its columns, and whether it has initiations or terminations."""


@dataclass(frozen=True)
class Section:
    """One table: what it is, and of which symbol."""

    kind: str
    symbol: Symbol
    effect: EffectKind | None = None


@dataclass
class Sections:
    """The tables of a stage, numbered; `spreading` has the places of the keys of every symbol: a row is there once for
    each of them, and those of symbols that every key reads have a key of their own. `parts` are those of them that are
    read by a part of a key, and which argument that is.
    """

    prepared: Prepared
    spreading: Mapping[Symbol, Sequence[Sequence[int]] | None]
    asked: Collection[tuple[Symbol, EffectKind]] | None = None
    """The initiations and terminations that other stages ask about; None is all."""
    parts: Mapping[Symbol, int] = field(default_factory=dict)
    width: int = field(init=False)
    has_shared: bool = field(init=False)
    """Whether there are rows that every key reads."""
    _numbers: dict[Section, int] = field(default_factory=dict)
    _listed: list[Section] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Key, section, arguments, value, start, end and flags.
        self.width = FIRST + max((width(symbol) for symbol in self.prepared.notes.roles), default=0) + 4
        self.has_shared = any(places is None and symbol not in self.parts for symbol, places in self.spreading.items())

    def number(self, kind: str, symbol: Symbol, effect: EffectKind | None = None) -> int:
        """The number of a table."""
        section = Section(kind, symbol, effect)
        found = self._numbers.get(section)
        if found is None:
            found = self._numbers[section] = len(self._listed)
            self._listed.append(section)
        return found

    def tables(self, rows: Rows) -> Iterator[tuple[Section, Rows]]:
        """Rows by the table that they belong to."""
        sections = rows[:, SECTION]
        numbers = different(sections)
        if len(numbers) == 1:
            yield self._listed[int(numbers[0])], rows
            return
        for number in numbers.tolist():
            yield self._listed[number], rows[sections == number]

    def rows(self, kind: str, symbol: Symbol, columns: tuple[Ints, ...], effect: EffectKind | None = None) -> Rows:
        """The columns of a table as rows."""
        number, count = self.number(kind, symbol, effect), len(columns[-1])
        spreading = self.spreading[symbol]
        if spreading is None:
            return padded(columns, self._shared_keys(symbol, columns, count), number, self.width)
        made = [padded(columns, keys_of(columns, places, count), number, self.width) for places in spreading]
        return stacked(made, self.width)

    def key(self, symbol: Symbol, args: Sequence[int]) -> int:
        """The key of one instance of a member."""
        spreading = self.spreading[symbol]
        assert spreading is not None
        if len(spreading[0]) == 1:
            return args[spreading[0][0]]
        return int(keys_of([np.array([code]) for code in args], spreading[0], 1)[0])

    def keys(self, symbol: Symbol, args: tuple[Ints, ...], count: int) -> Ints:
        """The keys of rows of a symbol, all by the first places of keys, then all by the next."""
        spreading = self.spreading[symbol]
        if spreading is None:
            return self._shared_keys(symbol, args, count)
        return np.concatenate([keys_of(args, places, count) for places in spreading])

    def _shared_keys(self, symbol: Symbol, columns: tuple[Ints, ...], count: int) -> Ints:
        place = self.parts.get(symbol)
        return np.full(count, EVERYWHERE) if place is None else part_keys(columns[place])

    def of_state(self, border: Border) -> Rows:
        """A border state as rows, without the input that is kept elsewhere."""
        found = [self.rows(*columns) for columns in self.state_columns(border)]
        return stacked(found, self.width)

    def state_columns(self, border: Border) -> Iterator[Columns]:
        """The tables of a border state, without the input that is kept elsewhere."""
        dictionary = self.prepared.dictionary
        for symbol, held in border.holding.items():
            yield "holding", symbol, (*held.args, held.value, held.since), None
        for symbol, done in border.settled.items():
            yield "settled", symbol, (*done.args, done.value, done.first), None
        for symbol, tried in border.attempts.items():
            yield "attempt", symbol, (*tried.args, tried.value, tried.initiated), None
        for symbol, past in border.past.items():
            yield "past", symbol, (*past.args, past.value, past.start, past.end), None
        for (symbol, effect), points in border.points.items():
            yield "points", symbol, (*points.args, points.value, points.time), effect
        for symbol, events in border.derived.items():
            args = tuple(codes_of(column, dictionary) for column in events.args)
            yield "derived", symbol, (*args, events.time), None

    def state(self, rows: Rows) -> Border:
        """The border state in rows."""
        border = Border()
        for section, found in self.tables(rows):
            self.add_to_state(border, section, *self._columns(section.symbol, found, _COLUMNS[section.kind]))
        return border

    def add_to_state(self, border: Border, section: Section, args: tuple[Ints, ...], rest: Sequence[Ints]) -> None:
        """Put a table into a border state."""
        symbol = section.symbol
        match section.kind:
            case "holding":
                border.holding[symbol] = Holding(args, *rest)
            case "settled":
                border.settled[symbol] = Settled(args, *rest)
            case "attempt":
                border.attempts[symbol] = Attempts(args, *rest)
            case "past":
                value, start, end = rest
                border.past[symbol] = Intervals(args, value, start, end, single_valued=self.is_simple(symbol))
            case "points":
                assert section.effect is not None
                border.points[symbol, section.effect] = Points(args, rest[0], rest[1])
            case "derived":
                border.derived[symbol] = Events(tuple(map(Codes, args)), rest[0])

    def _columns(self, symbol: Symbol, rows: Rows, count: int) -> tuple[tuple[Ints, ...], list[Ints]]:
        """Arguments and other columns of a table, in the order that the engine has its rows in, each once."""
        wide = width(symbol)
        columns = [rows[:, place] for place in range(FIRST, FIRST + wide + count)]
        args, rest = columns[:wide], columns[wide:]
        if len(rows) < 2:
            return tuple(args), rest
        # By arguments and time for fluents with one value at a time, else by arguments, value and time.
        last = [rest[1], rest[0], *rest[2:]] if count > 1 and self.is_simple(symbol) else rest
        order = np.lexsort((*reversed(last), *reversed(args)))
        columns = [column[order] for column in columns]
        fresh = np.ones(len(order), np.bool_)
        fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
        columns = [column[fresh] for column in columns]
        return tuple(columns[:wide]), columns[wide:]

    def of_results(self, evaluation: Evaluation, symbols: Sequence[Symbol]) -> Rows:
        """What a stage has worked out, as rows."""
        found = [self.rows(*columns) for columns in self.result_columns(evaluation, symbols)]
        return stacked(found, self.width)

    def result_columns(self, evaluation: Evaluation, symbols: Sequence[Symbol]) -> Iterator[Columns]:
        """The tables of what a stage has worked out."""
        for symbol in symbols:
            if symbol.kind is EntityKind.EVENT:
                yield self._happened(symbol, evaluation)
                continue
            table = evaluation.fluents[symbol]
            flags = self._flags(symbol, table, evaluation)
            yield "table", symbol, (*table.args, table.value, table.start, table.end, flags), None
            settled = evaluation.next_border.settled.get(symbol)
            if settled is not None:
                yield "unsettled", symbol, (*settled.args, settled.value, settled.first), None
            for effect in EffectKind:
                if self.asked is not None and (symbol, effect) not in self.asked:
                    continue
                points = evaluation.points.get((symbol, effect))
                is_open = effect is EffectKind.TERMINATED and symbol in self.prepared.notes.openly_ended
                if points is not None and not is_open:
                    yield "effects", symbol, (*points.args, points.value, points.time), effect

    def _happened(self, symbol: Symbol, evaluation: Evaluation) -> Columns:
        events = evaluation.derived[symbol]
        args = tuple(codes_of(column, self.prepared.dictionary) for column in events.args)
        moment = evaluation.moment
        flags = NEW * (events.time > moment.border) + FINAL * (events.time <= moment.next_border)
        return "happened", symbol, (*args, events.time, flags), None

    def _flags(self, symbol: Symbol, table: Intervals, evaluation: Evaluation) -> Ints:
        """What rows of a table are new in their pane, and final."""
        if symbol in evaluation.kept.derivable:
            # Worked out from the whole history every time: the last pane says it all.
            return np.full(len(table), NEW)
        lag, moment = evaluation.kept.lag.get(symbol, 0), evaluation.moment
        before = first_unsettled(table, evaluation.border.settled.get(symbol), moment.border - lag)
        after = first_unsettled(table, evaluation.next_border.settled.get(symbol), moment.next_border - lag)
        is_new = table.end > before if moment.border >= moment.origin else np.ones(len(table), np.bool_)
        return NEW * is_new + FINAL * (table.end <= after)

    def intervals(self, symbol: Symbol, rows: Rows) -> Intervals:
        """A fluent's table."""
        args, (value, start, end) = self._columns(symbol, rows, 3)
        return Intervals(args, value, start, end, single_valued=self.is_simple(symbol))

    def events(self, symbol: Symbol, rows: Rows) -> Events:
        """Occurrences of an event."""
        args, (time,) = self._columns(symbol, rows, 1)
        return Events(tuple(map(Codes, args)), time)

    def points(self, symbol: Symbol, rows: Rows) -> Points:
        """Points at which values are initiated or terminated."""
        args, (value, time) = self._columns(symbol, rows, 2)
        return Points(args, value, time)

    def unsettled(self, symbol: Symbol, rows: Rows) -> Settled:
        """From when on the past of instances may change."""
        args, (value, first) = self._columns(symbol, rows, 2)
        return Settled(args, value, first)

    def is_simple(self, symbol: Symbol) -> bool:
        """Whether a fluent has one value at a time."""
        return symbol.kind is EntityKind.FLUENT and self.prepared.notes.roles[symbol] is Role.SIMPLE_FLUENT
