"""What users write at first in Python: it works, or one sentence says what to write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import holdsfor.spark
from holdsfor import HoldsforError, Reasoner, load, loads, loads_metric

RULES = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
"""
NOON = 1_772_366_400
MOMENTS = pd.to_datetime(["2026-03-01 12:00", "2026-03-01 12:30", "2026-03-01 15:00"], utc=True)
DATED = {"unlock": pd.DataFrame({"time": MOMENTS, "door": ["front", "back", "cellar"]})}
PLAIN = {"unlock": [(3, "front"), (5, "back")], "lock": [(9, "front")]}


@pytest.fixture
def doors() -> Reasoner:
    return loads(RULES)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (None, "events is None; give files, or tables by event name such as {'unlock': table}"),
        (5, "events is an object of type int; give files"),
        ([(3, "front")], "events has an object of type tuple where a file name should be; give files"),
        (
            DATED["unlock"],
            "events is one table, and the kind of its rows is unknown; give files, or tables by event name",
        ),
        (pl.DataFrame({"time": [1], "door": ["a"]}), "events is one table, and the kind of its rows is unknown"),
        ({"unlok": [(3, "front")]}, "no rule reads an event or input fluent called 'unlok'; did you mean unlock?"),
        ({"zz": [(3,)]}, "no rule reads an event or input fluent called 'zz'; there are lock, unlock"),
        (
            {"unlok": [], "lokc": [], 3: []},
            "called 'unlok' (did you mean unlock?), 'lokc' (did you mean lock?), 3; there",
        ),
    ],
)
def test_events_that_are_none(doors: Reasoner, events: Any, message: str) -> None:
    for ask in (doors.recognise, lambda given: doors.explain("open(front)=true", 4, events=given)):
        with pytest.raises(HoldsforError) as found:
            ask(events)
        assert message in str(found.value)


def test_a_session_says_the_same(doors: Reasoner) -> None:
    for events, message in ((None, "events is None; give files"), (DATED["unlock"], "events is one table")):
        with pytest.raises(HoldsforError, match=message):
            doors.session().push(events)  # type: ignore[arg-type]


def test_one_misspelt_name_among_others_is_a_warning(doors: Reasoner) -> None:
    with pytest.warns(UserWarning, match=r"called 'lokc'; did you mean lock\?; these rows are left out") as said:
        assert len(doors.recognise({"unlock": [(3, "front")], "lokc": [(5, "front")]})) == 1
    assert said[0].filename == __file__


def test_no_table_at_all_is_no_mistake(doors: Reasoner) -> None:
    assert len(doors.recognise({})) == 0


def test_a_file_in_which_no_rule_knows_anything_is_a_warning(doors: Reasoner, tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("unlok|3|3|front\n")
    with pytest.warns(UserWarning, match="no rule knows any of the names in the input: 'unlok'"):
        doors.recognise(tmp_path / "events.csv")


def test_whole_floats_are_times_and_fractions_are_rejected(doors: Reasoner) -> None:
    whole = doors.recognise({"unlock": pd.DataFrame({"time": [3.0, 5.0], "door": ["front", "back"]})})
    assert sorted(row.start for row in whole) == [4, 6]
    with pytest.warns(UserWarning, match="1 malformed row skipped, first .*time is no whole number or timestamp"):
        some = doors.recognise({"unlock": pd.DataFrame({"time": [3.0, 5.5], "door": ["front", "back"]})})
    assert [row.start for row in some] == [4]
    assert some.summary.malformed == 1


# Results


def test_rows_by_number_and_slice(doors: Reasoner) -> None:
    result = doors.recognise(PLAIN)
    rows = list(result)
    assert len(rows) == len(result) == 2
    assert [result[place] for place in (0, 1, -1, np.int64(0))] == [rows[0], rows[1], rows[1], rows[0]]
    assert (result[:1], result[::-1], result[5:]) == (rows[:1], rows[::-1], [])
    with pytest.raises(IndexError):
        result[2]
    with pytest.raises(
        HoldsforError, match=r'the name of a fluent \(result\["name"\]\), the number of a row or a slice'
    ):
        result[None]  # type: ignore[call-overload]


def test_rows_by_number_at_several_query_times(doors: Reasoner) -> None:
    result = doors.recognise(PLAIN, window=4, step=4, start=0, end=12)
    assert [result[place] for place in range(len(result))] == list(result)


@pytest.mark.parametrize(
    "time",
    [MOMENTS[0] + pd.Timedelta("1s"), datetime(2026, 3, 1, 12, 0, 1, tzinfo=UTC), "2026-03-01T12:00:01Z", NOON + 1]
    + [np.datetime64("2026-03-01T12:00:01"), float(NOON + 1), "2026-03-01T13:00:01.5+01:00"],
)
def test_what_holds_at_a_moment(doors: Reasoner, time: Any) -> None:
    assert [row.fluent for row in doors.recognise(DATED).holds_at(time)] == ["open(front)"]


def test_moments_need_a_unit(doors: Reasoner) -> None:
    result = doors.recognise(PLAIN)
    with pytest.raises(
        HoldsforError, match=r'is a date, and the time unit is unknown; declare the unit, for example unit="s"'
    ):
        result.holds_at(pd.Timestamp("2026-03-01"))
    with pytest.raises(HoldsforError, match="time must be a whole number, a datetime"):
        result.holds_at(3.5)
    assert result.unit is None


# Windows


@pytest.mark.parametrize("hour", ["1h", "1 hour", "PT1H", timedelta(hours=1), pd.Timedelta("1h"), 3600, 3600.0])
def test_windows_as_durations(doors: Reasoner, hour: Any) -> None:
    result = doors.recognise(DATED, window=hour, start="2026-03-01T11:00Z", end="2026-03-01T15:00Z")
    assert result.query_times == [NOON + 3600 * number for number in range(4)]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "min", "h"])
