"""Pruned histories: windows with nothing but their border state report what the whole history gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.retention import retention
from holdsfor.engine.run import Run, run
from holdsfor.engine.saved import from_bytes, to_bytes
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import interval_rows
from holdsfor.engine.stream import from_records
from holdsfor.engine.windows import WindowPlan
from holdsfor.ir import METRIC
from holdsfor.loading import Reasoner
from holdsfor.reference import InputInterval, IntervalRow, Occurrence, Record
from holdsfor.syntax.terms import Compound, Const

BASE = """
    initiatedAt(a(X)=true, T) :- happensAt(on(X,a), T).
    terminatedAt(a(X)=true, T) :- happensAt(off(X,a), T).
    initiatedAt(b(X)=true, T) :- happensAt(on(X,b), T).
    terminatedAt(b(X)=true, T) :- happensAt(off(X,b), T).
    initiatedAt(pair(X,Y)=true, T) :- happensAt(on(X,Y), T), link(X,Y).
    terminatedAt(pair(X,Y)=true, T) :- happensAt(off(X,Y), T), link(X,Y).
    link(x,y). link(x,z). link(y,z).
"""
LAST = 60
RELATIONS = ("before", "meets", "overlaps", "starts", "finishes", "during", "equal")
MODES = ("source", "target", "union", "intersection", "relative_complement", "relative_complement_inverse")
EVERYTHING = 100_000


def of_duration(draw: Callable[..., str], name: str) -> str:
    operator = draw(st.sampled_from(["intDurGreater", "intDurLess", "intDurAtLeast", "intDurAtMost"]))
    return f"{operator}({name}, {draw(st.integers(1, 12))}, {{}})"


def of_distance(draw: Callable[..., str], one: str, other: str) -> str:
    operator = draw(st.sampled_from(sorted(METRIC)))
    low = draw(st.integers(0, 4))
    distance = f"[{low},{draw(st.sampled_from(['inf', low, low + 1, low + 5, low + 15]))}]"
    return f"{operator}({one}, {distance}, {f'{other}, ' * (METRIC[operator] - 1)}{{}})"  # type: ignore[index]


class Writer:
    """Writes the body of a `holdsFor` rule, one list after the other."""

    def __init__(self, draw: Callable[..., str], fluents: list[str]) -> None:
        self._draw, self._fluents = draw, fluents
        self.goals: list[str] = []

    def rule(self, head: str, inside: str | None = None) -> str:
        out = self._list(self._draw(st.integers(1, 3)))
        if inside is not None:
            around = self._named(f"holdsFor({inside}=true, {{}})")
            out = self._named(f"intersect_all([{around}, {out}], {{}})")
        return f"holdsFor({head}=true, {out}) :- {', '.join(self.goals)}."

    def _named(self, goal: str) -> str:
        name = f"I{len(self.goals) + 1}"
        self.goals.append(goal.format(name))
        return name

    def _leaf(self) -> str:
        return self._named(f"holdsFor({self._draw(st.sampled_from(self._fluents))}=true, {{}})")

    def _list(self, depth: int) -> str:
        kind = self._draw(
            st.sampled_from(["leaf", "seq", "allen", "duration", "union", "both", "without", "metric", "metric"])
        )
        if depth == 0 or kind == "leaf":
            return self._leaf()
        if kind in ("seq", "allen"):
            one, other = self._leaf(), self._leaf()
            if kind == "seq":
                return self._named(f"seq({one}, {other}, {{}})")
            relation, mode = self._draw(st.sampled_from(RELATIONS)), self._draw(st.sampled_from(MODES))
            return self._named(f"allen({relation}, {one}, {other}, {mode}, {{}})")
        if kind == "duration":
            return self._named(of_duration(self._draw, self._list(depth - 1)))
        one, other = self._list(depth - 1), self._list(depth - 1)
        if kind == "metric":
            return self._named(of_distance(self._draw, one, other))
        goal = {
            "union": "union_all([{0}, {1}], {{}})",
            "both": "intersect_all([{0}, {1}], {{}})",
            "without": "relative_complement_all({0}, [{1}], {{}})",
        }[kind]
        return self._named(goal.format(one, other))


@st.composite
def programs(draw: Callable[..., str]) -> str:
    fluents = ["a(X)", "b(X)", "near(X)"]
    rules = []
    for number in range(draw(st.integers(1, 3))):
        rules.append(Writer(draw, fluents).rule(f"s{number}(X)"))
        fluents.append(f"s{number}(X)")
    if draw(st.booleans()):
        rules.append(Writer(draw, ["pair(X,Y)", "a(X)", fluents[-1]]).rule("r(X,Y)", inside="pair(X,Y)"))
    return BASE + "\n".join(rules)


@st.composite
def streams(draw: Callable[..., int]) -> list[Record]:
    found: list[Record] = []
    for _ in range(draw(st.integers(2, 40))):
        name = draw(st.sampled_from(["on", "off"]))
        what = tuple(Const(draw(st.sampled_from(places))) for places in (["x", "y"], ["a", "b", "y", "z"]))
        time = draw(st.integers(0, LAST))
        found.append(Occurrence(Compound(name, what), time, time + draw(st.sampled_from([0, 0, 0, 1, 4]))))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, LAST))
        end = start + draw(st.integers(1, 20))
        near = Compound("near", (Const(draw(st.sampled_from(["x", "y"]))),))
        found.append(InputInterval(near, Const("true"), start, end, start))
    return found


def rows(reasoner: Reasoner, records: list[Record], size: int, step: int) -> list[IntervalRow]:
    dictionary = Dictionary()
    stream = from_records(records, reasoner.analysis.entities, dictionary)
    return interval_rows(run(reasoner.plan, dictionary, stream, WindowPlan(size, step, -1, LAST + 5)), dictionary)


def check(text: str, records: list[Record], size: int, step: int) -> None:
    reasoner = loads(text)
    whole = [row for row in rows(reasoner, records, EVERYTHING, step) if row.end > row.query_time - size + 1]
    assert rows(reasoner, records, size, step) == whole


@settings(max_examples=50, deadline=None)
@given(programs(), streams(), st.integers(1, 9), st.integers(4, 9))
def test_windows_are_the_whole_history(text: str, records: list[Record], step: int, more: int) -> None:
    check(text, records, step + more, step)


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None)
@given(programs(), streams(), st.integers(1, 9), st.integers(4, 9))
def test_windows_are_the_whole_history_at_length(text: str, records: list[Record], step: int, more: int) -> None:
    check(text, records, step + more, step)


def switched(last: int) -> Iterator[Record]:
    """Two fluents that come and go in turns, overlapping now and then, with some time of nothing in between."""
    for begin in range(0, last, 20):
        for name, first, until in (("a", 0, 5), ("b", 3, 9), ("a", 11, 14), ("b", 15, 16)):
            for what, time in (("on", begin + first), ("off", begin + until)):
                yield Occurrence(Compound(what, (Const("x"), Const(name))), time, time)


def sizes(rule: str) -> list[int]:
    """The size of the state after each of 200 windows."""
    reasoner, dictionary = loads(BASE + rule), Dictionary()
    stream = from_records(switched(4_000), reasoner.analysis.entities, dictionary)
    begun = Run(reasoner.plan, dictionary, stream, WindowPlan(40, 20, -1, 3_999))
    found = [begun.state.kept.rows() for _ in begun]
    assert len(found) == 200
    return found


BOUNDED = [
    "seq(I1, I2, I)",
    *(f"allen({relation}, I1, I2, {mode}, I)" for relation in RELATIONS[1:] for mode in MODES),
    "allen(before, I1, I2, target, I)",
    "intDurGreater(I1, 4, I), I2 = I2",
    "union_all([I1, I2], I3), intDurLess(I3, 7, I)",
    "seq(I1, I2, I3), union_all([I3, I2], I)",
    "diamond_minus(I1, [0,30], I), I2 = I2",
    "diamond_minus(I1, [5,inf], I), I2 = I2",
    "box_minus(I1, [2,30], I), I2 = I2",
    "box_minus(I1, [2,inf], I), I2 = I2",
    "diamond_plus(I1, [2,30], I), I2 = I2",
    "box_plus(I1, [0,3], I), I2 = I2",
    "since(I1, [0,30], I2, I)",
    "since(I1, [0,inf], I2, I)",
    "until(I1, [1,30], I2, I)",
    "union_all([I1,I2], I3), diamond_plus(I3, [0,1], I4), intDurGreater(I4, 4, I5), diamond_minus(I5, [3,9], I)",
]


@pytest.mark.parametrize("goals", BOUNDED)
def test_the_state_stays_small(goals: str) -> None:
    rule = f"holdsFor(s(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), {goals}."
    found = sizes(rule.replace(", I2 = I2", ""))
    assert max(found[20:]) <= max(found[:20])


def test_fluents_that_read_unsettled_ones_stay_small() -> None:
    found = sizes("""
        holdsFor(long(X)=true, I) :- holdsFor(a(X)=true, I1), intDurGreater(I1, 4, I).
        holdsFor(s(X)=true, I) :- holdsFor(long(X)=true, I1), holdsFor(b(X)=true, I2), union_all([I1,I2], I).
        holdsFor(r(X)=true, I) :- holdsFor(s(X)=true, I1), holdsFor(a(X)=true, I2), seq(I1, I2, I).
    """)
    assert max(found[20:]) <= max(found[:20])


def test_what_cannot_be_bounded_says_why() -> None:
    rule = (
        "holdsFor(s(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), allen(before, I1, I2, source, I)."
    )
    found = sizes(rule)
    assert found[-1] > found[20] + 100
    why = retention(loads(BASE + rule).plan).reasons
    assert {str(symbol): text for symbol, text in why.items()} == dict.fromkeys(
        ("a/1", "b/1"), "s/1 needs all of it: an interval may turn out to be before another at any time"
    )


def test_metric_operators_keep_no_more_than_they_can_see() -> None:
    def longest(distance: int) -> int:
        return max(sizes(f"holdsFor(s(X)=true, I) :- holdsFor(a(X)=true, I1), diamond_minus(I1, [0,{distance}], I)."))

    assert longest(0) < longest(60) < longest(600)
    assert longest(60) < 30


def test_looking_ahead_without_limit_says_what_it_keeps() -> None:
    plan = loads(BASE + "holdsFor(s(X)=true, I) :- holdsFor(a(X)=true, I1), diamond_plus(I1, [0,inf], I).").plan
    assert list(retention(plan).reasons.values()) == ["s/1 needs all of it: diamond_plus looks ahead without limit"]


def test_what_comes_later_changes_the_past_of_an_instance_that_is_not_there_yet() -> None:
    text = (
        BASE
        + "holdsFor(s(X)=true, I) :- holdsFor(near(X)=true, I1), holdsFor(a(X)=true, I2), until(I2, [0,20], I1, I)."
    )
    x = Const("x")
    records: list[Record] = [Occurrence(Compound("on", (x, Const("a"))), 4, 4)]
    records.append(InputInterval(Compound("near", (x,)), Const("true"), 30, 32, 30))
    check(text, records, 6, 3)
    assert IntervalRow(32, "s(x)", "true", 10, 32) in rows(loads(text), records, 6, 3)


def test_look_back_keeps_no_more_than_it_can_see() -> None:
    found = sizes("initiatedAt(s(X)=true, T) :- happensAt(on(X,a), T), T0 is T-30, holdsAt(b(X)=true, T0).")
    assert max(found[20:]) <= max(found[:20])
    assert all(abs(one - other) < 10 for one, other in pairwise(found[10:]))


def test_an_interval_waits_for_an_instance_that_is_born_later() -> None:
    text = (
        BASE
        + """
        holdsFor(r(X,Y)=true, I) :-
            holdsFor(near(X)=true, I1), holdsFor(near(X)=true, I2), seq(I1, I2, I3),
            holdsFor(pair(X,Y)=true, I4), intersect_all([I4,I3], I).
    """
    )
    y, true = Const("y"), Const("true")
    records: list[Record] = [Occurrence(Compound("on", (y, Const("z"))), 54, 54)]
    records += [InputInterval(Compound("near", (y,)), true, start, end, start) for start, end in ((16, 21), (60, 67))]
    check(text, records, 10, 3)
    assert IntervalRow(62, "r(y,z)", "true", 55, 67) in rows(loads(text), records, 10, 3)


def test_an_interval_waits_for_another_list_of_its_instance() -> None:
    text = (
        BASE
        + """
        holdsFor(s(X)=true, I) :-
            holdsFor(near(X)=true, I1), holdsFor(a(X)=true, I2), seq(I1, I2, I3),
            holdsFor(b(X)=true, I4), intersect_all([I4,I3], I).
    """
    )
    y = Const("y")
    records: list[Record] = [InputInterval(Compound("near", (y,)), Const("true"), 3, 9, 3)]
    records += [Occurrence(Compound("on", (y, Const(name))), 50, 50) for name in "ab"]
    records.append(Occurrence(Compound("off", (y, Const("a"))), 55, 55))
    check(text, records, 10, 3)
    assert IntervalRow(56, "s(y)", "true", 51, 56) in rows(loads(text), records, 10, 3)


@settings(max_examples=20, deadline=None)
@given(programs(), streams(), st.integers(2, 9), st.integers(4, 9))
def test_state_saved_after_every_window(text: str, records: list[Record], step: int, more: int) -> None:
    reasoner = loads(text)
    windows = WindowPlan(step + more, step, -1, LAST + 5)
    state, found = None, []
    for query in windows.query_times.tolist():
        dictionary = Dictionary()
        prepared = Prepared(reasoner.plan, dictionary)
        seen = -1 if state is None else query - step
        later = [record for record in records if record.arrival > seen]
        stream = from_records(later, reasoner.analysis.entities, dictionary)
        begun = Run(reasoner.plan, dictionary, stream, windows, None if state is None else from_bytes(state, prepared))
        found += interval_rows([next(iter(begun))], dictionary)
        state = to_bytes(begun.state, prepared)
    assert found == rows(reasoner, records, step + more, step)
