"""Metrics in the text format of Prometheus."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.monitoring import BUCKETS, Metrics, SessionMetrics, names, served

DASHBOARD = Path(__file__).parents[2] / "docs" / "howto" / "grafana-dashboard.json"
_LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"\n]*"\})? ([0-9.e+-]+|\+Inf)')
RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S > 10.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S =< 10.
"""


def values(text: str) -> dict[str, str]:
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            assert _LINE.fullmatch(line), line
            name, _, value = line.rpartition(" ")
            found[name] = value
    return found


def test_a_session_is_measured() -> None:
    session = loads(RULES).session(20)
    measured = SessionMetrics(session)
    session.push({"speed": [(1, "a", 20), (2, "b", 20)]})
    measured.changes(5)
    session.push_one("speed", 60, "a", 5)
    measured.changes(60)
    session.push_one("speed", 3, "late", 5)
    measured.changes(61)
    found = values(measured.metrics.text())
    assert found["holdsfor_events_total"] == "3"
    assert found["holdsfor_late_total"] == "1"
    assert found["holdsfor_changes_total"] == "3"
    assert found["holdsfor_queries_total"] == "3"
    assert found["holdsfor_query_time"] == "61"
    assert int(found["holdsfor_keys"]) == session.size.keys == 2
    assert found['holdsfor_state_bounded{table="speed/2"}'] == "1"
    assert found['holdsfor_latency_seconds_bucket{le="+Inf"}'] == "3"


def test_a_histogram_counts_up() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.3, 0.3, 100.0):
        metrics.took(seconds)
    found = values(metrics.text())
    counts = [int(found[f'holdsfor_latency_seconds_bucket{{le="{limit:g}"}}']) for limit in BUCKETS]
    assert counts == sorted(counts)
    assert counts[-1] == 3
    assert found["holdsfor_latency_seconds_count"] == "4"
    assert found["holdsfor_latency_seconds_sum"] == "100.601"


def test_reports_of_a_stream() -> None:
    metrics = Metrics()
    report = {"events": 10, "late": 2, "malformed": 1, "ahead": 3, "keys_held": 7, "state_bytes": 900, "query_time": 60}
    metrics.report(report | {"milliseconds": 40})
    metrics.report(report | {"milliseconds": 40, "query_time": "2026-03-01T12:00Z"})
    found = values(metrics.text())
    assert found["holdsfor_rejected_total"] == "8"
    assert found["holdsfor_state_bytes"] == "900"
    assert found["holdsfor_query_time"] == "60"


def test_they_are_served() -> None:
    metrics = Metrics()
    server = served(metrics.text, "127.0.0.1:0")
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        with urllib.request.urlopen(f"{address}/metrics") as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert answer.read().decode() == metrics.text()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{address}/")
        with pytest.raises(HoldsforError, match="cannot be served"):
            served(metrics.text, str(server.server_port))
    finally:
        server.shutdown()
        server.server_close()


def test_a_port_is_a_number() -> None:
    with pytest.raises(HoldsforError, match="a port such as 9464"):
        served(Metrics().text, "localhost")


def test_the_dashboard_uses_metrics_that_there_are() -> None:
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    used = {name for expr in asked for name in re.findall(r"holdsfor_[a-z_]+", expr)}
    assert used
    assert used <= set(names())
    assert {"holdsfor_events_total", "holdsfor_state_bytes", "holdsfor_latency_seconds_bucket"} <= used
