"""The DatalogMTL conformance cases through the command line: what it prints is what is expected, to the letter."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.frontend.dmtl.numbers import number_text
from tests.conformance.dmtl_cases import ANSWERED, CASES, DELAYED, ENDING, RANDOM_CASES, REFUSED, STREAMED, Case

HEADER = "predicate,args,start,start_closed,end,end_closed"
FAST = STREAMED[::4]


def run(case: Case, folder: Path, *options: str) -> Result:
    program, facts = folder / "program.dmtl", folder / "facts.txt"
    program.write_text(case.program)
    facts.write_text(case.facts)
    span = ["--start", number_text(case.start), "--end", number_text(case.end), "--format", "csv"]
    return CliRunner().invoke(app, ["run", str(program), "--events", str(facts), *span, *options])


def expected(case: Case, query: str | None = None) -> list[str]:
    assert case.rows is not None
    return [
        f"{predicate},{args},{number_text(start)},{closed(start_closed)},{number_text(end)},{closed(end_closed)}"
        for predicate, args, start, start_closed, end, end_closed in sorted(case.rows)
        if query in (None, predicate)
    ]


def closed(flag: bool) -> str:
    return "true" if flag else "false"


def check(case: Case, folder: Path, options: Sequence[str] = (), query: str | None = None) -> None:
    result = run(case, folder, *options)
    assert result.exit_code == 0, result.stderr
    header, *lines = result.stdout.splitlines()
    assert header == HEADER
    assert lines == expected(case, query)


def steps(case: Case) -> list[Fraction]:
    return [step for step in (case.step, *case.alt_steps) if step is not None]


def check_every_way(case: Case, folder: Path) -> None:
    check(case, folder)
    check(case, folder, ("--query", case.query), case.query)
    for step in steps(case):
        check(case, folder, ("--step", number_text(step)))


@pytest.mark.parametrize("case", ANSWERED[::4], ids=lambda case: case.name)
def test_batch(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@pytest.mark.parametrize("case", FAST, ids=lambda case: case.name)
def test_every_way(case: Case, tmp_path: Path) -> None:
    check_every_way(case, tmp_path)


@pytest.mark.parametrize("case", ENDING[::8], ids=lambda case: case.name)
def test_reference(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path, ("--engine", "reference"))


@pytest.mark.slow
def test_every_case(tmp_path: Path) -> None:
    for case in ANSWERED:
        check(case, tmp_path)
    for case in ENDING:
        check(case, tmp_path, ("--engine", "reference"))
    for case in (*STREAMED, *RANDOM_CASES):
        check_every_way(case, tmp_path)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_cannot_run_on_a_stream_is_refused(case: Case, tmp_path: Path) -> None:
    result = run(case, tmp_path, "--step", "1")
    assert result.exit_code == 1
    assert "^" in result.stderr
    assert CliRunner().invoke(app, ["check", "--streaming", str(tmp_path / "program.dmtl")]).exit_code == 1


def test_what_can_run_on_a_stream_is_not(tmp_path: Path) -> None:
    program = tmp_path / "program.dmtl"
    for case in CASES:
        if case.mode == "stream":
            program.write_text(case.program)
            delay = ["--delay", "2"] if case.name in DELAYED else []
            result = CliRunner().invoke(app, ["check", "--streaming", str(program), *delay])
            assert result.exit_code == 0, (case.name, result.stdout)


def test_answers_that_come_later(tmp_path: Path) -> None:
    for case in CASES:
        if case.name in DELAYED:
            check_every_way(case, tmp_path)
            result = CliRunner().invoke(app, ["check", "--streaming", str(tmp_path / "program.dmtl")])
            assert result.exit_code == 1
            assert "let the answers come 2 later with --delay, run it in batch" in result.stdout
