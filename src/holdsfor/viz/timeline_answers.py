"""Charts the answers of a run: each time-point as known at the last query time whose window contains it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from holdsfor.columns.answer import Answer
from holdsfor.columns.frames import codes_of, row_keys
from holdsfor.columns.kernels import Ints
from holdsfor.columns.known import DecisiveAnswers, KnownIntervals, known_answers, known_intervals, known_occurrences
from holdsfor.columns.report import Texts
from holdsfor.columns.stream import EventColumns
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.viz.timeline_chart import Chart
from holdsfor.viz.timeline_collect import (
    Collector,
    ResultSelection,
    known_names,
    lanes_of_values,
    of_entities,
    require_entities,
)
from holdsfor.viz.timeline_events import add_events

_TRUE = "true"


def answers_chart(
    answers: Sequence[Answer],
    window: int | None,
    texts: Texts,
    choice: ResultSelection,
    events: Collection[str] | bool,
    title: str,
    given: Mapping[Symbol, EventColumns] = MappingProxyType({}),
) -> Chart:
    """The intervals of fluents, and the derived events if requested, with `given` input events behind them."""
    reach = choice.reach(1)
    low, high = reach if reach is not None else (-int(FOREVER), int(FOREVER))
    known = known_answers(answers, window)
    fluents = {symbol.name for answer, _, _ in known for symbol in answer.fluents}
    wanted = fluents if choice.names is None else known_names(choice.names, fluents, "fluent")
    happened = {symbol.name for answer, _, _ in known for symbol in answer.events}
    shown = (
        (happened if events else set()) if isinstance(events, bool) else known_names(events, happened, "derived event")
    )
    if choice.entities is not None:
        require_entities(choice.entities, _entities(known, texts))
    collector = Collector()
    for symbol in symbols_in_order(answer.fluents for answer, _, _ in known):
        if symbol.name in wanted:
            table = _of_choice(known_intervals(known, symbol, low, high), choice, texts)
            if len(table.start):
                _add_fluent(collector, symbol, table, texts)
    entity_codes = _entity_codes(known)
    for symbol in symbols_in_order(answer.events for answer, _, _ in known):
        if symbol.name in shown:
            args, time = known_occurrences(known, symbol, low, high, texts.dictionary)
            _add_some(collector, symbol, (args, time), choice, texts, entity_codes)
    for symbol, columns in given.items():
        rows = np.flatnonzero((columns.time >= low) & (columns.time < high))
        some = [column[rows] for column in columns.args], columns.time[rows]
        _add_some(collector, symbol, some, choice, texts, entity_codes, is_input=True)
    last = answers[-1].query_time + 1 if answers else None
    return collector.chart(title, scale=1, time_scale=choice.time_scale, reach=reach, marks_ends=False, at_least=last)


def _entities(known: DecisiveAnswers, texts: Texts) -> set[str]:
    """The texts of all arguments."""
    columns = [column for answer, _, _ in known for table in answer.fluents.values() for column in table.args]
    columns += [
        codes_of(column, texts.dictionary)
        for answer, _, _ in known
        for events in answer.events.values()
        for column in events.args
    ]
    codes = np.unique(np.concatenate([np.unique(column) for column in columns])) if columns else np.zeros(0, np.int64)
    return set(texts.values(codes).to_pylist())


def symbols_in_order(tables: Iterator[Any]) -> list[Symbol]:
    """Symbols in order of first occurrence, which is the order of the rules."""
    return list(dict.fromkeys(symbol for table in tables for symbol in table))


def _of_choice(table: KnownIntervals, choice: ResultSelection, texts: Texts) -> KnownIntervals:
    if choice.entities is None or not len(table.start):
        return table
    keep = _with_entities(table.args, choice.entities, texts, len(table.start))
    return KnownIntervals(
        tuple(column[keep] for column in table.args), table.value[keep], table.start[keep], table.end[keep]
    )


def _with_entities(columns: Sequence[Ints], entities: Collection[Any], texts: Texts, rows: int) -> Any:
    if not columns:
        return np.zeros(rows, np.bool_)
    distinct, inverse = np.unique(np.concatenate(columns), return_inverse=True)
    codes = np.split(inverse, len(columns))
    return of_entities(codes, texts.values(distinct).to_pylist(), entities, rows)


def _add_fluent(collector: Collector, symbol: Symbol, table: KnownIntervals, texts: Texts) -> None:
    rows = len(table.start)
    distinct, inverse = np.unique(table.value, return_inverse=True)
    values: list[str] = texts.values(distinct).to_pylist()
    only_true = values == [_TRUE]
    kinds = np.array([collector.kind(symbol.name, "" if only_true else value) for value in values], np.int64)
    keys = row_keys(list(table.args)) if table.args else np.zeros(rows, np.int64)
    lane_keys, apart = lanes_of_values(keys, inverse.astype(np.int64), table.start, table.end)

    def labels(first: Ints) -> list[str]:
        terms = texts.terms(symbol, [column[first] for column in table.args], len(first)).to_pylist()
        shown = [values[at] for at in inverse[first].tolist()]
        return [
            f"{term}={value}" if is_apart else term
            for term, is_apart, value in zip(terms, apart[first].tolist(), shown, strict=True)
        ]

    lane = collector.lanes(lane_keys, labels, _groups(table.args, texts))
    flags = np.zeros(rows, np.bool_)
    collector.spans.append((lane, kinds[inverse], table.start, table.end, flags, ~flags))


def _groups(args: Sequence[Ints], texts: Texts) -> Any:
    """Groups lanes by the first argument of their instance."""

    def groups(first: Ints) -> list[str]:
        return list(texts.values(args[0][first]).to_pylist()) if args else [""] * len(first)

    return groups


def _entity_codes(known: DecisiveAnswers) -> set[int]:
    """The codes of all arguments of fluents, which name entities."""
    columns = [column for answer, _, _ in known for table in answer.fluents.values() for column in table.args]
    return {code for column in columns for code in np.unique(column).tolist()}


def _add_some(
    collector: Collector,
    symbol: Symbol,
    events: tuple[Sequence[Ints], Ints],
    choice: ResultSelection,
    texts: Texts,
    entity_codes: set[int],
    *,
    is_input: bool = False,
) -> None:
    """Adds the events about the chosen entities."""
    args, time = events
    if choice.entities is not None:
        keep = _with_entities(args, choice.entities, texts, len(time))
        args, time = [column[keep] for column in args], time[keep]
    if len(time):
        add_events(collector, symbol, args, time, texts, entity_codes, is_input=is_input)
