"""Splits conditions with a variable as value, for fluents that are split into parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor import ir
from holdsfor.compiler.analysis.entities import Entities, FluentParts
from holdsfor.logic.unify import may_equal
from holdsfor.syntax.terms import Const


def separate_values(program: ir.Program, entities: Entities, parts: FluentParts) -> ir.Program:
    """The program with one part of a fluent per condition and head. `entities` contains the unsplit fluents."""
    separator = _Separator(entities, parts)
    return replace(program, rules=tuple(separator.rule(rule) for rule in program.rules))


class _Separator:
    def __init__(self, entities: Entities, parts: FluentParts) -> None:
        self._entities = entities
        self._parts = parts

    def rule(self, rule: ir.Rule) -> ir.Rule:
        changed = replace(rule, body=self._body(rule.body)) if rule.body else rule
        if isinstance(changed, ir.IntervalRule) and not isinstance(changed.fvp.value, Const):
            # All possible values of the head are in one part, which a variable alone does not identify.
            part = next(iter(self._named(changed.fvp)), None)
            return replace(changed, fvp=replace(changed.fvp, part=part)) if part is not None else changed
        return changed

    def _body(self, body: ir.Body) -> ir.Body:
        return tuple(self._literal(literal) for literal in body)

    def _literal(self, literal: ir.Literal) -> ir.Literal:
        match literal:
            case ir.Holds(fvp=fvp) | ir.Boundary(fvp=fvp) | ir.Intervals(fvp=fvp) | ir.Effect(fvp=fvp):
                return self._condition(literal, fvp)
            case _:
                return ir.with_bodies(literal, self._body)

    def _condition(self, literal: ir.Holds | ir.Boundary | ir.Intervals | ir.Effect, fvp: ir.Fvp) -> ir.Literal:
        parts = list(self._named(fvp))
        if len(parts) < 2:
            return replace(literal, fvp=replace(fvp, part=parts[0])) if parts else literal
        if isinstance(literal, ir.Effect):
            # Only the values that events cause are initiated or terminated.
            return replace(literal, fvp=replace(fvp, part=""))
        branches = tuple((replace(literal, fvp=replace(fvp, part=part)),) for part in parts)
        return ir.Or(branches, literal.span)

    def _named(self, fvp: ir.Fvp) -> Iterator[str]:
        """The parts that a pair with a variable in its value can refer to; empty if its fluent is not split."""
        if isinstance(fvp.value, Const):
            return
        for part, values in self._parts.get(self._entities.fluent(fvp), {}).items():
            if any(may_equal(fvp.value, value) for value in values):
                yield part
