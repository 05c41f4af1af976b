"""What is printed of a plan is what the engine was given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.core import engine
from holdsfor.core.compiled import compiled_core
from holdsfor.loading import load, loads
from holdsfor.physical.certificate import KeptRow, bounds, excess
from holdsfor.physical.describe import plan_data, plan_text
from holdsfor.physical.encode import from_bytes
from holdsfor.physical.lower import lower
from tests.physical.families import FAMILIES, scenarios

RULES = """
initiatedAt(f(X)=true, T) :- happensAt(on(X), T), \\+ happensAt(off(X), T).
terminatedAt(f(X)=true, T) :- happensAt(off(X), T).
initiatedAt(w=true, T) :- happensAt(on(X), T), happensAt(off(X), T0), T0 < T, T - T0 =< 9.
holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(w=true, B), seq(A, B, I).
"""
TEXT = """\
results are final up to the border of a window

tables: what a key keeps of them behind the border of a window
  off/1  input event    rows of 9 time-points
"""


def test_text(tmp_path: Path) -> None:
    (tmp_path / "rules.prolog").write_text(RULES)
    shown = CliRunner().invoke(app, ["plan", str(tmp_path / "rules.prolog")]).stdout.replace(f"{tmp_path}/", "")
    assert shown.startswith(TEXT)
    assert "  off/1  input event    rows of 9 time-points\n" in shown
    assert "stage 2: one key for all\n  because w/0 has no arguments\n" in shown


def test_names_inside_others() -> None:
    plan = lower(loads("initiatedAt(per(act(X,Y))=true, T) :- happensAt(ask(X,Y), T).").plan).plan
    assert "initiates per(act(r2,r3))=true" in plan_text(plan)


def test_what_is_printed_is_what_the_engine_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bytes] = []
    core = compiled_core()

    class Compiled:
        @staticmethod
        def Core(data: bytes, host: Any, *more: Any) -> Any:
            given.append(data)
            return core.Core(data, host, *more)

    rules = tmp_path / "rules.prolog"
    rules.write_text(RULES)
    monkeypatch.setattr(engine, "compiled_core", lambda: Compiled)
    load(rules).recognise({"on": [(1, "a")], "off": [(3, "a")]})
    printed = CliRunner().invoke(app, ["plan", str(rules)]).stdout
    as_json = CliRunner().invoke(app, ["plan", "--json", str(rules)]).stdout
    assert given
    assert printed == plan_text(from_bytes(given[0])) + "\n"
    assert json.loads(as_json) == plan_data(from_bytes(given[0]))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_plan_can_be_printed(family: str) -> None:
    for one in scenarios(family, range(700, 715)):
        plan = lower(one.reasoner.plan).plan
        assert json.loads(json.dumps(plan_data(plan)))
        assert plan_text(plan)


def test_certificate() -> None:
    plan = lower(loads(RULES.replace("seq(A, B, I)", "union_all([A, B], I)").replace("w=true", "w(X)=true")).plan).plan
    number = {table.label: at for at, table in enumerate(plan.tables)}
    found = {table.label: str(bound) for table, bound in zip(plan.tables, bounds(plan), strict=True)}
    assert found["f/1"] == "1 row"
    assert found["on/1"] == "nothing"
    assert found["off/1"] == "rows of 9 time-points"
    fine = [KeptRow(number["off/1"], (), 92, 92), KeptRow(number["f/1"], ("a",), 5, 200)]
    assert not list(excess(plan, 100, fine))
    (problem,) = excess(plan, 100, [*fine, KeptRow(number["off/1"], (), 91, 91)])
    assert problem == "off/1 keeps 1 rows from before 91"
    assert not list(excess(plan, 100, [*fine, KeptRow(number["off/1"], (), 91, 91)], slack=1))
