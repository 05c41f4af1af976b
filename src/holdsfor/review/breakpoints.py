"""Finds the breakpoints of constants, at which the answer can change: compared numbers, and lengths of intervals.

The outcome of a comparison of an event's number with the constant changes only where the constant passes the number. That of a
filter of intervals by duration changes only where it passes a length. So all settings between two adjacent numbers have the same
answer, and one of them is enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.columns.frames import Numbers
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns
from holdsfor.compiler.analysis.definitions import FLUENT, Node
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.io.builder import Reading
from holdsfor.ir import (
    Algebra,
    BackgroundRule,
    Call,
    Compare,
    Guard,
    Happens,
    IntervalRule,
    Intervals,
    Literal,
    OpenLength,
    Program,
    Rule,
    rule_variables,
    walk,
)
from holdsfor.ir.literals import DURATIONS, Body
from holdsfor.loading import Reasoner
from holdsfor.logic.unify import may_equal
from holdsfor.review.timeline_scale import FAR
from holdsfor.review.varying import Parameter
from holdsfor.syntax.terms import Compound, Const, Var, functor, variables

Reals: TypeAlias = npt.NDArray[np.float64]
_ORDER = {"<", ">", "=<", ">="}
_TURNED = {"<": ">", ">": "<", "=<": ">=", ">=": "=<"}


@dataclass(frozen=True)
class ConstantRange:
    """A range of values of one constant with the same answer, and the value that is tried."""

    value: Fraction
    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False

    def __contains__(self, value: Fraction) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        return above and (value < self.high if self.high_open else value <= self.high)


@dataclass(frozen=True)
class RowTest:
    """`Number operator Constant` in a rule, where the number is an argument of an input event."""

    rule: Rule
    event: Happens
    symbol: Symbol
    argument: int
    operator: str
    """The operator with the number of the event as left operand."""
    compare: Compare
    call: Call


@dataclass(frozen=True)
class LengthTest:
    """A filter of intervals by duration, whose bound is the constant."""

    rule: IntervalRule
    algebra: Algebra

    @property
    def operator(self) -> str:
        """The operator with the length as left operand."""
        return DURATIONS[self.algebra.operator]


@dataclass(frozen=True)
class Uses:
    """All uses of a constant; `unknown` describes a use with unknown breakpoints."""

    rows: tuple[RowTest, ...] = ()
    lengths: tuple[LengthTest, ...] = ()
    unknown: str = ""


def uses_of(parameter: Parameter, program: Program, reasoner: Reasoner) -> Uses:
    """The conditions that read a constant that is an argument of a fact."""
    if parameter.fact is None or parameter.argument < 0 or not isinstance(parameter.fact.head, Compound):
        return Uses(unknown="it is no argument of a fact")
    head = parameter.fact.head
    rows: list[RowTest] = []
    lengths: list[LengthTest] = []
    facts = [rule for rule in program.background if functor(rule.head) == functor(head)]
    for rule in program.rules:
        for call in _calls(rule.body, head):
            if isinstance(rule, BackgroundRule):
                return Uses(unknown=f"the rule of {_name(rule)} reads it")
            if call not in rule.body or sum(may_equal(call.atom, fact.head) for fact in facts) != 1:
                return Uses(
                    unknown="a condition that reads it also reads other facts, or stands inside another condition"
                )
            assert isinstance(call.atom, Compound)
            variable = call.atom.args[parameter.argument]
            found = list(_uses(rule, call, variable, reasoner)) if isinstance(variable, Var) else [None]
            if None in found:
                return Uses(unknown="it is more than compared with a number of an input event or a duration")
            rows += [one for one in found if isinstance(one, RowTest)]
            lengths += [one for one in found if isinstance(one, LengthTest)]
    return Uses(tuple(rows), tuple(lengths))


def _name(rule: BackgroundRule) -> str:
    name = functor(rule.head)
    return "?" if name is None else f"{name[0]}/{name[1]}"


def _calls(body: Body, head: Compound) -> Iterator[Call]:
    for literal in walk(body):
        if isinstance(literal, Call) and functor(literal.atom) == functor(head) and may_equal(literal.atom, head):
            yield literal


def _uses(rule: Rule, call: Call, variable: Var, reasoner: Reasoner) -> Iterator[RowTest | LengthTest | None]:
    """The conditions of a rule that use the constant; None for one that is not understood."""
    name = variable.name
    left = sum(one.name == name for one in rule_variables(rule)) - 1
    for literal in rule.body:
        match literal:
            case Compare(operator=operator, left=first, right=second) if operator in _ORDER:
                sides = [(first, second, operator), (second, first, _TURNED[operator])]
                for number, constant, shown in sides:
                    if isinstance(constant, Var) and constant.name == name and isinstance(number, Var):
                        left -= 1
                        yield _row_test(rule, literal, call, number, shown, reasoner)
            case Algebra(operator=operator, bound=Var(name=bound)) if operator in DURATIONS and bound == name:
                left -= 1
                if isinstance(rule, IntervalRule) and literal.open_length is OpenLength.SO_FAR:
                    yield LengthTest(rule, literal)
                else:
                    yield None
    if left:
        yield None


def _row_test(
    rule: Rule, compare: Compare, call: Call, number: Var, operator: str, reasoner: Reasoner
) -> RowTest | None:
    entities = reasoner.analysis.entities
    for literal in rule.body:
        if isinstance(literal, Happens) and isinstance(literal.event, Compound):
            for place, arg in enumerate(literal.event.args):
                if isinstance(arg, Var) and arg.name == number.name:
                    symbol = entities.event(literal.event)
                    entity = entities.table.get(symbol)
                    if entity is not None and entity.role is Role.INPUT_EVENT and not symbol.inner:
                        return RowTest(rule, literal, symbol, place, operator, compare, call)
    return None


def numbers_of(reading: Reading, symbol: Symbol, argument: int) -> Reals:
    """The numbers of an argument of an input event, NaN for what is no number."""
    columns = reading.stream.events.get(symbol)
    if columns is None:
        return np.empty(0)
    return column_numbers(columns, argument, reading)


def column_numbers(columns: EventColumns, argument: int, reading: Reading) -> Reals:
    """One column of a table of events as numbers."""
    column = columns.columns[argument]
    if isinstance(column, Numbers):
        return column.data.astype(np.float64)
    codes, place = np.unique(columns.args[argument], return_inverse=True)
    values = reading.dictionary.values_of(codes)
    found = [float(one) if isinstance(one, int | float) and not isinstance(one, bool) else math.nan for one in values]
    return np.array(found, np.float64)[place] if found else np.empty(0)


@dataclass(frozen=True)
class FilteredList:
    """The list that a filter by duration gets: the conditions that compute it, and the variables that it depends on."""

    body: Body
    variables: tuple[str, ...]


def filtered_list(rule: IntervalRule, algebra: Algebra) -> FilteredList:
    """The interval list that a filter of a rule gets."""
    lists = {one.name for one in variables(algebra.inputs[0])}
    body: list[Literal] = []
    for literal in reversed(rule.body):
        match literal:
            case Intervals(out=out) | Algebra(out=out):
                if lists.isdisjoint(one.name for one in variables(out)):
                    continue
                inputs = literal.inputs if isinstance(literal, Algebra) else ()
                lists.update(one.name for term in inputs for one in variables(term))
            case Guard():
                continue
        body.insert(0, literal)
    terms = [term for one in body if isinstance(one, Intervals) for term in (one.fvp.fluent, one.fvp.value)]
    names = dict.fromkeys(one.name for term in terms for one in variables(term))
    return FilteredList(tuple(body), tuple(names))


def length_probe(program: Program, test: LengthTest) -> tuple[Program, Node]:
    """The program with a fluent for the intervals that a filter gets."""
    given = filtered_list(test.rule, test.algebra)
    name, values = "lengths", tuple(map(Var, given.variables))
    head: Compound | Const = Compound(name, values) if values else Const(name)
    made = IntervalRule(replace(test.rule.fvp, fluent=head, value=Const("true")), test.algebra.inputs[0], given.body)
    return replace(program, rules=(*program.rules, made)), Node(FLUENT, name, len(values))


def lengths_found(start: Ints, end: Ints, query: int) -> Ints:
    """The lengths of intervals; of open ones, up to the query time."""
    found: Ints = np.where(end >= FAR, query + 1, end) - start
    return found


Breakpoint = tuple[Fraction, bool]
"""A number; whether the answer changes just after it (True), or at it."""


def row_cuts(test: RowTest, numbers: Iterable[float]) -> Iterator[Breakpoint]:
    """The breakpoints of a comparison: `S < X` and `S >= X` change just after S, the others at S."""
    is_after = test.operator in ("<", ">=")
    for number in numbers:
        yield Fraction(str(number)), is_after


def length_cuts(lengths: Iterable[int]) -> Iterator[Breakpoint]:
    """A filter by duration may change at a length, or just after it."""
    for length in lengths:
        yield Fraction(length), False
        yield Fraction(length), True


def constant_ranges(low: Fraction, high: Fraction, cuts: Iterable[Breakpoint]) -> list[ConstantRange]:
    """The settings between two bounds, one for each answer that there can be."""
    inside = sorted({cut for cut in cuts if low <= cut[0] <= high and cut not in ((low, False), (high, True))})
    edges: list[Breakpoint] = [(low, False), *inside, (high, True)]
    found = []
    for (begin, begin_after), (end, end_after) in pairwise(edges):
        # A cut at a number assigns the number to the range after it, a cut just after it to the range before.
        if begin == end and (begin_after or not end_after):
            continue
        found.append(
            ConstantRange(_roundest(begin, end, begin_after, not end_after), begin, end, begin_after, not end_after)
        )
    return found


def _roundest(low: Fraction, high: Fraction, low_open: bool, high_open: bool) -> Fraction:
    """The number with the fewest digits in an interval, the one nearest to its middle.

    >>> _roundest(Fraction("4.31"), Fraction("4.87"), True, False), _roundest(Fraction(3), Fraction(4), True, True)
    (Fraction(23, 5), Fraction(7, 2))
    """
    middle = (low + high) / 2
    inside = ConstantRange(middle, low, high, low_open, high_open)
    for digits in range(18):
        size = Fraction(1, 10**digits)
        steps = (round(middle / size), math.ceil(low / size), math.floor(low / size) + 1, math.floor(high / size))
        for candidate in (step * size for step in steps):
            if candidate in inside:
                return candidate
    return middle


def whole_numbers(low: Fraction, high: Fraction) -> list[ConstantRange]:
    """All whole numbers between two bounds; without any, the bounds."""
    numbers = [Fraction(one) for one in range(math.ceil(low), math.floor(high) + 1)] or [low, high]
    return [ConstantRange(one, one, one) for one in numbers]


def thinned(found: Sequence[ConstantRange], most: int) -> list[ConstantRange]:
    """At most a given number of the settings, evenly spread, with the first and the last."""
    if len(found) <= most:
        return list(found)
    places = sorted({round(place * (len(found) - 1) / max(1, most - 1)) for place in range(most)})
    return [found[place] for place in places]
