"""Markdown tests of rules that are files of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError
from holdsfor.testing import assert_markdown, run_checks

OPENED = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\n"
CLOSED = "terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).\n"
HAPPENED = "# Doors\n```events\n3 unlock(front)\n9 lock(front)\n```\n"
EXPECTED = "```expected\nopen(front) [4,10)\n```\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("doors.prolog").write_text(OPENED + CLOSED)
    Path("doors.md").write_text(HAPPENED + EXPECTED)
    return tmp_path


def invoke(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["test", *words])
    return result.exit_code, result.output


def test_the_command_names_the_rules(folder: Path) -> None:
    assert invoke("doors.md", "--rules", "doors.prolog") == (0, "2 checks passed (local, reference)\n")
    Path("opened.prolog").write_text(OPENED)
    Path("closed.prolog").write_text(CLOSED)
    assert invoke("doors.md", "--rules", "opened.prolog", "--rules", "closed.prolog")[0] == 0
    status, output = invoke("doors.md", "--rules", "opened.prolog")
    assert status == 1
    assert "doors.md:6: no rule knows lock" in output
    assert_markdown("doors.md", rules=["doors.prolog"])


def test_a_test_without_rules_says_how_to_name_them(folder: Path) -> None:
    status, output = invoke("doors.md")
    assert status == 1
    assert "doors.md:6: there are no rules to check" in output
    assert "--rules FILE" in output


@pytest.mark.parametrize(
    "head",
    [
        "rules: ../doors.prolog",
        "title: Doors  # as the site shows it\nrules: '../doors.prolog'",
        "rules: [../opened.prolog, ../closed.prolog]",
        "rules:\n  - ../opened.prolog  # first\n  - ../closed.prolog\ntags:\n  - doors",
    ],
)
def test_the_head_of_a_page_names_rules_beside_it(folder: Path, head: str) -> None:
    Path("opened.prolog").write_text(OPENED)
    Path("closed.prolog").write_text(CLOSED)
    Path("tests").mkdir()
    Path("tests/doors.md").write_text(f"---\n{head}\n---\n{HAPPENED}{EXPECTED}")
    assert invoke("tests/doors.md")[0] == 0
    # Other rules for the same tests.
    swapped = f"{OPENED}{CLOSED}".replace("unlock", "x").replace("lock", "unlock").replace("x(", "lock(")
    Path("other.prolog").write_text(swapped)
    status, output = invoke("tests/doors.md", "--rules", "other.prolog")
    assert status == 1
    line = 7 + len(head.splitlines()) + 2
    assert f"tests/doors.md:{line}: open(front)=true\n    expected  [4,10)\n    found     [10,inf)" in output


def test_a_line_of_dashes_is_no_head(folder: Path) -> None:
    Path("doors.md").write_text(f"---\n{HAPPENED}{EXPECTED}")
    assert invoke("doors.md", "--rules", "doors.prolog")[0] == 0


def test_rules_load_other_files_from_their_own_folder(folder: Path) -> None:
    Path("rules").mkdir()
    Path("rules/main.prolog").write_text(f":- include('parts/closed').\n{OPENED}")
    Path("rules/parts").mkdir()
    Path("rules/parts/closed.prolog").write_text(CLOSED)
    assert invoke("doors.md", "--rules", "rules/main.prolog")[0] == 0
    # A file that is named and loaded is there once.
    assert invoke("doors.md", "--rules", "rules/main.prolog", "--rules", "rules/parts/closed.prolog")[0] == 0
    Path("rules/parts/closed.prolog").write_text(CLOSED.replace("lock(D)", "lock(D"))
    status, output = invoke("doors.md", "--rules", "rules/main.prolog")
    assert status == 1
    assert "rules/parts/closed.prolog:1:" in output
    # A block of the page loads files from the folder of the page.
    Path("rules/parts/closed.prolog").write_text(CLOSED)
    Path("rules/doors.md").write_text(f"```prolog\n:- include('parts/closed').\n{OPENED}```\n{HAPPENED}{EXPECTED}")
    assert invoke("rules/doors.md")[0] == 0


def test_a_file_that_is_named_twice_counts_once(folder: Path) -> None:
    Path("counted.prolog").write_text("happensAt(twice(D), T) :- happensAt(unlock(D), T).\nside(left).\n")
    Path("twice.md").write_text(
        "---\nrules: counted.prolog\n---\n# A\n```prolog file=counted.prolog\n```\n"
        "```events\n3 unlock(front)\n```\n```expected\ntwice(front) at 3\n```\n"
    )
    (check, _) = run_checks("twice.md")
    assert len(check.check.given) == 2
    assert check.passed


def test_tables_of_facts(folder: Path) -> None:
    Path("rules.prolog").write_text(
        "initiatedAt(open(D, F)=true, T) :- happensAt(unlock(D), T), floor(D, F).\n"
        "terminatedAt(open(D, F)=true, T) :- happensAt(lock(D), T), floor(D, F).\n"
    )
    Path("doors.csv").write_text("door,floor\nfront,2\n")
    Path("tests").mkdir()
    Path("tests/doors.md").write_text(
        f"---\nrules: ../rules.prolog\nbackground: floor=../doors.csv\n---\n{HAPPENED}"
        "```expected\nopen(front, 2) [4,10)\n```\n"
    )
    assert invoke("tests/doors.md")[0] == 0
    Path("floor.csv").write_text("door,floor\nfront,7\n")
    status, output = invoke("tests/doors.md", "--background", "floor.csv")
    assert status == 1
    assert "open(front,7)=true\n    expected  never" in output
    with pytest.raises(HoldsforError, match=r"cannot read nowhere.prolog"):
        run_checks("tests/doors.md", rules=["nowhere.prolog"])


def test_metric_rules(folder: Path) -> None:
    Path("alarms.dmtl").write_text("Recent(X) :- Diamondminus[0,1/2] Alarm(X)\n")
    page = "---\nrules: alarms.dmtl\n---\n```facts\nAlarm(pump)@3\n```\n```expected\nRecent(pump)@[3,3.5]\n```\n"
    Path("alarms.md").write_text(page)
    assert invoke("alarms.md")[0] == 0
    status, output = invoke("alarms.md", "--background", "tier=tiers.csv")
    assert status == 1
    assert "not for .dmtl rules" in output


def test_a_folder_of_tests(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tests/deep").mkdir(parents=True)
    Path("tests/doors.md").write_text(f"---\nrules: ../doors.prolog\n---\n{HAPPENED}{EXPECTED}")
    Path("tests/deep/more.md").write_text(f"---\nrules: ../../doors.prolog\n---\n{HAPPENED}{EXPECTED}")
    Path("tests/README.md").write_text("# About these tests\n")
    assert invoke("tests") == (0, "4 checks passed (local, reference)\n")
    (folder / "tests/.venv").mkdir()
    Path("tests/.venv/other.md").write_text(f"{HAPPENED}{EXPECTED}")
    assert invoke("tests")[0] == 0
    monkeypatch.chdir("tests/deep")
    assert invoke("../../tests") == (0, "4 checks passed (local, reference)\n")
    monkeypatch.chdir(folder)
    Path("empty").mkdir()
    status, output = invoke("empty")
    assert status == 1
    assert "empty has no Markdown file (.md) with a block that is marked `expected`" in output


def test_update_with_rules(folder: Path) -> None:
    Path("doors.md").write_text(f"{HAPPENED}```expected\nopen(front) [1,2)\n```\n")
    assert invoke("doors.md", "--rules", "doors.prolog", "--update") == (0, "doors.md: 1 block changed\n")
    assert invoke("doors.md", "--rules", "doors.prolog")[0] == 0
