"""Lowers metric rules in normal form to the physical plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from holdsfor.compiler.metric.keys import all_keys
from holdsfor.compiler.metric.plan import Direction, MetricStratum
from holdsfor.compiler.metric.rules import (
    Eroded,
    Joined,
    JoinLiteral,
    Lasting,
    Moved,
    NormalRule,
    Relation,
    Scan,
    Total,
    sources,
)
from holdsfor.ir.metric import AggregateFunction, Comparator, Comparison, Range
from holdsfor.physical import metric
from holdsfor.physical.instructions import Anything, Constant, Expression, Register, Shape, origin
from holdsfor.physical.scope import RegisterScope
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables

_FUNCTIONS = list(AggregateFunction)


@record
class LoweredMetric:
    """Lowered rules with their relations in numeric order, and the number of ticks per time unit."""

    part: metric.MetricPart
    relations: tuple[Relation, ...]
    scale: int


def rules_scale(rules: Iterable[NormalRule]) -> int:
    """The number of ticks per time unit that makes all distances in the rules whole numbers."""
    ranges = [rule.offsets for rule in rules if not isinstance(rule, Joined)]
    waits = [rule.waits for rule in rules if isinstance(rule, Lasting)]
    bounds = (bound for one in ranges for bound in (one.low, one.high) if bound is not None)
    return lcm(*(bound.denominator for bound in (*bounds, *waits)))


def lower_metric(strata: Sequence[MetricStratum], outside: Iterable[Relation] = (), ticks: int = 1) -> LoweredMetric:
    """Lowers the rules of some strata. `outside` are relations that can be read or queried although no rule contains
    them.

    A time unit has at least `ticks` ticks.
    """
    rules = [rule for stratum in strata for rule in stratum.rules]
    read = [source for rule in rules for source, _, _ in sources(rule)]
    made = [relation for stratum in strata for relation in stratum.relations]
    relations = tuple(dict.fromkeys([*outside, *read, *made]))
    scale = lcm(rules_scale(rules), ticks)
    lowering = _Lowering({relation: number for number, relation in enumerate(relations)}, scale)
    part = metric.MetricPart(
        tuple(metric.MetricRelation(str(relation), relation.arity) for relation in relations),
        tuple(lowering.stratum(stratum) for stratum in strata),
    )
    return LoweredMetric(part, relations, scale)


class _Lowering:
    def __init__(self, numbers: dict[Relation, int], scale: int) -> None:
        self._numbers, self._scale = numbers, scale

    def stratum(self, stratum: MetricStratum) -> metric.MetricStratum:
        relations = tuple(self._numbers[relation] for relation in stratum.relations)
        rules = tuple(map(self._rule, stratum.rules))
        if not stratum.is_recursive:
            return metric.MetricStratum(relations, rules, is_recursive=False)
        keys = next(all_keys(stratum, {}), {})
        key = tuple(keys[relation] for relation in stratum.relations if relation in keys)
        is_directed = stratum.direction in (Direction.FORWARD, Direction.BACKWARD) and stratum.stride is not None
        return metric.MetricStratum(
            relations,
            rules,
            is_recursive=True,
            key=key if len(key) == len(relations) else (),
            stride=self._ticks(stratum.stride) if is_directed and stratum.stride is not None else 0,
            is_backward=stratum.direction is Direction.BACKWARD,
        )

    def _rule(self, rule: NormalRule) -> metric.MetricRule:
        head, place = self._numbers[rule.head], origin(rule.origin.span)
        match rule:
            case Moved(source=source, offsets=offsets):
                return metric.MetricMove(head, self._numbers[source], self._offsets(offsets), place)
            case Eroded(source=source, offsets=offsets):
                return metric.MetricErode(head, self._numbers[source], self._offsets(offsets), place)
            case Lasting(columns=columns, left=left, right=right, offsets=offsets, is_until=is_until, waits=waits):
                # All columns of both sides are columns of the head.
                names = _Registers(var.name for var in (*columns, *columns))
                registers = tuple(names.of(var.name) for var in columns)
                sides = self._scan(left, names), self._scan(right, names)
                ticks = self._ticks(waits)
                return metric.MetricLast(head, registers, *sides, self._offsets(offsets), is_until, ticks, place)
            case Joined(terms=terms, literals=literals):
                names = _Registers(_names(rule))
                shapes = tuple(names.shape(term) for term in terms)
                lowered = tuple(self._literal(literal, names) for literal in literals)
                return metric.MetricJoin(head, shapes, lowered, names.count, place)

    def _ticks(self, distance: Fraction) -> int:
        ticks = distance * self._scale
        assert ticks.denominator == 1
        return int(ticks)

    def _offsets(self, offsets: Range) -> metric.MetricOffsets:
        low, high = (None if bound is None else self._ticks(bound) for bound in (offsets.low, offsets.high))
        return metric.MetricOffsets(low, high, offsets.low_open, offsets.high_open)

    def _scan(self, scan: Scan, names: _Registers) -> metric.MetricScan:
        return metric.MetricScan(self._numbers[scan.relation], tuple(map(names.shape, scan.args)), scan.negated)

    def _literal(self, literal: JoinLiteral, names: _Registers) -> metric.MetricLiteral:
        match literal:
            case Scan():
                return self._scan(literal, names)
            case Comparison():
                return _test(literal, names)
            case Total(function=function, result=result, terms=terms, scan=scan):
                value = names.of(result.name)
                own = names.inside({var.name for var in terms})
                return metric.MetricTotal(
                    _FUNCTIONS.index(function),
                    value,
                    tuple(own.of(var.name) for var in terms),
                    tuple(names.of(var.name) for var in literal.groups),
                    self._scan(scan, own),
                )


class _Registers:
    """The registers of one rule."""

    def __init__(self, rule_names: Iterable[str]) -> None:
        self._occurrences = Counter(rule_names)
        self._of: dict[str, int] = {}

    @property
    def count(self) -> int:
        """The number of registers."""
        return len(self._of)

    def of(self, name: str) -> int:
        """The register of a variable."""
        return self._of.setdefault(name, len(self._of))

    def inside(self, own: set[str]) -> _Registers:
        """The same registers inside a scope in which some names have another meaning."""
        return _Inside(self, own, self.count)

    def shape(self, term: Term) -> Shape:
        """An argument."""
        match term:
            case Const(value=value):
                return Constant(value)
            case Var(name=name):
                is_idle = term.is_anonymous and self._occurrences[name] < 2
                return Anything() if is_idle else Register(self.of(name))
            case _:
                raise AssertionError("an argument is a variable or a constant")


class _Inside(_Registers):
    """The registers inside an aggregate. Variables that it counts have no meaning outside of it."""

    def __init__(self, outer: _Registers, own: set[str], number: int) -> None:
        self._outer, self._own, self._number = outer, own, number
        self._occurrences = outer._occurrences  # noqa: SLF001 -- its own class

    def of(self, name: str) -> int:
        """The register of a variable. A name with a blank cannot collide with a variable of rules."""
        return self._outer.of(f"{name} inside {self._number}" if name in self._own else name)


def _names(rule: Joined) -> Iterable[str]:
    for term in rule.terms:
        yield from (var.name for var in variables(term))
    for literal in rule.literals:
        match literal:
            case Comparison(left=left, right=right):
                yield from (var.name for side in (left, right) for var in variables(side))
            case Scan(args=args):
                yield from (arg.name for arg in args if isinstance(arg, Var))
            case Total(result=result, terms=terms, scan=scan):
                yield result.name
                yield from (var.name for var in terms)
                yield from (arg.name for arg in scan.args if isinstance(arg, Var))


def _test(literal: Comparison, names: _Registers) -> metric.MetricTest:
    sides = literal.left, literal.right
    is_equation = literal.comparator in (Comparator.EQUAL, Comparator.UNEQUAL)
    is_numeric = not is_equation or any(isinstance(side, Compound) for side in sides)
    left, right = (_side(side, names, is_numeric=is_numeric) for side in sides)
    return metric.MetricTest(str(literal.comparator), is_numeric, left, right)


def _side(term: Term, names: _Registers, *, is_numeric: bool) -> Expression:
    """One side of a comparison. In numeric comparisons, a name such as `pi` is a number."""
    if isinstance(term, Const) and not is_numeric:
        return Constant(term.value)
    scope = RegisterScope(Counter())
    scope.registers = {var.name: names.of(var.name) for var in variables(term)}
    return scope.expression(term)
