"""What the core asks back: numbers that do not fit into a word, and predicates that are solved in Python."""

from __future__ import annotations

import math
from typing import Any

from holdsfor.core.words import Words
from holdsfor.ir import BackgroundRule
from holdsfor.ir.sliding import SlidingKind
from holdsfor.logic.arithmetic import EvaluationError, NoValue, Number, apply, evaluate
from holdsfor.logic.failures import Failures
from holdsfor.logic.interval_lists import ListSolver, decode, encode
from holdsfor.logic.sliding import aggregate
from holdsfor.logic.solver import Predicate, Solver
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.physical.bodies import Goal
from holdsfor.physical.model import Site
from holdsfor.syntax.terms import Const, Term, Var

FOREVER, NEVER = 2**63 - 1, -(2**63)
"""The ends of time in the core."""
FUNCTIONS = (
    *((name, 2) for name in ("+", "-", "*", "/", "//", "div", "mod", "rem", "**", "min", "max")),
    *((name, 1) for name in ("-", "+", "abs", "sign", "floor", "ceiling", "round", "truncate", "float")),
    *((name, 1) for name in ("sqrt", "exp", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan")),
    ("atan2", 2),
)
"""The functions of arithmetic in the order of the core's numbers for them."""
Times = list[tuple[int, int]]


class Host:
    """Answers the questions of one core. `rules` is the background knowledge."""

    def __init__(
        self, goals: tuple[Goal, ...], sites: list[Site], rules: dict[Predicate, list[BackgroundRule]]
    ) -> None:
        self._goals, self._sites = goals, sites
        self.failures = Failures()
        self._words: Words | None = None
        self._solver = Solver(rules)
        self._solver.failures = self.failures
        self._answers: dict[tuple[int, tuple[int, ...]], list[list[int]]] = {}

    def connect(self, core: Any) -> Words:
        """Belong to a core."""
        self._words = Words(core)
        return self._words

    def replace(self, goals: tuple[Goal, ...], sites: list[Site], rules: dict[Predicate, list[BackgroundRule]]) -> None:
        """Another plan and other background knowledge from now on."""
        self._goals, self._sites = goals, sites
        self.replace_rules(rules)

    def replace_rules(self, rules: dict[Predicate, list[BackgroundRule]]) -> None:
        """Other background knowledge from now on."""
        self._solver = Solver(rules)
        self._solver.failures = self.failures
        self._answers.clear()

    @property
    def words(self) -> Words:
        """The words of the core."""
        assert self._words is not None
        return self._words

    # Numbers

    def apply(self, function: int, args: list[int]) -> int | None:
        """A function of numbers; None if it has no value."""
        try:
            return self.words.number(apply(FUNCTIONS[function], [self._number(word) for word in args]))
        except NoValue:
            return None

    def evaluate(self, word: int) -> int | None:
        """A term that stands where a number belongs."""
        try:
            return self.words.number(evaluate(self.words.term(word), {}))
        except NoValue:
            return None

    def aggregate(self, kind: int, items: list[int]) -> int | None:
        """A sliding aggregate of some items; None if one of them has no value."""
        try:
            found = aggregate(list(SlidingKind)[kind], [self.words.term(word) for word in items])
        except NoValue:
            return None
        return None if found is None else self.words.number(found)

    def compare(self, left: int, right: int) -> int:
        """Less than zero, zero, or more."""
        one, other = self._number(left), self._number(right)
        return (one > other) - (one < other)

    def _number(self, word: int) -> Number:
        return evaluate(self.words.term(word), {})

    # Goals

    def solve(self, number: int, inputs: list[int]) -> list[list[int]]:
        """All answers of a goal, each as the words of its outputs."""
        key = number, tuple(inputs)
        if key not in self._answers:
            goal = self._goals[number]
            found = self._solver.solve((goal.literal,), self._bindings(goal, inputs))
            self._answers[key] = [[self._output(name, answer) for name in goal.outputs] for answer in found]
        return self._answers[key]

    def solve_lists(
        self, number: int, inputs: list[int], lists: list[Times], query: int
    ) -> list[tuple[list[int], list[Times]]]:
        """The same for a goal on lists of intervals."""
        goal = self._goals[number]
        bindings = self._bindings(goal, inputs)
        for name, given in zip(goal.list_inputs, lists, strict=True):
            bindings[name] = encode((_from_core(start), _from_core(end)) for start, end in given)
        solver = ListSolver(self._solver._rules)
        solver.failures, solver.now = self.failures, query
        found = []
        for answer in solver.solve((goal.literal,), bindings):
            try:
                made = [_to_core(resolve(Var(name), answer)) for name in goal.list_outputs]
            except NoValue:
                continue
            found.append(([self._output(name, answer) for name in goal.outputs], made))
        return found

    def _bindings(self, goal: Goal, inputs: list[int]) -> Bindings:
        return {name: self.words.term(word) for name, word in zip(goal.inputs, inputs, strict=True)}

    def _output(self, name: str, answer: Bindings) -> int:
        return self.words.word(resolve(Var(name), answer))

    def failed(self, site: int, row: list[int]) -> None:
        """A condition failed because something in it has no value."""
        place = self._sites[site]
        words = iter(row)
        bindings: dict[str, Term] = {
            name: self.words.term(next(words)) if isinstance(given, int) else Const(given.value)
            for name, given in place.row
        }
        if place.literal is not None:
            self.failures.add(place.literal, _reason(place.literal, bindings), bindings)


def _reason(literal: Any, bindings: Bindings) -> str:
    """What the reference evaluator says of the same condition."""
    noted = Failures()
    solver = Solver({})
    solver.failures = noted
    try:
        list(solver.solve((literal,), bindings))
    except EvaluationError as problem:
        return str(problem)
    return next((failure.reason for failure in noted), "it has no value")


def _from_core(time: int) -> float:
    return math.inf if time == FOREVER else -math.inf if time == NEVER else time


def _to_core(term: Term) -> Times:
    return [
        (NEVER if start == -math.inf else int(start), FOREVER if end == math.inf else int(end))
        for start, end in decode(term)
    ]
