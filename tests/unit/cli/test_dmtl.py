"""The command line on metric programs: inputs, outputs, what it says."""

import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from typer.testing import CliRunner

from holdsfor import load
from holdsfor.cli import app
from holdsfor.core import metric_driver
from holdsfor.core.compiled import compiled_core
from holdsfor.physical.describe import plan_text
from holdsfor.physical.encode import from_bytes

RULES = "Recent(X) :- Diamondminus[0,1/3] Alarm(X)\nQuiet(X) :- Room(X), not Recent(X)\n"
FACTS = "Alarm(hall)@1\nAlarm(attic)@[2,2.5)\nRoom(hall)@[0,3]\n"
HEADER = "predicate,args,start,start_closed,end,end_closed"
ALL = [
    "Quiet,hall,0,true,1,false",
    "Quiet,hall,4/3,false,3,true",
    "Recent,attic,2,true,17/6,false",
    "Recent,hall,1,true,4/3,true",
]
FOREVER = "Due(X) :- Order(X)\nBoxplus[5,5] Due(X) :- Due(X)\n"
AHEAD = "Soon(X) :- Diamondplus[1,2] Alarm(X)\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.dmtl").write_text(RULES)
    (tmp_path / "facts.txt").write_text(FACTS)
    (tmp_path / "forever.dmtl").write_text(FOREVER)
    (tmp_path / "ahead.dmtl").write_text(AHEAD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def run(*arguments: str, rules: str = "rules.dmtl", events: str = "facts.txt", stdin: bytes | None = None) -> Result:
    return call("run", rules, "--events", events, *arguments, stdin=stdin)


# run


def test_csv() -> None:
    result = run()
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [HEADER, *ALL]
    assert result.stderr.splitlines() == [
        "3 facts read, 0 of names no rule knows, 0 malformed",
        "4 intervals of 2 predicates",
    ]


def test_a_span_is_closed_and_facts_before_it_count() -> None:
    assert run("--start", "2.5", "--end", "8/3").stdout.splitlines()[1:] == [
        "Quiet,hall,2.5,true,8/3,true",
        "Recent,attic,2.5,true,8/3,true",
    ]


def test_a_tick_that_is_given() -> None:
    result = run("--tick", "1/3")
    assert result.stdout.splitlines()[1:] == ["Quiet,hall,0,true,1,false", "Quiet,hall,4/3,false,3,true", ALL[3]]
    assert "not a multiple of the tick 1/3: 'Alarm(attic)@[2,2.5)'" in result.stderr
    assert run("--tick", "1/6").stdout.splitlines()[1:] == ALL
    refused = run("--tick", "1/2")
    assert refused.exit_code == 1
    assert "1/3 is not a multiple of the tick 0.5" in refused.stderr


@pytest.mark.parametrize("step", ["1", "1/3", "0.7", "10"])
def test_steps_give_the_same(step: str) -> None:
    result = run("--step", step, "--start", "0", "--end", "3")
    assert result.stdout.splitlines()[1:] == ALL
    steps = -(-3 // Fraction(step)) + 1
    assert f"{steps} steps, at most " in result.stderr


def test_steps_go_over_the_facts_if_nothing_else_is_said() -> None:
    result = run("--step", "1")
    assert result.stdout.splitlines()[1:] == [ALL[0], ALL[1], "Recent,attic,2,true,17/6,false", ALL[3]]


def test_a_program_may_have_its_own_facts(folder: Path) -> None:
    (folder / "own.dmtl").write_text("Q(X) :- P(X)\nP(a)@1/3\n")
    assert call("run", "own.dmtl").stdout.splitlines()[1:] == ["Q,a,1/3,true,1/3,true"]


def test_a_query_leaves_out_the_rest() -> None:
    assert run("--query", "Recent").stdout.splitlines()[1:] == ALL[2:]
    assert run("--query", "Recent").stderr.splitlines()[0] == "3 facts read, 0 of names no rule knows, 0 malformed"


def test_a_query_that_no_rule_derives() -> None:
    assert run("--query", "Recents").stderr == "error: no rule derives Recents; did you mean Recent?\n"
    assert "there are Quiet, Recent" in run("--query", "Alarm").stderr


def test_json_lines_and_parquet_have_numbers(folder: Path) -> None:
    lines = [json.loads(line) for line in run("--format", "jsonl").stdout.splitlines()]
    assert lines[1] == {
        "predicate": "Quiet",
        "args": "hall",
        "start": pytest.approx(4 / 3),
        "start_closed": False,
        "end": 3,
        "end_closed": True,
    }
    run("--output", "found.parquet")
    assert pq.read_table(folder / "found.parquet").to_pylist() == lines


def test_a_table_for_people() -> None:
    assert run("-f", "table", "--query", "Recent").stdout.splitlines()[-1].split() == [
        "Recent",
        "hall",
        "1",
        "true",
        "4/3",
        "true",
    ]


def test_what_has_no_end_is_infinite(folder: Path) -> None:
    (folder / "rules.dmtl").write_text("Old(X) :- Diamondminus[2,inf) P(X)\nNot(X) :- Boxplus[0,1] Q(X)\n")
    (folder / "facts.txt").write_text("P(a)@3\nQ(a)@(-inf,7)\n")
    assert run().stdout.splitlines()[1:] == ["Not,a,-inf,false,6,false", "Old,a,5,true,inf,false"]
    assert json.loads(run("-f", "jsonl").stdout.splitlines()[0])["start"] is None


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack: type[bytes]) -> None:
    assert run(events="-", stdin=pack(FACTS.encode())).stdout.splitlines()[1:] == ALL


def test_the_reference_says_the_same() -> None:
    assert run("--engine", "reference").stdout == run().stdout
    assert run("--engine", "reference", "--query", "Recent").stdout == run("--query", "Recent").stdout


def test_rows_that_cannot_be_read(folder: Path) -> None:
    (folder / "facts.txt").write_text(FACTS + "Alarm(hall\nAlarm(x)@[3,1]\nAlarm(a,b)@1\nOther@1\n")
    result = run("--rejects", "rejects.csv")
    assert result.stdout.splitlines()[1:] == ALL
    assert result.stderr.splitlines()[0].startswith("skipped facts.txt:4: ")
    assert "3 facts read, 2 of names no rule knows, 2 malformed" in result.stderr
    assert "names no rule knows: Alarm/2 (1), Other (1)" in result.stderr
    assert len((folder / "rejects.csv").read_text().splitlines()) == 3
    strict = run("--strict")
    assert strict.exit_code == 1
    assert strict.stderr.startswith("error: facts.txt:4: ")


def test_a_mapping(folder: Path) -> None:
    (folder / "log.csv").write_text("kind,at,until,room\nalarm,1,,hall\nroom,0,3,hall\nalarm,2.25,,attic\n")
    (folder / "mapping.toml").write_text(
        """
        [event.Alarm]
        time = "at"
        args = ["room"]
        where = { kind = "alarm" }

        [fluent.Room]
        start = "at"
        end = "until"
        args = ["room"]
        where = { kind = "room" }
        """
    )
    found = run("--mapping", "mapping.toml", "--query", "Quiet", events="log.csv")
    assert found.stdout.splitlines()[1:] == ALL[:2]


def test_a_profile() -> None:
    lines = run("--profile", "--step", "1", "--end", "5").stderr.splitlines()
    assert [line.split()[-1] for line in lines[-2:]] == ["Recent/1", "Quiet/1"]
    assert "kept" in lines[-1]


def test_what_goes_on_for_ever_is_told() -> None:
    result = run(rules="forever.dmtl", events="-", stdin=b"Order(tea)@1\n")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["Due,tea,1,true,1,true"]
    assert result.stderr.splitlines()[-1] == "… and so on every 5: Due from 1 on"
    assert len(run("--end", "21", rules="forever.dmtl", events="-", stdin=b"Order(tea)@1\n").stdout.splitlines()) == 6


def test_what_goes_on_for_ever_into_the_past(folder: Path) -> None:
    (folder / "back.dmtl").write_text("Due(X) :- Order(X)\nDue(X) :- Diamondplus[5] Due(X)\n")
    result = run(rules="back.dmtl", events="-", stdin=b"Order(tea)@1\n")
    assert result.stderr.splitlines()[-1] == "… and so on every 5: Due before 1"
    assert run("--start", "-6", rules="back.dmtl", events="-", stdin=b"Order(tea)@1\n").exit_code == 0


def test_the_future_on_a_stream() -> None:
    refused = run("--step", "1", rules="ahead.dmtl")
    assert refused.exit_code == 1
    assert "ahead.dmtl:1:12: error[HF621]" in refused.stderr
    assert "^^^^^^^^^^^^^^^^" in refused.stderr
    assert refused.stdout == ""
    late = run("--step", "1", "--delay", "2", "--start", "-2", "--end", "3", rules="ahead.dmtl")
    assert late.stdout == run("--start", "-2", "--end", "3", rules="ahead.dmtl").stdout
    assert run("--step", "1", "--delay", "inf", rules="ahead.dmtl").exit_code == 0
    too_late = run("--step", "1", "--delay", "1.5", rules="ahead.dmtl")
    assert too_late.stderr == "error: answers come 2 later than what they are about; the delay allows 1.5\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--window", "3"], "--window cannot be used with a .dmtl program"),
        (["--start", "3", "--end", "2.5"], "end 2.5 lies before start 3"),
        (["--step", "0"], "the step must be greater than 0, not 0"),
        (["--step", "1", "--delay", "long"], "--delay must be a number"),
    ],
)
def test_options_that_make_no_sense(options: list[str], message: str) -> None:
    result = run(*options)
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_time_that_is_no_number() -> None:
    result = run("--end", "soon")
    assert result.exit_code == 2
    assert "'soon' is not a time-point such as 3" in result.stderr


