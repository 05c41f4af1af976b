"""Retractions: input that is taken back while it is inside the window.

An occurrence of an event that is taken back is gone, however often it was reported. Of an input fluent, time-points are
taken back: those of the interval, as far as they are inside the window. What is reported again in a later batch counts
again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.carrying import places
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes, combined_keys
from holdsfor.engine.kernels import Bools, Ints, difference, union
from holdsfor.engine.state import Reports, State
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream
from holdsfor.engine.tables import Events


@dataclass
class Arrived:
    """Rows, the number of the batch that each came with, and whether it is the copy to speak of."""

    stream: Stream = field(default_factory=Stream)
    batch: dict[Symbol, Ints] = field(default_factory=dict)
    is_first: dict[Symbol, Bools] = field(default_factory=dict)

    def until(self, symbol: Symbol, after: int, query: int) -> Ints:
        """The rows of a symbol that arrive in some time."""
        table = self.stream.events.get(symbol) or self.stream.fluents[symbol]
        return np.flatnonzero((table.arrival > after) & (table.arrival <= query))

    def part(self, after: int, query: int) -> Arrived:
        """The rows that arrive in some time."""
        made = Arrived()
        for symbol in (*self.stream.events, *self.stream.fluents):
            rows = self.until(symbol, after, query)
            if not len(rows):
                continue
            if symbol in self.stream.events:
                made.stream.events[symbol] = self.stream.events[symbol].take(rows)
            else:
                made.stream.fluents[symbol] = self.stream.fluents[symbol].take(rows)
            made.batch[symbol], made.is_first[symbol] = self.batch[symbol][rows], self.is_first[symbol][rows]
        return made


def take_back(
    state: State, arrived: Arrived, back: Arrived, low: int, dictionary: Dictionary
) -> tuple[State, Stream, Stream]:
    """The state and the rows of a query time without what is taken back, and the retractions that found nothing."""
    stream, unmatched = Stream(dict(arrived.stream.events), dict(arrived.stream.fluents)), Stream()
    events, reports = dict(state.kept.events), dict(state.kept.reports)
    for symbol, retracted in back.stream.events.items():
        lost = _Occurrences(retracted, back.batch[symbol], low)
        if symbol in events:
            events[symbol] = lost.left_of_known(events[symbol], dictionary)
        if symbol in stream.events:
            stream.events[symbol] = lost.left_of_new(stream.events[symbol], arrived.batch[symbol])
        unmatched.events[symbol] = retracted.take(np.flatnonzero(~lost.is_met & back.is_first[symbol]))
    for symbol, retraction in back.stream.fluents.items():
        taken = TimePoints(retraction, low)
        if symbol in reports:
            reports[symbol] = taken.left_of_known(reports[symbol])
        if symbol in stream.fluents:
            stream.fluents[symbol] = taken.left_of_new(
                stream.fluents[symbol], arrived.batch[symbol], back.batch[symbol]
            )
        unmatched.fluents[symbol] = retraction.take(np.flatnonzero(~taken.is_met & back.is_first[symbol]))
    return replace(state, kept=replace(state.kept, events=events, reports=reports)), stream, unmatched


class _Occurrences:
    """Occurrences after `low` that are taken back; `is_met` says which of them were there."""

    def __init__(self, retracted: EventColumns, batch: Ints, low: int) -> None:
        self._keys = [*retracted.args, retracted.time]
        # The same retraction may come in several batches: the last counts. What the window has left behind stays,
        # even where rules that look back still read it.
        order = np.argsort(batch, kind="stable")[::-1]
        order = order[retracted.time[order] > low]
        sorted_keys = [key[order] for key in self._keys]
        chosen = order[np.unique(combined_keys(sorted_keys, sorted_keys)[0], return_index=True)[1]]
        self._distinct = [key[chosen] for key in self._keys]
        self._batch = batch[chosen]
        self.is_met = np.zeros(len(batch), np.bool_)

    def left_of_known(self, events: Events, dictionary: Dictionary) -> Events:
        """What stays of earlier occurrences."""
        columns = [codes_of(column, dictionary) for column in events.args]
        stays = self._place([*columns, events.time]) < 0
        self._meet([column[~stays] for column in (*columns, events.time)])
        rows = np.flatnonzero(stays)
        return Events(tuple(Codes(column[rows]) for column in columns), events.time[rows])

    def left_of_new(self, events: EventColumns, batch: Ints) -> EventColumns:
        """What stays of occurrences that have just come in, some perhaps after the retraction."""
        place = self._place([*events.args, events.time])
        stays = (place < 0) | (batch > self._batch[place])
        self._meet([column[~stays] for column in (*events.args, events.time)])
        return events.take(np.flatnonzero(stays))

    def _place(self, keys: list[Ints]) -> Ints:
        return places(keys, self._distinct)

    def _meet(self, keys: list[Ints]) -> None:
        if len(keys[-1]):
            self.is_met |= places(self._keys, keys) >= 0


class TimePoints:
    """Time-points of input fluents that are taken back; `is_met` says which retractions took any."""

    def __init__(self, retraction: FluentColumns, low: int) -> None:
        self._pairs = [*retraction.args, retraction.value]
        self._start, self._end = np.maximum(retraction.start, low + 1), retraction.end
        self.is_met = np.zeros(len(retraction.start), np.bool_)

    def left_of_known(self, known: Reports) -> Reports:
        """What stays of earlier reports."""
        row, start, end = self._left([*known.args, known.value], known.start, known.end, None)
        left = known.take(row)
        return replace(left, start=start, end=end, is_cut=left.is_cut & (start == left.start))

    def left_of_new(self, reports: FluentColumns, batch: Ints, taken: Ints) -> FluentColumns:
        """What stays of reports that have just come in, some perhaps after the retraction."""
        row, start, end = self._left([*reports.args, reports.value], reports.start, reports.end, (batch, taken))
        return replace(reports.take(row), start=start, end=end)

    def _left(
        self, pairs: list[Ints], start: Ints, end: Ints, batches: tuple[Ints, Ints] | None
    ) -> tuple[Ints, Ints, Ints]:
        """Pieces of rows: the row each is of, and its times."""
        row, other = _joined(pairs, self._pairs)
        hits = (start[row] < self._end[other]) & (self._start[other] < end[row])
        if batches is not None:
            hits &= batches[0][row] <= batches[1][other]
        row, other = row[hits], other[hits]
        self.is_met[other] = True
        if not len(row):
            return np.arange(len(start)), start, end
        return _without(start, end, row, self._start[other], self._end[other])


def _joined(mine: list[Ints], theirs: list[Ints]) -> tuple[Ints, Ints]:
    """All pairs of a row and another row with equal keys."""
    place, number = combined_keys(mine, theirs)
    order = np.argsort(number, kind="stable")
    first = np.searchsorted(number[order], place, side="left")
    count = np.searchsorted(number[order], place, side="right") - first
    row = np.repeat(np.arange(len(place)), count)
    within = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    return row, order[np.repeat(first, count) + within]


def _without(start: Ints, end: Ints, row: Ints, begin: Ints, stop: Ints) -> tuple[Ints, Ints, Ints]:
    """Each interval without some others, given with the number of its row."""
    times = np.unique(np.concatenate((start, end, begin, stop)))
    bits = max(1, len(times).bit_length())

    def line(group: Ints, time: Ints) -> Ints:
        return (group << bits) | np.searchsorted(times, time)

    rows = np.arange(len(start))
    taken = union([(np.sort(line(row, begin)), np.sort(line(row, stop)))])
    starts, ends = difference((line(rows, start), line(rows, end)), [taken])
    mask = (1 << bits) - 1
    return starts >> bits, times[starts & mask], times[ends & mask]


def has_rows(stream: Stream) -> bool:
    """Whether there is anything in a stream."""
    return any(len(t.time) for t in stream.events.values()) or any(len(t.start) for t in stream.fluents.values())
