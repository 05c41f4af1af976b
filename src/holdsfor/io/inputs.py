"""Expands input arguments to files: directories, patterns such as `data/*.csv`, and files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.sources import STANDARD_INPUT

if TYPE_CHECKING:
    from holdsfor.io.mapping import TableMapping

_HIDDEN = (".", "_")
"""The first characters of file names without data, such as `.crc` and `_SUCCESS` of Spark."""


def input_files(given: Iterable[str | Path], mapping: TableMapping | None = None) -> list[str | Path]:
    """All input files. The files of a directory or a pattern are in the order of their names.

    In a directory or a pattern, files without a mapping entry are skipped. The others must be of one kind: without a
    mapping, either all or none are tables.
    """
    listed: list[str | Path] = []
    for one in given:
        if str(one) == STANDARD_INPUT:
            if STANDARD_INPUT in map(str, listed):
                raise HoldsforError("standard input (-) is given twice; it can be read once")
            listed.append(one)
            continue
        found = _below(one)
        if found is None:
            listed.append(one)
        else:
            known = set(map(str, listed))
            listed += [path for path in _wanted(found, one, mapping) if str(path) not in known]
    return listed


def _below(given: str | Path) -> list[Path] | None:
    """The files of a directory or a pattern; None for anything else."""
    path = Path(given)
    try:
        if path.is_dir():
            found = sorted(_files(path))
            if not found:
                raise HoldsforError(f"{given} is a directory without files")
            return found
        if not glob.has_magic(str(given)) or path.exists():
            return None
    except OSError as problem:
        raise HoldsforError(f"cannot read {given}: {problem.strerror or problem}") from problem
    matching = [Path(name) for name in sorted(glob.glob(str(given), recursive=True))]  # noqa: PTH207 -- also of absolute ones
    if not path.name.startswith(_HIDDEN):
        matching = [one for one in matching if not one.name.startswith(_HIDDEN)]
    found = [file for one in matching for file in (sorted(_files(one)) if one.is_dir() else [one])]
    if not found:
        raise HoldsforError(f"no file matches {given}")
    return list(dict.fromkeys(found))


def _files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder, onerror=_raise_unreadable):
        folders[:] = [name for name in folders if not name.startswith(_HIDDEN)]
        yield from (Path(where) / name for name in names if not name.startswith(_HIDDEN))


def _raise_unreadable(problem: OSError) -> None:
    raise HoldsforError(f"cannot read {problem.filename}: {problem.strerror or problem}") from problem


def _wanted(found: list[Path], given: str | Path, mapping: TableMapping | None) -> list[Path]:
    if mapping is None:
        _require_one_kind(found, given)
        return found
    from holdsfor.io.formats.choice import known_format

    kept = [path for path in found if any(entry.is_about(path) for entry in mapping.entries)]
    if not kept:
        raise HoldsforError(f"no entry of {mapping.name} is about a file of {given}; see its `file` patterns")
    strange = [path for path in kept if mapping.format is None and known_format(path) is None]
    if strange:
        raise HoldsforError(
            f"{given} has files that are no tables, such as {strange[0].name}; say which you mean, "
            f"as in {_pattern(given, [path for path in kept if path not in strange] or [Path('x.csv')])}"
        )
    return kept


def _require_one_kind(found: list[Path], given: str | Path) -> None:
    """Reports tables among files that need no mapping, because a run would skip their rows."""
    from holdsfor.io.format_detection import apparent_format

    forms = {path: apparent_format(path) for path in found}
    tables = [path for path, form in forms.items() if form is not None]
    others = [path for path, form in forms.items() if form is None]
    if tables and others:
        raise HoldsforError(
            f"{given} has files of several kinds: {tables[0].name} looks like {forms[tables[0]]}, {others[0].name} does "
            f"not; say which you mean, as in {_pattern(given, others)}"
        )


def _pattern(given: str | Path, files: list[Path]) -> str:
    """A pattern that matches some files of a directory."""
    folder = Path(given) if Path(given).is_dir() else Path(given).parent
    return f"'{folder / f'*{files[0].suffix}'}'"
