"""Removes grounding conditions that rules imply, so that a plan reads `dynamicDomain`s only where necessary.

Reading such a domain requires all records in one place. Yet most groundings of existing programs are redundant:
`grounding(line(P)=busy) :- phone(P)` adds nothing if `dial(P,_)` initiates `line(P)=busy` and every record of `dial`
puts P into `phone`. The reference evaluator uses all groundings as written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names, schedule
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.safety import instantiate
from holdsfor.logic.unify import is_ground, substitute
from holdsfor.syntax.terms import Compound, Term, Var, arguments, functor

_Lists = Mapping[str, ir.Intervals | ir.Algebra]
_BOTH = frozenset({ir.IntervalOperator.INTERSECTION, ir.IntervalOperator.SEQUENCE, ir.IntervalOperator.ALLEN})
_SECOND = frozenset({ir.IntervalOperator.SINCE, ir.IntervalOperator.UNTIL})


def without_implied_groundings(analysis: Analysis) -> Analysis:
    """The same program, with implied conditions removed from groundings and from `holdsFor` rules."""
    if not any(entity.groundings for entity in analysis.entities):
        return analysis
    bodies = dict(analysis.bodies)
    for entity in analysis.entities:
        rules = [rule for rule in entity.rules if isinstance(rule, ir.IntervalRule) and rule.body]
        if entity.groundings and len(rules) == 1 and id(rules[0]) in bodies:
            # Later rules depend on the instances for which this rule succeeds, even without an interval.
            bodies[id(rules[0])] = _as_written(rules[0], analysis)
    lean = replace(analysis, bodies=bodies)
    if analysis.fillings:
        implied = _Implied(lean)
        declared: dict[int, tuple[ir.Declaration, list[Symbol]]] = {}
        for entity in analysis.entities:
            for declaration in entity.groundings if entity.symbol.kind is EntityKind.FLUENT else ():
                declared.setdefault(id(declaration), (declaration, []))[1].append(entity.symbol)
        reduced = {key: implied.reduced(*found) for key, found in declared.items() if key in bodies}
        bodies.update(reduced)
    return lean


# Rules that find all their instances without groundings


def _as_written(rule: ir.IntervalRule, analysis: Analysis) -> ir.Body:
    """The body of a rule without its groundings, if no instance that only they add could have an interval."""
    lists = _lists(rule.body)
    found = _decided(rule.out, lists)
    plain = tuple(literal for literal in rule.body if not _is_about_lists(literal, lists))
    needs, head = analysis.background.needs, names(rule.fvp.fluent) | names(rule.fvp.value)
    if found is None or not head <= found | schedule(plain, set(), needs).bound:
        return analysis.body(rule)
    ordered = schedule(rule.body, set(), needs, frozenset(head | names(rule.out)))
    return analysis.body(rule) if ordered.stuck else ordered.body


def _lists(body: ir.Body) -> _Lists:
    """The condition that gives each interval variable its list, if there is exactly one."""
    inside = [literal for literal in ir.walk(body) if isinstance(literal, ir.Intervals | ir.Algebra)]
    times = Counter(literal.out.name for literal in inside if isinstance(literal.out, Var))
    return {
        literal.out.name: literal for literal in inside if isinstance(literal.out, Var) and times[literal.out.name] == 1
    }


def _is_about_lists(literal: ir.Literal, lists: _Lists) -> bool:
    return any(
        isinstance(inner, ir.Intervals | ir.Algebra | ir.Guard) or not lists.keys().isdisjoint(_names_of(inner))
        for inner in ir.walk((literal,))
    )


def _names_of(literal: ir.Literal) -> set[str]:
    return {name for atom in (getattr(literal, "atom", None),) if atom is not None for name in names(atom)}


def _decided(term: Term, lists: _Lists) -> set[str] | None:
    """The variables that are bound wherever a list has an interval; None if not all variables below it are bound."""
    node = lists.get(term.name) if isinstance(term, Var) else None
    if node is None:
        return None
    if isinstance(node, ir.Intervals):
        return names(node.fvp.fluent) | names(node.fvp.value)
    inputs = [_decided(item, lists) for item in node.inputs]
    below = {name for item in node.inputs for name in _below(item, lists)}
    if node.operator is ir.IntervalOperator.COMPLEMENT:
        return None
    if node.operator is ir.IntervalOperator.UNION:
        return below if all(found == below for found in inputs) else None
    deciding = inputs if node.operator in _BOTH else inputs[1:] if node.operator in _SECOND else inputs[:1]
    given = {name for found in deciding if found is not None for name in found}
    return below if given == below else None


def _below(term: Term, lists: _Lists) -> set[str]:
    node = lists.get(term.name) if isinstance(term, Var) else None
    if isinstance(node, ir.Algebra):
        return {name for item in node.inputs for name in _below(item, lists)}
    return set() if node is None else names(node.fvp.fluent) | names(node.fvp.value)


# Common properties of all instances of a fluent or event

_Claim = tuple[Symbol, Term]
"""An atom that is true for every instance of a symbol; its variables are named after the columns of the instance."""


class _Implied:
    """The domains that contain all instances of a fluent or event: a greatest fixpoint over the rules."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._entities = analysis.entities
        self._claims: dict[_Claim, bool] = {}

    def reduced(self, declaration: ir.Declaration, symbols: Iterable[Symbol]) -> ir.Body:
        """The conditions of a grounding that the rules of its fluent, in all its parts, do not imply."""
        body = self._analysis.body(declaration)
        return tuple(one for one in body if not all(self._is_implied(one, declaration, symbol) for symbol in symbols))

    def _is_implied(self, literal: ir.Literal, declaration: ir.Declaration, symbol: Symbol) -> bool:
        if not isinstance(literal, ir.Call) or functor(literal.atom) not in self._analysis.background.domains:
            return False
        columns = _columns(symbol, declaration.args[0])
        return self._is_true(list(_claims(symbol, columns, literal.atom)))

    def _is_true(self, claims: list[_Claim]) -> bool:
        """Whether one of some claims is true. Claims count as true until a rule contradicts them."""
        for claim in claims:
            self._claims.setdefault(claim, True)
        before: dict[_Claim, bool] = {}
        while before != self._claims:
            before = dict(self._claims)
            for claim in (claim for claim, is_true in before.items() if is_true):
                self._claims[claim] = self._follows(claim)
        return any(self._claims[claim] for claim in claims)

    def _follows(self, claim: _Claim) -> bool:
        """Whether a claim follows from the claims about the conditions of all rules."""
        symbol, atom = claim
        entity = self._entities[symbol]
        if entity.metric:
            return False
        if entity.role in (Role.INPUT_EVENT, Role.INPUT_FLUENT):
            return any(atom in found for found in self._filled(symbol))
        return all(self._rule_implies(rule, symbol, atom) for rule in entity.rules)

    def _filled(self, symbol: Symbol) -> Iterator[list[Term]]:
        """The instances that a record of an input adds to domains, by the columns of the record."""
        for filling in self._analysis.fillings:
            if filling.symbol != symbol:
                continue
            columns = _columns(symbol, filling.pattern)
            if len(set(columns)) == len(columns) and all(isinstance(column, Var) for column in columns):
                renamed = {
                    column.name: _column(place) for place, column in enumerate(columns) if isinstance(column, Var)
                }
                yield [substitute(atom, renamed) for atom in filling.atoms]

    def _rule_implies(self, rule: ir.Rule, symbol: Symbol, atom: Term) -> bool:
        match rule:
            case ir.EffectRule(kind=ir.EffectKind.INITIATED, fvp=fvp) | ir.InitiallyRule(fvp=fvp):
                wanted = _instance(atom, (*symbol.columns(fvp.fluent), fvp.value))
                return self._body_implies(self._analysis.bodies.get(id(rule), ()), wanted)
            case ir.EventRule(event=event):
                return self._body_implies(
                    self._analysis.bodies.get(id(rule), ()), _instance(atom, symbol.columns(event))
                )
            case ir.DelayRule(trigger=trigger, effect=ir.Fvp() as effect) if self._entities.fluent(effect) == symbol:
                wanted = _instance(atom, (*symbol.columns(effect.fluent), effect.value))
                body = self._analysis.bodies.get(id(rule), ())
                return self._pair_implies(trigger, wanted) or self._body_implies(body, wanted)
            case ir.IntervalRule(fvp=fvp, out=out):
                wanted = _instance(atom, (*symbol.columns(fvp.fluent), fvp.value))
                body = self._analysis.bodies.get(id(rule), ())
                return not body or self._body_implies(body, wanted) or self._list_implies(out, _lists(body), wanted)
            case _:
                return True

    def _body_implies(self, body: ir.Body, wanted: Term) -> bool:
        return any(self._literal_implies(literal, wanted) for literal in body)

    def _literal_implies(self, literal: ir.Literal, wanted: Term) -> bool:
        match literal:
            case ir.Call(atom=atom):
                return atom == wanted
            case ir.Happens(event=event):
                symbol = self._entities.event(event)
                return self._claimed(_claims(symbol, symbol.columns(event), wanted))
            case ir.Holds(fvp=fvp) | ir.Boundary(fvp=fvp):
                return self._pair_implies(fvp, wanted) or self._is_declared(fvp, wanted)
            case ir.Effect(kind=ir.EffectKind.INITIATED, fvp=fvp):
                return self._pair_implies(fvp, wanted)
            case ir.Or(branches=branches):
                return all(self._body_implies(branch, wanted) for branch in branches)
            case ir.IfThenElse(condition=condition, then=then, otherwise=otherwise):
                other = otherwise is None or self._body_implies(otherwise, wanted)
                return other and self._body_implies((*condition, *then), wanted)
            case _:
                return False

    def _pair_implies(self, fvp: ir.Fvp, wanted: Term) -> bool:
        symbol = self._entities.fluent(fvp)
        return self._claimed(_claims(symbol, (*symbol.columns(fvp.fluent), fvp.value), wanted))

    def _is_declared(self, fvp: ir.Fvp, wanted: Term) -> bool:
        """Whether every grounding that makes a pair visible to rules implies an atom."""
        groundings = self._entities[self._entities.fluent(fvp)].groundings
        found = [instantiate(declaration, fvp, any_value=False) for declaration in groundings]
        return bool(groundings) and all(body is None or ir.Call(wanted) in body for body in found)

    def _list_implies(self, term: Term, lists: _Lists, wanted: Term) -> bool:
        node = lists.get(term.name) if isinstance(term, Var) else None
        if node is None:
            return False
        if isinstance(node, ir.Intervals):
            return self._pair_implies(node.fvp, wanted) or self._is_declared(node.fvp, wanted)
        quantifier: Callable[[Iterable[bool]], bool] = all if node.operator is ir.IntervalOperator.UNION else any
        inputs = node.inputs
        if node.operator is ir.IntervalOperator.COMPLEMENT:
            return False
        if node.operator in _SECOND:
            inputs = inputs[1:]
        elif node.operator not in _BOTH and node.operator is not ir.IntervalOperator.UNION:
            inputs = inputs[:1]
        return quantifier(self._list_implies(item, lists, wanted) for item in inputs)

    def _claimed(self, claims: Iterator[_Claim]) -> bool:
        """Whether one of some claims counts as true. A new claim counts as true until a rule contradicts it."""
        return any(self._claims.setdefault(claim, True) for claim in claims)


def _column(place: int) -> Var:
    return Var(f"#{place}")


def _columns(symbol: Symbol, pattern: Term) -> tuple[Term, ...]:
    if symbol.kind is EntityKind.EVENT:
        return symbol.columns(pattern)
    assert isinstance(pattern, Compound)
    return (*symbol.columns(pattern.args[0]), pattern.args[1])


def _claims(symbol: Symbol, columns: tuple[Term, ...], wanted: Term) -> Iterator[_Claim]:
    """An atom in terms of the columns of an instance, in all equivalent forms; empty if there is none."""
    name, args = functor(wanted), arguments(wanted)
    assert name is not None
    choices: list[list[Term]] = [
        [arg] if is_ground(arg) else [_column(place) for place, column in enumerate(columns) if column == arg]
        for arg in args
    ]
    for chosen in product(*choices):
        yield symbol, Compound(name[0], chosen) if chosen else wanted


def _instance(atom: Term, columns: tuple[Term, ...]) -> Term:
    """An atom about columns, for a given instance."""
    return substitute(atom, {f"#{place}": column for place, column in enumerate(columns)})
