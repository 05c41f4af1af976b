"""Writes the program IR as RTEC text."""

from __future__ import annotations

from holdsfor.ir import (
    METRIC,
    Algebra,
    Assign,
    BackgroundRule,
    Body,
    Boundary,
    Call,
    Compare,
    Cut,
    Declaration,
    DeclarationKind,
    DelayRule,
    Effect,
    EffectRule,
    EventRule,
    FindAll,
    Fvp,
    Guard,
    Happens,
    Holds,
    IfThenElse,
    InitiallyRule,
    Instance,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Literal,
    Not,
    Or,
    PostponeRule,
    Program,
    Rule,
)
from holdsfor.ir.sliding import Sliding
from holdsfor.syntax.printer import print_clause
from holdsfor.syntax.terms import EMPTY_LIST, Clause, Compound, Const, ListTerm, Term


def print_program(program: Program) -> str:
    """A whole program as RTEC text; parsing it gives an equal program."""
    return "".join(f"{print_rule(rule)}\n" for rule in program.rules)


def print_rule(rule: Rule) -> str:
    """One rule as RTEC text."""
    return print_clause(rule_clause(rule))


def rule_clause(rule: Rule) -> Clause:
    """The clause that a rule was lowered from."""
    if isinstance(rule, Declaration) and rule.kind is DeclarationKind.DIRECTIVE:
        return Clause(None, _conjunction(rule.args), rule.span)
    body = _body_term(rule.body) if rule.body else None
    return Clause(_head(rule), body, rule.span)


def _head(rule: Rule) -> Term:
    match rule:
        case EffectRule():
            return Compound(rule.kind.value, (_pair(rule.fvp), rule.time))
        case InitiallyRule():
            return Compound("initially", (_pair(rule.fvp),))
        case IntervalRule():
            return Compound("holdsFor", (_pair(rule.fvp), rule.out))
        case EventRule():
            return Compound("happensAt", (rule.event, rule.time))
        case DelayRule(effect=None):
            return Compound("ft", (_pair(rule.trigger), rule.delay))
        case DelayRule(effect=Fvp() as effect):
            return Compound("fi", (_pair(rule.trigger), _pair(effect), rule.delay))
        case PostponeRule():
            return Compound("p", (_pair(rule.fvp),))
        case BackgroundRule():
            return rule.head
        case Declaration():
            return Compound(rule.kind.value, rule.args)
    raise AssertionError(rule)


def literal_term(literal: Literal) -> Term:
    """The goal that a literal was lowered from."""
    match literal:
        case Happens():
            return Compound("happensAt", (literal.event, literal.time))
        case Boundary():
            return Compound("happensAt", (Compound(literal.edge.value, (_pair(literal.fvp),)), literal.time))
        case Holds():
            return Compound("holdsAt", (_pair(literal.fvp), literal.time))
        case Effect():
            return Compound(literal.kind.value, (_pair(literal.fvp), literal.time))
        case Intervals():
            return Compound("holdsFor", (_pair(literal.fvp), literal.out))
        case Algebra(written=written):
            return _algebra(literal) if written is None else literal_term(written)
        case Guard():
            return Compound("=" if literal.empty else "\\=", (literal.intervals, EMPTY_LIST))
        case Compare():
            return Compound(literal.operator, (literal.left, literal.right))
        case Assign():
            return Compound("is", (literal.target, literal.expression))
        case Call():
            return literal.atom
        case Not():
            return Compound("\\+", (_body_term(literal.body),))
        case Or():
            return Compound(";", tuple(_body_term(body) for body in literal.branches))
        case IfThenElse():
            return _if_then_else(literal)
        case FindAll(sliding=Sliding(call=call)):
            return Compound("is", (literal.result, call))
        case FindAll():
            return Compound("findall", (literal.template, _body_term(literal.body), literal.result))
        case Cut():
            return Const("!")
        case Instance():
            raise AssertionError(literal)  # Only the compiler makes them.


def _algebra(literal: Algebra) -> Term:
    name, inputs, out = literal.operator.value, literal.inputs, literal.out
    match literal.operator:
        case IntervalOperator.UNION | IntervalOperator.INTERSECTION | IntervalOperator.COMPLEMENT:
            return Compound(name, (_list(inputs), out))
        case IntervalOperator.RELATIVE_COMPLEMENT:
            return Compound(name, (inputs[0], _list(inputs[1:]), out))
        case IntervalOperator.SEQUENCE:
            return Compound(name, (*inputs, out))
        case IntervalOperator.ALLEN:
            relation, mode = literal.relation, literal.mode
            assert relation is not None and mode is not None
            return Compound(name, (Const(relation.value), *inputs, Const(mode.value), out))
        case operator if operator in METRIC:
            return Compound(name, (inputs[0], _distance(literal), *inputs[1:], out))
        case _:
            assert literal.bound is not None
            return Compound(name, (inputs[0], literal.bound, out))


def _distance(literal: Algebra) -> Term:
    if literal.distance is None:
        # The bound has durations, and their number of time-points is not known yet.
        assert literal.bound is not None
        return literal.bound
    if literal.distance.written is not None:
        return literal.distance.written
    low, high = literal.distance.low, literal.distance.high
    return ListTerm((Const(low), Const("inf" if high is None else high)))


def _list(inputs: tuple[Term, ...]) -> Term:
    """`[I1, I2]`; the internal form `[|L]` of a list variable is undone."""
    last = inputs[-1] if inputs else None
    if isinstance(last, ListTerm) and not last.items and last.tail is not None:
        return ListTerm(inputs[:-1], last.tail) if len(inputs) > 1 else last.tail
    return ListTerm(inputs)


def _if_then_else(literal: IfThenElse) -> Term:
    arrow = Compound("->", (_body_term(literal.condition), _body_term(literal.then)))
    if literal.otherwise is None:
        return arrow
    rest = _body_term(literal.otherwise)
    tail = rest.args if isinstance(rest, Compound) and rest.name == ";" else (rest,)
    return Compound(";", (arrow, *tail))


def _body_term(body: Body) -> Term:
    return _conjunction(tuple(literal_term(literal) for literal in body))


def _conjunction(goals: tuple[Term, ...]) -> Term:
    if not goals:
        return Const("true")
    return goals[0] if len(goals) == 1 else Compound(",", goals)


def _pair(fvp: Fvp) -> Term:
    return Compound("=", (fvp.fluent, fvp.value))
