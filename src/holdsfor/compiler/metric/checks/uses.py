"""Lists the occurrences of predicates in a metric program."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.ir.metric import Aggregate, Atom, Condition, MetricAtom, MetricLiteral, MetricProgram, MetricRule, atoms


def metric_atoms(rule: MetricRule) -> Iterator[tuple[MetricLiteral, MetricAtom]]:
    """The metric atoms of a body, each with its condition."""
    for literal in rule.body:
        if isinstance(literal, Condition | Aggregate):
            yield literal, literal.atom


def body_atoms(rule: MetricRule) -> Iterator[Atom]:
    """The relational atoms of a body in reading order."""
    for _, atom in metric_atoms(rule):
        yield from atoms(atom)


def defined(program: MetricProgram) -> set[tuple[str, int]]:
    """The predicates that rules or facts define."""
    heads = {rule.head.signature for rule in program.rules}
    return heads | {(fact.predicate, len(fact.args)) for fact in program.facts}
