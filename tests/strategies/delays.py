"""Random programs with chains of delayed effects outside cycles."""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

IMMEDIATE = (
    "initiatedAt(f(X)=M, T) :- happensAt(turn(X, M), T).\n",
    "initiatedAt(f(X)=green, T) :- happensAt(go(X), T).\n",
    "initiatedAt(f(X)=red, T) :- happensAt(hit(X), T).\n",
    "initiatedAt(f(X)=late, T) :- happensAt(meet(X, _), T).\n",
    "terminatedAt(f(X)=green, T) :- happensAt(stop(X), T).\n",
    "terminatedAt(f(X)=_, T) :- happensAt(set(X, _), T).\n",
    "terminatedAt(f(_)=red, T) :- happensAt(tick, T).\n",
)
CHAIN = ("green", "red", "late", "gone")


def delay_program(pen: Pen) -> str:
    """A fluent with a chain of delayed effects, some of them postponed."""
    rules = [IMMEDIATE[0], *(rule for rule in IMMEDIATE[1:] if pen.chance(50))]
    for place, value in enumerate(CHAIN[:-1]):
        if pen.chance(75):
            effect = pen.pick(CHAIN[place + 1 :])
            delay = pen.number(1, 6)
            rules.append(
                f"ft(f(X)={value}, {delay}).\n" if pen.chance(20) else f"fi(f(X)={value}, f(X)={effect}, {delay}).\n"
            )
            if pen.chance(50):
                rules.append(f"p(f(_)={value}).\n")
    if pen.chance(30):
        rules.append("initiatedAt(seen(X)=true, T) :- happensAt(start(f(X)=red), T).\n")
    if pen.chance(30):
        rules.append("initiatedAt(told(X)=true, T) :- initiatedAt(f(X)=late, T).\n")
    return "".join(rules)
