"""Sliding aggregates: the events of a window by two searches in sorted times, and what is worked out of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.calculation import calculated
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of, column_of, evaluate
from holdsfor.engine.frames import Codes, Frame, Lists, Numbers, ranges
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.numbers import Array
from holdsfor.engine.relations import join_keys
from holdsfor.engine.totals import aggregated, portions
from holdsfor.ir import Body, Boundary, Compare, FindAll, Happens
from holdsfor.ir.sliding import SlidingKind
from holdsfor.syntax.terms import Compound, Const, Var, variables

_AS_LIST = {
    SlidingKind.SUM: "sum_list",
    SlidingKind.AVERAGE: "sum_list",
    SlidingKind.LEAST: "min_list",
    SlidingKind.GREATEST: "max_list",
}


@dataclass(frozen=True)
class Window:
    """`happensAt(E, T0), T0 =< T, T - T0 < D`, and what else a body asks of the event."""

    happens: Happens | Boundary
    then: str
    time: str
    length: int
    rest: Body


def window_of(body: Body) -> Window | None:
    """The window that a body is about: None if it is not about one of a fixed length."""
    for literal in body:
        if isinstance(literal, Happens | Boundary) and isinstance(literal.time, Var):
            found = _window(literal, literal.time, body)
            if found is not None:
                return found
    return None


def _window(literal: Happens | Boundary, then: Var, body: Body) -> Window | None:
    past = [one for one in body if isinstance(one, Compare) and one.operator == "=<" and one.left == then]
    for upper in past:
        now = upper.right
        back = Compound("-", (now, then))
        for lower in body:
            match lower:
                case Compare(operator="<", left=left, right=Const(value=int() | float() as length)):
                    # Whole time-points after T - D: with D = 2.5 they are those after T - 3.
                    if left == back and isinstance(now, Var) and 0 < length < 1 << 62:
                        rest = tuple(
                            one for one in body if one is not literal and one is not upper and one is not lower
                        )
                        return Window(literal, then.name, now.name, math.ceil(length), rest)
    return None


def within(window: Window, frame: Frame, events: Frame, dictionary: Dictionary) -> tuple[Ints, Ints, Frame] | None:
    """For each row of a frame the place and number of its events, and the events in the order that these are of.

    None if the time is not known yet, or not in whole numbers.
    """
    if window.time not in frame.columns or window.then in frame.columns:
        return None
    now = evaluate(Var(window.time), frame, dictionary)
    if now.dtype != np.int64:
        return None
    shared = [name for name in events.columns if name in frame.columns]
    none = np.zeros(frame.rows, np.int64), np.zeros(events.rows, np.int64)
    asking, group = join_keys(frame, events, shared, dictionary) if shared else none
    times, rank = np.unique(events.ints(window.then), return_inverse=True)
    # Ranks of times instead of times: then group and time fit into one number, whatever their size.
    groups, number = np.unique(group, return_inverse=True)
    width = len(times) + 1
    packed = number.reshape(-1) * width + rank.reshape(-1)
    order = np.argsort(packed, kind="stable")
    packed = packed[order]
    place = np.searchsorted(groups, asking)
    known = place < len(groups)
    known[known] = groups[place[known]] == asking[known]
    first = place * width + np.searchsorted(times, now - window.length, "right")
    last = place * width + np.searchsorted(times, now, "right")
    starts = np.searchsorted(packed, first)
    lengths = np.where(known, np.searchsorted(packed, last) - starts, 0)
    return starts, lengths, events.take(order)


def paired(frame: Frame, found: tuple[Ints, Ints, Frame]) -> Frame:
    """A row for each row of a frame and each event in its window."""
    starts, lengths, events = found
    rows = frame.take(np.repeat(np.arange(frame.rows), lengths))
    return rows.with_columns(events.take(ranges(starts, lengths)).columns)


def items_of(literal: FindAll, rows: Frame, dictionary: Dictionary) -> Codes | Numbers:
    """What is collected of each row: a number if a sliding aggregate reckons with it, otherwise a term."""
    if literal.sliding is not None and literal.sliding.kind in _AS_LIST:
        return Numbers(evaluate(literal.template, rows, dictionary))
    found = column_of(literal.template, rows, dictionary)
    assert not isinstance(found, Lists)
    return found


def depends_on_events(literal: FindAll, events: Frame) -> bool:
    """Whether what is collected has no variable but those of the event, so that rows can share it."""
    return all(variable.name in events.columns for variable in variables(literal.template))


def result_of(kind: SlidingKind, lists: Lists, dictionary: Dictionary) -> tuple[Array, Bools]:
    """The value for each window, and which windows are empty. Of nothing there are a count and a sum alone."""
    is_empty: Bools = lists.lengths == 0
    if kind is SlidingKind.COUNT:
        return lists.lengths, is_empty
    if kind is SlidingKind.DISTINCT:
        return _distinct(lists, dictionary), is_empty
    values, is_empty = aggregated(_AS_LIST[kind], lists, dictionary)
    if kind is SlidingKind.AVERAGE:
        values = calculated(("/", 2), [values, lists.lengths])
    return values, is_empty


def _distinct(lists: Lists, dictionary: Dictionary) -> Ints:
    """How many different items each list has."""
    coded = Lists(lists.starts, lists.lengths, Codes(codes_of(lists.items, dictionary)))
    found = [_distinct_in(coded.take(rows)) for rows in portions(lists.lengths)]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _distinct_in(lists: Lists) -> Ints:
    rows = np.repeat(np.arange(len(lists.lengths)), lists.lengths)
    codes = lists.flat().data
    order = np.lexsort((codes, rows))
    rows, codes = rows[order], codes[order]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]) | (codes[1:] != codes[:-1])
    return np.bincount(rows[is_new], minlength=len(lists.lengths))
