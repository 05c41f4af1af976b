"""Answers calls of the core to Python: numbers that do not fit into a word, and goals that Python solves."""

from __future__ import annotations

import math
import weakref
from functools import partial
from typing import Any, NoReturn

from holdsfor.compiler.limits import too_many_delayed_effects, wrong_delay
from holdsfor.core.words import Words
from holdsfor.diagnostics import HoldsforError
from holdsfor.ir import Algebra, BackgroundRule, Call, DelayRule, Literal
from holdsfor.ir.sliding import SlidingKind
from holdsfor.logic.arithmetic import EvaluationError, NoValue, Number, apply, evaluate
from holdsfor.logic.calendar import offsets_of_day
from holdsfor.logic.failures import Failures
from holdsfor.logic.interval_lists import ListSolver, decode, encode, lists_of
from holdsfor.logic.sliding import aggregate
from holdsfor.logic.solver import Predicate, Solver
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.physical.bodies import Goal
from holdsfor.physical.instructions import Site
from holdsfor.syntax.numbers import plain_number
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var

FOREVER, NEVER = 2**63 - 1, -(2**63)
"""The ends of time in the core."""
FUNCTIONS = (
    *((name, 2) for name in ("+", "-", "*", "/", "//", "div", "mod", "rem", "**", "min", "max")),
    *((name, 1) for name in ("-", "+", "abs", "sign", "floor", "ceiling", "round", "truncate", "float")),
    *((name, 1) for name in ("sqrt", "exp", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan")),
    ("atan2", 2),
)
"""The arithmetic functions, in the order of their numbers in the core."""
Times = list[tuple[int, int]]
_TOO_MANY_EFFECTS, _TOO_FAR, _NO_END = 1, 2, 3


_LENGTH = ("length", 2)


def _is_length(goal: Goal) -> bool:
    """Whether a goal only computes the length of a list."""
    match goal.literal:
        case Call(atom=Compound(name="length", args=(Var(name=items), Var(name=length)))):
            return goal.inputs == (items,) and goal.outputs == (length,)
        case _:
            return False


class Host:
    """Answers the calls of one core. `rules` is the background knowledge."""

    def __init__(
        self,
        goals: tuple[Goal, ...],
        sites: list[Site],
        rules: dict[Predicate, list[BackgroundRule]],
        clock_tick: int = 1,
    ) -> None:
        self._goals, self._sites = goals, sites
        self._clock_tick = clock_tick
        self._failures = Failures()
        self._words: Words | None = None
        self._solver = Solver(rules)
        self._solver.failures = self._failures
        self._reasons: dict[str, int] = {}
        self._core: Any = None

    def connect(self, core: Any) -> Words:
        """Connects to a core, which holds a reference to this object."""
        self._core = weakref.proxy(core)
        self._words = Words(self._core)
        return Words(core)

    def replace(self, goals: tuple[Goal, ...], sites: list[Site], rules: dict[Predicate, list[BackgroundRule]]) -> None:
        """Replaces plan and background knowledge."""
        self._goals, self._sites = goals, sites
        self.replace_rules(rules)

    @property
    def failures(self) -> Failures:
        """The conditions that had no value so far."""
        found: dict[int, list[tuple[list[int], int]]] = {}
        for site, row, reason in self._core.failures() if self._core is not None else ():
            found.setdefault(site, []).append((row, reason))
        for site, rows in found.items():
            self._note(self._sites[site], rows)
        return self._failures

    def _note(self, site: Site, rows: list[tuple[list[int], int]]) -> None:
        literal = site.literal
        if literal is None or isinstance(literal, DelayRule):
            return
        reasons = list(self._reasons)
        for words, reason in rows:
            bindings = self._row(site, words)
            reason_text = reasons[reason - 1] if reason else partial(_reason, literal, bindings)
            self._failures.add(literal, reason_text, bindings)

    def _row(self, site: Site, words: list[int]) -> Bindings:
        """The values of variables at a site, from registers or constants."""
        given = iter(words)
        return {
            name: self.words.term(next(given)) if isinstance(known, int) else Const(known.value)
            for name, known in site.row
        }

    def replace_rules(self, rules: dict[Predicate, list[BackgroundRule]]) -> None:
        """Replaces the background knowledge."""
        self._solver = Solver(rules)
        self._solver.failures = self._failures
        self._core.forget_answers()

    @property
    def words(self) -> Words:
        """The words of the core."""
        assert self._words is not None
        return self._words

    # Numbers

    def apply(self, function: int, args: list[int]) -> int | None:
        """Applies an arithmetic function; None if the result has no value."""
        try:
            return self.words.number(apply(FUNCTIONS[function], [self._number(word) for word in args]))
        except NoValue:
            return None

    def evaluate(self, word: int) -> int | None:
        """Evaluates a term in an arithmetic expression."""
        try:
            return self.words.number(evaluate(self.words.term(word), {}))
        except NoValue:
            return None

    def aggregate(self, kind: int, items: list[int]) -> int | None:
        """The value of a sliding aggregate; None if an item has no value."""
        try:
            found = aggregate(list(SlidingKind)[kind], [self.words.term(word) for word in items])
        except NoValue:
            return None
        return None if found is None else self.words.number(found)

    def compare(self, left: int, right: int) -> int:
        """Compares two numbers: negative, zero, or positive."""
        one, other = self._number(left), self._number(right)
        return (one > other) - (one < other)

    def _number(self, word: int) -> Number:
        return evaluate(self.words.term(word), {})

    # Goals

    def solve(self, number: int, inputs: list[int]) -> list[list[int]]:
        """All answers of a goal, as words of its outputs."""
        goal = self._goals[number]
        if _is_length(goal) and _LENGTH not in self._solver.rules:
            # Avoids decoding a long list.
            length = self._core.length(inputs[0])
            if length is not None:
                return [[self._core.integer(length)]]
        found = self._solver.solve((goal.literal,), self._bindings(goal, inputs))
        return [[self._output(name, answer) for name in goal.outputs] for answer in found]

    def solve_lists(
        self, number: int, inputs: list[int], lists: list[Times], query: int
    ) -> list[tuple[list[int], list[Times]]]:
        """All answers of a goal on interval lists."""
        goal = self._goals[number]
        bindings = self._bindings(goal, inputs)
        for name, given in zip(goal.list_inputs, lists, strict=True):
            bindings[name] = encode((_from_core(start), _from_core(end)) for start, end in given)
        solver = ListSolver(self._solver.rules)
        solver.failures, solver.now = self._failures, query
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

    def zone_day(self, zone: int, day: int) -> tuple[int, int, int]:
        """The offsets of a time zone on a day, counted since 1970."""
        name = self.words.term(zone)
        assert isinstance(name, Const)
        return offsets_of_day(day, str(name.value))

    # Failures

    def why(self, kind: int, items: list[int]) -> int:
        """The number of the reason why a sliding aggregate has no value."""
        try:
            aggregate(list(SlidingKind)[kind], [self.words.term(word) for word in items])
            reason = "it has no value"
        except NoValue as problem:
            reason = str(problem)
        return self._reasons.setdefault(reason, len(self._reasons) + 1)

    def stopped(self, reason: int, site: int, row: list[int], time: int, limit: int) -> NoReturn:
        """Stops a run with the error of the reference evaluator."""
        if reason == _TOO_FAR:
            raise HoldsforError("times this far off cannot be read by metric rules: they would not fit 64-bit integers")
        if reason == _NO_END:
            raise HoldsforError("metric rules derive facts for ever, and others ask about all of that time")
        place, tick = self._sites[site], self._clock_tick
        rule = place.literal
        assert isinstance(rule, DelayRule)
        if reason == _TOO_MANY_EFFECTS:
            raise too_many_delayed_effects(rule, limit, time * tick)
        bindings = self._row(place, row)
        raise wrong_delay(rule, plain_number(evaluate(rule.delay, bindings) * tick), tick)


def _reason(literal: Literal, bindings: Bindings) -> str:
    """The reason that the reference evaluator gives for the same condition."""
    if isinstance(literal, Algebra):
        return _reason_of_operator(literal, bindings)
    noted = Failures()
    solver = Solver({})
    solver.failures = noted
    try:
        list(solver.solve((literal,), bindings))
    except EvaluationError as problem:
        return str(problem)
    return next((failure.reason for failure in noted), "it has no value")


def _reason_of_operator(literal: Algebra, bindings: Bindings) -> str:
    try:
        for term in literal.inputs:
            if isinstance(term, ListTerm) and term.tail is not None:
                lists_of(term.tail, bindings)
            elif not isinstance(term, Var):
                decode(resolve(term, bindings))
        if literal.bound is not None:
            evaluate(literal.bound, bindings)
    except NoValue as problem:
        return str(problem)
    return "it has no value"


def _from_core(time: int) -> float:
    return math.inf if time == FOREVER else -math.inf if time == NEVER else time


def _to_core(term: Term) -> Times:
    return [
        (NEVER if start == -math.inf else int(start), FOREVER if end == math.inf else int(end))
        for start, end in decode(term)
    ]
