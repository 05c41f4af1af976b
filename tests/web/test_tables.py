"""Tables of a run: sorted and filtered over all rows, a page at a time, and as files."""

import csv
import io
from pathlib import Path

import pytest

from holdsfor.workbench.desk import Desk, Setting
from tests.web.bench import EVENTS, RULES, client, harbour, rows_of, written


@pytest.fixture
def page_and_run(tmp_path: Path):
    page = client(harbour(tmp_path))
    return page, page.post("/api/run", json={"files": {}}).json()


def cells(rows: list[dict], *places: int) -> list[list[str]]:
    return [[row["cells"][place] for place in places] for row in rows]


def test_intervals_have_a_duration(page_and_run) -> None:
    page, run = page_and_run
    found = page.post("/api/rows", json={"run": run["run"], "table": "found"}).json()
    assert found["columns"] == ["fluent", "value", "start", "end", "duration"]
    assert found["total"] == found["matching"] == run["intervals"] == 6
    assert ["slow(gull)", "true", "13", "31", "18"] in [row["cells"] for row in found["rows"]]
    assert ["slow(tern)", "true", "11", "inf", "open"] in [row["cells"] for row in found["rows"]]


def test_windows_have_a_column_for_the_query_time(tmp_path: Path) -> None:
    page = client(harbour(tmp_path))
    run = page.post("/api/run", json={"files": {}, "window": "40", "step": "20"}).json()
    found = page.post("/api/rows", json={"run": run["run"], "table": "found"}).json()
    assert found["columns"][0] == "query time"
    last = rows_of(page, run, sort="query time", descending=True)[0]["cells"][0]
    assert int(last) == max(int(row["cells"][0]) for row in rows_of(page, run))


def test_sorting_is_by_size_and_what_is_open_lasts_longest(page_and_run) -> None:
    page, run = page_and_run
    assert cells(rows_of(page, run, sort="duration"), 4) == [["15"], ["17"], ["18"], ["35"], ["open"], ["open"]]
    assert cells(rows_of(page, run, sort="duration", descending=True), 4)[0] == ["open"]
    assert cells(rows_of(page, run, sort="start"), 2) == [["11"], ["13"], ["14"], ["41"], ["76"], ["91"]]
    up, down = (cells(rows_of(page, run, sort="fluent", descending=d), 0, 1) for d in (False, True))
    assert up[0] == ["alarm(gull)", "escalated"] and down[0] == ["slow(tern)", "true"]
    # Rows that are equal stay in their order.
    assert [row for row in down if row[0] == "alarm(gull)"] == [row for row in up if row[0] == "alarm(gull)"]
    wrong = page.post("/api/rows", json={"run": run["run"], "table": "found", "sort": "colour"})
    assert wrong.status_code == 422 and "there is no column 'colour'" in wrong.json()["error"]


def test_filters_find_all_words_and_take_nothing_for_a_pattern(page_and_run) -> None:
    page, run = page_and_run
    assert len(rows_of(page, run, search="GULL alarm")) == 3
    assert cells(rows_of(page, run, search="alarm(gull)=off"), 1) == [["off"]]
    assert rows_of(page, run, search=".*") == [] and rows_of(page, run, search="[") == []


def test_a_page_at_a_time(page_and_run) -> None:
    page, run = page_and_run
    everything = rows_of(page, run, sort="start")
    assert rows_of(page, run, sort="start", offset=2, limit=2) == everything[2:4]
    assert rows_of(page, run, offset=50) == []
    assert page.post("/api/rows", json={"run": run["run"], "table": "found", "limit": 100_000}).status_code == 422


def test_events_are_in_order_of_time_with_the_ends_of_reported_intervals(page_and_run) -> None:
    page, run = page_and_run
    found = page.post("/api/rows", json={"run": run["run"], "table": "given"}).json()
    assert found["columns"] == ["time", "event", "until"] and found["total"] == 7
    shown = [row["cells"] for row in found["rows"]]
    assert shown[0] == ["10", "speed(tern,3)", ""] and ["14", "near(tern,gull)=true", "50"] in shown
    assert cells(rows_of(page, run, "given", search="distress"), 0) == [["40"], ["45"]]


def test_every_event_can_be_asked_about(page_and_run) -> None:
    page, run = page_and_run
    for row in rows_of(page, run, "given"):
        asked = {"run": run["run"], "question": row["question"], "at": row["at"]}
        assert page.post("/api/explain", json=asked).json()["holds"], row


def test_late_events_have_their_arrival(tmp_path: Path) -> None:
    page = client(harbour(tmp_path, events=EVENTS + "speed|99|20|tern|9\n"))
    run = page.post("/api/run", json={"files": {}}).json()
    found = page.post("/api/rows", json={"run": run["run"], "table": "given", "search": "tern,9"}).json()
    assert found["columns"][-1] == "arrival" and found["rows"][0]["cells"][-1] == "99"


