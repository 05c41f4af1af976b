"""Who may ask what, and what can never happen."""

import inspect
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.serve import _listening
from holdsfor.diagnostics import HoldsforError
from holdsfor.workbench import app as web
from holdsfor.workbench.desk import Desk
from holdsfor.workbench.guard import TOKEN, new_token
from holdsfor.workbench.live import Follower
from holdsfor.workbench.watching import Watch
from tests.web.bench import EVENTS, NASTY, RULES, SECRET, client, harbour, written

STATIC = Path(web.__file__).parent / "static"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return harbour(tmp_path)


def test_only_this_machine_can_reach_it() -> None:
    with _listening(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
        with pytest.raises(HoldsforError, match="is in use"):
            _listening(listening.getsockname()[1])


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "[::1", "a:1:2"]
)
def test_other_names_are_refused(desk: Desk, host: str) -> None:
    page = client(desk)
    assert page.get("/", headers={"host": host}).status_code == 403
    assert page.post("/api/run", json={}, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:1", "localhost", "[::1]:8765", "[::1]"])
def test_names_of_this_machine_are_not(desk: Desk, host: str) -> None:
    assert client(desk).get("/", headers={"host": host}).status_code == 200


def _routes(desk: Desk, tmp_path: Path) -> list[tuple[str, str]]:
    made = web.make_app(desk, SECRET, Watch(Follower(tmp_path)))
    found = []
    for route in made.routes:
        for method in sorted(getattr(route, "methods", None) or []):
            found.append((method, route.path.replace("{number}", "1")))
    return found


def test_everything_but_the_empty_page_needs_the_token(desk: Desk, tmp_path: Path) -> None:
    routes = [(method, path) for method, path in _routes(desk, tmp_path) if path not in ("/", "/metrics")]
    assert len(routes) > 12
    for token in ("", "wrong", SECRET[:-1], SECRET.upper()):
        page = client(desk, Watch(Follower(tmp_path)), token)
        for method, path in routes:
            answer = page.request(method, path, json={"files": {}})
            assert answer.status_code == 403 and "token" in answer.json()["error"], (method, path)
            assert page.request(method, f"{path}?key=wrong&token={SECRET}").status_code == 403
    assert client(desk, token="").get("/").status_code == 200
    assert client(desk, token="").get("/static/app.js").status_code == 200
    assert client(desk, Watch(Follower(tmp_path)), "").get("/metrics").status_code == 200
    assert client(desk, token="").post("/").status_code == 403


def test_keys_of_pictures_are_good_for_one_address(desk: Desk) -> None:
    page = client(desk)
    first, second = (page.post("/api/run", json={"files": {}}).json()["pictures"] for _ in range(2))
    stranger = client(desk, token="")
    assert stranger.get(first["timeline"]).status_code == 200
    key = first["timeline"].split("?")[1]
    assert stranger.get(f"{second['timeline'].split('?')[0]}?{key}").status_code == 403
    assert stranger.get(f"/api/desk?{key}").status_code == 403
    assert stranger.post(first["timeline"]).status_code == 403
    assert SECRET not in stranger.get(first["timeline"]).text and SECRET not in key


def test_tokens_are_long_and_never_the_same() -> None:
    tokens = {new_token() for _ in range(50)}
    assert len(tokens) == 50 and all(len(token) >= 32 for token in tokens)


def test_policies(desk: Desk) -> None:
    page = client(desk)
    policy = page.get("/").headers["content-security-policy"]
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'" and rules["script-src"] == "'self'" and rules["frame-ancestors"] == "'none'"
    assert "unsafe-eval" not in policy and rules["connect-src"] == "'self'" and rules["base-uri"] == "'none'"
    picture = page.get(page.post("/api/run", json={"files": {}}).json()["pictures"]["timeline"])
    shown = picture.headers["content-security-policy"]
    assert "default-src 'none'" in shown and "connect-src" not in shown and "sandbox allow-scripts" in shown
    for answer in (page.get("/"), page.get("/api/desk"), picture):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer" and answer.headers["cache-control"] == "no-store"


def test_the_page_makes_no_html_of_texts_and_runs_nothing_that_it_is_sent() -> None:
    for script in STATIC.glob("*.js"):
        text = script.read_text("utf-8")
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "http://",
        ):
            assert word not in text, (script.name, word)
    page = (STATIC / "index.html").read_text("utf-8")
    assert "<script>" not in page and " onclick" not in page and "//" not in page.replace("<!doctype", "")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%2fetc/passwd",
        "/static/vendor/../../desk.py",
        "/static/..\\app.py",
    ],
)
def test_nothing_else_can_be_read(desk: Desk, path: str) -> None:
    answer = client(desk).get(path)
    assert answer.status_code in {403, 404} and "import" not in answer.text and "root:" not in answer.text


