"""Delayed effects, with and without postponement, in windows of growing size; and quotes alone."""

from __future__ import annotations

from functools import partial

from benchmarks.suite.reasoning import from_rows, ready
from benchmarks.suite.workload import EXAMPLES, Ready, Workload, example
from benchmarks.suite.workloads.applications import net_bill, voting

from holdsfor import load
from holdsfor.columns.windows import WindowPlan

POSTPONED = """
p(quote(_Merchant, _Consumer, _Goods)=true).
p(contract(_Merchant, _Consumer, _Goods)=true).
p(suspended(_Agent)=true).
"""
AGENTS = 250
"""They send about 5,600 events in ten time-points, as in the published experiment."""
STEP = 10
SIZES = (10, 20, 40, 80)


def _windows(size: int, quick: bool) -> WindowPlan:
    return WindowPlan(size, STEP, -1, 39 if quick else 99)


def _net_bill(size: int, rules: str, quick: bool) -> Ready:
    return ready(net_bill(20 if quick else AGENTS, 40 if quick else 100, rules), _windows(size, quick), repeat=3)


def _voting(size: int, quick: bool) -> Ready:
    return ready(voting(), _windows(size, quick), repeat=3)


def quote_rows(events: int) -> list[str]:
    """About so many messages of ten merchants and ten consumers."""
    rows: list[str] = example("netbill").rows(20, events // 2, max(20, events // 4), 1)
    kept = [row for row in rows if row.startswith(("present_quote", "accept_quote"))]
    return kept[:events]


def _quotes(events: int, quick: bool) -> Ready:
    del quick
    return ready(from_rows(load(EXAMPLES / "netbill" / "quotes.prolog").plan, quote_rows(events)), repeat=25)


WORKLOADS = [
    *(
        Workload(f"netbill-fixed-{size}", f"NetBill, fixed deadlines, windows of {size}", partial(_net_bill, size, ""))
        for size in SIZES
    ),
    *(
        Workload(
            f"netbill-postponed-{size}",
            f"NetBill, postponed deadlines, windows of {size}",
            partial(_net_bill, size, POSTPONED),
        )
        for size in SIZES
    ),
    *(Workload(f"voting-fixed-{size}", f"voting, windows of {size} by 10", partial(_voting, size)) for size in SIZES),
    *(
        Workload(f"quotes-{events}", f"quotes alone, {events} events", partial(_quotes, events))
        for events in (10, 20, 40, 80, 960, 4000)
    ),
]