def test_exports_have_all_rows_that_are_wanted(page_and_run) -> None:
    page, run = page_and_run
    wanted = {"run": run["run"], "table": "found", "search": "gull", "sort": "duration", "format": "csv"}
    answer = page.post("/api/export", json=wanted)
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["duration"] for row in rows] == ["15", "17", "18", "35", ""]
    assert rows[1] == {
        "query_time": rows[0]["query_time"],
        "fluent": "meeting(tern,gull)",
        "value": "true",
        "start": "14",
        "end": "31",
        "duration": "17",
    }
    as_json = page.post("/api/export", json={**wanted, "format": "json"}).json()
    assert [row["duration"] for row in as_json] == [15, 17, 18, 35, None]
    events = page.post("/api/export", json={"run": run["run"], "table": "given", "format": "csv"}).text
    assert len(events.splitlines()) == 8
    assert "csv or json" in page.post("/api/export", json={**wanted, "format": "xls"}).json()["error"]
    assert "no table" in page.post("/api/export", json={**wanted, "table": "secret"}).json()["error"]


def test_metric_programs_have_tables_too(tmp_path: Path) -> None:
    rules = written(tmp_path / "r.dmtl", "Boxplus(0,2] Slow(V) :- Brakes(V)\n")
    facts = written(tmp_path / "facts.txt", "Brakes(tram)@1\nBrakes('Big Bus')@1/3\n")
    page = client(Desk(Setting((rules,), (facts,))))
    run = page.post("/api/run", json={"files": {}}).json()
    found = page.post(
        "/api/rows", json={"run": run["run"], "table": "found", "search": "slow", "sort": "interval"}
    ).json()
    assert found["columns"] == ["fact", "interval", "duration"]
    assert [row["cells"] for row in found["rows"]] == [
        ["Slow('Big Bus')", "(1/3, 7/3]", "2"],
        ["Slow(tram)", "(1, 3]", "2"],
    ]
    given = page.post("/api/rows", json={"run": run["run"], "table": "given"}).json()
    assert {row["cells"][0] for row in given["rows"]} == {"Brakes(tram)", "Brakes('Big Bus')"}
    text = page.post("/api/export", json={"run": run["run"], "table": "found", "format": "csv"}).text
    assert "Slow('Big Bus'),1/3,false,7/3,true,2" in text


def test_no_events_are_no_rows(tmp_path: Path) -> None:
    page = client(harbour(tmp_path, events=""))
    run = page.post("/api/run", json={"files": {}}).json()
    for table in ("found", "given"):
        assert rows_of(page, run, table) == []
        assert page.post("/api/export", json={"run": run["run"], "table": table, "format": "json"}).json() == []


# What rules and data do not agree on


def test_input_that_no_row_provides_is_told_of(tmp_path: Path) -> None:
    desk = harbour(tmp_path, rules=RULES.replace("distress(V)", "distres(V)"))
    page = client(desk)
    found = page.post("/api/check", json={"files": {}}).json()["findings"]
    wanted = next(one for one in found if one["code"] == "HF304")
    assert "distres" in wanted["message"] and "the data has distress" in wanted["hint"]
    name = next(iter(desk.files))
    assert page.post("/api/check", json={"files": {name: RULES}}).json()["findings"] == []
    # Another sample is another answer.
    written(tmp_path / "harbour.csv", EVENTS.replace("answered|", "answred|"))
    again = page.post("/api/check", json={"files": {name: RULES}}).json()["findings"]
    assert [one["code"] for one in again] == ["HF304"] and "answered" in again[0]["message"]


def test_tables_with_a_mapping_are_looked_at_too(tmp_path: Path) -> None:
    table = written(tmp_path / "ais.csv", "t,vessel,knots\n10,tern,3\n")
    mapping = written(tmp_path / "ais.toml", 'time = "t"\n[event.speed]\nargs = ["vessel", "knots"]\n')
    desk = Desk(Setting((written(tmp_path / "r.prolog", RULES),), (table,), mapping=mapping))
    found = client(desk).post("/api/check", json={"files": {}}).json()["findings"]
    assert {one["code"] for one in found} == {"HF304"}
    assert not any("speed" in one["message"] for one in found)


def test_a_sample_that_cannot_be_read_says_so_when_it_is_run(tmp_path: Path) -> None:
    page = client(harbour(tmp_path, events='{"a": 1}\n'))
    assert page.post("/api/check", json={"files": {}}).json()["findings"] == []
    assert "could be read" in page.post("/api/run", json={"files": {}}).json()["error"]


# Dates


DATED = ":- time_unit(s).\n:- time_zone('Europe/Athens').\n"
NOON = 1772359200  # 2026-03-01T12:00 in Athens


def dated(folder: Path) -> Desk:
    rows = [line.split("|") for line in EVENTS.splitlines()]
    moved = [
        [row[0], *(str(NOON + int(cell)) if cell.isdigit() else cell for cell in row[1:4]), *row[4:]] for row in rows
    ]
    return harbour(folder, DATED + RULES, "".join("|".join(row) + "\n" for row in moved))


