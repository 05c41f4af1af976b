"""Substitutes terms for variables in bodies, all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from holdsfor.ir import Body, Fvp, Literal
from holdsfor.logic.unify import substitute
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var


def rename_body(body: Body, mapping: Mapping[str, Term]) -> Body:
    """A body with variables replaced."""
    return tuple(rename_literal(literal, mapping) for literal in body)


def rename_literal(literal: Literal, mapping: Mapping[str, Term]) -> Literal:
    """A literal with variables replaced."""
    changed = {
        item.name: _rename(getattr(literal, item.name), mapping) for item in fields(literal) if item.name != "span"
    }
    return replace(literal, **changed)


def rename_fvp(fvp: Fvp, mapping: Mapping[str, Term]) -> Fvp:
    """A fluent-value pair with variables replaced."""
    return replace(fvp, fluent=substitute(fvp.fluent, mapping), value=substitute(fvp.value, mapping))


def _rename(value: Any, mapping: Mapping[str, Term]) -> Any:
    if isinstance(value, Var | Const | Compound | ListTerm):
        return substitute(value, mapping)
    if isinstance(value, Fvp):
        return rename_fvp(value, mapping)
    if isinstance(value, tuple):
        return tuple(_rename(item, mapping) for item in value)
    if hasattr(value, "__dataclass_fields__"):
        return rename_literal(value, mapping)
    return value
