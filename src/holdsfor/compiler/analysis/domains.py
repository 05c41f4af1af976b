"""Finds which input records fill which relations (`dynamicDomain`).

`grounding(dial(P,Q)) :- phone(P), pair(P,Q)`, where `dial` is input, means that every record of `dial` puts P into
`phone` and (P,Q) into `pair`. The other conditions of the body are irrelevant here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.compiler.analysis.entities import Entities, Role, Symbol
from holdsfor.compiler.background import Background
from holdsfor.ir import Call, Declaration, DeclarationKind, Program
from holdsfor.logic.unify import resolve, unify
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Term, functor, variables


@record
class Filling:
    """Records that match `pattern`, an event or `F=V`, put instances of `atoms` into domains."""

    symbol: Symbol
    pattern: Term
    atoms: tuple[Term, ...]
    declaration: Declaration

    def facts(self, record: Term) -> Iterator[Term]:
        """The facts that a record puts into domains."""
        found = unify(self.pattern, record, {})
        if found is not None:
            yield from (resolve(atom, found) for atom in self.atoms)


def fillings(program: Program, entities: Entities, background: Background) -> tuple[Filling, ...]:
    """All fillings of domains."""
    return tuple(_fillings(program.declarations, entities, background)) if background.domains else ()


def _fillings(declarations: Iterable[Declaration], entities: Entities, background: Background) -> Iterator[Filling]:
    for declaration in declarations:
        symbol = input_of(declaration, entities)
        if symbol is None:
            continue
        pattern = declaration.args[0]
        calls = (literal.atom for literal in declaration.body if isinstance(literal, Call))
        atoms = [atom for atom in calls if functor(atom) in background.domains]
        inside = set(variables(pattern))
        complete = tuple(atom for atom in atoms if inside.issuperset(variables(atom)))
        if complete:
            yield Filling(symbol, pattern, complete, declaration)


def input_of(declaration: Declaration, entities: Entities) -> Symbol | None:
    """The input event or fluent of a grounding; None if the grounding is not about input."""
    if declaration.kind is not DeclarationKind.GROUNDING or not declaration.args:
        return None
    pattern = declaration.args[0]
    is_pair = isinstance(pattern, Compound) and pattern.name == "=" and functor(pattern.args[0]) is not None
    if not is_pair and functor(pattern) is None:
        return None
    symbol = entities.pair(*pattern.args) if is_pair and isinstance(pattern, Compound) else entities.event(pattern)
    if symbol not in entities.table:
        return None
    return symbol if entities[symbol].role in (Role.INPUT_EVENT, Role.INPUT_FLUENT) else None
