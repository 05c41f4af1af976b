"""Labels in all forms, scores, mistakes with their reasons."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError

RULES = """\
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
terminatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S >= 5.
happensAt(crawls(V), T) :- happensAt(speed(V,S), T), S < 2.
holdsFor(close(V,W)=true, I) :- holdsFor(near(V,W)=true, I).
"""
EVENTS: dict[str, Any] = {
    "speed": [(10, "tern", 3), (20, "tern", 7), (12, "gull", 4), (30, "gull", 9), (40, "gull", 1), (50, "gull", 8)],
    "near": [(14, 30, "true", "tern", "gull")],
}


def against(labels: Any, **options: Any) -> holdsfor.Backtest:
    events = EVENTS | {"near": pa.table({"start": [14], "end": [30], "value": ["true"], "v": ["tern"], "w": ["gull"]})}
    return holdsfor.backtest(holdsfor.loads(RULES), events, labels, **options)


LABELS = [("slow(tern)=true", 11, 21), ("slow(gull)=true", 15, 35), ("slow(owl)=true", 20, 24)]


def test_scores_by_time_and_by_episode() -> None:
    found = against(LABELS)
    score = found.score
    assert (score.labelled, score.found, score.labelled_agreed, score.found_agreed) == (3, 3, 2, 2)
    assert (score.labelled_time, score.found_time, score.labelled_shared) == (34, 38, 26)
    assert (score.time_precision, score.time_recall) == (26 / 38, 26 / 34)
    assert [(str(one.subject), one.start, one.end, one.wrong) for one in found.false_alarms] == [
        ("slow(gull)=true", 41, 51, 10)
    ]
    assert [(str(one.subject), one.wrong) for one in found.misses] == [("slow(owl)=true", 4)]
    assert found.why(found.false_alarms[0]).holds
    assert not found.why(found.misses[0]).holds
    assert found.lags == (-1, -2)


def test_tolerance_and_overlap() -> None:
    late = [("slow(tern)=true", 22, 30)]
    assert against(late).score.recall == 0
    assert against(late, tolerance=1).score.labelled_shared == 0
    assert against(late, tolerance=4).score.labelled_shared == 3
    assert against(late, tolerance=4).score.recall == 1
    assert against(late, tolerance=4, overlap=0.5).score.recall == 0
    with pytest.raises(HoldsforError, match="between 0 and 1"):
        against(late, overlap=2)


def test_points_are_counted_by_episode() -> None:
    found = against([("slow(tern)=true", 15), ("slow(gull)=true", 38)])
    assert (found.score.recall, found.score.precision) == (0.5, 1 / 3)
    assert math.isnan(found.score.time_recall)
    events = against([("crawls(gull)", 40), ("crawls(tern)", 10)])
    assert (events.score.recall, events.score.precision) == (0.5, 1)


def test_entities_in_any_order() -> None:
    swapped = [("close(gull,tern)=true", 14, 30)]
    assert against(swapped).score.recall == 0
    found = against(swapped, any_order=True)
    assert (found.score.recall, found.score.precision) == (1, 1)


def test_labels_outside_of_the_time_of_events() -> None:
    found = against([*LABELS, ("slow(tern)=true", 900, 950)])
    assert found.notes == ["1 of 4 labels lie outside of the time that the events cover"]
    assert found.score.labelled == 3


@pytest.mark.parametrize("form", ["result", "arguments", "parquet", "jsonl"])
def test_tables_of_labels(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"labels.{form if form in ('parquet', 'jsonl') else 'csv'}"
    if form == "result":
        path.write_text("query_time,fluent,value,start,end\n50,slow(tern),true,11,21\n50,slow(gull),true,15,35\n")
    elif form == "arguments":
        path.write_text("situation,vessel,vessel2,start,end\nslow,tern,,11,21\nslow,gull,,15,35\n")
    elif form == "parquet":
        columns = {"fluent": ["slow(tern)", "slow(gull)"], "start": [11, 15], "end": [21, 35]}
        parquet.write_table(pa.table(columns), path)
    else:
        rows = [{"fluent": "slow(tern)", "start": 11, "end": 21}, {"fluent": "slow(gull)", "start": 15, "end": 35}]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    score = against(path).score
    assert (score.labelled, score.labelled_agreed, score.labelled_shared) == (2, 2, 26)


def test_what_run_finds_agrees_with_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text(":- time_unit(min).\n" + RULES)
    Path("events.csv").write_text("speed|10|10|tern|3\nspeed|20|20|tern|7\nspeed|12|12|gull|4\n")
    words = ["rules.prolog", "--events", "events.csv"]
    assert CliRunner().invoke(app, ["run", *words, "-o", "labels.csv"]).exit_code == 0
    result = CliRunner().invoke(app, ["backtest", *words, "--labels", "labels.csv", "--window", "10min"])
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith("precision 100.0 %, recall 100.0 % by episode, by time 100.0 % and 100.0 %")
    for ending in ("html", "json", "md", "csv", "txt"):
        assert (
            CliRunner().invoke(app, ["backtest", *words, "--labels", "labels.csv", "-o", f"b.{ending}"]).exit_code == 0
        )
    assert json.loads(Path("b.json").read_text())["schema"] == "holdsfor.backtest/1"
    assert "<script" not in Path("b.html").read_text()
    assert (
        "no format ends in .doc"
        in CliRunner().invoke(app, ["backtest", *words, "--labels", "labels.csv", "-o", "b.doc"]).stderr
    )


def test_metric_programs() -> None:
    rules = holdsfor.loads_metric("Recent(X) :- Diamondminus[0,5] Alarm(X)")
    found = holdsfor.backtest(rules, {"Alarm": [(3, "pump"), (30, "pump")]}, [("Recent(pump)", 3, "11/2")])
    assert (found.score.recall, found.score.precision) == (1, 0.5)
    assert found.line.size(found.score.labelled_shared) == 2.5
    assert found.why(found.false_alarms[0]).holds
    assert "Recent(pump) [30, 35]: 5 not labelled" in found.text()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "there are no labels"),
        ([("slwo(tern)=true", 1, 2)], "labels name slwo, which no rule defines; did you mean slow"),
        ([("slow(tern)=true", 9, 2)], "its end 2 lies before its start 9"),
        ([("slow(", 1, 2)], "label 1: 'slow(' is not a fluent such as gap"),
        ([("slow(tern)",)], "label 1 must be"),
        ([("slow(tern)", "2026-01-01T00:00Z", 5)], "the time unit is unknown"),
        (pa.table({"what": ["a"]}), "labels need a column fluent or event or predicate or situation"),
        ("missing.csv", "cannot read labels from missing.csv"),
    ],
)
def test_mistakes_are_said(labels: Any, message: str) -> None:
    with pytest.raises(HoldsforError, match=message.replace("(", r"\(")):
        against(labels)
