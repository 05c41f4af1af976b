"""Streams with the columns that readers make: numbers that rules only compute with have no codes."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.frames import Codes, Numbers
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns, MeasuredEvents, Stream
from holdsfor.compiler.analysis.arithmetic_arguments import arithmetic_arguments
from holdsfor.loading import Reasoner

_EXACT = 2**53


def as_read(stream: Stream, reasoner: Reasoner, dictionary: Dictionary) -> Stream:
    """A stream of codes as a reader of files or frames would have made it."""
    plain = arithmetic_arguments(reasoner.analysis.program)
    events = dict(stream.events)
    for symbol, places in plain.items():
        if symbol in events:
            events[symbol] = _measured(events[symbol], places, dictionary)
    return Stream(events, stream.fluents)


def _measured(events: EventColumns, places: frozenset[int], dictionary: Dictionary) -> EventColumns:
    columns = [
        _numbers(column, dictionary) if place in places else Codes(column) for place, column in enumerate(events.args)
    ]
    if all(isinstance(column, Codes) for column in columns):
        return events
    return MeasuredEvents(tuple(columns), events.time, events.arrival, dictionary)


def _numbers(codes: Ints, dictionary: Dictionary) -> Codes | Numbers:
    values = [dictionary.values[code] for code in codes.tolist()]
    if all(isinstance(value, int | float) and abs(value) < _EXACT for value in values):
        return Numbers(np.array(values, np.float64))
    return Codes(codes)
