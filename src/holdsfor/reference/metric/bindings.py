"""Finds values for the variables of a rule by matching atoms with all known facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TypeAlias

from holdsfor.ir.metric import Atom, Binary, MetricAtom, Truth, Unary
from holdsfor.reference.metric.needs import Signature
from holdsfor.reference.metric.times import Times
from holdsfor.syntax.terms import Const, Var

Binding: TypeAlias = Mapping[str, Const]
FactTimes: TypeAlias = dict[Signature, dict[tuple[Const, ...], Times]]
"""The times at which each ground atom holds."""

SOMEBODY_ELSE = Const("\0")
"""Represents all values that occur in no fact."""


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
    for values in known.get(atom.signature, {}):
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


def anyhow(names: Iterable[str], binding: Binding, known: FactTimes) -> Iterator[Binding]:
    """Extensions of the binding with every known value for each unbound name."""
    free = sorted(set(names) - set(binding))
    values = sorted({value for table in known.values() for args in table for value in args} | {SOMEBODY_ELSE}, key=repr)
    for chosen in product(values, repeat=len(free)):
        yield {**binding, **dict(zip(free, chosen, strict=True))}


def ground(atom: Atom, binding: Binding) -> tuple[Const, ...]:
    """The arguments with variables replaced by values."""
    return tuple(binding[arg.name] if isinstance(arg, Var) else arg for arg in atom.args)
