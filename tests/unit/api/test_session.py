"""Live sessions from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import holdsfor
from holdsfor import HoldsforError, ProgramError, loads
from holdsfor.core.compiled import compiled_core
from holdsfor.session import Session
from tests.strategies.changelog import interval_ids

RULES = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
initiatedAt(guarded(D)=true, T) :- happensAt(guard(G, D), T), trusted(G).
holdsFor(alone(D)=true, I) :- holdsFor(open(D)=true, I1), holdsFor(guarded(D)=true, I2),
    relative_complement_all(I1, [I2], I).
trusted(ann).
"""


def rows(result: holdsfor.Result) -> list[tuple[str, float, float]]:
    return [(row.fluent, row.start, row.end) for row in result]


def told(session: Session, now: int | None = None) -> list[tuple[str, str, int | None, int | None, list[str]]]:
    return [(c.op, c.fluent, c.start, c.end, list(map(str, c.causes))) for c in session.changes(now)]


@pytest.fixture
def session() -> Session:
    return loads(RULES).session()


def test_one_by_one(session: Session) -> None:
    session.push_one("unlock", 3, "front")
    assert told(session) == [
        ("open", "open(front)", 4, None, ["arrived unlock(front) at 3"]),
        ("open", "alone(front)", 4, None, ["arrived unlock(front) at 3"]),
    ]
    session.push_one("lock", 8, "front")
    found = session.changes()
    assert [(c.op, c.end, c.previous_end, c.query_time) for c in found] == [("close", 9, None, 8)] * 2
    assert session.now == 8
    assert told(session) == []


