"""Times and durations on the command line: numbers, or dates and durations, which need a time unit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, overload

import typer

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale, exact_duration, exact_time, is_time, unit_of

if TYPE_CHECKING:
    from holdsfor.loading import Reasoner

    Given: TypeAlias = Fraction | str
    """A number, or the text of a time or a duration."""
else:
    # Typer accepts no unions; the parser of an option determines its type.
    Given = str
GivenSpan: TypeAlias = "tuple[Given | None, Given | None, Given | None, Given | None]"
"""Window, step, start and end."""

_TIME = "a time-point such as 3 or a time such as 2026-03-01T12:00Z"
_DURATION = "a number of time-points such as 3 or a duration such as 10min or 1h"


def time_given(text: str | Fraction) -> Given:
    """A time on the command line, not yet counted in a unit."""
    return _given(text, _TIME, is_time)


def duration_given(text: str | Fraction) -> Given:
    """A duration on the command line, not yet counted in a unit."""
    return _given(text, _DURATION, _is_duration)


def _given(text: str | Fraction, accepted: str, is_other: Callable[[str], bool]) -> Given:
    # Imported here, with the syntax of metric rules.
    from holdsfor.metric.times import exact

    try:
        return exact(text)
    except HoldsforError:
        if isinstance(text, str) and is_other(text):
            return text
        raise typer.BadParameter(f"{text!r} is not {accepted}") from None


def _is_duration(text: str) -> bool:
    try:
        exact_duration(text, "ns")
    except HoldsforError as problem:
        if "must be" not in str(problem):
            raise typer.BadParameter(str(problem).removeprefix("duration ")) from None
        return False
    return True


def exact_point(option: str, given: Given | None, unit: str | None) -> Fraction | None:
    """A time in units, where time has all rational points."""
    if given is None or isinstance(given, Fraction):
        return given
    return exact_time(given, unit, option)


def exact_length(option: str, given: Given | None, unit: str | None) -> Fraction | None:
    """A duration in units, where time has all rational points."""
    if given is None or isinstance(given, Fraction):
        return given
    return exact_duration(given, unit, option)


def point(option: str, given: Given | None, unit: str | None) -> int | None:
    """A time-point; a time between two of them is rounded down."""
    if isinstance(given, Fraction):
        return _whole(option, given)
    found = exact_point(option, given, unit)
    return None if found is None else found // 1


def length(option: str, given: Given | None, unit: str | None, least: int = 1) -> int | None:
    """A whole number of time-points."""
    found = exact_length(option, given, unit)
    if found is None:
        return None
    if isinstance(given, str) and found.denominator != 1:
        raise HoldsforError(f"{option} {given!r} is not a whole number of time-points: one is 1 {unit}")
    whole = _whole(option, found)
    if whole < least:
        raise HoldsforError(f"{option} must be at least {least}, not {given}")
    return whole


def forgetful(reasoner: Reasoner, forget: Given | None, unit: str | None) -> Reasoner:
    """A program with `--forget` applied, if given."""
    found = length("--forget", forget, unit)
    return reasoner if found is None else reasoner.forgetting(found)


def _whole(option: str, given: Fraction) -> int:
    if given.denominator != 1:
        raise HoldsforError(f"{option} must be a whole number; only .dmtl programs have others")
    return int(given)


@overload
def whole(option: str, given: Given, least: int | None = None) -> int | str: ...


@overload
def whole(option: str, given: Given | None, least: int | None = None) -> int | str | None: ...


def whole(option: str, given: Given | None, least: int | None = None) -> int | str | None:
    """A number as a time-point; other text unchanged, for code that knows the unit."""
    if not isinstance(given, Fraction):
        return given
    found = _whole(option, given)
    if least is not None and found < least:
        raise HoldsforError(f"{option} must be at least {least}, not {given}")
    return found


def time_option(*names: str, help: str) -> Any:  # noqa: A002 -- typer's own name for it
    """An option that takes a time."""
    return typer.Option(*names, parser=time_given, metavar="TIME", help=help)


def duration_option(*names: str, help: str) -> Any:  # noqa: A002 -- typer's own name for it
    """An option that takes a duration."""
    return typer.Option(*names, parser=duration_given, metavar="DURATION", help=help)


UnitOption: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Time unit: ns, us, ms, s, min, h or d. Times can then be written as 2026-03-01T12:00Z."),
]


def span_of(given: GivenSpan, unit: str | None) -> tuple[int | None, int | None, int | None, int | None]:
    """`--window`, `--step`, `--start` and `--end` in time-points."""
    window, step, start, end = given
    return (
        length("--window", window, unit),
        length("--step", step, unit),
        point("--start", start, unit),
        point("--end", end, unit),
    )


def declared_unit(declared: TimeScale | None, mapping: Path | None, unit: str | None) -> str | None:
    """The time unit of rules, mapping or `--unit`, before data is read; they must agree."""
    known = unit_of(declared, unit, "--unit")
    if mapping is None:
        return known
    from holdsfor.io.mapping import read_mapping

    described = read_mapping(mapping).with_unit(known, declared)
    return described.unit if described.declares_unit else None
