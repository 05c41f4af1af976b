"""Random event descriptions, as RTEC text, that cover every construct.

A description is written from the ground up: background knowledge, then groups of fluents and events, each reading
what is there already. Within a group fluents read each other, which makes cycles. `Features` says what may occur; a
few rules in a hundred turn out to have no meaning (a loop inside a time-point, say) and are left to `assume`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.strategies.scenario_bodies import Allowed, BodyWriter
from tests.strategies.scenario_metric import MetricKind, metric_group
from tests.strategies.scenario_statics import (
    ANY_KIND,
    POINTWISE_KIND,
    SETS,
    WHOLE,
    StaticKind,
    knows_the_future,
    static_rules,
)
from tests.strategies.scenario_words import (
    CONSTANTS,
    INPUT_EVENTS,
    INPUT_FLUENTS,
    ITEM,
    KINDS,
    LEFT_OUT,
    MODE,
    NUMBER,
    TRUTH,
    Pen,
    Readable,
    Signature,
)


@dataclass(frozen=True)
class Features:
    """What may occur in a description."""

    allowed: Allowed = Allowed()
    delays: bool = True
    cycles: bool = True
    statics: StaticKind = ANY_KIND
    groundings: bool = True
    static_weight: int = 5
    """How often a group is a statically determined fluent, against 6 for a simple one."""
    metric: MetricKind | None = None
    """Metric predicates, if there are to be any."""
    read_whole: bool = True
    """Whether rules about time-points may read fluents that know the future: those made with durations, `seq` and
    Allen relations, whose past changes as more is known. What a window has left behind cannot follow such a change.
    """


EVERYTHING = Features()
WINDOWED = Features(read_whole=False, statics=replace(ANY_KIND, equal="unequal variables" in LEFT_OUT))
"""For runs with windows."""
MIXED = replace(EVERYTHING, metric=MetricKind())
"""With metric rules."""
MIXED_WINDOWED = replace(WINDOWED, metric=MetricKind())
"""The same for runs with windows."""
INTERVALS = replace(
    WINDOWED,
    cycles=False,
    delays=False,
    statics=replace(WINDOWED.statics, operators=("allen", "allen", "seq", *WHOLE, *SETS), guards=False, siblings=60),
    static_weight=12,
)
"""Many operators on whole intervals, for runs with windows."""


@st.composite
def descriptions(draw: Callable[..., int], features: Features = EVERYTHING) -> str:
    """The text of an event description."""
    return written(Pen.of(draw), features)


def written(pen: Pen, features: Features = EVERYTHING) -> str:
    """The text of an event description, with the choices of a pen."""
    return _Author(pen, features).text()


def written_both(pen: Pen, features: Features = EVERYTHING) -> tuple[str, str]:
    """The texts of an event description and of the metric rules that go with it."""
    author = _Author(pen, features)
    return author.text(), author.metric_text()


class _Author:
    def __init__(self, pen: Pen, features: Features) -> None:
        self._pen = pen
        self._features = features
        self._rules: list[str] = []
        self._names = 0
        events = [INPUT_EVENTS[0], *pen.some(INPUT_EVENTS[1:], 5)]
        fluents = pen.some(INPUT_FLUENTS, 3)
        self._readable = Readable(events=events, fluents=fluents, changing=list(fluents))
        self._whole: list[Signature] = []
        self._metric_rules: list[str] = []

    def metric_text(self) -> str:
        """The metric rules."""
        return "".join(f"{rule}\n" for rule in self._metric_rules)

    def text(self) -> str:
        """The whole description."""
        self._background()
        for _ in range(self._pen.weighted([(2, 1), (4, 2), (4, 3), (2, 4), (1, 5)])):
            write = self._pen.weighted(
                [
                    (6, self._simple_group),
                    (3, self._cycle if self._features.cycles else self._simple_group),
                    (self._features.static_weight, self._static),
                    (3, self._derived_event),
                    *([(self._features.metric.weight, self._metric)] if self._features.metric else []),
                ]
            )
            write()
        return "\n".join(self._rules) + "\n"

    def _name(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    # Background knowledge

    def _background(self) -> None:
        pen = self._pen
        items = CONSTANTS[ITEM]
        for item in items:
            self._rules.append(f"kind({item},{pen.pick(KINDS)}).")
        for item in items:
            self._rules.append(f"limit({item},{pen.number(1, 4)}).")
        links = [(one, other) for one in items for other in items if pen.chance(30)] or [(items[0], items[1])]
        self._rules += [f"link({one},{other})." for one, other in links]
        self._rules += [
            "joined(X,Y) :- link(X,Y).",
            "joined(X,Z) :- link(X,Y), joined(Y,Z).",
            "heavy(X) :- limit(X,N), N >= 2.",
            "double(X,M) :- limit(X,N), M is N*2.",
            "alone(X) :- kind(X,_), \\+ link(X,_).",
            "similar(N,M) :- abs(N-M) =< 1.",
            "after(N,M) :- M is N+1.",
        ]

    # Simple fluents

    def _signature(self) -> Signature:
        sorts = self._pen.weighted([(6, (ITEM,)), (3, (ITEM, ITEM)), (1, ()), (1, (ITEM, NUMBER))])
        value = self._pen.weighted([(5, TRUTH), (4, MODE), (2, NUMBER)])
        inside = "act" if sorts and self._pen.chance(8) else ""
        return Signature(self._name("f"), sorts, value, inside)

    def _simple_group(self) -> None:
        self._simple_fluents([self._signature()], self._readable)

    def _cycle(self) -> None:
        members = [self._signature() for _ in range(self._pen.weighted([(3, 1), (4, 2), (1, 3)]))]
        readable = self._readable.copy()
        readable.fluents += members * 3  # likelier than others
        readable.simple += members
        if self._pen.chance(35):
            readable.changing += members
        static = None
        if self._pen.chance(20) and "static cycles" not in LEFT_OUT:
            static = Signature(self._name("s"), members[0].sorts, TRUTH)
            kind = replace(POINTWISE_KIND, order=self._features.statics.order, equal=not self._features.read_whole)
            self._rules += static_rules(self._pen, Readable(fluents=[*members, *members, *self._plain()]), static, kind)
            readable.fluents += [static] * 2
        self._simple_fluents(members, readable)
        if static is not None:
            self._readable.fluents.append(static)
            self._readable.changing.append(static)

    def _plain(self) -> list[Signature]:
        return [fluent for fluent in self._readable.fluents if fluent not in self._whole]

    def _simple_fluents(self, members: list[Signature], readable: Readable) -> None:
        for fluent in members:
            self._effects(fluent, readable)
        if self._features.delays and self._pen.chance(35):
            self._delays(members)
        for fluent in members:
            if self._features.groundings and self._pen.chance(8):
                self._grounding(fluent)
        self._readable.fluents += members
        self._readable.changing += members
        self._readable.simple += members

    def _body(self, readable: Readable) -> BodyWriter:
        if not self._features.read_whole and self._whole:
            readable = readable.copy()
            readable.fluents = [fluent for fluent in readable.fluents if fluent not in self._whole]
            readable.changing = [fluent for fluent in readable.changing if fluent not in self._whole]
        return BodyWriter(self._pen, readable, self._features.allowed)

    def _effects(self, fluent: Signature, readable: Readable) -> None:
        pen = self._pen
        for _ in range(pen.weighted([(4, 1), (5, 2), (1, 3)])):
            body = self._body(readable)
            body.write()
            args = body.head_args(fluent.sorts)
            self._rule(f"initiatedAt({fluent.term(args)}={self._value(fluent, body)}, T)", body)
        for _ in range(pen.weighted([(2, 0), (5, 1), (2, 2)])):
            self._termination(fluent, readable)
        if pen.chance(15):
            self._initially(fluent)

    def _value(self, fluent: Signature, body: BodyWriter) -> str:
        assert fluent.value is not None
        if fluent.value != TRUTH and body.bound[fluent.value] and self._pen.chance(60):
            return self._pen.pick(body.bound[fluent.value])
        if fluent.value == TRUTH:
            return "false" if self._pen.chance(15) else "true"
        return self._pen.likely(CONSTANTS[fluent.value])

    def _termination(self, fluent: Signature, readable: Readable) -> None:
        body = self._body(readable)
        body.write()
        args, open_names = [], []
        for place, sort in enumerate(fluent.sorts):
            how = self._pen.weighted([(8, "known"), (2, "_"), (2, "tested")])
            if how == "tested":
                name = f"{'X' if sort == ITEM else 'N'}h{place}"
                open_names.append((sort, name))
                args.append(name)
            else:
                args.append("_" if how == "_" else body.known(sort))
        value = self._value(fluent, body)
        how = self._pen.weighted([(6, "known"), (3, "_"), (1, "tested")])
        if how == "tested" and fluent.value in (NUMBER, MODE):
            open_names.append((fluent.value, "Vh"))
            value = "Vh"
        elif how != "known":
            value = "_"
        for sort, name in open_names:
            body.literals.append(self._head_test(sort, name, body))
        self._rule(f"terminatedAt({fluent.term(args)}={value}, T)", body)

    def _head_test(self, sort: str, name: str, body: BodyWriter) -> str:
        """A test on a variable that only the head has."""
        if sort == NUMBER:
            return self._pen.pick((f"{name} > 1", f"{name} =\\= 0", f"\\+ happensAt(set(_,{name}),T)"))
        if sort == MODE:
            return self._pen.pick((f"{name} \\= red", f"\\+ happensAt(turn(_,{name}),T)"))
        other = self._pen.pick((*body.bound[ITEM], *CONSTANTS[ITEM][:1]))
        tests = [f"\\+ happensAt(go({name}),T)", f"{name} \\= {other}", f"\\+ link({name},{other})"]
        if self._features.allowed.order:
            tests.append(f"{name} @> {other}")
        return self._pen.pick(tests)

    def _initially(self, fluent: Signature) -> None:
        assert fluent.value is not None
        pen = self._pen
        constants = [pen.pick(CONSTANTS[sort]) for sort in fluent.sorts]
        value = pen.pick(CONSTANTS[fluent.value])
        if fluent.sorts and pen.chance(50):
            goal = pen.pick(("kind(X,big)", "heavy(X)", "link(X,_)", "limit(X,N), N < 3"))
            self._rules.append(f"initially({fluent.term(['X', *constants[1:]])}={value}) :- {goal}.")
        else:
            self._rules.append(f"initially({fluent.term(constants)}={value}).")

    def _rule(self, head: str, body: BodyWriter) -> None:
        self._rules.append(f"{head} :- {body.text()}.")

    def _grounding(self, fluent: Signature) -> None:
        assert fluent.value is not None
        names = [f"{'X' if sort == ITEM else 'N'}{place}" for place, sort in enumerate(fluent.sorts)]
        value = self._pen.pick(("V", *CONSTANTS[fluent.value]))
        goals = [
            self._pen.pick((f"kind({name},_)", f"kind({name},big)", f"limit({name},2)"))
            if sort == ITEM
            else f"limit(_,{name})"
            for name, sort in zip(names, fluent.sorts, strict=True)
        ]
        goals += [f"member(V, [{','.join(CONSTANTS[fluent.value][:2])}])"] if value == "V" else []
        body = f" :- {', '.join(goals)}" if goals else ""
        self._rules.append(f"grounding({fluent.term(names)}={value}){body}.")

    # Delayed effects

    def _delays(self, members: list[Signature]) -> None:
        for _ in range(self._pen.weighted([(4, 1), (4, 2), (2, 3)])):
            self._delay(members)
        if self._pen.chance(45):
            fluent = self._pen.pick(members)
            names = self._names_of(fluent)
            value = self._pen.pick((*self._values(fluent), "_"))
            body = " :- kind(X0,big)" if "X0" in names and self._pen.chance(25) else ""
            self._rules.append(f"p({fluent.term(names)}={value}){body}.")

    @staticmethod
    def _names_of(fluent: Signature) -> list[str]:
        return [f"{'X' if sort == ITEM else 'N'}{place}" for place, sort in enumerate(fluent.sorts)]

    @staticmethod
    def _values(fluent: Signature) -> tuple[str, ...]:
        assert fluent.value is not None
        return CONSTANTS[fluent.value]

    def _delay(self, members: list[Signature]) -> None:
        pen = self._pen
        trigger = pen.pick(members)
        names = self._names_of(trigger)
        goals: list[str] = []
        if "X0" in names and pen.chance(25):
            goals.append("limit(X0,R0)")
            delay = pen.pick(("R0", "R"))
            goals += ["R is R0+1"] if delay == "R" else []
        else:
            delay = str(pen.number(1, 7))
        value = self._pen.likely(self._values(trigger))
        if pen.chance(30):
            value = pen.pick((value, "_", "V"))
            goals += [f"V \\= {self._values(trigger)[1]}"] if value == "V" else []
            self._delay_rule(f"ft({trigger.term(names)}={value}, {delay})", goals)
            return
        effect, target = trigger, list(names)
        if pen.chance(25):
            effect = pen.pick([*members, *self._earlier_targets()])
            target = [
                pen.pick([name for name in names if name[0] == letter] or [None])
                or self._looked_up(letter, goals, place)
                for place, letter in enumerate(name[0] for name in self._names_of(effect))
            ]
        elif "X0" in names and pen.chance(15):
            goals.append("link(X0,Xq)")
            target[0] = "Xq"
        if effect.value == NUMBER == trigger.value and pen.chance(60):
            goals += [pen.pick(("N9 < 3", "N9 =< 2, N9 >= 0")), pen.pick(("M9 is N9+1", "M9 is N9*2+1"))]
            pair, result = "N9", "M9"
        else:
            pair, result = value, pen.pick(self._values(effect))
        self._delay_rule(f"fi({trigger.term(names)}={pair}, {effect.term(target)}={result}, {delay})", goals)

    def _earlier_targets(self) -> list[Signature]:
        """No fluent that is finished can be given effects after the fact without a cycle; those of this group can."""
        return []

    @staticmethod
    def _looked_up(letter: str, goals: list[str], place: int) -> str:
        name = f"{letter}t{place}"
        goals.append(f"kind({name},_)" if letter == "X" else f"limit(_,{name})")
        return name

    def _delay_rule(self, head: str, goals: list[str]) -> None:
        self._rules.append(f"{head}{' :- ' + ', '.join(goals) if goals else ''}.")

    # Statically determined fluents and derived events

    def _static(self) -> None:
        if not self._readable.fluents:
            self._simple_group()
        sorts = self._pen.weighted([(6, (ITEM,)), (3, (ITEM, ITEM)), (1, ())])
        value = self._pen.weighted([(6, TRUTH), (2, MODE), (1, NUMBER)])
        head = Signature(self._name("s"), sorts, value)
        kind = self._features.statics
        readable = self._readable.copy()
        if "static on static" in LEFT_OUT and not self._features.read_whole:
            readable.fluents = self._plain() or readable.fluents
        rules = static_rules(self._pen, readable, head, kind)
        self._rules += rules
        reads = [fluent for fluent in self._whole if any(re.search(rf"\b{fluent.name}\b", rule) for rule in rules)]
        if reads or len(rules) > 1 or any(knows_the_future(rule) for rule in rules):
            self._whole.append(head)
        if self._features.groundings and self._pen.chance(5):
            self._grounding(head)
        self._readable.fluents.append(head)
        self._readable.changing.append(head)

    def _metric(self) -> None:
        assert self._features.metric is not None
        shapes = [(6, (ITEM,)), (3, (ITEM, ITEM)), (1, ()), (1, (ITEM, NUMBER))]
        count = self._pen.weighted([(4, 1), (2, 2)])
        heads = [Signature(self._name("m"), self._pen.weighted(shapes), TRUTH) for _ in range(count)]
        group = metric_group(self._pen, self._readable, heads, self._features.metric)
        self._metric_rules += group.rules
        if group.knows_future or any(read in self._whole for read in group.read):
            self._whole += heads
        self._readable.fluents += heads
        self._readable.changing += heads

    def _derived_event(self) -> None:
        event = Signature(self._name("d"), self._pen.weighted([(6, (ITEM,)), (2, (ITEM, ITEM)), (1, (ITEM, NUMBER))]))
        for _ in range(self._pen.weighted([(4, 1), (1, 2)])):
            body = self._body(self._readable)
            body.write()
            args = body.head_args(event.sorts)
            self._rule(f"happensAt({event.term(args)}, T)", body)
        self._readable.events.append(event)
