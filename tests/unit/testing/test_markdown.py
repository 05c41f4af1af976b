"""Markdown files as tests: what passes, what fails, and how it is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor import loads
from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine_names import Engine
from holdsfor.testing import assert_intervals, assert_markdown, events, run_checks
from holdsfor.testing.updating import update

PAGE = Path(__file__).parents[3] / "docs" / "testing.md"
RULES = (
    "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\nterminatedAt(open(D)=true, T) :- happensAt(lock(D), T)."
)


def page(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "doors.md"
    file.write_text(text, encoding="utf-8")
    return file


def doors(tmp_path: Path, happened: str, expected: str, options: str = "") -> Path:
    given = f"# Doors\n```prolog\n{RULES}\n```\n```events\n{happened}\n```\n"
    return page(tmp_path, f"{given}```expected {options}\n{expected}\n```\n")


def problems(file: Path) -> str:
    return "\n".join(outcome.render() for outcome in run_checks(file) if not outcome.passed)


def test_the_page_about_testing_passes() -> None:
    outcomes = run_checks(PAGE)
    assert len(outcomes) == 12
    assert_markdown(PAGE)


def test_a_difference_names_its_line(tmp_path: Path) -> None:
    file = doors(tmp_path, "3 unlock(front)\n9 lock(front)", "open(front)  [4,9)")
    assert (
        problems(file)
        .split("\n\n")[0]
        .startswith(f"Doors (local)\n{file}:11: open(front)=true\n    expected  [4,9)\n    found     [4,10)")
    )


def test_what_is_not_listed_must_not_hold(tmp_path: Path) -> None:
    file = doors(tmp_path, "3 unlock(front)\n3 unlock(back)", "open(front)  [4,inf)")
    assert "open(back)=true\n    expected  never\n    found     [4,inf)" in problems(file)


def test_nothing_expected_is_nothing_found(tmp_path: Path) -> None:
    assert "expected  never" in problems(doors(tmp_path, "3 unlock(front)", ""))
    assert not problems(doors(tmp_path, "3 lock(front)", ""))


@pytest.mark.parametrize(
    ("happened", "expected", "options", "message"),
    [
        ("unlock(front)", "", "", "'unlock(front)' is not an event"),
        ("3 unlock(Door)", "", "", "has variables"),
        ("3 unlock(f(x))", "", "", "is not a name or a number"),
        ("3 unlok(front)", "", "", "no rule knows unlok"),
        ("3 unlock(front", "", "", "cannot be read"),
        ("3 unlock(front)\nunlock|3|3|back", "", "", "use one notation"),
        ("3 unlock(front)", "open(front) sometimes", "", "is not an expectation"),
        ("3 unlock(front)", "open(front) [4,inf)", "window=5 at=77", "77 is not a query time; there are"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, happened: str, expected: str, options: str, message: str) -> None:
    assert message in problems(doors(tmp_path, happened, expected, options))


def test_mistakes_in_the_file_itself(tmp_path: Path) -> None:
    for text, message in [
        ("# Nothing\n", "has no block marked"),
        ("```expected windw=3\n```\n", "'windw=3' is not an option"),
        ("```prolog\n", "never closed"),
        ("```prolog file=none.prolog\n```\n", r"doors.md:1: cannot read .*none.prolog: No such file"),
        ("```prolog fil=none.prolog\n```\n", "'fil=none.prolog' is not an option of `prolog`; it may name a file"),
        ("```prolog window=3\n```\n", "window belongs to `expected`"),
        ("```prolog file=x.prolog\nf(a).\n```\n", "names a file and has text of its own"),
    ]:
        with pytest.raises(HoldsforError, match=message):
            run_checks(page(tmp_path, text))


def test_an_error_in_a_rule_has_the_line_of_the_file(tmp_path: Path) -> None:
    file = page(
        tmp_path, "# A\n\n```prolog\ninitiatedAt(f=true, T) :- happensAt(e(X), T), g(Y).\n```\n```expected\n```\n"
    )
    assert f"{file}:4" in problems(file)


def test_blocks_may_name_files(tmp_path: Path) -> None:
    (tmp_path / "doors.prolog").write_text(RULES)
    (tmp_path / "events.csv").write_text("unlock|3|3|front\n")
    named = '# A\n```prolog file=doors.prolog title="doors"\n```\n```events file=events.csv\n```\n'
    assert not problems(page(tmp_path, f"{named}```expected\nopen(front)  [4,inf)\n```\n"))
    assert "open(front)=true" in problems(page(tmp_path, f"{named}```expected\n```\n"))
    (tmp_path / "doors.prolog").write_text("initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), g(D).\n")
    assert f"{tmp_path / 'doors.prolog'}:1:" in problems(page(tmp_path, f"{named}```expected\n```\n"))


def test_sections_share_only_what_is_around_them(tmp_path: Path) -> None:
    one = "## One\n```events\n1 unlock(a)\n```\n```expected\nopen(a) [2,inf)\n```\n"
    two = "## Two\n```events\n5 unlock(b)\n```\n```expected\nopen(b) [6,inf)\n```\n"
    assert_markdown(page(tmp_path, f"# Doors\n```prolog\n{RULES}\n```\n{one}{two}"))


def test_rows_in_the_format_of_rtec(tmp_path: Path) -> None:
    assert_markdown(doors(tmp_path, "unlock|9|3|front", "open(front) [4,inf)"))


def test_update_writes_what_was_found(tmp_path: Path) -> None:
    file = doors(
        tmp_path, "3 unlock(front)\n3 unlock(back)\n-7 unlock('Größe 1')", "open(front) [1,2)\nopen(side) [1,2)"
    )
    result = CliRunner().invoke(app, ["test", "--update", str(file)])
    assert result.stdout == f"{file}: 1 block changed\n"
    assert "open('Größe 1')=true  [-6,inf)" in file.read_text("utf-8")
    assert_markdown(file)
    assert CliRunner().invoke(app, ["test", "--update", str(file)]).stdout == f"{file}: 0 blocks changed\n"


def test_the_command(tmp_path: Path) -> None:
    file = doors(tmp_path, "3 unlock(front)", "open(front) [1,2)")
    result = CliRunner().invoke(app, ["test", str(file), "--engine", "local"])
    assert result.exit_code == 1
    assert result.stdout.endswith("0 checks passed, 1 failed (local)\n")
    assert "there is no engine 'fast'" in CliRunner().invoke(app, ["test", str(file), "--engine", "fast"]).stderr
    assert "cannot read" in CliRunner().invoke(app, ["test", str(tmp_path / "none.md")]).stderr


def test_assertions_about_results() -> None:
    result = loads(RULES).recognise(events("3 unlock(front)"))
    assert_intervals(result, "open(front) [4,inf)")
    with pytest.raises(AssertionError, match=r"expected  \[5,inf\)"):
        assert_intervals(result, "open(front) [5,inf)")


DATED = """
```prolog
:- time_unit(s).
:- time_zone('Europe/Athens').
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
happensAt(beep(D), T) :- happensAt(lock(D), T).
```
```events
2026-03-01T12:00Z unlock(front)
1772366500 lock(front) arrives 2026-03-01T12:02Z
```
"""


def test_times_as_dates(tmp_path: Path) -> None:
    file = page(
        tmp_path,
        f"{DATED}\n```expected window=1h start=2026-03-01T11:30Z at=2026-03-01T12:30Z\n"
        "open(front) [2026-03-01T14:00:01+02:00,1772366501)\nbeep(front) at 2026-03-01T12:01:40Z\n```\n",
    )
    assert [one.problem for one in run_checks(file)] == [None, None]
    assert all(one.passed for one in run_checks(file))


def test_differences_are_shown_as_dates(tmp_path: Path) -> None:
    file = page(tmp_path, f"{DATED}\n```expected\nopen(front) [2026-03-01T12:00:01Z,2026-03-01T12:05Z)\n```\n")
    (outcome,) = run_checks(file, [Engine.LOCAL])
    assert outcome.differences[0].render().splitlines()[1:] == [
        "    expected  [2026-03-01T14:00:01+02:00,2026-03-01T14:05:00+02:00)",
        "    found     [2026-03-01T14:00:01+02:00,2026-03-01T14:01:41+02:00)",
    ]
    assert update(file) == 1
    assert "[2026-03-01T14:00:01+02:00,2026-03-01T14:01:41+02:00)" in file.read_text()
    assert all(one.passed for one in run_checks(file))


def test_dates_need_a_unit(tmp_path: Path) -> None:
    without = DATED.replace(":- time_unit(s).\n:- time_zone('Europe/Athens').\n", "")
    file = page(tmp_path, f"{without}\n```expected\nopen(front) [4,inf)\n```\n")
    (outcome,) = run_checks(file, [Engine.LOCAL])
    assert outcome.problem is not None
    assert outcome.problem.startswith(f"{file}:8: the time '2026-03-01T12:00Z' is a date, and the time unit is unknown")


def test_metric_times_as_dates(tmp_path: Path) -> None:
    file = page(
        tmp_path,
        "```dmtl\n:- time_unit(min).\nHalf(X) :- Diamondminus[0,1/2] Alarm(X)\n```\n"
        "```facts\nAlarm(pump)@2026-03-01T12:00Z\nAlarm('a b')@2026-03-01T12:00Z\n```\n"
        "```expected end=2026-03-01T12:00:15Z\nHalf(pump)@[2026-03-01T12:00Z,2026-03-01T12:00:15Z]\n"
        "Half('a b')@[29539440,29539440.25]\n```\n",
    )
    assert [one.problem or one.render() for one in run_checks(file) if not one.passed] == []
