"""The part of a program that varied constants reach. All else is evaluated once, and is input of this part.

A comparison with a constant, together with all conditions of its rule that no constant reaches, is one event of the fixed part: a
*candidate*, which has the compared number as an argument. A setting decides which candidates happen. The list that a duration
filter is given is a fluent of the fixed part; a setting decides which of its intervals pass.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from holdsfor.compiler.analysis.definitions import (
    EVENT,
    EVERYTHING,
    FLUENT,
    PREDICATE,
    Definitions,
    Node,
    defined_nodes,
    definitions,
    read_nodes,
)
from holdsfor.compiler.analysis.reach import dependent, needed, part_of
from holdsfor.ir import (
    Assign,
    Boundary,
    Call,
    Compare,
    Cut,
    DeclarationKind,
    Effect,
    EffectRule,
    EventRule,
    Fvp,
    Happens,
    Holds,
    InitiallyRule,
    Instance,
    IntervalRule,
    Intervals,
    Literal,
    Program,
    Rule,
    head_terms,
    literal_variables,
    walk,
)
from holdsfor.ir.literals import Temporal
from holdsfor.review.breakpoints import LengthTest, RowTest, Uses, filtered_list
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables

_TRUE = Const("true")
_UNSUITABLE = {DeclarationKind.DYNAMIC_DOMAIN, DeclarationKind.FORGET}
"""With these, what is input and what is derived makes a difference."""
_FINDING = (Happens, Holds, Boundary, Effect, Call, Assign)
"""Conditions that give values to variables."""


@dataclass(frozen=True)
class Moving:
    """A candidate event, or a fluent whose intervals are filtered, and the comparison that decides about them."""

    parameter: int
    node: Node
    operator: str
    """With the number of the row to the left of the constant."""
    place: int | None = None
    """The argument with the number; None for the length of the interval."""


@dataclass
class Split:
    """Two programs: `fixed` is evaluated once, `reached` at every setting. `given` are results of the one that the other one
    reads.
    """

    fixed: Program
    reached: Program
    given: frozenset[Node]
    moving: list[Moving]
    varied: frozenset[Node]
    """The requested nodes that constants affect."""
    shown: frozenset[Node]
    """The requested nodes that no constant affects."""


def split(program: Program, uses: Sequence[Uses], wanted: Collection[Node]) -> Split | None:
    """The two parts of a program; None if constants are read in another way, or by rules that cannot be divided."""
    if any(one.unknown for one in uses) or any(one.kind in _UNSUITABLE for one in program.declarations):
        return None
    found = definitions(program)
    tests = _tests(uses)
    reached = dependent(found, (node for rule in program.rules if id(rule) in tests for node in defined_nodes(rule)))
    kept = needed(found, wanted)
    if EVERYTHING in kept:
        return None
    made = _Divided(reached)
    rules: list[Rule] = []
    for rule in program.rules:
        if not reached.isdisjoint(defined_nodes(rule)) and not kept.isdisjoint(defined_nodes(rule)):
            divided = made.divide(rule, tests.get(id(rule), ()))
            if divided is None:
                return None
            rules.append(divided)
        else:
            rules.append(rule)
    fixed = replace(program, rules=(*program.rules, *made.rules))
    given = _foldable(program, found, kept - reached)
    whole = replace(program, rules=tuple(rule for rule in rules if not given or not given.issuperset(_own(rule))))
    known = definitions(whole)
    part = needed(known, reached & set(wanted))
    read = {node for node in given if any(node in known.reads.get(other, ()) for other in part)}
    shown = frozenset(kept & set(wanted)) - reached
    moving = [one for one in made.moving if any(one.node in known.reads.get(other, ()) for other in part)]
    plain = {node for node in made.plain if any(node in known.reads.get(other, ()) for other in part)}
    return Split(
        _part(fixed, {*read, *plain, *shown, *(one.node for one in moving)}),
        part_of(whole, known, part),
        frozenset(read | plain),
        moving,
        frozenset(reached & set(wanted)),
        shown,
    )


def _part(program: Program, wanted: Collection[Node]) -> Program:
    found = definitions(program)
    return part_of(program, found, needed(found, wanted))


def _own(rule: Rule) -> tuple[Node, ...]:
    """The nodes that a clause defines; none for a declaration, which must stay."""
    return defined_nodes(rule) or (EVERYTHING,)


def _tests(uses: Sequence[Uses]) -> dict[int, list[tuple[int, RowTest | LengthTest]]]:
    """The comparisons of each rule with the number of the constant, by the identity of the rule."""
    found: defaultdict[int, list[tuple[int, RowTest | LengthTest]]] = defaultdict(list)
    for number, one in enumerate(uses):
        tests: list[RowTest | LengthTest] = [*one.rows, *one.lengths]
        for test in tests:
            found[id(test.rule)].append((number, test))
    return found


def _foldable(program: Program, found: Definitions, fixed: set[Node]) -> frozenset[Node]:
    """The derived events and fluents of a fixed part whose results can be input instead."""
    if any(one.kind is DeclarationKind.GROUNDING for one in program.declarations):
        return frozenset()
    read = {node for one in fixed if one.kind == PREDICATE for node in found.reads.get(one, ())}
    good = {node for node in fixed & found.outputs if node not in read}
    for rule in program.rules:
        if isinstance(rule, InitiallyRule):
            good.difference_update(defined_nodes(rule))
        for literal in walk(rule.body):
            if isinstance(literal, Boundary | Effect | Instance):
                good.difference_update(read_nodes(literal))
            # Input with terms as arguments has columns of its own for them.
            terms = [literal.event] if isinstance(literal, Happens) else _fluents(literal)
            good.difference_update(node for term in terms for node in _with_terms(term))
        for term in head_terms(rule):
            good.difference_update(_with_terms(term))
    while mixed := {node for rule in program.rules for node in _part_of_both(defined_nodes(rule), good)}:
        good -= mixed
    return frozenset(good)


def _part_of_both(nodes: Collection[Node], good: set[Node]) -> set[Node]:
    """The good ones, if a clause also defines others."""
    mine = good.intersection(nodes)
    return mine if mine and not good.issuperset(nodes) else set()


def _fluents(literal: Literal) -> list[Term]:
    return [literal.fvp.fluent] if isinstance(literal, Holds | Intervals) else []


def _with_terms(term: Term) -> Iterable[Node]:
    if isinstance(term, Compound) and any(isinstance(arg, Compound) for arg in term.args):
        for kind in (EVENT, FLUENT):
            yield Node(kind, term.name, len(term.args))


@dataclass
class _Divided:
    """Rules that constants reach, without the conditions that no constant reaches."""

    reached: Collection[Node]
    rules: list[Rule] = field(default_factory=list)
    """The rules of the fixed part in their place."""
    moving: list[Moving] = field(default_factory=list)
    plain: list[Node] = field(default_factory=list)
    """Candidates that always happen."""

    def divide(self, rule: Rule, tests: Sequence[tuple[int, RowTest | LengthTest]]) -> Rule | None:
        """The rest of a rule without its comparisons; None if they cannot be separated."""
        rows = [(number, test) for number, test in tests if isinstance(test, RowTest)]
        lengths = [(number, test) for number, test in tests if isinstance(test, LengthTest)]
        if lengths:
            return None if rows or not isinstance(rule, IntervalRule) else self._filters(rule, lengths)
        if isinstance(rule, EffectRule | EventRule):
            return self._candidates(rule, rows)
        return None if rows else rule

    def _candidates(self, rule: EffectRule | EventRule, tests: Sequence[tuple[int, RowTest]]) -> Rule | None:
        unchanged = None if tests else rule
        if any(isinstance(literal, Cut) for literal in walk(rule.body)) or not isinstance(rule.time, Var):
            return unchanged
        static = self._static(rule, [id(test.compare) for _, test in tests])
        rest = tuple(literal for literal in rule.body if id(literal) not in static)
        mine = [one for one in rule.body if id(one) in static]
        body = tuple(one for one in mine if not any(one is test.compare for _, test in tests))
        if not any(isinstance(one, Happens) for one in body) or (not tests and len(body) == 1):
            return unchanged
        # Each comparison needs its event.
        if not all(any(one is test.event for one in body) for _, test in tests):
            return None
        numbers = [_number_of(test) for _, test in tests]
        outside = [var for term in head_terms(rule) for var in variables(term)]
        outside += [var for literal in rest for var in literal_variables(literal)]
        known = _names(one for one in body if isinstance(one, _FINDING) or _is_equation(one))
        if (_names(body) - known).intersection(var.name for var in outside):
            return unchanged
        args = dict.fromkeys(var.name for var in (*numbers, *outside) if var.name in known and var != rule.time)
        # One candidate for each comparison: all of them must happen, with the same arguments.
        events = [self._candidate(tuple(args), body, rule) for _ in tests or (None,)]
        for event, (number, test) in zip(events, tests, strict=False):
            self.moving.append(Moving(number, event, test.operator, list(args).index(_number_of(test).name)))
        self.plain += events[len(tests) :]
        happens = [Happens(_term(event.name, args), rule.time, rule.span) for event in events]
        return replace(rule, body=(*happens, *rest))

    def _candidate(self, args: tuple[str, ...], body: tuple[Literal, ...], rule: EffectRule | EventRule) -> Node:
        node = Node(EVENT, f"candidate {len(self.rules)}", len(args))
        self.rules.append(EventRule(_term(node.name, args), rule.time, body, rule.span))
        return node

    def _static(self, rule: EffectRule | EventRule, compares: Collection[int]) -> set[int]:
        """The identities of the conditions at the time of a rule that no constant reaches, and of comparisons with one."""
        assert isinstance(rule.time, Var)
        own = rule.time.name
        events = [one for one in rule.body if isinstance(one, Happens) and self._is_fixed(one, own)]
        bound = _names(events) | {own}
        static = {*map(id, events), *compares}
        later: set[str] = set()
        for literal in rule.body:
            if id(literal) in static:
                continue
            names = _names([literal])
            if self._is_fixed(literal, own) and later.isdisjoint(names):
                static.add(id(literal))
                bound |= names
            else:
                later |= names - bound
        return static

    def _is_fixed(self, literal: Literal, time: str) -> bool:
        for one in walk((literal,)):
            if isinstance(one, Intervals | Instance) or (isinstance(one, Temporal) and one.time != Var(time)):
                return False
        return not set(self.reached).intersection(read_nodes(literal))

    def _filters(self, rule: IntervalRule, tests: Sequence[tuple[int, LengthTest]]) -> Rule | None:
        body = list(rule.body)
        for number, test in tests:
            given = filtered_list(rule, test.algebra)
            reads = set(read_nodes(given.body))
            if any(other.algebra in given.body for _, other in tests) or reads.intersection(self.reached):
                return None
            node = Node(FLUENT, f"list {len(self.rules)}", len(given.variables))
            fluent = Fvp(_term(node.name, given.variables), _TRUE, rule.span)
            self.rules.append(IntervalRule(fluent, test.algebra.inputs[0], given.body, rule.span))
            self.moving.append(Moving(number, node, test.operator))
            body[body.index(test.algebra)] = Intervals(fluent, test.algebra.out, test.algebra.span)
        return replace(rule, body=tuple(body))


def _number_of(test: RowTest) -> Var:
    assert isinstance(test.event.event, Compound)
    number = test.event.event.args[test.argument]
    assert isinstance(number, Var)
    return number


def _is_equation(literal: Literal) -> bool:
    return isinstance(literal, Compare) and literal.operator == "="


def _names(body: Iterable[Literal]) -> set[str]:
    return {variable.name for literal in body for variable in literal_variables(literal)}


def _term(name: str, names: Iterable[str]) -> Term:
    args = tuple(map(Var, names))
    return Compound(name, args) if args else Const(name)
