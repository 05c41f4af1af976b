"""Random event descriptions about pairs and trios whose rules read what is said of each of them, and streams for them.

All rules have the whole key from a condition on the stream, and read of other fluents and events what has one part of it.
"""

from __future__ import annotations

from tests.strategies.encounters import encounter_scenario, list_operator
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen

_SINGLE = """
initiatedAt(slow(A)=true, T) :- happensAt(brake(A), T).
terminatedAt(slow(A)=true, T) :- happensAt(speed_up(A), T).
initiatedAt(mood(A)=M, T) :- happensAt(says(A,M), T).
terminatedAt(mood(A)=_, T) :- happensAt(brake(A), T).
"""
_BRINGS = (
    "happensAt(meets(A,B), T)",
    "happensAt(meets(B,A), T)",
    "happensAt(start(beside(A,B)=true), T)",
    "happensAt(end(beside(A,B)=true), T)",
)
_ASKS = (
    "holdsAt(slow(%s)=true, T)",
    "\\+ holdsAt(slow(%s)=true, T)",
    "holdsAt(mood(%s)=good, T)",
    "holdsAt(alert(%s)=true, T)",
    "\\+ holdsAt(alert(%s)=true, T)",
    "happensAt(says(%s,_), T)",
    "\\+ happensAt(brake(%s), T)",
    "\\+ happensAt(start(slow(%s)=true), T)",
    "happensAt(calls(%s,_), T)",
    "\\+ happensAt(calls(_,%s), T)",
    "happensAt(says(%s,M), T0), T0 < T, T - T0 =< 4",
)
_LISTS = ("slow(%s)=true", "mood(%s)=good", "mood(%s)=bad", "alert(%s)=true")
_NAMES = ("meets", "meets", "beside", "beside", "brake", "brake", "speed_up", "says", "calls", "alert", "gathers")


def part_scenario(pen: Pen) -> Scenario | None:
    """A description and a stream; None if its rules have no meaning."""
    lines = [_SINGLE]
    # Both of them are always read: then neither alone can be the key.
    first = pen.pick(_ASKS)
    lines.append(f"initiatedAt(pair(A,B)=true, T) :- {_brought(pen)}, {first % 'A'}, {_renamed(first) % 'B'}.")
    if pen.chance(50):
        lines.append(f"initiatedAt(pair(A,B)=close, T) :- {_brought(pen)}, {pen.pick(_ASKS) % pen.pick('AB')}.")
    for _ in range(pen.number(1, 2)):
        value = pen.pick(("true", "_"))
        lines.append(f"terminatedAt(pair(A,B)={value}, T) :- {_brought(pen)}, {pen.pick(_ASKS) % pen.pick('AB')}.")
    if pen.chance(25):
        lines.append(f"fi(pair(A,B)=true, pair(A,B)=false, {pen.number(1, 5)}).")
    if pen.chance(60):
        one = pen.pick(_LISTS)
        others = [one % "A", one % "B", *(pen.pick(_LISTS) % pen.pick("AB") for _ in range(pen.number(0, 2)))]
        names = [f"I{place}" for place in range(1, len(others) + 1)]
        read = ", ".join(f"holdsFor({pair}, {name})" for pair, name in zip(others, names, strict=True))
        operator = list_operator(pen, names)
        base = pen.pick(("beside(A,B)=true", "pair(A,B)=true"))
        lines.append(f"holdsFor(together(A,B)=true, I) :- holdsFor({base}, I0), {read}, {operator}.")
    if pen.chance(30):
        asks = ", ".join(
            _renamed(ask, place) % name
            for place, (ask, name) in enumerate(zip(pen.some(_ASKS, 3), "ABC", strict=False))
        )
        lines.append(f"initiatedAt(trio(A,B,C)=true, T) :- happensAt(gathers(A,B,C), T), {asks or 'true'}.")
        lines.append(f"terminatedAt(trio(A,B,C)=true, T) :- happensAt(gathers(C,B,A), T), {pen.pick(_ASKS) % 'B'}.")
    return encounter_scenario(pen, lines, _NAMES, 5, 45)


def _brought(pen: Pen) -> str:
    return pen.pick(_BRINGS)


def _renamed(ask: str, number: int = 1) -> str:
    """The same condition with variables of its own."""
    return ask.replace("M)", f"M{number})").replace("T0", f"T0{number}")
