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
from holdsfor.columns.metric.endless import NeverEnds
from holdsfor.columns.metric.facts import Facts, FactSet
from holdsfor.columns.metric.timeline import columns_of, scale_of
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.mixing import read_atoms
from holdsfor.compiler.metric.plan import make_metric_plan
from holdsfor.core.metric_driver import materialise
from holdsfor.diagnostics import ProgramError
from holdsfor.explain.metric_solving import Ground, MetricSolver, Signature
from holdsfor.ir.metric import MetricProgram, MetricRule, UnaryOperator
from holdsfor.reference.metric.needs import Stratum, strata, windows
from holdsfor.reference.metric.times import BEGINNING, END, NEVER, Cut, Times
from holdsfor.syntax.terms import Const, Var

_MOST_ROUNDS = 2_000


class Table:
    """The facts of a predicate, by arguments."""

    def __init__(self, facts: Facts | None, scale: int, dictionary: Dictionary) -> None:
        self._facts, self._scale, self._dictionary = facts, scale, dictionary
        self._decoded: dict[Ground, Times] = {}

    def matching(self, pattern: Sequence[Const | Var]) -> list[Ground]:
        """The argument tuples that match a pattern."""
        if self._facts is None:
            return []
        rows = self._rows(pattern).tolist()
        columns = self._facts.args
        found = dict.fromkeys(tuple(int(column[row]) for column in columns) for row in rows)
        return [tuple(Const(self._dictionary.values[code]) for code in codes) for codes in found]  # type: ignore[arg-type]

    def times(self, args: Ground) -> Times:
        """The times at which a fact holds."""
        if args not in self._decoded:
            self._decoded[args] = NEVER if self._facts is None else self._times(args)
        return self._decoded[args]

    def _times(self, args: Ground) -> Times:
        assert self._facts is not None
        rows = self._rows(args)
        starts, ends = self._facts.start[rows].tolist(), self._facts.end[rows].tolist()
        return Times.of((self._cut(start), self._cut(end)) for start, end in zip(starts, ends, strict=True))

    def _cut(self, cell: int) -> Cut:
        """The start of a cell: a point is an even cell, the gap after it the odd one."""
        if abs(cell) >= FOREVER:
            return (math.inf, 0) if cell > 0 else (-math.inf, 1)
        return Fraction(cell >> 1, self._scale), cell & 1

    def _rows(self, pattern: Sequence[Const | Var]) -> np.typing.NDArray[np.intp]:
        assert self._facts is not None
        found = np.ones(self._facts.rows, np.bool_)
        for column, arg in zip(self._facts.args, pattern, strict=True):
            if isinstance(arg, Const):
                found &= column == self._dictionary.find(arg.value)
        return np.flatnonzero(found)


