"""Random event descriptions with sequences, Allen relations and durations over fluents that change often."""

from __future__ import annotations

from holdsfor.ir import AllenMode, AllenRelation
from tests.strategies.scenario_words import Pen

_LISTS = ("a(X)=true", "b(X)=true", "inside(X)=true", "zone(X)=red", "zone(X)=green")


def relation_program(pen: Pen) -> str:
    """Some fluents of two lists each, with other fluents and events that read them."""
    rules = [
        "initiatedAt(a(X)=true,T) :- happensAt(go(X),T).",
        "terminatedAt(a(X)=true,T) :- happensAt(stop(X),T).",
        "initiatedAt(b(X)=true,T) :- happensAt(hit(X),T).",
        "terminatedAt(b(X)=true,T) :- happensAt(go(X),T).",
    ]
    for number in range(pen.number(3, 6)):
        one, other = pen.pick(_LISTS), pen.pick(_LISTS)
        read = f"holdsFor({one},I1), holdsFor({other},I2)"
        how = pen.weighted([(3, "seq"), (4, "allen"), (2, "duration")])
        if how == "seq":
            made = "seq(I1,I2,I)"
        elif how == "allen":
            relation, mode = pen.pick(tuple(AllenRelation)), pen.pick(tuple(AllenMode))
            if pen.chance(50):
                relation, mode = pen.pick((AllenRelation.BEFORE, AllenRelation.DURING)), AllenMode.SOURCE
            made = f"allen({relation},I1,I2,{mode},I)"
        else:
            made = f"union_all([I1,I2],I3), {pen.pick(('intDurGreater', 'intDurLess'))}(I3,{pen.number(1, 5)},I)"
        rules.append(f"holdsFor(r{number}(X)=true,I) :- {read}, {made}.")
        if pen.chance(25):
            rules.append(f"happensAt(seen{number}(X),T) :- happensAt(start(r{number}(X)=true),T).")
    return "\n".join(rules) + "\n"
