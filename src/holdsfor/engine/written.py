"""List predicates of a program in `holdsFor` rules, one candidate after the other.

What works on interval lists by way of `findall`, `member` and the like has no operator of its own. Each candidate's lists
become terms, a plain solver solves the condition, and every solution is a candidate: with the lists it gives, which are
kept aside by number, and with its other values as columns. Slow, and right whatever the program says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from holdsfor.compiler.analysis.variants import Goal
from holdsfor.engine.dictionary import value_of
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers
from holdsfor.engine.kernels import EMPTY, Spans
from holdsfor.engine.tables import FOREVER
from holdsfor.logic.arithmetic import NoValue
from holdsfor.logic.interval_lists import ListSolver, decode, encode
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.syntax.terms import ListTerm, Term, Var


class Goals:
    """The list predicates of one way through a rule, and the lists that they gave."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._dictionary = evaluation.dictionary
        background = evaluation.analysis.background
        self._solver = ListSolver(background.rules)
        self._solver.failures = evaluation.dictionary.failures
        # Programs count in time, the engine in clock ticks; rules that ask for the query time get it in ticks.
        self._tick = evaluation.analysis.program.clock_tick
        self._solver.now = evaluation.moment.now
        self._kept: list[Term] = []
        """Lists and other terms that are no constants, by number."""

    def solve(self, goal: Goal, frame: Frame, lists: Mapping[str, Spans]) -> Frame:
        """The candidates for which a condition has solutions, once for each, with what it binds."""
        rows: list[int] = []
        found: dict[str, list[Term]] = {name: [] for name in goal.gives}
        known = self._known(frame, lists)
        for row in range(frame.rows):
            bindings = {name: terms[row] for name, terms in known.items()}
            for answer in self._solver.solve((goal.literal,), bindings):
                given = {name: resolve(Var(name), answer) for name in goal.gives}
                if all(is_ground(term) for term in given.values()):
                    rows.append(row)
                    for name, term in given.items():
                        found[name].append(term)
        columns = {name: terms for name, terms in found.items() if name not in frame.columns}
        return frame.take(np.array(rows, np.int64)).with_columns(
            {name: column for place, terms in columns.items() for name, column in self._columns(place, terms)}
        )

    def _known(self, frame: Frame, lists: Mapping[str, Spans]) -> dict[str, list[Term]]:
        """What the variables of a condition stand for, candidate by candidate."""
        known: dict[str, list[Term]] = {}
        for name, column in frame.columns.items():
            if name.startswith(_KEPT):
                known[name.removeprefix(_KEPT)] = [self._kept[number] for number in frame.ints(name).tolist()]
            elif not name.startswith("#") and not isinstance(column, Lists):
                known[name] = self._dictionary.terms(codes_of(column, self._dictionary).tolist())
        for name, spans in lists.items():
            known[name] = self._terms(spans, frame.rows)
        return known

    def _terms(self, spans: Spans, rows: int) -> list[Term]:
        space = self._evaluation.space
        listed: list[list[tuple[float, float]]] = [[] for _ in range(rows)]
        group = (spans[0] >> space.time_bits).tolist()
        for row, start, end in zip(group, space.plain(spans[0]).tolist(), space.plain(spans[1]).tolist(), strict=True):
            listed[row].append((_time(start) * self._tick, _time(end) * self._tick))
        return [encode(intervals) for intervals in listed]

    def _columns(self, name: str, terms: list[Term]) -> list[tuple[str, Column]]:
        """Constants as a column; lists and other terms by their number as well."""
        first = len(self._kept)
        self._kept += terms
        kept: Column = Numbers(np.arange(first, first + len(terms)))
        if any(isinstance(term, ListTerm) for term in terms):
            ends = [time for term in terms for interval in self._intervals(term) for time in interval]
            finite = [int(time) for time in ends if math.isfinite(time)]
            if finite:
                self._evaluation.make_room(min(finite), max(finite))
            return [(_KEPT + name, kept)]
        return [(name, Codes(self._dictionary.encode([value_of(term) for term in terms])))]

    def spans(self, name: str, frame: Frame) -> Spans:
        """A list that a condition gave, for every candidate."""
        if _KEPT + name not in frame.columns:
            return EMPTY, EMPTY
        found: list[tuple[int, float, float]] = []
        for row, number in enumerate(frame.ints(_KEPT + name).tolist()):
            found += [(row, start, end) for start, end in self._intervals(self._kept[number])]
        space = self._evaluation.space
        rows, starts, ends = (np.array([_whole(one[place]) for one in found], np.int64) for place in range(3))
        return space.pack(rows, starts), space.pack(rows, ends)

    def _intervals(self, term: Term) -> list[tuple[float, float]]:
        """The intervals of a list, in ticks."""
        try:
            found = decode(term)
        except NoValue:
            return []
        return [(_ticks(start, self._tick), _ticks(end, self._tick)) for start, end in found]


_KEPT = "#kept:"


def _ticks(time: float, tick: int) -> float:
    """The first tick at a time or after it."""
    return time if math.isinf(time) else -(-int(time) // tick)


def _time(time: int) -> float:
    return math.inf if time >= FOREVER else -math.inf if time <= -FOREVER else time


def _whole(time: float) -> int:
    return int(time) if math.isfinite(time) else int(FOREVER) if time > 0 else -int(FOREVER)
