"""Describes the influence of windows on an answer: rows that arrived late, or have not arrived yet."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.columns.stream import EventColumns
from holdsfor.columns.tables import FOREVER
from holdsfor.columns.windows import WindowPlan
from holdsfor.explain.known import Case
from holdsfor.explain.questions import Question
from holdsfor.explain.wording import pair_text, point_text
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term

_MOST_SHOWN = 3


def window_notes(case: Case, question: Question, at: int) -> list[str]:
    """Notes about windows for the reader of an answer."""
    notes = []
    if at > case.query + 1:
        notes.append(f"nothing is known after {point_text(case.query)}; what held then is taken to go on")
    windows = case.frame.windows
    if windows.size is None:
        return notes
    if at <= windows.start:
        notes.append(f"the stream begins after {point_text(windows.start)}")
    missing = list(_left_out(case))
    whole = WindowPlan(None, max(1, case.query - windows.start), min(windows.start, case.query - 1), case.query)
    if missing and question.holds(case.evidence, at) != question.holds(case.evidence_with(whole), at):
        shown = "; ".join(text for _, text in sorted(missing)[:_MOST_SHOWN])
        more = f"; and {len(missing) - _MOST_SHOWN} more" if len(missing) > _MOST_SHOWN else ""
        notes.append(f"forgotten: the answer would be another one if all rows had counted: {shown}{more}")
    return notes


def _left_out(case: Case) -> Iterator[tuple[int, str]]:
    """The rows about times up to the query time that do not count, latest first, with the reasons."""
    windows, query = case.frame.windows, case.query
    for symbol, rows in case.stream.tables():
        if isinstance(rows, EventColumns):
            start, counted = rows.time, windows.counted_at(rows.arrival, rows.time)
        else:
            start, counted = rows.start, windows.loaded_at(rows.arrival)
        left = np.flatnonzero((counted > query) & (start <= query))
        for row in left[np.argsort(-start[left], kind="stable")].tolist():
            args = tuple(case.dictionary.terms([int(column[row]) for column in rows.args]))
            term: Term = Compound(symbol.name, args) if args else Const(symbol.name)
            what = f"{print_term(term)} at"
            if not isinstance(rows, EventColumns):
                what = f"{pair_text((term, case.dictionary.term(int(rows.value[row]))))} from"
            when, reason = int(start[row]), _reason(int(rows.arrival[row]), query, windows)
            yield -when, f"{what} {point_text(when)} {reason}"


def _reason(arrival: int, query: int, windows: WindowPlan) -> str:
    if arrival <= windows.start:
        return f"arrived at {point_text(arrival)}, before the start"
    if arrival > query:
        return f"arrives at {point_text(arrival)}, after the query"
    loaded = int(windows.loaded_at(np.array([arrival]))[0])
    if loaded >= FOREVER:
        return f"arrived at {point_text(arrival)}, in no window"
    return f"arrived at {point_text(arrival)}, when its last window was over"
