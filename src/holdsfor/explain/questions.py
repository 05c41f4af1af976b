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
_MOST_NAMES = 10


@dataclass(frozen=True)
class Question:
    """A fluent with a value, or an event if there is no value."""

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


def read_question(text: str, entities: Entities) -> Question:
    """Parses a question about event rules; raises ProgramError if it is invalid."""
    source = Source("<question>", text)
    term, value = _read(source)
    parts = (term,) if value is None else (term, value)
    for duration in (one for part in parts for one in durations_in(part)):
        hint = "write the number of time-points, as results have it"
        raise _problem(source, duration, f"{print_term(duration)} is a duration of rules", hint)
    symbol = _symbol(source, term, value, entities)
    if symbol.kind is EntityKind.FLUENT and value is None:
        value = TRUE
    for variable in (one for part in parts for one in variables(part)):
        name = "_" if variable.is_anonymous else variable.name
        hint = "names begin with a small letter, or stand in quotes: 'V1'"
        raise _problem(source, variable, f"{name} is a variable; ask about one instance", hint)
    if value is not None:
        # The values of one fluent may be evaluated separately.
        symbol = entities.pair(term, value)
        alike = [one for one in entities if one.symbol.kind is symbol.kind and one.symbol.signature == symbol.signature]
        known = [one for other in alike for one in other.values]
        has_any = any(one.has_variable_value for one in alike) or not all(map(is_ground, known))
        is_input = entities[symbol].role is Role.INPUT_FLUENT
        if known and value not in known and not has_any and not is_input:
            values = list(map(print_term, known))
            hint = _hint(print_term(value), values, f"its values are {', '.join(values)}")
            raise _problem(source, value, f"no rule gives {symbol.signature} the value {print_term(value)}", hint)
    return Question(term, value, symbol)


def _read(source: Source) -> tuple[Term, Term | None]:
    """The term and the value of a question."""
    # The parsed text is the question followed by a full stop, so positions are the same.
    parsed = parse(Source(source.name, f"{source.text.rstrip().rstrip('.')} ."))
    found = parsed.diagnostics[0] if parsed.diagnostics else None
    if found is not None or len(parsed.clauses) != 1 or parsed.clauses[0].body is not None:
        what, at = ("this is no question", None) if found is None else (found.message, found.span)
        raise _problem(source, at, what, "ask about F=V, such as rendezVous(v1,v2)=true")
    head = parsed.clauses[0].head
    assert head is not None
    if isinstance(head, Compound) and head.name == "=" and len(head.args) == 2:
        return head.args[0], head.args[1]
    return head, None


def _symbol(source: Source, term: Term, value: Term | None, entities: Entities) -> Symbol:
    name = functor(term)
    if name is None:
        raise _problem(source, term, f"{print_term(term)} is not a fluent or an event")
    symbols = [entity.symbol for entity in entities]
    kinds = [EntityKind.FLUENT] if value is not None else [EntityKind.FLUENT, EntityKind.EVENT]
    named = [one for one in symbols if one.name == name[0] and one.kind in kinds]
    fitting = [one for one in named if one.arity == name[1]]
    if not fitting:
        speak = f"the rules speak of {', '.join(map(str, named))}" if named else ""
        labels = sorted({one.label for one in symbols})
        raise _unknown(source, term, name, speak, [one.name for one in symbols], labels)
    if not fitting[0].inner:
        return fitting[0]
    args = arguments(term)
    for one in fitting:
        if all(functor(args[place]) == (inner, arity) for place, inner, arity in one.inner) and one in entities.table:
            return one
    raise _problem(source, term, f"the rules only speak of {', '.join(map(str, fitting))}")


def read_metric_question(text: str, known: Iterable[tuple[str, int]]) -> Atom:
    """Parses a question about a metric program: `Recent(pump)`."""
    source = Source("<question>", text)
    parsed = parse_metric([Source("<question>", f"{text.strip().rstrip('.')}@0")])
    if parsed.diagnostics or len(parsed.facts) != 1 or parsed.rules:
        found = parsed.diagnostics[0] if parsed.diagnostics else None
        message, at = ("this is no fact", None) if found is None else (found.message, found.span)
        raise _problem(source, at, message, "ask about a fact, such as Recent(pump)")
    (fact,) = parsed.facts
    atom, signatures = Atom(fact.predicate, fact.args), list(known)
    if atom.signature not in signatures:
        arities = sorted(arity for name, arity in signatures if name == fact.predicate)
        use = f"the rules use it with {', '.join(map(str, arities))}" if arities else ""
        names = sorted({name for name, _ in signatures})
        raise _unknown(source, None if use else Span(source, 0, 0), atom.signature, use, names, names)
    return atom


def _unknown(
    source: Source, at: Term | Span | None, name: tuple[str, int], use: str, names: list[str], labels: list[str]
) -> ProgramError:
    """An error about a name that the rules do not know, or use in another way."""
    if use:
        return _problem(source, at, f"{name[0]} is not used with {name[1]} arguments", use)
    place = _place(source, at)
    hint = _hint(name[0], names, f"there are {', '.join(labels[:_MOST_NAMES])}")
    narrow = None if place is None else Span(source, place.start, place.start + len(name[0]))
    return _problem(source, narrow, f"the rules know nothing that is called {name[0]}", hint)


def _hint(word: str, known: Iterable[str], otherwise: str) -> str:
    close = suggest(word, known)
    return f"did you mean {close}?" if close else otherwise


def _problem(source: Source, at: Term | Span | None, message: str, hint: str = "") -> ProgramError:
    """An error in a question, at a position."""
    place = _place(source, at) or Span(source, 0, len(source.text))
    return ProgramError([Diagnostic(_CODE, Severity.ERROR, message, place, hint)])


def _place(source: Source, at: Term | Span | None) -> Span | None:
    """A position in the question; None if it is unknown."""
    span = at if isinstance(at, Span) or at is None else at.span
    if span is None or not span.source.text:
        return None
    return Span(source, *(min(end, len(source.text)) for end in (span.start, span.end)))


def strangers(question: Question, dictionary: Dictionary) -> Iterator[str]:
    """Notes about words of a question that occur in neither input nor facts, with similar known words."""
    for arg in arguments(question.term):
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
