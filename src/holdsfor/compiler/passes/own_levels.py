"""Unfolds a statically determined fluent whose levels are numbered by constants.

`close(A,B,25)` may be defined from `close(A,B,24)`, with one rule per level. The pairs form no cycle. But they share
their name, value and arity, by which dependencies are distinguished. So the condition on `close(A,B,24)=true` is
replaced by the body of the rule for it.

This happens only if it cannot change the answer: exactly one rule matches the condition, this rule always succeeds, and
the groundings of both instances agree. Otherwise the condition stays, and the fluent is rejected (HF501).
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from holdsfor import ir
from holdsfor.compiler.passes.rename import rename_body
from holdsfor.logic.unify import may_equal, substitute, unify
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor, marked, variables

_MOST = 200
"""The most conditions in an unfolded body. Levels that read the previous level twice double the size each time."""


def unfold_own_levels(program: ir.Program) -> ir.Program:
    """The program without conditions that read the fluent of their own rule with other constants."""
    unfolder = _Unfolder(program)
    rules = tuple(
        replace(rule, body=body)
        if isinstance(rule, ir.IntervalRule) and (body := unfolder.body(rule)) != rule.body
        else rule
        for rule in program.rules
    )
    return replace(program, rules=rules)


class _Unfolder:
    def __init__(self, program: ir.Program) -> None:
        self._rules: dict[tuple[str, int] | None, list[ir.IntervalRule]] = {}
        for rule in program.rules:
            if isinstance(rule, ir.IntervalRule):
                self._rules.setdefault(functor(rule.fvp.fluent), []).append(rule)
        self._groundings = [
            (declaration.args[0], declaration.body)
            for declaration in program.declarations
            if declaration.kind is ir.DeclarationKind.GROUNDING and declaration.args
        ]
        self._unfolded: dict[int, ir.Body] = {}
        self._fresh = itertools.count(1)

    def body(self, rule: ir.IntervalRule, inside: tuple[ir.IntervalRule, ...] = ()) -> ir.Body:
        """The body of a rule with its own fluent unfolded; `inside` are the rules being unfolded."""
        if id(rule) not in self._unfolded:
            chain = (*inside, rule)
            body = tuple(unfolded for literal in rule.body for unfolded in self._literal(literal, rule, chain))
            self._unfolded[id(rule)] = body if len(body) <= _MOST else rule.body
        return self._unfolded[id(rule)]

    def _literal(self, literal: ir.Literal, reader: ir.IntervalRule, inside: tuple[ir.IntervalRule, ...]) -> ir.Body:
        if not isinstance(literal, ir.Intervals) or not _same_pair(literal.fvp, reader.fvp):
            return (literal,)
        definition = self._definition(literal.fvp)
        if definition is None or any(definition is one for one in inside) or not isinstance(literal.out, Var):
            return (literal,)
        if not _always_succeeds(definition) or not self._same_instances(literal.fvp, reader.fvp):
            return (literal,)
        return self._instance(replace(definition, body=self.body(definition, inside)), literal)

    def _definition(self, wanted: ir.Fvp) -> ir.IntervalRule | None:
        """The only rule that can match a condition, if it covers the whole condition."""
        pair = wanted.term
        found = [rule for rule in self._rules.get(functor(wanted.fluent), ()) if may_equal(rule.fvp.term, pair)]
        return found[0] if len(found) == 1 and _covers(found[0].fvp.term, pair) else None

    def _same_instances(self, condition: ir.Fvp, head: ir.Fvp) -> bool:
        """Whether the groundings of a condition and of the head of its rule admit the same instances."""
        declared = [one for one in self._groundings if may_equal(one[0], condition.term)]
        if not declared and not any(may_equal(one[0], head.term) for one in self._groundings):
            return True
        same = all(
            one == other or (isinstance(one, Const) and isinstance(other, Const))
            for one, other in zip(arguments(condition.fluent), arguments(head.fluent), strict=True)
        )
        return same and self._restrictions(condition) == self._restrictions(head)

    def _restrictions(self, fvp: ir.Fvp) -> list[ir.Body]:
        """The grounding bodies of a pair, with arguments named by position."""
        found: list[ir.Body] = []
        for pair, body in self._groundings:
            if may_equal(pair, fvp.term):
                assert isinstance(pair, Compound)
                places: dict[str, Term] = {}
                for place, argument in enumerate(arguments(pair.args[0])):
                    if isinstance(argument, Var):
                        places.setdefault(argument.name, Var(marked("Argument", f"place{place}")))
                found.append(rename_body(body, places))
        return found

    def _instance(self, rule: ir.IntervalRule, condition: ir.Intervals) -> ir.Body:
        """The body of a rule, instantiated for one condition."""
        number = next(self._fresh)
        apart: dict[str, Term] = {
            variable.name: Var(marked(variable.name, f"level{number}"), variable.span)
            for variable in ir.rule_variables(rule)
        }
        for formal, actual in zip(arguments(rule.fvp.fluent), arguments(condition.fvp.fluent), strict=True):
            if isinstance(formal, Var):
                apart[formal.name] = actual
        assert isinstance(rule.out, Var)
        apart[rule.out.name] = condition.out
        return rename_body(rule.body, apart)


def _same_pair(one: ir.Fvp, other: ir.Fvp) -> bool:
    return functor(one.fluent) == functor(other.fluent) and one.value == other.value and isinstance(one.value, Const)


def _covers(general: Term, special: Term) -> bool:
    """Whether one term is an instance of the other."""
    fixed: dict[str, Term] = {variable.name: Const(f"~{variable.name}") for variable in variables(special)}
    return unify(general, substitute(special, fixed), {}) is not None


def _always_succeeds(rule: ir.IntervalRule) -> bool:
    """Whether a body computes exactly one list per instance: it has no test and no enumerated variable."""
    if not isinstance(rule.fvp.value, Const):
        return False
    heads = {variable.name for variable in variables(rule.fvp.fluent)}
    distinct = [argument for argument in arguments(rule.fvp.fluent) if isinstance(argument, Var)]
    if len(distinct) != len(heads) or not all(isinstance(one, Var | Const) for one in arguments(rule.fvp.fluent)):
        return False
    outputs = [literal.out for literal in rule.body if isinstance(literal, ir.Intervals | ir.Algebra)]
    if len(outputs) != len(rule.body) or len(set(outputs)) != len(outputs) or rule.out not in outputs:
        return False
    return all(isinstance(out, Var) for out in outputs) and all(
        literal.operator in ir.POINTWISE
        if isinstance(literal, ir.Algebra)
        else isinstance(literal.fvp.value, Const)
        and heads.issuperset(one.name for one in variables(literal.fvp.fluent))
        for literal in rule.body
        if isinstance(literal, ir.Intervals | ir.Algebra)
    )
