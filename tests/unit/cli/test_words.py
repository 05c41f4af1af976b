"""Words and options that all commands share: -h, -q, -, the names of engines."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from holdsfor.cli import app
from holdsfor.cli.commands import BUILT_IN
from holdsfor.engine_names import Engine

RULES = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "rules.dmtl").write_text("Open(D) :- Unlock(D).\n")
    (tmp_path / "events.csv").write_text("unlock|1|1|front\nunlock|1|x|front\npaint|2|2|front\nunlock|9|9|back\n")
    (tmp_path / "facts.txt").write_text("Unlock(front)@1\nnonsense\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


@pytest.mark.parametrize("command", [(), *((name,) for name in BUILT_IN)])
def test_help(command: tuple[str, ...]) -> None:
    short, long = invoke(*command, "-h"), invoke(*command, "--help")
    assert (short.exit_code, short.stdout) == (0, long.stdout)


def test_engines_have_one_word_each() -> None:
    assert [str(engine) for engine in Engine] == ["local", "reference", "spark"]
    run = ("run", "rules.prolog", "--events", "events.csv")
    assert invoke(*run, "--engine", "local").stdout == invoke(*run).stdout
    old = invoke(*run, "--engine", "columnar")
    assert (old.exit_code, "called local now" in old.stderr) == (2, True)
    old = invoke("test", "page.md", "--engine", "columnar")
    assert (old.exit_code, "columnar is called local now" in old.stderr) == (1, True)


@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet(option: str) -> None:
    for run in (
        ("run", "rules.prolog", "--events", "events.csv", "--window", "2", "--step", "4"),
        ("run", "rules.dmtl", "--events", "facts.txt"),
    ):
        said, quiet = invoke(*run), invoke(*run, option)
        assert said.stderr
        assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, said.stdout, "")
    assert invoke("run", "none.prolog", "--events", "events.csv", option).stderr.startswith("error: cannot read none")


def test_rules_from_standard_input() -> None:
    assert invoke("check", "-", stdin=RULES).stdout == "1 clause, no findings\n"
    wrong = invoke("check", "-", stdin="initiatedAt(a=true, T) :- happensAt(b, T), c.\n")
    assert (wrong.exit_code, wrong.stdout.startswith("<stdin>:1:44: error[HF101]")) == (1, True)
    assert invoke("fmt", "-", stdin=RULES).stdout == invoke("fmt", "rules.prolog").stdout
    assert "cannot be rewritten" in invoke("fmt", "-w", "-", stdin=RULES).stderr
    assert invoke("run", "-", "--events", "events.csv", stdin=RULES).exit_code == 0


def test_graphs_have_the_format_that_their_file_ends_in(folder: Path) -> None:
    for name, begins in (("g.svg", "<svg"), ("g.dot", "digraph"), ("g.mmd", "flowchart"), ("g", "flowchart")):
        assert invoke("graph", "rules.prolog", "-o", name).exit_code == 0
        assert (folder / name).read_text().startswith(begins)
    refused = invoke("graph", "rules.prolog", "-o", "g.png")
    assert (refused.exit_code, "no format ends in .png" in refused.stderr) == (1, True)
    assert invoke("graph", "rules.prolog", "-o", "g.png", "-f", "dot").exit_code == 0


def test_warnings_are_lines_without_our_code(tmp_path: Path) -> None:
    (tmp_path / "rules.prolog").write_text("initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\n")
    (tmp_path / "events.csv").write_text("unlock|3|3|a\nunlock|x|3|a\n")
    words = [
        "explain",
        str(tmp_path / "rules.prolog"),
        "open(a)",
        "--events",
        str(tmp_path / "events.csv"),
        "--at",
        "5",
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert result.stdout.startswith("open(a)=true holds at 5")
    assert result.stderr.startswith("warning: 1 malformed row skipped, first")
    assert "UserWarning" not in result.stderr
