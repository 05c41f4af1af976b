"""Adds events as lanes, one per event and entity; numeric arguments become lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdsfor.columns.frames import row_keys
from holdsfor.columns.kernels import Ints
from holdsfor.columns.report import Texts, between
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.viz.timeline_chart import Floats
from holdsfor.viz.timeline_collect import Collector

_MOST_TEXTS = 20_000
"""The most distinct events of one name whose texts are included in a page; beyond, only their lanes are named."""
_ANYTHING = "…"


@dataclass(frozen=True)
class _Arguments:
    """The arguments of the events of one name: the position of the entity, and the positions of numbers."""

    entity: int | None
    measures: tuple[int, ...]
    numbers: tuple[Floats, ...]


def add_events(
    collector: Collector,
    symbol: Symbol,
    args: Sequence[Ints],
    time: Ints,
    texts: Texts,
    entities: Collection[int],
    *,
    is_input: bool = False,
) -> None:
    """Adds the events of one name. `entities` are the codes of entities: such numbers are not drawn as lines."""
    found = _arguments(args, texts, entities)
    keys = np.zeros(len(time), np.int64) if found.entity is None else args[found.entity]
    _, home = np.unique(keys, return_inverse=True)
    shown = _constant(args, home)

    def labels(first: Ints) -> list[str]:
        columns = [
            texts.values(column[first]).to_pylist() if place == found.entity else _shown(column, first, place, home)
            for place, column in enumerate(args)
        ]
        parts = between(symbol)
        rows = zip(*columns, strict=True) if columns else iter([()] * len(first))
        return ["".join(_alternating(parts, row)) for row in rows]

    def _shown(column: Ints, first: Ints, place: int, home: Ints) -> list[str]:
        """Arguments that are constant within a lane become part of its name."""
        if place in found.measures:
            return [_ANYTHING] * len(first)
        words = texts.values(column[first]).to_pylist()
        return [
            word if shown[place][lane] else _ANYTHING for word, lane in zip(words, home[first].tolist(), strict=True)
        ]

    def groups(first: Ints) -> list[str]:
        if found.entity is None:
            return [""] * len(first)
        return list(texts.values(args[found.entity][first]).to_pylist())

    lane = collector.lanes(keys, labels, groups, is_input=is_input)
    kind = np.full(len(time), collector.kind(symbol.name))
    collector.add_points(lane, kind, time, found.numbers, _texts(symbol, args, len(time), texts))


def _alternating(parts: Sequence[str], words: Sequence[str]) -> list[str]:
    return [text for part, word in zip(parts, [*words, ""], strict=True) for text in (part, word)]


def _arguments(args: Sequence[Ints], texts: Texts, entities: Collection[int]) -> _Arguments:
    """The entity and the measurements of an event; measurements are numbers that name no entity."""
    numbers = [_numbers(column, texts) for column in args]
    named = np.fromiter(entities, np.int64, len(entities))
    entity = _entity(args, numbers, named)
    measures = [
        place
        for place, column in enumerate(numbers)
        if column is not None and place != entity and not (place and bool(np.isin(args[place], named).all()))
    ]
    return _Arguments(entity, tuple(measures), tuple(_found(numbers[place]) for place in measures))


def _entity(args: Sequence[Ints], numbers: Sequence[Floats | None], named: Ints) -> int | None:
    """The entity is the first argument, unless it is fractional, or only a later one names entities."""
    if not args:
        return None
    if not np.isin(args[0], named).any():
        later = [place for place, column in enumerate(args) if place and np.isin(column, named).all()]
        if later:
            return later[0]
    first = numbers[0]
    return None if first is not None and bool((first != np.floor(first)).any()) else 0


def _found(column: Floats | None) -> Floats:
    assert column is not None
    return column


def _numbers(column: Ints, texts: Texts) -> Floats | None:
    """A column of codes as numbers, if all of them are."""
    codes, inverse = np.unique(column, return_inverse=True)
    values = texts.dictionary.values_of(codes)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return None
    found: Floats = np.array([_float(value) for value in values], np.float64)[inverse]
    return found


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _constant(args: Sequence[Ints], home: Ints) -> list[Any]:
    """For each argument, the lanes in which it is constant."""
    lanes = int(home.max(initial=-1)) + 1
    found = []
    for column in args:
        low, high = np.full(lanes, np.iinfo(np.int64).max), np.full(lanes, -1)
        np.minimum.at(low, home, column)
        np.maximum.at(high, home, column)
        found.append(low == high)
    return found


def _texts(symbol: Symbol, args: Sequence[Ints], rows: int, texts: Texts) -> tuple[Ints, list[str]] | None:
    """The index of the text of each event, and the texts; None if there are too many."""
    keys = row_keys(args) if args else np.zeros(rows, np.int64)
    _, first, code = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) > _MOST_TEXTS:
        return None
    words: list[str] = texts.terms(symbol, [column[first] for column in args], len(first)).to_pylist()
    return code.astype(np.int64), words
