"""Recall and precision by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa

from holdsfor_maritime.report.quality import TRUTH, read_truth, scores
from holdsfor_maritime.report.rows import situation_rows

INTERVALS = {
    "fluent": [
        "trawling(1)",
        "trawling(1)",
        "trawling(2)",
        "gap(3)",
        "gap(3)",
        "tugging(4,5)",
        "withinArea(1,fishing)",
    ],
    "value": ["true", "true", "true", "nearPorts", "farFromPorts", "true", "true"],
    "start": [110, 300, 100, 0, 500, 50, 0],
    "end": [200, 400, 200, 100, None, 60, 9],
}
TRUTH_ROWS = [
    ("trawling", 1, None, 100, 200),
    ("trawling", 2, None, 500, 560),
    ("trawling", 2, None, 600, 640),
    ("gap", 3, None, 400, 600),
    ("tugging", 5, 4, 50, 60),
    ("sar", 9, None, 0, 5),
]


def rows() -> pa.Table:
    return situation_rows(pa.table(INTERVALS))


def test_rows() -> None:
    found = rows().to_pylist()
    assert found[0] == {
        "id": "trawling(1)=true@110",
        "situation": "trawling",
        "value": "true",
        "vessel": 1,
        "vessel2": None,
        "area": None,
        "start": 110,
        "end": 200,
    }
    assert (found[5]["vessel"], found[5]["vessel2"], found[5]["area"]) == (4, 5, None)
    assert (found[6]["vessel"], found[6]["vessel2"], found[6]["area"]) == (1, None, "fishing")


def test_scores() -> None:
    columns = zip(*TRUTH_ROWS, strict=True)
    truth = pa.table([pa.array(column, kind) for column, kind in zip(columns, TRUTH.types, strict=True)], schema=TRUTH)
    by_name = {score.situation: score for score in scores(truth, rows(), {"gap": "farFromPorts"}, (0, 700))}
    trawling = by_name["trawling"]
    assert (trawling.happened, trawling.found) == (3, 3)
    assert (trawling.recall, trawling.precision) == (1 / 3, 1 / 3)
    assert (trawling.time_recall, trawling.time_precision) == (90 / 200, 90 / 290)
    assert (trawling.start_lag, trawling.end_lag) == (10, 0)
    assert (trawling.missed, trawling.missed_longest, trawling.spurious) == (2, 60, 2)
    gap = by_name["gap"]
    assert (gap.time_recall, gap.time_precision) == (0.5, 0.5)  # it is open, and ends with the data
    assert (gap.start_lag, gap.end_lag) == (100, 100)
    assert by_name["tugging"].time_recall == by_name["tugging"].recall == 1  # whoever of the two comes first
    assert by_name["sar"].recall == 0
    assert math.isnan(by_name["sar"].precision)


def test_truth_file(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("situation,vessel,vessel2,start,end\ntugging,4,5,50,60\nsar,9,,0,5\n")
    assert read_truth(path).to_pylist()[1] == {"situation": "sar", "vessel": 9, "vessel2": None, "start": 0, "end": 5}
