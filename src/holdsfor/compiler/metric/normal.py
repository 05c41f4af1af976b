"""Normalises rules: every operator gets its own relation, so rules are moves, erosions, persistences and joins.

Follows Proposition 6 of the work on stream reasoning with DatalogMTL, with further savings. Chains of diamonds (and of
boxes) are added up. The same operator on the same relation is evaluated once. Boxes in heads become moves. Several
punctual operators on one relation are chained, so that a fact waits in one place at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from typing import NoReturn

from holdsfor.compiler.metric.rules import (
    NOW,
    Eroded,
    Joined,
    JoinLiteral,
    Lasting,
    Moved,
    NormalRule,
    Relation,
    Scan,
    Total,
    negative,
    plus,
    signed,
)
from holdsfor.diagnostics import NOWHERE, Diagnostic, ProgramError, Severity, Span
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricLiteral, MetricProgram, MetricRule
from holdsfor.syntax.terms import Const, Var

_DIAMONDS = {metric.UnaryOperator.DIAMOND_MINUS, metric.UnaryOperator.DIAMOND_PLUS}


def normalise(program: MetricProgram) -> tuple[NormalRule, ...]:
    """The rules of a program in normal form."""
    return _Normaliser().all_rules(program)


class _Normaliser:
    def __init__(self) -> None:
        self._rules: list[NormalRule] = []
        self._made: dict[object, Relation] = {}
        self._fresh = 0
        self._origin: MetricRule | None = None

    def all_rules(self, program: MetricProgram) -> tuple[NormalRule, ...]:
        for rule in program.rules:
            self._rule(rule)
        return tuple(chained(self._rules))

    def _rule(self, rule: MetricRule) -> None:
        self._origin = rule
        head = Relation(*rule.head.signature)
        offsets: metric.Range | None = None
        for operator, box in rule.boxes:
            # A box in a head derives the points that a mirrored diamond in a body would reach.
            moved = negative(signed(operator, box))
            offsets = moved if offsets is None else plus(offsets, moved)
        if self._is_direct(rule, head, offsets):
            return
        target = head if offsets is None else self._auxiliary(head.arity, "head", head.name)
        for literals in self._alternatives(rule.body):
            self._rules.append(Joined(target, rule.head.args, literals, rule))
        if offsets is not None:
            self._rules.append(Moved(head, target, offsets, rule))

    def _is_direct(self, rule: MetricRule, head: Relation, offsets: metric.Range | None) -> bool:
        """Whether a rule needs no join: it has one condition, with the arguments of the head in the same order."""
        if len(rule.body) != 1 or not isinstance(rule.body[0], metric.Condition) or rule.body[0].negated:
            return False
        atom = rule.body[0].atom
        inner = atom.operand if isinstance(atom, metric.Unary) else atom
        if not isinstance(inner, metric.Atom) or inner.args != rule.head.args or not _all_different(inner.args):
            return False
        source = Relation(*inner.signature)
        if isinstance(atom, metric.Unary):
            signed_range = signed(atom.operator, atom.range)
            if atom.operator in _DIAMONDS or signed_range.is_punctual:
                self._rules.append(
                    Moved(head, source, signed_range if offsets is None else plus(offsets, signed_range), rule)
                )
                return True
            if offsets is None:
                self._rules.append(Eroded(head, source, signed_range, rule))
                return True
        elif offsets is not None:
            self._rules.append(Moved(head, source, offsets, rule))
            return True
        return False

    def _alternatives(self, body: Sequence[MetricLiteral]) -> Iterator[tuple[JoinLiteral, ...]]:
        """The body in normal form, once per alternative."""
        choices: list[list[tuple[JoinLiteral, ...]]] = []
        for literal in body:
            match literal:
                case metric.Condition(atom=atom, negated=True):
                    # A negated atom negates all its alternatives. An alternative that always holds makes the negation
                    # false.
                    scans = self._scans(atom)
                    if None in scans:
                        return
                    choices.append([tuple(replace(scan, negated=True) for scan in scans if scan is not None)])
                case metric.Condition(atom=atom):
                    choices.append([() if scan is None else (scan,) for scan in self._scans(atom)])
                case metric.Comparison():
                    choices.append([(literal,)])
                case metric.Aggregate(function, result, terms, atom):
                    one = self._counted(self._scans(atom), atom, _named(atom) | {var.name for var in terms})
                    assert one is not None, "the variables of an aggregate have no values"
                    choices.append([(Total(function, result, terms, one),)])
        for chosen in product(*choices):
            yield tuple(chain.from_iterable(chosen))

    def _scans(self, atom: MetricAtom) -> list[Scan | None]:
        """Relations whose union is equivalent to a metric atom; None always holds."""
        match atom:
            case metric.Truth():
                return [None]
            case metric.Atom(args=args):
                return [Scan(Relation(*atom.signature), args)]
            case metric.Unary(operator, offsets, operand):
                return self._unary(operator, signed(operator, offsets), operand)
            case metric.Binary():
                return self._binary(atom)

    def _unary(self, operator: metric.UnaryOperator, offsets: metric.Range, operand: MetricAtom) -> list[Scan | None]:
        is_diamond = operator in _DIAMONDS or offsets.is_punctual
        while isinstance(operand, metric.Unary):
            inner = signed(operand.operator, operand.range)
            if (operand.operator in _DIAMONDS or inner.is_punctual) is not is_diamond and not inner.is_punctual:
                break
            # The offsets of nested diamonds add up, and so do those of nested boxes.
            offsets, operand = plus(offsets, inner), operand.operand
        scans = self._scans(operand)
        if not is_diamond:
            scans = self._together(scans, _length(offsets))
        return [scan if scan is None else self._applied(is_diamond, offsets, scan) for scan in scans]

    def _applied(self, is_diamond: bool, offsets: metric.Range, scan: Scan) -> Scan:
        if offsets == NOW:
            return scan
        scan = self._chosen(scan)
        key = (is_diamond, scan.relation, offsets)
        if key not in self._made:
            made = self._made[key] = self._auxiliary(
                scan.relation.arity, "some" if is_diamond else "all", scan.relation.name
            )
            kind = Moved if is_diamond else Eroded
            self._rules.append(kind(made, scan.relation, offsets, self._here))
        return replace(scan, relation=self._made[key])

    def _chosen(self, scan: Scan) -> Scan:
        """A scan with distinct variables. Constants and repeated variables select from a relation of its own."""
        if _all_different(scan.args):
            return scan
        names = tuple(dict.fromkeys(arg for arg in scan.args if isinstance(arg, Var)))
        # The same selection with other variable names is the same relation.
        shape = tuple(names.index(arg) if isinstance(arg, Var) else arg for arg in scan.args)
        key = (scan.relation, shape)
        if key not in self._made:
            made = self._made[key] = self._auxiliary(len(names), "of", scan.relation.name)
            self._rules.append(Joined(made, names, (scan,), self._here))
        return Scan(self._made[key], names)

    def _binary(self, atom: metric.Binary) -> list[Scan | None]:
        is_until = atom.operator is metric.BinaryOperator.UNTIL
        offsets = negative(atom.range) if is_until else atom.range
        lefts = self._together(self._scans(atom.left), atom.range.high)
        found: list[Scan | None] = []
        for left, right in product(lefts, self._scans(atom.right)):
            if right is None or left is None:
                found += self._simpler(left, right, offsets, atom)
                continue
            found += self._lasting(self._chosen(left), self._chosen(right), offsets, is_until)
        return list(dict.fromkeys(found))

    def _simpler(
        self, left: Scan | None, right: Scan | None, offsets: metric.Range, atom: metric.Binary
    ) -> list[Scan | None]:
        """Simplifies the operator if an operand always holds."""
        if right is None and left is None:
            return [None]
        if left is None:
            assert right is not None
            return [self._applied(True, offsets, right)]
        # Some point within the offsets, with `left` in between: the nearest point is the weakest requirement.
        assert left is not None
        if 0 in offsets:
            return [None]
        hint = "write the box that it stands for: A Since[1,2] Top is Boxminus(0,1) A"
        self._refuse("Top on the right of Since or Until has no plan", atom.span, hint)

    def _lasting(self, left: Scan, right: Scan, offsets: metric.Range, is_until: bool) -> list[Scan | None]:
        columns = tuple(dict.fromkeys([*_variables(right), *_variables(left)]))
        head = self._auxiliary(len(columns), "until" if is_until else "since", right.relation.name)
        self._rules.append(Lasting(head, columns, left, right, offsets, is_until, self._here))
        result = Scan(head, columns)
        if 0 not in offsets:
            return [result]
        if left.names <= right.names:
            self._rules.append(Joined(head, columns, (right,), self._here))
            return [result]
        # At distance 0 the left side is not required, so its own variables may have any value.
        return [result, right]

    def _together(self, scans: list[Scan | None], span: Fraction | None) -> list[Scan | None]:
        """Combines alternatives of which one must hold at every time of a span, in turns. None is without limit.

        If an alternative lacks a variable of another one, it leaves this variable open. Then there is one relation per
        choice of alternatives, with the tuples for which all chosen ones hold at some time of the span.
        """
        if len(scans) == 1 or None in scans:
            return scans if len(scans) == 1 else [None]
        kept = [scan for scan in scans if scan is not None]
        if all(scan.names == kept[0].names for scan in kept):
            return [self._any(kept, span)]
        sizes = range(1, len(kept) + 1)
        return [self._any(list(some), span) for size in sizes for some in combinations(kept, size)]

    def _any(self, scans: Sequence[Scan], span: Fraction | None) -> Scan:
        """The union of alternatives, for tuples for which all of them hold at some time no further away than a span, or
        that have no other alternative.
        """
        if len(scans) == 1:
            return scans[0]
        around = metric.Range(None, None, True, True) if span is None else metric.Range(-span, span)
        columns = tuple(dict.fromkeys(var for scan in scans for var in _variables(scan)))
        made = self._auxiliary(len(columns), "any", scans[0].relation.name)
        for scan in scans:
            others = [one for one in scans if not one.names <= scan.names]
            literals = (scan, *(self._applied(True, around, one) for one in others))
            self._rules.append(Joined(made, columns, literals, self._here))
        return Scan(made, columns)

    def _counted(self, scans: list[Scan | None], atom: MetricAtom, needed: frozenset[str]) -> Scan | None:
        """The union of alternatives, projected to the variables that are needed."""
        if len(scans) == 1 or None in scans:
            return scans[0] if len(scans) == 1 else None
        kept = [scan for scan in scans if scan is not None]
        if not all(needed <= scan.names for scan in kept):
            message = "a Since or Until whose left side has variables of its own, and whose interval has 0 in it, "
            hint = "at 0 these variables may be anything: leave them anonymous (_), or bind them on the right side too"
            self._refuse(f"{message}has no plan in an aggregate", atom.span, hint)
        columns = tuple(dict.fromkeys(var for var in _variables(kept[0]) if var.name in needed))
        made = self._auxiliary(len(columns), "any", kept[0].relation.name)
        self._rules.extend(Joined(made, columns, (scan,), self._here) for scan in kept)
        return Scan(made, columns)

    def _refuse(self, message: str, span: Span, hint: str) -> NoReturn:
        place = self._here.span if span.source is NOWHERE.source else span
        raise ProgramError([Diagnostic("HF617", Severity.ERROR, message, place, hint)])

    @property
    def _here(self) -> MetricRule:
        assert self._origin is not None
        return self._origin

    def _auxiliary(self, arity: int, what: str, of: str) -> Relation:
        self._fresh += 1
        return Relation(f"{what} {of} #{self._fresh}", arity, is_written=False)


def _length(offsets: metric.Range) -> Fraction | None:
    return None if offsets.low is None or offsets.high is None else offsets.high - offsets.low


def _variables(scan: Scan) -> Iterator[Var]:
    return (arg for arg in scan.args if isinstance(arg, Var))


def _named(atom: MetricAtom) -> frozenset[str]:
    """The named variables of an atom, which other literals may use."""
    match atom:
        case metric.Atom(args=args):
            return frozenset(arg.name for arg in args if isinstance(arg, Var) and not arg.is_anonymous)
        case metric.Unary(operand=operand):
            return _named(operand)
        case metric.Binary(left=left, right=right):
            return _named(left) | _named(right)
        case metric.Truth():
            return frozenset()


def _all_different(args: Sequence[Var | Const]) -> bool:
    return all(isinstance(arg, Var) for arg in args) and len(set(args)) == len(args)


def chained(rules: Sequence[NormalRule]) -> Iterator[NormalRule]:
    """Chains punctual operators on one relation: 1, 2 and 3 ago become three steps of 1."""
    ladders: dict[tuple[Relation, bool], dict[Fraction, Moved]] = {}
    for rule in rules:
        if isinstance(rule, Moved) and not rule.head.is_written and rule.offsets.is_punctual:
            assert rule.offsets.low is not None
            ladders.setdefault((rule.source, rule.offsets.low > 0), {})[rule.offsets.low] = rule
    replaced: dict[NormalRule, NormalRule] = {}
    for ladder in ladders.values():
        for nearer, further in pairwise(sorted(ladder, key=abs)):
            step = metric.Range(further - nearer, further - nearer)
            replaced[ladder[further]] = replace(ladder[further], source=ladder[nearer].head, offsets=step)
    return (replaced.get(rule, rule) for rule in rules)
