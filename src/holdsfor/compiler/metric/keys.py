"""Finds partition keys of metric rules: the head argument by which a rule can be split over workers.

A rule is split by a place of its head. The term at this place, a variable or a constant, determines the bucket that
derives a fact. An input of the rule is routed by the place where the same term occurs, or to every bucket if it does
not occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from holdsfor.compiler.analysis.ordinals import ordinal
from holdsfor.compiler.metric.plan import MetricStratum
from holdsfor.compiler.metric.rules import Eroded, Joined, Lasting, Moved, NormalRule, Relation, Scan, Total, sources
from holdsfor.syntax.terms import Const, Term, Var

Keys = dict[Relation, int]
"""The key place of every relation that a stage evaluates."""


@dataclass(frozen=True, slots=True)
class KeyedRead:
    """A relation that a rule reads, and the places at which the key occurs."""

    relation: Relation
    places: tuple[int, ...]


class Unsplit(Exception):
    """A stratum cannot be split over workers; the message gives the reason."""


def keyed_reads(rule: NormalRule, place: int) -> tuple[KeyedRead, ...]:
    """The reads of a rule that is split by a place of its head, in the order of `sources`; raises Unsplit."""
    match rule:
        case Moved(source=source) | Eroded(source=source):
            return (KeyedRead(source, (place,)),)
        case Lasting(columns=columns, left=left, right=right):
            return tuple(_read(scan, columns[place]) for scan in (left, right))
        case Joined(terms=terms, literals=literals):
            key = terms[place]
            if isinstance(key, Const):
                raise Unsplit(f"the rule at {_at(rule)} is about one entity: {_nth(rule.head, place)} is a constant")
            scans = [one.scan if isinstance(one, Total) else one for one in literals if isinstance(one, Scan | Total)]
            reads = tuple(
                _read(scan, None if key in _counted(one) else key)
                for one, scan in zip((one for one in literals if isinstance(one, Scan | Total)), scans, strict=True)
            )
            if not any(read.places and not scan.negated for read, scan in zip(reads, scans, strict=True)):
                raise Unsplit(f"the rule at {_at(rule)} computes {_nth(rule.head, place)} instead of reading it")
            return reads


def _counted(literal: Scan | Total) -> Sequence[Var]:
    """Variables that are local to a literal."""
    return literal.terms if isinstance(literal, Total) else ()


def _read(scan: Scan, key: Term | None) -> KeyedRead:
    return KeyedRead(scan.relation, tuple(at for at, arg in enumerate(scan.args) if arg == key))


def stratum_keys(stratum: MetricStratum, place: int, known: Keys) -> Keys:
    """The keys of a stratum whose first relation is split by a place, given the keys of other relations.

    Relations of a stratum read each other, so the place of the first determines all others. Raises Unsplit.
    """
    by_head: dict[Relation, list[NormalRule]] = {}
    for rule in stratum.rules:
        by_head.setdefault(rule.head, []).append(rule)
    made = {stratum.relations[0]: place}
    waiting = [stratum.relations[0]]
    is_split = False
    while waiting:
        head = waiting.pop()
        for rule in by_head.get(head, ()):
            reads = keyed_reads(rule, made[head])
            is_split |= not reads or any(read.places for read in reads)
            for read in reads:
                if read.relation in stratum.relations and read.relation not in made and read.places:
                    made[read.relation] = read.places[0]
                    waiting.append(read.relation)
                key = made.get(read.relation, known.get(read.relation))
                if (key is None and read.relation in stratum.relations) or (key is not None and key not in read.places):
                    raise Unsplit(_crossing(rule, made[head], read))
    if not is_split:
        raise Unsplit(f"{stratum.relations[0]} has the same arguments in all derivations")
    return made


def _crossing(rule: NormalRule, place: int, read: KeyedRead) -> str:
    return f"the rule at {_at(rule)} derives {_nth(rule.head, place)} from {read.relation} of any other"


def _nth(relation: Relation, place: int) -> str:
    return f"the {ordinal(place)} argument of {relation}"


def _at(rule: NormalRule) -> str:
    return rule.origin.span.location


def all_keys(stratum: MetricStratum, known: Keys) -> Iterator[Keys]:
    """All possible keys of a stratum."""
    for place in range(stratum.relations[0].arity):
        try:
            yield stratum_keys(stratum, place, known)
        except Unsplit:
            continue


def why_unsplit(stratum: MetricStratum) -> str:
    """The reason why a stratum cannot be split."""
    empty = next((relation for relation in stratum.relations if not relation.arity), None)
    if empty is not None:
        return f"{empty} has no arguments to split by"
    try:
        stratum_keys(stratum, 0, {})
    except Unsplit as problem:
        return str(problem)
    raise AssertionError("the stratum can be split")


def read_relations(strata: Sequence[MetricStratum]) -> tuple[Relation, ...]:
    """All relations that the rules of some strata read."""
    rules = chain.from_iterable(stratum.rules for stratum in strata)
    return tuple(dict.fromkeys(source for rule in rules for source, _, _ in sources(rule)))
