"""Tables of background facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.frames import as_part
from holdsfor.ir import BackgroundRule, Program
from holdsfor.syntax.terms import Compound, Const, Term


def facts_of(tables: Mapping[str, Any]) -> Program:
    """The rows of tables as facts of the predicates that they are named after.

    >>> len(facts_of({"areaType": [("bay", "fishing"), ("quay", "port")]}).rules)
    2
    """
    rules = []
    for name, frame in tables.items():
        for row in as_part(frame, f"background[{name!r}]").table.to_pylist():
            terms = tuple(_term(value, name) for value in row.values())
            rules.append(BackgroundRule(Compound(name, terms) if terms else Const(name)))
    return Program(tuple(rules))


def _term(value: object, name: str) -> Term:
    if isinstance(value, bool):
        return Const(str(value).lower())
    if isinstance(value, str | int | float):
        return Const(value)
    raise HoldsforError(f"background[{name!r}] has the value {value!r}; facts are made of numbers and text")