def test_times_are_dates_where_the_unit_is_known(tmp_path: Path) -> None:
    page = client(dated(tmp_path))
    run = page.post("/api/run", json={"files": {}}).json()
    (row,) = rows_of(page, run, search="slow(gull)")
    assert row["cells"][2:] == ["2026-03-01T12:00:13+02:00", "2026-03-01T12:00:31+02:00", "18s"]
    why = page.post("/api/explain", json={"run": run["run"], "question": row["question"], "at": row["at"]}).json()
    assert why["holds"]
    (event,) = rows_of(page, run, "given", search="answered")
    assert event["cells"][0] == "2026-03-01T12:01:30+02:00"
    text = page.post(
        "/api/export", json={"run": run["run"], "table": "found", "search": "slow(gull)", "format": "csv"}
    ).text
    assert text.splitlines()[1].endswith("slow(gull),true,2026-03-01T12:00:13+02:00,2026-03-01T12:00:31+02:00,18")


def test_windows_are_durations_where_the_unit_is_known(tmp_path: Path) -> None:
    page = client(dated(tmp_path))
    run = page.post("/api/run", json={"files": {}, "window": "1 min", "step": "30s"}).json()
    assert run.get("intervals"), run
    plain = client(harbour(tmp_path)).post("/api/run", json={"files": {}, "window": "1 min"})
    assert plain.status_code == 422 and "window" in plain.json()["error"]


def test_reasons_and_metric_programs_have_dates_too(tmp_path: Path) -> None:
    page = client(dated(tmp_path))
    run = page.post("/api/run", json={"files": {}}).json()
    asked = {"run": run["run"], "question": "slow(gull)=true", "at": str(NOON + 20)}
    why = page.post("/api/explain", json=asked).json()
    assert why["at"] == "2026-03-01T12:00:20+02:00" and str(NOON) not in why["root"]["text"]
    assert why["root"]["children"][0]["rule"]["values"]["T"] == "2026-03-01T12:00:12+02:00"
    rules = written(tmp_path / "r.dmtl", ":- time_unit(s).\nBoxplus[0,1/2] Slow(V) :- Brakes(V)\n")
    facts = written(tmp_path / "facts.txt", f"Brakes(tram)@{NOON}\n")
    page = client(Desk(Setting((rules,), (facts,))))
    run = page.post("/api/run", json={"files": {}}).json()
    (row,) = rows_of(page, run, search="slow")
    assert row["cells"] == ["Slow(tram)", "[2026-03-01T10:00:00Z, 2026-03-01T10:00:00.5Z]", "500ms"]
    asked = {"run": run["run"], "question": row["question"], "at": row["at"]}
    assert page.post("/api/explain", json=asked).json()["holds"]


def test_a_date_without_a_zone_is_told_of(tmp_path: Path) -> None:
    page = client(dated(tmp_path))
    run = page.post("/api/run", json={"files": {}}).json()
    assert run["has_dates"]
    asked = {"run": run["run"], "question": "slow(gull)=true", "at": "2026-03-01T10:00:20"}
    why = page.post("/api/explain", json=asked).json()
    assert why["holds"] and why["notes"][0].endswith("has no time zone; it is read as UTC")


def test_findings_about_a_sample_say_that_it_is_one(tmp_path: Path) -> None:
    found = client(harbour(tmp_path, sample=3)).post("/api/check", json={"files": {}}).json()["findings"]
    assert found and all(one["hint"].endswith("only the first 3 rows were looked at") for one in found)


def test_folders_and_patterns_are_their_files(tmp_path: Path) -> None:
    (tmp_path / "days").mkdir()
    first, second = EVENTS[:38], EVENTS[38:]
    written(tmp_path / "days" / "a.csv", first)
    written(tmp_path / "days" / "b.csv", second)
    rules = written(tmp_path / "r.prolog", RULES)
    for given in (tmp_path / "days", tmp_path / "days" / "*.csv"):
        page = client(Desk(Setting((rules,), (given,))))
        assert page.post("/api/run", json={"files": {}}).json()["read"] == 7
        assert page.post("/api/check", json={"files": {}}).json()["findings"] == []
        link = page.post("/api/share", json={"files": {}}).json()["share"]
        brought = page.post("/api/peek", json={"share": link}).json()["files"]
        assert set(brought) == {"r.prolog", "a.csv", "b.csv"}


def test_pictures_have_dates(tmp_path: Path) -> None:
    tracks = written(
        tmp_path / "tracks.csv", f"entity,time,lon,lat\ntern,{NOON},-4.62,48.3\ntern,{NOON + 95},-4.5,48.3\n"
    )
    desk = dated(tmp_path)
    page = client(Desk(Setting(desk.setting.rules, desk.setting.events, tracks=tracks)))
    pictures = page.post("/api/run", json={"files": {}}).json()["pictures"]
    for picture in ("timeline", "timeline_with_input", "map"):
        assert '"zone":"Europe/Athens"' in page.get(pictures[picture]).text, picture
