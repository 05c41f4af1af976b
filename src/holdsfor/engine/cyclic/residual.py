"""Rules of a component in a form that the sweep can use: one way through each body, split into what is known
beforehand and what depends on the component itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import schedule
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.variants import NotSupported, variants
from holdsfor.compiler.passes.rename import rename_body
from holdsfor.ir import (
    Algebra,
    Body,
    Boundary,
    Call,
    Compare,
    Effect,
    EffectRule,
    EventRule,
    FindAll,
    Happens,
    Holds,
    IfThenElse,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Literal,
    Not,
    Or,
    head_terms,
    rule_variables,
    walk,
)
from holdsfor.logic.unify import resolve, unify
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables

SweptRule = EffectRule | EventRule
_NEVER: Body = (Call(Const("fail")),)


def _head_variables(rule: SweptRule) -> frozenset[str]:
    return frozenset(v.name for term in head_terms(rule) for v in variables(term))


@dataclass(frozen=True)
class Way:
    """One way through a rule's body. `negated` are the negations that ask about the component."""

    rule: SweptRule
    body: Body
    negated: tuple[Not, ...]


class Splitter:
    """Takes the rules of one component apart."""

    def __init__(self, analysis: Analysis, members: tuple[Symbol, ...]) -> None:
        self._analysis = analysis
        self._entities = analysis.entities
        self._members = frozenset(members)
        self._fresh = 0

    def owns(self, symbol: Symbol) -> bool:
        """Whether a symbol belongs to the component."""
        return symbol in self._members

    def asks_component(self, literal: Literal) -> bool:
        """Whether a literal (not counting what is nested in it) reads something of the component."""
        match literal:
            case Happens(event=event):
                return self._entities.event(event) in self._members
            case Holds(fvp=fvp) | Boundary(fvp=fvp) | Effect(fvp=fvp):
                return self._entities.fluent(fvp) in self._members
            case _:
                return False

    def _inside(self, body: Body) -> bool:
        return any(self.asks_component(literal) for literal in walk(body))

    def ways(self, rule: SweptRule) -> Iterator[Way]:
        """All ways through a rule's body."""
        for unordered in self._alternatives(self._unfolded(self._analysis.body(rule))):
            # What was put in for a fluent of the component may bind variables that other conditions test.
            ordered = schedule(unordered, set(), self._analysis.background.needs, _head_variables(rule))
            body = ordered.body + ordered.stuck
            self._refuse_other_times(rule, body)
            negated = tuple(lit for lit in body if isinstance(lit, Not) and self._inside(lit.body))
            rest = tuple(lit for lit in body if lit not in negated)
            for literal in rest:
                if isinstance(literal, FindAll) and self._inside(literal.body):
                    raise NotSupported("findall over a fluent that depends on this rule", literal.span)
            for literal in negated:
                if any(isinstance(inner, Not | FindAll) and self._inside(inner.body) for inner in walk(literal.body)):
                    raise NotSupported("nested negation of a fluent that depends on this rule", literal.span)
            yield Way(rule, rest, negated)

    def _refuse_other_times(self, rule: SweptRule, body: Body) -> None:
        for literal in walk(body):
            if self.asks_component(literal) and getattr(literal, "time", rule.time) != rule.time:
                raise NotSupported("looking back at a fluent or event that depends on this rule itself", literal.span)

    def _alternatives(self, body: Body) -> Iterator[Body]:
        for position, literal in enumerate(body):
            if not isinstance(literal, Or | IfThenElse) or not self._inside((literal,)):
                continue
            for branch in self._branches(literal):
                yield from self._alternatives((*body[:position], *branch, *body[position + 1 :]))
            return
        yield from self._spread_negations(body)

    @staticmethod
    def _branches(literal: Or | IfThenElse) -> tuple[Body, ...]:
        if isinstance(literal, Or):
            return literal.branches
        chosen = (*literal.condition, *literal.then)
        refused = (Not(literal.condition, literal.span), *(literal.otherwise or ()))
        return (chosen, refused) if literal.otherwise is not None else (chosen,)

    def _spread_negations(self, body: Body) -> Iterator[Body]:
        """`\\+ (A ; B)` is `\\+ A, \\+ B`."""
        spread: list[Literal] = []
        for literal in body:
            if isinstance(literal, Not) and self._inside(literal.body):
                spread.extend(Not(inner, literal.span) for inner in self._alternatives(literal.body))
            else:
                spread.append(literal)
        yield tuple(spread)

    # Statically determined fluents of the component become conditions on what they are built from

    def _unfolded(self, body: Body) -> Body:
        return tuple(unfolded for literal in body for unfolded in self._unfold(literal))

    def _unfold(self, literal: Literal) -> Body:
        match literal:
            case Holds(fvp=fvp) if self._is_static_member(self._entities.fluent(fvp)):
                branches = tuple(self._definitions(literal))
                if not branches:
                    return _NEVER
                return branches[0] if len(branches) == 1 else (Or(branches, literal.span),)
            case Boundary(fvp=fvp) if self._is_static_member(self._entities.fluent(fvp)):
                raise NotSupported(
                    f"{literal.edge} of a statically determined fluent inside its own cycle", literal.span
                )
            case Not(body=inner):
                return (replace(literal, body=self._unfolded(inner)),)
            case Or(branches=branches):
                return (replace(literal, branches=tuple(self._unfolded(branch) for branch in branches)),)
            case IfThenElse(condition=condition, then=then, otherwise=otherwise):
                rest = None if otherwise is None else self._unfolded(otherwise)
                return (
                    replace(literal, condition=self._unfolded(condition), then=self._unfolded(then), otherwise=rest),
                )
            case _:
                return (literal,)

    def _is_static_member(self, symbol: Symbol) -> bool:
        return symbol in self._members and self._entities[symbol].role is Role.STATIC_FLUENT

    def _definitions(self, literal: Holds) -> Iterator[Body]:
        symbol = self._entities.fluent(literal.fvp)
        if len(self._entities[symbol].rules) > 1:
            raise NotSupported(
                f"{symbol} lies on a cycle and has several rules; combine them with union_all", literal.span
            )
        wanted = Compound("=", (literal.fvp.fluent, literal.fvp.value))
        for rule in self._entities[symbol].rules:
            assert isinstance(rule, IntervalRule)
            self._fresh += 1
            apart: dict[str, Term] = {v.name: Var(f"{v.name}~{self._fresh}") for v in rule_variables(rule)}
            head = resolve(Compound("=", (rule.fvp.fluent, rule.fvp.value)), apart)
            bindings = unify(head, wanted, {})
            if bindings is None:
                continue
            named = {name: resolve(Var(name), bindings) for name in bindings}
            # What the head says of the variables of the condition: a constant, a compound term, or that two are the same.
            asked = {variable.name for variable in variables(wanted)}
            equations = [Compare("=", Var(name), named[name], literal.span) for name in named if name in asked]
            for variant in variants(replace(rule, body=rename_body(rename_body(rule.body, apart), named))):
                out = resolve(rule.out, apart)
                holds = self._unfolded(self._holds(out, variant.nodes, literal.time))
                yield (*variant.conditions, *holds, *equations)

    def _leaf_variables(self, term: Term, nodes: dict[str, Intervals | Algebra]) -> frozenset[str]:
        node = nodes.get(term.name) if isinstance(term, Var) else None
        if node is None:
            return frozenset()
        if isinstance(node, Intervals):
            return frozenset(v.name for part in (node.fvp.fluent, node.fvp.value) for v in variables(part))
        return frozenset().union(*(self._leaf_variables(item, nodes) for item in node.inputs))

    def _holds(self, term: Term, nodes: dict[str, Intervals | Algebra], time: Term) -> Body:
        """The condition that a time-point lies in an interval list."""
        node = nodes.get(term.name) if isinstance(term, Var) else None
        if node is None:
            return _NEVER
        if isinstance(node, Intervals):
            return (Holds(node.fvp, time, node.span),)
        inputs = [self._holds(item, nodes, time) for item in node.inputs]
        match node.operator:
            case IntervalOperator.UNION:
                if len({self._leaf_variables(item, nodes) for item in node.inputs}) > 1:
                    # Such a variable ranges over values seen elsewhere, which no time-point alone can tell.
                    raise NotSupported("union_all of fluents with different variables, inside a cycle", node.span)
                return inputs[0] if len(inputs) == 1 else (Or(tuple(inputs), node.span),)
            case IntervalOperator.INTERSECTION:
                return tuple(literal for body in inputs for literal in body)
            case IntervalOperator.RELATIVE_COMPLEMENT:
                return (*inputs[0], *(Not(body, node.span) for body in inputs[1:]))
            case operator:
                raise NotSupported(f"{operator.value} inside a cycle", node.span)
