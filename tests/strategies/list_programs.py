"""Random event descriptions whose interval lists come from facts and constants as well as from fluents."""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

_BODIES = (
    "shift(X,S,E), union_all([I1,[(S,E)]],I)",
    "shift(X,S,E), intersect_all([I1,[(S,E)]],I)",
    "shift(X,S,E), relative_complement_all([(S,E)],[I1],I)",
    "shift(X,S,E), relative_complement_all(I1,[[(S,E)]],I)",
    "shift(X,S,E), (I1 = [] -> I = [(S,E)] ; I = I1)",
    "shift(X,S,E), I2 = [(S,E)], union_all([I1,I2],I)",
    "shift(X,_,_), findall((S,E),shift(X,S,E),L), union_all([I1,L],I)",
    "shift(X,_,_), findall((S,E),shift(X,S,E),L), intersect_all([I1,L],I)",
    "shift(X,S,E), pad(I1,S,E,I)",
    "union_all([I1,[(2,6)]],I)",
    "intersect_all([I1,[(2,6),(9,inf)]],I)",
    "kind(X), complement_all([I1,[(2,6)]],I)",
    "shift(X,S,E), seq([(S,E)],I1,I)",
    "shift(X,S,E), seq(I1,[(S,E)],I)",
)


def list_program(pen: Pen) -> str:
    """Fluents made of lists that facts give."""
    rules = ["kind(ann).", "kind(dee).", "pad([],S,E,[(S,E)]).", "pad([H|R],_,_,[H|R])."]
    for item in ("ann", "bob", "dee"):
        for _ in range(pen.number(0, 2)):
            start = pen.number(-2, 12)
            end = "inf" if pen.chance(10) else start + pen.number(0, 6)
            rules.append(f"shift({item},{start},{end}).")
    rules.append("shift(cy,1,4).")
    rules.append("initiatedAt(on(X)=true,T) :- happensAt(go(X),T).")
    rules.append("terminatedAt(on(X)=true,T) :- happensAt(stop(X),T).")
    for number in range(pen.number(1, 3)):
        read = pen.pick(("on(X)=true", "inside(X)=true", "zone(X)=red"))
        rules.append(f"holdsFor(busy{number}(X)=true,I) :- holdsFor({read},I1), {pen.pick(_BODIES)}.")
    if pen.chance(40):
        rules.append("happensAt(rings(X),T) :- happensAt(start(busy0(X)=true),T).")
    if pen.chance(40):
        rules.append("initiatedAt(was(X)=true,T) :- happensAt(hit(X),T), holdsAt(busy0(X)=true,T).")
    return "\n".join(rules) + "\n"
