"""A stream of facts is killed in the middle of a batch, again and again: it finds what a run finds that was not."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from holdsfor.diagnostics import Source
from holdsfor.metric import from_metric_sources
from holdsfor.spark.java import JavaMissing, require_java
from holdsfor.spark.metric.changes import CHANGES
from tests.spark.metric_stream_simulated import replayed
from tests.spark.test_metric_stream import write
from tests.spark.test_stream_kill import killed_after

PROCESS = "tests.spark.metric_stream_process"


@pytest.mark.slow
def test_killed_again_and_again(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    from tests.spark.metric_stream_process import RULES

    rng = random.Random(5)
    lines = [
        [f"Temp({sensor},{rng.randint(15, 40)})@{2 * number + half}/2" for sensor in range(6) for half in range(2)]
        for number in range(12)
    ]
    for number, some in enumerate(lines):
        write(tmp_path / "in", number, some)
    write(tmp_path / "in", len(lines), ["Later@100"])
    kills = 0
    while kills < 6 and not killed_after(tmp_path, rng.uniform(0.5, 12), PROCESS):
        kills += 1
    assert kills
    assert kills < 6 or killed_after(tmp_path, None, PROCESS)
    files = sorted((tmp_path / "out").glob("batch=*/*.parquet"), key=lambda path: int(path.parent.name[6:]))
    changes = [row for file in files for row in pq.read_table(file, schema=CHANGES, partitioning=None).to_pylist()]
    (tmp_path / "all.txt").write_text("\n".join(line for some in lines for line in some))
    wanted = from_metric_sources([Source("rules.dmtl", RULES)]).materialise(tmp_path / "all.txt")
    assert {row.predicate for row in wanted} == {"High", "Hot", "Pair", "Any"}
    assert set(replayed(changes)) == {(row.predicate, "|".join(map(str, row.args)), *row[2:]) for row in wanted}