def test_every_unit_gives_the_same_windows(doors: Reasoner, unit: str) -> None:
    result = doors.recognise(DATED, unit=unit, window="2h", step="1h", end=MOMENTS[2])
    assert result.unit == unit
    per_hour = {"s": 3600, "ms": 3600 * 10**3, "us": 3600 * 10**6, "ns": 3600 * 10**9, "min": 60, "h": 1}[unit]
    assert np.diff(result.query_times).tolist() == [per_hour] * (len(result.query_times) - 1)
    assert [row.fluent for row in result.holds_at(MOMENTS[1] + pd.Timedelta("90min"))] == ["open(back)", "open(front)"]


def test_a_date_as_an_end(doors: Reasoner) -> None:
    with pytest.warns(UserWarning, match="end '2026-03-02' has no time zone; it is read as UTC") as said:
        result = doors.recognise(DATED, end="2026-03-02")
    assert said[0].filename == __file__
    assert result.query_times == [NOON + 12 * 3600]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": "1h"}, r'window \'1h\' is a duration, .* declare the unit, for example unit="s"'),
        ({"window": timedelta(hours=1)}, "window '1:00:00' is a duration"),
        ({"end": "2026-03-02"}, "end '2026-03-02' is a date"),
        ({"window": "soon"}, "window must be a whole number of time-points, a timedelta, or text such as"),
        ({"window": 1.5}, "window must be a whole number of time-points"),
        ({"step": []}, "step must be a whole number of time-points"),
        ({"start": timedelta(1), "unit": "s"}, "start must be a whole number, a datetime, or text such as"),
        ({"unit": "fortnight"}, "unit must be one of s, ms, us, ns, min, h, d, not 'fortnight'"),
        ({"window": "90 s", "unit": "min"}, "is not a whole number of time-points: one is 1 min"),
        ({"end": 10**30}, "end .* is too large"),
        ({"threads": 0}, "threads must be at least 1, not 0"),
        ({"max_ahead": "soon"}, "max_ahead must be a whole number of time-points"),
    ],
)
def test_windows_that_are_none(doors: Reasoner, options: Any, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        doors.recognise(PLAIN, **options)


def test_a_declared_unit_makes_durations_of_plain_numbers(doors: Reasoner) -> None:
    assert doors.recognise(PLAIN, unit="min", window="1h", start=0, end=60).query_times == [60]


def test_mappings_declare_units(doors: Reasoner, tmp_path: Path) -> None:
    file = tmp_path / "events.csv"
    file.write_text("t,door\n3,front\n65,back\n")
    mapping = {"unit": "min", "time": "t", "event": {"unlock": {"args": ["door"]}}}
    assert doors.recognise(file, mapping=mapping, window="1h", start=0).query_times == [60, 120]
    with pytest.raises(HoldsforError, match="unit is 's', but mapping says 'min'; leave one of them out"):
        doors.recognise(file, mapping=mapping, unit="s")
    del mapping["unit"]
    assert doors.recognise(file, mapping=mapping, unit="min", window="1h", start=0).query_times == [60, 120]


# Questions


@pytest.mark.parametrize("at", ["2026-03-01T12:00:01Z", MOMENTS[0] + pd.Timedelta("1s"), NOON + 1])
def test_questions_about_moments(doors: Reasoner, at: Any) -> None:
    result = doors.recognise(DATED, window="1h", start=NOON - 3600)
    assert result.explain("open(front)=true", at, query_time=MOMENTS[0] + pd.Timedelta("1h")).holds
    assert doors.why("open(front)=true", at, events=DATED, window="1h", start="2026-03-01T11:00Z").holds
    with pytest.raises(HoldsforError, match="at must be a whole number, a datetime"):
        result.why("open(front)=true", "soon")
    with pytest.raises(HoldsforError, match="at .* is a date"):
        doors.why_not("open(front)=true", "2026-03-01", events=PLAIN)


# Sessions


def test_sessions_take_moments(doors: Reasoner) -> None:
    session = doors.session(window="1h", start="2026-03-01T11:00Z", unit="s")
    session.push_one("unlock", MOMENTS[0], "front")
    session.push_one("unlock", float(NOON + 60), "back")
    found = session.query("2026-03-01T12:30Z")
    assert [row.fluent for row in found.holds_at("2026-03-01T12:20Z")] == ["open(back)", "open(front)"]
    with pytest.raises(HoldsforError, match="this session counts time in 's', not 'ms'"):
        session.push(DATED, unit="ms")
    with pytest.raises(HoldsforError, match="window '1h' is a duration"):
        doors.session(window="1h")
    with pytest.raises(HoldsforError, match="the time of unlock must be a whole number, a datetime"):
        session.push_one("unlock", "noon", "front")
    with pytest.raises(HoldsforError, match=r"the time of unlock .* is too large: more than 2\^61 time-points"):
        session.push_one("unlock", 10**30, "front")


def test_a_session_learns_its_unit_from_timestamps(doors: Reasoner) -> None:
    session = doors.session()
    session.push(DATED)
    assert len(session.query(MOMENTS[2] + pd.Timedelta("1h"))) == 3


# Metric programs


def test_metric_programs_do_the_same() -> None:
    metric = loads_metric("A(X) :- Diamondminus[0,5] B(X)")
    assert repr(metric) == "<MetricReasoner: 1 rule; derives A>"
    result = metric.materialise({"B": [(3, "x"), (30, "y")]})
    rows = list(result)
    assert (result[0], result[-1], result[:1], result[::-1]) == (rows[0], rows[-1], rows[:1], rows[::-1])
    with pytest.raises(IndexError):
        result[2]
    with pytest.raises(HoldsforError, match=r'the name of a predicate \(result\["name"\]\), the number of a row'):
        result[None]  # type: ignore[call-overload]
    for facts, message in (
        (None, "facts is None; give files, or tables by predicate"),
        (DATED["unlock"], "facts is one"),
    ):
        with pytest.raises(HoldsforError, match=message):
            metric.materialise(facts)  # type: ignore[arg-type]


# What is shown


def test_a_reasoner_is_shown_in_a_line(doors: Reasoner) -> None:
    assert repr(doors) == "<Reasoner: 2 rules; reads unlock, lock; finds open>"
    many = "".join(f"initiatedAt(f{number}=true, T) :- happensAt(e{number}, T).\n" for number in range(50))
    assert len(repr(loads(many))) < 200
    assert repr(loads("")) == "<Reasoner: 0 rules; reads nothing; finds nothing>"


def test_what_spark_has_is_shown() -> None:
    assert set(holdsfor.spark.__all__) <= set(dir(holdsfor.spark))


@pytest.mark.parametrize("given", [None, 7, b"x", Path("rules.prolog")])
def test_rules_that_are_no_text(given: Any) -> None:
    for call, name in ((loads, "loads"), (loads_metric, "loads_metric")):
        with pytest.raises(HoldsforError, match=f"^{name} takes the text of rules, not .*; holdsfor.load reads"):
            call(given)
    if not isinstance(given, Path):
        with pytest.raises(HoldsforError, match="rules are read from files, and .* is not the name of one"):
            load(given)
