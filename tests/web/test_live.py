"""A stream that runs elsewhere, by what it writes."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.workbench import watching
from holdsfor.workbench.live import Follower
from holdsfor.workbench.watching import Watch
from tests.web.bench import SECRET, client, harbour, served, write_batch, write_report


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_PAUSE", 0.0)


def seen(watch: Watch) -> dict:
    watch.look()
    return watch.view()


def test_situations_open_and_close(tmp_path: Path) -> None:
    changes, reports = tmp_path / "changes", tmp_path / "reports.jsonl"
    watch = Watch(Follower(changes, reports))
    assert "waiting for" in seen(watch)["problem"]
    write_batch(
        changes, 0, [("a", "open", "slow(tern)", "true", 11, None, 20), ("b", "open", "gap(gull)", "far", 3, 9, 20)]
    )
    view = seen(watch)
    assert view["open"] == [{"what": "slow(tern)=true", "start": "11"}] and view["now"] == "20" and not view["problem"]
    assert [row["op"] for row in view["feed"]] == ["open", "open"] and view["totals"]["changes"] == 2
    write_batch(changes, 1, [("a", "close", "slow(tern)", "true", 11, 35, 40), ("c", "open", "x", "y", None, None, 40)])
    write_report(reports, 1, query_time=40, events=1000, late=5, malformed=2, milliseconds=500)
    view = seen(watch)
    assert [one["what"] for one in view["open"]] == ["x=y"] and view["open_count"] == 1
    assert view["totals"] == {"changes": 4, "batches": 2, "events": 1000, "late": 5, "malformed": 2}
    assert {(bar["what"], bar["last"]) for bar in view["bars"]} == {
        ("gap(gull)=far", 9),
        ("slow(tern)=true", 35),
        ("x=y", None),
    }


def test_what_is_taken_back_is_gone(tmp_path: Path) -> None:
    write_batch(tmp_path, 0, [("a", "open", "f", "v", 1, None, 5), ("b", "open", "g", "v", 1, 4, 5)])
    write_batch(tmp_path, 1, [("a", "retract", "f", "v", 1, None, 9), ("b", "extend", "g", "v", 1, None, 9)])
    view = seen(Watch(Follower(tmp_path)))
    assert [one["what"] for one in view["open"]] == ["g=v"] and [bar["what"] for bar in view["bars"]] == ["g=v"]


def test_several_query_times_of_a_batch_count_in_order(tmp_path: Path) -> None:
    write_batch(tmp_path, 0, [("a", "close", "f", "v", 1, 9, 20), ("a", "open", "f", "v", 1, None, 10)])
    view = seen(Watch(Follower(tmp_path)))
    assert view["open_count"] == 0 and [row["op"] for row in view["feed"]] == ["close", "open"] and view["now"] == "20"


def test_batches_that_are_being_written_are_waited_for(tmp_path: Path) -> None:
    unfinished = write_batch(tmp_path, 0, [("a", "open", "f", "v", 1, None, 5)], marked=False)
    (tmp_path / ".batch=1-passing").mkdir()
    (tmp_path / "batch=2").mkdir()
    watch = Watch(Follower(tmp_path))
    assert seen(watch)["totals"]["batches"] == 0
    (unfinished / "_temporary").rmdir()
    assert seen(watch)["open_count"] == 1


def test_lines_of_reports_that_are_being_written_are_waited_for(tmp_path: Path) -> None:
    reports = tmp_path / "reports.jsonl"
    watch = Watch(Follower(tmp_path / "changes", reports))
    reports.write_text('{"batch": 0, "events": 5}\nno json\n[1]\n{"batch": 1, "eve')
    assert seen(watch)["totals"]["events"] == 5
    with reports.open("a") as file:
        file.write('nts": 7}\n')
    assert seen(watch)["totals"]["events"] == 12
    reports.write_text('{"batch": 0, "events": 1}\n')
    assert seen(watch)["totals"]["events"] == 13


def test_a_stream_that_begins_again_is_seen_from_its_beginning(tmp_path: Path) -> None:
    changes = tmp_path / "changes"
    watch = Watch(Follower(changes))
    for batch in range(3):
        write_batch(changes, batch, [(str(batch), "open", "f", str(batch), 1, None, 5)])
    assert seen(watch)["open_count"] == 3
    changes.rename(tmp_path / "old")
    write_batch(changes, 0, [("x", "open", "f", "new", 1, None, 5)])
    assert [one["what"] for one in seen(watch)["open"]] == ["f=new"]


def test_json_csv_and_metric_changelogs(tmp_path: Path) -> None:
    for batch, (name, text) in enumerate(
        (
            (
                "part.json",
                json.dumps({"id": "a", "op": "open", "fluent": "f", "value": "v", "start": 1, "query_time": 5}) + "\n",
            ),
            ("part.csv", "id,op,fluent,value,start,end,query_time,causes\nb,open,g,v,1,,5,late\n"),
        )
    ):
        folder = tmp_path / f"batch={batch}"
        folder.mkdir()
        (folder / name).write_text(text)
        (folder / "_SUCCESS").touch()
    view = seen(Watch(Follower(tmp_path)))
    assert {one["what"] for one in view["open"]} == {"f=v", "g=v"} and view["feed"][0]["causes"] == "late"
    metric = tmp_path / "metric" / "batch=0"
    metric.mkdir(parents=True)
    columns = {"id": ["a", "b"], "op": ["open", "open"], "predicate": ["P", "Q"], "args": [["x", "y"], []]}
    columns |= {"start": ["1/3", None], "end": [None, "0.5"], "until": ["2", "2"]}
    pq.write_table(pa.table(columns), metric / "part.parquet")
    view = seen(Watch(Follower(metric.parent)))
    assert view["open"] == [{"what": "P(x,y)", "start": "1/3"}]
    assert {(bar["what"], bar["first"], bar["last"]) for bar in view["bars"]} == {
        ("P(x,y)", 1 / 3, None),
        ("Q", None, 0.5),
    }


def test_a_folder_that_is_no_changelog_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "batch=0"
    folder.mkdir()
    (folder / "part.parquet").write_text("nonsense")
    write_batch(tmp_path, 1, [("a", "open", "f", "v", 1, None, 5)])
    view = seen(Watch(Follower(tmp_path)))
    assert "batch=0 is not a changelog" in view["problem"] and view["open_count"] == 1


def test_what_a_page_is_sent_stays_small(tmp_path: Path) -> None:
    for batch in range(30):
        rows = [
            (f"{batch}-{n}", "open", f"f({n})", str(batch), batch, batch + 1 if n % 2 else None, batch)
            for n in range(400)
        ]
        write_batch(tmp_path, batch, rows)
    view = seen(Watch(Follower(tmp_path)))
    assert view["open_count"] == 6_000 and view["totals"]["changes"] == 12_000
    assert len(view["open"]) == 100 and len(view["feed"]) == 200 and len(view["bars"]) <= 800
    assert len(json.dumps(view)) < 150_000


def test_a_browser_is_sent_how_things_are_and_again_when_it_comes_back(tmp_path: Path) -> None:
    import httpx

    changes = tmp_path / "changes"
    write_batch(changes, 0, [("a", "open", "f", "<b>v</b>", 1, None, 5)])
    desk, watch = harbour(tmp_path), Watch(Follower(changes))
    live = client(desk, watch).get("/api/desk").json()["live"]
    with served(desk, watch) as address:
        for _ in range(2):
            with httpx.stream("GET", f"{address.split('/#')[0]}{live}", timeout=30) as answer:
                lines = (line for line in answer.iter_lines() if line.startswith("data: "))
                assert json.loads(next(lines)[6:])["open"] == [{"what": "f=<b>v</b>", "start": "1"}]
        assert httpx.get(f"{address.split('/#')[0]}/live").status_code == 403
    assert SECRET not in live


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_changelogs_with_timestamps(tmp_path: Path, unit: str) -> None:
    times = {
        "start": [datetime(2026, 3, 1, 12, tzinfo=UTC)],
        "end": [None],
        "query_time": [datetime(2026, 3, 1, 13, tzinfo=UTC)],
    }
    kind = pa.timestamp(unit, "UTC")
    columns = {"id": ["a"], "op": ["open"], "fluent": ["slow(tern)"], "value": ["true"]}
    inside = tmp_path / "batch=0"
    inside.mkdir()
    pq.write_table(
        pa.table(columns | {name: pa.array(column, kind) for name, column in times.items()}), inside / "a.parquet"
    )
    view = seen(Watch(Follower(tmp_path)))
    assert view["open"] == [{"what": "slow(tern)=true", "start": "2026-03-01T12:00:00Z"}] and not view["problem"]
    assert view["now"] == "2026-03-01T13:00:00Z" and view["has_dates"] and view["clock"] == 1772370000
    assert view["bars"][0]["first"] == 1772366400


def test_changelogs_with_dates_as_text(tmp_path: Path) -> None:
    row = {"id": "a", "op": "close", "fluent": "f", "value": "v", "start": "2026-03-01T12:00:00.250Z"}
    row |= {"end": "2026-03-01T14:00:01.500+02:00", "query_time": "2026-03-01T12:30:00.000Z"}
    inside = tmp_path / "batch=0"
    inside.mkdir()
    (inside / "part.json").write_text(json.dumps(row) + "\n")
    view = seen(Watch(Follower(tmp_path)))
    (bar,) = view["bars"]
    assert (bar["first"], bar["last"]) == (1772366400.25, 1772366401.5) and not view["problem"]
