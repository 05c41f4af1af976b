"""Computes a short name for the rules of a plan, which identifies the saved state of these rules."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256

from holdsfor.compiler.plan import Plan
from holdsfor.ir import BackgroundRule
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Var


def fingerprint(plan: Plan) -> str:
    """The fingerprint of the rules that define events and fluents.

    Background knowledge does not count: a new vessel in a table of vessels does not invalidate the state.
    """
    rules = (rule for rule in plan.analysis.program.rules if not isinstance(rule, BackgroundRule))
    metric = plan.analysis.program.metric
    shapes = (_shape(rule) for rule in (*rules, *metric.rules, *metric.facts))
    return sha256("\n".join(shapes).encode()).hexdigest()[:16]


def _shape(item: object) -> str:
    """The text of a part of a program, without source positions."""
    if isinstance(item, Var | Const | Compound | ListTerm):
        return print_term(item)
    if isinstance(item, tuple):
        return f"({';'.join(_shape(part) for part in item)})"
    if is_dataclass(item):
        parts = (getattr(item, part.name) for part in fields(item) if part.name != "span")
        return f"{type(item).__name__}({';'.join(_shape(part) for part in parts)})"
    return str(item.value) if isinstance(item, Enum) else repr(item)
