"""The algebra method: statically determined fluents as expressions over interval tables.

The instances of a rule (its *candidates*) come from what can make its result non-empty: either side of a union, both
sides of an intersection, the left side of a complement, what happened in `since` and what will in `until`. Each
candidate is a group on the packed time-line, and every operator works on all groups at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.analysis.variants import Goal
from holdsfor.engine.aligned import aligned_table
from holdsfor.engine.asked import ROW, AskedPair
from holdsfor.engine.evaluation import Evaluation, width
from holdsfor.engine.expressions import codes_of, column_of, evaluate, note
from holdsfor.engine.frames import (
    UNIT,
    Codes,
    Column,
    Frame,
    Lists,
    Numbers,
    distinct,
    numbering,
    row_keys,
    stack,
)
from holdsfor.engine.kernels import EMPTY, Bools, Ints, Spans, difference, maximal, true_rows, union
from holdsfor.engine.numbers import lacks_values, no_value
from holdsfor.engine.operators import as_points, of_duration, operate
from holdsfor.engine.patterns import relation
from holdsfor.engine.relations import join, matching
from holdsfor.engine.tables import Intervals as Table
from holdsfor.engine.tables import no_intervals
from holdsfor.engine.ways import Way
from holdsfor.engine.written import Goals
from holdsfor.ir import DURATIONS, Algebra, Body, Guard, IntervalOperator, IntervalRule, Intervals
from holdsfor.syntax.terms import ListTerm, Term, Var


@dataclass(frozen=True)
class Result:
    """What a rule gives: the head of every candidate for which it succeeds, and the intervals of each."""

    heads: list[Ints]
    spans: Spans


def run_static(evaluation: Evaluation, symbol: Symbol) -> None:
    """A statically determined fluent. For one pair the first of its rules that succeeds counts."""
    rules = [rule for rule in evaluation.entities[symbol].rules if isinstance(rule, IntervalRule)]
    rules = [rule for rule in rules if not _is_fallback(rule)]
    tables: list[Table] = []
    for position, rule in enumerate(rules):
        table = _rule_table(evaluation, symbol, rule)
        for earlier in rules[:position]:
            table = table.take(true_rows(~_succeeds(evaluation, symbol, earlier, table)))
        tables.append(table)
    evaluation.set_fluent(symbol, _combined(symbol, tables))


def _is_fallback(rule: IntervalRule) -> bool:
    return isinstance(rule.out, ListTerm) and not rule.out.items and rule.out.tail is None and not rule.body


def _combined(symbol: Symbol, tables: list[Table]) -> Table:
    if len(tables) == 1:
        return tables[0]
    if not tables:
        return no_intervals(width(symbol), single_valued=False)
    args = [np.concatenate([table.args[place] for table in tables]) for place in range(width(symbol))]
    value, start, end = (
        np.concatenate([getattr(table, name) for table in tables]) for name in ("value", "start", "end")
    )
    order = np.lexsort((start, value, *reversed(args)))
    return Table(tuple(column[order] for column in args), value[order], start[order], end[order], single_valued=False)


def _rule_table(evaluation: Evaluation, symbol: Symbol, rule: IntervalRule) -> Table:
    """The intervals of all pairs that one rule defines."""
    ways = evaluation.notes.ways(rule)
    table = aligned_table(evaluation, ways[0]) if len(ways) == 1 else None
    if table is not None:
        return table
    results = [result for way in ways if (result := _Expression(evaluation, way).result()) is not None]
    if not results:
        return no_intervals(width(symbol), single_valued=False)
    if len(results) == 1:
        return _by_head(evaluation, results[0].heads, results[0].spans)
    heads = [np.concatenate([one.heads[place] for one in results]) for place in range(width(symbol) + 1)]
    shifts = np.cumsum([0, *(len(one.heads[0]) for one in results)])
    bits = evaluation.space.time_bits
    starts = np.concatenate([one.spans[0] + (int(shift) << bits) for one, shift in zip(results, shifts, strict=False)])
    ends = np.concatenate([one.spans[1] + (int(shift) << bits) for one, shift in zip(results, shifts, strict=False)])
    return _by_head(evaluation, heads, (starts, ends))


def _by_head(evaluation: Evaluation, heads: list[Ints], spans: Spans) -> Table:
    """Intervals of candidates with one head are united; the table is sorted by head."""
    space = evaluation.space
    bits, mask = space.time_bits, space.last
    if not len(spans[0]):
        return no_intervals(len(heads) - 1, single_valued=False)
    keys = row_keys(heads)
    if bool((keys[1:] > keys[:-1]).all()) and bool((spans[0] < spans[1]).all()):
        starts, ends = union([spans])
        rows = starts >> bits
    else:
        first, number = numbering(keys)
        group = number[spans[0] >> bits] << bits
        starts, ends = maximal(group | (spans[0] & mask), group | (spans[1] & mask))
        rows = first[starts >> bits]
    columns = [column[rows] for column in heads]
    return Table(tuple(columns[:-1]), columns[-1], space.plain(starts), space.plain(ends), single_valued=False)


def _succeeds(evaluation: Evaluation, symbol: Symbol, rule: IntervalRule, table: Table) -> Bools:
    """For which pairs of a table another rule has an answer, be it an empty one."""
    answered = np.zeros(len(table), np.bool_)
    columns: list[Column] = [*(Codes(column) for column in table.args), Codes(table.value)]
    terms = (*symbol.columns(rule.fvp.fluent), rule.fvp.value, Var("#pair"))
    pairs = relation(terms, [*columns, Numbers(np.arange(len(table)))], len(table), evaluation.dictionary)
    for way in evaluation.notes.ways(rule):
        found = _Expression(evaluation, way).succeeding(pairs)
        column = found.columns["#pair"]
        assert isinstance(column, Numbers)
        answered[column.data.astype(np.int64)] = True
    return answered


class _Expression:
    """One way through the body of a rule: an expression over interval lists, with conditions on its variables."""

    def __init__(self, evaluation: Evaluation, way: Way) -> None:
        self._evaluation = evaluation
        self._dictionary = evaluation.dictionary
        self._way = way
        self._nodes: Mapping[str, Intervals | Algebra] = way.nodes
        self._spans: dict[str, Spans] = {}

    def result(self) -> Result | None:
        """The heads of all candidates for which the rule succeeds, with their intervals; None if there are none."""
        way = self._way
        frame = self._complete(self._support(way.out))
        if not frame.rows:
            return None
        frame, spans = self._computed(frame, way.out)
        heads = [codes_of(column_of(term, frame, self._dictionary), self._dictionary) for term in way.head]
        return Result(heads, spans)

    def succeeding(self, pairs: Frame) -> Frame:
        """The rows of a frame with given heads for which the rule has an answer."""
        frame = pairs
        for name in self._way.leaf_names:
            frame = join(frame, self._domain(name), self._dictionary)
        frame = self._complete(frame)
        return self._guarded(frame)

    # Candidates

    def _support(self, term: Term) -> Frame:
        """Bindings that can make an interval list non-empty."""
        node = self._nodes.get(term.name) if isinstance(term, Var) else None
        if node is None:
            return UNIT.take(EMPTY)
        if isinstance(node, Intervals):
            return self._evaluation.leaves.instances(self._way.asked[term.name])  # type: ignore[union-attr]
        match node.operator:
            case IntervalOperator.UNION:
                return self._either([self._support(item) for item in node.inputs])
            case IntervalOperator.COMPLEMENT | IntervalOperator.WRITTEN:
                return self._spread(UNIT, self._way.below(node.out))
            case IntervalOperator.INTERSECTION | IntervalOperator.SEQUENCE | IntervalOperator.ALLEN:
                return self._every(node.inputs)
            case IntervalOperator.SINCE | IntervalOperator.UNTIL:
                return self._support(node.inputs[1])
            case _:
                return self._support(node.inputs[0])

    def _every(self, items: Sequence[Term]) -> Frame:
        """The bindings that can make all of some interval lists non-empty."""
        frame = self._support(items[0])
        for item in items[1:]:
            if not frame.rows:
                break
            other = self._support(item)
            frame = join(frame, other, self._dictionary) if frame.columns else other
        return frame

    def _either(self, frames: Sequence[Frame]) -> Frame:
        """The bindings of any frame; a variable that one of them leaves open takes every value of its domain."""
        names = list(dict.fromkeys(name for frame in frames for name in frame.columns))
        filled = [self._spread(frame, names) for frame in frames if frame.rows]
        if len(filled) == 1:
            return filled[0]
        return distinct(stack(filled, names)) if filled else frames[0].take(EMPTY)

    def _spread(self, frame: Frame, names: Iterable[str]) -> Frame:
        for name in sorted([name for name in names if name not in frame.columns]):
            frame = join(frame, self._domain(name), self._dictionary)
        return frame

    def _domain(self, name: str) -> Frame:
        """The values of a variable: those that the conditions of the rule give it, or else every value that occurs at
        its places in the rule's fluents.
        """
        if name in self._given.columns:
            return distinct(self._given.only([name]))
        found = [self._evaluation.leaves.instances(asked).only([name]) for asked in self._way.domain(name)]
        return distinct(stack(found, [name]))

    @cached_property
    def _given(self) -> Frame:
        """What the conditions of the rule bind by themselves."""
        ordered = self._way.ordered(self._way.variant.conditions, frozenset())
        frame = self._evaluation.bodies.solve(ordered.body, UNIT)
        return frame.with_columns(
            {n: Codes(codes_of(c, self._dictionary)) for n, c in frame.columns.items() if not isinstance(c, Lists)}
        )

    def _complete(self, frame: Frame) -> Frame:
        """Candidates after the conditions of the rule, with every variable of its fluents bound."""
        way = self._way
        if not frame.rows:
            return frame.with_columns({name: Codes(EMPTY) for name in way.all_names - frame.columns.keys()})
        stuck: Body = ()
        if way.variant.conditions:
            ordered = way.ordered(way.variant.conditions, frozenset(frame.columns))
            frame, stuck = self._evaluation.bodies.solve(ordered.body, frame), ordered.stuck
        frame = self._spread(frame, way.leaf_names)
        if stuck:
            later = way.ordered(stuck, frozenset(frame.columns))
            frame = self._evaluation.bodies.solve(later.body, frame)
        return frame

    # Intervals

    def _computed(self, frame: Frame, out: Term) -> tuple[Frame, Spans]:
        """The intervals of a list for every candidate; candidates that fail a guard drop out."""
        frame = self._guarded(frame)
        self._spans = {}
        return frame, self._evaluate(out, frame)

    def _guarded(self, frame: Frame) -> Frame:
        for step in self._way.variant.steps:
            self._spans = {}
            match step:
                case Guard(intervals=intervals, empty=empty):
                    starts, _ = self._evaluate(intervals, frame)
                    filled = np.zeros(frame.rows, np.bool_)
                    filled[starts >> self._bits] = True
                    frame = frame.where(~filled if empty else filled)
                case Goal(lists=names):
                    lists = {name: self._evaluate(Var(name), frame) for name in names}
                    frame = self._goals.solve(step, frame, lists)
                case _:
                    frame = self._evaluation.bodies.solve((step,), frame)
        return self._with_limits(frame)

    def _with_limits(self, frame: Frame) -> Frame:
        """Candidates for which every limit of a duration has a value: a condition without one fails."""
        for node in self._nodes.values():
            if isinstance(node, Algebra) and node.operator in DURATIONS and node.bound is not None:
                limits = evaluate(node.bound, frame, self._dictionary)
                if lacks_values(limits):
                    lacking = no_value(limits)
                    note(node, frame.where(lacking), self._dictionary)
                    frame = frame.where(~lacking)
        return frame

    @cached_property
    def _goals(self) -> Goals:
        return Goals(self._evaluation)

    @property
    def _bits(self) -> int:
        return self._evaluation.space.time_bits

    def _evaluate(self, term: Term, frame: Frame) -> Spans:
        node = self._nodes.get(term.name) if isinstance(term, Var) else None
        if node is None or not isinstance(term, Var):
            return EMPTY, EMPTY
        if term.name not in self._spans:
            is_leaf = isinstance(node, Intervals)
            asked = self._way.asked
            self._spans[term.name] = (
                self._leaf_spans(asked[term.name], frame) if is_leaf else self._operate(node, frame)  # type: ignore[arg-type]
            )
        return self._spans[term.name]

    def _leaf_spans(self, asked: AskedPair, frame: Frame) -> Spans:
        table, leaf = self._evaluation.intervals(asked.symbol), self._evaluation.leaves.frame(asked)
        if not leaf.rows:
            return EMPTY, EMPTY
        candidate, found = matching(frame, leaf, self._dictionary)
        row = leaf.ints(ROW)[found]
        space = self._evaluation.space
        return space.pack(candidate, table.start[row]), space.pack(candidate, table.end[row])

    def _operate(self, node: Algebra, frame: Frame) -> Spans:
        if node.operator is IntervalOperator.WRITTEN:
            assert isinstance(node.out, Var)
            return self._goals.spans(node.out.name, frame)
        inputs = [self._evaluate(item, frame) for item in node.inputs]
        if node.operator in DURATIONS:
            return self._of_duration(node, inputs[0], frame)
        if node.operator is IntervalOperator.COMPLEMENT:
            removed = as_points(node, inputs, self._nodes)
            return difference(self._all_time(frame), removed) if removed else self._all_time(frame)
        return operate(node, inputs, self._nodes, self._bits)

    def _all_time(self, frame: Frame) -> Spans:
        groups = np.arange(frame.rows, dtype=np.int64) << self._bits
        return groups, groups | self._evaluation.space.last

    def _of_duration(self, node: Algebra, spans: Spans, frame: Frame) -> Spans:
        assert node.bound is not None
        bound = evaluate(node.bound, frame, self._dictionary)[spans[0] >> self._bits]
        return of_duration(node, spans, bound, self._evaluation.space, self._evaluation.moment.now)
