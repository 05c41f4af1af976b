"""Finds redundant rules: another rule fires whenever they do (HF305)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.places import head_span
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity
from holdsfor.logic.unify import Bindings, is_ground, resolve, unify
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var

MAX_RULES = 50
"""Fluents with more rules are not compared pairwise."""

_Fires = ir.EffectRule | ir.EventRule


def check_redundancy(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds effect and event rules for which a more general rule exists."""
    for entity in analysis.entities:
        rules = [rule for rule in entity.rules if isinstance(rule, _Fires) and id(rule) not in analysis.skipped]
        if not 1 < len(rules) <= MAX_RULES:
            continue
        covered: set[int] = set()
        for general, special in permutations(rules, 2):
            # Two rules that cover each other are duplicates, which are reported as such.
            if id(special) in covered or not covers(general, special) or covers(special, general):
                continue
            covered.add(id(special))
            labels = (RelatedSpan(head_span(general), "fires at least as often"),)
            message = "this rule adds nothing: another one fires whenever it does"
            hint = "remove it, or give the other rule the condition that it lacks"
            yield Diagnostic("HF305", Severity.WARNING, message, head_span(special), hint, labels)


def covers(general: _Fires, special: _Fires) -> bool:
    """Whether a rule has the same head as another one and only conditions that the other has too."""
    if type(general) is not type(special) or getattr(general, "kind", None) is not getattr(special, "kind", None):
        return False
    wanted = [_encoded(literal) for literal in general.body]
    given = [_frozen(term) for literal in special.body if (term := _encoded(literal)) is not None]
    if any(term is None for term in wanted) or len(general.body) > len(special.body):
        return False
    apart: Bindings = {variable.name: Var(f"{variable.name}~") for variable in ir.rule_variables(general)}
    bindings: Bindings | None = {}
    for one, two in zip(ir.head_terms(general), ir.head_terms(special), strict=True):
        bindings = None if bindings is None else unify(resolve(one, apart), _frozen(two), bindings)
    if bindings is None:
        return False
    # Negations come last: their open variables then range over everything, not over names in the other rule.
    terms = sorted((resolve(term, apart) for term in wanted if term is not None), key=_is_negation)
    return _matches(terms, given, bindings)


def _matches(wanted: list[Term], given: list[Term], bindings: Bindings) -> bool:
    if not wanted:
        return True
    first, rest = resolve(wanted[0], bindings), wanted[1:]
    if _is_negation(first) and not is_ground(first):
        return False
    found = (unify(first, candidate, bindings) for candidate in given)
    return any(_matches(rest, given, extended) for extended in found if extended is not None)


def _is_negation(term: Term) -> bool:
    return isinstance(term, Compound) and term.name == "Not"


def _encoded(literal: ir.Literal) -> Term | None:
    """A simple condition as a term; None for any other condition."""
    match literal:
        case ir.Happens() | ir.Holds() | ir.Call():
            return Compound(type(literal).__name__, ir.literal_terms(literal))
        case ir.Boundary(edge=word) | ir.Effect(kind=word) | ir.Compare(operator=word):
            return Compound(type(literal).__name__, (Const(str(word)), *ir.literal_terms(literal)))
        case ir.Not(body=(inner,)):
            term = _encoded(inner)
            return None if term is None else Compound("Not", (term,))
        case _:
            return None


def _frozen(term: Term) -> Term:
    """A term whose variables match only themselves."""
    match term:
        case Var(name=name):
            return Const(f"\0{name}")
        case Compound(name=name, args=args):
            return Compound(name, tuple(_frozen(arg) for arg in args))
        case ListTerm(items=items, tail=tail):
            return ListTerm(tuple(_frozen(item) for item in items), None if tail is None else _frozen(tail))
        case _:
            return term
