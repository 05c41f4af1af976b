"""What an edit changes, in all forms, from files, folders and git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError
from holdsfor.review.comparing import DifferenceKind

OLD = """\
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
terminatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S >= 5.
happensAt(crawls(V), T) :- happensAt(speed(V,S), T), S < 2.
initiatedAt(alarm(V)=raised, T) :- happensAt(distress(V), T).
"""
EVENTS = {
    "speed": [(10, "tern", 3), (20, "tern", 7), (12, "gull", 4), (30, "gull", 9), (40, "gull", 1)],
    "distress": [(15, "gull")],
}
STREAM = "speed|10|10|tern|3\nspeed|20|20|tern|7\nspeed|12|12|gull|4\nspeed|30|30|gull|9\nspeed|40|40|gull|1\n"


def edited(old: str, new: str) -> str:
    assert old in OLD
    return OLD.replace(old, new)


def diff(new: str, **options: object) -> holdsfor.Diff:
    return holdsfor.diff(holdsfor.loads(OLD), holdsfor.loads(new), EVENTS, **options)  # type: ignore[arg-type]


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["diff", *words])
    return result.exit_code, result.stdout + result.stderr


def test_an_interval_that_disappears_and_why() -> None:
    found = diff(edited("S < 5", "S < 4"))
    assert [(one.change, str(one.subject), one.old, one.lost) for one in found] == [
        (DifferenceKind.DISAPPEARS, "slow(gull)=true", ((13, 31),), 18)
    ]
    assert found.changed == found.reached == ["slow/1"]
    assert found.not_affected == ["alarm/1", "crawls/1"]
    reason = found.why(1)
    assert reason.holds_in == "old"
    assert [(cause.side, cause.place, cause.does) for cause in reason.causes] == [
        ("old", "<rules>:1", "slow(gull)=true is initiated at 12"),
        ("new", "<rules>:1", "fails: 4 < 4"),
    ]


def test_intervals_that_grow_shrink_and_move() -> None:
    late = edited("S >= 5", "S >= 8")
    assert [(one.change, str(one.subject), one.gained, one.lost) for one in diff(late)] == [
        (DifferenceKind.GROWS, "slow(tern)=true", 20, 0)
    ]
    both = edited("S < 5", "S < 3").replace("S >= 5", "S >= 8")
    changes = {str(one.subject): one.change for one in diff(both)}
    assert changes == {"slow(tern)=true": DifferenceKind.DISAPPEARS, "slow(gull)=true": DifferenceKind.DISAPPEARS}


def test_derived_events_appear() -> None:
    found = diff(edited("S < 2", "S < 4"))
    assert [(one.change, str(one.subject), one.new) for one in found] == [
        (DifferenceKind.APPEARS, "crawls(tern)", ((10, 11),))
    ]
    assert found.why(1).causes[0].does == "crawls(tern) happens at 10"
    assert "crawls(tern) appears: 10" in found.text()


def test_names_and_layout_make_no_difference() -> None:
    same = OLD.replace("V", "Vessel").replace(", S < 5", ",\n    S < 5")
    found = diff("\n".join(reversed(same.replace(",\n    S < 5", ", S < 5").splitlines())))
    assert not found
    assert found.changed == []
    assert found.text().startswith("no differences\nedited: nothing that makes a difference\n")


def test_a_fluent_that_one_program_does_not_have() -> None:
    found = diff(edited("alarm(V)=raised", "siren(V)=on"))
    assert {(one.change, str(one.subject)) for one in found} == {
        (DifferenceKind.APPEARS, "siren(gull)=on"),
        (DifferenceKind.DISAPPEARS, "alarm(gull)=raised"),
    }
    reasons = [found.why(number) for number in (1, 2)]
    assert all(reason.why_not is None for reason in reasons)
    assert {reason.causes[-1].does for reason in reasons} == {"no rule defines siren", "no rule defines alarm"}


def test_times_are_dates_where_the_unit_is_known() -> None:
    found = diff(edited("S < 5", "S < 4"), unit="min")
    assert "[1970-01-01T00:13:00Z, 1970-01-01T00:31:00Z); 18min lost" in found.text()
    assert found.as_json()["differences"][0]["old"] == [
        {"start": "1970-01-01T00:13:00Z", "end": "1970-01-01T00:31:00Z"}
    ]


def test_windows_are_put_together() -> None:
    found = diff(edited("S < 5", "S < 4"), window=10, step=5)
    assert [(one.change, one.old) for one in found] == [(DifferenceKind.DISAPPEARS, ((13, 31),))]


def test_only_some_fluents() -> None:
    both = edited("S < 5", "S < 4").replace("S < 2", "S < 4")
    assert {one.subject.name for one in diff(both)} == {"slow", "crawls"}
    assert {one.subject.name for one in diff(both, fluents="crawls")} == {"crawls"}
    with pytest.raises(HoldsforError, match="no rule defines slwo; did you mean slow"):
        diff(both, fluents=["slwo"])


def test_metric_programs_have_exact_times() -> None:
    old, new = (holdsfor.loads_metric(f"Recent(X) :- Diamondminus[0,{high}] Alarm(X)") for high in ("5", "7/2"))
    found = holdsfor.diff(old, new, {"Alarm": [(3, "pump")]})
    assert "Recent(pump) shrinks: [3, 8] → [3, 6.5]; 1.5 lost" in found.text()
    reason = found.why(1)
    assert (reason.holds_in, reason.causes[0].side) == ("old", "old")
    data = found.as_json()["differences"][0]
    assert data["new"] == [{"start": "3", "end": "6.5", "start_closed": True, "end_closed": True}]
    with pytest.raises(HoldsforError, match="one of the programs is metric alone"):
        holdsfor.diff(old, holdsfor.loads(OLD), {})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules").mkdir()
    Path("rules/slow.prolog").write_text(f":- ['more/facts'].\n{OLD}".replace("S < 5", "limit(L), S < L"))
    Path("rules/more").mkdir()
    Path("rules/more/facts.prolog").write_text("limit(5).\n")
    Path("events.csv").write_text(STREAM)
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "rules"], ["commit", "-q", "-m", "first"], ["tag", "first"]):
        subprocess.run([*git, *words], check=True)
    Path("rules/more/facts.prolog").write_text("limit(4).\n")
    return tmp_path


def test_a_revision_against_the_work_tree(folder: Path) -> None:
    del folder
    for words in (["main", "--", "rules"], ["main:rules/slow.prolog", "rules/slow.prolog"]):
        code, output = run("--events", "events.csv", "--why", "1", *words)
        assert code == 0, output
        assert "- slow(gull)=true disappears: [13, 31); 18 lost" in output
        assert "old main:rules/more/facts.prolog:1: limit(5)" in output
        assert "new rules/more/facts.prolog:1: limit(4); fails: 4 < 4" in output


def test_two_revisions(folder: Path) -> None:
    del folder
    code, output = run("first", "main", "--events", "events.csv", "--exit-code", "--", "rules/")
    assert (code, output.splitlines()[0]) == (0, "no differences")


def test_the_status_says_whether_there_are_differences(folder: Path) -> None:
    del folder
    assert run("main", "--events", "events.csv", "--exit-code", "-f", "json", "--", "rules/")[0] == 1


def test_mistakes_are_said(folder: Path) -> None:
    assert "is neither a file nor a git revision" in run("mian", "--events", "events.csv", "--", "rules")[1]
    assert "say which rules to compare: holdsfor diff main -- rules/" in run("main", "--events", "events.csv")[1]
    assert "main has no rule file src" in run("main", "--events", "events.csv", "--", "src")[1]
    assert "say where the events are" in run("rules", "rules")[1]
    assert "diff takes two files or folders" in run("rules", "rules", "rules", "--events", "events.csv")[1]
    assert "write --events before --" in run("main", "--", "rules", "--events", "events.csv")[1]
    assert "--why takes a number" in run("main", "--events", "events.csv", "--why", "x", "--", "rules")[1]
    assert "have the numbers 1 to 1" in run("main", "--events", "events.csv", "--why", "2", "--", "rules")[1]
    (folder / "empty").mkdir()
    assert "empty has no rule files" in run("rules", "empty", "--events", "events.csv")[1]


def test_files_have_the_form_that_their_name_says(folder: Path) -> None:
    for ending in ("html", "json", "md", "txt"):
        assert run("main", "--events", "events.csv", "-o", f"diff.{ending}", "--", "rules")[0] == 0
    page = (folder / "diff.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert json.loads((folder / "diff.json").read_text())["schema"] == "holdsfor.diff/1"
    assert (folder / "diff.md").read_text().startswith("### What the rules would change\n")
    assert "no format ends in .doc" in run("main", "--events", "events.csv", "-o", "diff.doc", "--", "rules")[1]
    assert run("main", "--events", "events.csv", "--timeline", "both.svg", "--", "rules")[0] == 0
    assert "in = old" in (folder / "both.svg").read_text()


def test_text_is_no_markup() -> None:
    rules = "initiatedAt(f('<xss>|`x`')=true, T) :- happensAt(e, T)."
    found = holdsfor.diff(holdsfor.loads("g(1)."), holdsfor.loads(rules), {"e": [(1,)]})
    assert "<xss>" not in found.html()
    assert "\\|" in found.markdown()
    assert "<xss>" not in found._repr_html_()
