"""Dates, durations and argument columns on the command line: Spark writes what a local run writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

pytestmark = pytest.mark.filterwarnings("ignore")
RULES = """
initiatedAt(cart(User,Shop)=true, T) :- happensAt(adds(User,Shop), T).
terminatedAt(cart(User,Shop)=true, T) :- happensAt(pays(User,Shop), T).
initiatedAt(rich(User)=true, T) :- happensAt(pays(User,_), T).
happensAt(paid(User), T) :- happensAt(pays(User,_), T).
"""
MAPPING = """
name = "kind"
time = "at"
[event.adds]
args = ["user", "shop"]
[event.pays]
args = ["user", "shop"]
"""
EVENTS = """kind,at,user,shop
adds,2026-03-01T12:00:00Z,7,a
adds,2026-03-01T12:10:00Z,8,B b
pays,2026-03-01T12:20:00Z,7,a
adds,2026-03-01T13:30:00Z,9,c
"""
METRIC = ":- time_unit(min).\nRecent(User,Shop) :- Diamondminus[0,1/3] pays(User,Shop)\nOften(User) :- adds(User,_)\n"


@pytest.fixture
def folder(one_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "mapping.toml").write_text(MAPPING)
    (tmp_path / "events.csv").write_text(EVENTS)
    (tmp_path / "metric.dmtl").write_text(METRIC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(rules: str, engine: str, *words: str) -> str:
    shared = ["run", rules, "--events", "events.csv", "--mapping", "mapping.toml", "-q", "--engine", engine, *words]
    done = CliRunner().invoke(app, [*shared, "--partitions", "2"] if engine == "spark" else shared)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_results(folder: Path) -> None:
    words = ["--columns", "--window", "1h", "--start", "2026-03-01T11:30Z", "--end", "2026-03-01T14:00Z"]
    local = run("rules.prolog", "local", *words, "--fluent", "cart")
    assert '2026-03-01T12:30:00Z,"cart(7,a)",true,2026-03-01T12:00:01Z,2026-03-01T12:20:01Z,7,a' in local
    assert run("rules.prolog", "spark", *words, "--fluent", "cart") == local
    files = {}
    for engine in ("local", "spark"):
        run("rules.prolog", engine, *words, "-o", engine, "--format", "parquet", "--derived-events", f"{engine}.jsonl")
        files[engine] = [pq.read_table(folder / engine / f"{name}.parquet") for name in ("cart", "rich")]
    assert files["spark"] == files["local"]
    assert (folder / "spark.jsonl").read_text() == (folder / "local.jsonl").read_text()


def test_metric_results(folder: Path) -> None:
    words = ["--columns", "--end", "2026-03-01T14:00Z"]
    local = run("metric.dmtl", "local", *words, "--query", "Recent")
    assert "Recent,7|a,2026-03-01T12:20:00Z,true,2026-03-01T12:20:20Z,true,7,a" in local
    assert run("metric.dmtl", "spark", *words, "--query", "Recent") == local
    for engine in ("local", "spark"):
        run("metric.dmtl", engine, *words, "-o", engine, "--format", "parquet")
    tables = [pq.read_table(folder / engine / "Recent.parquet") for engine in ("local", "spark")]
    assert tables[0] == tables[1]


def test_streams(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "events.csv").rename(folder / "in" / "events.csv")
    (folder / "rules.prolog").write_text(":- time_unit(s).\n" + RULES)
    words = "stream rules.prolog --source csv --mapping mapping.toml --window 1h --step 1h --columns --once"
    start = ["--start", "2026-03-01T11:30Z", "--schema", "kind string, at string, user int, shop string"]
    places = [
        "--path",
        str(folder / "in"),
        "--sink",
        "changes",
        "--derived-events",
        "happened",
        "--checkpoint",
        "check",
        "--buckets",
        "2",
    ]
    done = CliRunner().invoke(app, [*words.split(), *start, *places])
    assert done.exit_code == 0, done.stderr
    assert "query time 2026-03-01T13:30:00Z" in done.stdout
    carts = ds.dataset(folder / "changes" / "cart", partitioning="hive").to_table()
    assert [str(carts.schema.field(name).type) for name in ("start", "user", "shop")][1:] == ["int64", "string"]
    assert sorted(carts["user"].to_pylist()) == [7, 8, 9]
    assert sorted(path.name for path in (folder / "changes").iterdir()) == ["cart", "rich"]
    assert [path.name for path in (folder / "happened").iterdir()] == ["paid"]
