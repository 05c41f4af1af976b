"""Builds a given program again with the builder, rule by rule: whatever the IR can say, Python can.

Where a random program says something that makes no sense, such as an interval list that is a number, the public
functions refuse it, and the classes behind them are used.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from holdsfor import ir
from holdsfor.diagnostics import NOWHERE
from holdsfor.frontend.builder import (
    ANY,
    CUT,
    Condition,
    Pair,
    Rules,
    Situation,
    compare,
    duration,
    empty,
    end,
    event,
    fact,
    find_all,
    fluent,
    if_,
    initiated,
    items,
    let,
    nonempty,
    not_,
    seq,
    start,
    term,
    terminated,
    top,
    var,
)
from holdsfor.frontend.builder.conditions import AllOf, AnyOf
from holdsfor.frontend.builder.situations import Combination, Distant, Filtered, Given
from holdsfor.frontend.builder.steps import Naming
from holdsfor.frontend.builder.terms import TermLike
from holdsfor.ir.sliding import TOP
from holdsfor.syntax.durations import is_duration
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, arguments, functor

TRUE = fact("true")()


def rebuild(program: ir.Program) -> ir.Program:
    rules = Rules()
    for rule in program.rules:
        add(rules, rule)
    return rules.program()


def add(rules: Rules, rule: ir.Rule) -> None:
    match rule:
        case ir.EffectRule(kind=kind, fvp=fvp, time=time, body=body):
            begin = rules.initiate if kind is ir.EffectKind.INITIATED else rules.terminate
            begin(pair(fvp), at=value(time)).when(*conditions(body))
        case ir.EventRule(event=happening, time=time, body=body):
            rules.happens(call(event, happening), at=value(time)).when(*conditions(body))
        case ir.IntervalRule(fvp=fvp, out=out, body=body):
            rules.holds(pair(fvp)).during(*conditions(body), intervals(out))
        case ir.InitiallyRule(fvp=fvp, body=body):
            finish(rules.initially(pair(fvp)), body)
        case ir.DelayRule(trigger=trigger, effect=None, delay=delay, body=body):
            finish(rules.ends_after(value(delay), pair(trigger)), body)
        case ir.DelayRule(trigger=trigger, effect=ir.Fvp() as effect, delay=delay, body=body):
            finish(rules.after(value(delay), pair(trigger), becomes=pair(effect)), body)
        case ir.PostponeRule(fvp=fvp, body=body):
            finish(rules.postpone(pair(fvp)), body)
        case ir.BackgroundRule(head=head, body=()):
            rules.fact(call(fact, head))
        case ir.BackgroundRule(head=head, body=body):
            rules.define(call(fact, head)).when(*conditions(body))
        case ir.Declaration(kind=kind, args=args, body=body):
            finish(rules.declare(kind, *(declared(arg) for arg in args)), body)


def finish(draft: Any, body: ir.Body) -> None:
    if body:
        draft.when(*conditions(body))


# Terms


def value(one: Term) -> TermLike:
    match one:
        case Var():
            return ANY if one.is_anonymous else var(one.name)
        case Const():
            return one.value
        case Compound() if is_duration(one):
            return duration(print_term(one))
        case Compound():
            return term(one.name)(*map(value, one.args))
        case ListTerm(items=parts, tail=tail):
            return items(*map(value, parts), rest=None if tail is None else value(tail))


def call(make: Any, atom: Term) -> Any:
    name = functor(atom)
    assert name is not None
    return make(name[0])(*map(value, arguments(atom)))


def pair(fvp: ir.Fvp) -> Pair:
    return call(fluent, fvp.fluent) == value(fvp.value)


def declared(arg: Term) -> TermLike:
    if isinstance(arg, Compound) and arg.name == "=" and len(arg.args) == 2 and functor(arg.args[0]):
        return pair(ir.Fvp(*arg.args))
    return value(arg)


def intervals(one: Term) -> Given:
    return Given(one, NOWHERE)


# Conditions


def conditions(body: ir.Body) -> list[Condition]:
    return [condition(literal) for literal in body] or [TRUE]


def conjunction(body: ir.Body) -> Condition:
    return reduce(lambda left, right: AllOf((left, right)), conditions(body))


def condition(literal: ir.Literal) -> Condition:
    match literal:
        case ir.Happens(event=happening, time=time):
            return call(event, happening).at(value(time))
        case ir.Boundary(edge=edge, fvp=fvp, time=time):
            return (start if edge is ir.Edge.START else end)(pair(fvp)).at(value(time))
        case ir.Holds(fvp=fvp, time=time):
            return pair(fvp).at(value(time))
        case ir.Effect(kind=kind, fvp=fvp, time=time):
            return (initiated if kind is ir.EffectKind.INITIATED else terminated)(pair(fvp)).at(value(time))
        case ir.Intervals(fvp=fvp, out=out):
            return Naming(out, pair(fvp))
        case ir.Algebra(out=out):
            return Naming(out, situation(literal))
        case ir.Guard(intervals=one, empty=is_empty):
            return (empty if is_empty else nonempty)(intervals(one))
        case ir.Compare(operator=operator, left=left, right=right):
            return compare(operator, value(left), value(right))
        case ir.Assign(target=target, expression=expression):
            return let(value(target), value(expression))
        case ir.Call(atom=atom) if functor(atom) == TOP:
            most, by, happened, length, time = arguments(atom)
            return top(value(most), value(by), call(event, happened), value(length), value(time))
        case ir.Call(atom=atom):
            return call(fact, atom)
        case ir.Not(body=body):
            return not_(*conditions(body))
        case ir.Or(branches=branches):
            return AnyOf(tuple(conjunction(branch) for branch in branches))
        case ir.IfThenElse(condition=test, then=then, otherwise=otherwise):
            no = None if otherwise is None else conditions(otherwise)
            return if_(conditions(test), then=conditions(then), otherwise=no)
        case ir.FindAll(template=template, body=body, result=result):
            return find_all(value(template), *conditions(body), into=value(result))
        case ir.Cut():
            return CUT


def situation(literal: ir.Algebra) -> Situation:
    inputs, rest = literal.inputs, None
    if inputs and isinstance(inputs[-1], ListTerm) and inputs[-1].tail is not None and not inputs[-1].items:
        inputs, rest = inputs[:-1], inputs[-1]
    parts = tuple(map(intervals, inputs))
    match literal.operator:
        case ir.IntervalOperator.SEQUENCE:
            return seq(*parts)
        case ir.IntervalOperator.ALLEN:
            return parts[0].allen(literal.relation, parts[1], give=literal.mode)
        case _ if literal.distance is not None:
            return Distant(literal.operator, parts, literal.distance)
        case _ if literal.bound is not None:
            return Filtered(literal.operator, parts[0], literal.bound)
        case _:
            return Combination(literal.operator, parts, rest)
