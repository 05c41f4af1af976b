"""What tests of the workbench share: a small harbour, clients that have the token, and a server that runs."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import uvicorn

from holdsfor.workbench.app import make_app
from holdsfor.workbench.desk import Desk, Setting
from holdsfor.workbench.guard import TOKEN
from holdsfor.workbench.watching import Watch

with warnings.catch_warnings():
    # Newer versions would rather have another HTTP library.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

SECRET = "a-token-for-tests"

RULES = """\
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
terminatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S >= 5.

holdsFor(meeting(V,W)=true, I) :-
    holdsFor(near(V,W)=true, I1),
    holdsFor(slow(V)=true, I2),
    holdsFor(slow(W)=true, I3),
    intersect_all([I1,I2,I3], I).

% Whoever calls for help while under way raises an alarm.
initiatedAt(alarm(V)=raised, T) :-
    happensAt(distress(V), T),
    \\+ holdsAt(slow(V)=true, T).
fi(alarm(V)=raised, alarm(V)=escalated, 30).
p(alarm(_)=raised).
initiatedAt(alarm(V)=off, T) :- happensAt(answered(V), T).
"""
EVENTS = """\
speed|10|10|tern|3
speed|12|12|gull|4
near|15|14|50|true|tern|gull
speed|30|30|gull|9
distress|40|40|gull
distress|45|45|gull
answered|90|90|gull
"""
TRACKS = """\
entity,time,lon,lat
tern,0,-4.62,48.30
tern,20,-4.55,48.29
tern,95,-4.47,48.34
gull,0,-4.35,48.38
gull,30,-4.48,48.35
gull,95,-4.49,48.35
"""
NASTY = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def harbour(folder: Path, rules: str = RULES, events: str = EVENTS, **more: object) -> Desk:
    rule_file = written(folder / "harbour.prolog", rules)
    return Desk(Setting((rule_file,), (written(folder / "harbour.csv", events),), **more))


def client(desk: Desk, watch: Watch | None = None, token: str = SECRET) -> TestClient:
    return TestClient(make_app(desk, SECRET, watch), base_url="http://127.0.0.1", headers={TOKEN: token})


def rows_of(page: TestClient, run: dict, table: str = "found", **wanted: object) -> list[dict]:
    """Rows of a table of a run, as the page gets them."""
    return page.post("/api/rows", json={"run": run["run"], "table": table, **wanted}).json()["rows"]


@contextlib.contextmanager
def served(desk: Desk | None, watch: Watch | None = None, port: int = 0) -> Iterator[str]:
    """The address of a page that can be opened."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    config = uvicorn.Config(make_app(desk, SECRET, watch), log_level="error", timeout_graceful_shutdown=3)
    server = uvicorn.Server(config)
    if watch is not None:
        watch.is_over = lambda: server.should_exit
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/#{SECRET}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)


# A stream that writes

_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("op", pa.string()),
        ("fluent", pa.string()),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("query_time", pa.int64()),
    ]
)
Change = tuple[str, str, str, str, int | None, int | None, int]


def write_batch(folder: Path, batch: int, changes: list[Change], *, marked: bool = True) -> Path:
    """A batch of a changelog, as Spark writes it; without its mark it is not finished."""
    inside = folder / f"batch={batch}"
    inside.mkdir(parents=True)
    if not marked:
        (inside / "_temporary").mkdir()
    columns = [list(column) for column in zip(*changes, strict=True)] or [[] for _ in _SCHEMA]
    pq.write_table(pa.table(columns, schema=_SCHEMA), inside / "part-0.parquet")
    if marked:
        (inside / "_SUCCESS").touch()
    return inside


def write_report(file: Path, batch: int, **values: object) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(f"{json.dumps({'batch': batch, **values})}\n")
