"""Examples, and links that carry rules and events: what they bring, and what they cannot do."""

import base64
import json
import tomllib
import zlib
from pathlib import Path

import pytest

from holdsfor.diagnostics import HoldsforError
from holdsfor.workbench.app import make_app
from holdsfor.workbench.benches import Benches
from holdsfor.workbench.desk import Desk, Setting
from holdsfor.workbench.gallery import Example, example, examples, examples_folder
from holdsfor.workbench.guard import TOKEN
from holdsfor.workbench.links import LONGEST, Bundle, packed, unpacked
from holdsfor.workbench.routes import BENCH
from tests.web.bench import EVENTS, RULES, SECRET, TestClient, client, harbour, rows_of, written

ROOT = Path(__file__).parents[2]


# Examples


def test_every_folder_with_rules_is_an_example() -> None:
    folders = {path.parent.name for path in (ROOT / "examples").glob("*/README.md")}
    assert {one.name for one in examples()} == {
        name
        for name in folders
        if [*(ROOT / "examples" / name).glob("*.prolog"), *(ROOT / "examples" / name).glob("*.dmtl")]
    }
    for one in examples():
        assert one.title and one.about and "`" not in one.title + one.about, one.name


@pytest.mark.parametrize("one", examples(), ids=lambda one: one.name)
def test_every_example_runs(one: Example, tmp_path: Path) -> None:
    page = client(harbour(tmp_path))
    bench = page.post("/api/example", json={"name": one.name}).json()["bench"]
    page.headers[BENCH] = bench
    desk = page.get("/api/desk").json()
    assert desk["title"] == one.title and not desk["may_save"] and desk["live"] is None
    findings = page.post("/api/check", json={"files": {}}).json()["findings"]
    assert not [found for found in findings if found["severity"] == "error"]
    run = page.post("/api/run", json={"files": {}, **desk["options"]}).json()
    assert run.get("intervals"), run
    assert rows_of(page, run, "found") and rows_of(page, run, "given")
    assert page.get(run["pictures"]["timeline"]).status_code == 200


def test_examples_come_with_the_package() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["wheel"]
    assert wheel["packages"]["holdsfor/examples"] == "examples"
    assert examples_folder() == ROOT / "examples"


@pytest.mark.parametrize("name", ["", "nothing", "../tests", "/etc", "netbill/../voting"])
def test_no_other_folder_is_an_example(name: str, tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="there is no example"):
        example(name)
    page = client(harbour(tmp_path))
    assert page.post("/api/example", json={"name": name}).status_code == 422
    page.headers[BENCH] = f"example-{name}"
    assert page.get("/api/desk").status_code == 422


def test_examples_are_not_written_to(tmp_path: Path) -> None:
    page = client(harbour(tmp_path))
    page.headers[BENCH] = page.post("/api/example", json={"name": "netbill"}).json()["bench"]
    name, file = next(iter(page.get("/api/desk").json()["files"].items()))
    refused = page.put("/api/save", json={"name": name, "text": "x", "version": file["version"]})
    assert refused.status_code == 422 and "not saved" in refused.json()["error"]


def test_the_files_of_the_start_stay_where_they_are(tmp_path: Path) -> None:
    page = client(harbour(tmp_path))
    before = page.get("/api/desk").json()
    page.post("/api/example", json={"name": "netbill"})
    assert page.get("/api/desk").json() == before
    name = next(iter(before["files"]))
    page.headers[BENCH] = "example-netbill"
    assert "not one of the files" in page.post("/api/read", json={"name": name}).json()["error"]


def test_runs_of_one_desk_are_not_those_of_another(tmp_path: Path) -> None:
    page = client(harbour(tmp_path))
    run = page.post("/api/run", json={"files": {}}).json()
    page.headers[BENCH] = page.post("/api/example", json={"name": "netbill"}).json()["bench"]
    assert "no longer there" in page.post("/api/rows", json={"run": run["run"], "table": "found"}).json()["error"]


def test_without_files_there_is_an_empty_one_and_nothing_is_saved() -> None:
    page = TestClient(make_app(None, SECRET), base_url="http://127.0.0.1", headers={TOKEN: SECRET})
    desk = page.get("/api/desk").json()
    assert [file["text"] for file in desk["files"].values()] == [""] and not desk["may_save"]
    assert page.post("/api/check", json={"files": {}}).json()["findings"] == []


def test_only_some_desks_stay_open(tmp_path: Path) -> None:
    benches = Benches(harbour(tmp_path))
    links = [packed(Bundle(rules={"r.prolog": f"% {number}"})) for number in range(12)]
    names = [benches.open_link(link).name for link in links]
    assert benches[names[-1]].title and benches.open_link(links[-1]) is benches[names[-1]]
    with pytest.raises(HoldsforError, match="has been closed"):
        benches[names[0]]
    assert benches.open_link(links[0]).name == names[0]


# Links


def share(page: TestClient, **more: object) -> str:
    answer = page.post("/api/share", json={"files": {}, **more}).json()
    assert "share" in answer, answer
    return answer["share"]


