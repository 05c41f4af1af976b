"""Allocates the registers of one program: the register of each variable, and the variables that are bound so far."""

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
from holdsfor.physical import instructions as code
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var
from holdsfor.times import UNITS

if TYPE_CHECKING:
    from holdsfor.physical.origins import OriginStep


@dataclass
class RegisterScope:
    """Assigns registers to variables while a body is lowered in execution order."""

    occurrences: Counter[str]
    """How often each variable occurs in the rule. A variable that occurs once needs no register."""
    registers: dict[str, int] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    lists: dict[str, int] = field(default_factory=dict)
    first: int = code.NOW + 1
    steps: list[OriginStep] | None = None
    """The lowered conditions; None unless they are recorded."""
    passing: int = 0
    """Registers after all others, for variables of a single match."""

    def register(self, name: str) -> int:
        """The register of a variable."""
        return self.registers.setdefault(name, len(self.registers) + self.first)

    def list_register(self, name: str) -> int:
        """The list register of a variable for intervals."""
        return self.lists.setdefault(name, len(self.lists))

    def bind(self, name: str) -> int:
        """The register of a variable that is bound here."""
        self.bound.add(name)
        return self.register(name)

    def note(self, literal: Literal, made: Sequence[code.Instruction]) -> None:
        """Records that a condition has been lowered."""
        if self.steps is not None:
            from holdsfor.physical.origins import OriginStep

            self.steps.append(OriginStep(literal, made[-1] if made else None, frozenset(self.bound)))

    def put_now(self, name: str) -> None:
        """Makes a variable the present time-point."""
        self.registers[name] = code.NOW
        self.bound.add(name)

    @property
    def size(self) -> int:
        """The number of registers."""
        return max((code.NOW, *self.registers.values(), self.passing)) + 1

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope whose variables are unbound again afterwards."""
        before = set(self.bound)
        yield
        self.bound = before

    def is_idle(self, name: str) -> bool:
        """Whether no condition needs the value of a variable."""
        return Var(name).is_anonymous and self.occurrences[name] < 2

    def pattern(self, term: Term) -> code.Shape:
        """A term to match; its unbound variables are bound by the match."""
        match term:
            case Var(name=name):
                if name in self.bound:
                    return code.Register(self.register(name))
                if self.is_idle(name) and self.steps is None:
                    return code.Anything()
                return code.Register(self.bind(name), binds=True)
            case Const(value=value):
                return code.Constant(value)
            case Compound(name=name, args=args):
                return code.Structure(name, tuple(self.pattern(arg) for arg in args))
            case ListTerm(items=items, tail=tail):
                return code.Structure(
                    code.LIST, tuple(self.pattern(item) for item in items), None if tail is None else self.pattern(tail)
                )

    def patterns(self, terms: Iterable[Term]) -> tuple[code.Shape, ...]:
        """Several terms, from left to right."""
        return tuple(self.pattern(term) for term in terms)

    def head(self, term: Term) -> code.Shape:
        """A term of a head; an unbound variable matches anything."""
        match term:
            case Var(name=name) if name not in self.bound:
                return code.Anything()
            case Compound(name=name, args=args):
                return code.Structure(name, tuple(self.head(arg) for arg in args))
            case ListTerm(items=items, tail=tail):
                rest = None if tail is None else self.head(tail)
                return code.Structure(code.LIST, tuple(self.head(item) for item in items), rest)
            case _:
                return self.pattern(term)

    def expression(self, term: Term) -> code.Expression:
        """A term to evaluate. A term that is neither number nor function has no value; this shows in the evaluation."""
        match term:
            case Const(value=str(name)) if name in CONSTANTS:
                return code.Constant(CONSTANTS[name])
            case Const(value=value):
                return code.Constant(value)
            case Var(name=name):
                return code.Register(self.register(name))
            case Compound(name=name, args=args) if (name, len(args)) in FUNCTIONS:
                return code.Apply(name, tuple(self.expression(arg) for arg in args))
            case Compound(name=name, args=args) if (name, len(args)) in CALENDAR:
                unit, zone = scale_of(term)
                return code.Calendar(field_of(term), self.expression(args[0]), UNITS[unit], zone)
            case _:
                shape = self.pattern(term)
                assert isinstance(shape, code.Structure)
                return shape

    def site(self, span: Span, literal: Literal | DelayRule | None = None) -> code.Site:
        """A source position, with the values known there."""
        row = tuple((name, register) for name, register in self.registers.items() if name in self.bound)
        return code.Site(span, row, literal)
