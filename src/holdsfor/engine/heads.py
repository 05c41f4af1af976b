"""Heads of rules as columns: which terms are variables, constants or built from parts, worked out once for a plan."""

from __future__ import annotations

import numpy as np

from holdsfor.compiler.analysis.entities import Entities
from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.expressions import codes_of, column_of
from holdsfor.engine.frames import Codes, Column, Frame, Numbers
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.ir import EffectRule, EventRule
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Term, Var, variables


class Head:
    """The arguments of a rule's head, the value last if it has one."""

    def __init__(self, rule: EffectRule | EventRule, terms: tuple[Term, ...], entities: Entities) -> None:
        """`terms` are those of the head as variables are named in the body."""
        *said, time = terms
        if isinstance(rule, EffectRule):
            symbol = entities.fluent(rule.fvp)
            self.terms: tuple[Term, ...] = (*symbol.columns(said[0]), said[1])
        else:
            symbol = entities.event(rule.event)
            self.terms = symbol.columns(said[0])
        self._names = [frozenset(variable.name for variable in variables(term)) for term in self.terms]
        self._values = [value_of(term) if is_ground(term) else None for term in self.terms]
        assert isinstance(time, Var)
        self.time = time.name

    def wild(self, frame: Frame) -> tuple[bool, ...]:
        """Which terms have variables that a frame leaves open."""
        known = frame.columns.keys()
        return tuple([not names <= known for names in self._names])

    def column(self, place: int, frame: Frame, dictionary: Dictionary) -> Column:
        """The column of a term: codes, or numbers that have none yet."""
        term, value = self.terms[place], self._values[place]
        if isinstance(term, Var):
            return frame.columns[term.name]
        if value is not None:
            return Codes(np.full(frame.rows, dictionary.code(value)))
        return column_of(term, frame, dictionary)

    def codes(self, place: int, frame: Frame, dictionary: Dictionary) -> Ints:
        """The codes of a term."""
        return codes_of(self.column(place, frame, dictionary), dictionary)

    def times(self, frame: Frame) -> Ints:
        """The time-points of the rule."""
        column = frame.columns[self.time]
        # A frame without rows may not know of what kind its columns are.
        return column.data.astype(np.int64, copy=False) if isinstance(column, Numbers) else EMPTY
