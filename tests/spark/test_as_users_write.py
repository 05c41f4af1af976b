"""What users write at first on Spark: it works, or one sentence says what to write, before a worker runs."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import Any

import pytest

from holdsfor import HoldsforError, loads
from holdsfor.spark.scales import in_points
from holdsfor.times import TimeScale

RULES = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T)."
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECONDS = 1_772_366_400
ROWS = [(NOON, "front"), (NOON + timedelta(minutes=30), "back"), (NOON + timedelta(hours=3), "cellar")]
MAPPING = {"time": "time", "event": {"unlock": {"args": ["door"]}}}


@pytest.fixture
def dated(spark: Any) -> Any:
    return spark.createDataFrame(ROWS, "time timestamp, door string")


@pytest.fixture
def plain(spark: Any) -> Any:
    return spark.createDataFrame([(3, "front")], "time long, door string")


@pytest.mark.parametrize("hour", ["1 hour", "1h", timedelta(hours=1), 3600])
def test_windows_as_durations(dated: Any, hour: Any) -> None:
    from holdsfor.spark import recognise

    span: dict[str, Any] = {"window": hour, "start": "2026-03-01T11:00Z", "end": NOON + timedelta(hours=3)}
    local = loads(RULES).recognise({"unlock": ROWS}, **span)
    found = recognise(loads(RULES), {"unlock": dated}, **span, partitions=2)
    assert found.dtypes[0] == ("query_time", "timestamp")
    rows = {tuple(row) for row in in_points(found, TimeScale("s")).collect()}
    assert rows == {(r.query_time, r.fluent, r.value, r.start, None if r.end == inf else r.end) for r in local}


def test_the_unit_of_a_mapping_and_of_the_user(plain: Any) -> None:
    from holdsfor.spark import recognise

    for mapping, unit in (({"unit": "min", **MAPPING}, None), (MAPPING, "min")):
        found = recognise(loads(RULES), plain, mapping=mapping, unit=unit, window="1h", start=0, partitions=1)
        assert [row.query_time for row in in_points(found, TimeScale("min")).collect()] == [60]
    with pytest.raises(HoldsforError, match="unit is 's', but mapping says 'min'"):
        recognise(loads(RULES), plain, mapping={"unit": "min", **MAPPING}, unit="s")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": "1 hour"}, "window '1 hour' is a duration, .* declare the unit, for example unit=\"s\""),
        ({"window": "1 hous", "unit": "s"}, "window must be a whole number of time-points, a timedelta, or text"),
        ({"end": "2026-03-02"}, "end '2026-03-02' is a date"),
        ({"unit": "sek"}, "unit must be one of"),
    ],
)
def test_windows_that_are_none(plain: Any, options: Any, message: str) -> None:
    from holdsfor.spark import derived_events, recognise

    for run in (recognise, derived_events):
        with pytest.raises(HoldsforError, match=message):
            run(loads(RULES), {"unlock": plain}, **options)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (None, "events is None; give a DataFrame of Spark with a mapping, or a dict of DataFrames by event name"),
        ({"unlock": [(3, "front")]}, r"events\['unlock'\] is an object of type list; give a DataFrame of Spark"),
        ({}, "there is no DataFrame to read events from"),
    ],
)
def test_events_that_are_none(spark: Any, events: Any, message: str) -> None:
    from holdsfor.spark import recognise, recognise_stream

    with pytest.raises(HoldsforError, match=message):
        recognise(loads(RULES), events)
    with pytest.raises(HoldsforError, match=message):
        recognise_stream(loads(RULES), events, window=5)


def test_misspelt_names(plain: Any) -> None:
    from holdsfor.spark import recognise

    with pytest.raises(HoldsforError, match=r"called 'unlok'; did you mean unlock\?"):
        recognise(loads(RULES), {"unlok": plain})
    with pytest.warns(UserWarning, match=r"called 'unlok'; did you mean unlock\?; these rows are left out"):
        recognise(loads(RULES), {"unlok": plain, "unlock": plain})


def test_questions_about_moments(dated: Any) -> None:
    from holdsfor.spark import explain

    at = NOON + timedelta(seconds=1)
    assert explain(
        loads(RULES), {"unlock": dated}, "open(front)=true", at, window="1h", start="2026-03-01T11:00Z"
    ).holds
    with pytest.raises(HoldsforError, match="at must be a whole number, a datetime"):
        explain(loads(RULES), {"unlock": dated}, "open(front)=true", "soon")


def test_streams_take_durations(spark: Any, dated: Any, tmp_path: Path) -> None:
    from holdsfor.spark import recognise_stream

    dated.write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(dated.schema).parquet(str(tmp_path / "in"))
    asked: dict[str, Any] = {"window": "2 hours", "step": timedelta(hours=1), "lateness": "PT10M", "max_ahead": "1 day"}
    found = recognise_stream(loads(RULES), {"unlock": stream}, **asked, start="2026-03-01T11:00Z", idle="10 seconds")
    assert (found.windows.size, found.windows.step, found.windows.lateness) == (7200, 3600, 600)
    report = found.backfill(
        {"unlock": dated}, str(tmp_path / "out"), checkpoint=str(tmp_path / "check"), until="2026-03-01T17:00Z"
    )
    assert report.query_time == SECONDS + 5 * 3600
    for options, message in (
        ({"window": "1 hous"}, "window must be a whole number"),
        ({"window": 5, "lateness": "late"}, "lateness must be a whole number"),
        ({"window": 5, "idle": "soon"}, "idle must be a whole number of time-points, a timedelta"),
        ({"window": None}, "a stream needs a window"),
    ):
        with pytest.raises(HoldsforError, match=message):
            recognise_stream(loads(RULES), {"unlock": stream}, **options)


SCRIPT = f"""
import sys
import warnings
from pyspark.sql import SparkSession
from holdsfor import loads
from holdsfor.spark import recognise

spark = SparkSession.builder.master(sys.argv[1]).config("spark.ui.enabled", "false").getOrCreate()
events = {{"unlock": spark.sql("select 3L as time, 'front' as door")}}
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    try:
        print([row.fluent for row in recognise(loads({RULES!r}), events, partitions=1).collect()])
    except Exception as problem:
        print(type(problem).__name__, str(problem).splitlines()[0])
print([str(one.message) for one in said if "workers" in str(one.message)])
spark.stop()
"""


@pytest.mark.parametrize(
    ("master", "chosen"), [("local[1]", False), ("local[1]", True), ("local-cluster[1,1,1024]", False)]
)
def test_an_environment_that_is_not_activated(spark: Any, tmp_path: Path, master: str, *, chosen: bool) -> None:
    """The first `python3` on the path has none of the packages; the session is the user's own."""
    other = tmp_path / "python3"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    other.chmod(0o755)
    environment = {name: text for name, text in os.environ.items() if name != "PYSPARK_PYTHON"}
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    if chosen:
        environment["PYSPARK_PYTHON"] = str(other)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, master],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
    )
    shown = done.stdout.strip().splitlines()
    lacking = f"{other}, which lacks holdsfor or is another version of Python"
    if chosen:
        sentence = f"PYSPARK_PYTHON lets Spark's workers run {lacking}; set it to {sys.executable}"
        assert shown == [f"HoldsforError {sentence}", "[]"], done.stderr[-2000:]
    else:
        assert shown == ["['open(front)']", "[]"], done.stderr[-2000:]
