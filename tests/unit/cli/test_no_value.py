"""The summary of a run says which conditions have no value, in which rule, for how many rows, and shows the first."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor import loads
from holdsfor.cli import app
from holdsfor.session import Session

RULES = """
initiatedAt(share(X)=V, T) :- happensAt(go(X, N), T), V is 8 / N.
initiatedAt(low(X)=true, T) :- happensAt(go(X, N), T), \\+ sqrt(N) > 1.
initiatedAt(half(X)=V, T) :- happensAt(go(X, N), T), half(N, V).
half(N, V) :- V is 1 / N.
"""
EVENTS = "go|1|1|x|2\ngo|4|4|x|0\ngo|6|6|x|-4\ngo|7|7|y|0\ngo|7|7|z|word\n"


@pytest.mark.parametrize("engine", [[], ["--engine", "reference"], ["--window", "4", "--step", "1"]], ids=str)
def test_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text(RULES.lstrip())
    Path("events.csv").write_text(EVENTS)
    done = CliRunner().invoke(app, ["run", "rules.prolog", "--events", "events.csv", *engine])
    assert done.exit_code == 0
    lines = [line for line in done.output.splitlines() if line.startswith("no value:")]
    shown = [line.partition(", the first with ")[0] for line in lines]
    assert shown == [
        "no value: rules.prolog:1:55: V is 8 / N in initiatedAt(share(X)=V, T): 8/0 has no value; 3 rows",
        "no value: rules.prolog:2:59: sqrt(N) > 1 in initiatedAt(low(X)=true, T): sqrt(-4) has no value; 2 rows",
        "no value: rules.prolog:4:15: V is 1 / N in half(N, V): 1/0 has no value; 2 rows",
    ]
    first = lines[0].partition(", the first with ")[2]
    assert sorted(first.split(", ")) == ["N = 0", "T = 4", "X = x"]


def test_from_python_and_in_a_session() -> None:
    reasoner = loads(RULES)
    rows = [(1, "x", 2), (4, "x", 0)]
    found = reasoner.recognise({"go": rows})
    assert [one.rows for one in found.summary.without_value] == [1, 1]
    session = Session(reasoner.plan)
    session.push({"go": rows})
    assert {(row.fluent, row.value) for row in session.query(9)} == {(row.fluent, row.value) for row in found}
    assert [one.reason for one in session.summary.without_value] == ["8/0 has no value", "1/0 has no value"]
