"""Constants by name and by place, settings, forms, and what is said of mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError

RULES = """\
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), limit(L), S < L.
initiatedAt(slow(V)=false, T) :- happensAt(speed(V,S), T), limit(L), S >= L.
fi(slow(V)=true, slow(V)=late, 12).
limit(9).
"""
SPEEDS = [(1, "tern", 8), (5, "tern", 3.5), (9, "tern", 7.2), (20, "tern", 2), (30, "tern", 9)]
LABELS = [("slow(tern)=true", 6, 10), ("slow(tern)=true", 21, 31)]


def tuned(*vary: str, rules: str = RULES, labels: Any = LABELS, **options: Any) -> holdsfor.Tuning:
    return holdsfor.tune(holdsfor.loads(rules), {"speed": SPEEDS}, labels, vary, **options)


def test_one_setting_between_two_speeds() -> None:
    found = tuned("limit(1..10)", by="time")
    assert [one.numbers for one in found.settings] == [(2,), (3,), (5,), (8,), (9,), (10,)]
    assert found.best.numbers == (5,)
    assert (found.best.fit.f1, found.best.fit.time_f1) == (1, 1)
    assert found.current.numbers == (9,)
    assert found.setting_of(3.6) is found.best
    assert found.notes == []
    with pytest.raises(HoldsforError, match="lies outside of what was tried"):
        found.setting_of(11)


def test_a_delay_is_tried_number_by_number() -> None:
    found = tuned("fi(slow(_)=true, slow(_)=late, 3..8)", by="time")
    assert [one.numbers for one in found.settings] == [(3,), (4,), (5,), (6,), (7,), (8,)]
    assert found.notes == ["fi(slow(_)=true, slow(_)=late, …): 6 numbers are tried, as it is no argument of a fact"]


def test_a_number_by_its_place() -> None:
    found = tuned("<rules>:4:9(4..6)")
    assert [one.numbers for one in found.settings] == [(4,), (5,), (6,)]
    assert {one.fit.f1 for one in found.settings} == {1}


def test_settings_are_thinned_out() -> None:
    found = tuned("limit(1..10)", "fi(slow(_)=true, slow(_)=late, 3..30)", settings=20)
    assert len(found.settings) <= 20
    assert found.notes[-1].startswith("168 settings have answers of their own; ")


def test_metric_rules() -> None:
    rules = holdsfor.loads_metric("Recent(X) :- Diamondminus[0,5] Alarm(X)", "r.dmtl")
    alarms = {"Alarm": [(3, "pump"), (30, "pump")]}
    labels = [("Recent(pump)", 3, 6), ("Recent(pump)", 30, 33)]
    found = holdsfor.tune(rules, alarms, labels, "r.dmtl:1:5(1..6)", by="time", fit=0.5)
    assert found.best.numbers == (3,)
    assert found.best.held.time_f1 == 1


def test_windows_and_units() -> None:
    found = tuned("limit(1..10)", by="time", window=40, step=10, unit="min")
    assert found.best.numbers == (5,)
    assert found.cut == "1970-01-01T00:22:00Z"


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ("limit(5)", "one number has a range"),
        ("limit(9..5)", "9 is not below 5"),
        ("limt(1..9)", "no fact or delay of the rules is like it"),
        ("limit(", "one number has a range"),
        ("limit(1..9", "this is not a fact with a range"),
        ("<rules>:2:9(4..6)", "line 2 of <rules> has no number 9"),
    ],
)
def test_mistakes_are_said(vary: str, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        tuned(vary)


def test_constants_of_metric_programs_have_a_place() -> None:
    rules = holdsfor.loads_metric("Recent(X) :- Diamondminus[0,5] Alarm(X)", "r.dmtl")
    with pytest.raises(HoldsforError, match="is named by its place"):
        holdsfor.tune(rules, {"Alarm": [(3, "pump")]}, [("Recent(pump)", 3, 6)], "limit(1..2)")


def test_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = tuned("limit(1..10)", by="time")
    for ending in ("html", "svg", "json", "csv", "md", "txt"):
        assert found.save(f"tuning.{ending}").read_text()
    page = Path("tuning.html").read_text()
    assert "<script" not in page
    assert "polyline" in page
    data = json.loads(Path("tuning.json").read_text())
    assert (data["schema"], data["best"]["values"]) == ("holdsfor.tuning/1", [5])
    assert len(Path("tuning.csv").read_text().splitlines()) == 7
    with pytest.raises(HoldsforError, match="is saved as"):
        found.save("tuning.doc")


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text(RULES)
    Path("speeds.csv").write_text("".join(f"speed|{t}|{t}|{v}|{s}\n" for t, v, s in SPEEDS))
    Path("labels.csv").write_text("fluent,value,start,end\nslow(tern),true,6,10\nslow(tern),true,21,31\n")
    words = ["tune", "rules.prolog", "--labels", "labels.csv", "--vary", "limit(1..10)", "--by", "time"]
    result = CliRunner().invoke(app, [*words, "--events", "speeds.csv"])
    assert result.exit_code == 0
    assert result.stdout.startswith("best of 6 settings: limit(5); F1 by time is 100.0 % before 22")
    assert "say where the events are" in CliRunner().invoke(app, words).stderr
