"""Provides the facts of a metric program as tables for pattern lookup, decoded on demand.

Recursive predicates are also evaluated round by round, until the fact in question is derived. A fact rests only on
facts of earlier rounds, so that no proof is circular.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.endless import NeverEnds
from holdsfor.columns.metric.facts import FactSet, no_facts
from holdsfor.columns.metric.timeline import columns_of, scale_of
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.plan import make_metric_plan
from holdsfor.core.metric_driver import materialise
from holdsfor.diagnostics import ProgramError
from holdsfor.ir.metric import Atom, MetricProgram
from holdsfor.reference.metric.bindings import FactTimes, Ground, Place
from holdsfor.reference.metric.evaluator import atom_times, consequences, times_of
from holdsfor.reference.metric.needs import Signature, Stratum, strata, uses, windows
from holdsfor.reference.metric.times import Cut, Times
from holdsfor.syntax.terms import Const, Var

_MOST_ROUNDS = 2_000


class Table:
    """The facts of a predicate, by arguments."""

    def __init__(self, found: FactSet, signature: Signature, dictionary: Dictionary) -> None:
        self._facts, self._scale = found.tables.get(signature) or no_facts(signature[1]), found.scale
        self._dictionary = dictionary
        self._decoded: dict[Ground, Times] = {}

    def matching(self, pattern: Sequence[Const | Var] = ()) -> list[Ground]:
        """The argument tuples that match a pattern."""
        columns = self._facts.args
        found = dict.fromkeys(tuple(int(column[row]) for column in columns) for row in self._rows(pattern).tolist())
        return [tuple(Const(self._dictionary.values[code]) for code in codes) for codes in found]  # type: ignore[arg-type]

    def times(self, args: Ground) -> Times:
        """The times at which a fact holds."""
        if args not in self._decoded:
            rows = self._rows(args)
            ends = zip(self._facts.start[rows].tolist(), self._facts.end[rows].tolist(), strict=True)
            self._decoded[args] = Times.of((self._cut(start), self._cut(end)) for start, end in ends)
        return self._decoded[args]

    def _cut(self, cell: int) -> Cut:
        """The start of a cell: a point is an even cell, the gap after it the odd one."""
        if abs(cell) >= FOREVER:
            return (math.inf, 0) if cell > 0 else (-math.inf, 1)
        return Fraction(cell >> 1, self._scale), cell & 1

    def _rows(self, pattern: Sequence[Const | Var]) -> Ints:
        found = np.ones(self._facts.rows, np.bool_)
        for column, arg in zip(self._facts.args, pattern, strict=False):
            if isinstance(arg, Const):
                found &= column == self._dictionary.find(arg.value)
        return np.flatnonzero(found)


class _Lookup(FactTimes):
    """Facts that are looked up by pattern."""

    def domain(self, places: Iterable[Place]) -> Iterable[Const]:
        """The values that facts have at some places."""
        return dict.fromkeys(args[place] for signature, place in places for args in self.matching(signature, ()))


class MetricWorld(_Lookup):
    """All facts and results around a time."""

    def __init__(
        self,
        program: MetricProgram,
        facts: FactSet,
        dictionary: Dictionary,
        time: Fraction,
        within: tuple[Fraction | None, Fraction | None],
    ) -> None:
        self.program, self.facts, self.dictionary, self._within = program, facts, dictionary, within
        self._heads = {rule.head.signature for rule in program.rules}
        self._needed = windows(program, (time, time))
        self.windows = {signature: times_of(needed) for signature, needed in self._needed.items()}
        self._written = columns_of(program.facts, scale_of((), program.facts), dictionary)
        self._strata = {signature: stratum for stratum in strata(program) for signature in stratum.signatures}
        self._tables: dict[tuple[str, Signature], Table] = {}
        self._rounds: dict[frozenset[Signature], list[_Round]] = {}

    @cached_property
    def _derived(self) -> FactSet:
        plan = make_metric_plan(self.program)
        low = min((self._needed[head][0] for head in self._heads), default=-math.inf)
        high = max((self._needed[head][1] for head in self._heads), default=math.inf)
        start, end = (None if isinstance(bound, float) else bound for bound in (low, high))
        first, last = self._within
        wide = None if first is None or start is None else min(first, start)
        far = None if last is None or end is None else max(last, end)
        try:
            return materialise(plan, self.facts, self.dictionary, wide, far)
        except (NeverEnds, ProgramError):
            # The results are infinite, but those that the question needs are not.
            return materialise(plan, self.facts, self.dictionary, start, end)

    @cached_property
    def first_fact(self) -> Fraction | None:
        """The time before which nothing can hold; None if there is no such time."""
        tables = [(facts.scale, table) for facts in (self.facts, self._written) for table in facts.tables.values()]
        starts = [(scale, table.bounds[0]) for scale, table in tables if table.rows]
        if any(cell <= -FOREVER for _, cell in starts) or not make_metric_plan(self.program).is_forward:
            return None
        return min((Fraction(cell >> 1, scale) for scale, cell in starts), default=None)

    def given(self, signature: Signature) -> tuple[Table, Table]:
        """The facts of the input and of the program."""
        return self._table("input", self.facts, signature), self._table("written", self._written, signature)

    def _table(self, origin: str, found: FactSet, signature: Signature) -> Table:
        if (origin, signature) not in self._tables:
            self._tables[origin, signature] = Table(found, signature, self.dictionary)
        return self._tables[origin, signature]

    def _known(self, signature: Signature) -> tuple[Table, ...]:
        if signature in self._heads:
            return (self._table("derived", self._derived, signature),)
        return self.given(signature)

    def matching(self, signature: Signature, pattern: Sequence[Const | Var]) -> list[Ground]:
        """The facts of a predicate that hold at some time and match a pattern."""
        return list(dict.fromkeys(args for table in self._known(signature) for args in table.matching(pattern)))

    def times(self, signature: Signature, args: Ground) -> Times:
        """The times at which a fact holds."""
        one, *others = (table.times(args) for table in self._known(signature))
        return one | others[0] if others else one

    def before(self, atom: Atom, time: Fraction) -> FactTimes:
        """The facts from which a fact was derived: for a recursive one, those of the round before."""
        stratum = self._strata.get(atom.signature)
        if stratum is None or not any(stratum.signatures & set(uses(rule)) for rule in stratum.rules):
            return self
        rounds = self._rounds.setdefault(stratum.signatures, [])
        for number in range(_MOST_ROUNDS):
            if number == len(rounds):
                rounds.append(rounds[-1].following() if rounds else _Round(self, stratum))
            if time in atom_times(atom, {}, rounds[number]):
                return rounds[max(0, number - 1)]
        return self


class _Round(_Lookup):
    """The facts of a stratum after a number of rounds, at the times that matter; first those that are given."""

    def __init__(self, world: MetricWorld, stratum: Stratum) -> None:
        super().__init__({signature: {} for signature in stratum.signatures})
        self._world, self._stratum = world, stratum
        for signature in stratum.signatures:
            for table in world.given(signature):
                for args in table.matching():
                    self.learn(signature, args, table.times(args) & world.windows[signature])

    def matching(self, signature: Signature, pattern: Sequence[Const | Var]) -> list[Ground]:
        """The facts of a predicate that match a pattern."""
        return list(self[signature]) if signature in self else self._world.matching(signature, pattern)

    def times(self, signature: Signature, args: Ground) -> Times:
        """The times at which a fact holds."""
        return super().times(signature, args) if signature in self else self._world.times(signature, args)

    def following(self) -> _Round:
        """The next round."""
        found = _Round(self._world, self._stratum)
        found.update({signature: dict(table) for signature, table in self.items()})
        for rule in self._stratum.rules:
            signature = rule.head.signature
            for args, held in consequences(rule, self):
                found.learn(signature, args, held & self._world.windows[signature])
        return found
