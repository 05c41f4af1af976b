"""Random event descriptions in which what holds of one entity follows from what holds of another, in a cycle.

Rows, results of other rules and facts lead from one to the other: those that they tie are evaluated together. Now and then
nothing leads there, and all are.
"""

from __future__ import annotations

from tests.strategies.encounters import encounter_scenario
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen

_NAMES = ("meets", "meets", "calls", "beside", "brake", "speed_up", "says", "gathers")
_PEOPLE = ("ann", "bob", "cy", "dee", "eve", "fay", "gus", "hal")

_LINKS = [
    "happensAt(meets(A,B), T)",
    "happensAt(meets(B,A), T)",
    "happensAt(brake(A), T), holdsAt(beside(A,B)=true, T)",
    "happensAt(start(beside(B,A)=true), T)",
    "happensAt(end(beside(A,B)=true), T)",
    "happensAt(speed_up(B), T), kin(B,A)",
    "happensAt(meets(A,C), T), happensAt(meets(C,B), T)",
    "happensAt(gathers(A,_,B), T)",
    "happensAt(brake(A), T), holdsAt(bond(A,B)=true, T)",
    "happensAt(calls(A,B), T), happensAt(meets(A,B), T0), T0 < T, T - T0 =< 7",
]
_UNTIED = ["happensAt(brake(A), T), happensAt(speed_up(B), T)", "happensAt(meets(A,_), T), happensAt(meets(_,B), T)"]
_READS = [
    "holdsAt(ill(B)=true, T)",
    "\\+ holdsAt(ill(B)=true, T)",
    "holdsAt(mood(B)=good, T)",
    "holdsAt(ill(B)=true, T), \\+ holdsAt(ill(A)=true, T)",
    "happensAt(cry(B), T)",
    "\\+ happensAt(cry(B), T)",
    "holdsAt(n(B)=N, T), N > 1",
]
_OWN = [
    "initiatedAt(ill(A)=true, T) :- happensAt(brake(A), T).",
    "initiatedAt(ill(A)=false, T) :- happensAt(says(A,good), T).",
    "terminatedAt(ill(A)=true, T) :- happensAt(speed_up(A), T).",
    "terminatedAt(ill(_)=true, T) :- happensAt(says(_,bad), T).",
    "fi(ill(A)=true, ill(A)=false, 4).",
    "ft(ill(A)=true, 9).",
    "initially(ill(ann)=true).",
    "initially(ill(cy)=true).",
]
_AROUND = [
    "initiatedAt(alone(A)=true, T) :- happensAt(brake(A), T), \\+ holdsAt(ill(A)=true, T).",
    "holdsFor(sick(A)=true, I) :- holdsFor(ill(A)=true, J), intDurGreater(J, 2, I).",
    "initiatedAt(fear(A,B)=true, T) :- happensAt(meets(A,B), T), holdsAt(ill(B)=true, T).",
    "happensAt(caught(A), T) :- happensAt(start(ill(A)=true), T).",
]
_HEADS = ["initiatedAt(ill(A)=true, T)", "terminatedAt(ill(A)=true, T)", "initiatedAt(mood(A)=good, T)"]


def tie_scenario(pen: Pen) -> Scenario | None:
    """A description and a stream; None if its rules have no meaning."""
    lines = [
        _OWN[0],
        "initiatedAt(mood(A)=M, T) :- happensAt(says(A,M), T).",
        "initiatedAt(bond(A,B)=true, T) :- happensAt(calls(A,B), T).",
        "terminatedAt(bond(A,B)=true, T) :- happensAt(brake(A), T), happensAt(calls(B,A), T).",
        "happensAt(cry(A), T) :- happensAt(brake(A), T), holdsAt(ill(A)=true, T).",
        "initiatedAt(n(A)=1, T) :- happensAt(says(A,_), T), \\+ holdsAt(n(A)=_, T).",
        "initiatedAt(n(A)=M, T) :- happensAt(says(A,_), T), holdsAt(n(A)=N, T), N < 4, M is N + 1.",
    ]
    lines += [rule for rule in _OWN[1:] if pen.chance(30)]
    for _ in range(pen.number(1, 3)):
        link = pen.pick(_UNTIED) if pen.chance(7) else pen.pick(_LINKS)
        lines.append(f"{pen.pick(_HEADS)} :- {link}, {pen.pick(_READS)}.")
    if pen.chance(25):
        lines.append(
            "initiatedAt(n(A)=S, T) :- happensAt(meets(A,B), T), holdsAt(n(A)=N, T), holdsAt(n(B)=M, T), M < 9, S is N + M."
        )
    if pen.chance(40):
        lines.append(f"initiatedAt(mood(A)=good, T) :- {pen.pick(_LINKS)}, {pen.pick(_READS)}.")
    lines += [rule for rule in _AROUND if pen.chance(25)]
    kin = [f"kin({one},{other})." for one in _PEOPLE for other in _PEOPLE if pen.chance(6)]
    lines += kin or ["kin(ann,bob)."]
    people = _PEOPLE[: pen.pick((4, 8))]
    return encounter_scenario(pen, lines, _NAMES, 0, 40, people)
