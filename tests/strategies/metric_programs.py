"""Random metric programs with facts and a horizon, for which the exact answer can be had.

A program is written from the ground up, predicate by predicate; a rule reads what is there already, and its own
predicate group where it recurs. Recursion through time runs one way in each program, and what reads it against that way
does so with bounded intervals, so a horizon bounds all of it. `MetricFeatures` says what may occur. Rules are built so
that they are safe and stratified; nothing is filtered out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricFact, MetricLiteral, MetricProgram, MetricRule
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, Var

PAST = (metric.UnaryOperator.DIAMOND_MINUS, metric.UnaryOperator.BOX_MINUS)
FUTURE = (metric.UnaryOperator.DIAMOND_PLUS, metric.UnaryOperator.BOX_PLUS)
ITEM, NUMBER = "item", "number"
VALUES = {ITEM: tuple(map(Const, "aaabbc")), NUMBER: tuple(map(Const, (1, 1, 2, 2, 3)))}
"""Constants; the first ones are more frequent, so that things meet."""
NAMES = {ITEM: ("X", "Y", "Z"), NUMBER: ("M", "N")}
INPUTS = {"E": (ITEM,), "F": (ITEM,), "L": (ITEM, ITEM), "S": (), "V": (ITEM, NUMBER)}
"""Input predicates with the kinds of their arguments."""
SHAPES = ((ITEM,), (), (ITEM, ITEM), (ITEM, NUMBER), (NUMBER,))


@dataclass(frozen=True)
class MetricFeatures:
    """What may occur in a program and its facts."""

    forward: bool = True
    """Which way recursion runs, and unbounded intervals look: from the past to the future, or from there to here."""
    against: bool = True
    """Whether operators may look the other way, with bounded intervals, in rules that do not recur."""
    recursion: bool = True
    punctual: bool = True
    unbounded: bool = True
    binary: bool = True
    """`Since`, and `Until` where operators look to the future."""
    negation: bool = True
    aggregates: bool = True
    comparisons: bool = True
    truth: bool = True
    head_boxes: bool = True
    nesting: int = 2
    interval_facts: bool = True
    infinite_facts: bool = True
    derived_facts: bool = True
    """Whether facts of head predicates may be given too."""
    denominators: tuple[int, ...] = (1, 2, 4, 3)
    own_variables: int = 10
    """How often, in percent, the left side of `Since` may have variables of its own below another operator."""
    top_on_the_right: int = 0
    """How often, in percent, `Top` is on the right of `Since`, which has no plan if the interval excludes 0."""
    far: bool = False
    """Whether intervals may reach as far as 64-bit integers, and further."""
    numbers: tuple[Const, ...] = VALUES[NUMBER]


EVERYTHING = MetricFeatures()
BACKWARD = replace(EVERYTHING, forward=False)
STREAMABLE = replace(EVERYTHING, against=False, truth=False, interval_facts=False, infinite_facts=False)
"""What runs on a stream without delay, beyond the paper included."""
PAPER = replace(STREAMABLE, binary=False, negation=False, aggregates=False, comparisons=False)
"""Forward-propagating programs as the paper has them, over facts at points."""
PAPER_WITHOUT_POINTS = replace(PAPER, punctual=False)
"""Those with memory that does not depend on the stream."""
FAR = replace(STREAMABLE, far=True, interval_facts=True)
"""Intervals of any size, over facts that are near: what lies between the start and the end of a run is exact."""
DELAYED = replace(STREAMABLE, against=True)
"""What runs on a stream with a delay: bounded references to the future."""
NUMERIC = replace(
    STREAMABLE,
    recursion=False,
    numbers=tuple(
        Const(number)
        for number in (
            *(1, 2, 0.1, 0.2, 0.3, -2.5, 1e17, -1e17, 1e300, 1.7976931348623157e308, 5e-324, 2.0**53),
            *(2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, 2**63, -(2**63), 10**20),
        )
    ),
)
"""Numbers of any size, calculated with and added up. Recursion would make ever larger ones."""
FOREVER = replace(EVERYTHING, recursion=False)
"""No recursion: the answer over all of time can be had."""


@dataclass(frozen=True)
class Scenario:
    """A program, its facts in order of their starts, and the closed horizon that is asked for."""

    program: MetricProgram
    facts: tuple[MetricFact, ...]
    start: Fraction
    end: Fraction

    @property
    def horizon(self) -> metric.Range:
        return metric.Range(self.start, self.end)


@st.composite
def programs(draw: Any, features: MetricFeatures = EVERYTHING) -> MetricProgram:
    """A safe, stratified program."""
    return _Author(draw, features).program()


@st.composite
def scenarios(draw: Any, features: MetricFeatures = EVERYTHING) -> Scenario:
    """A program with facts and a horizon."""
    author = _Author(draw, features)
    program = author.program()
    facts = author.facts()
    start = draw(st.integers(-4, 4))
    length = draw(st.integers(6, 24) | st.integers(0, 5))
    return Scenario(program, facts, Fraction(start), Fraction(start + length))


def steps() -> st.SearchStrategy[Fraction]:
    """Lengths of the steps of a stream."""
    return st.sampled_from([Fraction(1), Fraction(3), Fraction(1, 2), Fraction(5, 2), Fraction(100), Fraction(1, 3)])


def ranges(features: MetricFeatures = EVERYTHING, *, unbounded: bool = True) -> st.SearchStrategy[metric.Range]:
    """Intervals of operators: none is empty, none has a negative number."""
    return _ranges(features, unbounded and features.unbounded)


@st.composite
def _ranges(draw: Any, features: MetricFeatures, unbounded: bool) -> metric.Range:
    scale = draw(st.sampled_from(features.denominators))
    low = Fraction(draw(st.sampled_from((0, 0, 0, 1, 1, 2, 3))), scale if draw(st.booleans()) else 1)
    if features.far and draw(st.integers(0, 2)) == 0:
        return draw(_far_ranges())
    shape = draw(st.sampled_from(("bounded", "bounded", "bounded", "point", "unbounded")))
    if shape == "point" and features.punctual:
        return metric.Range(low, low)
    low_open = draw(st.booleans())
    if shape == "unbounded" and unbounded:
        return metric.Range(low, None, low_open, high_open=True)
    length = Fraction(draw(st.integers(1, 6)), scale if draw(st.booleans()) else 1)
    return metric.Range(low, low + length, low_open, draw(st.booleans()))


FAR_BOUNDS = (2**53, 2**59, 2**60 + 1, 2**61 - 3, 2**61, 3 * 10**18, 2**62, 2**63 - 1, 2**64, 10**30)


@st.composite
def _far_ranges(draw: Any) -> metric.Range:
    """Intervals with a bound around the largest numbers that fit, mostly with the other one nearby."""
    far = Fraction(draw(st.sampled_from(FAR_BOUNDS)))
    shape = draw(st.sampled_from(("wide", "wide", "wide", "point", "late")))
    if shape == "point":
        return metric.Range(far, far)
    low = far if shape == "late" else Fraction(draw(st.integers(0, 3)))
    return metric.Range(low, low + far, draw(st.booleans()), draw(st.booleans()))


def _atoms(literal: MetricLiteral) -> Iterable[metric.Atom]:
    return () if isinstance(literal, metric.Comparison) else metric.atoms(literal.atom)


@dataclass
class _Author:
    """Writes a program with the choices of Hypothesis."""

    draw: Any
    features: MetricFeatures
    readable: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict(INPUTS))
    heads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    blanks: int = 0

    @property
    def values(self) -> dict[str, tuple[Const, ...]]:
        return VALUES | {NUMBER: self.features.numbers}

    def pick(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def maybe(self, percent: int = 50) -> bool:
        return bool(self.draw(st.integers(0, 99)) >= 100 - percent)

    def program(self) -> MetricProgram:
        rules: list[MetricRule] = []
        for level in range(self.draw(st.integers(1, 3))):
            shapes = [self.pick(SHAPES) for _ in range(1 + (self.features.recursion and self.maybe(25)))]
            group = {f"P{level}{letter}": shape for letter, shape in zip("ab", shapes, strict=False)}
            for predicate, shape in group.items():
                for _ in range(self.draw(st.integers(1, 2))):
                    rules.append(self.rule(predicate, shape, {}))
            recurs = self.features.recursion and (len(group) == 2 or self.maybe(40))
            if recurs:
                for predicate, shape in group.items():
                    rules.append(self.rule(predicate, shape, group))
            self.readable |= group
            self.heads |= group
        self.read = {atom.predicate for rule in rules for literal in rule.body for atom in _atoms(literal)}
        return MetricProgram(tuple(self.draw(st.permutations(rules))))

    def rule(self, predicate: str, shape: tuple[str, ...], group: dict[str, tuple[str, ...]]) -> MetricRule:
        """A rule for a predicate; it recurs if a group is given, and then reads at least one predicate of it."""
        body: list[MetricLiteral] = []
        against = self.features.against and not group
        if group:
            body.append(metric.Condition(self.metric_atom(group, against, self.features.nesting)))
        for _ in range(self.draw(st.integers(0 if group else 1, 2))):
            body.append(metric.Condition(self.metric_atom(self.readable | group, against, self.features.nesting)))
        bound = self.bound(body)
        if self.features.aggregates and self.maybe(12):
            body.append(self.aggregate(against))
            bound = self.bound(body)
        if self.features.negation and self.maybe(25):
            body.append(metric.Condition(self.metric_atom(self.readable, against, 1, bound), negated=True))
        if self.features.comparisons and self.maybe(20):
            comparison = self.comparison(bound, may_calculate=not group)
            body.append(comparison)
            bound = self.bound(body)
        body = list(self.draw(st.permutations(body)))
        head = metric.Atom(predicate, tuple(self.head_argument(kind, bound) for kind in shape))
        return MetricRule(self.boxes(against), head, tuple(body))

    def boxes(self, against: bool) -> tuple[tuple[metric.UnaryOperator, metric.Range], ...]:
        if not self.features.head_boxes or not self.maybe(30):
            return ()
        return tuple(
            (metric.UnaryOperator.BOX_PLUS if towards_future else metric.UnaryOperator.BOX_MINUS, during)
            for _ in range(self.draw(st.integers(1, 2)))
            for towards_future, during in [self.direction(against, of_head=True)]
        )

    def direction(self, against: bool, *, of_head: bool = False) -> tuple[bool, metric.Range]:
        """Whether an operator looks to the future, and how far.

        A head that reaches forward is like a body that looks back.
        """
        along = not (against and self.maybe(35))
        during = self.draw(ranges(self.features, unbounded=along or not self.features.recursion))
        return (along == self.features.forward) == of_head, during

    def metric_atom(
        self, readable: dict[str, tuple[str, ...]], against: bool, depth: int, bound: dict[str, str] | None = None
    ) -> MetricAtom:
        """An atom below at most `depth` operators; with only variables that are bound, if those are given."""
        if depth == 0 or self.maybe(20 if depth == self.features.nesting else 50):
            return self.atom(readable, bound)
        future, during = self.direction(against)
        if self.features.binary and self.maybe(25):
            operator = metric.BinaryOperator.UNTIL if future else metric.BinaryOperator.SINCE
            # `Top` on the right is refused: such a condition is a box.
            right = self.metric_atom(readable, against, depth - 1, bound)
            right = right if any(True for _ in metric.atoms(right)) else self.atom(readable, bound)
            if self.features.top_on_the_right and self.maybe(self.features.top_on_the_right):
                right = metric.Truth()
            # So are variables of the left side alone, in some places below another operator.
            is_inside = depth < self.features.nesting and bound is None
            names = (
                self.bound([metric.Condition(right)])
                if is_inside and not self.maybe(self.features.own_variables)
                else bound
            )
            left = (
                metric.Truth()
                if self.features.truth and self.maybe(10)
                else self.metric_atom(readable, against, depth - 1, names)
            )
            return metric.Binary(operator, during, left, right)
        operand = (
            metric.Truth()
            if self.features.truth and self.maybe(4)
            else self.metric_atom(readable, against, depth - 1, bound)
        )
        return metric.Unary(self.unary(future, operand), during, operand)

    def unary(self, future: bool, operand: MetricAtom) -> metric.UnaryOperator:
        """An operator; a box over an input is rare, since that seldom holds for long."""
        diamond, box = FUTURE if future else PAST
        return box if self.maybe(15 if isinstance(operand, metric.Atom) else 50) else diamond

    def atom(self, readable: dict[str, tuple[str, ...]], bound: dict[str, str] | None = None) -> metric.Atom:
        predicate = self.pick(list(readable))
        return metric.Atom(predicate, tuple(self.argument(kind, bound) for kind in readable[predicate]))

    def argument(self, kind: str, bound: dict[str, str] | None) -> Var | Const:
        names = NAMES[kind] if bound is None else [name for name, of in bound.items() if of == kind]
        if not names or self.maybe(12):
            return self.pick(self.values[kind])
        if bound is None and self.maybe(10):
            self.blanks += 1
            return Var(f"{ANONYMOUS_PREFIX}{self.blanks}")
        return Var(self.pick(names))

    def head_argument(self, kind: str, bound: dict[str, str]) -> Var | Const:
        names = [name for name, of in bound.items() if of == kind]
        return self.pick(self.values[kind]) if not names or self.maybe(8) else Var(self.pick(names))

    def bound(self, body: list[MetricLiteral]) -> dict[str, str]:
        """The variables to which a body gives values, with their kinds."""
        found: dict[str, str] = {}
        for literal in body:
            if isinstance(literal, metric.Condition) and not literal.negated:
                names = [
                    variable.name for variable in metric.binding_variables(literal.atom) if not variable.is_anonymous
                ]
                found |= {name: NUMBER if name in NAMES[NUMBER] else ITEM for name in names}
            elif isinstance(literal, metric.Aggregate):
                local = {term.name for term in literal.terms}
                shared = {
                    variable.name for variable in metric.binding_variables(literal.atom) if not variable.is_anonymous
                }
                found |= {name: NUMBER if name in NAMES[NUMBER] else ITEM for name in shared - local}
                found[literal.result.name] = NUMBER
            elif isinstance(literal, metric.Comparison) and literal.left == Var("K"):
                found["K"] = NUMBER
        return found

    def aggregate(self, against: bool) -> metric.Aggregate:
        """An aggregate over an atom of one or two arguments, or under one operator."""
        function = self.pick(list(metric.AggregateFunction))
        numeric = function is not metric.AggregateFunction.COUNT
        options = [name for name, shape in self.readable.items() if (NUMBER in shape if numeric else shape)]
        predicate = self.pick(options)
        kinds = self.readable[predicate]
        first = kinds.index(NUMBER) if numeric else len(kinds) - 1
        term = Var("W")
        others = [
            Var(f"W{position}") if self.maybe(30) else self.argument(kind, None) for position, kind in enumerate(kinds)
        ]
        args = tuple(term if position == first else other for position, other in enumerate(others))
        more = tuple(arg for arg in args if isinstance(arg, Var) and arg.name.startswith("W") and arg != term)
        atom: MetricAtom = metric.Atom(predicate, args)
        if self.maybe(40):
            future, during = self.direction(against)
            atom = metric.Unary(self.unary(future, atom), during, atom)
        return metric.Aggregate(function, Var("C"), (term, *more), atom)

    def comparison(self, bound: dict[str, str], *, may_calculate: bool) -> metric.Comparison:
        """A comparison of numbers, or of things that are equal or not; or a number calculated from another."""
        numbers = [Var(name) for name, kind in bound.items() if kind == NUMBER]
        items = [Var(name) for name, kind in bound.items() if kind == ITEM]
        if numbers and may_calculate and self.maybe(40):
            term = Compound(
                self.pick(("+", "*", "-")), (self.pick(numbers), self.pick([*self.values[NUMBER], *numbers]))
            )
            return metric.Comparison(metric.Comparator.EQUAL, Var("K"), term)
        if items and (not numbers or self.maybe(40)):
            other = self.pick([*items, *self.values[ITEM]])
            return metric.Comparison(
                self.pick((metric.Comparator.UNEQUAL, metric.Comparator.EQUAL)), self.pick(items), other
            )
        left = self.pick(numbers or self.values[NUMBER])
        right = self.pick([*self.values[NUMBER], *numbers])
        if self.maybe(30):
            right = Compound(self.pick(("+", "-")), (right, self.pick(self.values[NUMBER])))
        return metric.Comparison(self.pick(list(metric.Comparator)), left, right)

    def facts(self) -> tuple[MetricFact, ...]:
        """Facts of input predicates, and now and then of derived ones, in order of their starts."""
        shapes = INPUTS | (self.heads if self.features.derived_facts and self.maybe(25) else {})
        read = [predicate for predicate in shapes if predicate in self.read]
        scale = self.pick(self.features.denominators)
        found: list[MetricFact] = []
        for _ in range(self.draw(st.integers(3, 24))):
            predicate = self.pick(list(shapes) if not read or self.maybe(8) else read)
            args = tuple(self.pick(self.values[kind]) for kind in shapes[predicate])
            found.append(MetricFact(predicate, args, self.fact_time(scale)))
        return tuple(sorted(found, key=lambda fact: (fact.during.low is not None, fact.during.low or 0)))

    def fact_time(self, scale: int) -> metric.Range:
        low = Fraction(self.draw(st.integers(0, 12 * scale)), scale)
        far = self.draw(st.integers(0, 29))
        if far == 29:
            low -= 10
        elif far == 28 and not self.features.recursion:
            low += self.pick((1_000, -1_000, 1_000_000_007))
        if not self.features.interval_facts or self.maybe(50):
            return metric.Range(low, low)
        low_open, high_open = self.draw(st.booleans()), self.draw(st.booleans())
        high = low + Fraction(self.draw(st.integers(1, 8)), scale)
        if self.features.infinite_facts and self.maybe(8):
            return self.pick(
                (
                    metric.Range(low, None, low_open, high_open=True),
                    metric.Range(None, high, low_open=True, high_open=high_open),
                    metric.Range(None, None, low_open=True, high_open=True),
                )
            )
        return metric.Range(low, high, low_open, high_open)
