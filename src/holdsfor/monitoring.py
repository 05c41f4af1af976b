"""Metrics in the text format of Prometheus, and a small server that shows them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from holdsfor.diagnostics import HoldsforError
from holdsfor.physical.certificate import bounds
from holdsfor.physical.model import FOREVER, PhysicalPlan, Role

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper limits of the histogram of latencies, in seconds."""
_COUNTED = {
    "events": "Rows that arrived and were used.",
    "late": "Rows that arrived after their last window.",
    "rejected": "Rows that could not be read, or whose time was too far ahead.",
    "unmatched": "Retractions of unknown rows.",
    "changes": "Changes that were reported.",
    "queries": "Query times that were evaluated.",
    "without_value": "Rows for which a condition had no value.",
}
_SHOWN = {
    "keys": "Keys with a state.",
    "state_rows": "Rows that are kept.",
    "state_bytes": "Bytes of the state.",
    "intervals": "Intervals that are kept.",
    "query_time": "The last query time, as a number of time-points.",
}


@dataclass
class Metrics:
    """Counters, gauges and a histogram of latencies. Safe to read while others count."""

    totals: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0.0))
    values: dict[str, float] = field(default_factory=dict)
    limits: dict[str, int | None] = field(default_factory=dict)
    """By table, for how many time-points rows are kept behind the window; None: without bound."""
    _latencies: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    _seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def count(self, **more: float) -> None:
        """Add to counters."""
        with self._lock:
            for name, number in more.items():
                self.totals[name] += number

    def set(self, **now: float | None) -> None:
        """Set gauges; unknown ones keep their values."""
        with self._lock:
            self.values.update({name: value for name, value in now.items() if value is not None})

    def took(self, seconds: float) -> None:
        """Record how long a batch or a query time took."""
        with self._lock:
            self._latencies[next((at for at, limit in enumerate(BUCKETS) if seconds <= limit), len(BUCKETS))] += 1
            self._seconds += seconds

    def certify(self, plan: PhysicalPlan) -> None:
        """Set the retention that the plan guarantees."""
        for table, bound in zip(plan.tables, bounds(plan), strict=True):
            if table.role in (Role.INPUT_EVENT, Role.INPUT_FLUENT):
                self.limits[table.label] = None if bound.span == FOREVER else bound.span

    def report(self, data: Mapping[str, Any]) -> None:
        """Add the report of a micro-batch, in the form of `Report.data`."""

        def number(name: str) -> float:
            value = data.get(name)
            return value if isinstance(value, int | float) and not isinstance(value, bool) else 0

        self.count(
            rejected=number("malformed") + number("ahead"),
            **{name: number(name) for name in _COUNTED if name != "rejected"},
        )
        point = data.get("query_time")
        self.set(
            keys=number("keys_held"),
            intervals=number("intervals"),
            state_rows=number("state_rows"),
            state_bytes=number("state_bytes"),
            query_time=point if isinstance(point, int) else None,
        )
        self.took(number("milliseconds") / 1000)

    def text(self) -> str:
        """All of it in the text format of Prometheus."""
        with self._lock:
            lines = [line for name, help_ in _COUNTED.items() for line in _counter(name, help_, self.totals[name])]
            for name, help_ in _SHOWN.items():
                if name in self.values:
                    lines += _block(name, help_, "gauge", [f"holdsfor_{name} {_number(self.values[name])}"])
            lines += self._certificate() + self._histogram()
        return "\n".join(lines) + "\n"

    def _certificate(self) -> list[str]:
        if not self.limits:
            return []
        bounded = [
            f"holdsfor_state_bounded{_label(name)} {int(span is not None)}" for name, span in self.limits.items()
        ]
        spans = [
            f"holdsfor_state_kept_points{_label(name)} {span}" for name, span in self.limits.items() if span is not None
        ]
        found = _block("state_bounded", "Whether the plan bounds the rows that are kept of an input.", "gauge", bounded)
        return found + _block(
            "state_kept_points", "For how many time-points behind the window rows may be kept.", "gauge", spans
        )

    def _histogram(self) -> list[str]:
        rows, count = [], 0
        for limit, more in zip((*BUCKETS, float("inf")), self._latencies, strict=True):
            count += more
            rows.append(f'holdsfor_latency_seconds_bucket{{le="{_number(limit)}"}} {count}')
        rows += [f"holdsfor_latency_seconds_sum {_number(self._seconds)}", f"holdsfor_latency_seconds_count {count}"]
        return _block("latency_seconds", "How long a batch or a question took.", "histogram", rows)


def _counter(name: str, help_: str, value: float) -> list[str]:
    return _block(f"{name}_total", help_, "counter", [f"holdsfor_{name}_total {_number(value)}"])


def _block(name: str, help_: str, kind: str, rows: list[str]) -> list[str]:
    return [f"# HELP holdsfor_{name} {help_}", f"# TYPE holdsfor_{name} {kind}", *rows] if rows else []


def _label(table: str) -> str:
    text = table.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'{{table="{text}"}}'


def _number(value: float) -> str:
    if value == float("inf"):
        return "+Inf"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


class SessionMetrics:
    """The metrics of a session: call its `changes` instead of the session's own."""

    def __init__(self, session: Any, metrics: Metrics | None = None) -> None:
        self._session = session
        self.metrics = Metrics() if metrics is None else metrics
        self.metrics.certify(session.physical_plan)
        self._last = dict.fromkeys(("events", "late", "rejected", "unmatched"), 0)

    def changes(self, now: Any = None) -> Any:
        """The changes of the session, measured."""
        begin = time.perf_counter()
        found = self._session.changes(now)
        self.metrics.took(time.perf_counter() - begin)
        session, summary = self._session, self._session.summary
        seen = {
            "events": summary.used,
            "late": session.late,
            "rejected": session.malformed,
            "unmatched": session.unmatched,
        }
        self.metrics.count(changes=len(found), queries=1, **{name: seen[name] - self._last[name] for name in seen})
        self._last = seen
        size = session.size
        self.metrics.set(keys=size.keys, state_rows=size.rows, query_time=session.now)
        return found


def served(text: Callable[[], str], address: str) -> ThreadingHTTPServer:
    """Show metrics at `/metrics` of a port (`9464`), or of a host and port (`0.0.0.0:9464`); `shutdown` ends it."""
    host, _, port = address.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise HoldsforError(f"metrics are served at a port such as 9464, or at a host and port, not at {address!r}")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_there = self.path.partition("?")[0] == "/metrics"
            body = text().encode() if is_there else b"metrics are at /metrics\n"
            self.send_response(HTTPStatus.OK if is_there else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", CONTENT_TYPE if is_there else "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: Prometheus sends a request every few seconds."""

    try:
        server = ThreadingHTTPServer((host or "127.0.0.1", int(port)), Handler)
    except OSError as problem:
        raise HoldsforError(f"metrics cannot be served at {address}: {problem.strerror or problem}") from None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server


def names() -> Iterable[str]:
    """The names of all metrics, as a dashboard uses them."""
    yield from (f"holdsfor_{name}_total" for name in _COUNTED)
    yield from (f"holdsfor_{name}" for name in (*_SHOWN, "state_bounded", "state_kept_points"))
    yield from (f"holdsfor_latency_seconds_{part}" for part in ("bucket", "sum", "count"))
