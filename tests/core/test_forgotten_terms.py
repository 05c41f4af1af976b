"""Constants that only rows and keys had that are gone are forgotten, and those that somebody may still read are not."""

from __future__ import annotations

import pytest

from holdsfor import loads
from holdsfor.core import engine

RULES = """
    initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
    terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
"""


def doors(batch: int, size: int = 50) -> dict[str, list[tuple[int, str]]]:
    """Doors that no other batch mentions."""
    names = [f"d{batch * size + number}" for number in range(size)]
    return {"unlock": [(batch * 10 + 1, name) for name in names], "lock": [(batch * 10 + 5, name) for name in names]}


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LEAST_NEW_TERMS", 20)


def test_terms_of_keys_that_come_and_go() -> None:
    session = loads(RULES).session(window=20)
    seen = []
    for batch in range(60):
        session.push(doors(batch))
        assert len(list(session.changes((batch + 1) * 10))) == 50
        seen.append(session._engine.core.terms)
    assert max(seen[30:]) == max(seen[10:30]) < 600
    assert session._engine.keys <= 150


def test_changes_that_are_read_later() -> None:
    session = loads(RULES).session(window=20)
    session.push(doors(0))
    first = session.changes(10)
    session.push_one("unlock", 11, "Big Door")
    second = session.changes(12)
    session.push_one("unlock", 500, "waiting")
    for batch in range(2, 30):
        session.push(doors(batch))
        session.changes((batch + 1) * 10)
    assert session._engine.core.terms < 600
    assert sorted(change.fluent for change in first) == sorted(f"open(d{number})" for number in range(50))
    table = first.to_arrow()
    assert table["causes"][7].as_py()[0].startswith(f"arrived unlock({table['fluent'][7].as_py()[5:-1]}) at 1")
    (big,) = second
    assert big.fluent == "open('Big Door')"
    assert str(big.causes[0]) == "arrived unlock('Big Door') at 11"
    (last,) = (change for change in session.changes(501) if change.op == "open")
    assert (last.fluent, str(last.causes[0])) == ("open(waiting)", "arrived unlock(waiting) at 500")


def test_answers_after_terms_were_forgotten() -> None:
    session = loads(RULES).session(window=20)
    session.push_one("unlock", 1, "kept")
    for batch in range(40):
        session.push(doors(batch))
        session.changes((batch + 1) * 10)
    found = {str(one.fluent) for one in session.query(400)}
    assert len(found) == 101
    assert "open(kept)" in found