def test_other_programs_have_whole_numbers(folder: Path) -> None:
    (folder / "rules.prolog").write_text("initiatedAt(on=true, T) :- happensAt(press, T).")
    (folder / "events.csv").write_text("press|1|1\n")
    assert call("run", "rules.prolog").exit_code == 2
    for option, value in [("--end", "1/2"), ("--step", "0"), ("--delay", "1")]:
        result = run(option, value, rules="rules.prolog", events="events.csv")
        assert result.exit_code == 1
        assert result.stderr.startswith(f"error: {option}")


# check, fmt, graph, plan


def test_check() -> None:
    assert call("check", "rules.dmtl").stdout == "2 clauses, no findings\n"
    assert call("check", "--streaming", "rules.dmtl").exit_code == 0
    assert call("check", "ahead.dmtl").exit_code == 0
    assert call("check", "--streaming", "ahead.dmtl").exit_code == 1
    assert call("check", "--streaming", "--delay", "2", "ahead.dmtl").exit_code == 0


def test_a_look_ahead_from_the_past_may_run_on_a_stream(folder: Path) -> None:
    (folder / "ahead.dmtl").write_text("Q(X) :- Diamondminus[2] Diamondplus[1,2] Alarm(X)\n")
    assert call("check", "--streaming", "ahead.dmtl").exit_code == 0
    options = "--start", "0", "--end", "9"
    assert run("--step", "1", *options, rules="ahead.dmtl").stdout == run(*options, rules="ahead.dmtl").stdout


