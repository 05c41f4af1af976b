"""A core driven by hand: terms as text in, answers and changes as text out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor import loads
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.host import FOREVER, Host
from holdsfor.core.words import Words
from holdsfor.diagnostics import Source
from holdsfor.physical.encode import Encoder
from holdsfor.physical.lower import lower
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term
from tests.core.building import built_core

OPS = ("open", "extend", "close", "revise", "retract")


class Driven:
    """A core for some rules."""

    def __init__(self, rules: str, window: int | None = None, *, threads: int = 1) -> None:
        reasoner = loads(rules)
        self.analysis = reasoner.plan.analysis
        self.lowered = lower(reasoner.plan)
        encoder = Encoder()
        data = encoder.encode(self.lowered.plan)
        self.host = Host(self.lowered.goals, encoder.sites, self.analysis.background.rules)
        self.core = built_core().Core(data, self.host)
        self.words: Words = self.host.connect(self.core)
        self.tables = {symbol: number for number, symbol in enumerate(self.lowered.symbols)}
        self.core.set_window(window)
        self.core.keep_changes(True)
        self.threads = threads

    # Input

    def push(self, *events: tuple[int, str]) -> Driven:
        """Events, each with its time."""
        for time, text in events:
            self._event(self.core.insert_events, time, text)
        return self

    def retract(self, *events: tuple[int, str]) -> Driven:
        """Events that are taken back."""
        for time, text in events:
            self._event(self.core.retract_events, time, text)
        return self

    def _event(self, put: object, time: int, text: str) -> None:
        term = _term(text)
        symbol = self.analysis.entities.event(term)
        put(self.tables[symbol], _times(time), self._row(symbol, term))  # type: ignore[operator]

    def push_interval(self, start: int, end: float, text: str, *, is_point: bool = False) -> Driven:
        """An interval of an input fluent, `f(a)=v`."""
        self._interval(self.core.insert_intervals, start, end, text, is_point)
        return self

    def retract_interval(self, start: int, end: float, text: str, *, is_point: bool = False) -> Driven:
        """An interval that is taken back."""
        self._interval(self.core.retract_intervals, start, end, text, is_point)
        return self

    def _interval(self, put: object, start: int, end: float, text: str, is_point: bool) -> None:
        pair = _term(text)
        assert isinstance(pair, Compound)
        fluent, value = pair.args
        symbol = self.analysis.entities.pair(fluent, value)
        last = FOREVER if end == float("inf") else int(end)
        put(  # type: ignore[operator]
            self.tables[symbol],
            _times(start),
            _times(last),
            _words([self.words.word(value)]),
            self._row(symbol, fluent),
            np.array([is_point]),
        )

    def _row(self, symbol: Symbol, term: Term) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        return _words([self.words.word(arg) for arg in symbol.columns(term)])

    # Output

    def at(self, query: int) -> list[str]:
        """All that is shown at a query time, in order."""
        self.core.advance(query, self.threads)
        return sorted(self._shown())

    def _shown(self) -> Iterator[str]:
        for symbol, number in self.tables.items():
            columns = self.lowered.plan.tables[number].columns
            found = self.core.answers(number)
            rows = found[-1].reshape(len(found[0]), columns).tolist()
            for place, row in enumerate(rows):
                if len(found) == 2:
                    yield f"{self._text(symbol, row)} at {found[0][place]}"
                else:
                    value = print_term(self.words.term(int(found[2][place])))
                    yield f"{self._text(symbol, row)}={value} {_span(found[0][place], found[1][place])}"

    def changes(self) -> list[str]:
        """What has changed since the last time, with the numbers of the inputs that caused it."""
        found = {name: column.tolist() for name, column in self.core.changes().columns().items()}
        symbols = list(self.tables)
        made = []
        for place, table in enumerate(found["table"]):
            row = found["columns"][found["offsets"][place] : found["offsets"][place + 1]]
            value = print_term(self.words.term(found["value"][place]))
            text = f"{OPS[found['op'][place]]} {self._text(symbols[table], row)}={value} "
            text += _span(found["start"][place], found["end"][place])
            if found["op"][place] in (1, 2, 3):
                text += f" was {_span(found['prev_start'][place], found['prev_end'][place])}"
            text += f" id {found['first_start'][place]}@{found['first_query'][place]}"
            made.append(text)
        self.causes = [
            found["causes"][found["cause_offsets"][place] : found["cause_offsets"][place + 1]]
            for place in range(len(made))
        ]
        return made

    def _text(self, symbol: Symbol, row: list[int]) -> str:
        args = tuple(self.words.term(word) for word in row)
        return print_term(Compound(symbol.name, args) if args else Const(symbol.name))


def _term(text: str) -> Term:
    head = parse(Source("a test", f"{text}.")).clauses[0].head
    assert head is not None
    return head


def _span(start: int, end: int) -> str:
    return f"[{start}, {'inf' if end == FOREVER else end})"


def _times(time: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([time], np.int64)


def _words(words: list[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(words, np.uint64)
