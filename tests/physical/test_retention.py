"""How much is kept behind a border, program by program."""

from __future__ import annotations

import pytest

from holdsfor.loading import loads
from holdsfor.physical.lower import lower
from holdsfor.physical.model import FOREVER, PhysicalPlan

INERTIA = """
initiatedAt(f(X)=true, T) :- happensAt(on(X), T).
terminatedAt(f(X)=true, T) :- happensAt(off(X), T).
initiatedAt(g(X)=true, T) :- happensAt(start_g(X), T), holdsAt(f(X)=true, T).
terminatedAt(g(X)=true, T) :- happensAt(end(f(X)=true), T).
"""


def _plan(text: str) -> PhysicalPlan:
    return lower(loads(text).plan).plan


def _kept(plan: PhysicalPlan) -> dict[str, int]:
    return {table.label.split("/")[0]: table.keep for table in plan.tables if table.keep}


SETTLED = {
    "inertia": (INERTIA, 0, {}),
    "union": (
        INERTIA + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(g(X)=true, B), union_all([A, B], I).",
        0,
        {},
    ),
    "start of a union": (
        INERTIA
        + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(g(X)=true, B), union_all([A, B], I).\n"
        + "initiatedAt(z(X)=true, T) :- happensAt(start(h(X)=true), T).",
        0,
        {},
    ),
    "look-back": (
        INERTIA + "initiatedAt(z(X)=true, T) :- happensAt(on(X), T), happensAt(off(X), T0), T0 < T, T - T0 =< 7.",
        0,
        {"off": 7},
    ),
    "look-back without limit": (
        INERTIA + "initiatedAt(z(X)=true, T) :- happensAt(on(X), T), happensAt(off(X), T0), T0 < T.",
        0,
        {"off": FOREVER},
    ),
    "duration": (INERTIA + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), intDurGreater(A, 10, I).", 11, {}),
    "duration of a union": (
        INERTIA
        + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(g(X)=true, B), union_all([A, B], C), "
        + "intDurGreater(C, 10, I).",
        11,
        {"f": 12, "g": 12},
    ),
    "metric, back": (
        INERTIA + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), diamond_minus(A, [2, 6], I).",
        0,
        {"f": 7},
    ),
    "metric, ahead": (INERTIA + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), diamond_plus(A, [2, 6], I).", 6, {}),
    "sequence": (
        INERTIA + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(g(X)=true, B), seq(A, B, I).",
        0,
        {"f": FOREVER, "g": FOREVER},
    ),
    "rule on a sequence": (
        INERTIA
        + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(g(X)=true, B), seq(A, B, I).\n"
        + "initiatedAt(z(X)=true, T) :- happensAt(start(h(X)=true), T).",
        FOREVER,
        {"f": FOREVER, "g": FOREVER},
    ),
    "union over different variables": (
        INERTIA
        + "initiatedAt(w=true, T) :- happensAt(on(_), T).\n"
        + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(w=true, B), union_all([A, B], I).",
        0,
        {"f": FOREVER, "w": FOREVER},
    ),
    "emptiness": (
        INERTIA + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, I), holdsFor(g(X)=true, B), B = [].",
        0,
        {"f": FOREVER, "g": FOREVER},
    ),
    "two rules": (
        INERTIA
        + "holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, I).\nholdsFor(h(X)=true, I) :- holdsFor(g(X)=true, I).",
        0,
        {"f": FOREVER, "g": FOREVER},
    ),
    "delayed effect": (INERTIA + "fi(f(X)=true, f(X)=false, 10).\np(f(_)=true).", 0, {}),
    "start of an input fluent": (
        "inputEntity(k(_)=true).\ninitiatedAt(z(X)=true, T) :- happensAt(start(k(X)=true), T), holdsAt(k(X)=true, T).",
        1,
        {},
    ),
}


@pytest.mark.parametrize("name", SETTLED)
def test_settles_and_keeps(name: str) -> None:
    text, settle, kept = SETTLED[name]
    plan = _plan(text)
    assert (plan.settle, _kept(plan)) == (settle, kept)


def test_says_which_rule() -> None:
    text, _, _ = SETTLED["look-back"]
    (off,) = [table for table in _plan(text).tables if table.label.startswith("off")]
    assert off.keep_why == "the rule at <rules>:6 looks back 7 time-points"
