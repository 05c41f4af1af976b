"""Values that grow: fluents of a component that take ever new values, computed from the values they had before.

What can hold inside a component is normally found beforehand. The values of a counter cannot be: its rules are split
into what is solved set at a time and a *tail*, the conditions that depend on the value read, which the sweep looks up
for the values that really occur.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.engine.cyclic.memory import MOST_READS
from holdsfor.engine.cyclic.residual import Splitter, Way
from holdsfor.ir import (
    Assign,
    Body,
    Boundary,
    Call,
    Compare,
    Cut,
    Effect,
    EffectKind,
    EffectRule,
    Happens,
    Holds,
    IfThenElse,
    Instance,
    Literal,
    Not,
    Or,
    head_terms,
    variable_names,
    walk,
)
from holdsfor.logic.library import LIBRARY
from holdsfor.syntax.terms import Var, functor


class Mode(Enum):
    """How a condition on the component is joined: with all pairs that may hold, or with the slots alone, its value
    being known, of no interest, or read by the sweep.
    """

    PAIR = auto()
    KNOWN = auto()
    ANY = auto()
    READ = auto()


@dataclass(frozen=True)
class Split:
    """A body: what is solved beforehand, the conditions whose values are read, and the tail that depends on these."""

    body: Body
    reads: tuple[Holds, ...] = ()
    tail: Body = ()
    modes: dict[int, Mode] = field(default_factory=dict)
    """By the identity of each condition on the component."""


class Growth:
    """Which fluents of a component grow, and how bodies are split for it."""

    def __init__(self, analysis: Analysis, splitter: Splitter, ways: list[Way]) -> None:
        self._analysis = analysis
        self._entities = analysis.entities
        self._splitter = splitter
        self.growing: frozenset[Symbol] = frozenset()
        while True:
            found = frozenset(symbol for way in ways if (symbol := self._grows(way)) is not None)
            if found <= self.growing:
                break
            self.growing |= found

    def _symbol(self, literal: Holds | Boundary | Effect | Instance) -> Symbol:
        return self._entities.fluent(literal.fvp)

    def _grows(self, way: Way) -> Symbol | None:
        """The fluent of a rule's head, if its value is built from values that the component had before."""
        rule = way.rule
        if not isinstance(rule, EffectRule) or rule.kind is not EffectKind.INITIATED:
            return None
        read, built = self._taints(way.body)
        value = rule.fvp.value
        inside = names(value)
        grows = bool(inside & built) if isinstance(value, Var) else bool(inside & (read | built))
        return self._entities.fluent(rule.fvp) if grows else None

    def _taints(self, body: Body) -> tuple[set[str], set[str]]:
        """Variables that take values of the component, and those computed from them or read from what grows."""
        read: set[str] = set()
        built: set[str] = set()
        for literal in walk(body):
            if isinstance(literal, Holds | Boundary | Effect) and self._splitter.asks_component(literal):
                found = names(literal.fvp.value)
                (built if self._symbol(literal) in self.growing else read).update(found)
        before = -1
        while len(read) + len(built) != before:
            before = len(read) + len(built)
            for literal in walk(body):
                if _copies(literal):
                    for tainted in (read, built):
                        if variable_names((literal,)) & tainted:
                            tainted.update(variable_names((literal,)))
                elif self._computes(literal) and variable_names((literal,)) & (read | built):
                    built |= _outputs(literal) - read
        return read, built

    def _computes(self, literal: Literal) -> bool:
        match literal:
            case Assign():
                return True
            case Compare(operator="="):
                return True
            case Call(atom=atom):
                name = functor(atom)
                return name is not None and (name in LIBRARY or bool(self._analysis.background.needs(name)))
            case _:
                return False

    # Splitting

    def split(self, body: Body, bound: Iterable[str] = (), elsewhere: Iterable[str] = ()) -> Split:
        """The parts of a body, given what is bound before it and what is used outside it."""
        known, dynamic = set(bound), set[str]()
        static: list[Literal] = []
        tail: list[Literal] = []
        reads: list[Holds] = []
        modes: dict[int, Mode] = {}
        for literal in body:
            used = variable_names((literal,))
            if used & dynamic:
                self._refuse_unless_pure(literal)
                tail.append(literal)
                dynamic |= used - known
                continue
            static.append(literal)
            if self._splitter.asks_component(literal) or self._is_own_instance(literal):
                others = set(elsewhere) | variable_names(tuple(other for other in body if other is not literal))
                mode = self._mode(literal, known, others)
                modes[id(literal)] = mode
                if mode is Mode.READ:
                    assert isinstance(literal, Holds)
                    reads.append(literal)
                    dynamic |= names(literal.fvp.value)
                    used -= dynamic
            known |= used
        if len(reads) > MOST_READS:
            raise NotSupported(f"more than {MOST_READS} values that grow, in one rule", reads[-1].span)
        return Split(tuple(static), tuple(reads), tuple(tail), modes)

    def _is_own_instance(self, literal: Literal) -> bool:
        return isinstance(literal, Instance) and self._splitter.owns(self._symbol(literal))

    def _mode(self, literal: Literal, known: set[str], others: set[str]) -> Mode:
        if isinstance(literal, Happens):
            return Mode.PAIR
        assert isinstance(literal, Holds | Boundary | Effect | Instance)
        symbol, value = self._symbol(literal), literal.fvp.value
        is_free = isinstance(value, Var) and value.name not in known | names(literal.fvp.fluent)
        is_declared = bool(self._entities[symbol].groundings)
        if isinstance(literal, Holds) and is_free and not is_declared and names(value).isdisjoint(others):
            return Mode.ANY
        if symbol not in self.growing:
            return Mode.PAIR
        if names(value) <= known and not isinstance(literal, Instance):
            return Mode.KNOWN
        if isinstance(literal, Holds) and is_free and not is_declared:
            return Mode.READ
        raise NotSupported(
            f"{symbol} takes ever new values in a cycle; such a value can be read by holdsAt "
            "with a variable of its own, or compared with a value that is known",
            literal.span,
        )

    def _refuse_unless_pure(self, literal: Literal) -> None:
        for inner in walk((literal,)):
            if not isinstance(inner, Assign | Compare | Call | Cut | Not | Or | IfThenElse):
                raise NotSupported(
                    "a condition on events or fluents with a value that is computed in its own cycle", inner.span
                )

    def refuse_open_head(self, way: Way, split: Split) -> None:
        """Only the value of a head may depend on what the sweep reads."""
        dynamic = variable_names((*split.reads, *split.tail))
        dynamic -= variable_names(tuple(literal for literal in split.body if literal not in split.reads))
        dynamic -= {name for literal in split.reads for name in names(literal.fvp.fluent) | names(literal.time)}
        head = head_terms(way.rule)[0]
        if names(head) & dynamic:
            raise NotSupported("an argument of the head is computed from a value of its own cycle", way.rule.span)


def _copies(literal: Literal) -> bool:
    """Whether a literal makes two variables equal."""
    if not isinstance(literal, Compare) or literal.operator != "=":
        return False
    return isinstance(literal.left, Var) and isinstance(literal.right, Var)


def _outputs(literal: Literal) -> set[str]:
    return names(literal.target) if isinstance(literal, Assign) else variable_names((literal,))
