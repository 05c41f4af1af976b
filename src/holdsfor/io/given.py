"""Validates event input before and after it is read, with readable error messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError, warn_caller
from holdsfor.io.builder import Reading
from holdsfor.io.layouts import Layouts
from holdsfor.io.rejects import Malformed

if TYPE_CHECKING:
    # Imported where it is used, because files in RTEC's format need no mapping.
    from holdsfor.io.mapping import TableMapping

Paths: TypeAlias = str | Path | Iterable[str | Path]

_MOST_NAMED = 5


def as_paths(events: Paths, plan: Plan) -> list[str | Path]:
    """One path or several as a list; raises HoldsforError for other values."""
    name = next((symbol.name for symbol in plan.inputs), "name")
    return listed_paths(events, "events", f"give files, or tables by event name such as {{{name!r}: table}}")


def listed_paths(given: Paths, what: str, accepted: str) -> list[str | Path]:
    """Validates paths; `what` and `accepted` describe the argument and the accepted values in messages."""
    if isinstance(given, str | Path):
        return [given]
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns"):
        raise HoldsforError(f"{what} is one table, and the kind of its rows is unknown; {accepted}")
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise HoldsforError(f"{what} is {_described(given)}; {accepted}")
    paths = list(given)
    for path in paths:
        if not isinstance(path, str | Path):
            raise HoldsforError(f"{what} has {_described(path)} where a file name should be; {accepted}")
    return paths


def _described(found: object) -> str:
    return "None" if found is None else f"an object of type {type(found).__name__}"


def report_unread_tables(names: Iterable[str], plan: Plan) -> None:
    """Reports tables that no rule reads: an error if it applies to all of them, otherwise a warning."""
    listed = list(names)
    layouts = Layouts(plan.analysis.entities)
    unread = [name for name in listed if not layouts.knows(name)]
    if not unread:
        return
    if len(unread) == len(listed):
        raise HoldsforError(stranger_sentence(unread, plan))
    warn_caller(f"{stranger_sentence(unread, plan)}; these rows are left out")


def refuse_unread_mapping(mapping: TableMapping, plan: Plan) -> None:
    """Raises HoldsforError if no rule reads anything that a mapping describes; unneeded entries are allowed."""
    layouts = Layouts(plan.analysis.entities)
    names = list(dict.fromkeys(entry.name for entry in mapping.entries))
    if names and not any(layouts.knows(name) for name in names):
        raise HoldsforError(f"{mapping.name}: {stranger_sentence(names, plan)}")


def stranger_sentence(unread: Sequence[str], plan: Plan) -> str:
    """A sentence that no rule reads some names, with suggestions."""
    names = sorted({symbol.name for symbol in plan.inputs})
    close = {name: suggest(name, names) for name in unread if isinstance(name, str)}
    problem = "no rule reads an event or input fluent called"
    if len(unread) == 1:
        meant = close.get(unread[0])
        return f"{problem} {unread[0]!r}; " + (f"did you mean {meant}?" if meant else _there_are(names))
    shown = [f"{name!r}{f' (did you mean {close[name]}?)' if close.get(name) else ''}" for name in unread]
    return f"{problem} {', '.join(shown)}; {_there_are(names)}"


def _there_are(names: Sequence[str]) -> str:
    return f"there are {', '.join(names) or 'none'}"


def warn_of_unread(reading: Reading) -> None:
    """Warns of malformed rows, and of input without a row that some rule reads."""
    rejects, unknown = reading.rejects, sum(reading.unknown.values())
    warn_of_rejects(rejects.count, rejects.first)
    if unknown and unknown + rejects.count == reading.rows:
        names = ", ".join(map(repr, list(reading.unknown)[:_MOST_NAMED]))
        warn_caller(
            f"no rule knows any of the names in the input: {names}{', …' * (len(reading.unknown) > _MOST_NAMED)}"
        )


def warn_of_rejects(count: int, first: Sequence[Malformed]) -> None:
    """Warns of malformed rows and shows the first of them, if it was kept."""
    if count:
        shown = f", first {first[0]}" if first else ""
        warn_caller(f"{count:,} malformed row{'' if count == 1 else 's'} skipped{shown}")
