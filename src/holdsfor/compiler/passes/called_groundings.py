"""Makes groundings available as conditions: `fi(F=V, F=W, 5) :- grounding(F=V), grounding(F=W)`.

Conditions can then read the declarations of a program like other background knowledge.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.ir import BackgroundRule, Call, DeclarationKind, Program, walk
from holdsfor.syntax.terms import Compound, functor

GROUNDING = ("grounding", 1)


def with_called_groundings(program: Program) -> Program:
    """The program with its groundings as background rules, if a condition reads them."""
    calls = (literal for rule in program.rules for literal in walk(rule.body) if isinstance(literal, Call))
    if not any(functor(call.atom) == GROUNDING for call in calls):
        return program
    groundings = [one for one in program.declarations if one.kind is DeclarationKind.GROUNDING and len(one.args) == 1]
    rules = tuple(BackgroundRule(Compound("grounding", one.args, one.span), one.body, one.span) for one in groundings)
    return replace(program, rules=(*program.rules, *rules))