def test_tables_and_files(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "doors.csv"
    file.write_text("unlock|9|9|back\n")
    session.push({"unlock": pa.table({"time": [3], "door": ["front"]}), "lock": [(5, "front")]})
    session.push(file)
    assert rows(session.query()["open"]) == [("open(back)", 10, float("inf")), ("open(front)", 4, 6)]
    assert session.summary.read == 3


def test_a_query_leaves_changes_to_be_told(session: Session) -> None:
    session.push_one("unlock", 3, "front")
    session.query(4)
    session.push_one("lock", 5, "front")
    assert [(op, end) for op, _, _, end, _ in told(session)] == [("open", 6), ("open", 6)]


def test_late_events_are_named(session: Session) -> None:
    session.push({"unlock": [(3, "front")], "lock": [(9, "front")]})
    session.changes(10)
    session.push_one("lock", 6, "front")
    assert told(session) == [
        ("revise", "open(front)", 4, 7, ["late lock(front) at 6"]),
        ("revise", "alone(front)", 4, 7, ["late lock(front) at 6"]),
    ]


def test_ids_stay(session: Session) -> None:
    session.push_one("unlock", 3, "front")
    first = {change.fluent: change.id for change in session.changes()}
    session.push_one("unlock", 1, "front")
    second = {change.fluent: change.id for change in session.changes()}
    assert first == second


def test_retractions_are_named_and_counted(session: Session) -> None:
    session.push({"unlock": [(3, "front"), (4, "back")]})
    session.changes(5)
    session.retract({"unlock": [(3, "front"), (3, "side")]})
    assert told(session) == [
        ("retract", "open(front)", 4, None, ["retracted unlock(front) at 3"]),
        ("retract", "alone(front)", 4, None, ["retracted unlock(front) at 3"]),
    ]
    assert session.unmatched == 1
    session.retract_one("unlock", 4, "back")
    assert [(op, causes) for op, *_, causes in told(session)] == [("retract", ["retracted unlock(back) at 4"])] * 2


def test_order_of_pushing_and_taking_back(session: Session) -> None:
    session.push_one("unlock", 3, "front")
    session.retract({"unlock": [(3, "front")]})
    session.retract({"unlock": [(3, "back")]})
    session.push_one("unlock", 3, "back")
    assert rows(session.query(5)["open"]) == [("open(back)", 4, float("inf"))]
    assert session.unmatched == 1


def test_corrections(session: Session) -> None:
    session.push_one("unlock", 3, "front")
    session.changes(10)
    session.correct({"unlock": [(3, "front")]}, {"unlock": [(6, "front")]})
    causes = ["corrected unlock(front) at 3", "correction unlock(front) at 6"]
    assert told(session) == [
        ("revise", "open(front)", 7, None, causes),
        ("revise", "alone(front)", 7, None, causes),
    ]


def test_causes_are_those_that_rules_read(session: Session) -> None:
    session.push({"unlock": [(3, "front")]})
    session.changes(5)
    session.push({"guard": [(5, "ann", "front")], "lock": [(6, "back")]})
    assert told(session, 7) == [
        ("open", "guarded(front)", 6, None, ["late guard(ann,front) at 5"]),
        ("close", "alone(front)", 4, 6, ["late guard(ann,front) at 5"]),
    ]


def test_announced_events_are_named_when_their_time_has_come(session: Session) -> None:
    session.push({"unlock": [(8, "front")]})
    assert told(session, 5) == []
    assert [causes for *_, causes in told(session, 9)] == [["arrived unlock(front) at 8"]] * 2


def test_windows_count_what_is_late() -> None:
    session = loads(RULES).session(window=10)
    session.push_one("unlock", 3, "front")
    session.query(5)
    session.query(30)
    session.push_one("lock", 20, "front")
    session.push_one("lock", 21, "front")
    assert rows(session.query(30)["open"]) == [("open(front)", 4, 22)]
    assert (session.late, session.summary.late) == (1, 1)
    assert rows(session.query(40)) == []


def test_before_the_start() -> None:
    session = loads(RULES).session(start=10)
    session.push({"unlock": [(3, "front"), (12, "back")]})
    assert rows(session.query()["open"]) == [("open(back)", 13, float("inf"))]
    assert session.late == 1


def test_background_facts(session: Session) -> None:
    session.push({"unlock": [(3, "front")], "guard": [(4, "bob", "front")]})
    session.changes(6)
    session.add_background({"trusted": [("bob",), ("ann",)]})
    assert [change[:4] for change in told(session)] == [
        ("open", "guarded(front)", 5, None),
        ("revise", "alone(front)", 4, 5),
    ]
    session.retract_background({"trusted": [("bob",), ("eve",)]})
    assert rows(session.query()) == [("alone(front)", 4, float("inf")), ("open(front)", 4, float("inf"))]
    assert session.unmatched == 1


def test_background_at_the_start() -> None:
    session = loads(RULES).session(background={"trusted": [("bob",)]})
    session.push({"guard": [(4, "bob", "front")]})
    assert rows(session.query()["guarded"]) == [("guarded(front)", 5, float("inf"))]


def test_input_fluents() -> None:
    session = loads("inputFluent(near(D)=true).\nholdsFor(seen(D)=true, I) :- holdsFor(near(D)=true, I).").session()
    session.push({"near": [(3, 9, "true", "front")]})
    assert told(session, 5)[0][1:4] == ("seen(front)", 3, 9)
    session.retract({"near": [(5, 7, "true", "front")]})
    found = told(session, 6)
    assert [change[:4] for change in found] == [("revise", "seen(front)", 3, 5), ("open", "seen(front)", 7, 9)]
    assert found[0][4] == ["retracted near(front)=true from 5 to 7"]


def test_tables_of_changes(session: Session) -> None:
    session.push_one("unlock", 3, "front")
    changes = session.changes()
    table = changes.to_arrow()
    assert table["op"].to_pylist() == ["open", "open"]
    assert table["causes"].to_pylist() == [["arrived unlock(front) at 3"]] * 2
    assert str(changes).splitlines()[0] == "2 changes at 3"
    assert "<table>" in changes._repr_html_()
    assert changes[0].fluent == "open(front)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.push_one("unlok", 3, "front"), "called 'unlok'; did you mean unlock?"),
        (lambda s: s.push({"x": [(3, "front")]}), "called 'x'; there are guard, lock, unlock"),
        (lambda s: s.push_one("unlock", 3), "unlock takes 1 argument in the rules, not 0"),
        (
            lambda s: s.push_one("unlock", 3.5, "front"),
            "the time of unlock must be a whole number, a datetime, or text",
        ),
        (lambda s: s.push_one("unlock", 3, None), "unlock: the argument None is neither text nor a number"),
        (lambda s: s.query("soon"), "now must be a whole number, a datetime, or text"),
        (lambda s: s.query(), "nothing has been pushed yet"),
        (lambda s: (s.query(9), s.query(8)), "is at 9 and cannot go back to 8"),
    ],
)
def test_mistakes(session: Session, call: object, message: str) -> None:
    with pytest.raises(HoldsforError) as found:
        call(session)  # type: ignore[operator]
    assert message in str(found.value)


