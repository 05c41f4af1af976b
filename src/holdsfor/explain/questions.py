"""Parses questions such as `rendezVous(v1,v2)=true`, with findings at source positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from holdsfor.columns.dictionary import Dictionary
from holdsfor.compiler.analysis.entities import Entities, EntityKind, Role, Symbol
from holdsfor.compiler.analysis.mixing import TRUE
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import Diagnostic, ProgramError, Severity, Source, Span
from holdsfor.explain.evidence import Evidence
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.ir.metric import Atom
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.durations import durations_in
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, arguments, functor, variables

_CODE = "question"
_MOST_WORDS = 50_000


@dataclass(frozen=True)
class Question:
    """A fluent with a value, or an event if there is no value."""

    text: str
    term: Term
    value: Term | None
    symbol: Symbol

    @property
    def shown(self) -> str:
        """The question as text."""
        return print_term(self.term if self.value is None else Compound("=", (self.term, self.value)))

    def holds(self, evidence: Evidence, at: int) -> bool:
        """Whether it holds or happens at a time-point."""
        if self.value is None:
            return evidence.happens(self.term, at)
        return evidence.holds((self.term, self.value), at)


def problem(source: Source, span: Span | None, message: str, hint: str = "") -> ProgramError:
    """An error in a question, at a position."""
    place = span if span is not None and span.source is source else Span(source, 0, len(source.text))
    return ProgramError([Diagnostic(_CODE, Severity.ERROR, message, place, hint)])


def read_question(text: str, entities: Entities) -> Question:
    """Parses a question about event rules; raises ProgramError if it is invalid."""
    source = Source("<question>", text)
    term, value = _read(source)
    for duration in (*durations_in(term), *(() if value is None else durations_in(value))):
        hint = "write the number of time-points, as results have it"
        raise problem(source, _at(source, duration), f"{print_term(duration)} is a duration of rules", hint)
    known = [entity.symbol for entity in entities]
    symbol, value = _symbol(source, term, value, known, entities)
    _require_ground(source, term, value)
    if value is not None:
        # The values of one fluent may be evaluated separately.
        symbol = entities.pair(term, value)
        entity = entities[symbol]
        alike = [one for one in entities if one.symbol.kind is symbol.kind and one.symbol.signature == symbol.signature]
        known_values = [one for other in alike for one in other.values]
        has_any = any(one.has_variable_value for one in alike) or not all(map(is_ground, known_values))
        if entity.role is not Role.INPUT_FLUENT and not has_any and known_values and value not in known_values:
            values = list(map(print_term, known_values))
            close = suggest(print_term(value), values)
            hint = f"did you mean {close}?" if close else f"its values are {', '.join(values)}"
            message = f"no rule gives {symbol.signature} the value {print_term(value)}"
            raise problem(source, _at(source, value), message, hint)
    return Question(text, term, value, symbol)


def _read(source: Source) -> tuple[Term, Term | None]:
    """The term and the value of a question."""
    parsed = parse(Source(source.name, f"{source.text.rstrip().rstrip('.')} ."))
    if parsed.diagnostics or len(parsed.clauses) != 1 or parsed.clauses[0].body is not None:
        where = parsed.diagnostics[0].span if parsed.diagnostics else None
        at = (
            None
            if where is None
            else Span(source, min(where.start, len(source.text)), min(where.end, len(source.text)))
        )
        what = parsed.diagnostics[0].message if parsed.diagnostics else "this is no question"
        raise problem(source, at, what, "ask about F=V, such as rendezVous(v1,v2)=true")
    head = parsed.clauses[0].head
    assert head is not None
    # The parsed text is the question followed by a full stop, so positions are the same.
    if isinstance(head, Compound) and head.name == "=" and len(head.args) == 2:
        return head.args[0], head.args[1]
    return head, None


def _symbol(
    source: Source, term: Term, value: Term | None, known: Iterable[Symbol], entities: Entities
) -> tuple[Symbol, Term | None]:
    name = functor(term)
    if name is None:
        raise problem(source, _at(source, term), f"{print_term(term)} is not a fluent or an event")
    symbols = list(known)
    kinds = [EntityKind.FLUENT] if value is not None else [EntityKind.FLUENT, EntityKind.EVENT]
    named = [one for one in symbols if one.name == name[0] and one.kind in kinds]
    fitting = [one for one in named if one.arity == name[1]]
    if not fitting:
        raise _unknown(source, term, name, named, symbols)
    chosen = fitting[0]
    if chosen.inner:
        found = _inner(term, fitting, entities)
        if found is None:
            shown = ", ".join(map(str, fitting))
            raise problem(source, _at(source, term), f"the rules only speak of {shown}")
        chosen = found
    if chosen.kind is EntityKind.FLUENT and value is None:
        value = TRUE
    return chosen, value


def _inner(term: Term, fitting: list[Symbol], entities: Entities) -> Symbol | None:
    for symbol in fitting:
        args = arguments(term)
        if all(functor(args[place]) == (name, arity) for place, name, arity in symbol.inner):
            return symbol if symbol in entities.table else None
    return None


def _unknown(
    source: Source, term: Term, name: tuple[str, int], named: list[Symbol], known: list[Symbol]
) -> ProgramError:
    at = _at(source, term)
    if named:
        arities = ", ".join(str(one) for one in named)
        return problem(source, at, f"{name[0]} is not used with {name[1]} arguments", f"the rules speak of {arities}")
    close = suggest(name[0], [one.name for one in known])
    hint = f"did you mean {close}?" if close else f"there are {', '.join(sorted({one.label for one in known})[:10])}"
    narrow = Span(at.source, at.start, at.start + len(name[0])) if at is not None else None
    return problem(source, narrow, f"the rules know nothing that is called {name[0]}", hint)


def _require_ground(source: Source, term: Term, value: Term | None) -> None:
    for part in (term, *(() if value is None else (value,))):
        for variable in variables(part):
            name = "_" if variable.is_anonymous else variable.name
            hint = "names of things begin with a small letter, or stand in quotes: 'V1'"
            raise problem(source, _at(source, variable), f"{name} is a variable; ask about one instance", hint)


def _at(source: Source, term: Term) -> Span | None:
    """The position of a term in the question."""
    if not term.span.source.text:
        return None
    return Span(source, term.span.start, min(term.span.end, len(source.text)))


def read_metric_question(text: str, known: Iterable[tuple[str, int]]) -> Atom:
    """Parses a question about a metric program: `Recent(pump)`."""
    source = Source("<question>", text)
    parsed = parse_metric([Source("<question>", f"{text.strip().rstrip('.')}@0")])
    if parsed.diagnostics or len(parsed.facts) != 1 or parsed.rules:
        found = parsed.diagnostics[0] if parsed.diagnostics else None
        end = len(text)
        at = None if found is None else Span(source, min(found.span.start, end), min(found.span.end, end))
        message = "this is no fact" if found is None else found.message
        raise problem(source, at, message, "ask about a fact, such as Recent(pump)")
    fact = parsed.facts[0]
    signatures = list(known)
    if (fact.predicate, len(fact.args)) not in signatures:
        named = sorted(arity for name, arity in signatures if name == fact.predicate)
        if named:
            message = f"{fact.predicate} is not used with {len(fact.args)} arguments"
            raise problem(source, None, message, f"the rules use it with {', '.join(map(str, named))}")
        names = sorted({name for name, _ in signatures})
        close = suggest(fact.predicate, names)
        hint = f"did you mean {close}?" if close else f"there are {', '.join(names[:10])}"
        at = Span(source, 0, len(fact.predicate))
        raise problem(source, at, f"the rules know nothing that is called {fact.predicate}", hint)
    return Atom(fact.predicate, fact.args)


def strangers(asked: Question, dictionary: Dictionary) -> Iterator[str]:
    """Notes about words of a question that occur in neither input nor facts, with similar known words."""
    for arg in arguments(asked.term):
        for constant in _constants(arg):
            if dictionary.find(constant.value) < 0:
                words = (value for value in dictionary.values if isinstance(value, str))
                close = suggest(str(constant.value), islice(words, _MOST_WORDS))
                hint = f"; did you mean {close}?" if close else ""
                yield f"{print_term(constant)} occurs nowhere in the input{hint}"


def _constants(term: Term) -> Iterator[Const]:
    if isinstance(term, Const):
        yield term
    elif isinstance(term, Compound | ListTerm):
        for part in term.args if isinstance(term, Compound) else term.items:
            yield from _constants(part)
