"""Sessions are saved to files and go on from them, in other processes too; engines are saved with their domains."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdsfor import load, loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.core.engine import Engine
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.diagnostics import HoldsforError
from holdsfor.session import Session
from tests.core.building import ROOT, built_core

RULES = """
initiatedAt(inRoom(P, R)=true, T) :- happensAt(comes(P, R), T).
terminatedAt(inRoom(P, R)=true, T) :- happensAt(goes(P, R), T).
initiatedAt(occupied(R)=true, T) :- happensAt(start(inRoom(_, R)=true), T).
terminatedAt(occupied(R)=true, T) :- happensAt(end(inRoom(_, R)=true), T).
holdsFor(wasteful(R)=true, I) :- holdsFor(heated(R)=true, I1), holdsFor(occupied(R)=true, I2),
    relative_complement_all(I1, [I2], I).
inputFluent(heated(_)=_).
"""


def _begun(window: int | None = 50) -> Session:
    session = loads(RULES).session(window)
    session.push({"heated": [(5, 70, "true", "kitchen"), (8, None, "true", "Küche №1 'λ'")]})
    session.push_one("comes", 10, "ann", "kitchen")
    session.push_one("comes", 12, "Zoë", "Küche №1 'λ'")
    session.changes(15)
    session.push_one("goes", 18, "ann", "kitchen")
    session.push_one("goes", 90, "Zoë", "Küche №1 'λ'")
    session.push_one("comes", -100, "too", "late")
    session.query(20)
    session.retract_one("comes", 12, "no", "body")
    session.push({"comes": [(30, "bob", "kitchen"), (16, "eve", "attic")]})
    return session


def _rest(session: Session) -> list[str]:
    """What a session says to all that follows; changes of several keys have no order."""
    found: list[object] = [session.changes(35)]
    session.retract_one("comes", 30, "bob", "kitchen")
    found += [session.changes(36), session.query(60), session.changes(60), session.changes(95)]
    summary = session.summary
    lines = [line for one in found for line in sorted(str(one).splitlines())]
    return [*lines, str((session.late, session.unmatched, session.malformed, session.now, summary.read, summary.used))]


@pytest.mark.parametrize("window", [None, 50])
def test_a_session_goes_on_in_another_object(tmp_path: Path, window: int | None) -> None:
    built_core()
    _begun(window).save(tmp_path / "state")
    other = loads(RULES).session(window)
    other.push_one("comes", 3, "somebody", "else")
    other.load(tmp_path / "state")
    assert _rest(other) == _rest(_begun(window))
    assert list(tmp_path.iterdir()) == [tmp_path / "state"]


def test_a_session_goes_on_in_another_process(tmp_path: Path) -> None:
    built_core()
    _begun().save(tmp_path / "state")
    code = (
        "import sys; from tests.core.test_saved_sessions import *; from tests.core.test_saved_sessions import _rest;"
        "other = loads(RULES).session(50); other.load(sys.argv[1]); sys.stdout.write(repr(_rest(other)))"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, str(tmp_path / "state")],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert done.stdout == repr(_rest(_begun())), done.stderr


def test_changes_name_causes_from_before_they_were_saved(tmp_path: Path) -> None:
    built_core()
    session = _begun()
    session.save(tmp_path / "state")
    other = loads(RULES).session(50)
    other.load(tmp_path / "state")
    other.save(tmp_path / "again")
    third = loads(RULES).session(50)
    third.load(tmp_path / "again")
    wanted = sorted(map(str, session.changes(35)))
    assert any("CauseKind.LATE" in line and "comes(eve,attic)" in line for line in wanted)
    assert sorted(map(str, other.changes(35))) == wanted
    assert sorted(map(str, third.changes(35))) == wanted


def test_a_session_with_times_goes_on_with_them(tmp_path: Path) -> None:
    built_core()
    session = loads(RULES).session("1 h", unit="min")
    session.push_one("comes", "2026-03-01T12:00:00Z", "ann", "kitchen")
    session.query("2026-03-01T12:30:00Z")
    session.save(tmp_path / "state")
    other = loads(RULES).session("1 h", unit="min")
    other.load(tmp_path / "state")
    assert str(other.query("2026-03-01T12:40:00Z")) == str(session.query("2026-03-01T12:40:00Z"))
    with pytest.raises(HoldsforError, match="times in"):
        loads(RULES).session(60, unit="s").load(tmp_path / "state")


def test_what_does_not_fit_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    built_core()
    file = tmp_path / "state"
    session = _begun()
    session.save(file)
    data = file.read_bytes()
    (tmp_path / "cut").write_bytes(data[: len(data) // 2])
    (tmp_path / "altered").write_bytes(data[:100] + bytes([data[100] ^ 4]) + data[101:])
    (tmp_path / "text").write_text("happensAt(comes(ann), 3).", encoding="utf-8")
    for name, reason in (
        ("cut", "cut: the saved state is cut off after .* take a whole copy"),
        ("altered", "altered: the saved state is damaged, its checksum"),
        ("text", "text: this is no saved state: give what save"),
        ("none", "cannot be read from .*none: No such file"),
    ):
        with pytest.raises(HoldsforError, match=reason):
            session.load(tmp_path / name)
    other_rules = RULES.replace("goes(P, R)", "leaves(P, R)")
    for refusing, reason in (
        (loads(other_rules).session(50), "other rules or other background facts: load it with those"),
        (loads(RULES).session(49), "a window of 50, not with a window of 49: load it with the same"),
        (loads(RULES).session(50, 2), "a window of 50, not with a window of 50 that starts at 2"),
        (loads(RULES).session(50, changes=False), "saved with changes: load it with changes"),
    ):
        with pytest.raises(HoldsforError, match=reason):
            refusing.load(file)
    with pytest.raises(HoldsforError, match="cannot be written to"):
        session.save(tmp_path / "no folder" / "state")
    assert _rest(session) == _rest(_begun())


def test_background_facts_that_were_added_are_needed_again(tmp_path: Path) -> None:
    built_core()
    rules = "initiatedAt(on(X)=true, T) :- happensAt(up(X), T), known(X).\nknown(a)."
    session = loads(rules).session(50)
    session.push_one("up", 3, "b")
    session.query(5)
    session.add_background({"known": [("b",)]})
    wanted = session.query(6)
    session.save(tmp_path / "state")
    other = loads(rules).session(50)
    with pytest.raises(HoldsforError, match="other background facts"):
        other.load(tmp_path / "state")
    other.add_background({"known": [("b",)]})
    other.load(tmp_path / "state")
    assert str(other.query(6)) == str(wanted)


def test_sessions_with_metric_rules(tmp_path: Path) -> None:
    (tmp_path / "a.prolog").write_text("initiatedAt(on(X)=true, T) :- happensAt(up(X), T).", encoding="utf-8")
    (tmp_path / "b.dmtl").write_text("was(X) :- Diamondminus[0,3] on(X)", encoding="utf-8")
    reasoner = load(tmp_path / "a.prolog", tmp_path / "b.dmtl")
    session, other = reasoner.session(), reasoner.session()
    session.push({"up": [(5, "a")]})
    session.changes(6)
    session.save(tmp_path / "state")
    other.load(tmp_path / "state")
    for one in (session, other):
        one.push({"up": [(2, "a"), (8, "b")]})
    assert str(other.changes(9)) == str(session.changes(9))
    assert str(other.query(12)) == str(session.query(12))
    assert "was(a)" in str(other.query(13))


def test_engines_go_on_with_an_answer_and_their_conflicts() -> None:
    built_core()
    rules = """
    initiatedAt(light(X)=red, T) :- happensAt(press(X), T).
    initiatedAt(light(X)=green, T) :- happensAt(press(X), T).
    """
    plan = loads(rules).plan
    one = Engine(plan, 20)
    press = next(table for symbol, table in one.tables.items() if symbol.name == "press")
    one.push_one(press, 3, ("a",))
    one.advance(5)
    one.answer(Vocabulary(Dictionary(), one.words))
    one.push_one(press, 7, ("b",))
    one.advance(9)
    other = Engine(plan, 20)
    other.load(one.save())
    merged = Engine(plan, 20)
    for part in reversed(one.split(3)):
        merged.merge(part)
    wanted = one.answer(Vocabulary(Dictionary(), one.words))
    for engine in (other, merged):
        found = engine.answer(Vocabulary(Dictionary(), engine.words))
        assert (found.query_time, found.conflicts) == (wanted.query_time, wanted.conflicts)
    assert wanted.conflicts == 1


SAVING = """
import sys
from tests.core.test_saved_sessions import *
session = loads(RULES).session(50)
number = 0
while True:
    for _ in range(200):
        number += 1
        session.push_one("comes", number, f"p{number % 500}", f"r{number % 40}")
    session.query(number)
    session.save(sys.argv[1])
    sys.stdout.write(".")
    sys.stdout.flush()
"""


def test_a_process_that_is_killed_leaves_a_whole_state(tmp_path: Path) -> None:
    built_core()
    file = tmp_path / "state"
    process = subprocess.Popen([sys.executable, "-c", SAVING, str(file)], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.read(3)
    for _ in range(5):
        time.sleep(0.003)
        session = loads(RULES).session(50)
        session.load(file)
        assert session.now is not None
        assert session.now % 200 == 0
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    session = loads(RULES).session(50)
    session.load(file)
    assert session.query()
