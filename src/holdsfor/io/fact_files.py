"""Reads tables of background facts: a row of a CSV, JSON lines or Parquet file is a fact."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.compression import COMPRESSED

if TYPE_CHECKING:
    from holdsfor.io.formats import TablePart
    from holdsfor.io.rejects import Rejects

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".pq")
_ENDINGS = tuple(f"{table}{packed}" for table in _TABLES for packed in ("", *COMPRESSED))
_NAMED = re.compile(r"([A-Za-z_]\w*)=(.+)", re.DOTALL)
_PREDICATE = re.compile(r"[a-z]\w*")


def named_table(given: str | Path) -> tuple[str, str] | None:
    """The predicate and the file of a fact table, given as `name=file` or as a file; None for a file of rules.

    >>> named_table("tier=data/customers.csv"), named_table("tier.csv.gz"), named_table("areas.prolog")
    (('tier', 'data/customers.csv'), ('tier', 'tier.csv.gz'), None)
    """
    text = str(given)
    named = None if Path(text).exists() else _NAMED.fullmatch(text)
    path = named[2] if named else text
    name = named[1] if named else Path(path).name.partition(".")[0]
    if not path.lower().endswith(_ENDINGS):
        if named is None:
            return None
        raise HoldsforError(
            f"{text}: {path} is not a table; facts of {name} come from a CSV, Parquet or JSON-lines file "
            f"({', '.join(_TABLES)})"
        )
    if not _PREDICATE.fullmatch(name):
        why = "a predicate begins with a lower-case letter and has letters, digits and _"
        raise HoldsforError(f"{text}: {name!r} cannot name facts, {why}; write name={path}")
    return name, path


def fact_rows(path: str | Path, rejects: Rejects) -> Iterator[tuple[str | int | float, ...]]:
    """The rows of a table, with columns in order. Rows with nulls go to `rejects`."""
    from holdsfor.io.formats import columns_of, parts
    from holdsfor.io.sources import shown_name

    columns, delimiter = columns_of(path)
    for part in parts(path, columns, None, delimiter):
        rejects.add(shown_name(path), part.refused)
        yield from rows_of_part(part, columns, shown_name(path), rejects)


def rows_of_part(
    part: TablePart, columns: list[str], source: str, rejects: Rejects
) -> Iterator[tuple[str | int | float, ...]]:
    """The fact rows of a part of a table."""
    import numpy as np

    from holdsfor.io.rejects import refused

    found = [_values(part, name, source) for name in columns]
    for place, row in enumerate(zip(*found, strict=True)):
        gaps = [name for name, value in zip(columns, row, strict=True) if value is None]
        if gaps:
            at = np.array([place])
            rejects.add(source, [refused("", part.line(at), part.text(at), f"{gaps[0]} is missing")])
        else:
            yield row


def _values(part: TablePart, name: str, source: str) -> Iterable[str | int | float | None]:
    """A column as constants; None is a null."""
    from holdsfor.io.columns import value_of_text

    column = part.column(name).to_pylist()
    if name in part.untyped:
        return [value_of_text(text) if text else None for text in column]
    return [_constant(value, name, source) for value in column]


def _constant(value: Any, name: str, source: str) -> str | int | float | None:
    from holdsfor.io.columns import value_of_text

    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isnan(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Decimal):
        return value_of_text(str(value))
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise HoldsforError(f"{source}: column {name!r} has the value {value!r}; facts are made of numbers and text")
