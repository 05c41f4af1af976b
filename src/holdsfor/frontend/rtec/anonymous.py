"""Numbers the `_` of a rule in the order in which the rule is printed.

Lowering drops and moves arguments (`initiates(E,F=V,T)`, the four-argument `initiatedAt`), and equality of
programs goes by name. A `_` that lowering needs twice becomes a named variable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TypeVar

from holdsfor.frontend.rtec.unparse import rule_clause
from holdsfor.ir import Rule
from holdsfor.ir.renaming import renamed
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Var, variables

_R = TypeVar("_R", bound=Rule)


def number_anonymous(rule: _R) -> _R:
    """The rule with its anonymous variables numbered from 1 in reading order."""
    clause = rule_clause(rule)
    found = [variable for term in (clause.head, clause.body) if term is not None for variable in variables(term)]
    wanted = _numbered(found)
    return rule if all(old == new for old, new in wanted.items()) else renamed(rule, wanted)


def _numbered(found: Iterable[Var]) -> dict[str, str]:
    written = [variable.name for variable in found]
    anonymous = [variable.name for variable in found if variable.is_anonymous]
    fresh = (name for number in itertools.count(1) if (name := f"Any{number}") not in written)
    numbers = itertools.count(1)
    return {
        name: f"{ANONYMOUS_PREFIX}{next(numbers)}" if anonymous.count(name) == 1 else next(fresh)
        for name in dict.fromkeys(anonymous)
    }
