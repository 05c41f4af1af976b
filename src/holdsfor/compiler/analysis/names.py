"""Finds unknown predicates, or predicates with other arguments (HF101, HF102, HF105, HF110, HF307).

This check comes first: a rule with an unknown predicate is not analysed further.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from holdsfor import ir
from holdsfor.compiler.analysis.places import head_span, other_name, span_of
from holdsfor.compiler.analysis.similar import Similar, suggest
from holdsfor.compiler.analysis.unread import names_in_span, unread_names
from holdsfor.diagnostics import Diagnostic, Fix, Severity
from holdsfor.ir.calendar import CONDITIONS as CALENDAR
from holdsfor.ir.sliding import TOP, TOP_USAGE
from holdsfor.logic.library import LIBRARY
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term, arguments, functor

Predicate = tuple[str, int]

HEADS: dict[str, tuple[int, ...]] = {
    "initiatedAt": (2, 4),
    "terminatedAt": (2, 4),
    "initiates": (3,),
    "terminates": (3,),
    "initially": (1,),
    "holdsFor": (2,),
    "happensAt": (2,),
    "fi": (3,),
    "ft": (2,),
    "p": (1,),
    **{kind.value: (1, 2) for kind in ir.DeclarationKind if kind is not ir.DeclarationKind.DIRECTIVE},
}
DELAYED = ("fi", "ft", "p")
TAKES: dict[str, tuple[int, ...]] = {
    "happensAt": (2,),
    "holdsAt": (2,),
    "holdsFor": (2,),
    "initiatedAt": (2, 4),
    "terminatedAt": (2, 4),
    "findall": (3,),
    "union_all": (2,),
    "intersect_all": (2,),
    "relative_complement_all": (3,),
    "complement_all": (2,),
    "seq": (3,),
    "allen": (5,),
}
"""The condition keywords of the language with the numbers of their arguments."""
CONDITIONS = (
    *TAKES,
    "intDurGreater",
    "intDurLess",
    *(operator.value for operator in ir.METRIC),
    *(relation.value for relation in ir.AllenRelation),
)

INTERVALS = frozenset(
    {
        *((operator.value, 3) for operator in ir.DURATIONS),
        *((operator.value, lists + 2) for operator, lists in ir.METRIC.items()),
        *((one.value, 4) for one in ir.AllenRelation),
    }
)
"""Conditions on interval lists that a program may also define itself."""


class Names:
    """The predicates of a program as written, and the problems with their names."""

    def __init__(self, program: ir.Program) -> None:
        self._program = program
        self._defined = defined_predicates(program)
        self._calls = [
            (rule, literal, name)
            for rule in program.rules
            for literal in ir.walk(rule.body)
            if isinstance(literal, ir.Call) and (name := functor(literal.atom)) is not None
        ]
        self._called = {name for rule, _, name in self._calls if _head(rule) != name}
        self._needed = _needed(self._calls)
        self._lacks_files = any(finding.code == "HF006" for finding in program.diagnostics)
        heads = [(rule, self._head_finding(rule)) for rule in program.background]
        self._wrong_heads = {id(rule): finding for rule, finding in heads if finding is not None}
        self.unread = unread_names(program).union(
            *(names_in_span(rule.span) for rule in program.background if id(rule) in self._wrong_heads)
        )

    def findings(self) -> Iterator[Diagnostic]:
        """Reports unknown predicates and misleading heads."""
        yield from self._wrong_heads.values()
        for rule, literal, name in self._calls:
            # A file that could not be loaded may define anything.
            if self._is_unknown(name) and name[0] not in self.unread and not self._lacks_files:
                found = self._unknown(name, literal)
                yield found if self._is_needed(rule) else replace(found, severity=Severity.WARNING)
        for rule in self._program.background:
            if _is_temporal(rule) and id(rule) not in self._wrong_heads and _head(rule) not in self._called:
                yield _unused(rule)

    def calls_unknown(self, rule: ir.Rule) -> bool:
        """Whether a rule calls a predicate that does not exist."""
        calls = (literal for literal in ir.walk(rule.body) if isinstance(literal, ir.Call))
        return any(self._is_unknown(name) for literal in calls if (name := functor(literal.atom)) is not None)

    def _is_needed(self, rule: ir.Rule) -> bool:
        """Whether an event or a fluent may depend on a rule. Many files contain helpers for other programs."""
        return not isinstance(rule, ir.BackgroundRule) or _head(rule) in self._needed

    def _is_unknown(self, name: Predicate) -> bool:
        return name not in self._defined and name not in LIBRARY

    def _unknown(self, name: Predicate, literal: ir.Call) -> Diagnostic:
        arities = sorted(
            arity for other, arity in (*self._defined, *LIBRARY, *INTERVALS, *CALENDAR) if other == name[0]
        )
        if arities:
            wanted = " or ".join(str(arity) for arity in arities)
            message = f"{name[0]} takes {wanted} argument{'' if wanted == '1' else 's'}, not {name[1]}"
            return Diagnostic("HF102", Severity.ERROR, message, literal.span, f"there is only {name[0]}/{wanted}")
        if name[0] == TOP[0] and name not in self._events | self._fluents:
            message = f"top takes {TOP[1]} arguments, not {name[1]}"
            return Diagnostic("HF102", Severity.ERROR, message, literal.span, f"write {TOP_USAGE}")
        message = f"unknown predicate {name[0]}/{name[1]}"
        hint, fix = self._advice(name, literal)
        return Diagnostic("HF101", Severity.ERROR, message, literal.span, hint, fix=fix)

    def _advice(self, name: Predicate, literal: ir.Call) -> tuple[str, Fix | None]:
        shown = print_term(literal.atom)
        if name in self._events:
            return f"it is an event: write happensAt({shown}, T)", None
        if name in self._fluents:
            return f"it is a fluent: write holdsAt({shown}=true, T), or the value you mean", None
        close = self._similar.to(name[0])
        if close is None:
            return f"add facts for {name[0]}/{name[1]}, or load the file with them", None
        is_fitting = (close, name[1]) in self._defined | LIBRARY.keys() | INTERVALS | CALENDAR.keys() or name[
            1
        ] in TAKES.get(close, ())
        return f"did you mean {close}?", other_name(literal.span, close) if is_fitting else None

    def _head_finding(self, rule: ir.BackgroundRule) -> Diagnostic | None:
        """Reports a rule that looks like `initiatedAt` but would silently become background knowledge."""
        name = functor(rule.head)
        if name is None or name in self._called:
            return None
        first = next(iter(arguments(rule.head)), None)
        if name[0] in DELAYED and first is not None and functor(first) in self._fluents:
            message = "expected a fluent with its value"
            hint = f"write {print_term(first)}=true, or the value you mean"
            return Diagnostic("HF110", Severity.ERROR, message, span_of(first, rule.span), hint)
        if name[0] in HEADS or not (_is_temporal(rule) or any(_is_pair(arg) for arg in arguments(rule.head))):
            return None
        close = suggest(name[0], [head for head, arities in HEADS.items() if name[1] in arities], cutoff=0.75)
        if close is None:
            return None
        message = f"nothing uses {name[0]}/{name[1]}, and it looks like {close}"
        place = head_span(rule)
        fix = other_name(place, close)
        return Diagnostic("HF105", Severity.ERROR, message, place, f"did you mean {close}?", fix=fix)

    @cached_property
    def _similar(self) -> Similar:
        return Similar(
            [
                *CONDITIONS,
                *(name for name, _ in self._defined),
                *(name for name, _ in LIBRARY),
                *(name for name, _ in CALENDAR),
            ]
        )

    @cached_property
    def _events(self) -> set[Predicate | None]:
        used = (lit.event for rule in self._program.rules for lit in ir.walk(rule.body) if isinstance(lit, ir.Happens))
        return {functor(event) for event in (*used, *(rule.event for rule in self._program.events))}

    @cached_property
    def _fluents(self) -> set[Predicate | None]:
        return {functor(fluent) for rule in self._program.rules for fluent in _fluents_of(rule)}


def _needed(calls: Iterable[tuple[ir.Rule, ir.Call, Predicate]]) -> set[Predicate]:
    """The predicates that temporal rules call, directly or through others."""
    called: dict[Predicate | None, set[Predicate]] = {}
    for rule, _, name in calls:
        called.setdefault(_head(rule), set()).add(name)
    found: set[Predicate] = set()
    ahead = list(called.get(None, ()))
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += called.get(name, ())
    return found


def _fluents_of(rule: ir.Rule) -> Iterable[Term]:
    match rule:
        case ir.EffectRule(fvp=fvp) | ir.InitiallyRule(fvp=fvp) | ir.IntervalRule(fvp=fvp):
            yield fvp.fluent
        case ir.DelayRule(trigger=trigger):
            yield trigger.fluent
    for literal in ir.walk(rule.body):
        if isinstance(literal, ir.Boundary | ir.Holds | ir.Effect | ir.Intervals):
            yield literal.fvp.fluent


def _head(rule: ir.Rule) -> Predicate | None:
    return functor(rule.head) if isinstance(rule, ir.BackgroundRule) else None


def _is_pair(term: Term) -> bool:
    return isinstance(term, Compound) and term.name == "="


def _is_temporal(rule: ir.BackgroundRule) -> bool:
    return any(
        isinstance(lit, ir.Happens | ir.Boundary | ir.Holds | ir.Effect | ir.Intervals | ir.Algebra)
        for lit in ir.walk(rule.body)
    )


def _unused(rule: ir.BackgroundRule) -> Diagnostic:
    name = functor(rule.head)
    assert name is not None
    message = f"nothing uses {name[0]}/{name[1]}, so this rule has no effect"
    hint = "call it in another rule, or define an event or a fluent with it"
    return Diagnostic("HF307", Severity.WARNING, message, head_span(rule), hint)


def defined_predicates(program: ir.Program) -> set[Predicate]:
    """The predicates that a program has facts or rules for, or declares."""
    found = {name for rule in program.background if (name := functor(rule.head)) is not None}
    for declaration in program.declarations:
        if declaration.kind is ir.DeclarationKind.DYNAMIC_DOMAIN:
            found |= {name for arg in declaration.args if (name := functor(arg)) is not None}
        if declaration.kind is ir.DeclarationKind.DIRECTIVE:
            found |= {indicator for arg in declaration.args for indicator in _declared_dynamic(arg)}
    return found


def _declared_dynamic(term: Term) -> Iterator[Predicate]:
    """`name/arity` indicators in a directive: predicates that may have no facts."""
    if not isinstance(term, Compound):
        return
    if term.name == "/" and len(term.args) == 2:
        name, arity = (getattr(arg, "value", None) for arg in term.args)
        if isinstance(name, str) and isinstance(arity, int):
            yield name, arity
        return
    for arg in term.args:
        yield from _declared_dynamic(arg)
