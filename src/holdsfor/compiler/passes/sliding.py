"""Sliding aggregates as lists of the events of a window.

    count_within(failed(U), 10, T) >= 3

becomes a `findall` over `happensAt(failed(U), T0), T0 =< T, T - T0 < 10` whose result is a number, and a comparison with
that number. So everything that is known of looking back, keeping, keys and late events is known of the window as well. The
`findall` has the call beside it, for explanations and for evaluators that have an operator for it.

`top(K, By, Event, Duration, T)` becomes the occurrence in the window, and the count of those in it with a larger number,
which must be less than K.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from holdsfor import ir
from holdsfor.ir.renaming import renamed
from holdsfor.ir.sliding import (
    OTHER,
    TOP,
    Sliding,
    SlidingKind,
    implied_variable,
    read_sliding,
    result_variable,
    sliding_calls,
)
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor, marked, variables


def lower_sliding(program: ir.Program) -> ir.Program:
    """The program with a `findall` in place of each sliding aggregate."""
    owns_top = any(functor(rule.head) == TOP for rule in program.background)
    rules = tuple(
        replace(rule, body=_Lowering(owns_top=owns_top).body(rule.body, frozenset()))
        if any(is_sliding(literal, owns_top=owns_top) for literal in ir.walk(rule.body))
        else rule
        for rule in program.rules
    )
    return (
        replace(program, rules=rules) if any(a is not b for a, b in zip(rules, program.rules, strict=True)) else program
    )


def is_sliding(literal: ir.Literal, *, owns_top: bool) -> bool:
    """Whether a condition is or contains a sliding aggregate. A program may define `top` itself."""
    return is_top(literal, owns_top=owns_top) or any(True for term in _computed(literal) for _ in sliding_calls(term))


def is_top(literal: ir.Literal, *, owns_top: bool) -> bool:
    """Whether a condition is the `top` of the language."""
    return isinstance(literal, ir.Call) and functor(literal.atom) == TOP and not owns_top


def _computed(literal: ir.Literal) -> tuple[Term, ...]:
    """The expressions of a condition."""
    if isinstance(literal, ir.Compare) and literal.operator in ARITHMETIC_COMPARISONS:
        return literal.left, literal.right
    return (literal.expression,) if isinstance(literal, ir.Assign) else ()


class _Lowering:
    """Lowers the sliding aggregates of one rule."""

    def __init__(self, *, owns_top: bool) -> None:
        self._owns_top = owns_top
        self._numbers = itertools.count(1)

    def body(self, body: ir.Body, given: frozenset[str]) -> ir.Body:
        """Lowers a body; `given` are the variables that earlier conditions bind."""
        lowered: list[ir.Literal] = []
        for literal in body:
            lowered.extend(self._literal(literal, given))
            given |= bound_by(literal)
        return tuple(lowered)

    def _literal(self, literal: ir.Literal, given: frozenset[str]) -> ir.Body:
        match literal:
            case ir.Compare() if literal.operator in ARITHMETIC_COMPARISONS:
                left, first = self._expression(literal.left)
                right, second = self._expression(literal.right)
                return (*first, *second, replace(literal, left=left, right=right))
            case ir.Assign(expression=expression):
                value, found = self._expression(expression)
                return (*found, replace(literal, expression=value))
            case ir.Call(atom=atom) if is_top(literal, owns_top=self._owns_top):
                return self._top(atom, given)
            case ir.Not(body=inner) | ir.FindAll(body=inner):
                return (replace(literal, body=self.body(inner, given)),)
            case ir.Or(branches=branches):
                return (replace(literal, branches=tuple(self.body(branch, given) for branch in branches)),)
            case ir.IfThenElse(condition=condition, then=then, otherwise=otherwise):
                known = given.union(*map(bound_by, condition))
                rest = None if otherwise is None else self.body(otherwise, given)
                test = self.body(condition, given)
                return (replace(literal, condition=test, then=self.body(then, known), otherwise=rest),)
            case _:
                return (literal,)

    def _expression(self, term: Term) -> tuple[Term, ir.Body]:
        """An expression with a variable for each sliding aggregate, and the conditions that bind these variables."""
        if not isinstance(term, Compound) or next(sliding_calls(term), None) is None:
            return term, ()
        if term is not next(sliding_calls(term)):
            parts = [self._expression(arg) for arg in term.args]
            return replace(term, args=tuple(part for part, _ in parts)), tuple(one for _, more in parts for one in more)
        call, number = read_sliding(term), next(self._numbers)
        item = Const(1) if call.item is None else call.item
        window = self._window(call.event, call.duration, call.time, implied_variable("T0", number))
        result = result_variable(number)
        return result, (ir.FindAll(item, window, result, term.span, Sliding(call.kind, term)),)

    def _top(self, atom: Term, given: frozenset[str]) -> ir.Body:
        most, by, event, duration, time = arguments(atom)
        number = next(self._numbers)
        apart = {
            variable.name: marked(variable.name, f"{OTHER}{number}")
            for variable in variables(Compound("", (by, event)))
            if variable.name not in given
        }
        rank, value, other = (implied_variable(name, number) for name in ("Rank", "By", "Other"))
        larger = (
            *self._window(renamed(event, apart), duration, time, implied_variable("T1", number)),
            ir.Assign(other, renamed(by, apart), by.span),
            ir.Compare(">", other, value, by.span),
        )
        return (
            *self._window(event, duration, time, implied_variable("T0", number)),
            ir.Assign(value, by, by.span),
            ir.FindAll(Const(1), larger, rank, atom.span, Sliding(SlidingKind.COUNT, atom)),
            ir.Compare("<", rank, most, atom.span),
        )

    @staticmethod
    def _window(event: Term, duration: Term, time: Term, then: Var) -> ir.Body:
        """The conditions that an event occurs after `time - duration`, up to `time`."""
        then = replace(then, span=event.span)
        back = Compound("-", (time, then), duration.span)
        return (
            occurrence(event, then),
            ir.Compare("=<", then, time, time.span),
            ir.Compare("<", back, duration, duration.span),
        )


def occurrence(event: Term, time: Term) -> ir.Happens | ir.Boundary:
    """The condition that an event occurs, which may be the start or end of a fluent."""
    if functor(event) in (("start", 1), ("end", 1)) and isinstance(event, Compound):
        (pair,) = event.args
        fluent, value = arguments(pair)
        return ir.Boundary(ir.Edge(event.name), ir.Fvp(fluent, value, pair.span), time, event.span)
    return ir.Happens(event, time, event.span)


def bound_by(literal: ir.Literal) -> frozenset[str]:
    """The variables that a condition binds. Tests and negations bind none."""
    match literal:
        case ir.Not():
            return frozenset()
        case ir.Compare(operator=operator) if operator != "=":
            return frozenset()
        case ir.Assign(target=term) | ir.FindAll(result=term):
            return frozenset(variable.name for variable in variables(term))
        case ir.Or() | ir.IfThenElse():
            return frozenset(name for inner in ir.sub_bodies(literal) for one in inner for name in bound_by(one))
        case _:
            return frozenset(variable.name for variable in ir.literal_variables(literal))
