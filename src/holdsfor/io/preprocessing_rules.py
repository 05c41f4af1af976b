"""Whether a program computes input of its own, known without what computes it."""

from __future__ import annotations

from holdsfor.compiler.plan import Plan
from holdsfor.syntax.terms import functor

PREPROCESSING = ("preProcessing", 1)
"""The predicate that does."""


def has_preprocessing(plan: Plan) -> bool:
    """Whether a program computes input of its own."""
    return any(functor(rule.head) == PREPROCESSING and rule.body for rule in plan.analysis.written.background)