def test_a_link_brings_rules_events_and_options(tmp_path: Path) -> None:
    desk = harbour(tmp_path)
    page, name = client(desk), next(iter(desk.files))
    edited = "% edited on the page\n" + RULES
    link = share(page, files={name: edited}, window="40", step="20")
    assert len(link) < 1_500 and set(link) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
    (tmp_path / "other").mkdir()
    other = client(harbour(tmp_path / "other", rules="", events=""))
    assert other.post("/api/peek", json={"share": link}).json() == {"files": {"harbour.prolog": 17, "harbour.csv": 7}}
    other.headers[BENCH] = other.post("/api/open", json={"share": link}).json()["bench"]
    there = other.get("/api/desk").json()
    assert [file["text"] for file in there["files"].values()] == [edited]
    assert there["options"] == {"window": "40", "step": "20"} and not there["may_save"]
    ours, theirs = (one.post("/api/run", json={"files": {}, **there["options"]}).json() for one in (page, other))
    assert rows_of(page, ours) == rows_of(other, theirs) and len(rows_of(page, ours)) > 8
    assert share(other, **there["options"]) == link


def test_a_link_brings_mappings_tables_of_facts_and_loaded_files(tmp_path: Path) -> None:
    written(tmp_path / "limits.prolog", "limit(5).\n")
    rules = (
        ":- ['limits.prolog'].\n"
        "initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), limit(L), S < L, kind(V, boat).\n"
    )
    table = written(tmp_path / "ais.csv", "t,vessel,knots\n10,tern,3\n20,gull,4\n")
    mapping = written(tmp_path / "ais.toml", 'time = "t"\n[event.speed]\nargs = ["vessel", "knots"]\n')
    kinds = written(tmp_path / "fleet.csv", "name,kind\ntern,boat\ngull,bird\n")
    background = (Path(f"kind={kinds}"),)
    desk = Desk(Setting((written(tmp_path / "r.prolog", rules),), (table,), background, mapping))
    page = client(desk)
    run = page.post("/api/run", json={"files": {}}).json()
    assert [row["question"] for row in rows_of(page, run)] == ["slow(tern)=true"]
    link = share(page)
    for path in (tmp_path / "limits.prolog", table, mapping, kinds):
        path.unlink()
    (tmp_path / "other").mkdir()
    other = client(harbour(tmp_path / "other"))
    other.headers[BENCH] = other.post("/api/open", json={"share": link}).json()["bench"]
    assert rows_of(other, other.post("/api/run", json={"files": {}}).json()) == rows_of(page, run)


def test_what_is_too_large_for_a_link_is_said(tmp_path: Path) -> None:
    rows = "".join(f"speed|{time}|{time}|v{time * 7919 % 10007}|{time * 31 % 97}\n" for time in range(20_000))
    refused = client(harbour(tmp_path, events=rows)).post("/api/share", json={"files": {}})
    assert refused.status_code == 422
    assert "too large for a link" in refused.json()["error"] and f"{LONGEST:,}" in refused.json()["error"]
    huge = client(harbour(tmp_path, events="speed|1|1|a|1\n" * 400_000)).post("/api/share", json={"files": {}})
    assert "harbour.csv is too large for a link" in huge.json()["error"]


def test_what_is_no_text_cannot_go_into_a_link(tmp_path: Path) -> None:
    desk = harbour(tmp_path)
    (tmp_path / "harbour.csv").write_bytes(b"PAR1\xff\xfe\x00")
    assert "it is not text" in client(desk).post("/api/share", json={"files": {}}).json()["error"]


def _raw(data: object) -> str:
    return "1." + base64.urlsafe_b64encode(zlib.compress(json.dumps(data).encode())).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2.abc",
        "1.",
        "1.!!!",
        "1.YWJj",
        packed(Bundle(rules={"r.prolog": "% a"}))[:-3],
        "1." + base64.urlsafe_b64encode(zlib.compress(b" " * 5_000_000)).decode(),
        _raw({}),
        _raw({"rules": {}}),
        _raw({"rules": {"r.prolog": 1}}),
        _raw({"rules": {"../r.prolog": ""}}),
        _raw({"rules": {"/tmp/r.prolog": ""}}),
        _raw({"rules": {"..": ""}}),
        _raw({"rules": {"r.prolog": ""}, "background": {"a=../b.csv": ""}}),
        _raw({"rules": {"r.prolog": ""}, "background": {"a=..": ""}}),
        _raw({"rules": {f"r{number}.prolog": "" for number in range(100)}}),
    ],
)
def test_damaged_and_malicious_links_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="link"):
        unpacked(text)
    page = client(harbour(tmp_path))
    for path in ("/api/peek", "/api/open"):
        assert page.post(path, json={"share": text}).status_code == 422


def test_what_a_link_brings_reads_no_other_files(tmp_path: Path) -> None:
    secret = written(tmp_path / "secret.prolog", "password(hunter2).\n")
    rules = f":- ['{secret}'].\ninitiatedAt(f(P)=true, T) :- happensAt(go, T), password(P).\n"
    link = packed(Bundle(rules={"r.prolog": rules}, events={"e.csv": "go|1|1\n"}))
    page = client(harbour(tmp_path))
    page.headers[BENCH] = page.post("/api/open", json={"share": link}).json()["bench"]
    found = page.post("/api/check", json={"files": {}}).json()["findings"]
    assert "not one of the files that came with these rules" in found[0]["message"] + found[0]["hint"]
    assert "hunter2" not in page.post("/api/run", json={"files": {}}).text


def test_a_link_says_nothing_of_the_token_or_of_folders(tmp_path: Path) -> None:
    bundle = unpacked(share(client(harbour(tmp_path))))
    assert SECRET not in bundle.model_dump_json() and str(tmp_path) not in bundle.model_dump_json()
    assert bundle.events == {"harbour.csv": EVENTS}
