"""Explains metric predicates in mixed programs.

A fluent on the time-points [s, e) corresponds to the rational times (s-1, e-1]; an event at T happens on [T, T].
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from holdsfor.columns.metric.facts import FactSet, stacked
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.mixing import TRUE
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.metric_proofs import MetricProver
from holdsfor.explain.metric_refutations import MetricRefuter
from holdsfor.explain.metric_world import MetricWorld
from holdsfor.explain.nodes import Kind, Node, Pair
from holdsfor.explain.wording import moment_text, point_text
from holdsfor.ir.metric import Comparison, MetricFact, MetricProgram, MetricRule, atoms
from holdsfor.reference.metric.bindings import Ground
from holdsfor.reference.metric.needs import Signature
from holdsfor.syntax.terms import Compound, Const, Term, arguments

if TYPE_CHECKING:
    from holdsfor.explain.metric_known import MetricKnown
    from holdsfor.explain.proofs import Prover


class MetricProofs:
    """Proofs about metric predicates that read fluents and events, and that event rules read."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self._evidence: Evidence = prover.evidence
        self._provers: dict[tuple[Symbol, Fraction], MetricProver] = {}

    def proof(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...] | None:
        """Proof steps for a predicate that holds at a time-point."""
        symbol = self._evidence.entities.pair(*pair)
        at = Fraction(min(time, self._evidence.now + 1))
        found = self._at(symbol, at).proof((symbol.name, symbol.arity), _args(pair), at, depth)
        if found is None:
            return None
        notes: tuple[Node, ...] = ()
        if at < time:
            notes = (
                Node(
                    Kind.NOTE,
                    f"what holds at {moment_text(at)}, the last time-point that is decided, is taken to go on",
                ),
            )
        return found, *notes

    def refutation(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        """Steps that show why a predicate does not hold at a time-point."""
        symbol = self._evidence.entities.pair(*pair)
        at = Fraction(min(time, self._evidence.now + 1))
        if at < self._evidence.origin:
            return (Node(Kind.NOTE, f"time begins at {point_text(self._evidence.origin)}", holds=False),)
        return MetricRefuter(self._at(symbol, at).world).refutation((symbol.name, symbol.arity), _args(pair), at, depth)

    def _at(self, symbol: Symbol, time: Fraction) -> MetricProver:
        if (symbol, time) not in self._provers:
            program = metric_program(self._evidence, symbol)
            within = Fraction(self._evidence.origin), Fraction(self._evidence.now + 1)
            world = MetricWorld(program, self._given(program), self._known.dictionary, time, within)
            self._provers[symbol, time] = MetricProver(world, self._leaf)
        return self._provers[symbol, time]

    @property
    def _known(self) -> MetricKnown:
        assert self._evidence.metric is not None
        return self._evidence.metric

    def _given(self, program: MetricProgram) -> FactSet:
        """The facts of everything that the rules read and do not define."""
        metric = self._evidence.analysis.graph.metric
        read = [
            atom.signature
            for rule in program.rules
            for one in rule.body
            if not isinstance(one, Comparison)
            for atom in atoms(one.atom)
        ]
        tables = {}
        for signature in dict.fromkeys(read):
            meant = self._evidence.entities.meant(signature)
            found = [self._known.facts(symbol) for symbol in meant if symbol not in metric]
            if found:
                tables[signature] = stacked(found)
        return FactSet(1, tables)

    def _leaf(self, signature: Signature, args: Ground, time: Fraction, depth: int) -> Node | None:
        """The reason why a fluent or event of the event rules provides a fact."""
        if Symbol(EntityKind.FLUENT, *signature) in self._evidence.analysis.graph.metric:
            return None
        terms = tuple(_term(arg) for arg in args)
        term: Term = Compound(signature[0], terms) if terms else Const(signature[0])
        for symbol in self._evidence.entities.meant(signature):
            if symbol.kind is EntityKind.EVENT and time.denominator == 1 and self._evidence.happens(term, int(time)):
                return self._prover.event(term, int(time), depth)
            if symbol.kind is EntityKind.FLUENT and self._evidence.holds((term, TRUE), math.ceil(time)):
                return self._prover.holds((term, TRUE), math.ceil(time), depth)
        return None


def metric_program(evidence: Evidence, symbol: Symbol) -> MetricProgram:
    """The metric rules on which a predicate depends."""
    graph = evidence.analysis.graph
    defining = [one for other in graph.with_metric_sources([symbol]) for one in evidence.entities[other].metric]
    rules = tuple(one for one in defining if isinstance(one, MetricRule))
    return MetricProgram(rules, tuple(one for one in defining if isinstance(one, MetricFact)))


def _args(pair: Pair) -> Ground:
    return tuple(arg if isinstance(arg, Const) else Const(arg) for arg in arguments(pair[0]))  # type: ignore[arg-type]


def _term(arg: Const) -> Term:
    """An argument as a term; the dictionary contains compound arguments directly."""
    return arg if isinstance(arg.value, str | int | float) else arg.value
