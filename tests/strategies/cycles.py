"""Random programs about what happens at one time-point: fluents that read each other's starts, ends and effects, values
that break each other, open terminations, initial values, and deadlines that are renewed at the deadline.

A fluent reads the present of those before it only, and the past of all, so that every program has a meaning and most
have cycles. Rules are written in any order. Programs are data as well as text, for `cycle_oracle` to work them out by the
definitions alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from holdsfor.reference import Record
from tests.strategies.recorded import happened
from tests.strategies.scenario_words import Pen

VALUES = ("a", "b", "c")
EVENTS = ("e0", "e1", "e2")
ITEMS = ("x", "y")
ANY = "_"

Pair = tuple[int, str]
"""The number of a fluent, and a value."""


@dataclass(frozen=True)
class Condition:
    """`happens` names an event; `holds`, `start`, `end`, `initiated` and `terminated` a fluent by its number."""

    kind: str
    what: str | int
    value: str = ""
    positive: bool = True

    def text(self, argument: str) -> str:
        """The condition as it is written."""
        event = f"{self.what}{argument}"
        pair = f"f{self.what}{argument}={self.value}"
        goal = {
            "happens": f"happensAt({event},T)",
            "holds": f"holdsAt({pair},T)",
            "start": f"happensAt(start({pair}),T)",
            "end": f"happensAt(end({pair}),T)",
            "initiated": f"initiatedAt({pair},T)",
            "terminated": f"terminatedAt({pair},T)",
        }[self.kind]
        return goal if self.positive else f"\\+ {goal}"


@dataclass(frozen=True)
class Effect:
    """A rule that initiates or terminates a value of a fluent; a termination may be of any value."""

    kind: str
    pair: Pair
    body: tuple[Condition, ...]


@dataclass(frozen=True)
class Delay:
    """`fi`, or `ft` if there is no effect. Those with the same table are the solutions of one rule."""

    trigger: Pair
    effect: Pair | None
    delay: int
    table: str = ""


@dataclass(frozen=True)
class Program:
    """A program, with the order in which its clauses are written."""

    has_items: bool
    effects: tuple[Effect, ...]
    initial: tuple[tuple[str, Pair], ...]
    """Initial values of items."""
    delays: tuple[Delay, ...]
    postponed: tuple[Pair, ...]
    clauses: tuple[str, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """The items, or one without a name."""
        return ITEMS if self.has_items else ("",)

    @property
    def text(self) -> str:
        """The program as it is written."""
        return "\n".join(self.clauses) + "\n"


class _Author:
    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._fluents = pen.weighted([(2, 2), (4, 3)])
        self._argument = "(X)" if pen.chance(50) else ""
        self._effects: list[Effect] = []
        self._openly_ended: set[int] = set()

    def program(self) -> Program:
        pen = self._pen
        for fluent in range(self._fluents):
            for _ in range(pen.weighted([(4, 1), (4, 2), (2, 3)])):
                self._effects.append(Effect("initiated", (fluent, pen.likely(VALUES)), self._body(fluent)))
            for _ in range(pen.weighted([(2, 0), (4, 1), (1, 2)])):
                value = ANY if pen.chance(50) else pen.likely(VALUES)
                self._effects.append(Effect("terminated", (fluent, value), self._body(fluent)))
                if value == ANY:
                    self._openly_ended.add(fluent)
        has_items = bool(self._argument)
        items = ITEMS if has_items else ("",)
        initial = tuple(
            (item, (fluent, pen.likely(VALUES))) for fluent in range(self._fluents) for item in items if pen.chance(25)
        )
        delays = self._delays() if not pen.chance(30) else self._motif()
        triggers = sorted({delay.trigger for delay in delays})
        # An effect on a fluent before its own could otherwise depend on its own absence.
        later = [t for t in triggers if all(d.effect is None or d.effect[0] >= t[0] for d in delays if d.trigger == t)]
        postponed = tuple(trigger for trigger in later if pen.chance(65))
        clauses = self._clauses(initial, delays, postponed)
        return Program(has_items, tuple(self._effects), initial, delays, postponed, tuple(pen.shuffled(clauses)))

    def _body(self, fluent: int) -> tuple[Condition, ...]:
        driver = self._present(fluent) if fluent and self._pen.chance(55) else self._event()
        body = [driver]
        for _ in range(self._pen.weighted([(3, 0), (5, 1), (1, 2)])):
            write: list[tuple[int, Callable[[], Condition]]] = [
                (6, partial(self._past, fluent)),
                (1, self._event),
                (2, partial(self._present, fluent)),
            ]
            how = self._pen.weighted(write)
            found = how()
            body.append(Condition(found.kind, found.what, found.value, positive=self._pen.chance(50)))
        return tuple(body)

    def _event(self) -> Condition:
        return Condition("happens", self._pen.weighted([(3, "e0"), (2, "e1"), (1, "e2")]))

    def _past(self, fluent: int) -> Condition:
        """What has been so far, most often with a fluent that reads this one: that makes a cycle."""
        first = min(fluent + 1, self._fluents - 1) if self._pen.chance(60) else 0
        return Condition("holds", self._pen.number(first, self._fluents - 1), self._pen.pick((*VALUES, ANY)))

    def _present(self, fluent: int) -> Condition:
        """What happens right now to a fluent before this one."""
        if not fluent:
            return self._past(fluent)
        read = self._pen.number(0, fluent - 1)
        kinds = [(4, "start"), (4, "end"), (1, "initiated")]
        # The engine knows of no such condition on a fluent that is ended openly.
        kinds += [] if read in self._openly_ended else [(1, "terminated")]
        kind = self._pen.weighted(kinds)
        value = ANY if kind in ("start", "end") and self._pen.chance(20) else self._pen.likely(VALUES)
        return Condition(kind, read, value)

    def _motif(self) -> tuple[Delay, ...]:
        """A fluent that swings or has a deadline, begun by an event, and the next one that watches it."""
        first, other = self._pen.shuffled(VALUES)[:2]
        event, delay = self._event(), self._delay_length()
        self._effects.append(Effect("initiated", (0, first), (event,)))
        watched = Condition(self._pen.pick(("start", "end")), 0, self._pen.pick((first, ANY)))
        self._effects.append(Effect("initiated", (1, self._pen.likely(VALUES)), (watched,)))
        self._effects.append(Effect("initiated", (0, first), (self._event(), Condition("holds", 1, other))))
        if self._pen.chance(50):
            return (Delay((0, first), None, delay),)
        return Delay((0, first), (0, other), delay), Delay((0, other), (0, first), self._delay_length())

    def _delays(self) -> tuple[Delay, ...]:
        found: list[Delay] = []
        for number in range(self._pen.weighted([(2, 0), (4, 1), (4, 2), (2, 3)])):
            begun = [effect.pair for effect in self._effects if effect.kind == "initiated"]
            trigger = self._pen.pick(begun)
            how = self._pen.weighted([(3, "next"), (5, "end"), (2, "other"), (2, "table"), (3, "swing")])
            if how == "end":
                found.append(Delay(trigger, None, self._delay_length()))
            elif how == "other":
                target = self._pen.number(0, self._fluents - 1), self._pen.likely(VALUES)
                if target != trigger:
                    found.append(Delay(trigger, target, self._delay_length()))
            elif how == "swing":
                back = trigger[0], self._pen.pick([value for value in VALUES if value != trigger[1]])
                found.append(Delay(trigger, back, self._delay_length()))
                found.append(Delay(back, trigger, self._delay_length()))
            else:
                others = [value for value in VALUES if value != trigger[1]]
                chosen = others if how == "table" else [self._pen.pick(others)]
                name = f"table{number}" if how == "table" else ""
                found += [Delay(trigger, (trigger[0], value), self._delay_length(), name) for value in chosen]
        return tuple(found)

    def _delay_length(self) -> int:
        return self._pen.weighted([(3, 1), (3, 2), (2, 3), (2, 5)])

    def _clauses(
        self, initial: tuple[tuple[str, Pair], ...], delays: tuple[Delay, ...], postponed: tuple[Pair, ...]
    ) -> list[str]:
        clauses = [
            f"{effect.kind}At({self._pair(effect.pair)},T) :- "
            + ", ".join(condition.text(self._argument) for condition in effect.body)
            + "."
            for effect in self._effects
        ]
        clauses += [f"initially(f{fluent}{f'({item})' if item else ''}={value})." for item, (fluent, value) in initial]
        for table, solutions in groupby(delays, key=lambda delay: delay.table):
            for delay in solutions:
                if not table:
                    clauses.append(self._delay(delay))
                    continue
                assert delay.effect is not None
                clauses.append(f"{table}({delay.effect[1]},{delay.delay}).")
                rule = f"fi({self._pair(delay.trigger)},{self._pair((delay.effect[0], 'V'))},R) :- {table}(V,R)."
                clauses += [] if rule in clauses else [rule]
        return clauses + [f"p({self._pair(pair)})." for pair in postponed]

    def _delay(self, delay: Delay) -> str:
        if delay.effect is None:
            return f"ft({self._pair(delay.trigger)},{delay.delay})."
        return f"fi({self._pair(delay.trigger)},{self._pair(delay.effect)},{delay.delay})."

    def _pair(self, pair: Pair) -> str:
        return f"f{pair[0]}{self._argument}={pair[1]}"


def any_program(pen: Pen) -> Program:
    """A program, with the choices of a pen."""
    return _Author(pen).program()


def any_events(pen: Pen, program: Program, *, may_be_far: bool = True) -> list[tuple[int, str, str]]:
    """Times, names and items of events: many at one time-point, some before 0, perhaps one far off."""
    first = pen.weighted([(4, 0), (3, -8)])
    # Nothing may happen to an item that has initial values.
    items = program.items[:1] if pen.chance(30) else program.items
    names = [name for name in EVENTS if f"happensAt({name}" in program.text]
    found = [
        (pen.number(first, first + 12), pen.likely(names), pen.pick(items))
        for _ in range(pen.weighted([(3, 2), (4, 9), (3, 14)]))
    ]
    if may_be_far and pen.chance(30):
        found.append((pen.pick((60, 400, 100_000, 2_000_000_000)), pen.likely(names), pen.pick(items)))
    return found


def records_of(events: list[tuple[int, str, str]]) -> list[Record]:
    """Events as records."""
    return [happened(name, time, *([item] if item else [])) for time, name, item in events]