class MetricWorld(MetricSolver):
    """All facts and results around a time."""

    def __init__(
        self,
        program: MetricProgram,
        facts: FactSet,
        dictionary: Dictionary,
        time: Fraction,
        within: tuple[Fraction | None, Fraction | None],
    ) -> None:
        self.program, self.facts, self.dictionary, self.within = program, facts, dictionary, within
        self._asked = time
        self._heads = {rule.head.signature for rule in program.rules}
        self._tables: dict[tuple[Signature, bool], Table] = {}
        self._layers: dict[frozenset[Signature], list[dict[tuple[Signature, Ground], Times]]] = {}

    @cached_property
    def _derived(self) -> FactSet:
        plan = make_metric_plan(self.program)
        needed = windows(self.program, (self._asked, self._asked))
        low = min((needed[head][0] for head in self._heads), default=-math.inf)
        high = max((needed[head][1] for head in self._heads), default=math.inf)
        start, end = (None if isinstance(bound, float) else bound for bound in (low, high))
        first, last = self.within
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

    @cached_property
    def _written(self) -> FactSet:
        """The facts in the program."""
        return columns_of(self.program.facts, scale_of((), self.program.facts), self.dictionary)

    def given(self, signature: Signature) -> tuple[Table, Table]:
        """The facts of the input and of the program."""
        for which, one in ((False, self.facts), (True, self._written)):
            if (signature, which) not in self._tables:
                self._tables[signature, which] = Table(one.tables.get(signature), one.scale, self.dictionary)
        return self._tables[signature, False], self._tables[signature, True]

    @cached_property
    def _found(self) -> dict[Signature, Table]:
        derived = self._derived
        return {s: Table(derived.tables.get(s), derived.scale, self.dictionary) for s in self._heads}

    # Solver interface; `rank` limits the use of recursive predicates

    def matching(self, signature: Signature, pattern: Sequence[Const | Var], rank: int | None = None) -> list[Ground]:
        """The facts of a predicate that hold at some time and match a pattern."""
        layer = self._layer(signature, rank)
        if layer is not None:
            return [args for name, args in layer if name == signature and _matches(args, pattern)]
        if signature in self._heads:
            return self._found[signature].matching(pattern)
        one, other = self.given(signature)
        return list(dict.fromkeys((*one.matching(pattern), *other.matching(pattern))))

    def times(self, signature: Signature, args: Ground, rank: int | None = None) -> Times:
        """The times at which a fact holds."""
        layer = self._layer(signature, rank)
        if layer is not None:
            return layer.get((signature, args), NEVER)
        if signature in self._heads:
            return self._found[signature].times(args)
        one, other = self.given(signature)
        return one.times(args) | other.times(args)

    # Rounds

    @cached_property
    def _strata(self) -> dict[Signature, Stratum]:
        return {signature: stratum for stratum in strata(self.program) for signature in stratum.signatures}

    def is_recursive(self, signature: Signature) -> bool:
        """Whether a predicate is recursive."""
        stratum = self._strata.get(signature)
        return stratum is not None and any(
            atom.signature in stratum.signatures for rule in stratum.rules for atom in read_atoms(rule)
        )

    def _layer(self, signature: Signature, rank: int | None) -> dict[tuple[Signature, Ground], Times] | None:
        if rank is None or not self.is_recursive(signature):
            return None
        return self._rounds(signature)[rank] if rank < len(self._rounds(signature)) else None

    def _rounds(self, signature: Signature) -> list[dict[tuple[Signature, Ground], Times]]:
        return self._layers.setdefault(self._strata[signature].signatures, [])

    def rank(self, signature: Signature, args: Ground, time: Fraction) -> int | None:
        """The first round in which a recursive fact is derived for a time; None for other predicates."""
        if not self.is_recursive(signature):
            return None
        layers = self._rounds(signature)
        if not layers:
            layers.append(self._beginning(self._strata[signature]))
        for number in range(_MOST_ROUNDS):
            if number == len(layers):
                layers.append(self._next(self._strata[signature], number - 1))
            if time in layers[number].get((signature, args), NEVER):
                return number
        return None

    def _beginning(self, stratum: Stratum) -> dict[tuple[Signature, Ground], Times]:
        found: dict[tuple[Signature, Ground], Times] = {}
        for signature in stratum.signatures:
            for table in self.given(signature):
                for args in table.matching([Var(f"X{place}") for place in range(signature[1])]):
                    key = signature, args
                    found[key] = found.get(key, NEVER) | table.times(args)
        return {key: held & self._window(key[0]) for key, held in found.items()}

    def _next(self, stratum: Stratum, rank: int) -> dict[tuple[Signature, Ground], Times]:
        found = dict(self._rounds(next(iter(stratum.signatures)))[rank])
        for rule in stratum.rules:
            signature = rule.head.signature
            for binding, held in self.solutions(rule, {}, rank):
                key = signature, self.ground(rule.head, binding)
                found[key] = found.get(key, NEVER) | (moved(held, rule) & self._window(signature))
        return found

    @cached_property
    def _windows(self) -> dict[Signature, Times]:
        needed = windows(self.program, (self._asked, self._asked))
        return {
            name: Times.of([(max(BEGINNING, (low, 0)), min(END, (high, 1)))]) for name, (low, high) in needed.items()
        }

    def _window(self, signature: Signature) -> Times:
        return self._windows[signature]


def moved(held: Times, rule: MetricRule) -> Times:
    """The times of the head, from the times of the body."""
    for operator, during in rule.boxes:
        held = held.later(during) if operator is UnaryOperator.BOX_PLUS else held.earlier(during)
    return held


def body_times(rule: MetricRule, time: Fraction) -> Times:
    """The times of the body from which the head holds at a time."""
    found = Times.of([((time, 0), (time, 1))])
    for operator, during in reversed(rule.boxes):
        found = found.earlier(during) if operator is UnaryOperator.BOX_PLUS else found.later(during)
    return found


def _matches(args: Ground, pattern: Iterable[Const | Var]) -> bool:
    return all(isinstance(wanted, Var) or wanted == arg for arg, wanted in zip(args, pattern, strict=True))
