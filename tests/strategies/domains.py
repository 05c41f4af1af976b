"""Random event descriptions about facts and instances: facts written twice, derived twice or with variables, groundings
from facts and from domains that input fills, head variables that only a grounding binds, initial values in both forms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import assume
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.diagnostics import ProgramError
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import CONSTANTS, ITEM, Pen
from tests.strategies.streams import any_span, recorded

_FILLING = (
    "grounding(go(X)) :- seen(X).",
    "grounding(stop(X)) :- seen(X).",
    "grounding(hit(X)) :- hurt(X).",
    "grounding(meet(X,Y)) :- seen(X), seen(Y), pair(X,Y).",
    "grounding(meet(X,Y)) :- pair(Y,X), X @< Y.",
    "grounding(set(X,N)) :- seen(X), level(X,N).",
    "grounding(inside(X)=true) :- seen(X).",
    "grounding(near(X,Y)=_) :- pair(X,Y).",
)
"""What input puts into domains."""
_ONE = ("seen(X)", "hurt(X)", "seen(X), X \\= bob", "active(X)", "fond(X)", "odd(X)")
_TWO = ("pair(X,Y)", "seen(X), seen(Y), X @< Y", "seen(X), item(Y)", "reach(X,Y)", "friend(X,Y)", "item(X), hurt(Y)")
_STATIC_ONE = ("item(X)", "liked(X)", "item(X), X \\= cy", "price(X,2), item(X)", "same(X,Z), item(Z)")
_STATIC_TWO = ("item(X), item(Y), X @< Y", "link(X,Y)", "item(X), liked(Y)", "link(X,Z), same(Z,Y)")
_EVENTS_OF_ONE = ("go(X)", "stop(X)", "hit(X)", "set(X,_)", "meet(X,_)", "meet(_,X)")
_CONDITIONS = (
    "liked(X)",
    "\\+ liked(X)",
    "price(X,2)",
    "price(X,_)",
    "\\+ price(X,1)",
    "same(X,Z), item(Z)",
    "same(X,Z), Z \\= bob",
    "item(X)",
    "code(X,Z), fits(Z,X)",
    "\\+ (code(X,Z), fits(Z,X))",
    "findall(Z, link(X,Z), L), length(L,N), N >= 1",
    "findall(Z, liked(Z), L), length(L,N), N >= 2",
)
_DOMAIN_CONDITIONS = ("seen(X)", "\\+ hurt(X)", "odd(X)", "findall(Z, seen(Z), L), length(L,N), N >= 2")


@dataclass
class _Author:
    pen: Pen
    dynamic: bool
    rules: list[str] = field(default_factory=list)
    simple: list[str] = field(default_factory=list)
    """Fluents of one argument, with their values."""

    def text(self) -> str:
        """The whole description."""
        self.background()
        self.simple_fluents()
        for write in self.pen.some([self.union, self.complement, self.difference, self.alternatives, self.pairs], 3):
            write()
        if self.pen.chance(30):
            self.cycle()
        return "\n".join(self.pen.shuffled(self.rules)) + "\n"

    def background(self) -> None:
        pen, items = self.pen, CONSTANTS[ITEM]
        facts = [f"item({pen.pick(items)})." for _ in range(pen.number(1, 5))]
        facts += [f"link({pen.pick(items)},{pen.pick(items)})." for _ in range(pen.number(1, 4))]
        facts += [pen.pick(("price(_,2).", "price(ann,1).", "price(bob,2).", "price(_,_).")) for _ in range(2)]
        facts += [pen.pick(("code(_,_).", "code(ann,_).", "code(X,X).", "code(bob,red).")) for _ in range(2)]
        facts += [pen.pick(("fits(_,_).", "fits(red,_).", "fits(X,X).", "fits(ann,bob).")) for _ in range(2)]
        facts += ["same(X,X).", "liked(X) :- link(X,_).", "liked(X) :- item(X)."]
        if pen.chance(50):
            facts.append(pen.pick(facts))
        self.rules += facts
        if self.dynamic:
            self.rules += [f"dynamicDomain({name})." for name in ("seen(_)", "hurt(_)", "pair(_,_)", "level(_,_)")]
            self.rules += ["grounding(go(X)) :- seen(X).", *pen.some(_FILLING[1:], 5)]
            self.rules += ["active(X) :- seen(X).", "active(X) :- hurt(X).", "fond(X) :- seen(X), liked(X)."]
            self.rules += ["odd(X) :- level(X,N), 1 =:= N mod 2.", "friend(X,Y) :- seen(X), same(X,Y)."]
            self.rules += ["reach(X,Y) :- pair(X,Y).", "reach(X,Y) :- reach(X,Z), pair(Z,Y)."]
            if pen.chance(20):
                self.rules.append("seen(ann).")

    def one(self) -> str:
        """A condition that gives X values."""
        return self.pen.pick((*_ONE, *_STATIC_ONE) if self.dynamic else _STATIC_ONE)

    def two(self) -> str:
        """A condition that gives X and Y values."""
        return self.pen.pick((*_TWO, *_STATIC_TWO) if self.dynamic else _STATIC_TWO)

    def condition(self) -> str:
        if not self.pen.chance(50):
            return ""
        return f", {self.pen.pick((*_CONDITIONS, *_DOMAIN_CONDITIONS) if self.dynamic else _CONDITIONS)}"

    def simple_fluents(self) -> None:
        pen = self.pen
        self.rules.append("initiatedAt(storm=true,T) :- happensAt(tick,T).")
        self.rules.append(f"terminatedAt(storm=true,T) :- happensAt({pen.pick(('go', 'hit'))}(_),T).")
        for number in range(pen.number(1, 3)):
            name = f"s{number}"
            self.simple.append(name)
            for _ in range(pen.number(1, 2)):
                event = pen.pick(_EVENTS_OF_ONE)
                self.rules.append(f"initiatedAt({name}(X)=true,T) :- happensAt({event},T){self.condition()}.")
            is_grounded = pen.chance(60)
            if is_grounded:
                self.ground(f"{name}(X)=true", self.one, pen.number(1, 2))
            if is_grounded and pen.chance(50):
                self.rules.append(f"initiatedAt({name}(X)=false,T) :- happensAt({pen.pick(('tick', 'go(ann)'))},T).")
                if pen.chance(40):
                    self.ground(f"{name}(X)=false", self.one, 1)
            else:
                self.rules.append(f"terminatedAt({name}(_)=true,T) :- happensAt(tick,T).")
            if is_grounded and pen.chance(40):
                self.rules.append(
                    pen.pick(
                        (
                            f"initially({name}(X)=true).",
                            f"initiatedAt({name}(X)=true,T1,-1,T2) :- T1 =< (-1), -1 < T2.",
                            f"initiatedAt({name}(X)=true,T1,-1,_) :- T1 =< (-1), liked(X).",
                        )
                    )
                )
            if pen.chance(20):
                self.rules.append(f"fi({name}(X)=true,{name}(X)=late,{pen.number(1, 5)}).")
                if is_grounded:
                    self.ground(f"{name}(X)=late", self.one, 1)

    def ground(self, pair: str, body: Callable[[], str], count: int) -> None:
        """Groundings of a fluent-value pair."""
        self.rules += [f"grounding({pair}) :- {body()}." for _ in range(count)]

    def source(self) -> str:
        """A simple fluent of X."""
        return f"{self.pen.pick(self.simple)}(X)=true"

    def union(self) -> None:
        lists = self.pen.shuffled(["I1", "I2"])
        self.rules.append(
            f"holdsFor(danger(X)=true,I) :- holdsFor({self.source()},I1), holdsFor(storm=true,I2), "
            f"union_all([{','.join(lists)}],I)."
        )
        if self.pen.chance(85):
            self.ground("danger(X)=true", self.one, self.pen.number(1, 2))

    def complement(self) -> None:
        self.rules.append(f"holdsFor(calm(X)=true,I) :- holdsFor({self.source()},I1), complement_all([I1],I).")
        if self.pen.chance(75):
            self.ground("calm(X)=true", self.one, 1)

    def difference(self) -> None:
        self.rules += [
            f"initiatedAt(met(X,Y)=true,T) :- happensAt(meet(X,Y),T){self.condition()}.",
            "terminatedAt(met(X,_)=true,T) :- happensAt(stop(X),T).",
            (
                f"holdsFor(missed(X,Y)=true,I) :- holdsFor({self.source()},I1), holdsFor(met(X,Y)=true,I2), "
                "relative_complement_all(I1,[I2],I)."
            ),
        ]
        self.ground("missed(X,Y)=true", self.two, self.pen.number(1, 2))
        if self.pen.chance(50):
            self.ground("met(X,Y)=true", self.two, 1)

    def alternatives(self) -> None:
        guard = self.pen.pick(("\\+ I1=[], ", "I1=[], ", ""))
        self.rules += [
            (
                f"holdsFor(first(X)=true,I) :- holdsFor({self.source()},I1), {guard}holdsFor(storm=true,I2), "
                "intersect_all([I1,I2],I)."
            ),
            f"holdsFor(first(X)=true,I) :- holdsFor({self.source()},I).",
        ]
        if self.pen.chance(80):
            self.ground("first(X)=true", self.one, 1)

    def pairs(self) -> None:
        self.rules += [
            "initiatedAt(bond(X,Y)=true,T) :- happensAt(meet(X,Y),T).",
            f"initiatedAt(bond(X,Y)=false,T) :- happensAt({self.pen.pick(('stop(X)', 'stop(Y)', 'tick'))},T).",
        ]
        self.ground("bond(X,Y)=true", self.two, self.pen.number(1, 2))
        if self.pen.chance(30):
            self.ground("bond(X,Y)=false", self.two, 1)

    def cycle(self) -> None:
        self.rules += [
            f"initiatedAt(up(X)=true,T) :- happensAt({self.pen.pick(_EVENTS_OF_ONE)},T), \\+ holdsAt(down(X)=true,T).",
            f"initiatedAt(down(X)=true,T) :- happensAt(stop(X),T), holdsAt(up(X)=true,T){self.condition()}.",
            "terminatedAt(up(X)=true,T) :- happensAt(start(down(X)=true),T).",
            "terminatedAt(down(X)=true,T) :- happensAt(go(X),T).",
        ]
        if self.pen.chance(70):
            self.ground(f"{self.pen.pick(('up', 'down'))}(X)=true", self.one, 1)


def description(pen: Pen, *, dynamic: bool) -> str:
    """The text of an event description, with domains that input fills or without."""
    return _Author(pen, dynamic).text()


def domain_scenario(pen: Pen, *, dynamic: bool, windowed: bool, late: int = 0) -> Scenario | None:
    """A scenario with the choices of a pen; None if its rules are refused."""
    text = description(pen, dynamic=dynamic)
    try:
        reasoner = loads(text)
    except ProgramError:
        return None
    records = recorded(pen, reasoner, most=24, late=pen.pick((0, late)))
    return Scenario(text, records, any_span(pen, records) if windowed else None, reasoner)


@st.composite
def domain_scenarios(draw: Callable[..., int], *, dynamic: bool, windowed: bool, late: int = 0) -> Scenario:
    """Scenarios for Hypothesis."""
    found = domain_scenario(Pen.of(draw), dynamic=dynamic, windowed=windowed, late=late)
    assume(found is not None)
    assert found is not None
    return found
