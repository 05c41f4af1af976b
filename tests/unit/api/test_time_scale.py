"""What one time-point is, carried from rules and input to results."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import holdsfor
from holdsfor import HoldsforError
from holdsfor.metric import loads_metric
from holdsfor.times import TimeScale
from tests.strategies.replay import replay

RULES = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
happensAt(beep(D), T) :- happensAt(lock(D), T).
fi(open(D)=true, open(D)=alarm, 600).
"""
SECONDS = ":- time_unit(s).\n"
ATHENS = SECONDS + ":- time_zone('Europe/Athens').\n"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVENTS = {"unlock": [(1772366400, "front")], "lock": [(1772366500, "front")]}
METRIC = "Recent(X) :- Diamondminus[0,1/2] Alarm(X)\n"


# Where it comes from


def test_the_rules_come_first() -> None:
    found = holdsfor.loads(":- time_unit(ms).\n" + RULES).recognise({"unlock": [(NOON, "front")]})
    assert found.time_scale == TimeScale("ms")
    assert found[0].start == 1772366400001


def test_an_argument(tmp_path: Path) -> None:
    assert holdsfor.loads(RULES).recognise(EVENTS, unit="min").time_scale == TimeScale("min")
    assert holdsfor.loads(RULES).recognise({"unlock": [(NOON, "front")]}, unit="min")[0].start == 29539441


def test_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("at,door\n2026-03-01T12:00:00Z,front\n")
    mapping = {"unit": "hours", "time": "at", "event": {"unlock": {"args": ["door"]}}}
    found = holdsfor.loads(RULES).recognise(tmp_path / "events.csv", mapping=mapping)
    assert (found.time_scale, found[0].start) == (TimeScale("h"), 492325)


def test_the_type_of_a_column() -> None:
    found = holdsfor.loads(RULES).recognise({"unlock": pd.DataFrame({"time": [NOON], "door": ["front"]})})
    assert (found.time_scale, found[0].start) == (TimeScale("s"), 1772366401)


def test_none_of_them() -> None:
    found = holdsfor.loads(RULES).recognise(EVENTS)
    assert found.time_scale is None
    assert found.to_arrow().schema.field("start").type == pa.int64()


def test_integers_are_time_points_of_the_declared_unit() -> None:
    assert holdsfor.loads(SECONDS + RULES).recognise(EVENTS)[0].start == 1772366401


def test_metric_units() -> None:
    rules = loads_metric(METRIC)
    dated = {"Alarm": pd.DataFrame({"time": [NOON], "what": ["pump"]})}
    assert rules.materialise({"Alarm": [(3, "pump")]}).time_scale is None
    assert rules.materialise(dated).time_scale == TimeScale("s")
    assert rules.materialise(dated, unit="minutes")[0].start == 29539440
    assert loads_metric(":- time_unit(h).\n" + METRIC).materialise(dated)[0].start == 492324
    with pytest.raises(
        HoldsforError, match=r"unit is 'ms', but the rules declare time_unit\(h\); leave one of them out"
    ):
        loads_metric(":- time_unit(h).\n" + METRIC).materialise(dated, unit="ms")


# Tables


def test_arrow_pandas_and_polars() -> None:
    found = holdsfor.loads(ATHENS + RULES).recognise(EVENTS)
    zone = ZoneInfo("Europe/Athens")
    assert found.to_arrow().schema.field("end").type == pa.timestamp("s", "Europe/Athens")
    frame = found.to_pandas()
    assert isinstance(frame["start"].dtype, pd.DatetimeTZDtype)
    assert frame["start"][0] == pd.Timestamp("2026-03-01T14:00:01", tz=zone)
    assert found.to_polars().schema["start"] == pl.Datetime("ms", "Europe/Athens")
    assert pl.DataFrame(found)["end"][0] == datetime(2026, 3, 1, 14, 1, 41, tzinfo=zone)
    assert found["open"].to_pandas(split=True)["end"][0] == pd.Timestamp("2026-03-01T12:01:41Z")
    assert found["open"].to_pandas()["query_time"][0] == pd.Timestamp("2026-03-01T12:01:40Z")
    assert found.derived_events["time"][0].as_py() == NOON + timedelta(seconds=100)
    assert found["beep"].to_pandas()["time"][0] == pd.Timestamp("2026-03-01T12:01:40Z")


