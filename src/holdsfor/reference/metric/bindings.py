"""Finds values for the variables of a rule by matching atoms with all known facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import TypeAlias

from holdsfor.ir.metric import Atom, Binary, MetricAtom, Truth, Unary, atoms
from holdsfor.reference.metric.needs import Signature
from holdsfor.reference.metric.times import NEVER, Times
from holdsfor.syntax.terms import Const, Var

Binding: TypeAlias = Mapping[str, Const]
Ground: TypeAlias = tuple[Const, ...]
Place: TypeAlias = tuple[Signature, int]
"""A predicate and the number of an argument."""

EMPTY: Binding = MappingProxyType({})
SOMEBODY_ELSE = Const("\0")
"""Represents all values that occur in no fact."""


class FactTimes(dict[Signature, dict[Ground, Times]]):
    """The times at which each ground atom holds."""

    def matching(self, signature: Signature, pattern: Sequence[Const | Var]) -> Iterable[Ground]:
        """The arguments of facts: at least those that match the pattern."""
        del pattern
        return self.get(signature, {})

    def domain(self, places: Iterable[Place]) -> Iterable[Const]:
        """Values for a variable: at least those that facts have at its places."""
        del places
        return sorted({value for table in self.values() for args in table for value in args}, key=repr)

    def times(self, signature: Signature, args: Ground) -> Times:
        """The times at which a fact holds."""
        return self.get(signature, {}).get(args, NEVER)

    def learn(self, signature: Signature, args: Ground, held: Times) -> bool:
        """Adds times of a fact; returns whether they are new."""
        before = self.times(signature, args)
        after = before | held
        if after != before:
            self.setdefault(signature, {})[args] = after
        return after != before


def binding_atoms(atom: MetricAtom) -> Iterator[Atom]:
    """Atoms that must hold at some time: all except the left operands of `Since` and `Until`."""
    match atom:
        case Atom():
            yield atom
        case Truth():
            return
        case Unary():
            yield from binding_atoms(atom.operand)
        case Binary():
            yield from binding_atoms(atom.right)


def matches(atom: Atom, binding: Binding, known: FactTimes) -> Iterator[Binding]:
    """All extensions of the binding for which the atom holds at some time."""
    pattern = [binding.get(arg.name, arg) if isinstance(arg, Var) else arg for arg in atom.args]
    for values in known.matching(atom.signature, pattern):
        extended = dict(binding)
        if all(
            value == (arg if isinstance(arg, Const) else extended.setdefault(arg.name, value))
            for arg, value in zip(atom.args, values, strict=True)
        ):
            yield extended


def candidates(atom: MetricAtom, binding: Binding, known: FactTimes) -> list[Binding]:
    """All extensions of the binding for which the metric atom may hold."""
    found: list[Binding] = [binding]
    for part in binding_atoms(atom):
        found = [extended for one in found for extended in matches(part, one, known)]
    return found


def anyhow(within: Iterable[MetricAtom], binding: Binding, known: FactTimes) -> Iterator[Binding]:
    """Extensions of the binding with every known value for each unbound variable, and with one that is not known."""
    places: dict[str, list[Place]] = {}
    for part in (part for atom in within for part in atoms(atom)):
        for place, arg in enumerate(part.args):
            if isinstance(arg, Var) and arg.name not in binding:
                places.setdefault(arg.name, []).append((part.signature, place))
    names = sorted(places)
    for chosen in product(*([*known.domain(places[name]), SOMEBODY_ELSE] for name in names)):
        yield {**binding, **dict(zip(names, chosen, strict=True))}


def extensions(atom: MetricAtom, binding: Binding, known: FactTimes) -> Iterator[Binding]:
    """All extensions of the binding to all variables of the metric atom for which it may hold."""
    for one in candidates(atom, binding, known):
        yield from anyhow([atom], one, known)


def ground(atom: Atom, binding: Binding) -> Ground:
    """The arguments with variables replaced by values."""
    return tuple(binding[arg.name] if isinstance(arg, Var) else arg for arg in atom.args)
