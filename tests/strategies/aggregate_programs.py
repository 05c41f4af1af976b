"""Random event descriptions that aggregate the same few numbers over windows of events."""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

_AGGREGATES = ("distinct_within", "distinct_within", "max_within", "min_within", "sum_within", "avg_within")
_TRIGGERS = ("set(X,_)", "hit(X)", "go(X)")


def aggregate_program(pen: Pen) -> str:
    """Fluents whose value is an aggregate of a window."""
    rules = []
    for number in range(pen.number(2, 3)):
        aggregate, length = pen.pick(_AGGREGATES), pen.number(2, 12)
        event = "turn(X,N)" if aggregate == "distinct_within" and pen.chance(30) else "set(X,N)"
        value = f"V is {aggregate}(N,{event},{length},T)"
        rules.append(f"initiatedAt(a{number}(X)=V,T) :- happensAt({pen.pick(_TRIGGERS)},T), {value}.")
        if pen.chance(40):
            rules.append(f"terminatedAt(a{number}(X)=_,T) :- happensAt(stop(X),T).")
    return "\n".join(rules) + "\n"
