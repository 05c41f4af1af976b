"""Random event descriptions in which events and fluents set each other off within a time-point."""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

_ITEMS = ("ann", "bob", "cy")
_LOOPS = (
    "happensAt(told(Y),T) :- happensAt(told(X),T), link(X,Y).",
    "happensAt(told(Y),T) :- happensAt(told(X),T), holdsAt(near(X,Y)=true,T).",
    "happensAt(told(Y),T) :- happensAt(heard(X),T), link(X,Y).\nhappensAt(heard(X),T) :- happensAt(told(X),T).",
    "happensAt(told(Y),T) :- happensAt(start(knows(X)=true),T), link(X,Y).",
    "happensAt(told(X),T) :- happensAt(echo(X),T).\nhappensAt(echo(Y),T) :- happensAt(told(X),T), link(Y,X).",
    "happensAt(told(X),T) :- initiatedAt(mood(X)=red,T).\ninitiatedAt(mood(Y)=red,T) :- happensAt(told(X),T), link(X,Y).",
)


def loop_program(pen: Pen) -> str:
    """News that goes around at once, along links that are facts, or as things are near each other."""
    rules = [f"link({one},{other})." for one in _ITEMS for other in _ITEMS if pen.chance(45)] or ["link(ann,bob)."]
    rules.append(f"happensAt(told(X),T) :- happensAt({pen.pick(('go(X)', 'hit(X)', 'meet(X,_)'))},T).")
    rules.append("initiatedAt(knows(X)=true,T) :- happensAt(told(X),T).")
    rules += [rule for rule in _LOOPS if pen.chance(40)] or [pen.pick(_LOOPS)]
    rules.append(f"terminatedAt(knows(X)=true,T) :- happensAt({pen.pick(('stop(X)', 'set(X,_)'))},T).")
    if pen.chance(40):
        rules.append("initiatedAt(mood(X)=green,T) :- happensAt(stop(X),T).")
    if pen.chance(40):
        rules.append(f"initiatedAt(count(T0)=N,T) :- happensAt(tick,T), T0 = {pen.number(1, 3)}, N = 1.")
    return "\n".join(pen.shuffled(rules)) + "\n"
