"""What an explanation is made of: nodes, each a claim with the steps below it that support it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.explain.wording import rule_names, rule_times, shown_value
from holdsfor.ir import Body, EffectKind, Literal, Rule
from holdsfor.ir.metric import MetricAtom, MetricFact, MetricLiteral, MetricRule
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var

Pair: TypeAlias = tuple[Term, Term]
"""A ground fluent and its value."""


class Kind(StrEnum):
    """What a node is about."""

    HOLDS = "holds"
    """A simple fluent has a value: it was brought about, and nothing has broken it since."""
    INITIATED = "initiated"
    TERMINATED = "terminated"
    INITIALLY = "initially"
    DELAYED = "delayed effect"
    """A delayed effect that took place, was cancelled or postponed, or is under way."""
    BROKEN = "broken"
    """A value ends because another one begins, or both at once."""
    EVENT = "event"
    """A derived event."""
    BOUNDARY = "boundary"
    ROW = "row"
    """An event or an interval of the input."""
    RULE = "rule"
    CONDITION = "condition"
    WINDOW = "window"
    """A sliding aggregate with its value; what lies in its window is below."""
    BACKGROUND = "background"
    ABSENT = "absent"
    """Something that was looked for and is not there."""
    NEAR = "nearest"
    """A rule instance that comes close."""
    OPERATOR = "operator"
    """An operator on intervals."""
    METRIC = "metric"
    FACT = "fact"
    NOTE = "note"


# What nodes claim, for those who check them


@dataclass(frozen=True)
class Holding:
    """A pair holds, or does not, at a time-point; with the interval around it if it does."""

    pair: Pair
    time: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Effected:
    """A pair is initiated or terminated, or not, at a time-point."""

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
    """A condition of a rule is met, or not, under the bindings of the rule that it stands below."""

    literal: Literal
    bindings: Mapping[str, Term]


@dataclass(frozen=True)
class Listed:
    """A time-point is, or is not, in an interval list that a rule computes."""

    out: Term
    time: int
    bindings: Mapping[str, Term]


@dataclass(frozen=True)
class Attempted:
    """A delayed effect: the pair that starts it, when it was initiated and when the effect is due."""

    trigger: Pair
    initiated: int
    due: int
    effect: Pair | None


@dataclass(frozen=True)
class Missed:
    """A rule instance that fails: all conditions of its body before the given place are met, the one there is not, at any
    time-point from the first to the last. The body is in the order in which it runs.
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
    """A metric atom holds, or does not, at a point of time, for the values of its variables.

    Where a rule says so, `body` is the time at which its conditions are met.
    """

    atom: MetricAtom
    bindings: Mapping[str, Const]
    time: Fraction
    body: Fraction | None = None


@dataclass(frozen=True)
class MetricCondition:
    """A comparison or an aggregate of a metric rule, or a negated condition, at a point of time."""

    literal: MetricLiteral
    bindings: Mapping[str, Const]
    time: Fraction


@dataclass(frozen=True)
class MetricMissed:
    """A metric rule with the values of its variables, whose body holds at none of the times from which its head would
    follow at a point of time.
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
    """A rule and the values that its variables have."""

    rule: Rule | MetricRule | MetricFact
    bindings: Mapping[str, Term]

    @property
    def span(self) -> Span:
        """Where the rule stands."""
        return self.rule.span


@dataclass(frozen=True)
class Row:
    """A row of the input: what it says, and where it stands if that is known."""

    text: str
    file: str | None = None
    line: int | None = None

    @property
    def location(self) -> str:
        """`file:line`, or nothing."""
        return f"{self.file}:{self.line}" if self.file is not None else ""


@dataclass(frozen=True)
class Node:
    """One step: what it says, whether it says that something is so, and the steps that support it.

    `more` says that steps below were left out, since they lie too deep. A step that is `hidden` is part of a condition that
    another step tells of: it is there for those who check, and nobody sees it.
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
        """The steps below that people see."""
        return tuple(child for child in self.children if not child.hidden)

    def walk(self) -> Iterator[Node]:
        """The node and all below it; one that supports several others comes once."""
        waiting, seen = [self], set()
        while waiting:
            node = waiting.pop()
            if id(node) not in seen:
                seen.add(id(node))
                yield node
                waiting.extend(reversed(node.children))

    def as_json(self, seen: set[int] | None = None) -> dict[str, Any]:
        """The node as plain data; fields that say nothing are left out.

        What is below a node stands where the node comes first. Further down it is `repeated`.
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
    """A rule with its place and the values of its variables."""
    span = use.span
    place: dict[str, Any] = {"file": None, "line": None}
    if span.source is not NOWHERE.source:
        line, column = span.source.line_column(span.start)
        place = {"file": span.source.name, "line": line, "column": column}
    return {**place, "text": span.text, "bindings": shown_bindings(use)}


def shown_bindings(use: RuleUse) -> dict[str, str]:
    """The variables that people wrote, with their values: those of the rule, then those of helpers it calls."""
    found = [name for name in dict.fromkeys(rule_names(use.rule)) if name in use.bindings]
    times = rule_times(use.rule)
    texts = {name: print_term(shown_value(use.bindings[name], is_time=name in times)) for name in found}
    own = {name: texts[name] for name in found if Var(name).written == name}
    others = {Var(name).written: texts[name] for name in reversed(found)}
    return own | {name: value for name, value in reversed(others.items()) if name not in own}
