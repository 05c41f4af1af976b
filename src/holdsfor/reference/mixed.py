"""Evaluates metric predicates in mixed programs with the reference evaluator of metric programs.

A fluent on the time-points [s, e) corresponds to the rational times (s-1, e-1]; an event at T happens on [T, T].
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.mixing import TRUE, read_atoms
from holdsfor.ir.metric import MetricFact, MetricProgram, MetricRule, Range
from holdsfor.reference.evaluator import World
from holdsfor.reference.intervals import Interval, maximal
from holdsfor.reference.metric import evaluate
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, arguments, functor


def run_metric(world: World, members: Iterable[Symbol], origin: int) -> None:
    """Evaluates metric predicates up to the last time-point that the query time decides."""
    program, last = metric_program(world, members), world.now + 1
    spelled: dict[Const, Term] = {}
    facts = list(facts_read(world, program, spelled))
    found = evaluate(program, facts, Range(Fraction(origin), Fraction(last)))
    for (predicate, args), ranges in found.items():
        terms = tuple(spelled.get(arg, arg) for arg in args)
        fluent: Term = Compound(predicate, terms) if terms else Const(predicate)
        intervals = maximal(_time_points(one) for one in ranges)
        symbol = Symbol(EntityKind.FLUENT, predicate, len(args))
        if symbol in members and intervals and world.is_declared((fluent, TRUE)):
            # A predicate that holds at the end is still open.
            world.intervals[fluent, TRUE] = [(start, math.inf if end > last else end) for start, end in intervals]


def metric_program(world: World, members: Iterable[Symbol]) -> MetricProgram:
    """The metric rules and facts that define some symbols."""
    graph = world.analysis.graph
    defining = [one for symbol in graph.with_metric_sources(members) for one in world.analysis.entities[symbol].metric]
    rules = tuple(one for one in defining if isinstance(one, MetricRule))
    return MetricProgram(rules, tuple(one for one in defining if isinstance(one, MetricFact)))


def facts_read(world: World, program: MetricProgram, spelled: dict[Const, Term]) -> Iterator[MetricFact]:
    """The facts of everything that the rules read and do not define.

    Compound arguments become constants; `spelled` maps these back to terms.
    """
    entities, metric = world.analysis.entities, world.analysis.graph.metric
    meant = [entities.meant(atom.signature) for rule in program.rules for atom in read_atoms(rule)]
    read = {symbol for symbols in meant for symbol in symbols if symbol not in metric}
    for (fluent, value), intervals in world.intervals.items():
        if value == TRUE and entities.pair(fluent, value) in read:
            for start, end in intervals:
                low, high = (None if math.isinf(point) else Fraction(int(point)) - 1 for point in (start, end))
                yield _fact(fluent, Range(low, high, low_open=True, high_open=high is None), spelled)
    for time, happened in world.events.items():
        for event in happened:
            if entities.event(event) in read:
                yield _fact(event, Range(Fraction(time), Fraction(time)), spelled)


def _fact(term: Term, during: Range, spelled: dict[Const, Term]) -> MetricFact:
    name = functor(term)
    assert name is not None
    args = []
    for arg in arguments(term):
        constant = arg if isinstance(arg, Const) else Const(print_term(arg))
        spelled[constant] = arg
        args.append(constant)
    return MetricFact(name[0], tuple(args), during)


def _time_points(during: Range) -> Interval:
    """The first time-point in a bounded interval, and the one after the last."""
    assert during.low is not None
    assert during.high is not None
    first = math.floor(during.low) + 1 if during.low_open else math.ceil(during.low)
    last = math.ceil(during.high) - 1 if during.high_open else math.floor(during.high)
    return first, last + 1
