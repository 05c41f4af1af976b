"""Tables of background facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from holdsfor.io.fact_files import fact_rows, rows_of_part
from holdsfor.io.frames import as_part
from holdsfor.io.rejects import Rejects
from holdsfor.ir import BackgroundRule, Program, Rule
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const


def facts_of(tables: Mapping[str, Any]) -> Program:
    """The rows of tables, or of files with tables, as facts of the predicates that they are named after.

    Tables are those of pandas, polars, Arrow, DuckDB and Spark, lists of tuples and of dicts.

    >>> len(facts_of({"areaType": [("bay", "fishing"), ("quay", "port")]}).rules)
    2
    """
    rules: list[Rule] = []
    for name, frame in tables.items():
        if isinstance(frame, str | Path):
            rules += facts_of_files([(name, frame)], Rejects(strict=True)).rules
            continue
        source = f"background[{name!r}]"
        part = as_part(_collected(frame), source)
        for row in rows_of_part(part, part.table.column_names, source, Rejects(strict=True)):
            rules.append(BackgroundRule(Compound(name, tuple(map(Const, row)))))
    return Program(tuple(rules))


def _collected(frame: Any) -> Any:
    """A table of Spark, brought here: every worker gets its rows with the rules."""
    return frame.toArrow() if hasattr(frame, "toArrow") else frame


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