def test_an_open_end_is_not_a_time() -> None:
    found = holdsfor.loads(SECONDS + RULES).recognise({"unlock": [(1772366400, "front")]})
    assert pd.isna(found.to_pandas()["end"][0])
    assert found.to_polars()["end"][0] is None
    assert "2026-03-01T12:00:01Z  inf" in repr(found)


def test_numbers_where_they_are_wanted() -> None:
    found = holdsfor.loads(SECONDS + RULES).recognise(EVENTS)
    assert found.to_arrow(points=True)["start"].to_pylist() == [1772366401]
    assert found.to_pandas(points=True)["end"].tolist() == [1772366501]
    assert [row.start for row in found] == [1772366401]


def test_every_unit() -> None:
    for unit in ("ns", "us", "ms", "s", "min", "h", "d"):
        found = holdsfor.loads(f":- time_unit({unit}).\n{RULES}").recognise({"unlock": [(NOON, "front")]})
        start = found.to_pandas()["start"][0]
        assert start == pd.Timestamp(found.time_scale.text(found[0].start))  # type: ignore[union-attr]


def test_results_are_shown_as_dates() -> None:
    found = holdsfor.loads(ATHENS + RULES).recognise(EVENTS)
    assert "open(front)  true   2026-03-01T14:00:01+02:00  2026-03-01T14:01:41+02:00" in repr(found)
    assert "<td>2026-03-01T14:00:01+02:00</td>" in found._repr_html_()
    assert "2026-03-01T14:01:40+02:00" in repr(found["beep"])


def test_metric_tables() -> None:
    found = loads_metric(ATHENS + METRIC).materialise({"Alarm": [(1772366400, "pump")]})
    assert found.to_pandas()["end"][0] == pd.Timestamp("2026-03-01T12:00:00.5Z")
    assert found.to_arrow().schema.field("start").type == pa.timestamp("ns", "Europe/Athens")
    assert found.to_arrow(exact=True)["end"].to_pylist() == ["2026-03-01T14:00:00.5+02:00"]
    assert found.to_arrow(points=True)["end"].to_pylist() == [1772366400.5]
    assert found[0].end == Fraction(3544732801, 2)
    assert "2026-03-01T14:00:00.5+02:00" in repr(found)


def test_metric_times_that_no_decimal_has_stay_numbers() -> None:
    rules = loads_metric(SECONDS + "Recent(X) :- Diamondminus[0,1/3] Alarm(X)\n")
    found = rules.materialise({"Alarm": [(1772366400, "pump")]})
    assert found.to_arrow(exact=True)["end"].to_pylist() == ["5317099201/3"]
    assert found.to_pandas()["end"][0] == pd.Timestamp("2026-03-01T12:00:00.333333333Z")


def test_metric_times_far_away() -> None:
    rules = loads_metric(":- time_unit(d).\nRecent(X) :- Diamondminus[0,1/2] Alarm(X)\n")
    found = rules.materialise({"Alarm": [(2_000_000, "pump"), (0, "pump")]})
    assert found.to_arrow().schema.field("start").type == pa.timestamp("us", "UTC")
    assert found.to_arrow(exact=True)["end"].to_pylist() == ["1970-01-01T12:00:00Z", "7445-10-25T12:00:00Z"]


# Times that are asked for


def test_times_and_durations_as_people_write_them() -> None:
    rules = holdsfor.loads(SECONDS + RULES)
    found = rules.recognise(EVENTS, window="1h", step=timedelta(minutes=30), start="2026-03-01T11:30Z", end=NOON)
    assert found.query_times == [1772366400]
    assert len(rules.recognise(EVENTS).holds_at("2026-03-01T12:01Z")) == 1
    assert not len(rules.recognise(EVENTS).holds_at(NOON))
    assert rules.explain("open(front)=true", "2026-03-01T12:01Z", events=EVENTS).holds


