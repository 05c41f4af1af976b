"""Times and durations as options, and times in what commands write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from holdsfor.cli import app

RULES = """\
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
happensAt(beep(D), T) :- happensAt(lock(D), T).
"""
SECONDS = ":- time_unit(s).\n"
ATHENS = SECONDS + ":- time_zone('Europe/Athens').\n"
EVENTS = "unlock|1772366400|1772366400|front\nlock|1772366500|1772366500|front\nunlock|1772370000|1772370000|front\n"
METRIC = "Recent(X) :- Diamondminus[0,1/2] Alarm(X)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, directives in (("plain", ""), ("seconds", SECONDS), ("athens", ATHENS)):
        (tmp_path / f"{name}.prolog").write_text(directives + RULES)
        (tmp_path / f"{name}.dmtl").write_text(directives + METRIC)
    (tmp_path / "events.csv").write_text(EVENTS)
    (tmp_path / "facts.txt").write_text("Alarm(pump)@1772366400\n")
    return tmp_path


def run(*arguments: str, status: int = 0) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == status, result.output
    return result


def intervals(rules: str, *options: str) -> list[str]:
    return run("run", rules, "--events", "events.csv", "-q", *options).stdout.splitlines()


def test_csv(folder: Path) -> None:
    assert intervals("athens.prolog") == [
        "query_time,fluent,value,start,end",
        "2026-03-01T15:00:00+02:00,open(front),true,2026-03-01T14:00:01+02:00,2026-03-01T14:01:41+02:00",
        "2026-03-01T15:00:00+02:00,open(front),true,2026-03-01T15:00:01+02:00,inf",
    ]


def test_the_reference_evaluator_writes_the_same(folder: Path) -> None:
    for style in ("csv", "jsonl", "table"):
        options = ["--window", "1h", "--step", "10min", "-f", style]
        assert intervals("athens.prolog", *options) == intervals("athens.prolog", *options, "--engine", "reference")
        metric = ["run", "athens.dmtl", "--events", "facts.txt", "-q", "-f", style]
        assert run(*metric).stdout == run(*metric, "--engine", "reference").stdout


def test_json_lines_with_an_open_end(folder: Path) -> None:
    last = json.loads(intervals("seconds.prolog", "-f", "jsonl")[-1])
    assert last == {
        "query_time": "2026-03-01T13:00:00Z",
        "fluent": "open(front)",
        "value": "true",
        "start": "2026-03-01T13:00:01Z",
        "end": None,
    }


def test_tables_for_people(folder: Path) -> None:
    assert intervals("seconds.prolog", "-f", "table")[1] == (
        "2026-03-01T13:00:00Z  open(front)  true   2026-03-01T12:00:01Z  2026-03-01T12:01:41Z"
    )


def test_without_a_unit_times_are_numbers(folder: Path) -> None:
    assert intervals("plain.prolog")[1] == "1772370000,open(front),true,1772366401,1772366501"


def test_columns_and_derived_events(folder: Path) -> None:
    found = intervals("seconds.prolog", "--columns", "--fluent", "open", "--derived-events", "beeps.csv")
    assert found[1].endswith(",2026-03-01T12:00:01Z,2026-03-01T12:01:41Z,front")
    assert (folder / "beeps.csv").read_text().splitlines()[1] == (
        "2026-03-01T13:00:00Z,beep(front),2026-03-01T12:01:40Z,front"
    )


def test_a_unit_beside_the_rules(folder: Path) -> None:
    assert intervals("plain.prolog", "--unit", "seconds", "--window", "1h") == intervals(
        "seconds.prolog", "--window", "3600"
    )
    wrong = run("run", "seconds.prolog", "--events", "events.csv", "--unit", "ms", status=1)
    assert wrong.stderr == "error: --unit is 'ms', but the rules declare time_unit(s); leave one of them out\n"


def test_a_mapping_that_differs(folder: Path) -> None:
    (folder / "mapping.toml").write_text('unit = "ms"\ntime = "at"\n[event.unlock]\nargs = ["door"]\n')
    (folder / "events.csv").write_text("at,door\n2026-03-01T12:00:00Z,front\n")
    wrong = run("run", "seconds.prolog", "--events", "events.csv", "--mapping", "mapping.toml", status=1)
    assert wrong.stderr == "error: the rules declare time_unit(s), but mapping.toml says 'ms'; leave one of them out\n"
    found = intervals("plain.prolog", "--mapping", "mapping.toml", "--window", "10 s")
    assert found[1] == "2026-03-01T12:00:09.999Z,open(front),true,2026-03-01T12:00:00.001Z,inf"


def test_the_type_of_a_column_gives_the_unit(folder: Path) -> None:
    (folder / "mapping.toml").write_text('time = "at"\n[event.unlock]\nargs = ["door"]\n')
    (folder / "events.csv").write_text("at,door\n2026-03-01T12:00:00Z,front\n")
    found = intervals("plain.prolog", "--mapping", "mapping.toml", "--end", "2026-03-01T13:00+00:00")
    assert found[1] == "2026-03-01T13:00:00Z,open(front),true,2026-03-01T12:00:01Z,inf"


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--window", "1h"], ["--window", "3600"]),
        (["--window", "PT1H", "--step", "600 s"], ["--window", "3600", "--step", "600"]),
        (
            ["--start", "2026-03-01T11:00Z", "--end", "2026-03-01T14:01:00+02:00"],
            ["--start", "1772362800", "--end", "1772366460"],
        ),
        (["--max-ahead", "1h"], ["--max-ahead", "3600"]),
        (["--clock-tick", "10s"], ["--clock-tick", "10"]),
    ],
)
def test_options(folder: Path, options: list[str], numbers: list[str]) -> None:
    assert intervals("seconds.prolog", *options) == intervals("seconds.prolog", *numbers)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--window", "soon", "'soon' is not a number of time-points such as 3 or a duration"),
        ("--window", "3 m", '\'3 m\': "m" may be minutes or months; write "min"'),
        ("--step", "2026-03-01", "'2026-03-01' is not a number of time-points"),
        ("--start", "1h", "'1h' is not a time-point such as 3 or a time such as"),
        ("--end", "2026-13-01", "'2026-13-01' is not a time-point"),
    ],
)
def test_what_is_no_time(folder: Path, option: str, value: str, said: str) -> None:
    wrong = run("run", "seconds.prolog", "--events", "events.csv", option, value, status=2)
    assert said in " ".join(wrong.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--window", "1h"], "--window '1h' is a duration, and the time unit is unknown; declare the unit"),
        (["--start", "2026-03-01T12:00Z"], "--start '2026-03-01T12:00Z' is a date, and the time unit is unknown"),
        (
            ["--unit", "min", "--window", "90 s"],
            "--window '90 s' is not a whole number of time-points: one is 1 min",
        ),
        (["--unit", "fortnight"], "--unit must be one of s, ms, us, ns, min, h, d, not 'fortnight'"),
        (["--window", "0"], "--window must be at least 1, not 0"),
        (["--unit", "s", "--window=-1h"], "--window must be at least 1, not -1h"),
    ],
)
def test_what_cannot_be_counted(folder: Path, options: list[str], said: str) -> None:
    wrong = run("run", "plain.prolog", "--events", "events.csv", *options, status=1)
    assert wrong.stderr.startswith(f"error: {said}")
    assert wrong.stderr.count("\n") == 1


def test_explain(folder: Path) -> None:
    question = ["explain", "athens.prolog", "open(front)=true", "--events", "events.csv"]
    found = run(*question, "--at", "2026-03-01T12:01Z", "--window", "1h", "--query-time", "2026-03-01T12:59:59Z")
    assert found.stdout.startswith(
        "open(front)=true holds at 2026-03-01T14:01:00+02:00, on [2026-03-01T14:00:01+02:00, "
    )
    wrong = run(*question, "--at", "2026-03-01T12:01Z", "--window", "1h", "--query-time", "5", status=1)
    assert (
        "1970-01-01T02:00:05+02:00 is not a query time of these windows; they run from 2026-03-01T14:59:59+02:00"
        in (wrong.stderr)
    )
    plain = ["explain", "plain.prolog", "open(front)=true", "--events", "events.csv", "--at", "2026-03-01T12:01Z"]
    assert "the time unit is unknown" in run(*plain, status=1).stderr
    assert run(*plain, "--unit", "s").stdout.startswith("open(front)=true holds at 2026-03-01T12:01:00Z")


def test_metric_programs(folder: Path) -> None:
    found = run("run", "athens.dmtl", "--events", "facts.txt", "-q", "--end", "2026-03-01T12:00:00.25Z").stdout
    assert found.splitlines()[1] == "Recent,pump,2026-03-01T14:00:00+02:00,true,2026-03-01T14:00:00.25+02:00,true"
    jsonl = run("run", "seconds.dmtl", "--events", "facts.txt", "-q", "-f", "jsonl").stdout
    assert json.loads(jsonl)["end"] == "2026-03-01T12:00:00.5Z"
    assert (
        json.loads(run("run", "plain.dmtl", "--events", "facts.txt", "-q", "-f", "jsonl").stdout)["end"] == 1772366400.5
    )
    stepped = ["--start", "2026-03-01T12:00Z", "--end", "2026-03-01T12:01Z", "--step", "10s", "--tick", "500 ms"]
    assert run("run", "seconds.dmtl", "--events", "facts.txt", "-q", *stepped).stdout.count("\n") == 2
    wrong = run("run", "plain.dmtl", "--events", "facts.txt", "--start", "2026-03-01T12:00Z", status=1)
    assert "declare the unit, for example --unit s, or :- time_unit(s). in the rules" in wrong.stderr
    shown = run("explain", "athens.dmtl", "Recent(pump)", "--events", "facts.txt", "--at", "2026-03-01T12:00:00.25Z")
    assert shown.stdout.startswith("Recent(pump) holds at 2026-03-01T14:00:00.25+02:00")


def test_rtec_parameter_files(folder: Path) -> None:
    (folder / "defaults.toml").write_text(
        "[doors]\nevent_description = ['seconds.prolog']\ninput_providers = ['events.csv']\n"
        "window_size = '1h'\nstart_time = 2026-03-01T11:30:00Z\nend_time = '2026-03-01T12:30Z'\n"
    )
    found = run("rtec", "defaults.toml", "doors", "-q").stdout.splitlines()
    assert found[1:] == ["2026-03-01T12:30:00Z,open(front),true,2026-03-01T12:00:01Z,2026-03-01T12:01:41Z"]
    again = run("rtec", "defaults.toml", "doors", "-q", "--end-time", "2026-03-01T12:00:30Z", "--window-size", "30min")
    assert "2026-03-01T12:30:00Z,open(front),true,2026-03-01T12:00:01Z" in again.stdout


def test_times_without_a_zone_are_utc(folder: Path) -> None:
    result = run("run", "athens.prolog", "--events", "events.csv", "--end", "2026-03-01T12:00:30")
    assert "warning: --end '2026-03-01T12:00:30' has no time zone; it is read as UTC" in result.stderr
    assert "2026-03-01T14:00:30+02:00,open(front),true,2026-03-01T14:00:01+02:00,inf" in result.stdout


def test_notes_about_windows_have_dates(folder: Path) -> None:
    given = ["run", "seconds.prolog", "--events", "events.csv", "--window", "10min", "--step", "1h"]
    noted = run(*given, "--start", "2026-03-01T11:30Z").stderr
    assert (
        "note: windows of 10min every 1h leave gaps: what occurs after 2026-03-01T11:30:00Z up to 2026-03-01T12:20:00Z, "
        "and so on every 1h, is in no window (3 events); a step of at most 10min leaves no gaps"
    ) in noted
    wrong = run(*given, "--start", "2026-03-02T00:00Z", "--end", "2026-03-01T00:00Z", status=1)
    assert "end 2026-03-01T00:00:00Z lies before start 2026-03-02T00:00:00Z" in wrong.stderr
    ahead = run("run", "seconds.prolog", "--events", "events.csv", "--max-ahead", "10min").stderr
    assert "more than 10min after the median time, 2026-03-01T12:01:40Z" in ahead
