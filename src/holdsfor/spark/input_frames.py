"""Validates the arguments of a run on Spark before anything runs: DataFrames, and the unit of their times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import types as T  # noqa: N812

from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.given import report_unread_tables
from holdsfor.io.mapping import TableMapping
from holdsfor.spark.columns import identifier
from holdsfor.spark.nested import kind_at, with_paths
from holdsfor.times import TimeScale, unit_of

_DATED = (T.TimestampType, T.TimestampNTZType, T.DateType)
_TIMES = ("time", "start", "end", "arrival")
"""The names of time columns without a mapping."""


def require_frames(events: object, plan: Plan) -> None:
    """Reports values that are not DataFrames, and DataFrames that no rule reads."""
    named: list[tuple[str, object]] = [("events", events)]
    if isinstance(events, Mapping):
        if not events:
            raise HoldsforError("there is no DataFrame to read events from")
        named = [(f"events[{name!r}]", frame) for name, frame in events.items()]
    for place, frame in named:
        if not hasattr(frame, "sparkSession"):
            kind = "None" if frame is None else f"an object of type {type(frame).__name__}"
            raise HoldsforError(
                f"{place} is {kind}; give a DataFrame of Spark with a mapping, or a dict of DataFrames by event name"
            )
    if isinstance(events, Mapping):
        report_unread_tables(events, plan)


def known_scale(
    declared: TimeScale | None,
    events: DataFrame | Mapping[str, DataFrame],
    mapping: TableMapping | None,
    unit: str | None,
) -> TimeScale | None:
    """The length of a time-point, if rules, user, mapping or a timestamp column declare it; they must agree."""
    wanted = unit_of(declared, unit)
    if mapping is not None:
        mapping = mapping.with_unit(unit, declared)
    if declared is not None or wanted is not None:
        return declared or TimeScale(wanted or "s")
    if mapping is not None:
        dated = any(is_dated(frame, _time_columns(mapping)) for frame in _frames(events))
        return TimeScale(mapping.unit) if mapping.declares_unit or dated else None
    return TimeScale("s") if any(is_dated(frame, _TIMES) for frame in _frames(events)) else None


def _frames(events: DataFrame | Mapping[str, DataFrame]) -> Iterator[Any]:
    yield from events.values() if isinstance(events, Mapping) else [events]


def is_dated(frame: Any, names: Sequence[str] = _TIMES) -> bool:
    """Whether a DataFrame has timestamps or dates in one of some columns."""
    return any(isinstance(kind_at(frame.schema, name), _DATED) for name in names)


def have_dates(frames: Iterable[Any], mapping: TableMapping) -> bool:
    """Whether DataFrames have timestamps, or dates as text, in the time columns of a mapping."""
    names = _time_columns(mapping)
    for frame in {id(frame): frame for frame in frames}.values():
        if is_dated(frame, names):
            return True
        texts = [name for name in names if isinstance(kind_at(frame.schema, name), T.StringType)]
        if texts and not with_paths(frame, texts, None).where(" or ".join(map(_is_date, texts))).isEmpty():
            return True
    return False


def _is_date(name: str) -> str:
    text = f"trim({identifier(name)})"
    return f"(try_cast({text} as bigint) is null and try_cast({text} as timestamp) is not null)"


def _time_columns(mapping: TableMapping) -> list[str]:
    named = [name for entry in mapping.entries for name in (entry.start, entry.end, entry.arrival)]
    return [name for name in named if name is not None]
