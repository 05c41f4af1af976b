"""Changelogs: one row for each change, and replaying them gives what was reported."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.columns.changelog import CHANGES
from holdsfor.columns.report import INTERVALS
from tests.strategies.changelog import SHOWN, compare, replayed, snapshot

Interval = tuple[str, str, int | None, int | None]


def found(query: int, *rows: Interval) -> pa.Table:
    names = INTERVALS.names
    return pa.Table.from_pylist([dict(zip(names, (query, *row), strict=True)) for row in rows], INTERVALS)


def said(changes: pa.Table) -> list[tuple[object, ...]]:
    return [
        (row["op"], row["fluent"], row["start"], row["end"], row["previous_start"], row["previous_end"])
        for row in changes.to_pylist()
    ]


def after(first: list[Interval], second: list[Interval], low: int = -10) -> tuple[pa.Table, pa.Table, pa.Table]:
    opened, shown = compare(SHOWN.empty_table(), found(10, *first), 10, low)
    changes, then = compare(shown, found(20, *second), 20, low)
    return opened, changes, then


def test_first_reports_open() -> None:
    changes, shown = compare(SHOWN.empty_table(), found(10, ("f", "true", 3, None), ("g", "1", None, 5)), 10, -10)
    assert said(changes) == [("open", "f", 3, None, None, None), ("open", "g", None, 5, None, None)]
    assert shown.select(["fluent", "start", "end"]).to_pylist() == [
        {"fluent": "f", "start": 3, "end": None},
        {"fluent": "g", "start": None, "end": 5},
    ]


@pytest.mark.parametrize(
    ("second", "op"),
    [((3, 8), "close"), ((3, 12), "close"), ((4, None), "revise"), ((2, 9), "revise"), ((None, None), "revise")],
)
def test_an_open_interval_changes(second: tuple[int | None, int | None], op: str) -> None:
    opened, changes, shown = after([("f", "true", 3, None)], [("f", "true", *second)])
    assert said(changes) == [(op, "f", *second, 3, None)]
    assert changes["id"].to_pylist() == opened["id"].to_pylist() == shown["id"].to_pylist()


@pytest.mark.parametrize(("end", "op"), [(9, "extend"), (None, "extend"), (5, "revise")])
def test_a_closed_interval_changes(end: int | None, op: str) -> None:
    _, changes, _ = after([("f", "true", 3, 7)], [("f", "true", 3, end)])
    assert said(changes) == [(op, "f", 3, end, 3, 7)]


def test_an_open_interval_that_had_ended_by_then_is_revised() -> None:
    _, shown = compare(SHOWN.empty_table(), found(10, ("f", "true", 3, None)), 10, -10)
    for end, op in ((10, "revise"), (11, "close")):
        changes, _ = compare(shown, found(20, ("f", "true", 3, end)), 20, -10, before=10)
        assert said(changes) == [(op, "f", 3, end, 3, None)]


def test_nothing_changes() -> None:
    rows: list[Interval] = [("f", "true", 3, 7), ("f", "true", 9, None), ("g", "1", None, 4)]
    _, changes, shown = after(rows, rows)
    assert len(changes) == 0
    assert len(shown) == 3


def test_values_are_told_apart() -> None:
    _, changes, _ = after([("f", "1", 3, None)], [("f", "2", 3, None)])
    assert said(changes) == [("open", "f", 3, None, None, None), ("retract", "f", 3, None, 3, None)]


def test_two_that_grow_together_keep_the_first_id() -> None:
    opened, changes, shown = after([("f", "true", 1, 4), ("f", "true", 6, 9)], [("f", "true", 2, 9)])
    assert said(changes) == [("revise", "f", 2, 9, 1, 4), ("retract", "f", 6, 9, 6, 9)]
    assert shown["id"].to_pylist() == opened["id"].to_pylist()[:1]


def test_one_that_is_split_gives_its_id_to_the_first_part() -> None:
    opened, changes, shown = after([("f", "true", 1, 9)], [("f", "true", 1, 4), ("f", "true", 6, 9)])
    assert said(changes) == [("open", "f", 6, 9, None, None), ("revise", "f", 1, 4, 1, 9)]
    assert shown["id"][0] == opened["id"][0] != shown["id"][1]


def test_what_the_window_leaves_behind_is_not_taken_back() -> None:
    _, changes, shown = after([("f", "true", 1, 4), ("g", "true", 1, None)], [("g", "true", 1, None)], low=-10)
    assert [row[0] for row in said(changes)] == ["retract"]
    _, shown = compare(SHOWN.empty_table(), found(10, ("f", "true", 1, 4)), 10, 0)
    changes, shown = compare(shown, found(20), 20, 10)
    assert len(changes) == len(shown) == 0


def test_an_open_interval_that_ended_before_the_window_is_closed() -> None:
    _, shown = compare(SHOWN.empty_table(), found(10, ("f", "true", 1, None)), 10, 0)
    changes, shown = compare(shown, found(40, ("f", "true", 1, 12)), 40, 30)
    assert said(changes) == [("close", "f", 1, 12, 1, None)]
    assert len(shown) == 0


def test_ids_do_not_depend_on_what_else_there_is() -> None:
    one, _ = compare(SHOWN.empty_table(), found(10, ("f(é)", "true", 3, 7)), 10, -10)
    both, _ = compare(SHOWN.empty_table(), found(10, ("e", "true", 3, 7), ("f(é)", "true", 3, 7)), 10, -10)
    assert one["id"][0] == both["id"][1]
    assert len(one["id"][0].as_py()) == 32
    sliced, _ = compare(SHOWN.empty_table(), found(10, ("e", "true", 3, 7), ("f(é)", "true", 3, 7)).slice(1), 10, -10)
    assert sliced["id"].to_pylist() == one["id"].to_pylist()


def test_an_empty_changelog_leaves_nothing() -> None:
    assert len(replayed(CHANGES.empty_table())) == 0


WINDOW, STEP = 12, 5


@st.composite
def tables(draw: st.DrawFn, query: int) -> list[Interval]:
    """Disjoint intervals of a few pairs; none of them touch."""
    rows: list[Interval] = []
    for fluent in ("f(a)", "f(b)", "g"):
        for value in ("true", "1"):
            cuts = sorted(draw(st.sets(st.integers(query - 2 * WINDOW, query + 3), max_size=6)))
            spans: list[tuple[int | None, int | None]] = list(zip(cuts[::2], cuts[1::2], strict=False))
            if len(cuts) % 2:
                spans.append((cuts[-1], None))
            if spans and draw(st.booleans()):
                spans[0] = (None, spans[0][1])
            rows += [(fluent, value, *span) for span in spans]
    return rows


@settings(max_examples=150)
@given(st.data())
def test_replay_gives_what_is_in_sight_at_every_query_time(data: st.DataObject) -> None:
    shown, log, wanted = SHOWN.empty_table(), CHANGES.empty_table(), []
    for query in range(10, 10 + 4 * STEP, STEP):
        low = query - WINDOW
        rows = data.draw(tables(query))
        changes, shown = compare(shown, found(query, *rows), query, low)
        log = pa.concat_tables([log, changes])
        wanted.append((query, {row for row in rows if row[3] is None or row[3] > low + 1}))
    for query, rows in wanted:
        table = snapshot(log, query, WINDOW)
        assert {tuple(row.values())[:4] for row in table.to_pylist()} == rows
        assert len(table) == len(rows)
        assert len(set(table["id"].to_pylist())) == len(table)
