"""Directories, patterns, standard input and compressed files as events."""

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

from holdsfor import HoldsforError, load
from holdsfor.cli import app
from holdsfor.io.inputs import input_files
from holdsfor.io.sources import blocks

RULES = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\n"
METRIC = "Open(D) :- Unlock(D).\n"
MAPPING = 'time = "time"\n[event.unlock]\nargs = ["door"]\n'
SMALL = b"a\nb\nc\n" * 300


def zstd(text: bytes) -> bytes:
    return bytes(pa.compress(text, codec="zstd", asbytes=True))


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "rules.dmtl").write_text(METRIC)
    (tmp_path / "map.toml").write_text(MAPPING)
    days = tmp_path / "days"
    (days / "later").mkdir(parents=True)
    (days / "2.csv").write_text("time,door\n2,back\n")
    (days / "1.csv").write_text("time,door\n1,front\n")
    (days / "later" / "3.csv.gz").write_bytes(gzip.compress(b"time,door\n3,attic\n"))
    (days / "_SUCCESS").write_text("")
    (days / ".1.csv.crc").write_text("crc")
    return tmp_path


def run(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["run", "rules.prolog", *arguments], input=stdin)


def doors(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [line.split(",")[1][5:-1] for line in result.stdout.splitlines()[1:]]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["days"], ["attic", "back", "front"]),
        (["days/*.csv"], ["back", "front"]),
        (["days/**/*.csv*"], ["attic", "back", "front"]),
        (["days/[2-9].csv", "days/1.csv"], ["back", "front"]),
        (["days/1.csv", "days/*"], ["attic", "back", "front"]),
    ],
)
def test_directories_and_patterns(given: list[str], found: list[str]) -> None:
    options = [word for one in given for word in ("--events", one)]
    assert sorted(doors(run(*options, "--mapping", "map.toml"))) == found
    result = load("rules.prolog").recognise(given if len(given) > 1 else given[0], mapping="map.toml")
    assert sorted(row["fluent"][5:-1] for row in result.to_arrow().to_pylist()) == found
    reasoner: Any = load("rules.dmtl")
    metric = reasoner.materialise(given, mapping={"time": "time", "event": {"Unlock": {"args": ["door"]}}})
    assert sorted(row["args"] for row in metric.to_arrow().to_pylist()) == found


def test_rows_of_rtec_in_a_directory(folder: Path) -> None:
    (folder / "rows").mkdir()
    (folder / "rows" / "a.csv").write_text("unlock|1|1|front\n")
    (folder / "rows" / "b.csv").write_text("unlock|2|2|back\n")
    assert sorted(doors(run("--events", "rows"))) == ["back", "front"]
    assert load("rules.prolog").recognise("rows").why("open(back)=true", 5).holds


@pytest.mark.parametrize("ending", PACKED)
def test_compressed_files(folder: Path, ending: str) -> None:
    (folder / f"x.csv.{ending}").write_bytes(PACKED[ending](b"time,door\n1,front\n"))
    assert doors(run("--events", f"x.csv.{ending}", "--mapping", "map.toml")) == ["front"]
    packed = PACKED[ending](b"unlock|1|1|front\n")
    assert doors(run("--events", "-", stdin=packed)) == ["front"]
    (folder / "y").write_bytes(PACKED[ending](SMALL))
    assert b"".join(blocks("y")) == SMALL


def test_parquet_that_was_compressed_once_more_and_through_a_pipe(folder: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"time": [1], "door": ["front"]}), folder / "x.parquet")
    whole = (folder / "x.parquet").read_bytes()
    (folder / "x.parquet.gz").write_bytes(gzip.compress(whole))
    (folder / "parquet.toml").write_text(f'format = "parquet"\n{MAPPING}')
    assert doors(run("--events", "x.parquet.gz", "--mapping", "map.toml")) == ["front"]
    assert doors(run("--events", "-", "--mapping", "parquet.toml", stdin=whole)) == ["front"]


@pytest.mark.parametrize("ending", PACKED)
def test_damaged_files_are_one_line(folder: Path, ending: str) -> None:
    whole = PACKED[ending](os.urandom(5000).hex().encode())
    spoilt = whole[: len(whole) // 2] + b"\x00" * 40 + whole[len(whole) // 2 + 40 :]
    # A zstd file need not have a checksum.
    for damaged in [whole[:-20], *([spoilt] if ending != "zst" else [])]:
        (folder / "y.csv").write_bytes(damaged)
        result = run("--events", "y.csv")
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
        assert result.stderr.startswith("error: y.csv is a damaged")


def test_a_text_that_begins_like_a_compressed_file(folder: Path) -> None:
    (folder / "x.csv").write_text("BZh,time,door\n7,1,front\n")
    assert doors(run("--events", "x.csv", "--mapping", "map.toml")) == ["front"]


def test_entries_choose_their_files(folder: Path) -> None:
    (folder / "days" / "customers.csv").write_text("name\nann\n")
    (folder / "map.toml").write_text('time = "time"\n[event.unlock]\nfile = "[0-9].csv*"\nargs = ["door"]\n')
    assert sorted(doors(run("--events", "days", "--mapping", "map.toml"))) == ["attic", "back", "front"]
    (folder / "map.toml").write_text('time = "time"\n[event.unlock]\nfile = "x.csv"\nargs = ["door"]\n')
    result = run("--events", "days", "--mapping", "map.toml")
    assert result.stderr == "error: no entry of map.toml is about a file of days; see its `file` patterns\n"


def test_what_cannot_be_meant(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "days" / "notes.md").write_text("# Notes\n")
    said = {
        ("empty",): "empty is a directory without files",
        ("days/*.json",): "no file matches days/*.json",
        ("days",): "days has files that are no tables, such as notes.md; say which you mean, as in 'days/*.csv'",
        ("-", "-"): "standard input (-) is given twice; it can be read once",
        ("nowhere",): "cannot read nowhere: No such file or directory",
    }
    for given, message in said.items():
        options = [word for one in given for word in ("--events", one)]
        result = run(*options, "--mapping", "map.toml", stdin=b"")
        if given != ("nowhere",):
            assert (result.exit_code, result.stderr) == (1, f"error: {message}\n")
    result = run("--events", "nowhere")
    assert (result.exit_code, result.stderr) == (1, "error: cannot read nowhere: No such file or directory\n")


def test_tables_among_other_files(folder: Path) -> None:
    (folder / "days" / "rows.txt").write_text("unlock|1|1|front\n")
    result = run("--events", "days")
    assert result.exit_code == 1
    assert result.stderr == (
        "error: days has files of several kinds: 1.csv looks like CSV with a header (columns time, door), rows.txt does "
        "not; say which you mean, as in 'days/*.txt'\n"
    )
    (folder / "days" / "rows.txt").unlink()
    result = run("--events", "days")
    assert result.exit_code == 1
    assert "`holdsfor map days/1.csv --rules rules.prolog -o mapping.toml`" in result.stderr


def test_a_directory_without_permission(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, **options: object) -> object:
        problem = PermissionError(13, "Permission denied", str(path))
        options["onerror"](problem)  # type: ignore[operator]
        return iter(())

    monkeypatch.setattr("os.walk", refuse)
    with pytest.raises(HoldsforError, match="cannot read .*days: Permission denied"):
        input_files([folder / "days"])
