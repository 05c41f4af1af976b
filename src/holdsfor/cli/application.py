"""Applications in a parameter file of RTEC: a table of a TOML file with rules, streams and options."""

from __future__ import annotations

import glob
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.fact_files import named_table
from holdsfor.times import is_duration, is_time

_TIMES = {"window_size": 1, "step": 1, "start_time": None, "end_time": None, "clock_tick": 1}
"""Parameters that are times and durations, with the least value of a duration."""

_WITHOUT_MEANING = frozenset(
    {
        "allen_memory",
        "definition_optimisation",
        "dependency_graph_directory",
        "dependency_graph_flag",
        "dynamic_grounding_flag",
        "dynamic_grounding_threshold",
        "forget_threshold",
        "include_input",
        "output_mode",
        "results_directory",
        "sde_batch",
        "stream_order_flag",
        "stream_rate",
    }
)
"""Parameters of RTEC's memory, compiler and output, without effect here."""

_FILES = frozenset({"csv", "fifo"})
"""Input modes that read rows of text from paths; a named pipe is read to its end, like a file."""


@dataclass(frozen=True)
class Application:
    """A table of the parameter file; `ignored` are its parameters without effect here."""

    rules: tuple[Path, ...]
    background: tuple[Path, ...]
    inputs: tuple[Path, ...]
    window: int | str | None = None
    step: int | str | None = None
    start: int | str | None = None
    end: int | str | None = None
    clock_tick: int | str = 1
    ignored: tuple[str, ...] = ()


def read_application(file: Path, name: str) -> Application:
    """An application of a parameter file. Paths in it start at its folder."""
    table = _table(_parsed(file), file, name)
    place = f"{file}: [{name}]"
    mode = table.get("input_mode", "csv")
    if mode not in _FILES:
        raise HoldsforError(
            f"{place} has input_mode {mode!r}, which is not supported: give files with input_mode 'csv', or follow a "
            "live stream with `holdsfor stream`"
        )
    times = {key: _whole(table, key, least, place) for key, least in _TIMES.items()}
    known = {"event_description", "background_knowledge", "input_providers", "input_mode", *_TIMES, *_WITHOUT_MEANING}
    return Application(
        rules=_paths(table, "event_description", file, place),
        background=_paths(table, "background_knowledge", file, place),
        inputs=_paths(table, "input_providers", file, place),
        window=times["window_size"],
        step=times["step"],
        start=times["start_time"],
        end=times["end_time"],
        clock_tick=times["clock_tick"] or 1,
        ignored=tuple(key for key in table if key not in known and table[key] not in ([], "", False)),
    )


def require_files(paths: Iterable[Path], parameter: str, option: str) -> None:
    """Raises HoldsforError for missing files, and suggests files of the same name nearby."""
    for given in paths:
        table = named_table(given)
        path = given if table is None else Path(table[1])
        if path.exists() or glob.has_magic(str(path)):
            continue
        nearby = sorted(path.parent.rglob(path.name))[:1] if path.parent.is_dir() else []
        hint = f"; there is {nearby[0]}: give it with {option}" if nearby else f"; give another with {option}"
        raise HoldsforError(f"{parameter} names {path}, which does not exist{hint}")


def _parsed(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as problem:
        raise HoldsforError(f"cannot read {file}: {problem.strerror or problem}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise HoldsforError(f"{file} is not a TOML file: {problem}") from problem


def _table(parsed: Mapping[str, Any], file: Path, name: str) -> Mapping[str, Any]:
    applications = [key for key, value in parsed.items() if isinstance(value, dict)]
    if name in applications:
        found: Mapping[str, Any] = parsed[name]
        return found
    close = suggest(name, applications)
    hint = f"did you mean {close}?" if close else f"it has {', '.join(applications) or 'none'}"
    raise HoldsforError(f"{file} has no application {name}; {hint}")


def _whole(table: Mapping[str, Any], key: str, least: int | None, place: str) -> int | str | None:
    """A number of time-points, or the text of a time or duration, for code that knows the unit."""
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, date):
        value = value.isoformat()
    if isinstance(value, str) and (is_time if least is None else is_duration)(value):
        return value
    if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
        wanted = "a whole number" if least is None else f"a whole number of at least {least}"
        raise HoldsforError(f"{place}: {key} must be {wanted}, not {value!r}")
    return value


def _paths(table: Mapping[str, Any], key: str, file: Path, place: str) -> tuple[Path, ...]:
    value = table.get(key, [])
    named = [value] if isinstance(value, str) else value
    if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
        raise HoldsforError(f"{place}: {key} must be the name of a file or a list of them, not {value!r}")
    return tuple(file.parent / one for one in named)
