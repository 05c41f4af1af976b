"""Numbers in a stream on real Spark: expressions without a value, keys and values beyond 64 bits."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor import loads
from holdsfor.cli import app
from tests.spark.test_stream_command import changes

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_session")]
MAPPING = 'name = "name"\ntime = "time"\nevent.go.args = ["k", "v"]\nevent.tick.args = ["k"]\n'


def run(folder: Path, rules: str, *lines: str, window: int = 30) -> Any:
    """Follow a folder of CSV files, each with some lines."""
    (folder / "rules.prolog").write_text(rules)
    (folder / "mapping.toml").write_text(MAPPING)
    (folder / "in").mkdir()
    for number, text in enumerate(lines):
        path = folder / "in" / f"{number}.csv"
        path.write_text("name,time,k,v\n" + text)
        # Spark reads them by age.
        os.utime(path, (1e9 + number, 1e9 + number))
    words = [
        "stream",
        "rules.prolog",
        "--mapping",
        "mapping.toml",
        "--source",
        "csv",
        "--path",
        f"{folder}/in",
        "--once",
    ]
    words += ["--window", str(window), "--step", "10", "--start", "0", "--buckets", "2", "--reports", "reports.jsonl"]
    words += ["--checkpoint", f"{folder}/checkpoint", "--sink", f"{folder}/out", "--option", "maxFilesPerTrigger=1"]
    words += ["--schema", "name string, time bigint, k string, v string"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("window", [30, 10], ids=["by what changes", "from scratch"])
def test_conditions_without_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.chdir(tmp_path)
    rules = "initiatedAt(share(X)=V, T) :- happensAt(go(X, N), T), V is 8 / N.\n"
    files = "go,1,x,2\ngo,4,x,0\ngo,7,y,0\ntick,11,x,\n", "go,12,y,1\ntick,21,x,\n", "go,23,z,0\ntick,31,x,\n"
    result = run(tmp_path, rules + "initiatedAt(ticked(X)=true, T) :- happensAt(tick(X), T).\n", *files, window=window)
    reports = [json.loads(line) for line in Path("reports.jsonl").read_text().splitlines()]
    # Keys may be evaluated once more, with rows from before.
    counted = [report["without_value"] for report in reports]
    assert counted[0] == 2
    assert counted[2] >= 1
    assert "batch 0: query time 10 (+1), 4 events, 0 late, 1 changes" in result.stdout
    assert ", 2 rows without a value, state" in result.stdout
    place, condition = "rules.prolog:1:55", "V is 8 / N in initiatedAt(share(X)=V, T): 8/0 has no value"
    assert all(report["first_without_value"].startswith(f"{place}: {condition}") for report in (reports[0], reports[2]))
    said = [line for line in result.stderr.splitlines() if line.startswith("no value:")]
    assert len(said) == 1
    assert said[0].startswith(f"no value: {place}: {condition}")


def test_keys_of_twenty_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rules = (
        "initiatedAt(on(K)=V, T) :- happensAt(go(K, V), T).\n"
        "initiatedAt(far(K)=true, T) :- happensAt(go(K, V), T), V > 12345678901234567890.\n"
    )
    rows = [(time, 12345678901234567880 + time % 7, 12345678901234567879 + time) for time in range(1, 21)]
    text = "".join(f"go,{time},{k},{v}\n" for time, k, v in rows)
    half = text.index("go,11,")
    run(tmp_path, rules, text[:half], text[half:])
    told = changes(tmp_path).to_pylist()
    intervals = {row["id"]: (row["fluent"], row["value"], row["start"]) for row in told if row["op"] != "retract"}
    local = loads(rules).recognise({"go": rows}, end=20).to_pandas()[["fluent", "value", "start"]]
    assert sorted(intervals.values()) == sorted(map(tuple, local.values))
    assert ("on(12345678901234567881)", "12345678901234567880", 2) in intervals.values()
