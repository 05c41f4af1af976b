"""The registers of one program: which variable has which, and which have a value by now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdsfor.diagnostics import Span
from holdsfor.ir import DelayRule, Literal
from holdsfor.logic.arithmetic import CONSTANTS, FUNCTIONS
from holdsfor.logic.calendar import CALENDAR, field_of, scale_of
from holdsfor.physical.model import (
    LIST,
    NOW,
    Anything,
    Apply,
    Calendar,
    Constant,
    Expression,
    Instruction,
    Register,
    Shape,
    Site,
    Structure,
)
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var
from holdsfor.times import UNITS

if TYPE_CHECKING:
    from holdsfor.physical.origins import Step


@dataclass
class Scope:
    """Gives variables their registers while a body is lowered in the order in which it runs."""

    occurrences: Counter[str]
    """How often each variable occurs in the rule: a `_` that occurs once needs no register."""
    registers: dict[str, int] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    lists: dict[str, int] = field(default_factory=dict)
    first: int = NOW + 1
    steps: list[Step] | None = None
    """The conditions that have been lowered, if somebody wants to know."""
    passing: int = 0
    """Registers behind the others, for variables that are matched in passing."""

    def register(self, name: str) -> int:
        """The register of a variable."""
        return self.registers.setdefault(name, len(self.registers) + self.first)

    def list_register(self, name: str) -> int:
        """The list register of a variable that stands for intervals."""
        return self.lists.setdefault(name, len(self.lists))

    def bind(self, name: str) -> int:
        """The register of a variable that gets its value here."""
        self.bound.add(name)
        return self.register(name)

    def note(self, literal: Literal, made: Sequence[Instruction]) -> None:
        """A condition has been lowered."""
        if self.steps is not None:
            from holdsfor.physical.origins import Step

            self.steps.append(Step(literal, made[-1] if made else None, frozenset(self.bound)))

    def put_now(self, name: str) -> None:
        """Let a variable be the present time-point."""
        self.registers[name] = NOW
        self.bound.add(name)

    @property
    def size(self) -> int:
        """How many registers there are."""
        return max((NOW, *self.registers.values(), self.passing)) + 1

    @contextmanager
    def inner(self) -> Iterator[None]:
        """What is bound inside is unbound again afterwards."""
        before = set(self.bound)
        yield
        self.bound = before

    def is_idle(self, name: str) -> bool:
        """Whether nobody asks for the value of a variable."""
        return Var(name).is_anonymous and self.occurrences[name] < 2

    def pattern(self, term: Term) -> Shape:
        """A term to match with; variables without a value get theirs from it."""
        match term:
            case Var(name=name):
                if name in self.bound:
                    return Register(self.register(name))
                if self.is_idle(name) and self.steps is None:
                    return Anything()
                return Register(self.bind(name), binds=True)
            case Const(value=value):
                return Constant(value)
            case Compound(name=name, args=args):
                return Structure(name, tuple(self.pattern(arg) for arg in args))
            case ListTerm(items=items, tail=tail):
                return Structure(
                    LIST, tuple(self.pattern(item) for item in items), None if tail is None else self.pattern(tail)
                )

    def patterns(self, terms: Iterable[Term]) -> tuple[Shape, ...]:
        """Several terms, from left to right."""
        return tuple(self.pattern(term) for term in terms)

    def head(self, term: Term) -> Shape:
        """A term of a head; what is open in it matches anything."""
        match term:
            case Var(name=name) if name not in self.bound:
                return Anything()
            case Compound(name=name, args=args):
                return Structure(name, tuple(self.head(arg) for arg in args))
            case ListTerm(items=items, tail=tail):
                rest = None if tail is None else self.head(tail)
                return Structure(LIST, tuple(self.head(item) for item in items), rest)
            case _:
                return self.pattern(term)

    def expression(self, term: Term) -> Expression:
        """A term to be evaluated. What is no number and no function has no value, which shows when it is evaluated."""
        match term:
            case Const(value=str(name)) if name in CONSTANTS:
                return Constant(CONSTANTS[name])
            case Const(value=value):
                return Constant(value)
            case Var(name=name):
                return Register(self.register(name))
            case Compound(name=name, args=args) if (name, len(args)) in FUNCTIONS:
                return Apply(name, tuple(self.expression(arg) for arg in args))
            case Compound(name=name, args=args) if (name, len(args)) in CALENDAR:
                unit, zone = scale_of(term)
                return Calendar(field_of(term), self.expression(args[0]), UNITS[unit], zone)
            case _:
                shape = self.pattern(term)
                assert isinstance(shape, Structure)
                return shape

    def site(self, span: Span, literal: Literal | DelayRule | None = None) -> Site:
        """A place in the source, with what is known there."""
        row = tuple((name, register) for name, register in self.registers.items() if name in self.bound)
        return Site(span, row, literal)
