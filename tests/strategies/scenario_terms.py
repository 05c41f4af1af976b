"""Random event descriptions about terms: compound values and arguments, odd atoms, local variables of the same name.

Every place of a rule takes a pattern: a constant, a variable that is bound, open, or used before in the same condition,
`_`, or a compound term of patterns. Constants are few, so that patterns meet what they describe; some need quotes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import assume
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.diagnostics import ProgramError, Source
from holdsfor.reference import InputInterval, Occurrence, Record
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_constant
from holdsfor.syntax.terms import Compound, Const, Term, functor
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import any_span

ATOMS = (
    *("b", "ärger", "'A b'", "'Upper'", "'it\\'s'", "'x|y'", "'p,q'", "'12'", "'1.5'", "'_v'"),
    *("'not'", "'Łódź'", "'a\\\\b'", "'two\\nlines'", "'(p)'", "'is'", "''", "'='", "'f(a)'", "'['"),
)
"""Atoms beside `a`; most must be quoted."""
LOCALS = ("W", "Z")
"""Names that are local wherever they occur, so that they are used again and again."""
FUNCTORS = (("p", 2), ("q", 1), ("'two words'", 1), ("p", 1))
EVENTS = (("e1", 1), ("e2", 2), ("tick", 0))
INPUT = ("near", 1)


@dataclass(frozen=True)
class Named:
    """An event or fluent; `inner` is a functor that its first argument always has."""

    name: str
    arity: int
    inner: str = ""
    grows: bool = False
    """Whether it puts values of the group that reads it into larger terms."""

    def term(self, args: list[str]) -> str:
        """The text with some arguments."""
        listed = [f"{self.inner}({arg})" if self.inner and not place else arg for place, arg in enumerate(args)]
        return f"{self.name}({','.join(listed)})" if listed else self.name


@dataclass
class _Rule:
    """The conditions of a rule as it is written, and the variables that they bind."""

    bound: list[str] = field(default_factory=list)
    whole: set[str] = field(default_factory=set)
    """Variables that must not become part of a larger term: in a cycle terms would grow for ever."""
    tested: set[str] = field(default_factory=set)
    """Variables that no head may have, for the same reason."""
    goals: list[str] = field(default_factory=list)
    count: int = 0


class _Author:
    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._constants = ["a", pen.pick(ATOMS), pen.pick((*ATOMS, "1", "2"))]
        self._functors = [FUNCTORS[0], pen.pick(FUNCTORS[1:])]
        self._events = [Named(*one) for one in EVENTS]
        self._fluents = [Named(*INPUT)]
        self._simple: list[Named] = []
        self._rules: list[str] = []
        self._rule = _Rule()
        self._recent: list[str] = []
        self._asked_last = Named("", 0)
        self._heads: dict[str, list[list[Term]]] = {INPUT[0]: [[Const("a"), Const("a")]]}
        """The arguments and the value of each head of a fluent."""

    @property
    def constants(self) -> list[str]:
        """The constants of this description."""
        return self._constants

    def text(self) -> str:
        """The whole description."""
        pen = self._pen
        self._rules += [f"known({constant},{pen.pick(self._constants)})." for constant in self._constants]
        for number in range(pen.weighted([(2, 1), (4, 2), (3, 3)])):
            self._simple_fluents(number)
            if pen.chance(40):
                self._derived_event(number)
            if pen.chance(50):
                self._static_fluent(number)
        return "\n".join(self._rules) + "\n"

    # Terms

    def _pattern(self, mode: str, depth: int = 0) -> str:
        """A term of a condition. Open variables are new ones of the rule (`fresh`), `local`, or none (`known`)."""
        nested = (3, 1, 0)[depth]
        how = self._pen.weighted(
            [(4, "known"), (3, "open"), (2, "_"), (3, "constant"), (nested, "compound"), (5 if depth else 2, "again")]
        )
        if how == "known" and self._rule.bound:
            return self._pen.pick(self._rule.bound)
        if how == "again" and self._recent:
            return self._pen.pick(self._recent)
        if mode != "known" and (how == "open" or (how in ("known", "again") and mode == "local")):
            name = self._pen.pick(LOCALS) if mode == "local" else self._fresh()
            self._recent.append(name)
            return name
        if how == "compound":
            name, arity = self._pen.pick(self._functors)
            return f"{name}({','.join(self._pattern(mode, depth + 1) for _ in range(arity))})"
        return "_" if how == "_" else self._constant(depth)

    def _constant(self, depth: int) -> str:
        """A term without variables."""
        if depth < 2 and self._pen.chance((25, 10)[depth]):
            name, arity = self._pen.pick(self._functors)
            return f"{name}({','.join(self._constant(depth + 1) for _ in range(arity))})"
        return self._pen.pick(self._constants)

    def _fresh(self) -> str:
        self._rule.count += 1
        return f"V{self._rule.count}"

    def _built(self, depth: int = 0) -> str:
        """A term of a head: every variable in it is bound."""
        kept_out = self._rule.tested | (self._rule.whole if depth else set())
        usable = [name for name in self._rule.bound if name not in kept_out]
        how = self._pen.weighted([(5, "known"), (2, "constant"), (4 if depth < 1 else 0, "compound")])
        if how == "known" and usable:
            return self._pen.pick(usable)
        if how == "compound":
            name, arity = self._pen.pick(self._functors)
            return f"{name}({','.join(self._built(depth + 1) for _ in range(arity))})"
        return self._constant(1)

    # Conditions

    def _read(self, write: Callable[[], str], *, whole: bool = False) -> str:
        """A condition that binds the open variables in it."""
        self._recent = []
        text = write()
        new = [name for name in dict.fromkeys(self._recent) if name not in self._rule.bound]
        self._rule.bound += new
        self._rule.whole |= set(new) if whole else set()
        self._rule.tested |= set(new) if whole and self._asked_last.grows else set()
        return text

    def _args(self, named: Named, mode: str) -> list[str]:
        return [self._pattern(mode) for _ in range(named.arity)]

    def _happens(self, mode: str = "fresh", events: list[Named] | None = None) -> str:
        event = self._pen.pick(events or self._events)
        plain = event.name in dict(EVENTS)
        # What comes from files has no compound arguments.
        args = [self._plain(mode) for _ in range(event.arity)] if plain else self._args(event, mode)
        return f"happensAt({event.term(args)},T)"

    def _plain(self, mode: str) -> str:
        return self._pattern(mode, depth=0 if self._pen.chance(10) else 2)

    def _pair(self, fluent: Named, mode: str) -> str:
        heads = self._heads.get(fluent.name)
        if heads and self._pen.chance(65):
            # What a rule of the fluent can give.
            *args, value = [self._like(term, mode) for term in self._pen.pick(heads)]
        else:
            *args, value = [self._pattern(mode) for _ in range(fluent.arity + 1)]
        return f"{fluent.term(args)}={value}"

    def _like(self, term: Term, mode: str) -> str:
        """A pattern of the form of a term."""
        if not isinstance(term, Compound) or self._pen.chance(15):
            return self._pattern(mode, depth=2)
        return f"{print_constant(term.name)}({','.join(self._like(arg, mode) for arg in term.args)})"

    def _head(self, fluent: Named, depth: int = 0) -> str:
        """A pair that a rule gives."""
        *args, value = terms = [self._built(depth) for _ in range(fluent.arity + 1)]
        self._heads.setdefault(fluent.name, []).append([_term(text) for text in terms])
        return f"{fluent.term(args)}={value}"

    def _holds(self, mode: str = "fresh", members: list[Named] | None = None) -> str:
        fluent = self._asked_last = self._pen.pick([*self._fluents, *(members or [])])
        return f"holdsAt({self._pair(fluent, mode)},T)"

    def _boundary(self, mode: str = "fresh") -> str:
        edge = self._pen.pick(("start", "end"))
        return f"happensAt({edge}({self._pair(self._pen.pick(self._fluents), mode)}),T)"

    def _effect(self, mode: str = "fresh") -> str:
        if not self._simple:
            return self._happens(mode)
        return f"initiatedAt({self._pair(self._pen.pick(self._simple), mode)},T)"

    def _asked(self, members: list[Named], mode: str = "local") -> str:
        """A condition whose open variables nothing else reads."""
        self._recent = []
        write: Callable[[], str] = self._pen.weighted(
            [
                (10, lambda: self._holds(mode, members)),
                (4, lambda: self._happens(mode)),
                (2, lambda: f"known({self._pattern(mode, 2)},{self._pattern(mode, 2)})"),
                (1, lambda: self._boundary(mode)),
                (1, lambda: self._effect(mode)),
            ]
        )
        return write()

    def _negation(self, members: list[Named]) -> str:
        if self._pen.chance(70):
            return f"\\+ {self._asked(members)}"
        inner = f"\\+ {self._asked([])}" if self._pen.chance(30) else self._asked(members)
        return f"\\+ ({self._asked(members)}, {inner})"

    def _collection(self) -> str:
        goal = self._asked([])
        template = self._pen.pick(self._recent or ["x"])
        listed = self._fresh()
        return f"findall({template},{goal},{listed}), length({listed},{self._pen.pick(('0', '1', '2', '_'))})"

    def _compare(self) -> str:
        if not self._rule.bound:
            return "known(a,_)"
        left = self._pen.pick(self._rule.bound)
        if self._pen.chance(60):
            # It takes a term apart.
            text = self._read(lambda: f"{left} = {self._pattern('fresh', 1)}", whole=True)
            self._rule.tested |= set(self._recent)
            return text
        operator = self._pen.pick(("\\=", "==", "\\=="))
        return f"{left} {operator} {self._built()}"

    def _conditional(self, members: list[Named]) -> str:
        parts = [self._asked(members, "fresh") for _ in range(3)]
        return f"({parts[0]} -> {parts[1]} ; {parts[2]})" if self._pen.chance(50) else f"({parts[0]} ; {parts[1]})"

    def _body(self, members: list[Named]) -> str:
        """A driver and some conditions; those on `members` read the group that the rule defines."""
        pen = self._pen
        self._rule = rule = _Rule()
        drive = pen.weighted([(8, self._happens), (2, self._boundary), (1, self._effect)])
        rule.goals.append(self._read(drive))
        for _ in range(pen.weighted([(2, 0), (4, 1), (4, 2), (2, 3)])):
            write: Callable[[], str] = pen.weighted(
                [
                    (5, lambda: self._read(lambda: self._holds(members=members), whole=True)),
                    (4, lambda: self._negation(members)),
                    (3, self._collection),
                    (2, self._compare),
                    (1, lambda: self._read(self._happens)),
                    (1, lambda: self._conditional(members)),
                ]
            )
            rule.goals.append(write())
        goals = pen.shuffled(rule.goals) if pen.chance(20) else rule.goals
        return ", ".join(goals)

    # Rules

    def _simple_fluents(self, number: int) -> None:
        pen = self._pen
        members = [
            Named(f"f{number}{letter}", pen.number(0, 2), pen.pick(("", "", "", "in")))
            for letter in ("a", "b")[: pen.weighted([(3, 1), (1, 2)])]
        ]
        reading = list(members) if pen.chance(50) else []
        static = Named(f"c{number}", pen.number(0, 2), grows=pen.chance(50)) if reading and pen.chance(50) else None
        reading += [static] * 4 if static else []
        for fluent in members:
            for _ in range(pen.number(1, 2)):
                body = self._body(reading)
                self._rules.append(f"initiatedAt({self._head(fluent)},T) :- {body}.")
            for _ in range(pen.number(0, 2)):
                body = self._body(reading)
                self._rules.append(f"terminatedAt({self._ended(fluent)},T) :- {body}.")
            if pen.chance(15):
                constants = [self._constant(0) for _ in range(fluent.arity)]
                self._rules.append(f"initially({fluent.term(constants)}={self._constant(0)}).")
            if pen.chance(25):
                self._delay(fluent)
        if static:
            self._static_member(static, members)
        self._fluents += members
        self._simple += members

    def _static_member(self, fluent: Named, members: list[Named]) -> None:
        """A statically determined fluent built from members of a group, which read it in turn."""
        self._rule = _Rule()
        body = self._read(lambda: f"holdsFor({self._pair(self._pen.pick(members), 'fresh')},I)")
        self._rules.append(f"holdsFor({self._head(fluent, depth=0 if fluent.grows else 1)},I) :- {body}.")

    def _ended(self, fluent: Named) -> str:
        """A pair of which variables may stay open."""
        self._recent = []
        return self._pair(fluent, "fresh")

    def _delay(self, fluent: Named) -> None:
        pen = self._pen
        self._rule = _Rule()
        names = [self._fresh() for _ in range(fluent.arity)]
        self._rule.bound += names
        value = self._read(lambda: self._pattern("fresh"), whole=True)
        delay = pen.number(1, 6)
        if pen.chance(40):
            self._rules.append(f"ft({fluent.term(names)}={value},{delay}).")
        else:
            self._rules.append(f"fi({fluent.term(names)}={value},{fluent.term(names)}={self._built()},{delay}).")
        if pen.chance(30):
            self._rule = _Rule()
            self._rules.append(f"p({self._ended(fluent)}).")

    def _derived_event(self, number: int) -> None:
        event = Named(f"d{number}", self._pen.number(0, 2))
        body = self._body([])
        args = [self._built() for _ in range(event.arity)]
        self._rules.append(f"happensAt({event.term(args)},T) :- {body}.")
        self._events.append(event)

    def _static_fluent(self, number: int) -> None:
        pen = self._pen
        fluent = Named(f"s{number}", pen.number(0, 2))
        for _ in range(pen.number(1, 2)):
            self._rule = _Rule()
            one = self._read(lambda: f"holdsFor({self._pair(pen.pick(self._fluents), 'fresh')},I1)")
            self._recent = []
            # A second condition binds nothing more, so that it does not matter what its variables range over.
            two = f"holdsFor({self._pair(pen.pick(self._fluents), 'known')},I2)"
            head = self._head(fluent)
            operator = pen.pick(
                ("union_all([I1,I2],I)", "intersect_all([I1,I2],I)", "relative_complement_all(I1,[I2],I)")
            )
            body = one.replace("I1)", "I)") if pen.chance(40) else f"{one}, {two}, {operator}"
            self._rules.append(f"holdsFor({head},I) :- {body}.")
        self._fluents.append(fluent)


# Scenarios


@dataclass(frozen=True)
class Attempt:
    """What was written; `scenario` is None if its rules were refused, `refusal` says why."""

    text: str
    scenario: Scenario | None
    refusal: str = ""


def attempt(pen: Pen, *, windowed: bool, late: int = 0) -> Attempt:
    """A scenario with the choices of a pen."""
    author = _Author(pen)
    text = author.text()
    try:
        reasoner = loads(text)
    except ProgramError as error:
        return Attempt(text, None, str(error))
    known = {symbol.name for symbol in reasoner.plan.inputs if not symbol.inner}
    records = [one for one in _records(pen, [_term(one) for one in author.constants], late) if _name(one) in known]
    span = any_span(pen, records) if windowed else None
    return Attempt(text, Scenario(text, records, span, reasoner))


def _term(text: str) -> Term:
    found = parse(Source("", f"f({text}).")).clauses[0].head
    assert isinstance(found, Compound)
    return found.args[0]


def _name(record: Record) -> str:
    name = functor(record.event if isinstance(record, Occurrence) else record.fluent)
    assert name is not None
    return name[0]


def _records(pen: Pen, constants: list[Term], late: int) -> list[Record]:
    records: list[Record] = []
    for _ in range(pen.number(4, 30)):
        time = pen.number(0, 14)
        arrival = time + (pen.number(0, late) if late and pen.chance(40) else 0)
        if pen.chance(15):
            fluent = Compound(INPUT[0], (pen.pick(constants),))
            records.append(InputInterval(fluent, pen.pick(constants), time, time + pen.number(1, 6), arrival))
            continue
        name, arity = pen.pick((*EVENTS[:2], *EVENTS))
        args = tuple(pen.pick(constants) for _ in range(arity))
        records.append(Occurrence(Compound(name, args) if args else Const(name), time, arrival))
    return records


@st.composite
def term_scenarios(draw: Callable[..., int], *, windowed: bool, late: int = 0) -> Scenario:
    """Scenarios for Hypothesis."""
    found = attempt(Pen.of(draw), windowed=windowed, late=late)
    assume(found.scenario is not None)
    assert found.scenario is not None
    return found.scenario