def test_metric_times_and_durations() -> None:
    rules = loads_metric(SECONDS + METRIC)
    facts = {"Alarm": [(1772366400, "pump")]}
    found = rules.materialise(facts, start=NOON, end="2026-03-01T12:00:00.25Z", tick="250 ms")
    assert found[0].end == Fraction(7089465601, 4)
    assert len(rules.materialise(facts).holds_at("2026-03-01T12:00:00.5Z")) == 1
    assert rules.explain("Recent(pump)", NOON, facts=facts).at == "2026-03-01T12:00:00Z"
    stepped = rules.materialise(facts, start=NOON, end=NOON + timedelta(seconds=3), step=timedelta(seconds=1))
    assert stepped.summary.steps == 4
    with pytest.raises(HoldsforError, match="start '2026-03-01T12:00Z' is a date, and the time unit is unknown"):
        loads_metric(METRIC).materialise(facts, start="2026-03-01T12:00Z")
    with pytest.raises(
        HoldsforError, match="step must be a number such as 3, 0.25, 1/3 or 1.5e3, a timedelta, or text"
    ):
        rules.materialise(facts, step="soon")


def test_metric_streams() -> None:
    stream = loads_metric(SECONDS + METRIC).stream()
    stream.push({"Alarm": [(1772366400, "pump")]})
    assert len(stream.advance("2026-03-01T11:59Z")) == 0
    assert "2026-03-01T12:00:00.5Z" in repr(stream.advance(NOON + timedelta(seconds=1)))
    session = loads_metric(METRIC).session(lateness="1h", unit="s")
    session.push({"Alarm": pd.DataFrame({"time": [NOON], "what": ["pump"]})})
    assert "2026-03-01T12:00:00.5Z" in repr(session.advance("2026-03-01T12:01Z").added)
    with pytest.raises(HoldsforError, match="this stream counts time in 's', not 'ms'"):
        session.push({"Alarm": []}, unit="ms")


def test_clock_ticks() -> None:
    rules = holdsfor.loads(":- time_unit(ms).\n" + RULES)
    for found in (
        rules.with_clock_tick(200).recognise({"unlock": [(NOON, "front")]}),
        rules.recognise({"unlock": [(NOON, "front")]}, clock_tick="200 ms"),
        rules.recognise({"unlock": [(NOON, "front")]}, clock_tick=timedelta(milliseconds=200)),
    ):
        assert found.to_pandas()["start"][0] == pd.Timestamp("2026-03-01T12:00:00.2Z")
    with pytest.raises(HoldsforError, match="clock_tick '1 s' is a duration, and the time unit is unknown"):
        holdsfor.loads(RULES).recognise(EVENTS, clock_tick="1 s")


# Sessions


def test_sessions() -> None:
    session = holdsfor.loads(ATHENS + RULES).session(window="1h")
    session.push_one("unlock", NOON, "front")
    found = session.query("2026-03-01T12:05Z")
    assert found.to_pandas()["start"][0] == pd.Timestamp("2026-03-01T12:00:01Z")
    session.push({"lock": [(1772366500, "front")]})
    changes = session.changes("2026-03-01T12:06Z")
    assert repr(changes).startswith("1 change at 2026-03-01T14:06:00+02:00\n")
    assert "lock(front) at 2026-03-01T14:01:40+02:00" in repr(changes)
    assert changes.to_pandas()["end"][0] == pd.Timestamp("2026-03-01T12:01:41Z")
    assert changes.to_arrow(points=True)["end"].to_pylist() == [1772366501]
    assert changes[0].end == 1772366501


# Explanations


def test_explanations_have_dates() -> None:
    rules = holdsfor.loads(ATHENS + RULES)
    found = rules.explain("open(front)=true", "2026-03-01T12:01Z", events=EVENTS)
    assert found.text().splitlines()[0] == (
        "open(front)=true holds at 2026-03-01T14:01:00+02:00, on [2026-03-01T14:00:01+02:00, 2026-03-01T14:01:41+02:00)"
    )
    assert "with D=front, T=2026-03-01T14:00:00+02:00" in found.text()
    assert not re.search(r"(?<!time=)177236", found.text())
    data = json.loads(found.json())
    assert data["at"] == "2026-03-01T14:01:00+02:00"
    assert data["root"]["interval"]["end"] == "2026-03-01T14:01:41+02:00"
    assert data["root"]["children"][0]["rule"]["bindings"]["T"] == "2026-03-01T14:00:00+02:00"
    assert "2026-03-01T14:01:00+02:00" in found.html()
    assert replay(found) == []


def test_refutations_have_dates() -> None:
    rules = holdsfor.loads(SECONDS + RULES)
    found = rules.explain("open(front)=true", "2026-03-01T13:00Z", events=EVENTS, window="2h", step="1h")
    assert not re.search(r"(?<!time=)177236", found.text())
    assert found.known_at == json.loads(found.json())["query_time"]
    assert replay(found) == []


