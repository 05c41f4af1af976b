"""What the server answers: findings, words, runs, reasons, pictures, files."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.diagnostics import HoldsforError
from holdsfor.workbench.answers import offset_of
from holdsfor.workbench.desk import Desk, Setting
from holdsfor.workbench.samples import Samples
from tests.web.bench import EVENTS, RULES, TRACKS, client, harbour, rows_of, written


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return harbour(tmp_path)


def name_of(desk: Desk) -> str:
    return next(iter(desk.files))


def test_findings_have_places_in_units_of_browsers(desk: Desk) -> None:
    name = name_of(desk)
    text = "% 🚪 a door\n" + RULES.replace("S < 5", "S < Max")
    found = client(desk).post("/api/check", json={"files": {name: text}}).json()["findings"]
    assert found[0]["severity"] == "error" and found[0]["line"] == 2
    units = text.encode("utf-16-le")
    assert "Max" in units[2 * found[0]["from"] : 2 * found[0]["to"]].decode("utf-16-le")
    assert client(desk).post("/api/check", json={"files": {name: RULES}}).json()["findings"] == []


def test_offsets_count_pairs_of_units_as_one_character() -> None:
    assert [offset_of("a🚪b", units) for units in (0, 1, 3, 4)] == [0, 1, 2, 3]


def test_words_hover_and_format(desk: Desk) -> None:
    page, name = client(desk), name_of(desk)
    text = "initiatedAt(slow(V)=true, T) :- happ"
    found = page.post("/api/complete", json={"files": {name: text}, "name": name, "offset": len(text)}).json()
    assert "happensAt" in [one["label"] for one in found]
    told = page.post("/api/hover", json={"files": {}, "name": name, "offset": RULES.index("slow")}).json()
    assert "slow" in told["text"]
    ugly = "initiatedAt( slow(V)=true ,T):-happensAt(speed(V,S),T),S<5."
    tidy = page.post("/api/format", json={"files": {name: ugly}, "name": name}).json()["text"]
    assert tidy.startswith("initiatedAt(slow(V)=true, T) :-\n")
    broken = page.post("/api/format", json={"files": {name: "initiatedAt("}, "name": name})
    assert broken.status_code == 422 and broken.json()["error"]


def test_a_run_and_why(desk: Desk) -> None:
    page = client(desk)
    run = page.post("/api/run", json={"files": {}}).json()
    assert run["intervals"] == 6 and run["read"] == 7 and run["malformed"] == 0
    row = next(row for row in rows_of(page, run) if row["question"] == "meeting(tern,gull)=true")
    assert row["cells"] == ["meeting(tern,gull)", "true", "14", "31", "17"]
    why = page.post("/api/explain", json={"run": run["run"], "question": row["question"], "at": row["at"]}).json()
    assert why["holds"] and "intersect_all" in why["text"]
    rule = why["root"]["children"][0]["rule"]
    assert RULES[rule["from"] : rule["to"]] == rule["text"] and rule["values"] == {"V": "tern", "W": "gull"}
    rows = [row["text"] for row in _rows(why["root"])]
    assert "near|15|14|50|true|tern|gull" in rows


def _rows(node: dict) -> list[dict]:
    found = list(node.get("rows", []))
    for child in node.get("children", []):
        found += _rows(child)
    return found


def test_every_row_of_a_run_holds_where_it_is_asked_about(desk: Desk) -> None:
    page = client(desk)
    for options in ({}, {"window": "40", "step": "20"}):
        run = page.post("/api/run", json={"files": {}, **options}).json()
        for row in rows_of(page, run):
            asked = {"run": run["run"], "question": row["question"], "at": row["at"]}
            assert page.post("/api/explain", json=asked).json()["holds"], (options, row)


def test_why_not_and_questions_that_make_no_sense(desk: Desk) -> None:
    page = client(desk)
    run = page.post("/api/run", json={"files": {}}).json()["run"]
    ask = {"run": run, "question": "meeting(tern,gull)=true", "at": "35"}
    assert not page.post("/api/explain", json=ask).json()["holds"]
    wrong = page.post("/api/explain", json={**ask, "question": "meting(tern,gull)=true"})
    assert wrong.status_code == 422 and wrong.json()["findings"][0]["hint"] == "did you mean meeting?"
    assert (wrong.json()["findings"][0]["from"], wrong.json()["findings"][0]["to"]) == (0, 6)
    for at, message in (("soon", "not 'soon'"), (" ", "the time-point is missing")):
        assert message in page.post("/api/explain", json={**ask, "at": at}).json()["error"]
    assert "no longer there" in page.post("/api/explain", json={**ask, "run": 99}).json()["error"]


def test_runs_that_cannot_be(desk: Desk) -> None:
    page, name = client(desk), name_of(desk)
    broken = page.post("/api/run", json={"files": {name: "initiatedAt(slow(V)=true, T) :- S < 5."}})
    assert broken.status_code == 422 and broken.json()["findings"][0]["line"] == 1
    assert "window" in page.post("/api/run", json={"files": {}, "window": "0"}).json()["error"]
    assert page.post("/api/run", content=b"{").status_code == 422


def test_malformed_rows_and_strange_names_are_told(tmp_path: Path) -> None:
    desk = harbour(tmp_path, events=EVENTS + "speed|x|1|gull|3\nfoo|1|1\n")
    run = client(desk).post("/api/run", json={"files": {}}).json()
    assert run["malformed"] == 1 and run["first_malformed"][0]["line"] == 8 and run["unknown"] == {"foo": 1}


def test_only_the_beginning_of_large_files_is_used(tmp_path: Path) -> None:
    desk = harbour(tmp_path, sample=3)
    page = client(desk)
    run = page.post("/api/run", json={"files": {}}).json()
    assert run["read"] == 3 and run["cut"] == [str(tmp_path / "harbour.csv")]
    row = next(row for row in rows_of(page, run) if row["question"] == "slow(tern)=true")
    why = page.post("/api/explain", json={"run": run["run"], "question": row["question"], "at": row["at"]}).json()
    assert _rows(why["root"]) == [{"text": "speed|10|10|tern|3", "file": str(tmp_path / "harbour.csv"), "line": 1}]
    written(tmp_path / "harbour.csv", EVENTS[:37])
    assert page.post("/api/run", json={"files": {}}).json()["cut"] == []


def test_samples_of_tables(tmp_path: Path) -> None:
    pq.write_table(pa.table({"time": range(10)}), tmp_path / "a.parquet", row_group_size=3)
    samples = Samples([tmp_path / "a.parquet"], 4)
    assert [len(pq.read_table(path)) for path in samples.files()] == [4]
    assert Samples([tmp_path / "a.parquet"], 10).files() == [tmp_path / "a.parquet"]
    assert Samples([tmp_path / "a.parquet"], 0).files() == [tmp_path / "a.parquet"]


def test_pictures(tmp_path: Path) -> None:
    desk = harbour(tmp_path, tracks=written(tmp_path / "tracks.csv", TRACKS))
    page = client(desk)
    pictures = page.post("/api/run", json={"files": {}}).json()["pictures"]
    with_input, without = (page.get(pictures[name]).text for name in ("timeline_with_input", "timeline"))
    assert "speed(tern,…)" in with_input and "speed(tern,…)" not in without and "meeting(tern,gull)" in without
    assert "Where it holds" in page.get(pictures["map"]).text
    graph = page.post("/api/graph", json={"files": {}}).json()["address"]
    assert "meeting=true" in page.get(graph).text


def test_coordinates_are_found_by_the_names_of_arguments(tmp_path: Path) -> None:
    rules = RULES + "initiatedAt(north(V)=true, T) :- happensAt(coord(V,Lon,Lat), T), Lat > 48.\n"
    desk = harbour(tmp_path, rules, EVENTS + "coord|5|5|tern|-4.5|48.3\ncoord|25|25|tern|-4.4|48.4\n")
    page = client(desk)
    assert "tern" in page.get(page.post("/api/run", json={"files": {}}).json()["pictures"]["map"]).text
    assert client(harbour(tmp_path)).post("/api/run", json={"files": {}}).json()["pictures"]["map"] is None


def test_coordinates_are_found_in_columns_of_tables(tmp_path: Path) -> None:
    table = written(tmp_path / "ais.csv", "t,vessel,knots,lon,lat\n10,tern,3,-4.5,48.3\n30,tern,9,-4.4,48.4\n")
    mapping = written(tmp_path / "ais.toml", 'time = "t"\n[event.speed]\nargs = ["vessel", "knots"]\n')
    desk = Desk(Setting((written(tmp_path / "r.prolog", RULES),), (table,), mapping=mapping))
    page = client(desk)
    run = page.post("/api/run", json={"files": {}}).json()
    assert run["intervals"] == 1 and "tern" in page.get(run["pictures"]["map"]).text


def test_metric_programs(tmp_path: Path) -> None:
    rules = written(tmp_path / "r.dmtl", "Boxplus(0,2] Slow(V) :- Brakes(V)\n")
    facts = written(tmp_path / "facts.txt", "Brakes(tram)@1\nBrakes('Big Bus')@5\n")
    desk = Desk(Setting((rules,), (facts,)))
    page = client(desk)
    run = page.post("/api/run", json={"files": {}}).json()
    asked = [(row["question"], row["at"]) for row in rows_of(page, run) if row["question"].startswith("Slow")]
    assert len(asked) == 2
    # The timeline names its lanes without quotes.
    for question, at in [*asked, ("Slow(Big Bus)", "6")]:
        found = page.post("/api/explain", json={"run": run["run"], "question": question, "at": at}).json()
        assert found.get("holds"), (question, at, found)
    assert "Slow(tram)" in page.get(run["pictures"]["timeline"]).text
    assert "Slow" in page.get(page.post("/api/graph", json={"files": {}}).json()["address"]).text


# Files


def test_saving(desk: Desk, tmp_path: Path) -> None:
    page, name = client(desk), name_of(desk)
    version = page.get("/api/desk").json()["files"][name]["version"]
    saved = page.put("/api/save", json={"name": name, "text": "% new\n", "version": version})
    assert saved.status_code == 200 and Path(name).read_text() == "% new\n"
    assert page.post("/api/read", json={"name": name}).json() == saved.json()


def test_a_file_that_somebody_else_has_written_is_not_saved_over(desk: Desk) -> None:
    page, name = client(desk), name_of(desk)
    version = page.get("/api/desk").json()["files"][name]["version"]
    Path(name).write_text("% theirs\n")
    refused = page.put("/api/save", json={"name": name, "text": "% mine\n", "version": version})
    assert refused.status_code == 409 and "changed on disk" in refused.json()["error"]
    assert Path(name).read_text() == "% theirs\n"
    there = page.post("/api/read", json={"name": name}).json()
    assert there["text"] == "% theirs\n"
    again = page.put("/api/save", json={"name": name, "text": "% mine\n", "version": there["version"]})
    assert again.status_code == 200 and Path(name).read_text() == "% mine\n"


def test_line_ends_and_marks_of_a_file_stay_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "r.prolog"
    file.write_bytes("\ufeff% a\r\n% b\r\n".encode())
    desk = Desk(Setting((file,)))
    there = desk.files[str(file)]
    assert there.text == "% a\n% b\n"
    desk.save(str(file), "% a\n% c\n", there.version)
    assert file.read_bytes() == "\ufeff% a\r\n% c\r\n".encode()


def test_a_file_that_has_gone_is_written_again(desk: Desk) -> None:
    name = name_of(desk)
    version = desk.files[name].version
    Path(name).unlink()
    desk.save(name, RULES, version)
    assert Path(name).read_text() == RULES


def test_what_is_missing_is_said_at_the_start(tmp_path: Path) -> None:
    rules = written(tmp_path / "r.prolog", RULES)
    with pytest.raises(HoldsforError, match=r"cannot read .*no\.csv"):
        Desk(Setting((rules,), (tmp_path / "no.csv",)))
    with pytest.raises(HoldsforError, match=r"cannot read .*no\.prolog"):
        Desk(Setting((tmp_path / "no.prolog",)))