def test_check_finds_all_mistakes(folder: Path) -> None:
    (folder / "broken.dmtl").write_text("Q(X) :- P(X,Y\nR(Z) :- P(X)\n")
    result = call("check", "broken.dmtl")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "1 clause, 2 errors"
    assert [item["line"] for item in json.loads(call("check", "--json", "broken.dmtl").stdout)] == [1, 2]
    assert run(rules="broken.dmtl").exit_code == 1


def test_check_strict(folder: Path) -> None:
    (folder / "warned.dmtl").write_text("Q(X) :- Boxminus[0,inf) P(X)\n")
    assert call("check", "warned.dmtl").exit_code == 0
    assert call("check", "--strict", "warned.dmtl").exit_code == 1


def test_fmt(folder: Path) -> None:
    (folder / "rules.dmtl").write_text("Q( X ):-<->[0,2]P(X) ,R( X). # why\n")
    assert call("fmt", "rules.dmtl").stdout == "Q(X) :- Diamondminus[0,2] P(X), R(X)  # why\n"
    assert call("fmt", "--check", "rules.dmtl").exit_code == 1
    call("fmt", "--write", "rules.dmtl")
    assert call("fmt", "--check", "rules.dmtl").exit_code == 0


def test_graph() -> None:
    text = call("graph", "rules.dmtl").stdout
    assert 'v_Recent["Recent/1<br/>level 1"]:::derived' in text
    assert 'v_Recent -.->|"not"| v_Quiet' in text
    assert 'v_Alarm -> v_Recent [label="◇⁻[0,1/3]"];' in call("graph", "-f", "dot", "rules.dmtl").stdout
    assert ">◇⁻[0,1/3]</text>" in call("graph", "-f", "svg", "rules.dmtl").stdout


