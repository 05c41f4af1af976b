"""Tables of background facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.fact_files import fact_rows
from holdsfor.io.frames import as_part
from holdsfor.io.rejects import Rejects
from holdsfor.ir import BackgroundRule, Program, Rule
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term


def facts_of(tables: Mapping[str, Any]) -> Program:
    """The rows of tables, or of files with tables, as facts of the predicates that they are named after.

    >>> len(facts_of({"areaType": [("bay", "fishing"), ("quay", "port")]}).rules)
    2
    """
    rules: list[Rule] = []
    for name, frame in tables.items():
        if isinstance(frame, str | Path):
            rules += facts_of_files([(name, frame)], Rejects(strict=True)).rules
            continue
        for row in as_part(frame, f"background[{name!r}]").table.to_pylist():
            terms = tuple(_term(value, name) for value in row.values())
            rules.append(BackgroundRule(Compound(name, terms) if terms else Const(name)))
    return Program(tuple(rules))


def facts_of_files(files: Iterable[tuple[str, str | Path]], rejects: Rejects) -> Program:
    """The rows of files as facts of the predicates that they are given for; bad rows go to `rejects`."""
    rules = []
    for name, path in files:
        for row in fact_rows(path, rejects):
            rules.append(BackgroundRule(Compound(name, tuple(map(Const, row)))))
    return Program(tuple(rules))


def facts_text(name: str, path: str | Path) -> str:
    """The facts of a file as they are written in rules, a line for each."""
    found = facts_of_files([(name, path)], Rejects(strict=True))
    return "".join(f"{print_term(rule.head)}.\n" for rule in found.rules if isinstance(rule, BackgroundRule))


def _term(value: object, name: str) -> Term:
    if isinstance(value, bool):
        return Const(str(value).lower())
    if isinstance(value, str | int | float):
        return Const(value)
    raise HoldsforError(f"background[{name!r}] has the value {value!r}; facts are made of numbers and text")
