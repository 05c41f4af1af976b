"""Detects the format of a file from which nothing could be read: tables and JSON need a mapping."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.inputs import input_files
from holdsfor.io.sources import STANDARD_INPUT, head_of, shown_name

_PARQUET = b"PAR1"
BINARY = "a binary file"
_FIELDS_SHOWN = 6
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b"))
RTEC_ROWS = "rows such as name|arrival|occurrence|argument"
METRIC_FACTS = "facts such as P(a)@3"


def require_some_read(
    paths: Iterable[str | Path],
    *,
    read: int,
    unknown: Iterable[str],
    malformed: Sequence[object],
    mapping: str | None = None,
    expected: str = RTEC_ROWS,
    rules: Sequence[str | Path] = (),
) -> None:
    """Raises HoldsforError if nothing could be read from the input.

    `unknown` are names that no rule mentions, and `malformed` are the first malformed rows. Valid rows with unknown
    names are not an error: on some days nothing relevant happens. An empty file is not an error either.
    """
    names = list(unknown)
    if read or not (names or malformed):
        return
    given = list(paths)
    if mapping is not None:
        if malformed:
            raise HoldsforError(f"no row of {_shown(given)} could be read as {mapping} says; the first: {malformed[0]}")
        return
    heads = {path: _head(path, names) for path in input_files(given)}
    if expected == RTEC_ROWS and names and any(map(looks_like_rtec, heads.values())):
        return
    found = next(((path, form) for path, head in heads.items() if (form := _apparent_format(head))), None)
    where = f"nothing in {_shown(given)} could be read"
    if found is None:
        first = malformed[0] if malformed else repr(names[0][:60])
        raise HoldsforError(f"{where}, the first row is {first}; without --mapping, --events takes {expected}")
    path, form = found
    if form == BINARY:
        raise HoldsforError(f"{where}: it looks like {form}; without --mapping, --events takes {expected}")
    line = map_line(path, rules)
    raise HoldsforError(f"{where}: it looks like {form}; write a mapping with `{line}`, and give it with --mapping")


def require_described(paths: Iterable[str | Path], *, read: int, names: Sequence[str]) -> None:
    """Raises HoldsforError if no files that need a mapping could be read; `names` are the unknown names."""
    for path in () if read or not names else input_files(paths):
        head = _head(path, names)
        form = None if looks_like_rtec(head) else _apparent_format(head)
        if form is not None:
            hint = "" if form == BINARY else f", which `{map_line(path)}` writes"
            raise HoldsforError(
                f"nothing in {shown_name(path)} could be read: it looks like {form}; give a mapping{hint}"
            )


def map_line(path: str | Path, rules: Sequence[str | Path] = ()) -> str:
    """The command that writes a mapping for a file.

    >>> map_line("my log.csv", ["rules.prolog"])
    "holdsfor map 'my log.csv' --rules rules.prolog -o mapping.toml"
    """
    options = [word for one in rules for word in ("--rules", str(one))]
    return shlex.join(["holdsfor", "map", str(path), *options, "-o", "mapping.toml"])


def apparent_format(path: str | Path) -> str | None:
    """The apparent format of a file that needs a mapping; None for RTEC's format, and if the format is unclear."""
    head = _head(path, ())
    return None if looks_like_rtec(head) else _apparent_format(head)


def _shown(paths: Sequence[str | Path]) -> str:
    return ", ".join(shown_name(path) for path in paths)


def _head(path: str | Path, names: Sequence[str]) -> bytes:
    """The beginning of an input. Standard input has already been consumed, so only the names parsed from it remain."""
    return "\n".join(names).encode() if str(path) == STANDARD_INPUT else head_of(path)


def _first_line(head: bytes) -> str:
    lines = head.decode(errors="replace").splitlines()
    return next((line.strip() for line in lines if line.strip()), "")


def looks_like_rtec(head: bytes) -> bool:
    """Whether the first row has a name and two times."""
    fields = _first_line(head).split("|")
    return len(fields) > 2 and all(field.strip().lstrip("+-").isdecimal() for field in fields[1:3])


def _apparent_format(head: bytes) -> str | None:
    """The apparent format of text, with its field names; None if it is unclear.

    >>> _apparent_format(b'{"time": 1, "user": "ann"}'), _apparent_format(b"time,user,page"), _apparent_format(b"PAR1...")
    ('JSON lines (fields time, user)', 'CSV with a header (columns time, user, page)', 'a Parquet file')
    """
    if head.startswith(_PARQUET):
        return "a Parquet file"
    if any(byte in _CONTROLS for byte in head[:1024]):
        return BINARY
    line = _first_line(head)
    if line.startswith("["):
        return "a JSON array"
    if line.startswith("{"):
        return f"JSON lines{_json_fields(line)}"
    for delimiter in ",;\t|":
        columns = next(csv.reader([line], delimiter=delimiter)) if delimiter in line else []
        names = [column.strip() for column in columns]
        if len(names) > 1 and all(names) and not any(name.lstrip("+-")[:1].isdigit() for name in names):
            return f"CSV with a header (columns {_listed(names)})"
    return None


def _json_fields(line: str) -> str:
    try:
        found = json.loads(line)
    except ValueError:
        return ""
    return f" (fields {_listed(list(found))})" if isinstance(found, dict) and found else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_FIELDS_SHOWN]) + (", …" if len(names) > _FIELDS_SHOWN else "")
