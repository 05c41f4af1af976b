"""Writes the program IR as RTEC text."""

from __future__ import annotations

from holdsfor import ir
from holdsfor.ir.sliding import Sliding
from holdsfor.syntax.printer import print_clause
from holdsfor.syntax.terms import EMPTY_LIST, Clause, Compound, Const, ListTerm, Term


def print_program(program: ir.Program) -> str:
    """A whole program as RTEC text; parsing it gives an equal program."""
    return "".join(f"{print_rule(rule)}\n" for rule in program.rules)


def print_rule(rule: ir.Rule) -> str:
    """One rule as RTEC text."""
    return print_clause(rule_clause(rule))


def rule_clause(rule: ir.Rule) -> Clause:
    """The clause that a rule was lowered from."""
    if isinstance(rule, ir.Declaration) and rule.kind is ir.DeclarationKind.DIRECTIVE:
        return Clause(None, _conjunction(rule.args), rule.span)
    body = _body_term(rule.body) if rule.body else None
    return Clause(_head(rule), body, rule.span)


def _head(rule: ir.Rule) -> Term:
    match rule:
        case ir.EffectRule():
            return Compound(rule.kind.value, (rule.fvp.term, rule.time))
        case ir.InitiallyRule():
            return Compound("initially", (rule.fvp.term,))
        case ir.IntervalRule():
            return Compound("holdsFor", (rule.fvp.term, rule.out))
        case ir.EventRule():
            return Compound("happensAt", (rule.event, rule.time))
        case ir.DelayRule(effect=None):
            return Compound("ft", (rule.trigger.term, rule.delay))
        case ir.DelayRule(effect=ir.Fvp() as effect):
            return Compound("fi", (rule.trigger.term, effect.term, rule.delay))
        case ir.PostponeRule():
            return Compound("p", (rule.fvp.term,))
        case ir.BackgroundRule():
            return rule.head
        case ir.Declaration():
            return Compound(rule.kind.value, rule.args)
    raise AssertionError(rule)


def literal_term(literal: ir.Literal) -> Term:
    """The goal that a literal was lowered from."""
    match literal:
        case ir.Happens():
            return Compound("happensAt", (literal.event, literal.time))
        case ir.Boundary():
            return Compound("happensAt", (Compound(literal.edge.value, (literal.fvp.term,)), literal.time))
        case ir.Holds():
            return Compound("holdsAt", (literal.fvp.term, literal.time))
        case ir.Effect():
            return Compound(literal.kind.value, (literal.fvp.term, literal.time))
        case ir.Intervals():
            return Compound("holdsFor", (literal.fvp.term, literal.out))
        case ir.Algebra(written=written):
            return _algebra(literal) if written is None else literal_term(written)
        case ir.Guard():
            return Compound("=" if literal.empty else "\\=", (literal.intervals, EMPTY_LIST))
        case ir.Compare():
            return Compound(literal.operator, (literal.left, literal.right))
        case ir.Assign():
            return Compound("is", (literal.target, literal.expression))
        case ir.Call():
            return literal.atom
        case ir.Not():
            return Compound("\\+", (_body_term(literal.body),))
        case ir.Or():
            return Compound(";", tuple(_body_term(body) for body in literal.branches))
        case ir.IfThenElse():
            return _if_then_else(literal)
        case ir.FindAll(sliding=Sliding(call=call)):
            return Compound("is", (literal.result, call))
        case ir.FindAll():
            return Compound("findall", (literal.template, _body_term(literal.body), literal.result))
        case ir.Cut():
            return Const("!")
        case ir.Instance():
            raise AssertionError(literal)  # Only the compiler makes them.


def _algebra(literal: ir.Algebra) -> Term:
    name, inputs, out = literal.operator.value, literal.inputs, literal.out
    match literal.operator:
        case ir.IntervalOperator.UNION | ir.IntervalOperator.INTERSECTION | ir.IntervalOperator.COMPLEMENT:
            return Compound(name, (_list(inputs), out))
        case ir.IntervalOperator.RELATIVE_COMPLEMENT:
            return Compound(name, (inputs[0], _list(inputs[1:]), out))
        case ir.IntervalOperator.SEQUENCE:
            return Compound(name, (*inputs, out))
        case ir.IntervalOperator.ALLEN:
            relation, mode = literal.relation, literal.mode
            assert relation is not None and mode is not None
            return Compound(name, (Const(relation.value), *inputs, Const(mode.value), out))
        case operator if operator in ir.METRIC:
            return Compound(name, (inputs[0], _distance(literal), *inputs[1:], out))
        case _:
            assert literal.bound is not None
            return Compound(name, (inputs[0], literal.bound, out))


def _distance(literal: ir.Algebra) -> Term:
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


def _if_then_else(literal: ir.IfThenElse) -> Term:
    arrow = Compound("->", (_body_term(literal.condition), _body_term(literal.then)))
    if literal.otherwise is None:
        return arrow
    rest = _body_term(literal.otherwise)
    tail = rest.args if isinstance(rest, Compound) and rest.name == ";" else (rest,)
    return Compound(";", (arrow, *tail))


def _body_term(body: ir.Body) -> Term:
    return _conjunction(tuple(literal_term(literal) for literal in body))


def _conjunction(goals: tuple[Term, ...]) -> Term:
    if not goals:
        return Const("true")
    return goals[0] if len(goals) == 1 else Compound(",", goals)
