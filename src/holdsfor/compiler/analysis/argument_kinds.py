"""Infers the kinds of values that arguments of fluents, events and predicates can have, from input columns and rules.

The result is an upper bound: a place never has values of other kinds. An unknown place may have any kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from holdsfor import ir
from holdsfor.ir.metric import Atom, Binary, Condition, MetricAtom, MetricProgram, MetricRule, Unary
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor


class ValueKind(StrEnum):
    """A kind of value."""

    WHOLE = "whole number"
    REAL = "real number"
    """Includes the infinite numbers, written `inf`."""
    TEXT = "text"
    TERM = "compound term"


Kinds: TypeAlias = frozenset[ValueKind]
ANY: Kinds = frozenset(ValueKind)
WHOLE: Kinds = frozenset({ValueKind.WHOLE})
NUMBER: Kinds = frozenset({ValueKind.WHOLE, ValueKind.REAL})
TEXT: Kinds = frozenset({ValueKind.TEXT})

Place: TypeAlias = tuple[str, int, int]
"""The name and arity of an event, fluent or predicate, and the index of an argument; VALUE is the value of a fluent."""
VALUE = -1

_KEEPS_WHOLE = frozenset({"+", "-", "*", "//", "mod", "rem", "abs", "min", "max", "sign", "div"})
_ROUNDS = frozenset({"round", "truncate", "floor", "ceiling", "integer"})
_LIBRARY: dict[Place, Kinds] = {
    ("length", 2, 1): WHOLE,
    ("between", 3, 2): WHOLE,
    **{(name, 2, 1): NUMBER for name in ("sum_list", "sumlist", "max_list", "min_list")},
}
_Reads: TypeAlias = list[tuple[Term, Term | None]]
_Known: TypeAlias = dict[str, Kinds]


def argument_kinds(program: ir.Program, inputs: Mapping[Place, Kinds]) -> Mapping[Place, Kinds]:
    """The kinds at every place that rules or input fill."""
    clauses = [clause for rule in program.rules for clause in _clauses(rule)]
    return _solved([*clauses, *_metric_clauses(program.metric)], inputs)


def metric_argument_kinds(program: MetricProgram, inputs: Mapping[Place, Kinds]) -> Mapping[Place, Kinds]:
    """The kinds at every place of a metric program."""
    return _solved(list(_metric_clauses(program)), inputs)


@dataclass(frozen=True)
class _Clause:
    """A head (with the value of a fluent) and the conditions that bind its variables."""

    head: Term
    value: Term | None
    body: ir.Body = ()
    reads: tuple[tuple[Term, Term | None], ...] = ()
    """Atoms of a metric body."""


def _solved(clauses: list[_Clause], inputs: Mapping[Place, Kinds]) -> Mapping[Place, Kinds]:
    found = dict(inputs)
    facts = [clause for clause in clauses if not clause.body and not clause.reads]
    rules = [clause for clause in clauses if clause.body or clause.reads]
    for clause in clauses:
        for place, _ in _places(clause.head, clause.value):
            found.setdefault(place, frozenset())
    for clause in facts:
        _derive(clause, found)
    while sum(_derive(clause, found) for clause in rules):
        pass
    return found


def _derive(clause: _Clause, found: dict[Place, Kinds]) -> bool:
    """Adds the kinds that a clause gives to the places of its head; returns whether any is new."""
    known = _bound(clause.body, found)
    for term, value in clause.reads:
        _read(term, value, known, found)
    is_new = False
    for place, term in _places(clause.head, clause.value):
        more = found[place] | _kinds(term, known)
        is_new |= more != found[place]
        found[place] = more
    return is_new


def _places(term: Term, value: Term | None) -> Iterator[tuple[Place, Term]]:
    name, arity = functor(term) or ("", 0)
    yield from (((name, arity, place), argument) for place, argument in enumerate(arguments(term)))
    if value is not None:
        yield (name, arity, VALUE), value


def _kinds(term: Term, known: _Known) -> Kinds:
    if isinstance(term, Var):
        return known.get(term.name, ANY)
    if isinstance(term, Const):
        return TEXT if isinstance(term.value, str) else WHOLE if isinstance(term.value, int) else NUMBER
    return frozenset({ValueKind.TERM})


# Bodies


def _bound(body: ir.Body, found: Mapping[Place, Kinds], outside: _Known | None = None) -> _Known:
    """The kinds of the variables of a body, given those of the surrounding one; missing ones can have any kind."""
    known = dict(outside or {})
    for literal in body:
        for term, value in _reads(literal):
            _read(term, value, known, found)
        if isinstance(literal, ir.Happens | ir.Boundary | ir.Holds | ir.Effect | ir.Instance):
            _narrow(literal.time, WHOLE, known)
    for literal in body:
        branches = _branches(literal)
        if branches:
            alternatives = [_bound(branch, found, known) for branch in branches]
            for name in set.intersection(*(set(one) for one in alternatives)):
                known[name] = known.get(name, ANY) & frozenset().union(*(one[name] for one in alternatives))
    # A computed value may depend on a later computation.
    for _ in body:
        for literal in body:
            if isinstance(literal, ir.Assign):
                _narrow(literal.target, _computed(literal.expression, known), known)
            elif isinstance(literal, ir.Compare) and literal.operator == "=":
                _narrow(literal.left, _kinds(literal.right, known), known)
                _narrow(literal.right, _kinds(literal.left, known), known)
    return known


def _reads(literal: ir.Literal) -> _Reads:
    """The events, fluents and facts that bind the variables of a condition."""
    match literal:
        case ir.Happens(event=event):
            return [(event, None)]
        case ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Instance(fvp=fvp) | ir.Intervals(fvp=fvp):
            return [(fvp.fluent, fvp.value)]
        case ir.Effect(kind=ir.EffectKind.INITIATED, fvp=fvp):
            return [(fvp.fluent, fvp.value)]
        case ir.Call(atom=atom):
            return [(atom, None)]
        case _:
            return []


def _branches(literal: ir.Literal) -> tuple[ir.Body, ...]:
    match literal:
        case ir.Or(branches=branches):
            return branches
        case ir.IfThenElse(condition=condition, then=then, otherwise=otherwise):
            return ((*condition, *then),) if otherwise is None else ((*condition, *then), otherwise)
        case _:
            return ()


def _read(term: Term, value: Term | None, known: _Known, found: Mapping[Place, Kinds]) -> None:
    for place, argument in _places(term, value):
        _narrow(argument, found.get(place, _LIBRARY.get(place, ANY)), known)


def _narrow(term: Term, kinds: Kinds, known: _Known) -> None:
    if isinstance(term, Var):
        known[term.name] = known.get(term.name, ANY) & kinds


def _computed(expression: Term, known: _Known) -> Kinds:
    """The kind of an expression: a number, and an integer if its parts are integers and the function preserves that."""
    if isinstance(expression, Compound):
        if expression.name in _ROUNDS:
            return WHOLE
        parts = frozenset().union(*(_computed(part, known) for part in expression.args))
        return WHOLE if expression.name in _KEEPS_WHOLE and parts <= WHOLE else NUMBER
    # Names are constants such as pi and inf. Text in a variable has no value, except inf.
    is_name = isinstance(expression, Const) and isinstance(expression.value, str)
    kinds = _kinds(expression, known)
    return NUMBER if is_name or not kinds <= NUMBER else kinds


# Rules


def _clauses(rule: ir.Rule) -> Iterator[_Clause]:
    """The heads of a rule that give instances. Heads that only terminate or filter instances are left out."""
    match rule:
        case ir.EffectRule(kind=ir.EffectKind.INITIATED, fvp=fvp, time=time, body=body):
            yield _Clause(fvp.fluent, fvp.value, (*body, ir.Happens(Const(""), time)))
        case ir.InitiallyRule(fvp=fvp, body=body) | ir.IntervalRule(fvp=fvp, body=body):
            yield _Clause(fvp.fluent, fvp.value, body)
        case ir.EventRule(event=event, time=time, body=body):
            yield _Clause(event, None, (*body, ir.Happens(Const(""), time)))
        case ir.DelayRule(trigger=trigger, effect=effect, body=body) if effect is not None:
            yield _Clause(effect.fluent, effect.value, (*body, ir.Holds(trigger, Var("_"))))
        case ir.BackgroundRule(head=head, body=body):
            yield _Clause(head, None, body)
        case ir.Declaration(kind=ir.DeclarationKind.GROUNDING, args=(term, *_), body=body):
            fluent, value = arguments(term) if functor(term) == ("=", 2) else (term, None)
            yield _Clause(fluent, value, body)
        case ir.Declaration(kind=ir.DeclarationKind.DYNAMIC_DOMAIN, args=(term, *_)):
            # Input fills it, with any values.
            yield _Clause(Compound(*_opened(term)) if arguments(term) else term, None)


def _opened(term: Term) -> tuple[str, tuple[Term, ...]]:
    name, arity = functor(term) or ("", 0)
    return name, tuple(Var(f"_{place}") for place in range(arity))


def _metric_clauses(program: MetricProgram) -> Iterator[_Clause]:
    for rule in program.rules:
        yield _Clause(_atom(rule.head.predicate, rule.head.args), None, (), tuple(_metric_reads(rule)))
    for fact in program.facts:
        yield _Clause(_atom(fact.predicate, fact.args), None)


def _metric_reads(rule: MetricRule) -> Iterator[tuple[Term, Term | None]]:
    for one in rule.body:
        if isinstance(one, Condition) and not one.negated:
            yield from ((_atom(atom.predicate, atom.args), None) for atom in _binding(one.atom))


def _binding(atom: MetricAtom) -> Iterator[Atom]:
    """The atoms that give values. The left operand of `Since` or `Until` may hold at no time."""
    if isinstance(atom, Atom):
        yield atom
    elif isinstance(atom, Unary):
        yield from _binding(atom.operand)
    elif isinstance(atom, Binary):
        yield from _binding(atom.right)


def _atom(predicate: str, args: tuple[Term, ...]) -> Term:
    return Compound(predicate, args) if args else Const(predicate)
