"""The nodes of an explanation: claims, with the steps below that support them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.explain.wording import rule_names, rule_times, shown_value
from holdsfor.ir import Body, EffectKind, Fvp, Literal, Rule
from holdsfor.ir.metric import MetricAtom, MetricFact, MetricLiteral, MetricRule
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var

Pair: TypeAlias = tuple[Term, Term]
"""A ground fluent and its value."""


class Kind(StrEnum):
    """The subject of a node."""

    HOLDS = "holds"
    """A simple fluent has a value: it was initiated, and has not been broken since."""
    INITIATED = "initiated"
    TERMINATED = "terminated"
    INITIALLY = "initially"
    DELAYED = "delayed effect"
    """A delayed effect that took place, was cancelled or postponed, or is pending."""
    BROKEN = "broken"
    """A value ends because another one begins, or because of a conflict."""
    EVENT = "event"
    """A derived event."""
    BOUNDARY = "boundary"
    ROW = "row"
    """An event or an interval of the input."""
    RULE = "rule"
    CONDITION = "condition"
    WINDOW = "window"
    """A sliding aggregate with its value; the events in its window are below."""
    BACKGROUND = "background"
    ABSENT = "absent"
    """Something that is missing."""
    NEAR = "nearest"
    """A rule instance that is nearly met."""
    OPERATOR = "operator"
    """An operator on intervals."""
    METRIC = "metric"
    FACT = "fact"
    NOTE = "note"


# Claims of nodes, for verification


@dataclass(frozen=True)
class Holding:
    """A pair holds at a time-point, with its interval, or does not hold."""

    pair: Pair
    time: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Effected:
    """A pair is, or is not, initiated or terminated at a time-point."""

    kind: EffectKind
    pair: Pair
    time: int


@dataclass(frozen=True)
class Happening:
    """An event happens, or does not, at a time-point."""

    event: Term
    time: int


@dataclass(frozen=True)
class Conditional:
    """A condition of a rule is met, or not, under the bindings of the rule above it."""

    literal: Literal
    bindings: Mapping[str, Term]


@dataclass(frozen=True)
class Listed:
    """A time-point is, or is not, in an interval list of a rule."""

    out: Term
    time: int
    bindings: Mapping[str, Term]


@dataclass(frozen=True)
class Attempted:
    """A delayed effect: its trigger, the time of the initiation, and the time when it is due."""

    trigger: Pair
    initiated: int
    due: int


@dataclass(frozen=True)
class Missed:
    """A rule instance that fails: the conditions before the given place are met, and the one at the place is not met at
    any time-point from the first to the last. The body is in execution order.
    """

    rule: Rule
    bindings: Mapping[str, Term]
    body: Body
    place: int
    first: int
    last: int


@dataclass(frozen=True)
class NoInitiation:
    """A pair is not initiated at any time-point from the first to the last."""

    pair: Pair
    first: int
    last: int


@dataclass(frozen=True)
class Deriving:
    """A metric atom holds, or does not, at a time, for the values of its variables.

    If a rule derives it, `body` is the time at which its conditions are met.
    """

    atom: MetricAtom
    bindings: Mapping[str, Const]
    time: Fraction
    body: Fraction | None = None


@dataclass(frozen=True)
class MetricCondition:
    """A comparison, an aggregate or a negated condition of a metric rule, at a time."""

    literal: MetricLiteral
    bindings: Mapping[str, Const]
    time: Fraction


@dataclass(frozen=True)
class MetricMissed:
    """A metric rule with the values of its variables, whose body holds at none of the times from which its head would
    follow at a time.
    """

    rule: MetricRule
    bindings: Mapping[str, Const]
    time: Fraction


Claim: TypeAlias = (
    Holding
    | Effected
    | Happening
    | Conditional
    | Listed
    | Attempted
    | Missed
    | NoInitiation
    | Deriving
    | MetricCondition
    | MetricMissed
    | None
)


@dataclass(frozen=True)
class RuleUse:
    """A rule with the values of its variables."""

    rule: Rule | MetricRule | MetricFact
    bindings: Mapping[str, Term]

    @property
    def span(self) -> Span:
        """The source position of the rule."""
        return self.rule.span

    @property
    def place(self) -> tuple[str, int, int] | None:
        """The file, line and column of the rule; None if it was not read from text."""
        source = self.span.source
        return None if source is NOWHERE.source else (source.name, *source.line_column(self.span.start))


@dataclass(frozen=True)
class Row:
    """A row of the input, with its location if known."""

    text: str
    file: str | None = None
    line: int | None = None

    @property
    def location(self) -> str:
        """`file:line`, or empty."""
        return f"{self.file}:{self.line}" if self.file is not None else ""


@dataclass(frozen=True)
class Node:
    """One step: its text, whether it claims that something holds, and the steps that support it.

    `more` means that deeper steps were omitted. A `hidden` step is part of a condition that another step describes: it
    is available for verification, but not shown.
    """

    kind: Kind
    text: str
    holds: bool = True
    claim: Claim = None
    use: RuleUse | None = None
    rows: tuple[Row, ...] = ()
    interval: tuple[str, str] | None = None
    children: tuple[Node, ...] = ()
    more: bool = False
    hidden: bool = False

    @property
    def shown(self) -> tuple[Node, ...]:
        """The visible steps below."""
        return tuple(child for child in self.children if not child.hidden)

    def walk(self) -> Iterator[Node]:
        """The node and all below it; a shared node occurs once."""
        waiting, seen = [self], set()
        while waiting:
            node = waiting.pop()
            if id(node) not in seen:
                seen.add(id(node))
                yield node
                waiting.extend(reversed(node.children))

    def as_json(self, seen: set[int] | None = None) -> dict[str, Any]:
        """The node as plain data, without empty fields.

        The steps below a node appear at its first occurrence. Later occurrences are `repeated`.
        """
        seen = set() if seen is None else seen
        found: dict[str, Any] = {"kind": str(self.kind), "holds": self.holds, "text": self.text}
        if self.interval is not None:
            found["interval"] = {"start": self.interval[0], "end": self.interval[1]}
        if self.use is not None:
            found["rule"] = rule_json(self.use)
        if self.rows:
            found["rows"] = [{"text": row.text, "file": row.file, "line": row.line} for row in self.rows]
        if self.more:
            found["more"] = True
        if self.children and id(self) in seen:
            found["repeated"] = True
        elif self.children:
            seen.add(id(self))
            found["children"] = [child.as_json(seen) for child in self.shown]
        return found


def rule_json(use: RuleUse) -> dict[str, Any]:
    """A rule with its location and the values of its variables."""
    known = use.place
    place = {"file": None, "line": None} if known is None else dict(zip(("file", "line", "column"), known, strict=True))
    return {**place, "text": use.span.text, "bindings": shown_bindings(use)}


def shown_bindings(use: RuleUse) -> dict[str, str]:
    """The variables in the source text, with their values: those of the rule, then those of its helpers."""
    found = [name for name in dict.fromkeys(rule_names(use.rule)) if name in use.bindings]
    times = rule_times(use.rule)
    texts = {name: print_term(shown_value(use.bindings[name], is_time=name in times)) for name in found}
    own = {name: texts[name] for name in found if Var(name).written == name}
    others = {Var(name).written: texts[name] for name in reversed(found)}
    return own | {name: value for name, value in reversed(others.items()) if name not in own}


def pair_of(fvp: Fvp, bindings: Bindings) -> Pair:
    """A pair with its variables replaced."""
    return resolve(fvp.fluent, bindings), resolve(fvp.value, bindings)


def moment(time: Term, bindings: Bindings) -> int:
    """The time-point of a term."""
    found = resolve(time, bindings)
    assert isinstance(found, Const) and isinstance(found.value, int), found
    return found.value
