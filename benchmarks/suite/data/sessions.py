"""Live sessions: one event after the other, some of them late, some taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from benchmarks.suite.data.maritime_rules import HOURS, MIX

from holdsfor import loads
from holdsfor.session import Session

DOORS = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
initiatedAt(guarded(D)=true, T) :- happensAt(arrive(D), T).
terminatedAt(guarded(D)=true, T) :- happensAt(leave(D), T).
initiatedAt(lit(D)=true, T) :- happensAt(lamp_on(D), T).
terminatedAt(lit(D)=true, T) :- happensAt(lamp_off(D), T).
holdsFor(unsafe(D)=true, I) :- holdsFor(open(D)=true, I1), holdsFor(guarded(D)=true, I2),
    relative_complement_all(I1, [I2], I).
"""
Event = tuple[str, int, tuple[object, ...]]
"""A name, a time, and arguments; of an input fluent, the end, the value and arguments."""


def doors(keys: int, count: int) -> Iterator[list[Event]]:
    """All doors are locked, then opened and locked, guarded and left in turn: every event changes something."""
    random = np.random.default_rng(1)
    names = [f"d{number}" for number in range(keys)]
    first = random.integers(0, 1000, keys).tolist()
    yield [("unlock", time, (name,)) for name, time in zip(names, first, strict=True)]
    pairs = [("lock", "unlock"), ("arrive", "leave"), ("lamp_on", "lamp_off")]
    done: dict[tuple[str, int], int] = {}
    chosen, kind = random.integers(0, keys, count).tolist(), random.integers(0, 3, count).tolist()
    yield [
        (pairs[which][_turn(done, (pairs[which][0], door))], 1001 + number // 10, (names[door],))
        for number, (door, which) in enumerate(zip(chosen, kind, strict=True))
    ]


def _turn(done: dict[tuple[str, int], int], what: tuple[str, int]) -> int:
    done[what] = done.get(what, -1) + 1
    return done[what] % 2


def maritime(keys: int, count: int) -> Iterator[list[Event]]:
    """Events of all kinds, of vessels and areas at random; a third as many pairs of vessels are near each other."""
    random = np.random.default_rng(2)
    names, shares = list(MIX), np.array(list(MIX.values())) / sum(MIX.values())
    vessels = np.concatenate((np.arange(keys), random.integers(0, keys, 3 * keys + count))).tolist()
    kinds = random.choice(len(names), len(vessels), p=shares).tolist()
    times = np.sort(random.integers(0, HOURS * 3600, len(vessels))).tolist()
    made: list[Event] = []
    for vessel, kind, moment in zip(vessels, kinds, times, strict=True):
        rest: tuple[object, ...] = ()
        if names[kind] == "velocity":
            rest = (round(float(random.gamma(2.0, 4.0)), 1),)
        elif names[kind].endswith("Area"):
            rest = (f"a{random.integers(0, 4)}",)
        made.append((names[kind], moment, (f"v{vessel}", *rest)))
    end = HOURS * 3600
    near: list[Event] = [
        ("proximity", start, (start + 3600, "true", f"v{one}", f"v{other}"))
        for start, one, other in zip(
            random.integers(0, end, keys // 3).tolist(), *random.integers(0, keys, (2, keys // 3)).tolist(), strict=True
        )
    ]
    yield [*near, *made[:-count]]
    yield made[-count:]


def filled(rules: str, events: list[Event]) -> Session:
    """A session that has seen some events."""
    session = loads(rules).session()
    by_name: dict[str, list[tuple[object, ...]]] = {}
    for name, moment, args in events:
        by_name.setdefault(name, []).append((moment, *args))
    session.push(by_name)
    session.changes()
    session.changes()
    return session


def steps(session: Session, events: list[Event]) -> Iterator[tuple[str, Callable[[], int]]]:
    """What is done with each event, one after the other."""

    def pushed(event: Event, back: int = 0) -> int:
        session.push_one(event[0], event[1] - back, *event[2])
        return len(list(session.changes()))

    def taken_back(event: Event) -> int:
        session.retract_one(event[0], event[1], *event[2])
        return len(list(session.changes()))

    for number, event in enumerate(events):
        if number % 10 == 9:
            yield "late", lambda event=event: pushed(event, 200)  # type: ignore[misc]
            continue
        yield "in time", lambda event=event: pushed(event)  # type: ignore[misc]
        if number % 10 == 4:
            yield "taken back", lambda event=event: taken_back(event)  # type: ignore[misc]
