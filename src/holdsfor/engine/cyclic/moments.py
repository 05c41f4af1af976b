"""Rules that are driven by what happens inside their own component: at which time-points that may be.

Such a rule has no event from outside to tell when it may fire. Every time-point counts at which any rule may touch an
instance, and so many time-points later a delayed effect of it. Delayed effects that set each other off could go on so up
to the query time, though few of them take place. So they are followed for some rounds only; the sweep then tells what
did take place, and time-points that were left out are added.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import times_of, width
from holdsfor.engine.expressions import evaluate
from holdsfor.engine.frames import Codes, Column, Frame, Numbers, distinct, stack
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.numbers import clipped
from holdsfor.engine.relations import join
from holdsfor.ir import DelayRule
from holdsfor.syntax.terms import Term, Var

if TYPE_CHECKING:
    from holdsfor.engine.cyclic.grounding import Grounding

SLOT, VALUE = "#slot", "#value"
"""Columns for the slots and values of conditions on the component."""
_TIME = "#time"
_FIRST_ROUNDS = 32
"""So often delayed effects are followed at first."""


class Moments:
    """The time-points of a grounding, by the arguments of instances."""

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding
        self._dictionary = grounding.evaluation.dictionary
        self._known: dict[Symbol, Frame] = {}
        self.rows = 0
        """How many there are."""
        self.is_complete = True
        """Whether every time-point is known at which anything may happen."""
        self._rounds = _FIRST_ROUNDS
        self._rounds_left = _FIRST_ROUNDS

    def at(self, symbol: Symbol, found: Frame, time: Term) -> Frame:
        """Slots of an event-like literal together with every time-point at which something may happen to them."""
        columns = self._argument_columns(symbol, found)
        timed = join(found.with_columns(columns), self._known.get(symbol, _none(symbol)), self._dictionary)
        kept = {name: column for name, column in timed.columns.items() if name not in columns}
        assert isinstance(time, Var)
        return Frame(timed.rows, {time.name if name == _TIME else name: column for name, column in kept.items()})

    def _argument_columns(self, symbol: Symbol, frame: Frame) -> dict[str, Column]:
        slot_name = next(name for name in frame.columns if name.startswith(SLOT))
        possible = self._grounding.possible
        rows = possible.places()[frame.ints(slot_name)]
        return {f"#c{place}": Codes(column[rows]) for place, column in enumerate(possible.known[symbol].args)}

    def are_more(self) -> bool:
        """Collect the time-points at which rules may touch each instance; says whether there are more than before."""
        component = self._grounding.component
        if not component.asks_moments:
            return False
        for way in component.ways:
            frame = self._grounding.solve(way)
            if frame.rows:
                self._add(way.symbol, way.head[0], frame, times_of(way.rule.time, frame))
        self.is_complete = self._rounds_left > 0 or not component.delays
        if self._rounds_left:
            self._rounds_left -= 1
            for rule in component.delays:
                self._add_delayed(rule)
        return self._has_grown()

    def _has_grown(self) -> bool:
        before, self.rows = self.rows, sum(frame.rows for frame in self._known.values())
        return self.rows > before

    def are_left_out(self, touched: Iterable[tuple[Symbol, tuple[Ints, ...], Ints]]) -> bool:
        """Add time-points at which something did happen to instances; says whether any of them was left out.

        Then twice as many rounds are left to follow delayed effects from there.
        """
        for symbol, args, time in touched:
            self.seed(symbol, args, time)
        if not self._has_grown():
            return False
        self._rounds *= 2
        self._rounds_left = self._rounds
        return True

    def _add(self, symbol: Symbol, terms: tuple[Term, ...], frame: Frame, time: Ints) -> None:
        frame = frame.with_columns({_TIME: Numbers(time)}).where(time <= self._grounding.evaluation.moment.now)
        if not all(names(term) <= frame.columns.keys() for term in terms):
            # A termination that leaves arguments open may touch every instance that matches.
            frame = join(frame, self._grounding.matching_slots(symbol, terms, "#any"), self._dictionary)
        columns = self._grounding.codes(terms, frame)
        found: dict[str, Column] = {f"#c{place}": Codes(column) for place, column in enumerate(columns)}
        found[_TIME] = frame.columns[_TIME]
        known = self._known.get(symbol)
        both = [Frame(frame.rows, found)] if known is None else [known, Frame(frame.rows, found)]
        self._known[symbol] = distinct(stack(both, found))

    def _add_delayed(self, rule: DelayRule) -> None:
        """A delayed effect may come about its delay after anything that may happen to its trigger."""
        entities = self._grounding.evaluation.entities
        symbol = entities.fluent(rule.trigger)
        target = rule.effect or rule.trigger
        affected = entities.fluent(target)
        if affected not in self._grounding.component.members:
            return
        frame, _, _ = self._grounding.delay_frame(rule)
        trigger = self._grounding.codes(symbol.columns(rule.trigger.fluent), frame)
        keyed = frame.with_columns({f"#c{place}": Codes(column) for place, column in enumerate(trigger)})
        timed = join(keyed, self._known.get(symbol, _none(symbol)), self._dictionary)
        due = timed.ints(_TIME) + clipped(evaluate(rule.delay, timed, self._dictionary)).astype(np.int64)
        self._add(affected, affected.columns(target.fluent), timed, due)

    def seed(self, symbol: Symbol, args: tuple[Ints, ...], time: Ints) -> None:
        """Count time-points known from before."""
        if self._grounding.component.asks_moments:
            terms = tuple(Var(f"#a{place}") for place in range(len(args)))
            frame = Frame(len(time), {term.name: Codes(column) for term, column in zip(terms, args, strict=True)})
            self._add(symbol, terms, frame, time)


def _none(symbol: Symbol) -> Frame:
    columns: dict[str, Column] = {f"#c{place}": Codes(EMPTY) for place in range(width(symbol))}
    return Frame(0, {**columns, _TIME: Numbers(EMPTY)})
