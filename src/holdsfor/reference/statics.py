"""Evaluates statically determined fluents: rules run literally on interval lists.

Inside a rule an interval list is a term, `[(S,E), …]`, so that list predicates of a program can read it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import schedule
from holdsfor.logic.arithmetic import NoValue, compare_numbers, evaluate
from holdsfor.logic.interval_lists import ListSolver, decode, encode, lists_of
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import Bindings, is_ground, resolve, unify
from holdsfor.reference import intervals as ops
from holdsfor.reference.intervals import Interval
from holdsfor.syntax.terms import ListTerm, Term, Var, functor, variables

Pair = tuple[Term, Term]
"""A ground fluent and its value."""

Lookup = Callable[[Pair], list[Interval]]


class StaticSolver(ListSolver):
    """Solves `holdsFor` bodies, reading fluents through a lookup."""

    def __init__(
        self, solver: Solver, lookup: Lookup, known: Iterable[Pair], now: int, analysis: Analysis, tick: int = 1
    ) -> None:
        super().__init__(solver.rules)
        self.failures = solver.failures
        self._lookup = lookup
        self.now, self._tick = now, tick
        self._needs = analysis.background.needs
        self._entities = analysis.entities
        self._by_name: dict[tuple[str, int], list[Pair]] = {}
        for pair in known:
            name = functor(pair[0])
            assert name is not None
            self._by_name.setdefault(name, []).append(pair)

    def evaluate(self, rules: Iterable[tuple[ir.IntervalRule, ir.Body]]) -> dict[Pair, list[Interval]]:
        """The intervals of every pair that the rules define. For each pair, the first rule that succeeds counts."""
        result: dict[Pair, list[Interval]] = {}
        for rule, body in rules:
            found: dict[Pair, list[list[Interval]]] = {}
            for bindings in self._assignments(rule, body):
                for answer in self.solve(body, bindings):
                    pair = (resolve(rule.fvp.fluent, answer), resolve(rule.fvp.value, answer))
                    if not is_ground(pair[0]) or not is_ground(pair[1]):
                        # A fallback such as holdsFor(f(_)=true, []), which adds nothing.
                        continue
                    try:
                        found.setdefault(pair, []).append(decode(resolve(rule.out, answer)))
                    except NoValue:
                        continue
            for pair, lists in found.items():
                # The results of different bindings are united. A sequence may return touching intervals: these stay
                # separate inside a rule, but the intervals of a fluent are maximal.
                result.setdefault(pair, ops.union(lists))
        return result

    def _assignments(self, rule: ir.IntervalRule, body: ir.Body) -> Iterator[Bindings]:
        """Variables take the values that the rule's conditions give them. Every other variable ranges over the values
        that occur at its places in the rule's fluents.
        """
        lists = {
            lit.out.name
            for lit in ir.walk(body)
            if isinstance(lit, ir.Intervals | ir.Algebra) and isinstance(lit.out, Var)
        }
        plain = tuple(lit for lit in body if not _about_lists(lit, lists))
        outside = frozenset(v.name for v in ir.rule_variables(rule)) - ir.variable_names(plain) | frozenset(
            self._domains(rule)
        )
        given = schedule(plain, set(), self._needs, outside).bound
        domains = {name: values for name, values in self._domains(rule).items() if name not in given}
        for values in itertools.product(*domains.values()):
            start = dict(zip(domains, values, strict=True))
            ordered = schedule(plain, set(start), self._needs, outside)
            yield from self.solve(ordered.body, start) if not ordered.stuck else (start,)

    def _domains(self, rule: ir.IntervalRule) -> dict[str, dict[Term, None]]:
        domains: dict[str, dict[Term, None]] = {}
        for literal in ir.walk(rule.body):
            if not isinstance(literal, ir.Intervals):
                continue
            free = {v.name for term in (literal.fvp.fluent, literal.fvp.value) for v in variables(term)}
            for name in free:
                domains.setdefault(name, {})
            for pair in self._matching(literal):
                bindings = self._match(literal, pair)
                for name in free if bindings is not None else ():
                    domains[name].setdefault(resolve(Var(name), bindings or {}))
        return domains

    def _matching(self, literal: ir.Intervals) -> list[Pair]:
        name = functor(literal.fvp.fluent)
        assert name is not None
        return self._by_name.get(name, [])

    def _match(self, literal: ir.Intervals, pair: Pair, bindings: Bindings | None = None) -> Bindings | None:
        bound = unify(literal.fvp.fluent, pair[0], bindings or {})
        found = None if bound is None else unify(literal.fvp.value, pair[1], bound)
        return found if self._entities.admits(literal.fvp, *pair) else None

    def temporal(self, literal: ir.Literal, bindings: Bindings) -> Iterator[Bindings]:
        """Solves `holdsFor` and interval operators; an operator of the compiler means the original condition."""
        match literal:
            case ir.Intervals(fvp=fvp, out=out):
                pair = (resolve(fvp.fluent, bindings), resolve(fvp.value, bindings))
                pairs = [pair] if is_ground(pair[0]) and is_ground(pair[1]) else self._matching(literal)
                for candidate in pairs:
                    bound = self._match(literal, candidate, bindings)
                    found = None if bound is None else unify(out, encode(self._lookup(candidate)), bound)
                    if found is not None:
                        yield found
            case ir.Algebra(written=goal) if goal is not None:
                yield from self.literal(goal, bindings)
            case ir.Algebra(out=out):
                try:
                    found = unify(out, encode(self._apply(literal, bindings)), bindings)
                except NoValue as problem:
                    self.failed(literal, problem, bindings)
                    return
                if found is not None:
                    yield found
            case _:
                yield from super().temporal(literal, bindings)

    def _apply(self, literal: ir.Algebra, bindings: Bindings) -> list[Interval]:
        inputs = list(_input_lists(literal.inputs, bindings))
        match literal.operator:
            case ir.IntervalOperator.UNION:
                return ops.union(inputs)
            case ir.IntervalOperator.INTERSECTION:
                return ops.intersection(inputs)
            case ir.IntervalOperator.COMPLEMENT:
                return ops.complement(inputs)
            case ir.IntervalOperator.RELATIVE_COMPLEMENT:
                return ops.relative_complement(inputs[0], inputs[1:])
            case ir.IntervalOperator.SEQUENCE:
                return ops.sequence(inputs[0], inputs[1])
            case ir.IntervalOperator.ALLEN:
                assert literal.relation is not None and literal.mode is not None
                return ops.allen(literal.relation, literal.mode, inputs[0], inputs[1], self._tick)
            case operator if operator in ir.METRIC:
                return _metric(literal, inputs, self._tick)
            case duration:
                assert literal.bound is not None
                bound = evaluate(literal.bound, bindings)
                return ops.longer(
                    inputs[0],
                    lambda length: compare_numbers(ir.DURATIONS[duration], length, bound),
                    self.now,
                    self._tick,
                )


def _metric(literal: ir.Algebra, inputs: list[list[Interval]], tick: int) -> list[Interval]:
    """Applies a metric operator; look-ahead is look-back with reversed time."""
    assert literal.distance is not None
    # Only time-points count: the limits are rounded to ticks within the range.
    low = -(-literal.distance.low // tick) * tick
    high = math.inf if literal.distance.high is None else literal.distance.high // tick * tick
    lists = [ops.mirrored(one, tick) for one in inputs] if literal.operator in ir.AHEAD else inputs
    match literal.operator:
        case ir.IntervalOperator.DIAMOND_MINUS | ir.IntervalOperator.DIAMOND_PLUS:
            found = ops.sometime(lists[0], low, high)
        case ir.IntervalOperator.BOX_MINUS | ir.IntervalOperator.BOX_PLUS:
            found = ops.always(lists[0], low, high)
        case _:
            found = ops.since(lists[0], lists[1], low, high, tick)
    return ops.mirrored(found, tick) if literal.operator in ir.AHEAD else found


def _about_lists(literal: ir.Literal, lists: set[str]) -> bool:
    """Whether a literal reads or gives interval lists."""
    inside = ir.walk((literal,))
    return any(isinstance(inner, ir.Intervals | ir.Algebra | ir.Guard) for inner in inside) or bool(
        ir.variable_names((literal,)) & lists
    )


def _input_lists(inputs: tuple[Term, ...], bindings: Bindings) -> Iterator[list[Interval]]:
    for term in inputs:
        if isinstance(term, ListTerm) and term.tail is not None:
            yield from lists_of(term.tail, bindings)
        else:
            yield decode(resolve(term, bindings))