def test_other_mistakes(session: Session) -> None:
    with pytest.raises(HoldsforError, match="at least one time-point"):
        loads(RULES).session(window=0)
    with pytest.raises(HoldsforError, match="keeps no changes"):
        loads(RULES).session(changes=False).changes(3)
    with pytest.raises(ProgramError):
        session.retract_background({"trusted": [("ann",)]})


def test_malformed_rows_are_counted(session: Session) -> None:
    with pytest.warns(UserWarning, match=r"1 malformed row skipped, first events\['unlock'\]:1"):
        session.push({"unlock": [(None, "front"), (3, "back")]})
    assert rows(session.query()["open"]) == [("open(back)", 4, float("inf"))]
    assert (session.malformed, session.summary.malformed) == (1, 1)


def test_a_mistake_leaves_the_session_as_it_was(session: Session) -> None:
    session.push_one("unlock", 3, "front")
    session.query()
    with pytest.raises(HoldsforError):
        session.query(1)
    session.push_one("lock", 5, np.str_("front"))
    assert rows(session.query()["open"]) == [("open(front)", 4, 6)]


def test_ids_are_those_of_the_changelog() -> None:
    values = [("a(b)", "true", 3, 9), ("ä,'x y'", "42", -(2**62), 0), ("", "off", 2**40, 7)]
    columns = list(zip(*values, strict=True))
    found = interval_ids(pa.array(columns[0]), pa.array(columns[1]), np.array(columns[2]), np.array(columns[3]))
    texts, times = (list(columns[0]), list(columns[1])), (np.array(columns[2]), np.array(columns[3]))
    assert compiled_core().interval_ids(*texts, *times, 1) == found.to_pylist()


def test_many_entities_change_as_each_does_alone() -> None:
    doors = [f"d{number:03}" for number in range(100)]
    session = loads(RULES).session()
    alone = {door: loads(RULES).session() for door in doors}
    rounds = [
        ("push", {"unlock": [(number % 7, door) for number, door in enumerate(doors)]}),
        ("push", {"lock": [(9 + number % 3, door) for number, door in enumerate(doors)]}),
        ("push", {"lock": [(4, door) for door in doors[::2]], "guard": [(5, "ann", door) for door in doors[::3]]}),
        ("retract", {"unlock": [(number % 7, door) for number, door in enumerate(doors) if number % 5]}),
    ]
    for now, (what, events) in enumerate(rounds, 20):
        getattr(session, what)(events)
        one_by_one = []
        for door, single in alone.items():
            mine = {name: [row for row in rows if row[-1] == door] for name, rows in events.items()}
            getattr(single, what)({name: rows for name, rows in mine.items() if rows})
            one_by_one += [str(change) for change in single.changes(now)]
        at_once = [str(change) for change in session.changes(now)]
        assert sorted(one_by_one) == sorted(at_once)
        assert len(at_once) > 60
