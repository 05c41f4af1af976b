"""Bodies of metric rules: conditions that hold together, as joins of intervals that overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from holdsfor.compiler.metric.rules import Joined, JoinLiteral, Relation, Scan, Total
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of, column_of, compare, evaluate
from holdsfor.engine.frames import UNIT, Codes, Column, Frame, Numbers
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.metric.aggregates import total
from holdsfor.engine.metric.facts import Facts, common, maximal, minus, no_facts
from holdsfor.engine.numbers import lacks_values, no_value
from holdsfor.engine.relations import join_keys, relation
from holdsfor.engine.stabbing import containing, finite
from holdsfor.engine.tables import FOREVER
from holdsfor.ir import Compare
from holdsfor.ir.metric import Comparator, Comparison
from holdsfor.syntax.terms import Compound, Term, Var, variables

START, END = "#start", "#end"
ALWAYS = UNIT.with_columns({START: Numbers(np.array([-FOREVER])), END: Numbers(np.array([FOREVER]))})
"""One row that binds nothing and holds always: where every body starts."""
Tables = Callable[[Relation], Facts]
"""The maximal facts of a relation."""

_OPERATORS = {
    Comparator.LESS: "<",
    Comparator.AT_MOST: "=<",
    Comparator.GREATER: ">",
    Comparator.AT_LEAST: ">=",
}


@dataclass(frozen=True)
class Body:
    """A rule body, with its literals in an order in which each finds its variables bound."""

    rule: Joined

    def solve(
        self, tables: Tables, dictionary: Dictionary, changed: int | None = None, delta: Facts | None = None
    ) -> Facts:
        """What the rule derives, not maximal; `delta` stands in for the table of the literal number `changed`."""
        literals = self.rule.literals
        read = {
            place: delta if place == changed and delta is not None else tables(literal.relation)
            for place, literal in enumerate(literals)
            if isinstance(literal, Scan)
        }
        if any(not read[place].rows for place, one in enumerate(literals) if isinstance(one, Scan) and not one.negated):
            return no_facts(self.rule.head.arity)
        if self._is_aligned:
            found = common([read[place] for place in range(len(literals))])
            if self.rule.terms == _first_scan(literals).args:
                return found
            return _head(self.rule, scanned(_first_scan(literals), found, dictionary), dictionary)
        frame = ALWAYS
        for place in _order(literals, read, changed):
            frame = _applied(literals[place], read.get(place), frame, tables, dictionary)
            if not frame.rows:
                return no_facts(self.rule.head.arity)
        return _head(self.rule, frame, dictionary)

    @cached_property
    def _is_aligned(self) -> bool:
        """Whether all literals have the same variables in the same order: then the join is an intersection."""
        literals = self.rule.literals
        first = literals[0] if literals else None
        if not isinstance(first, Scan) or len(set(first.args)) < len(first.args):
            return False
        return all(isinstance(one, Scan) and not one.negated and one.args == first.args for one in literals) and all(
            isinstance(arg, Var) for arg in first.args
        )


def _first_scan(literals: Sequence[JoinLiteral]) -> Scan:
    first = literals[0]
    assert isinstance(first, Scan)
    return first


def _order(literals: Sequence[JoinLiteral], read: Mapping[int, Facts], changed: int | None) -> Iterable[int]:
    """What changed first, then the smallest table that shares a variable with what is there; tests as soon as they can
    be made, negation last.
    """
    waiting = list(range(len(literals)))
    bound: set[str] = set()
    while waiting:
        place = min(waiting, key=lambda one: _rank(literals[one], bound, read.get(one), is_changed=one == changed))
        waiting.remove(place)
        bound |= _names(literals[place])
        yield place


def _rank(literal: JoinLiteral, bound: set[str], facts: Facts | None, *, is_changed: bool) -> tuple[int, int]:
    names = _names(literal)
    match literal:
        case Scan(negated=True):
            return 9, 0
        case Scan():
            rows = facts.rows if facts is not None else 0
            return (0, 0) if is_changed else (2 if names & bound or not bound else 4, rows)
        case Total():
            return 5, 0
        case Comparison(comparator=comparator, left=left, right=right):
            if names <= bound:
                return 1, 0
            known = [_term_names(side) <= bound for side in (left, right)]
            defines = comparator is Comparator.EQUAL and any(
                isinstance(side, Var) and known[1 - place] for place, side in enumerate((left, right))
            )
            return (1, 1) if defines else (10, 0)


def _names(literal: JoinLiteral) -> set[str]:
    match literal:
        case Scan():
            return set(literal.names)
        case Total(result=result):
            return {result.name, *(var.name for var in literal.groups)}
        case Comparison(left=left, right=right):
            return _term_names(left) | _term_names(right)


def _term_names(term: Term) -> set[str]:
    return {var.name for var in variables(term)}


def _applied(literal: JoinLiteral, facts: Facts | None, frame: Frame, tables: Tables, dictionary: Dictionary) -> Frame:
    match literal:
        case Scan(negated=True):
            assert facts is not None
            return without(frame, scanned(literal, facts, dictionary), dictionary)
        case Scan():
            assert facts is not None
            return overlap(frame, scanned(literal, facts, dictionary), dictionary)
        case Total(scan=scan):
            return overlap(
                frame, _totals(literal, scanned(scan, tables(scan.relation), dictionary), dictionary), dictionary
            )
        case Comparison():
            return _compared(literal, frame, dictionary)


def scanned(scan: Scan, facts: Facts, dictionary: Dictionary) -> Frame:
    """The facts that a scan chooses, as bindings of its variables."""
    columns: list[Column] = [*map(Codes, facts.args), Numbers(facts.start), Numbers(facts.end)]
    return relation((*scan.args, Var(START), Var(END)), columns, facts.rows, dictionary)


def times(frame: Frame, name: str) -> Ints:
    """A column of times."""
    column = frame.columns[name]
    assert isinstance(column, Numbers)
    return column.data


def overlap(frame: Frame, other: Frame, dictionary: Dictionary) -> Frame:
    """All pairs of rows that agree on shared variables and overlap, during what they have in common."""
    if frame is ALWAYS:
        return other
    left, right = _overlapping(frame, other, dictionary)
    chosen, partner = frame.take(left), other.take(right)
    fresh = {name: column for name, column in partner.columns.items() if name not in frame.columns}
    start = np.maximum(times(chosen, START), times(partner, START))
    end = np.minimum(times(chosen, END), times(partner, END))
    return chosen.with_columns({**fresh, START: Numbers(start), END: Numbers(end)})


def _overlapping(frame: Frame, other: Frame, dictionary: Dictionary) -> tuple[Ints, Ints]:
    shared = [name for name in other.columns if name in frame.columns and name not in (START, END)]
    if shared:
        keys = join_keys(frame, other, shared, dictionary)
    else:
        keys = np.zeros(frame.rows, np.int64), np.zeros(other.rows, np.int64)
    if not frame.rows or not other.rows:
        return EMPTY, EMPTY
    starts, ends, other_starts, other_ends = finite(
        times(frame, START), times(frame, END), times(other, START), times(other, END)
    )
    left, right = containing(keys, starts, other_starts, other_ends)
    # The others start after the row does: their starts lie inside it.
    back, forth = containing(keys[::-1], other_starts, starts + 1, ends)
    return np.concatenate((left, forth)), np.concatenate((right, back))


def without(frame: Frame, other: Frame, dictionary: Dictionary) -> Frame:
    """The rows during what no agreeing row of the other frame covers."""
    left, right = _overlapping(frame, other, dictionary)
    if not len(left):
        return frame
    # Rows are groups of a time-line of their own.
    rows = np.arange(frame.rows)
    base = Facts((rows,), times(frame, START), times(frame, END))
    covered = maximal([Facts((left,), times(other, START)[right], times(other, END)[right])])
    rest = minus(base, covered)
    return frame.take(rest.args[0]).with_columns({START: Numbers(rest.start), END: Numbers(rest.end)})


def _compared(literal: Comparison, frame: Frame, dictionary: Dictionary) -> Frame:
    left, right = literal.left, literal.right
    if literal.comparator is Comparator.EQUAL:
        for target, source in ((left, right), (right, left)):
            if isinstance(target, Var) and target.name not in frame.columns:
                return _defined(target, source, frame, dictionary)
    operator = _OPERATORS.get(literal.comparator)
    if operator is None:
        is_sum = isinstance(left, Compound) or isinstance(right, Compound)
        equal = literal.comparator is Comparator.EQUAL
        operator = ("=:=" if equal else "=\\=") if is_sum else ("==" if equal else "\\==")
    if operator not in ("==", "\\=="):
        frame = _with_numbers((left, right), frame, dictionary)
    return frame.where(compare(Compare(operator, left, right, literal.span), frame, dictionary))


def _with_numbers(terms: Sequence[Term], frame: Frame, dictionary: Dictionary) -> Frame:
    """The rows in which all variables of some terms are numbers: words that rules of events compute with are none."""
    for name in {variable.name for term in terms for variable in variables(term)}:
        column = frame.columns[name]
        if isinstance(column, Codes):
            frame = frame.where(~dictionary.are_words(column.data))
    return frame


def _defined(target: Var, source: Term, frame: Frame, dictionary: Dictionary) -> Frame:
    if not isinstance(source, Compound):
        return frame.with_columns({target.name: column_of(source, frame, dictionary)})
    frame = _with_numbers((source,), frame, dictionary)
    values = evaluate(source, frame, dictionary)
    if lacks_values(values):
        known = ~no_value(values)
        frame, values = frame.where(known), values[known]
    return frame.with_columns({target.name: Codes(dictionary.encode_numbers(values))})


def _totals(literal: Total, frame: Frame, dictionary: Dictionary) -> Frame:
    names = [var.name for var in literal.groups]
    groups = [codes_of(frame.columns[name], dictionary) for name in names]
    terms = [codes_of(frame.columns[var.name], dictionary) for var in literal.terms]
    facts = maximal([Facts((*groups, *terms), times(frame, START), times(frame, END))])
    found, values = total(literal.function, facts, len(names), dictionary)
    columns = {name: Codes(column) for name, column in zip(names, found.args, strict=True)}
    ends = {START: Numbers(found.start), END: Numbers(found.end)}
    return Frame(found.rows, {**columns, literal.result.name: Codes(values), **ends})


def _head(rule: Joined, frame: Frame, dictionary: Dictionary) -> Facts:
    args = tuple(codes_of(column_of(term, frame, dictionary), dictionary) for term in rule.terms)
    return Facts(args, times(frame, START), times(frame, END))
