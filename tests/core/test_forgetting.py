"""Entities that fall silent: what is forgotten, by a plain oracle, and that nothing stays behind."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from holdsfor import loads
from holdsfor.compiler.analyse import analyse
from holdsfor.ir import Declaration, DeclarationKind, Program
from holdsfor.loading import from_program
from holdsfor.reference import Occurrence, Record, recognise
from holdsfor.reference.history import event_term
from tests.core.families import compare, written
from tests.core.runs import on_core
from tests.strategies.scenario_words import Pen
from tests.strategies.ticks import stretched

RULES = """
initiatedAt(inArea(V,A)=true, T) :- happensAt(enters(V,A), T).
terminatedAt(inArea(V,A)=true, T) :- happensAt(leaves(V,A), T).
initiatedAt(near(V,W)=true, T) :- happensAt(close(V,W), T).
terminatedAt(near(V,W)=true, T) :- happensAt(apart(V,W), T).
fi(inArea(V,A)=true, inArea(V,A)=long, 9).
initiatedAt(gone(V)=true, T) :- happensAt(end(inArea(V,_)=true), T), \\+ happensAt(leaves(V,_), T).
holdsFor(danger(V,W)=true, I) :-
    holdsFor(near(V,W)=true, I1), holdsFor(inArea(V,reef)=true, I2), holdsFor(inArea(W,reef)=true, I3),
    intersect_all([I1,I2,I3], I).
"""
SILENCE = 6


def _stream(seed: int) -> list[Record]:
    choice = random.Random(seed)
    names = "abcde"
    events = []
    for _ in range(30):
        kind = choice.choice(["enters", "enters", "leaves", "close", "close", "apart"])
        second = choice.choice(["reef", "bay"]) if kind in ("enters", "leaves") else choice.choice(names)
        time = choice.randint(0, 60)
        events.append(Occurrence(event_term(kind, [choice.choice(names), second]), time, time))
    return [*events, Occurrence(event_term("last", []), 80, 80)]


def _silences(records: list[Record]) -> list[Record]:
    """An event `silent` for each vessel that has just been silent for long enough, found by looking at all events."""
    heard: dict[str, set[int]] = {}
    for record in records:
        assert isinstance(record, Occurrence)
        name, args = getattr(record.event, "name", ""), getattr(record.event, "args", ())
        vessels = args[:1] if name in ("enters", "leaves") else args
        for vessel in vessels:
            heard.setdefault(vessel.value, set()).add(record.time)
    found = []
    for vessel, times in heard.items():
        for time in times:
            if times.isdisjoint(range(time + 1, time + SILENCE + 1)):
                found.append(Occurrence(event_term("silent", [vessel]), time + SILENCE, time + SILENCE))
    return found


BY_HAND = """
terminatedAt(inArea(V,_)=_, T) :- happensAt(silent(V), T).
terminatedAt(near(V,_)=_, T) :- happensAt(silent(V), T).
terminatedAt(near(_,V)=_, T) :- happensAt(silent(V), T).
terminatedAt(gone(V)=_, T) :- happensAt(silent(V), T).
"""


@pytest.mark.parametrize("seed", range(40))
def test_silence_is_what_a_look_at_all_events_finds(seed: int) -> None:
    records = _stream(seed)
    wanted = recognise(loads(RULES + BY_HAND).analysis, [*records, *_silences(records)])
    forgetful = loads(f"{RULES}forget(enters(V,_), {SILENCE}).")
    assert recognise(forgetful.analysis, records).intervals == wanted.intervals
    assert on_core(forgetful, records, None).intervals == wanted.intervals


def test_programs_of_the_family_do_forget() -> None:
    """Many of them give other answers than without their forgetting."""
    found = [one for seed in range(60) if (one := written("silence", seed, windowed=False)) is not None]
    assert len(found) >= 54
    changed = sum(_forgets(one.reasoner.analysis.written, one.records) for one in found)
    assert changed >= 0.4 * len(found)


def _forgets(program: Program, records: list[Record]) -> bool:
    rules = tuple(rule for rule in program.rules if not _is_forget(rule))
    without = recognise(analyse(replace(program, rules=rules)), records)
    return recognise(analyse(program), records).intervals != without.intervals


def _is_forget(rule: object) -> bool:
    return isinstance(rule, Declaration) and rule.kind is DeclarationKind.FORGET


@pytest.mark.parametrize("windowed", [False, True])
def test_with_a_clock_tick(*, windowed: bool) -> None:
    checked = 0
    for seed in range(30):
        one = written("silence", seed, windowed=windowed)
        if one is not None and "patience(D)" not in one.text:
            compare(stretched(Pen(random.Random(seed).randint), one))
            checked += 1
    assert checked > 15


def test_what_comes_and_goes_leaves_nothing_behind() -> None:
    """Keys that go away with fluents still open do not pile up in a session."""
    kept = [_kept(batches) for batches in (20, 40, 80)]
    keys, rows, size = zip(*kept, strict=True)
    assert max(keys) <= 1.1 * min(keys)
    assert max(rows) <= 1.1 * min(rows)
    assert max(size) <= 1.1 * min(size)


def _kept(batches: int) -> tuple[int, int, int]:
    choice = random.Random(3)
    session = loads(RULES).session(window=20, forget=30)
    for batch in range(batches):
        for number in range(60):
            vessel, other = f"v{batch}_{number}", f"v{batch}_{choice.randrange(60)}"
            session.push_one("enters", batch * 10 + choice.randrange(10), vessel, "reef")
            session.push_one("close", batch * 10 + choice.randrange(10), vessel, other)
        session.query(batch * 10 + 10)
        session.changes()
    engine = session._engine
    engine.reclaim([])
    return engine.keys, engine.kept_rows, len(engine.save())


def test_without_forgetting_they_do_pile_up() -> None:
    """What the test above would see if nothing were forgotten."""
    session = loads(RULES).session(window=20)
    for batch in range(20):
        session.push_one("enters", batch * 10, f"v{batch}", "reef")
        session.query(batch * 10 + 9)
    assert session._engine.keys >= 20


def test_hidden_fluents_are_in_no_answer_and_no_change() -> None:
    reasoner = loads(RULES).forgetting(5)
    assert any(name.startswith("heard of") for name in reasoner.program.hidden)
    session = reasoner.session()
    session.push_one("enters", 1, "a", "reef")
    shown = {row.fluent for row in session.changes()} | set(session.query(40).to_pandas()["fluent"])
    assert shown == {"inArea(a,reef)"}


def test_a_late_event_revises_a_silence() -> None:
    session = loads(f"{RULES}forget(enters(V,_), 10).").session(window=100)
    session.push_one("enters", 1, "a", "bay")
    assert session.query(30).to_pandas()["end"].max() == 12
    session.push_one("close", 8, "b", "a")
    assert set(session.query(30).to_pandas().query("fluent == 'inArea(a,bay)'")["end"]) == {11, 19}
    session.retract_one("close", 8, "b", "a")
    assert session.query(30).to_pandas()["end"].max() == 12


def test_programs_can_be_built_and_printed() -> None:
    program = loads(f"{RULES}forget([enters(V,_), close(_,V)], 5).").analysis.written
    assert from_program(program).analysis.written == program
