"""Points that rules make: at which time-points pairs are initiated and terminated."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.frames import Codes, Frame, Numbers, distinct, numbering, row_keys
from holdsfor.engine.heads import Head
from holdsfor.engine.inertia import ANY
from holdsfor.engine.kernels import EMPTY
from holdsfor.engine.relations import join
from holdsfor.engine.tables import Points
from holdsfor.syntax.terms import Var


def effect_points(head: Head, frame: Frame, dictionary: Dictionary) -> Points:
    """The points of a rule, with the columns that its head leaves open marked."""
    wild = head.wild(frame)
    time = head.times(frame)
    if wild[-1] and not any(wild[:-1]) and isinstance(head.terms[-1], Var):
        args = [head.codes(place, frame, dictionary) for place in range(len(wild) - 1)]
        return Points(tuple(args), np.full(frame.rows, ANY), time)
    unknown = np.zeros(frame.rows, np.int64) if any(wild) else EMPTY
    columns = [unknown if is_open else head.codes(place, frame, dictionary) for place, is_open in enumerate(wild)]
    return Points(tuple(columns[:-1]), columns[-1], time, wild)


class Instances:
    """The pairs that points with open columns may be about, each once."""

    def __init__(self, known: Points) -> None:
        self._known = known
        self._frames: dict[bool, Frame] = {}
        self.names = [f"c{place}" for place in range(len(known.args))]

    def frame(self, *, with_values: bool) -> Frame:
        """A column per argument, and perhaps the value."""
        if with_values not in self._frames:
            known = self._known
            columns = {name: Codes(column) for name, column in zip(self.names, known.args, strict=True)}
            if with_values:
                columns["value"] = Codes(known.value)
            self._frames[with_values] = distinct(Frame(len(known), columns))
        return self._frames[with_values]


def expanded(points: Points, instances: Instances, dictionary: Dictionary) -> Points:
    """Points with open columns, one for each known instance that they match."""
    if not any(points.wild):
        return points
    # What ends any value need not be told apart by values.
    ends_any, names = points.wild[-1], instances.names
    bound = {n: Codes(c) for n, c, is_open in zip(names, points.args, points.wild, strict=False) if not is_open}
    if not ends_any:
        bound["value"] = Codes(points.value)
    frame = Frame(len(points), {**bound, "time": Numbers(points.time)})
    found = join(frame, instances.frame(with_values=not ends_any), dictionary)
    args, time = tuple(found.ints(name) for name in names), found.ints("time")
    return Points(args, np.full(len(time), ANY) if ends_any else found.ints("value"), time)


def distinct_points(points: Points) -> Points:
    """Each point once, however many rules make it."""
    columns = [*points.args, points.value, points.time]
    return points.take(np.sort(numbering(row_keys(columns))[0]))


def stacked_points(arity: int, found: Iterable[Points]) -> Points:
    """Points one below the other; none of them may have open columns."""
    listed = list(found)
    if not listed:
        return Points((EMPTY,) * arity, EMPTY, EMPTY)
    args = tuple(np.concatenate([points.args[place] for points in listed]) for place in range(arity))
    return Points(args, np.concatenate([p.value for p in listed]), np.concatenate([p.time for p in listed]))
