"""Finds arguments of events, fluents and predicates that hold the same kind of entity, because rules relate them.

Two places are tied if some rule has the same variable at both. In `initiatedAt(in(V, A)=true, T) :- happensAt(enters(V,
A), T)` the first arguments of `in` and `enters` are tied, and so are the second ones. Values of fluents are places too.
The inside of a compound argument has its own places.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

from holdsfor import ir
from holdsfor.compiler.analysis.names import defined_predicates
from holdsfor.logic.library import LIBRARY
from holdsfor.syntax.terms import Compound, Term, Var, arguments, functor


class TermKind(StrEnum):
    """The kinds of terms that have arguments."""

    EVENT = "event"
    FLUENT = "fluent"
    PREDICATE = "predicate"


Name: TypeAlias = tuple[TermKind, str, int]
"""An event, fluent or predicate by its name and arity."""
Path: TypeAlias = tuple[int | str, ...]
"""The position of an argument: its index and, inside compound arguments, the name, arity and index at each level."""
Place: TypeAlias = tuple[Name, Path]
_VALUE: Path = ("=",)


class TiedPlaces:
    """The places of a program in equivalence classes of tied places."""

    def __init__(self, program: ir.Program) -> None:
        self._parents: dict[object, object] = {}
        predicates = defined_predicates(program)
        for number, rule in enumerate(program.rules):
            for kind, term, value in mentioned(rule):
                name = functor(term)
                if name is None or (kind is TermKind.PREDICATE and (name not in predicates or name in LIBRARY)):
                    continue
                for path, variable in leaves(term):
                    self._tie(((kind, *name), path), (number, variable.name))
                if isinstance(value, Var):
                    self._tie(((kind, *name), _VALUE), (number, value.name))
            for literal in ir.walk(rule.body):
                match literal:
                    case ir.Compare(operator="=", left=Var(name=left), right=Var(name=right)):
                        self._tie((number, left), (number, right))

    def tie(self, one: Place, two: Place) -> None:
        """Ties two places that no rule ties."""
        self._tie(one, two)

    def are_tied(self, one: Place, two: Place) -> bool:
        """Whether two places hold entities of the same kind."""
        return one == two or self.kind(one) == self.kind(two)

    def kind(self, place: object) -> object:
        """The representative of all places tied to one."""
        while (parent := self._parents.get(place, place)) != place:
            place = parent
        return place

    def _tie(self, one: object, two: object) -> None:
        first, second = self.kind(one), self.kind(two)
        if first != second:
            self._parents[second] = first


def leaves(term: Term, above: Path = ()) -> Iterator[tuple[Path, Var]]:
    """The variables in the arguments of a term, with their places; lists have none."""
    for number, argument in enumerate(arguments(term)):
        if isinstance(argument, Var):
            yield (*above, number), argument
        elif isinstance(argument, Compound) and (name := functor(argument)) is not None:
            yield from leaves(argument, (*above, number, *name))


def mentioned(rule: ir.Rule) -> Iterator[tuple[TermKind, Term, Term | None]]:
    """All events, fluents and predicates of a rule; fluents with their values."""
    match rule:
        case ir.EffectRule(fvp=fvp) | ir.InitiallyRule(fvp=fvp) | ir.IntervalRule(fvp=fvp) | ir.PostponeRule(fvp=fvp):
            yield TermKind.FLUENT, fvp.fluent, fvp.value
        case ir.DelayRule(trigger=trigger, effect=effect):
            yield TermKind.FLUENT, trigger.fluent, trigger.value
            if effect is not None:
                yield TermKind.FLUENT, effect.fluent, effect.value
        case ir.EventRule(event=event):
            yield TermKind.EVENT, event, None
        case ir.BackgroundRule(head=head):
            yield TermKind.PREDICATE, head, None
        case ir.Declaration(kind=ir.DeclarationKind.GROUNDING, args=(Compound(name="=", args=(fluent, value)), *_)):
            yield TermKind.FLUENT, fluent, value
        case ir.Declaration(kind=ir.DeclarationKind.GROUNDING, args=(event, *_)):
            yield TermKind.EVENT, event, None
    for literal in ir.walk(rule.body):
        yield from read(literal)


def read(literal: ir.Literal) -> Iterator[tuple[TermKind, Term, Term | None]]:
    """The reads of a condition."""
    match literal:
        case ir.Happens(event=event):
            yield TermKind.EVENT, event, None
        case ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Effect(fvp=fvp) | ir.Intervals(fvp=fvp):
            yield TermKind.FLUENT, fvp.fluent, fvp.value
        case ir.Call(atom=atom):
            yield TermKind.PREDICATE, atom, None