def test_delays_are_explained_with_durations() -> None:
    rules = holdsfor.loads(SECONDS + RULES)
    events = {"unlock": [(NOON, "front")], "lock": [(NOON + timedelta(hours=1), "back")]}
    found = rules.explain("open(front)=alarm", "2026-03-01T12:20Z", events=events)
    assert "held until 2026-03-01T12:10:00Z, 10min later" in found.text()


def test_metric_explanations_have_dates() -> None:
    rules = loads_metric(ATHENS + METRIC)
    facts = {"Alarm": [(1772366400, "pump")]}
    assert (
        rules.explain("Recent(pump)", NOON, facts=facts)
        .text()
        .startswith(
            "Recent(pump) holds at 2026-03-01T14:00:00+02:00, on [2026-03-01T14:00:00+02:00, 2026-03-01T14:00:00.5+02:00]"
        )
    )
    found = rules.explain("Recent(pump)", "2026-03-01T12:00:01Z", facts=facts)
    assert found.headline == "Recent(pump) does not hold at 2026-03-01T14:00:01+02:00"
    assert "177236" not in found.text()


# What is written can be read


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s", "min", "h", "d"])
@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_intervals_are_read_back(unit: str, zone: str, ending: str, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from holdsfor.cli import app

    scale = f":- time_unit({unit}).\n:- time_zone('{zone}').\n"
    point = TimeScale(unit)
    noon = int(NOON.timestamp() * 10**9) // point.size
    (tmp_path / "rules.prolog").write_text(scale + RULES)
    rows = [f"unlock|{noon}|{noon}|front", f"lock|{noon + 7}|{noon + 7}|front", f"unlock|{noon + 9}|{noon + 9}|front"]
    (tmp_path / "events.csv").write_text("\n".join([*rows, ""]))
    output = tmp_path / f"out.{ending}"
    given = ["run", str(tmp_path / "rules.prolog"), "--events", str(tmp_path / "events.csv"), "-q", "-o", str(output)]
    result = CliRunner().invoke(app, [*given, "--columns"])
    assert result.exit_code == 0, result.output
    mapping = {"fluent": {"open": {"start": "start", "end": "end", "value": "value", "args": ["d"]}}}
    copy = "holdsFor(again(D)=true, I) :- holdsFor(open(D)=true, I).\ncollectIntervals(open(_)=true).\n"
    found = holdsfor.loads(scale + copy).recognise(output, mapping=mapping)
    assert [(row.start, row.end) for row in found] == [(noon + 1, noon + 8), (noon + 10, float("inf"))]
    # Without a unit in the rules, dates are in seconds.
    if unit == "s":
        assert holdsfor.loads(copy).recognise(output, mapping=mapping).time_scale == TimeScale("s")


def test_metric_intervals_are_read_back(tmp_path: Path) -> None:
    from holdsfor.io.writers import writing

    rules = loads_metric(ATHENS + METRIC)
    found = rules.materialise({"Alarm": [(1772366400, "pump")]})
    mapping = {"fluent": {"Recent": {"start": "start", "end": "end", "args": ["args"]}}}
    again = loads_metric(ATHENS + "Again(X) :- Recent(X)\n")
    for style in ("csv", "jsonl", "parquet"):
        table = found.to_arrow(exact=style != "parquet")
        with writing(style, tmp_path / f"out.{style}", table.schema) as writer:
            writer.write(table)
        row = again.materialise(tmp_path / f"out.{style}", mapping=mapping)[0]
        assert (row.start, row.end) == (Fraction(1772366400), Fraction(3544732801, 2))


def test_metric_facts_with_dates(tmp_path: Path) -> None:
    (tmp_path / "facts.txt").write_text(
        "Alarm(pump)@2026-03-01T12:00Z\nAlarm('a b')@[2026-03-01T12:00Z,2026-03-01T12:01Z)\n"
    )
    found = loads_metric(METRIC).materialise(tmp_path / "facts.txt")
    assert found.time_scale == TimeScale("s")
    assert [(row.args, row.start, row.end) for row in found] == [
        (("a b",), 1772366400, Fraction(3544732921, 2)),
        (("pump",), 1772366400, Fraction(3544732801, 2)),
    ]
    assert loads_metric(":- time_unit(min).\n" + METRIC).materialise(tmp_path / "facts.txt")[1].start == 29539440
