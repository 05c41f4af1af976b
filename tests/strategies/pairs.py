"""Random event descriptions about pairs that read what is said of one of the two, and streams for them.

Who the pairs are comes from the stream, or now and then from elsewhere: only then does everything concern all pairs.
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
_BRINGS = [
    "happensAt(meets(A,B), T)",
    "happensAt(meets(B,A), T)",
    "happensAt(meets(A,B), T), holdsAt(beside(A,B)=true, T)",
    "happensAt(start(beside(A,B)=true), T)",
    "happensAt(brake(A), T), happensAt(speed_up(B), T)",
]
_ASKS = [
    "holdsAt(slow(A)=true, T)",
    "holdsAt(slow(B)=true, T)",
    "\\+ holdsAt(slow(B)=true, T)",
    "holdsAt(mood(B)=good, T)",
    "happensAt(says(A,_), T)",
    "\\+ happensAt(brake(B), T)",
]
_ENDS = [
    "happensAt(end(slow(A)=true), T)",
    "happensAt(start(slow(B)=true), T)",
    "happensAt(brake(B), T)",
    "happensAt(says(A,bad), T), holdsAt(mood(B)=good, T)",
    "happensAt(meets(A,B), T), holdsAt(slow(A)=true, T)",
]
_LISTS = ["slow(A)=true", "slow(B)=true", "mood(A)=good", "mood(B)=bad", "pair(A,B)=true", "beside(B,A)=true"]
_NAMES = ("meets", "meets", "beside", "brake", "brake", "speed_up", "says")


def pair_scenario(pen: Pen) -> Scenario | None:
    """A description and a stream; None if its rules have no meaning."""
    lines = [_SINGLE]
    for _ in range(pen.number(1, 2)):
        asks = ", ".join([_brings(pen), *pen.some(_ASKS, 2)])
        lines.append(f"initiatedAt(pair(A,B)=true, T) :- {asks}.")
    lines += [f"terminatedAt(pair(A,B)=true, T) :- {pen.pick(_ENDS)}." for _ in range(pen.number(0, 2))]
    if pen.chance(30):
        lines.append(f"happensAt(bump(A,B), T) :- happensAt(start(pair(A,B)=true), T), {pen.pick(_ASKS)}.")
        lines.append(f"initiatedAt(bumped(A,B)=true, T) :- happensAt(bump(A,B), T), {pen.pick(_ASKS)}.")
        lines.append(f"terminatedAt(bumped(A,B)=true, T) :- {pen.pick(_ENDS)}.")
    if pen.chance(25):
        lines.append(f"fi(pair(A,B)=true, pair(A,B)=false, {pen.number(1, 5)}).")
    lists = [pen.pick(("beside(A,B)=true", "pair(A,B)=true")), *(pen.pick(_LISTS) for _ in range(pen.number(1, 3)))]
    names = [f"I{place}" for place in range(len(lists))]
    read = ", ".join(f"holdsFor({pair}, {name})" for pair, name in zip(lists, names, strict=True))
    operator = list_operator(pen, names[1:])
    lines.append(f"holdsFor(together(A,B)=true, I) :- {read}, {operator}.")
    return encounter_scenario(pen, lines, _NAMES, 0, 40)


def _brings(pen: Pen) -> str:
    return pen.weighted([(6, _BRINGS[0]), (3, _BRINGS[1]), (3, _BRINGS[2]), (3, _BRINGS[3]), (1, _BRINGS[4])])
