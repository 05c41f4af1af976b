"""Arguments that rules only reckon with stay numbers, and nothing that is found depends on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from holdsfor import loads
from holdsfor.columns.stream import MeasuredEvents
from holdsfor.columns.tables import Intervals
from holdsfor.compiler.analysis.arithmetic_arguments import arithmetic_arguments
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.io.builder import Reading
from holdsfor.io.records import records
from holdsfor.recognition import Recognition, plan_windows, read_events

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, S, C, _), T), S > 8, D is C - S, D =\\= 0.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V, S, _, _), T), S =< 8.
initiatedAt(course(V)=C, T) :- happensAt(turn(V, C, S), T), not happensAt(velocity(V, _, _, _), T), S >= 3.
happensAt(hurry(V), T) :- happensAt(velocity(V, S, _, _), T), holdsAt(fast(V)=true, T), S > 12.
initiatedAt(hurried(V)=true, T) :- happensAt(hurry(V), T).
"""
VELOCITY, TURN = Symbol(EntityKind.EVENT, "velocity", 4), Symbol(EntityKind.EVENT, "turn", 3)


@pytest.mark.parametrize(
    ("rule", "places"),
    [
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, S), T), S > 8.", {1}),
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, _), T).", {1}),
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, S), T), X is S * 2, X > 3.", {1}),
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, S), T), \\+ S > 8.", {1}),
        ("initiatedAt(f(V)=S, T) :- happensAt(e(V, S), T), S > 8.", set()),
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, 8), T).", set()),
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, V), T).", set()),
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, S), T), S @> 8.", set()),
        ("initiatedAt(f(V)=true, T) :- happensAt(e(V, S), T), happensAt(d(S), T).", set()),
        ("initiatedAt(f(V)=N, T) :- happensAt(d(V), T), findall(x, happensAt(e(V, _), T), L), length(L, N).", set()),
        ("holdsFor(f(V)=true, I) :- holdsFor(g(V)=true, I).", set()),
    ],
)
def test_what_is_only_reckoned_with(rule: str, places: set[int]) -> None:
    found = arithmetic_arguments(loads(rule).analysis.program)
    assert set(found.get(Symbol(EntityKind.EVENT, "e", 2), ())) == places


def frames(rows: int = 400) -> dict[str, pa.Table]:
    chance = np.random.default_rng(3)

    def table(columns: int) -> pa.Table:
        numbers = np.round(chance.gamma(2.0, 4.0, (columns, rows)), 1)
        numbers[0] = np.round(numbers[0])
        named = {f"x{place}": column for place, column in enumerate(numbers)}
        time = chance.integers(0, 200, rows)
        return pa.table({"time": time, "arrival": time + chance.integers(0, 30, rows), "v": time % 7, **named})

    return {"velocity": table(3), "turn": table(2)}


@pytest.mark.parametrize("sizes", [(None, None), (40, 40), (40, 10)])
def test_answers_are_the_same(sizes: tuple[int | None, int | None]) -> None:
    plan = loads(RULES).plan
    reading = read_events(plan, frames())
    assert all(isinstance(reading.stream.events[symbol], MeasuredEvents) for symbol in (VELOCITY, TURN))
    windows = plan_windows(reading.stream, *sizes)
    run = Recognition(plan, reading, windows)
    found = [(a.query_time, s, *row) for a in run for s, t in a.fluents.items() for row in _rows(t, reading)]
    expected, _ = Recognition(plan, read_events(plan, frames()), windows).by_reference()
    told = {(row["query_time"], row["fluent"], row["value"], row["start"], row["end"]) for row in expected.to_pylist()}
    assert {(query, f"{symbol.name}({v})", value, *times) for query, symbol, v, value, *times in found} == told


def _rows(table: Intervals, reading: Reading) -> list[tuple[object, ...]]:
    values = reading.dictionary.values
    columns = (table.args[0], table.value, table.start, table.end)
    return [
        (values[v], str(values[value]), start, None if end >= 2**62 else end)
        for v, value, start, end in zip(*(column.tolist() for column in columns), strict=True)
    ]


def test_text_among_the_numbers_makes_them_codes(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("turn|1|1|a|5|2.5\nturn|2|2|a|5|x\nvelocity|1|1|a|1|2|x\nvelocity|2|2|b|1|2|3\n", encoding="utf-8")
    reading = read_events(loads(RULES).plan, path)
    assert not isinstance(reading.stream.events[TURN], MeasuredEvents)
    velocity = reading.stream.events[VELOCITY]
    assert isinstance(velocity, MeasuredEvents)
    assert [type(column).__name__ for column in velocity.columns] == ["Codes", "Numbers", "Numbers", "Codes"]
    assert "velocity" in str(records(reading.stream, reading.dictionary))


def test_codes_are_those_of_the_same_numbers(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("turn|1|1|2|5|2.5\nturn|2|2|2|5|2.0\nvelocity|1|1|a|2|2.5|5\n", encoding="utf-8")
    reading = read_events(loads(RULES).plan, path)
    values = reading.dictionary.values
    turn, velocity = reading.stream.events[TURN], reading.stream.events[VELOCITY]
    assert [[values[code] for code in column] for column in turn.args] == [[2, 2], [5, 5], [2.5, 2]]
    assert [[values[code] for code in column] for column in velocity.take(slice(0, 1)).args] == [["a"], [2], [2.5], [5]]
    assert len(values) == len(set(values))