def test_plan() -> None:
    lines = call("plan", "forever.dmtl").stdout.splitlines()
    assert lines == [
        "t_Π = 5, the largest distance in the rules",
        "the shortest interval has length 0",
        "no rule looks ahead: on a stream, answers are final at once",
        "",
        "tables",
        "  Due/1 given    input fluent",
        "  Order/1 given  input fluent",
        "  Due/1          static fluent",
        "",
        "stage 1: key of 1 column",
        "  input Due/1 given by column 1",
        "  input Order/1 given by column 1",
        "  component Due/1  (metric rules, recursive forward by 5)",
        "    Due/1 by column 1",
        "    1. gives Due(r1)  forever.dmtl:1",
        "         Order(r1)",
        "    2. gives Due(r1)  forever.dmtl:2",
        "         Due(r1) at some time [5,5] before",
        "    keeps on a stream, for each instance",
        "      Due/1: all intervals to come, for 5, because of the punctual interval at forever.dmtl:2",
    ]


def test_plan_is_what_the_engine_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bytes] = []
    core = compiled_core()

    class Compiled:
        @staticmethod
        def Core(data: bytes, host: Any, *more: Any) -> Any:
            given.append(data)
            return core.Core(data, host, *more)

    monkeypatch.setattr(metric_driver, "compiled_core", lambda: Compiled)
    load("rules.dmtl").materialise({"Alarm": [(1, "hall")]})
    printed = call("plan", "rules.dmtl").stdout
    # A run counts time as finely as its facts need. These need no more than the rules.
    assert printed == plan_text(from_bytes(given[0])) + "\n"


def test_plan_of_what_looks_ahead() -> None:
    lines = call("plan", "ahead.dmtl").stdout.splitlines()
    assert "rules look ahead: a stream needs a delay; `holdsfor check --streaming` reports these rules" in lines
    assert not any("keeps on a stream" in line for line in lines)


def test_plan_as_json() -> None:
    data = json.loads(call("plan", "--json", "ahead.dmtl").stdout)
    assert (data["reach"], data["granularity"], data["looks_ahead"]) == ("2", "1", True)
    component = data["stages"][0]["components"][0]
    assert component["metric"][0]["program"] == ["Alarm(r1) at some time [-2,-1] before"]
    assert component["keeps_on_a_stream"] == []
