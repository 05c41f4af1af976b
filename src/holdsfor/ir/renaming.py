"""Renames variables. In contrast to a substitution, every occurrence keeps its source position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from holdsfor.diagnostics import Span
from holdsfor.syntax.terms import Var

_V = TypeVar("_V")


def renamed(value: _V, names: Mapping[str, str]) -> _V:
    """A rule, literal, term, or a tuple of them, with variables renamed."""
    return _renamed(value, names)  # type: ignore[no-any-return]


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case Var(name=name, span=span):
            return Var(names.get(name, name), span)
        case Span():
            return value
        case tuple():
            return tuple(_renamed(item, names) for item in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{item.name: _renamed(getattr(value, item.name), names) for item in fields(value)})
        case _:
            return value
