"""Output files are whole or not there."""

import errno
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor import HoldsforError
from holdsfor.cli import app
from holdsfor.io.outputs import created

RULES = "initiatedAt(open(D)=true, T) :-\n    happensAt(unlock(D), T).\n"
PAGE = "```prolog\ninitiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\n```\n```events\n3 unlock(a)\n```\n"


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with created(path) as file:
        file.write(b"a")
        assert not path.exists()
    assert path.read_bytes() == b"a"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "problem", [HoldsforError("no"), KeyboardInterrupt(), FileNotFoundError("other"), ValueError()]
)
def test_trouble_leaves_the_old_file(tmp_path: Path, problem: BaseException) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(type(problem)) as caught, created(path) as file:
        file.write(b"new")
        raise problem
    assert caught.value is problem
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_errors_do_not_take_away(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError), created(tmp_path / "bad.csv", kept_on_error=True) as file:
        file.write(b"row")
        raise HoldsforError("no")
    assert (tmp_path / "bad.csv").read_bytes() == b"row"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "out.csv", tmp_path):
        with pytest.raises(HoldsforError, match="cannot write"), created(path):
            pass
    with pytest.raises(HoldsforError, match="cannot write .*: No space left"), created(tmp_path / "full.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("out.csv", "run rules.prolog --events events.csv --output out.csv"),
        ("out.parquet", "run rules.prolog --events events.csv --output out.parquet"),
        ("derived.jsonl", "run rules.prolog --events events.csv --derived-events derived.jsonl"),
        ("line.svg", "run rules.prolog --events events.csv --timeline line.svg"),
        ("line.html", "run rules.prolog --events events.csv --timeline line.html"),
        ("line.html", "run rules.dmtl --events facts.txt --timeline line.html"),
        ("bad.csv", "run rules.prolog --events events.csv --rejects bad.csv"),
        ("graph.svg", "graph rules.prolog --output graph.svg"),
        ("plan.txt", "plan rules.prolog --output plan.txt"),
        ("why.html", "explain rules.prolog open(a) --events good.csv --at 5 --output why.html"),
        ("grammar.json", "grammar rtec --output grammar.json"),
        ("long.prolog", "fmt long.prolog --write"),
        ("doors.md", "test doors.md --update"),
    ],
)
def test_every_output_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text(RULES)
    Path("long.prolog").write_text(RULES.replace("\n    ", " "))
    Path("rules.dmtl").write_text("Open(X) :- Diamondminus[0,5] Unlock(X)\n")
    Path("events.csv").write_text("unlock|3|3|a\nunlock|x|3|a\n")
    Path("good.csv").write_text("unlock|3|3|a\n")
    Path("facts.txt").write_text("Unlock(a)@3\n")
    Path("doors.md").write_text(f"{PAGE}```expected\nopen(a) [1,2)\n```\n")
    target, old = Path(name), Path("the_old_one")
    target.exists() or target.write_bytes(b"old")
    content = target.read_bytes()
    # A file that is written in place would change under its other name as well.
    old.hardlink_to(target)
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 0, result.output
    assert target.read_bytes() != content
    assert old.read_bytes() == content
    assert not list(tmp_path.glob(".*"))
