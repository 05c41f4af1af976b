"""The conditions of a rule on its own component, and when the slots are found that they ask about.

A condition that other conditions give all its variables need not be joined with what may hold: it enumerates nothing.
Its slots are looked up once they are all known, and a slot that there is not holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import count, takewhile

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.cyclic.growth import Mode, Split
from holdsfor.engine.dictionary import Value, value_of
from holdsfor.ir import (
    Assign,
    Body,
    Boundary,
    Call,
    Effect,
    Happens,
    Holds,
    Instance,
    Literal,
    variable_names,
)
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Term, Var, functor


@dataclass(frozen=True)
class Condition:
    """A condition on the component."""

    literal: Happens | Holds | Boundary | Effect | Instance
    symbol: Symbol
    args: tuple[Term, ...]
    value: Term | None
    """None for an event."""
    mode: Mode
    number: int
    """To name its columns by, where it is joined."""
    about: int
    """The same for conditions and heads that are about the same slots wherever they stand in one rule."""
    waits: bool
    """Whether its slots are looked up once all are known."""

    @cached_property
    def fixed_value(self) -> Value | None:
        """The value, if it is a constant."""
        return None if self.value is None or not is_ground(self.value) else value_of(self.value)


@dataclass(frozen=True)
class Part:
    """A body: what of it is solved beforehand, and its conditions on the component."""

    split: Split
    body: Body
    """Without the conditions that wait."""
    conditions: tuple[Condition, ...]

    @cached_property
    def joined(self) -> tuple[Condition, ...]:
        """The conditions that are part of what is solved."""
        return tuple(condition for condition in self.conditions if not condition.waits)

    @cached_property
    def by_literal(self) -> dict[int, Condition]:
        """The same by the identity of their literals."""
        return {id(condition.literal): condition for condition in self.joined}

    @cached_property
    def outside(self) -> Body:
        """The literals that the body begins with and that do not ask about the component."""
        return tuple(takewhile(lambda literal: id(literal) not in self.by_literal, self.body))

    @cached_property
    def reads(self) -> tuple[Condition, ...]:
        """The conditions whose values the sweep reads."""
        by_literal = {id(condition.literal): condition for condition in self.conditions}
        return tuple(by_literal[id(read)] for read in self.split.reads)


class Parts:
    """Tells which conditions wait, in all bodies of a component."""

    def __init__(self, analysis: Analysis, *, may_wait: bool) -> None:
        self.analysis = analysis
        self._may_wait = may_wait
        self._numbers = count()
        self._about: dict[tuple[Symbol, tuple[Term, ...]], int] = {}

    def about(self, symbol: Symbol, args: tuple[Term, ...]) -> int:
        """A number for what conditions and heads are about."""
        return self._about.setdefault((symbol, args), len(self._about))

    def whole(self, split: Split) -> Part:
        """The body of a rule."""
        return self._part(split, set())

    def inner(self, split: Split, around: Split) -> Part:
        """The body of a negation."""
        bound: set[str] = set()
        for literal in around.body:
            bound |= self._binds(literal, around)
        return self._part(split, bound)

    def _part(self, split: Split, bound: set[str]) -> Part:
        conditions, body = [], []
        for literal in split.body:
            mode = split.modes.get(id(literal))
            waits = False
            if mode is not None:
                condition = self._condition(literal, mode, bound)
                waits = condition.waits
                conditions.append(condition)
            if not waits:
                body.append(literal)
                bound = bound | self._binds(literal, split)
        return Part(split, tuple(body), tuple(conditions))

    def _condition(self, literal: Literal, mode: Mode, bound: set[str]) -> Condition:
        symbol = symbol_of(self.analysis, literal)
        number = next(self._numbers)
        if isinstance(literal, Happens):
            args = symbol.columns(literal.event)
            return Condition(literal, symbol, args, None, mode, number, self.about(symbol, args), waits=False)
        assert isinstance(literal, Holds | Boundary | Effect | Instance)
        args, value = symbol.columns(literal.fvp.fluent), literal.fvp.value
        is_pair = mode is Mode.PAIR
        # Pairs outside their groundings are not seen, which is told by enumerating those that are.
        is_declared = is_pair and bool(self.analysis.entities[symbol].groundings)
        waits = self._may_wait and isinstance(literal, Holds) and not is_declared
        waits = waits and _are_given((*args, value) if is_pair else args, bound)
        return Condition(literal, symbol, args, value, mode, number, self.about(symbol, args), waits)

    def _binds(self, literal: Literal, split: Split) -> set[str]:
        """The variables that certainly have a value in every row after a literal was solved."""
        match literal:
            case Happens() | Boundary() | Effect() | Instance():
                return variable_names((literal,))
            case Holds(fvp=fvp, time=time):
                is_open = split.modes.get(id(literal)) in (Mode.ANY, Mode.READ)
                return (names(fvp.fluent) | names(time)) if is_open else variable_names((literal,))
            case Assign(target=target):
                return names(target)
            case Call(atom=atom):
                name = functor(atom)
                is_table = name is not None and name not in LIBRARY and self.analysis.background.is_table(name)
                return variable_names((literal,)) if is_table else set()
            case _:
                return set()


def _are_given(terms: Iterable[Term], bound: set[str]) -> bool:
    return all(term.name in bound if isinstance(term, Var) else is_ground(term) for term in terms)


def symbol_of(analysis: Analysis, literal: Literal) -> Symbol:
    """What a temporal literal is about."""
    if isinstance(literal, Happens):
        return analysis.entities.event(literal.event)
    assert isinstance(literal, Holds | Boundary | Effect | Instance)
    return analysis.entities.fluent(literal.fvp)
