"""What a run says about its windows before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor import loads
from holdsfor.cli import app
from holdsfor.columns import window_checks
from holdsfor.diagnostics import HoldsforError

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
"""
NOW = 1_763_280_000
SECONDS = [f"up|{NOW + at}|{NOW + at}|a\n" for at in range(0, 60, 10)]
MILLISECONDS = f"up|{NOW * 1000}|{NOW * 1000}|late\n"


def run(folder: Path, stream: str, *options: str) -> tuple[int, str, str]:
    (folder / "rules.prolog").write_text(RULES)
    (folder / "events.csv").write_text(stream)
    words = ["run", str(folder / "rules.prolog"), "--events", str(folder / "events.csv"), *options]
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.stdout, result.stderr


def test_a_step_without_a_window_sees_everything(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, "up|3|3|a\nup|9|2|b\n", "--step", "5")
    assert code == 0
    assert out.splitlines()[1:] == ["7,on(a),true,4,inf", "12,on(a),true,4,inf", "12,on(b),true,3,inf"]


def test_gaps_between_windows_are_reported_before_the_run(tmp_path: Path) -> None:
    span = ("--window", "10", "--step", "20", "--start", "0", "--end", "40")
    code, out, said = run(tmp_path, "up|3|3|a\nup|13|13|b\n", *span)
    assert (code, out.splitlines()[1:]) == (0, ["20,on(b),true,14,inf", "40,on(b),true,14,inf"])
    assert said.startswith(
        "note: windows of 10 every 20 time-points leave gaps: what occurs after 0 up to 10, and so on every 20, is in "
        "no window (1 events); a step of at most 10 leaves no gaps\n"
    )


def test_gaps_are_a_warning_in_python() -> None:
    with pytest.warns(UserWarning, match="leave gaps"):
        loads(RULES).recognise({"up": [(3, "a")]}, window=10, step=20, start=0, end=40)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_far_more_query_times_than_rows_stop_a_run(tmp_path: Path, engine: str) -> None:
    span = ("--window", "60", "--step", "10", "--engine", engine)
    code, out, said = run(tmp_path, "".join([*SECONDS, MILLISECONDS]), *span)
    assert (code, out) == (1, "")
    assert (
        "query times for 7 rows: half of the rows arrive by 1763280030, but up(late) arrives at 1763280000000" in said
    )
    assert "--max-ahead" in said and "--end" in said


def test_a_first_row_at_zero_stops_a_run(tmp_path: Path) -> None:
    code, _, said = run(tmp_path, "".join(["up|0|0|early\n", *SECONDS]), "--window", "60", "--step", "10")
    assert (code, "up(early) arrives at 0" in said, "--start" in said) == (1, True, True)


def test_query_times_that_the_user_asks_for_are_worked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_checks, "_MANY", 1_000)
    span = ("--window", "10", "--step", "1", "--start", "0", "--fluent", "on")
    far = "up|3|3|a\ndown|5|5|a\nup|1100|1100|b\n"
    assert run(tmp_path, far, *span)[0] == 1
    assert run(tmp_path, far, *span, "--end", "1100")[0] == 0


def test_rows_far_ahead_are_set_aside(tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.csv"
    options = ("--window", "60", "--step", "10", "--max-ahead", "3600", "--rejects", str(rejects))
    code, out, said = run(tmp_path, "".join([*SECONDS, MILLISECONDS]), *options)
    assert (code, out) == (0, run(tmp_path, "".join(SECONDS), "--window", "60", "--step", "10")[1])
    assert "1 malformed" in said
    reason, row = rejects.read_text().splitlines()[1].rsplit(",", 1)
    assert row == MILLISECONDS.strip()
    assert "more than 3600 after the median time, 1763280030" in reason


def test_rows_far_ahead_are_set_aside_in_python() -> None:
    with pytest.warns(UserWarning, match="1 malformed row skipped, .*more than 1000 after the median time"):
        found = loads(RULES).recognise({"up": [(3, "a"), (4, "b"), (10**12, "c")]}, window=10, step=5, max_ahead=1000)
    assert {row.fluent for row in found} == {"on(a)", "on(b)"}
    assert found.summary.malformed == 1


def test_strict_stops_at_a_row_far_ahead() -> None:
    with pytest.raises(HoldsforError, match="after the median time"):
        loads(RULES).recognise({"up": [(3, "a"), (10**12, "c")]}, max_ahead=1000, strict=True)


@pytest.mark.parametrize("rules", ["rel(a).", "rel(a). rel(b).\nsame(X) :- rel(X).", "initially(f=true)."])
def test_rules_without_input_run_in_overlapping_windows(tmp_path: Path, rules: str) -> None:
    found = loads(rules).recognise({}, window=10, step=2, start=0, end=20)
    assert {row.fluent for row in found} <= {"f"}
