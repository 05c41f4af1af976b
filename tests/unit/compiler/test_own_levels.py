"""A fluent built up from itself with other constants: the same answers as with names of their own."""

from __future__ import annotations

import random
import re

import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.recognition import Recognition, plan_windows, read_events

LEVELS = """
holdsFor(close(A,B,24)=true, I) :- holdsFor(distance(A,B,24)=true, I).
holdsFor(close(A,B,25)=true, I) :-
    holdsFor(close(A,B,24)=true, I1), holdsFor(distance(A,B,25)=true, I2), union_all([I1,I2], I).
holdsFor(close(A,B,30)=true, I) :-
    holdsFor(close(A,B,25)=true, I1), holdsFor(distance(A,B,30)=true, I2), union_all([I1,I2], I).
holdsFor(apart(A,B)=true, I) :- holdsFor(close(A,B,30)=true, I1), complement_all([I1], I).
holdsFor(either(A,B)=true, I) :-
    holdsFor(close(A,B,25)=true, I1), holdsFor(close(B,A,25)=true, I2), union_all([I1,I2], I).
initiatedAt(met(A,B)=true, T) :- happensAt(start(close(A,B,25)=true), T).
terminatedAt(met(A,B)=true, T) :- happensAt(end(close(A,B,30)=true), T).
"""
GROUNDINGS = """
grounding(close(A,B,24)=true) :- who(A), who(B), A @< B.
grounding(close(A,B,25)=true) :- who(A), who(B), A @< B.
grounding(close(P,Q,30)=true) :- who(P), who(Q), P @< Q.
who(ann). who(bob). who(cem).
"""


def _named(rules: str) -> str:
    """The same program with one name for each level."""
    return re.sub(r"close\((\w+),(\w+),(\d+)\)", r"close_\3(\1,\2)", rules)


def _rows(rules: str, stream: list[dict[str, object]], windows: bool, literal: bool) -> list[tuple[object, ...]]:
    reasoner = loads(rules)
    window, step, start, end = (10, 5, 0, 50) if windows else (None, None, None, None)
    if literal:
        reading = read_events(reasoner.plan, {"distance": stream})
        times = plan_windows(reading.stream, window, step, start, end)
        table, _ = Recognition(reasoner.plan, reading, times).by_reference()
    else:
        table = reasoner.recognise({"distance": stream}, window=window, step=step, start=start, end=end).to_arrow()
    return sorted(
        (str(row.get("query_time")), _named(row["fluent"]), row["value"], str(row["start"]), str(row["end"]))
        for row in table.to_pylist()
    )


def _stream(seed: int) -> list[dict[str, object]]:
    chance = random.Random(seed)
    rows = list[dict[str, object]]()
    for _ in range(14):
        start = chance.randint(1, 40)
        one, two = chance.sample(["ann", "bob", "cem"], 2)
        level = chance.choice([24, 25, 30])
        rows.append(
            {"start": start, "end": start + chance.randint(1, 8), "value": "true", "a": one, "b": two, "c": level}
        )
    return rows


@pytest.mark.parametrize("declared", ["", GROUNDINGS])
@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("literal", [False, True], ids=["engine", "reference"])
def test_levels_are_like_names_of_their_own(declared: str, windows: bool, literal: bool) -> None:
    for seed in range(6):
        stream = _stream(seed)
        levels = _rows(LEVELS + declared, stream, windows, literal)
        assert levels == _rows(_named(LEVELS + declared), stream, windows, literal)
        assert levels


@pytest.mark.parametrize(
    "changed",
    [
        # a level that is made of itself
        ("holdsFor(distance(A,B,24)=true, I).", "holdsFor(close(A,B,30)=true, I)."),
        # two rules for one level: the first that succeeds would count
        ("holdsFor(close(A,B,25)=true, I) :-", "holdsFor(close(A,B,24)=true, []).\nholdsFor(close(A,B,25)=true, I) :-"),
        # a test that can fail
        ("holdsFor(distance(A,B,24)=true, I).", "holdsFor(distance(A,B,24)=true, I), A \\= ann."),
        # a level that nothing defines
        ("holdsFor(close(A,B,24)=true, I1)", "holdsFor(close(A,B,23)=true, I1)"),
        # any level
        ("holdsFor(close(A,B,24)=true, I1)", "holdsFor(close(A,B,_)=true, I1)"),
        # groundings that differ
        ("grounding(close(A,B,24)=true) :- who(A)", "grounding(close(A,B,24)=true) :- who(A), A \\= ann"),
    ],
)
def test_what_could_change_the_answer_is_refused(changed: tuple[str, str]) -> None:
    rules = LEVELS + GROUNDINGS
    assert changed[0] in rules
    with pytest.raises(HoldsforError, match="defined by itself"):
        loads(rules.replace(*changed))


def test_levels_that_double_are_refused_at_once() -> None:
    rules = ["holdsFor(f(X,0)=true, I) :- holdsFor(g(X)=true, I)."]
    for level in range(1, 16):
        before = f"holdsFor(f(X,{level - 1})=true"
        rules.append(f"holdsFor(f(X,{level})=true, I) :- {before}, A), {before}, B), union_all([A,B], I).")
    loads("\n".join(rules[:6]))
    with pytest.raises(HoldsforError, match="defined by itself"):
        loads("\n".join(rules))
