"""What is worked out once for a plan and a dictionary, and used in every window."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.fingerprint import fingerprint
from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import Ints
from holdsfor.engine.patterns import Pattern
from holdsfor.engine.relations import Lookup
from holdsfor.engine.retention import Retention, retention
from holdsfor.engine.rule_notes import rule_notes
from holdsfor.ir import Call
from holdsfor.logic.solver import Solver
from holdsfor.syntax.terms import arguments, functor

if TYPE_CHECKING:
    from holdsfor.engine.cyclic.component import Component

Facts = tuple[tuple[Ints, ...], int]
"""The columns of a fact table, and its number of rows."""

_MOST = 1 << 12


class Prepared:
    """A plan with the codes of its run."""

    def __init__(self, plan: Plan, dictionary: Dictionary) -> None:
        self.plan = plan
        self.analysis: Analysis = plan.analysis
        self.notes = rule_notes(plan)
        self.dictionary = dictionary
        self.kept: Retention = retention(plan)
        self._facts: dict[tuple[str, int], Facts] = {}
        self._lookups: dict[int, tuple[Call, Lookup]] = {}

    def lookup(self, literal: Call) -> Lookup:
        """The facts that match a condition."""
        found = self._lookups.get(id(literal))
        if found is None:
            name = functor(literal.atom)
            assert name is not None
            if name not in self._facts:
                self._facts[name] = self._fact_table(name)
            facts, rows = self._facts[name]
            columns = [Codes(column) for column in facts]
            matched = Pattern(arguments(literal.atom)).match(columns, rows, self.dictionary)
            if len(self._lookups) >= _MOST:
                # Some conditions are put together for one evaluation only.
                self._lookups.clear()
            found = self._lookups[id(literal)] = literal, Lookup(matched, self.dictionary)
        return found[1]

    def _fact_table(self, name: tuple[str, int]) -> Facts:
        columns, rows = self.notes.facts(name)
        return tuple(self.dictionary.encode(column) for column in columns), rows

    def component(self, stratum: Stratum) -> Component:
        """The rules of a stratum that is swept, taken apart."""
        return self.notes.component(stratum)

    @cached_property
    def fingerprint(self) -> str:
        """A short name for the rules."""
        return fingerprint(self.plan)

    @cached_property
    def solver(self) -> Solver:
        """A solver for background predicates that cannot be tabulated."""
        return self.analysis.background.solver(self.dictionary.failures)
