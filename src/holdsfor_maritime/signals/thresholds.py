"""The thresholds of events: a TOML file, and optionally one of the user."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

from holdsfor.diagnostics import HoldsforError


@dataclass(frozen=True)
class Thresholds:
    """The contents of `thresholds.toml`; the field `gap_seconds` is `seconds` below `[gap]`."""

    cleaning_fastest: float
    cleaning_believed_after: int
    gap_seconds: int
    stop_below: float
    slow_motion_below: float
    change_in_speed_share: float
    change_in_speed_least: float
    change_in_heading_degrees: float
    change_in_heading_moving: float
    turn_degrees: float
    areas_resolution: int
    proximity_metres: float
    proximity_slot: int


def thresholds(given: str | Path | Mapping[str, Any] | Thresholds | None = None) -> Thresholds:
    """The thresholds of the package, with those of a file or a mapping in their place."""
    if isinstance(given, Thresholds):
        return given
    text = resources.files("holdsfor_maritime.signals").joinpath("thresholds.toml").read_text()
    found = _flat(tomllib.loads(text))
    if given is not None:
        place = str(given) if isinstance(given, str | Path) else "the thresholds"
        found |= _checked(_flat(_read(given)), found, place)
    return Thresholds(**found)


def _read(given: str | Path | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    try:
        return tomllib.loads(Path(given).read_text())
    except OSError as problem:
        raise HoldsforError(f"the thresholds in {given} cannot be read: {problem.strerror}") from problem
    except tomllib.TOMLDecodeError as problem:
        raise HoldsforError(f"the thresholds in {given} are no TOML: {problem}") from problem


def _flat(tables: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{table}_{name}" if isinstance(values, Mapping) else table: value
        for table, values in tables.items()
        for name, value in (values.items() if isinstance(values, Mapping) else [("", values)])
    }


def _checked(given: dict[str, Any], known: Mapping[str, Any], place: str) -> dict[str, Any]:
    kinds = {each.name: each.type for each in fields(Thresholds)}
    for name, value in given.items():
        if name not in known:
            raise HoldsforError(f"{place}: there is no threshold {name}; there are {', '.join(known)}")
        whole = kinds[name] == "int"
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or value < 0:
            raise HoldsforError(f"{place}: {name} must be a {'whole ' if whole else ''}number, not {value!r}")
    for name in ("proximity_slot", "gap_seconds"):
        if given.get(name, 1) == 0:
            raise HoldsforError(f"{place}: {name} must be more than 0")
    return given
