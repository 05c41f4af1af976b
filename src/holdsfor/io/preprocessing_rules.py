"""Detects whether a program computes its own input, without loading the interpreter."""

from __future__ import annotations

from holdsfor.compiler.plan import Plan
from holdsfor.syntax.terms import functor

PREPROCESSING = ("preProcessing", 1)
"""The predicate that computes input."""


def has_preprocessing(plan: Plan) -> bool:
    """Whether a program computes its own input."""
    return any(functor(rule.head) == PREPROCESSING and rule.body for rule in plan.analysis.written.background)
