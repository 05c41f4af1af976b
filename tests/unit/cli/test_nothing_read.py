"""An input of which nothing can be read ends a run with a sentence that says what it looks like."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from holdsfor import HoldsforError, load
from holdsfor.cli import app

RULES = """\
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
"""
METRIC = "Open(D) :- Unlock(D).\n"
MAPPING = "; write a mapping with `holdsfor map NAME{rules} -o mapping.toml`, and give it with --mapping\n"
ROWS = "; without --mapping, --events takes rows such as name|arrival|occurrence|argument\n"
JSON = '{"time": 1, "kind": "unlock", "door": "front"}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "rules.dmtl").write_text(METRIC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(command: str, *arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, [command, *arguments], input=stdin)


LOOKS = [
    ("log.csv", b"time,kind,door\n1,unlock,front\n", "CSV with a header (columns time, kind, door)" + MAPPING),
    (
        "bom.csv",
        b"\xef\xbb\xbftime;kind;door\n1;unlock;front\n",
        "CSV with a header (columns time, kind, door)" + MAPPING,
    ),
    ("pipes.csv", b"time|kind|door\n1|unlock|front\n", "CSV with a header (columns time, kind, door)" + MAPPING),
    ("log.jsonl", JSON.encode(), "JSON lines (fields time, kind, door)" + MAPPING),
    ("log.jsonl.gz", gzip.compress(JSON.encode(), mtime=0), "JSON lines (fields time, kind, door)" + MAPPING),
    ("log.json", b"[\n" + JSON.encode() + b"]\n", "a JSON array" + MAPPING),
    ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "a binary file" + ROWS),
]


@pytest.mark.parametrize(("name", "contents", "says"), LOOKS, ids=[name for name, _, _ in LOOKS])
def test_a_file_that_needs_a_mapping(folder: Path, name: str, contents: bytes, says: str) -> None:
    (folder / name).write_bytes(contents)
    for command in ("run", "check"):
        result = invoke(command, "rules.prolog", "--events", name)
        assert result.exit_code == 1
        line = says.replace("NAME", name).format(rules=" --rules rules.prolog")
        assert result.stderr == f"error: nothing in {name} could be read: it looks like {line}"
        assert result.stdout == ""


def test_parquet(folder: Path) -> None:
    pq.write_table(pa.table({"time": [1]}), folder / "log.parquet")
    result = invoke("run", "rules.prolog", "--events", "log.parquet")
    assert (result.exit_code, "it looks like a Parquet file" in result.stderr) == (1, True)


def test_standard_input() -> None:
    result = invoke("run", "rules.prolog", "--events", "-", stdin=JSON.encode())
    assert result.exit_code == 1
    assert result.stderr.startswith("error: nothing in standard input could be read: it looks like JSON lines (fields")


def test_facts(folder: Path) -> None:
    (folder / "log.jsonl").write_text(JSON)
    result = invoke("run", "rules.dmtl", "--events", "log.jsonl")
    assert (result.exit_code, "it looks like JSON lines (fields time, kind, door)" in result.stderr) == (1, True)


def test_rows_that_are_all_malformed_are_written_aside(folder: Path) -> None:
    (folder / "events.csv").write_text("unlock|x|1|front\n")
    result = invoke("run", "rules.prolog", "--events", "events.csv", "--rejects", "bad.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith(
        "error: nothing in events.csv could be read, the first row is events.csv:1: arrival 'x' is not a whole number"
    )
    assert len((folder / "bad.csv").read_text().splitlines()) == 2


def test_a_mapping_that_reads_nothing(folder: Path) -> None:
    (folder / "log.jsonl").write_text('{"time": 1, "kidn": "unlock", "door": "front"}\n')
    (folder / "map.toml").write_text('time = "time"\nname = "kind"\n[event.unlock]\nargs = ["door"]\n')
    result = invoke("run", "rules.prolog", "--events", "log.jsonl", "--mapping", "map.toml")
    assert result.exit_code == 1
    assert result.stderr.startswith(
        "error: no row of log.jsonl could be read as map.toml says; the first: log.jsonl:1: kind is missing; did you mean kidn?"
    )


@pytest.mark.parametrize("rows", ["", "paint|1|1|front\n", "hello\nunlock|1|1|front\n", "time,kind\nlock|1|1|front\n"])
def test_a_quiet_day_and_a_stray_line_are_no_errors(folder: Path, rows: str) -> None:
    (folder / "events.csv").write_text(rows)
    assert invoke("run", "rules.prolog", "--events", "events.csv").exit_code == 0


def test_explain_and_python(folder: Path) -> None:
    (folder / "log.jsonl").write_text(JSON)
    says = "nothing in log.jsonl could be read: it looks like JSON lines (fields time, kind, door); give a mapping"
    says += ", which `holdsfor map log.jsonl -o mapping.toml` writes"
    result = invoke("explain", "rules.prolog", "open(front)=true", "--at", "2", "--events", "log.jsonl")
    assert (result.exit_code, result.stderr) == (1, f"error: {says}\n")
    for events in ("log.jsonl", [folder / "log.jsonl"]):
        with pytest.raises(HoldsforError, match=r"log\.jsonl could be read: it looks like JSON lines"):
            load("rules.prolog").recognise(events)
