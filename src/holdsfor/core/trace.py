"""Traces rules in an evaluated key: their solutions, and how far they came without one.

The core evaluates the key again and keeps its tables. Programs of rules, or parts of them, can then run at any
time-point, with given values for some variables. The machine and the tables are those of the engine, so the results
agree with those of the engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.engine import Engine
from holdsfor.core.host import FOREVER, NEVER
from holdsfor.ir import Body, Literal, Rule
from holdsfor.logic.interval_lists import decode, encode
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.physical.origins import ProgramOrigin, programs
from holdsfor.syntax.terms import ListTerm, Term, Var

_ALL = 2**62
"""Larger than any number of solutions."""


class Traces:
    """The keys of a traced engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        lowered = engine.lowered
        self._numbers = {id(origin.rule): number for number, origin in enumerate(lowered.origins)}
        self._stages = [stage for stage, _ in programs(lowered.plan.stages)]
        self._keys: dict[tuple[int, tuple[int, ...]], Any] = {}
        self._terms: dict[int, Term] = {}
        self._places = {
            (number, route.table): route.places[0]
            for number, stage in enumerate(lowered.plan.stages)
            for route in stage.members
        }

    def of(self, rule: Rule, symbol: Symbol, columns: Sequence[Term]) -> RuleTrace:
        """A rule in the key of an instance."""
        number = self._numbers[id(rule)]
        stage = self._stages[number]
        places = self._places[stage, self._engine.tables[symbol]]
        key = tuple(self.word(columns[place]) for place in places)
        if (stage, key) not in self._keys:
            self._keys[stage, key] = self._engine.core.trace(stage, list(key))
        return RuleTrace(self, number, self._engine.lowered.origins[number], self._keys[stage, key])

    def word(self, term: Term) -> int:
        """The word of a term."""
        return self._engine.words.word(term)

    def term(self, word: int) -> Term:
        """The term of a word."""
        if word not in self._terms:
            self._terms[word] = self._engine.words.term(word)
        return self._terms[word]


class RuleTrace:
    """A rule in a key. `body` contains its conditions in execution order."""

    def __init__(self, traces: Traces, number: int, origin: ProgramOrigin, key: Any) -> None:
        self._traces, self._number, self._origin, self._key = traces, number, origin, key
        self.rule, self.body = origin.rule, origin.body

    def answers(self, head: Bindings, times: Sequence[int] = (), *, most: int | None = None) -> list[Bindings]:
        """The solutions of the rule for the values of its head, at some time-points; a `holdsFor` rule needs none."""
        return self._solve((), 0, None, self._all_names, head, times, most=most)

    def met(self, body: Body, head: Bindings, times: Sequence[int], *, most: int) -> list[Bindings]:
        """The solutions of the first conditions of the rule."""
        places = [self._origin.places[id(literal)] for literal in body if id(literal) in self._origin.places]
        if not places:
            return [dict(head)]
        _, place, step = places[-1]
        return self._solve((), 0, place + 1, step.bound, head, times, most=most)

    def inside(self, literal: Literal, block: int, bindings: Bindings, *, most: int | None = None) -> list[Bindings]:
        """The solutions of one block of a condition: of a negation, an alternative, a list."""
        path = self._origin.inside(literal, block)
        inner = [step for at, _, step in self._origin.places.values() if at == path]
        names = frozenset[str]().union(*(step.bound for step in inner))
        return self._solve(path, 0, None, names, bindings, self._times(bindings), given=bindings, most=most)

    def one(self, literal: Literal, bindings: Bindings) -> Bindings | None:
        """A solution of one condition with given values; None if there is none."""
        path, place, step = self._origin.places[id(literal)]
        found = self._solve(path, place, place + 1, step.bound, bindings, self._times(bindings), given=bindings, most=1)
        return found[0] if found else None

    @property
    def _all_names(self) -> frozenset[str]:
        bound = (step.bound for step in self._origin.steps if not self._origin.places.get(id(step.literal), ((),))[0])
        return frozenset[str]().union(*bound)

    def _times(self, bindings: Bindings) -> list[int]:
        now = next((name for name, register in self._origin.registers.items() if register == 0), None)
        found = None if now is None else resolve(Var(now), bindings)
        value = getattr(found, "value", None)
        return [value] if isinstance(value, int) else []

    def _solve(
        self,
        path: tuple[int, ...],
        first: int,
        stop: int | None,
        names: Iterable[str],
        wanted: Bindings,
        times: Sequence[int],
        *,
        given: Bindings | None = None,
        most: int | None,
    ) -> list[Bindings]:
        """Runs a part of the program. Answers contain the wanted and given values, and those of `names`."""
        known = given or {}
        found = self._key.solve(
            self._number,
            list(path),
            first,
            stop,
            list(times),
            _ALL if most is None else most,
            self._words(known),
            [(self._origin.lists[name], _times_of(term)) for name, term in self._lists(known)],
            self._words(wanted),
        )
        start = {**known, **wanted}
        return [self._bindings(words, lists, names, start) for words, lists in found]

    def _words(self, bindings: Bindings) -> list[tuple[int, int]]:
        found = []
        for name, register in self._origin.registers.items():
            if name in bindings:
                term = resolve(bindings[name], bindings)
                if is_ground(term):
                    found.append((register, self._traces.word(term)))
        return found

    def _lists(self, bindings: Bindings) -> list[tuple[str, ListTerm]]:
        resolved = ((name, resolve(bindings[name], bindings)) for name in self._origin.lists if name in bindings)
        return [(name, term) for name, term in resolved if isinstance(term, ListTerm)]

    def _bindings(
        self, words: list[int], lists: list[list[tuple[int, int]] | None], names: Iterable[str], start: Bindings
    ) -> Bindings:
        origin, found = self._origin, dict(start)
        for name in sorted(names):
            register = origin.registers.get(name)
            if register is not None and name not in found:
                term = self._traces.term(words[register])
                if is_ground(term):
                    found[name] = term
        for name, register in origin.lists.items():
            held = lists[register]
            if held is not None and name not in found:
                found[name] = encode((_time(begin), _time(end)) for begin, end in held)
        return found


def _time(time: int) -> float:
    return math.inf if time == FOREVER else -math.inf if time == NEVER else time


def _times_of(term: ListTerm) -> list[tuple[int, int]]:
    return [
        (NEVER if start == -math.inf else int(start), FOREVER if end == math.inf else int(end))
        for start, end in decode(term)
    ]
