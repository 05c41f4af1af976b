"""Describes the inputs of rules: names, numbers of arguments, and the names of the arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from holdsfor.compiler.analysis.entities import Entities, EntityKind, Role
from holdsfor.compiler.metric.checks.uses import body_atoms
from holdsfor.io.mapmaking.words import kinship
from holdsfor.ir import Boundary, Effect, Happens, Holds, Intervals, Literal
from holdsfor.ir.metric import MetricProgram
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, Var, arguments


@dataclass(frozen=True)
class RequiredInput:
    """An event, an input fluent or a predicate that rules read."""

    kind: EntityKind
    name: str
    arguments: tuple[tuple[str, ...], ...]
    """The variables at each argument."""
    values: tuple[str, ...] = ()
    """The values of a fluent that the rules mention."""

    def __str__(self) -> str:
        return f"{self.name}/{len(self.arguments)}"


def wanted_inputs(entities: Entities) -> list[RequiredInput]:
    """The events and input fluents of a program, in rule order. Rows cannot contain nested terms."""
    found = []
    for entity in entities:
        symbol = entity.symbol
        if symbol.inner or entity.role not in (Role.INPUT_EVENT, Role.INPUT_FLUENT):
            continue
        terms = [term for use in entity.uses for term in _terms(use)]
        names = _variables((arguments(term) for term in terms), symbol.arity)
        values = tuple(dict.fromkeys(print_term(value) for value in entity.values))
        found.append(RequiredInput(symbol.kind, symbol.name, names, values))
    return found


def metric_inputs(program: MetricProgram) -> list[RequiredInput]:
    """The predicates that metric rules read and do not derive."""
    derived = {rule.head.signature for rule in program.rules}
    uses: dict[tuple[str, int], list[Sequence[Term]]] = {}
    for rule in program.rules:
        for one in body_atoms(rule):
            if one.signature not in derived:
                uses.setdefault(one.signature, []).append(one.args)
    return [RequiredInput(EntityKind.EVENT, name, _variables(listed, arity)) for (name, arity), listed in uses.items()]


def matched(values: Iterable[str], wanted: Sequence[RequiredInput]) -> dict[str, RequiredInput]:
    """Assigns rule inputs to the values of a column, most similar pairs first."""
    pairs = [(kinship(one.name, value), -place, value, one) for value in values for place, one in enumerate(wanted)]
    found: dict[str, RequiredInput] = {}
    for likeness, _, value, one in sorted(pairs, key=lambda pair: pair[:3], reverse=True):
        if likeness and value not in found and one not in found.values():
            found[value] = one
    return found


def _terms(use: Literal) -> Iterator[Term]:
    match use:
        case Happens(event=event):
            yield event
        case Boundary(fvp=fvp) | Holds(fvp=fvp) | Effect(fvp=fvp) | Intervals(fvp=fvp):
            yield fvp.fluent
        case _:
            pass


def _variables(uses: Iterable[Sequence[Term]], arity: int) -> tuple[tuple[str, ...], ...]:
    found: list[dict[str, None]] = [{} for _ in range(arity)]
    for args in uses:
        for place, arg in enumerate(args[:arity]):
            if isinstance(arg, Var) and not arg.is_anonymous and arg.written.strip("_"):
                found[place][arg.written] = None
    return tuple(map(tuple, found))
