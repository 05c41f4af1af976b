"""Verifies the metric steps of explanations with the reference evaluator of metric programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.metric.report import rows
from holdsfor.explain.metric_times import body_times
from holdsfor.explain.nodes import Deriving, MetricCondition, MetricMissed, Node
from holdsfor.ir.metric import (
    Aggregate,
    Atom,
    Binary,
    BinaryOperator,
    Comparison,
    Condition,
    MetricAtom,
    MetricFact,
    MetricLiteral,
    MetricProgram,
    MetricRule,
    Range,
    Unary,
    UnaryOperator,
)
from holdsfor.reference.metric import evaluate
from holdsfor.reference.metric.bindings import FactTimes, ground
from holdsfor.reference.metric.evaluator import (
    aggregate_values,
    atom_times,
    atom_times_for_some,
    body_solutions,
    comparison_holds,
)
from holdsfor.reference.metric.times import Times
from holdsfor.syntax.terms import Const


def replay_facts(root: Node, program: MetricProgram, facts: FactSet, dictionary: Dictionary) -> list[str]:
    """Checks an explanation against facts in columns."""
    given = [
        MetricFact(
            row.predicate,
            tuple(map(Const, row.args)),
            Range(row.start, row.end, not row.start_closed, not row.end_closed),
        )
        for row in rows(facts, dictionary)
    ]
    return replay_metric(root, program, given)


def replay_metric(root: Node, program: MetricProgram, facts: list[MetricFact]) -> list[str]:
    """The errors in an explanation of a metric program; empty if it is correct."""
    claims = [node.claim for node in root.walk() if isinstance(node.claim, Deriving | MetricCondition | MetricMissed)]
    checker = MetricReplay(program, facts, claims)
    return list(dict.fromkeys(problem for node in root.walk() for problem in checker.node(node)))


_Claims = Sequence[Deriving | MetricCondition | MetricMissed]


class MetricReplay:
    """The results of facts within the time range of the claims."""

    def __init__(self, program: MetricProgram, facts: Sequence[MetricFact], claims: _Claims) -> None:
        self._program = program
        times = [time for claim in claims for time in _times(claim)]
        found = evaluate(program, facts, Range(min(times), max(times)))
        self._known = FactTimes()
        for (name, args), ranges in found.items():
            held = Times.of(interval for one in ranges for interval in Times.during(one).intervals)
            self._known.setdefault((name, len(args)), {})[args] = held
        heads = {rule.head.signature for rule in program.rules}
        for fact in (*program.facts, *facts):
            signature = fact.predicate, len(fact.args)
            if signature not in heads:
                # Facts count at any time; results are computed for a limited time range.
                table = self._known.setdefault(signature, {})
                table[fact.args] = table.get(fact.args, Times()) | Times.during(fact.during)
        self._reach = Times.during(Range(min(times), max(times)))

    def node(self, node: Node) -> Iterator[str]:
        """The errors in a step."""
        claim = node.claim
        match claim:
            case Deriving(atom=atom, bindings=bindings, time=time):
                if not _looks_without_end(atom) and (time in atom_times(atom, bindings, self._known)) is not node.holds:
                    yield f"{node.text}: it is not so"
                if node.use is not None and isinstance(node.use.rule, MetricRule) and not node.more:
                    yield from self._rule(node, claim, node.use.rule, node.use.bindings)  # type: ignore[arg-type]
            case MetricCondition(literal=literal, bindings=bindings, time=time):
                if not self._is_met(literal, bindings, time):
                    yield f"{node.text}: it is not so"
            case MetricMissed(rule=rule, bindings=bindings, time=time):
                wanted = body_times(rule, time)
                for found, held in body_solutions(rule, self._known):
                    same = all(found.get(name, value) == value for name, value in bindings.items())
                    if same and held & wanted & self._reach:
                        yield f"{node.text}: the rule does give it"
                        return

    def _rule(self, node: Node, claim: Deriving, rule: MetricRule, bindings: Mapping[str, Const]) -> Iterator[str]:
        assert isinstance(claim.atom, Atom)
        if rule not in self._program.rules:
            yield f"{node.text}: there is no such rule"
        if ground(rule.head, bindings) != claim.atom.args:
            yield f"{node.text}: the rule does not say so"
        if claim.body is None or claim.body not in body_times(rule, claim.time):
            yield f"{node.text}: the head does not hold then"
            return
        if len(node.children) != len(rule.body):
            yield f"{node.text}: {len(node.children)} of {len(rule.body)} conditions are there"
            return
        for literal, child in zip(rule.body, node.children, strict=True):
            if not _is_about(child, literal, bindings, claim.body):
                yield f"{node.text}: {child.text} is not its condition"

    def _is_met(self, literal: MetricLiteral, bindings: Mapping[str, Const], time: Fraction) -> bool:
        match literal:
            case Comparison():
                return comparison_holds(literal, bindings)
            case Aggregate():
                rows = aggregate_values(literal, self._known)
                return any(
                    time in held and all(bindings.get(name) == value for name, value in row.items())
                    for row, held in rows
                )
            case Condition(atom=atom, negated=negated):
                return (time in atom_times_for_some(atom, bindings, self._known)) is not negated


def _times(claim: Deriving | MetricCondition | MetricMissed) -> Iterator[Fraction]:
    yield claim.time
    if isinstance(claim, Deriving):
        if claim.body is not None:
            yield claim.body
        yield from _looked_at(claim.atom, claim.time)


def _looked_at(atom: MetricAtom, time: Fraction) -> Iterator[Fraction]:
    """The ends of the times that the operators of an atom read."""
    if not isinstance(atom, Unary | Binary):
        return
    is_back = atom.operator in (UnaryOperator.DIAMOND_MINUS, UnaryOperator.BOX_MINUS, BinaryOperator.SINCE)
    for distance in (atom.range.low, atom.range.high):
        if distance is not None:
            end = time - distance if is_back else time + distance
            yield end
            for operand in (atom.operand,) if isinstance(atom, Unary) else (atom.left, atom.right):
                yield from _looked_at(operand, end)


def _looks_without_end(atom: MetricAtom) -> bool:
    """Whether an operator reads an unbounded time range, whereas results are known for a limited range only."""
    if not isinstance(atom, Unary | Binary):
        return False
    inner = (atom.operand,) if isinstance(atom, Unary) else (atom.left, atom.right)
    return atom.range.high is None or any(map(_looks_without_end, inner))


def _is_about(child: Node, literal: MetricLiteral, bindings: Mapping[str, Const], at: Fraction) -> bool:
    claim = child.claim
    if isinstance(claim, MetricCondition):
        return claim.literal == literal and claim.time == at
    if not isinstance(literal, Condition) or literal.negated or not child.holds:
        return False
    if isinstance(claim, Deriving):
        if isinstance(literal.atom, Atom):
            same = isinstance(claim.atom, Atom) and claim.atom.predicate == literal.atom.predicate
            return same and ground(claim.atom, claim.bindings) == ground(literal.atom, bindings) and claim.time == at  # type: ignore[arg-type]
        return claim.atom == literal.atom and claim.time == at
    # A fluent or an event of the event rules provides it.
    return isinstance(literal.atom, Atom)
