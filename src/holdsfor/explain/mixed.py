"""Explains metric predicates in mixed programs.

A fluent on the time-points [s, e) corresponds to the rational times (s-1, e-1]; an event at T happens on [T, T].
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.timeline import columns_of
from holdsfor.columns.report import ground_term
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.mixing import TRUE, read_atoms
from holdsfor.explain.metric_proofs import MetricProver
from holdsfor.explain.metric_refutations import MetricRefuter
from holdsfor.explain.metric_world import MetricWorld
from holdsfor.explain.nodes import Happening, Kind, Node, Pair
from holdsfor.explain.wording import moment_text, point_text
from holdsfor.ir.metric import Atom, MetricFact, MetricProgram, MetricRule, Range
from holdsfor.reference.metric.bindings import Ground, ground
from holdsfor.syntax.terms import Compound, Const, Term, arguments

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover


class MetricProofs:
    """Proofs about metric predicates that read fluents and events, and that event rules read."""

    def __init__(self, prover: Prover) -> None:
        self._prover, self._evidence = prover, prover.evidence
        self._provers: dict[tuple[Symbol, Fraction], MetricProver] = {}

    def proof(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...] | None:
        """Proof steps for a predicate that holds at a time-point."""
        symbol, at = self._moment(pair, time)
        found = self._at(symbol, at).proof(Atom(symbol.name, _args(pair[0])), at, depth)
        if found is None:
            return None
        text = f"what holds at {moment_text(at)}, the last time-point that is decided, is taken to go on"
        return (found, Node(Kind.NOTE, text)) if at < time else (found,)

    def refutation(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        """Steps that show why a predicate does not hold at a time-point."""
        symbol, at = self._moment(pair, time)
        if at < self._evidence.origin:
            return (Node(Kind.NOTE, f"time begins at {point_text(self._evidence.origin)}", holds=False),)
        return MetricRefuter(self._at(symbol, at).world).refutation(Atom(symbol.name, _args(pair[0])), at, depth)

    def _moment(self, pair: Pair, time: int) -> tuple[Symbol, Fraction]:
        return self._evidence.entities.pair(*pair), Fraction(min(time, self._evidence.now + 1))

    def _at(self, symbol: Symbol, time: Fraction) -> MetricProver:
        if (symbol, time) not in self._provers:
            analysis, dictionary = self._evidence.analysis, Dictionary()
            sources = analysis.graph.with_metric_sources([symbol])
            defining = [one for other in sources for one in analysis.entities[other].metric]
            rules = tuple(one for one in defining if isinstance(one, MetricRule))
            program = MetricProgram(rules, tuple(one for one in defining if isinstance(one, MetricFact)))
            facts = columns_of(self._facts(program), 1, dictionary)
            within = Fraction(self._evidence.origin), Fraction(self._evidence.now + 1)
            world = MetricWorld(program, facts, dictionary, time, within)
            self._provers[symbol, time] = MetricProver(world, self._leaf)
        return self._provers[symbol, time]

    def _facts(self, program: MetricProgram) -> Iterator[MetricFact]:
        """The facts of everything that the rules read and do not define."""
        evidence = self._evidence
        for name, arity in dict.fromkeys(atom.signature for rule in program.rules for atom in read_atoms(rule)):
            for symbol in evidence.entities.meant((name, arity)):
                if symbol in evidence.analysis.graph.metric or symbol not in evidence:
                    continue
                table, is_event = evidence.table(symbol), symbol.kind is EntityKind.EVENT
                for row in range(len(table.start)):
                    terms, (start, end) = table.terms(row), table.interval(row)
                    args = _args(ground_term(symbol, terms if is_event else terms[:-1]))
                    if is_event:
                        yield MetricFact(name, args, Range(Fraction(int(start)), Fraction(int(start))))
                    elif terms[-1] == TRUE:
                        low, high = (None if math.isinf(one) else Fraction(int(one)) - 1 for one in (start, end))
                        yield MetricFact(name, args, Range(low, high, low_open=True, high_open=high is None))

    def _leaf(self, atom: Atom, time: Fraction, depth: int) -> Node | None:
        """The reason why a fluent or event of the event rules provides a fact."""
        if Symbol(EntityKind.FLUENT, *atom.signature) in self._evidence.analysis.graph.metric:
            return None
        terms = tuple(arg if isinstance(arg.value, str | int | float) else arg.value for arg in ground(atom, {}))
        term: Term = Compound(atom.predicate, terms) if terms else Const(atom.predicate)
        for symbol in self._evidence.entities.meant(atom.signature):
            if symbol.kind is EntityKind.EVENT and time.denominator == 1 and self._evidence.happens(term, int(time)):
                return self._prover.proof(Happening(term, int(time)), depth)
            if symbol.kind is EntityKind.FLUENT and self._evidence.holds((term, TRUE), math.ceil(time)):
                return self._prover.holds((term, TRUE), math.ceil(time), depth)
        return None


def _args(fluent: Term) -> Ground:
    return tuple(map(_constant, arguments(fluent)))


def _constant(arg: Term) -> Const:
    """An argument as a constant; metric facts contain compound arguments directly."""
    return arg if isinstance(arg, Const) else Const(arg)  # type: ignore[arg-type]
