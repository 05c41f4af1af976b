"""Finds the names in rules with their positions, for definitions, renaming and hovering."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from holdsfor.compiler.analysis.places import name_span
from holdsfor.diagnostics import Source, Span
from holdsfor.frontend.dmtl.reader import parse_source
from holdsfor.frontend.rtec.bodies import COMPARISONS
from holdsfor.ir.metric import Aggregate, Atom, Comparison, Condition, MetricFact, MetricRule, atoms
from holdsfor.ir.sliding import SLIDING_NAMES, TOP, sliding_calls
from holdsfor.syntax.parser import parse
from holdsfor.syntax.terms import Clause, Compound, Const, Term, arguments, conjuncts, functor, variables


class NameKind(StrEnum):
    """The kind of symbol that a name denotes."""

    EVENT = "event"
    FLUENT = "fluent"
    BACKGROUND = "background predicate"
    PREDICATE = "metric predicate"
    WORD = "word of the language"
    VARIABLE = "variable"


@dataclass(frozen=True)
class Occurrence:
    """A name at a position. Variables are identified by clause (`scope`), others by name and arity."""

    kind: NameKind
    name: str
    arity: int
    span: Span
    is_definition: bool = False
    scope: int = -1
    args: tuple[Term, ...] = field(default=(), compare=False, repr=False)

    def same(self, other: Occurrence) -> bool:
        """Whether both denote the same symbol."""
        mine, others = ((one.kind, one.name, one.arity, one.scope) for one in (self, other))
        in_one_file = self.span.source.name == other.span.source.name
        return mine == others and (self.kind is not NameKind.VARIABLE or in_one_file)


_HEADS = frozenset({"initiatedAt", "terminatedAt", "initially", "holdsFor", "happensAt", "initiates", "terminates"})
_PAIRS = _HEADS - {"happensAt"} | {"holdsAt", "start", "end", "p", "fi", "ft"}
_OF_EVENTS = frozenset({"happensAt", "initiates", "terminates"})
_GOALS = frozenset({"\\+", ",", ";", "->", "findall", "not"})
_INNER = frozenset({"start", "end"})
WORDS = {
    **dict.fromkeys(["union_all", "intersect_all", "relative_complement_all", "complement_all"], "algebra"),
    **dict.fromkeys(["seq", "allen", "intDurGreater", "intDurLess", "intDurAtLeast", "intDurAtMost"], "algebra"),
    **dict.fromkeys(["diamond_minus", "box_minus", "diamond_plus", "box_plus", "since", "until"], "algebra"),
    **dict.fromkeys(sorted(SLIDING_NAMES), "aggregate"),
    **dict.fromkeys(["is", "findall", "\\+", "="], "logic"),
}
"""Keywords of the language, which are not user-defined names."""


def occurrences(source: Source, *, is_metric: bool) -> list[Occurrence]:
    """All names in a text, in reading order."""
    found = _metric(source) if is_metric else _rtec(source)
    return sorted(found, key=lambda one: (one.span.start, one.span.end))


def _rtec(source: Source) -> Iterator[Occurrence]:
    clauses = parse(source).clauses
    own = frozenset({TOP}) & {functor(clause.head) for clause in clauses if clause.head is not None}
    for number, clause in enumerate(clauses):
        if clause.head is None:
            yield from _directive(clause)
            continue
        yield from _variables(clause, number)
        yield from _head(clause.head)
        for goal in conjuncts(clause.body):
            yield from _goal(goal, own)


def _directive(clause: Clause) -> Iterator[Occurrence]:
    """The keywords of a directive, whose arguments are not names of the program."""
    for goal in conjuncts(clause.body):
        if isinstance(goal, Compound) and goal.name.isidentifier():
            yield _named(NameKind.WORD, goal, goal.name, len(goal.args))


def _variables(clause: Clause, number: int) -> Iterator[Occurrence]:
    for term in (clause.head, clause.body):
        if term is not None:
            for var in variables(term):
                if not var.is_anonymous:
                    yield Occurrence(NameKind.VARIABLE, var.name, 0, var.span, scope=number)


def _head(head: Term) -> Iterator[Occurrence]:
    signature = functor(head)
    if signature is None:
        return
    name, arity = signature
    if name in _HEADS or name in {"fi", "ft", "p"}:
        yield from _known(head, name, is_definition=name not in {"fi", "ft", "p"})
    else:
        yield _named(NameKind.BACKGROUND, head, name, arity, is_definition=True)


def _goal(goal: Term, own: frozenset[tuple[str, int]]) -> Iterator[Occurrence]:
    """The names in a condition; `own` are keywords that the program defines itself."""
    if not isinstance(goal, Compound | Const):
        return
    signature = functor(goal)
    if signature is None:
        return
    name, arity = signature
    args = goal.args if isinstance(goal, Compound) else ()
    if name in WORDS and goal.span.text.startswith(f"{name}("):
        yield _named(NameKind.WORD, goal, name, arity)
    if name in _GOALS:
        for inner in args:
            for one in conjuncts(inner):
                yield from _goal(one, own)
    elif name == "is" or name in COMPARISONS:
        for call in (found for arg in args for found in sliding_calls(arg)):
            yield from _of_event(call, max(0, len(call.args) - 3))
    elif signature == TOP and TOP not in own:
        yield from _of_event(goal, 2)
    elif name == "happensAt" or name in _PAIRS:
        yield from _known(goal, name, is_definition=False)
    elif name.isidentifier() and name not in WORDS:
        yield _named(NameKind.BACKGROUND, goal, name, arity)


def _known(term: Term, name: str, *, is_definition: bool) -> Iterator[Occurrence]:
    """A predicate of the language, with the events and fluents in its arguments."""
    args = term.args if isinstance(term, Compound) else ()
    yield _named(NameKind.WORD, term, name, len(args))
    if name in _OF_EVENTS and args:
        yield from _event(args[0], is_definition=is_definition and name == "happensAt")
    for arg in args:
        if isinstance(arg, Compound) and arg.name == "=" and len(arg.args) == 2:
            fluent = functor(arg.args[0])
            if fluent is not None:
                yield _named(NameKind.FLUENT, arg.args[0], *fluent, is_definition=is_definition)


def _of_event(call: Term, place: int) -> Iterator[Occurrence]:
    """A sliding aggregate, with its event."""
    args = arguments(call)
    name = functor(call)
    assert name is not None
    yield _named(NameKind.WORD, call, *name)
    yield from _event(args[place], is_definition=False) if args else ()


def _event(term: Term, *, is_definition: bool) -> Iterator[Occurrence]:
    inner = functor(term)
    if inner is not None and inner[0] in _INNER and inner[1] == 1:
        yield from _known(term, inner[0], is_definition=False)
    elif inner is not None:
        yield _named(NameKind.EVENT, term, *inner, is_definition=is_definition)


def _named(kind: NameKind, term: Term, name: str, arity: int, *, is_definition: bool = False) -> Occurrence:
    """The name of a term, which precedes its arguments and may be in quotes."""
    written = name_span(term.span) or Span(term.span.source, term.span.start, term.span.start + len(name))
    return Occurrence(kind, name, arity, written, is_definition, args=arguments(term))


def _metric(source: Source) -> Iterator[Occurrence]:
    for number, statement in enumerate(parse_source(source).statements):
        if isinstance(statement, MetricFact):
            yield _predicate(statement.predicate, statement.args, statement.span, is_definition=True)
            continue
        yield from _metric_rule(statement, number)


def _metric_rule(rule: MetricRule, number: int) -> Iterator[Occurrence]:
    yield from _atom(rule.head, number, is_definition=True)
    for literal in rule.body:
        match literal:
            case Condition(atom=atom) | Aggregate(atom=atom):
                for inner in atoms(atom):
                    yield from _atom(inner, number)
            case Comparison(left=left, right=right):
                yield from _terms((left, right), number)
        if isinstance(literal, Aggregate):
            yield from _terms((literal.result, *literal.terms), number)


def _atom(atom: Atom, number: int, *, is_definition: bool = False) -> Iterator[Occurrence]:
    yield _predicate(atom.predicate, atom.args, atom.span, is_definition=is_definition)
    yield from _terms(atom.args, number)


def _terms(terms: Iterable[Term], number: int) -> Iterator[Occurrence]:
    for term in terms:
        for var in variables(term):
            if not var.is_anonymous:
                yield Occurrence(NameKind.VARIABLE, var.name, 0, var.span, scope=number)


def _predicate(name: str, args: Sequence[Term], span: Span, *, is_definition: bool = False) -> Occurrence:
    begins = Span(span.source, span.start, span.start + len(name))
    return Occurrence(NameKind.PREDICATE, name, len(args), begins, is_definition, args=tuple(args))
