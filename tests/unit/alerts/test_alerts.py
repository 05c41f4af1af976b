"""Alerts from changes, and where they go."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from holdsfor import loads
from holdsfor.alerts import Action, Alert, JsonLines, Webhook, alerts_of, verify
from holdsfor.diagnostics import HoldsforError

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S > 10.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S =< 10.
"""


def told() -> list[Alert]:
    """An alert that opens and closes, one that was over at once, and one that is withdrawn."""
    session = loads(RULES).session()
    found: list[Alert] = []
    session.push({"speed": [(1, "a", 20), (2, "b", 20), (4, "b", 5)]})
    found += alerts_of(session.changes(5))
    session.push_one("speed", 8, "a", 5)
    found += alerts_of(session.changes(10))
    session.push_one("speed", 9, "a", 5)
    session.retract_one("speed", 8, "a", 5)
    session.retract_one("speed", 2, "b", 20)
    return found + list(alerts_of(session.changes(11)))


def test_one_interval_is_one_alert() -> None:
    found = told()
    lives = {one.fluent: [other.action for other in found if other.id == one.id] for one in found}
    assert lives == {"fast(a)": [Action.OPEN, Action.CLOSE, Action.UPDATE], "fast(b)": [Action.CLOSE, Action.WITHDRAW]}
    assert len({one.delivery for one in found}) == len(found)
    assert found[0].delivery == told()[0].delivery


def test_some_fluents_only() -> None:
    session = loads(RULES).session()
    session.push_one("speed", 1, "a", 20)
    assert list(alerts_of(session.changes(2), {"slow"})) == []


def test_lines_of_json() -> None:
    into = io.StringIO()
    JsonLines(into)(told())
    first = json.loads(into.getvalue().splitlines()[0])
    assert first["schema"] == "holdsfor.alert/1"
    assert (first["action"], first["fluent"], first["start"], first["end"]) == ("open", "fast(a)", 2, None)
    assert first["causes"] == ["arrived speed(a,20) at 1"]


class Receiver:
    """A server that answers with some codes first, and then accepts."""

    def __init__(self, answers: list[tuple[int, dict[str, str]]]) -> None:
        self.answers, self.seen, self.bodies = answers, [], {}
        self.headers: list[dict[str, str]] = []
        self.seen: list[str]
        self.bodies: dict[str, bytes]


@contextmanager
def receiving(answers: list[tuple[int, dict[str, str]]]) -> Iterator[tuple[str, Receiver]]:
    receiver = Receiver(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            key = self.headers["Idempotency-Key"]
            receiver.seen.append(key)
            receiver.bodies[key] = body
            receiver.headers.append(dict(self.headers))
            code, headers = receiver.answers.pop(0) if receiver.answers else (204, {})
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook?key=private", receiver
    finally:
        server.shutdown()
        server.server_close()


def test_a_webhook_is_signed() -> None:
    with receiving([]) as (url, receiver):
        Webhook(url, "secret")(told()[:1])
    body = receiver.bodies[receiver.seen[0]]
    assert verify("secret", receiver.headers[0], body)
    assert not verify("other", receiver.headers[0], body)
    assert not verify("secret", receiver.headers[0], body + b" ")
    late = int(receiver.headers[0]["X-Holdsfor-Timestamp"]) + 1000
    assert not verify("secret", receiver.headers[0], body, now=late)
    assert json.loads(body)["delivery"] == receiver.seen[0]


def test_a_webhook_tries_again_with_the_same_key() -> None:
    pauses: list[float] = []
    answers = [(503, {}), (429, {"Retry-After": "7"}), (500, {})]
    with receiving(answers) as (url, receiver):
        hook = Webhook(url, sleep=pauses.append)
        hook(told()[:2])
    assert pauses == [0.5, 7.0, 2.0]
    assert (hook.sent, hook.tried_again) == (2, 3)
    assert len(receiver.seen) == 5
    assert len(set(receiver.seen)) == 2


def test_what_was_received_before_counts_as_received() -> None:
    with receiving([(409, {})]) as (url, receiver):
        Webhook(url)(told()[:1])
    assert len(receiver.seen) == 1


def test_a_refusal_is_an_error_without_secrets() -> None:
    with receiving([(403, {})]) as (url, receiver), pytest.raises(HoldsforError, match="403 Forbidden") as caught:
        Webhook(url, sleep=lambda _: None)(told()[:1])
    assert "private" not in str(caught.value)
    assert len(receiver.seen) == 1


def test_nobody_there() -> None:
    pauses: list[float] = []
    with receiving([]) as (url, _):
        pass
    with pytest.raises(HoldsforError, match="could not be delivered"):
        Webhook(url, attempts=9, most_pause=8, sleep=pauses.append)(told()[:1])
    assert pauses == [0.5, 1, 2, 4, 8, 8, 8, 8]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org", "example.org/hook", "https://"])
def test_only_addresses_of_the_web(url: str) -> None:
    with pytest.raises(HoldsforError, match="a webhook is an address"):
        Webhook(url)
