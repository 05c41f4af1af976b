"""Proves why a metric atom holds at a time, or why not: rules, operators with their witnesses, facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import islice

from holdsfor.explain.limits import MOST_STEPS
from holdsfor.explain.metric_solving import Binding, Ground, Signature
from holdsfor.explain.metric_world import MetricWorld, body_times
from holdsfor.explain.nodes import Deriving, Kind, MetricCondition, Node, Row, RuleUse
from holdsfor.explain.wording import moment_text, range_text, ranges_text
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import (
    Aggregate,
    Atom,
    Binary,
    BinaryOperator,
    Comparison,
    Condition,
    MetricAtom,
    MetricLiteral,
    MetricRule,
    Range,
    Truth,
    Unary,
    UnaryOperator,
)
from holdsfor.reference.metric.times import Times
from holdsfor.syntax.terms import Compound, Const, Term, Var

Leaf = Callable[[Signature, Ground, Fraction, int], Node | None]
"""Proves a fact from other sources, at a time and to a depth."""


class MetricProver:
    """Builds proofs over the tables of a metric program."""

    def __init__(self, world: MetricWorld, leaf: Leaf | None = None) -> None:
        self.world = world
        self._steps = 0
        self._leaf = leaf
        self._proved: dict[tuple[object, ...], tuple[int, Node]] = {}

    @property
    def is_cut(self) -> bool:
        """Whether a proof was shortened because of its length."""
        return self._steps > MOST_STEPS

    def proof(self, signature: Signature, args: Ground, time: Fraction, depth: int) -> Node | None:
        """The reason why a fact holds at a time."""
        key = signature, args, time
        known = self._proved.get(key)
        if known is not None and known[0] >= depth:
            return known[1]
        found = self._proof(signature, args, time, depth)
        if found is not None:
            self._proved[key] = depth, found
        return found

    def _proof(self, signature: Signature, args: Ground, time: Fraction, depth: int) -> Node | None:
        atom = Atom(signature[0], args)
        found = self._leaf(signature, args, time, depth) if self._leaf is not None else None
        found = found or self._given(signature, args, time)
        if found is not None:
            return found
        held = self.world.times(signature, args)
        if time not in held:
            return None
        around = next(one for one in held.ranges() if time in one)
        text = f"{metric_text(atom)} holds at {moment_text(time)}, on {range_text(around)}"
        self._steps += 1
        if depth <= 0 or self._steps > MOST_STEPS:
            return Node(Kind.METRIC, text, claim=Deriving(atom, {}, time), interval=_ends(around), more=True)
        rank = self.world.rank(signature, args, time)
        for rule in self.world.program.rules:
            if rule.head.signature != signature:
                continue
            found = self._by_rule(rule, args, time, rank, text, depth)
            if found is not None:
                return found
        return None

    def _by_rule(
        self, rule: MetricRule, args: Ground, time: Fraction, rank: int | None, text: str, depth: int
    ) -> Node | None:
        start = unified(rule.head, args)
        below_rank = None if rank is None else rank - 1
        for binding, held in () if start is None else self.world.solutions(rule, start, below_rank):
            if self.world.ground(rule.head, binding) != args:
                continue
            at = chosen(held & body_times(rule, time), time)
            if at is None:
                continue
            below = [self._literal(literal, binding, at, below_rank, depth - 1) for literal in rule.body]
            claim = Deriving(Atom(rule.head.predicate, args), {}, time, at)
            return Node(Kind.METRIC, text, claim=claim, use=RuleUse(rule, binding), children=tuple(below))
        return None

    def _given(self, signature: Signature, args: Ground, time: Fraction) -> Node | None:
        atom = Atom(signature[0], args)
        claim = Deriving(atom, {}, time)
        rows, written = self.world.given(signature)
        if time in rows.times(args):
            around = next(one for one in rows.times(args).ranges() if time in one)
            text = f"{metric_text(atom)} holds at {moment_text(time)}: a fact of the input, on {range_text(around)}"
            row = Row(f"{metric_text(atom)}@{range_text(around)}")
            return Node(Kind.FACT, text, claim=claim, rows=(row,), interval=_ends(around))
        if time in written.times(args):
            fact = next(
                one
                for one in self.world.program.facts
                if (one.predicate, len(one.args)) == signature and one.args == args and time in one.during
            )
            text = f"{metric_text(atom)} holds at {moment_text(time)}: a fact among the rules"
            return Node(Kind.FACT, text, claim=claim, use=RuleUse(fact, {}), interval=_ends(fact.during))
        return None

    # Conditions and operators

    def _literal(self, literal: MetricLiteral, binding: Binding, at: Fraction, rank: int | None, depth: int) -> Node:
        claim = MetricCondition(literal, binding, at)
        text = metric_text(bound_literal(literal, binding))
        if isinstance(literal, Condition) and not literal.negated:
            return self.atom(literal.atom, binding, at, rank, depth)
        if isinstance(literal, Condition):
            held = self.world.holds_for_some(literal.atom, binding)
            note = Node(Kind.NOTE, f"it holds on {ranges_text(held.ranges(), at)}", holds=False)
            text = f"{text} at {moment_text(at)}: looked for and not found"
            return Node(Kind.ABSENT, text, claim=claim, children=(note,) if held else ())
        if isinstance(literal, Aggregate):
            return Node(
                Kind.CONDITION,
                f"{text} at {moment_text(at)}",
                claim=claim,
                children=self._members(literal, binding, at),
            )
        return Node(Kind.CONDITION, text, claim=claim)

    def _members(self, literal: Aggregate, binding: Binding, at: Fraction) -> tuple[Node, ...]:
        terms = {term.name for term in literal.terms}
        fixed = {name: value for name, value in binding.items() if name not in terms}
        found = [
            bound(literal.atom, one)
            for one in self.world.extended(literal.atom, fixed)
            if at in self.world.holds(literal.atom, one)
        ]
        return tuple(Node(Kind.NOTE, f"counts: {metric_text(one)}") for one in islice(dict.fromkeys(found), 10))

    def atom(self, atom: MetricAtom, binding: Binding, at: Fraction, rank: int | None, depth: int) -> Node:
        """The reason why a metric atom holds at a time."""
        shown, claim = metric_text(bound(atom, binding)), Deriving(atom, binding, at)
        text = f"{shown} at {moment_text(at)}"
        match atom:
            case Atom():
                args = self.world.ground(atom, binding)
                found = self.proof(atom.signature, args, at, depth)
                assert found is not None, text
                return found
            case Truth():
                return Node(Kind.CONDITION, "Top holds always", claim=claim)
            case Unary(operator=operator, range=during, operand=operand):
                window = window_of(during, at, back=operator in (UnaryOperator.DIAMOND_MINUS, UnaryOperator.BOX_MINUS))
                held = self.world.holds(operand, binding, rank)
                if operator in (UnaryOperator.DIAMOND_MINUS, UnaryOperator.DIAMOND_PLUS):
                    point = chosen(held & window, at)
                    assert point is not None, text
                    points, how = [point], f"at {moment_text(point)}"
                else:
                    points, how = _ends_of(window), f"throughout {ranges_text(window.ranges())}"
                below = tuple(self.atom(operand, binding, point, rank, depth) for point in points)
                return Node(Kind.OPERATOR, f"{text}: {how}", claim=claim, children=below)
            case Binary():
                return self._binary(atom, binding, at, rank, depth, text)

    def _binary(self, atom: Binary, binding: Binding, at: Fraction, rank: int | None, depth: int, text: str) -> Node:
        back = atom.operator is BinaryOperator.SINCE
        left, right = self.world.holds(atom.left, binding, rank), self.world.holds(atom.right, binding, rank)
        window = window_of(atom.range, at, back=back)
        point = next(one for one in _witnesses(right & window, left, at, back=back))
        between = Range(*((point, at) if back else (at, point)), low_open=True, high_open=True)
        below = [self.atom(atom.right, binding, point, rank, depth)]
        how = f"the right side at {moment_text(point)}"
        if point != at:
            how += f", the left side throughout {range_text(between)}"
            middle = (point + at) / 2
            below.append(self.atom(atom.left, binding, middle, rank, depth))
        claim = Deriving(atom, binding, at)
        return Node(Kind.OPERATOR, f"{text}: {how}", claim=claim, children=tuple(below))


def unified(head: Atom, args: Ground) -> Binding | None:
    """The bindings of head variables for the arguments of a fact."""
    found: dict[str, Const] = {}
    for arg, value in zip(head.args, args, strict=True):
        if (found.setdefault(arg.name, value) if isinstance(arg, Var) else arg) != value:
            return None
    return found


def chosen(times: Times, near: Fraction) -> Fraction | None:
    """A time of a set: the given one if it is in the set, otherwise a simple one."""
    if near in times:
        return near
    if not times:
        return None
    # The closest past time comes first, then the closest future time.
    ranges = sorted(times.ranges(), key=lambda one: _distance(one, near))
    return _easy(ranges[0], near)


def _distance(during: Range, near: Fraction) -> Fraction:
    return min((abs(end - near) for end in (during.low, during.high) if end is not None), default=Fraction(0))


def _easy(during: Range, near: Fraction) -> Fraction:
    """A point of an interval: its closest end if included, otherwise a point close to it."""
    low, high = during.low, during.high
    if high is not None and high <= near:
        if not during.high_open:
            return high
        return high - 1 if low is None else (low + high) / 2
    if low is not None:
        if not during.low_open:
            return low
        return low + 1 if high is None else (low + high) / 2
    assert high is not None
    return high if not during.high_open else high - 1


def window_of(during: Range, at: Fraction, *, back: bool) -> Times:
    """The times that an operator reads."""
    point = Times.of([((at, 0), (at, 1))])
    return point.earlier(during) if back else point.later(during)


def _ends_of(window: Times) -> list[Fraction]:
    """One or two points that represent an interval."""
    (during,) = window.ranges()
    low, high = during.low, during.high
    if low is None or high is None:
        near = high if low is None else low
        assert near is not None
        step = -1 if low is None else 1
        is_open = during.high_open if low is None else during.low_open
        return [near + step if is_open else near]
    if low == high:
        return [low]
    middle = (low + high) / 2
    return list(dict.fromkeys([middle if during.low_open else low, middle if during.high_open else high]))


def _witnesses(right: Times, left: Times, at: Fraction, *, back: bool) -> list[Fraction]:
    """Times of the right operand from which the left operand persists, closest first."""
    found = []
    if at in right:
        return [at]
    for stretch in left.stretches():
        for during in (right & stretch).ranges():
            found.append(_easy(during, at))
    reached = []
    for point in sorted(set(found), reverse=back):
        between = Times.during(Range(*((point, at) if back else (at, point)), low_open=True, high_open=True))
        if between & left == between:
            reached.append(point)
    return reached


def bound(atom: MetricAtom, binding: Binding) -> MetricAtom:
    """A metric atom with its variables replaced by values."""
    match atom:
        case Atom():
            args = tuple(binding.get(arg.name, arg) if isinstance(arg, Var) else arg for arg in atom.args)
            return Atom(atom.predicate, args)
        case Truth():
            return atom
        case Unary():
            return Unary(atom.operator, atom.range, bound(atom.operand, binding))
        case Binary():
            return Binary(atom.operator, atom.range, bound(atom.left, binding), bound(atom.right, binding))


def bound_literal(literal: MetricLiteral, binding: Binding) -> MetricLiteral:
    """A condition with its variables replaced by values."""
    match literal:
        case Condition():
            return Condition(bound(literal.atom, binding), literal.negated)
        case Comparison():
            return Comparison(literal.comparator, _term(literal.left, binding), _term(literal.right, binding))
        case Aggregate():
            return literal


def _term(term: Term, binding: Mapping[str, Const]) -> Term:
    if isinstance(term, Var):
        return binding.get(term.name, term)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_term(arg, binding) for arg in term.args))
    return term


def _ends(during: Range) -> tuple[str, str]:
    low = "-inf" if during.low is None else moment_text(during.low)
    return low, "inf" if during.high is None else moment_text(during.high)
