"""Numbers the `_` of a rule in the order in which the rule is printed.

Lowering drops and moves arguments (`initiates(E,F=V,T)`, the four-argument `initiatedAt`), and equality of
programs goes by name. A `_` that lowering needs twice becomes a named variable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from holdsfor.diagnostics import Span
from holdsfor.frontend.rtec.unparse import rule_clause
from holdsfor.ir import Rule
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Var, variables

_R = TypeVar("_R", bound=Rule)


def number_anonymous(rule: _R) -> _R:
    """The rule with its anonymous variables numbered from 1 in reading order."""
    clause = rule_clause(rule)
    found = [variable for term in (clause.head, clause.body) if term is not None for variable in variables(term)]
    wanted = _numbered(found)
    return rule if all(old == new for old, new in wanted.items()) else _renamed(rule, wanted)


def _numbered(found: Iterable[Var]) -> dict[str, str]:
    written = [variable.name for variable in found]
    anonymous = [variable.name for variable in found if variable.is_anonymous]
    fresh = (name for number in itertools.count(1) if (name := f"Any{number}") not in written)
    numbers = itertools.count(1)
    return {
        name: f"{ANONYMOUS_PREFIX}{next(numbers)}" if anonymous.count(name) == 1 else next(fresh)
        for name in dict.fromkeys(anonymous)
    }


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