@pytest.mark.parametrize(
    "name", ["other.prolog", "/etc/passwd", "../harbour.prolog", "./harbour.prolog", "", "harbour.prolog\0"]
)
def test_no_other_file_can_be_read_or_written(desk: Desk, tmp_path: Path, name: str) -> None:
    other = written(tmp_path / "other.prolog", "secret")
    page = client(desk)
    for wrong in (name, str(tmp_path / "x" / ".." / "harbour.prolog"), str(other)):
        for answer in (
            page.put("/api/save", json={"name": wrong, "text": "x", "version": ""}),
            page.post("/api/read", json={"name": wrong}),
            page.post("/api/check", json={"files": {wrong: "x"}}),
            page.post("/api/format", json={"files": {}, "name": wrong}),
        ):
            assert answer.status_code == 422 and "not one of the files" in answer.json()["error"]
    assert other.read_text() == "secret"


def test_names_with_markup_never_become_markup(tmp_path: Path) -> None:
    thing = NASTY.replace("|", "")
    rules = RULES + f"initiatedAt(odd('{thing}')=true, T) :- happensAt(speed('{thing}',S), T), S > 0.\n"
    desk = harbour(tmp_path, rules, EVENTS + f"speed|50|50|{thing}|7\n{thing}|1|1\n")
    page = client(desk)
    run = page.post("/api/run", json={"files": {}}).json()
    for address in [
        *filter(None, run["pictures"].values()),
        page.post("/api/graph", json={"files": {}}).json()["address"],
    ]:
        text = page.get(address).text
        assert "<img" not in text and "<script>alert" not in text
    ask = {"run": run["run"], "question": f"odd('{thing}')=true", "at": "55"}
    for question in (ask, {**ask, "question": thing}):
        answer = page.post("/api/explain", json=question)
        # Answers are data: it is the page that shows them, as text.
        assert answer.headers["content-type"] == "application/json"


def test_nothing_is_evaluated() -> None:
    for module in (Path(web.__file__).parent).glob("*.py"):
        text = module.read_text("utf-8")
        assert "eval(" not in text and "exec(" not in text and "pickle" not in text and "shell" not in text


def test_there_is_no_schema_to_look_around_in(desk: Desk) -> None:
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert client(desk).get(path).status_code == 404


def test_mistakes_on_the_command_line_are_told(tmp_path: Path) -> None:
    rules = str(written(tmp_path / "r.prolog", RULES))
    for options, message in (
        (["--reports", "x"], "--attach"),
        (["--attach", str(tmp_path / "no" / "where")], "there is no folder"),
        (["--attach", rules], "is not a folder"),
        (["--events", "no.csv"], "cannot read no.csv"),
    ):
        result = CliRunner().invoke(app, ["serve", rules, "--no-browser", "--port", "0", *options])
        assert result.exit_code == 1 and message in " ".join(result.stderr.split()), options


def test_the_header_of_the_token_is_the_one_that_the_page_sends() -> None:
    assert TOKEN in (STATIC / "talk.js").read_text("utf-8")
    assert inspect.signature(web.make_app).parameters["token"].default is inspect.Parameter.empty
