"""Durations and conditions about the calendar: Spark finds what a local run finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

pytestmark = pytest.mark.filterwarnings("ignore")
RULES = """:- time_unit(s).
:- time_zone('Europe/Athens').
late(T) :- hour(T, H), H >= 18.
limit(ann, 1 h).
initiatedAt(cart(U)=active, T) :- happensAt(add(U), T), business_hours(T).
initiatedAt(cart(U)=night, T) :- happensAt(add(U), T), late(T).
fi(cart(U)=active, cart(U)=abandoned, 30 min).
initiatedAt(hasty(U)=true, T) :- happensAt(add(U), T), happensAt(add(U), T0), T0 < T, limit(U, L), T - T0 < L.
holdsFor(recent(U)=true, I) :- holdsFor(cart(U)=active, I1), diamond_minus(I1, [0,5 min], I).
"""
EVENTS = """add|1772524800|1772524800|ann
add|1772527000|1772527000|ann
add|1772568000|1772568000|bob
add|1774745900|1774745900|cy
"""


@pytest.fixture
def folder(one_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "events.csv").write_text(EVENTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", [[], ["--window", "1d", "--step", "6h"]], ids=["whole", "windows"])
def test_the_same_answers(words: list[str]) -> None:
    found = []
    for engine in ("local", "spark"):
        shared = ["run", "rules.prolog", "--events", "events.csv", "-q", "--engine", engine, *words]
        done = CliRunner().invoke(app, [*shared, "--end", "2026-03-30T00:00Z"])
        assert done.exit_code == 0, done.stderr
        found.append(done.stdout)
    assert found[0] == found[1]
    assert "abandoned,2026-03-03T10:30:01+02:00" in found[0]
    assert ("night,2026-03-03T22:00:01+02:00" in found[0]) and ("hasty(ann)" in found[0])
