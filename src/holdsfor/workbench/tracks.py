"""Reads positions of entities: from a file of tracks, or from events and input tables with longitude and latitude."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary, plain_text
from holdsfor.columns.kernels import Ints
from holdsfor.columns.known import known_answers, known_intervals
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats import parts
from holdsfor.io.mapping import TableMapping, read_mapping
from holdsfor.io.typed import plain, times
from holdsfor.ir import Happens
from holdsfor.ir.literals import walk
from holdsfor.loading import Reasoner
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result
from holdsfor.syntax.terms import Var, arguments, functor
from holdsfor.viz.timeline_answers import symbols_in_order
from holdsfor.workbench.desk import Desk, SampleRun, Setting

_LON, _LAT = ("lon", "lng", "longitude"), ("lat", "latitude")
Table = Mapping[str, Any]


def tracks_of(desk: Desk, run: SampleRun) -> Table | None:
    """Columns `entity, time, lon, lat`, or None if there are no positions."""
    setting = desk.setting
    if setting.tracks is not None:
        return _read(setting.tracks, setting.tracks.stat().st_mtime_ns, _unit(setting, run))
    mapping = None if setting.mapping is None else read_mapping(setting.mapping)
    if isinstance(run.reasoner, Reasoner) and isinstance(run.result, Result):
        found = list(_of_events(run.reasoner, run.result, mapping))
        if found:
            return _joined(found)
    found = [] if mapping is None else list(_of_tables(desk.samples.files(), mapping))
    return _joined(found) if found else None


def _unit(setting: Setting, run: SampleRun) -> str:
    """The time unit of a table of tracks: the same as that of the events."""
    return setting.unit or ("s" if run.time_scale is None else run.time_scale.unit)


def _joined(tables: Sequence[Table]) -> Table:
    return {name: np.concatenate([table[name] for table in tables]) for name in ("entity", "time", "lon", "lat")}


# Files


@lru_cache(maxsize=2)
def _read(path: Path, _state: int, unit: str) -> Table:
    names = ("entity", "time", "lon", "lat")
    return _joined([_columns(part.table, names, unit) for part in parts(path, names, None, None, absent_is_null=False)])


def _columns(table: pa.Table, names: Sequence[str], unit: str) -> Table:
    """The entity, time and position of each row; a missing time is NaN."""
    entity, time, lon, lat = (plain(table[name]) for name in names)
    when = times(time, unit, names[1])
    found = when.values.astype(np.float64)
    if when.wrong is not None:
        found[when.wrong] = np.nan
    return {
        "entity": np.asarray(entity.cast(pa.string()).fill_null("").to_pylist(), dtype=object),
        "time": found,
        "lon": _degrees(lon, names[2]),
        "lat": _degrees(lat, names[3]),
    }


def _degrees(column: Any, name: str) -> Any:
    try:
        return column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    except pa.ArrowException as problem:
        raise HoldsforError(f"column {name!r} is to have degrees: {problem}") from problem


# The input of a run


def _of_events(reasoner: Reasoner, result: Result, mapping: TableMapping | None) -> Iterator[Table]:
    """Positions from events with arguments named longitude and latitude, in the mapping or in the rules."""
    stream, values = result.given_input().stream, _numbers(result.texts.dictionary)
    names = result.texts.dictionary.values
    for symbol, (entity, lon, lat) in _places(reasoner, mapping).items():
        events = stream.events.get(symbol)
        if events is not None and len(events.time):
            codes, inverse = np.unique(events.args[entity], return_inverse=True)
            yield {
                "entity": np.array([str(names[code]) for code in codes.tolist()], dtype=object)[inverse],
                "time": events.time.astype(np.float64),
                "lon": values(events.args[lon]),
                "lat": values(events.args[lat]),
            }


def _places(reasoner: Reasoner, mapping: TableMapping | None) -> dict[Symbol, tuple[int, int, int]]:
    """The positions of the arguments with the entity, its longitude and its latitude, for each event that has them."""
    named: dict[Symbol, Sequence[str]] = {}
    program = reasoner.program
    bodies = [rule.body for rule in program.effects] + [rule.body for rule in program.intervals]
    for body in bodies + [rule.body for rule in program.events]:
        for literal in walk(body):
            if isinstance(literal, Happens) and (signature := functor(literal.event)) is not None:
                args = [arg.name if isinstance(arg, Var) else "" for arg in arguments(literal.event)]
                symbol = Symbol(EntityKind.EVENT, *signature)
                if symbol not in named or _place(named[symbol]) is None:
                    named[symbol] = args
    for entry in () if mapping is None else mapping.entries:
        if entry.kind is EntityKind.EVENT:
            symbol = Symbol(EntityKind.EVENT, entry.name, len(entry.args))
            if symbol not in named or _place(named[symbol]) is None:
                named[symbol] = entry.args
    found = {symbol: _place(names) for symbol, names in named.items()}
    return {symbol: place for symbol, place in found.items() if place is not None}


def _place(names: Sequence[str]) -> tuple[int, int, int] | None:
    """The positions of the entity, its longitude and its latitude among the arguments.

    >>> _place(["Vessel", "Speed", "Lon", "Lat"]), _place(["Vessel", "Speed"])
    ((0, 2, 3), None)
    """
    words = [name.strip("_").lower() for name in names]
    lon = next((at for at, word in enumerate(words) if word in _LON), None)
    lat = next((at for at, word in enumerate(words) if word in _LAT), None)
    entity = next((at for at in range(len(words)) if at not in (lon, lat)), None)
    return None if lon is None or lat is None or entity is None else (entity, lon, lat)


def _numbers(dictionary: Dictionary) -> Any:
    def values(codes: Ints) -> Any:
        distinct, inverse = np.unique(codes, return_inverse=True)
        found = [dictionary.values[code] for code in distinct.tolist()]
        return np.array([float(v) if isinstance(v, int | float) else np.nan for v in found])[inverse]

    return values


def _of_tables(paths: Sequence[Path], mapping: TableMapping) -> Iterator[Table]:
    """Positions from input tables with columns named longitude and latitude that no event has."""
    for path in paths:
        entries = [entry for entry in mapping.of_file(path) if entry.args]
        for lon, lat in [] if not entries else zip(("lon", "longitude"), ("lat", "latitude"), strict=True):
            names = (entries[0].args[0], entries[0].start, lon, lat)
            try:
                found = [
                    _columns(p.table, names, mapping.unit)
                    for p in parts(
                        path, names, mapping.format, mapping.delimiter, rows=mapping.rows, absent_is_null=False
                    )
                ]
            except HoldsforError:
                # There are no such columns.
                continue
            yield from found
            break


# Situations of entities


def held(result: Result | MetricResult, tracks: Table) -> Table:
    """Columns `situation, entity, start, end`: a row for each entity on the map that a situation is about."""
    entities = set(tracks["entity"].tolist())
    found = list(_held_facts(result, entities) if isinstance(result, MetricResult) else _held_fluents(result, entities))
    if not found:
        return {name: [] for name in ("situation", "entity", "start", "end")}
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def _held_fluents(result: Result, entities: set[str]) -> Iterator[dict[str, Any]]:
    values = result.texts.dictionary.values
    known = known_answers(result.answers, None if result.windows is None else result.windows.size)
    for symbol in symbols_in_order(answer.fluents for answer, _, _ in known):
        table = known_intervals(known, symbol, -int(FOREVER), int(FOREVER))
        shown, which = np.unique(table.value, return_inverse=True)
        words = [plain_text(values[code]) for code in shown.tolist()]
        names = [symbol.name if word == "true" else f"{symbol.name}={word}" for word in words]
        yield from _held(table.args, np.array(names, dtype=object)[which], (table.start, table.end), values, entities)


def _held_facts(result: MetricResult, entities: set[str]) -> Iterator[dict[str, Any]]:
    values, scale = result.dictionary.values, result.facts.scale
    for (name, _), table in result.facts.tables.items():
        start, end = (
            np.where(np.abs(cells) >= FOREVER, np.copysign(np.inf, cells), (cells >> 1) / scale)
            for cells in (table.start, table.end)
        )
        yield from _held(table.args, np.full(table.rows, name, dtype=object), (start, end), values, entities)


def _held(
    args: Sequence[Ints], names: Any, span: tuple[Any, Any], values: Any, entities: set[str]
) -> Iterator[dict[str, Any]]:
    for column in args:
        codes, inverse = np.unique(column, return_inverse=True)
        texts = [plain_text(values[code]) for code in codes.tolist()]
        on_map = np.array([text in entities for text in texts], np.bool_)
        rows = np.flatnonzero(on_map[inverse])
        if len(rows):
            entity = np.array(texts, dtype=object)[inverse[rows]]
            start, end = (times[rows].astype(np.float64) for times in span)
            yield {"situation": names[rows], "entity": entity, "start": start, "end": end}
