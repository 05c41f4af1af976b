"""Determines the role of each word of a rule file, for semantic colouring in editors."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from holdsfor.diagnostics import Source
from holdsfor.editing.lexers import MetricLexer, RulesLexer
from holdsfor.editing.occurrences import NameKind, Occurrence
from holdsfor.editing.project import Document
from holdsfor.syntax.parser import parse
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var


class WordRole(StrEnum):
    """The role of a word, with the names of the Language Server Protocol."""

    EVENT = "event"
    FLUENT = "property"
    VALUE = "enumMember"
    BACKGROUND = "function"
    VARIABLE = "variable"
    KEYWORD = "keyword"
    OPERATOR = "operator"
    NUMBER = "number"
    TEXT = "string"
    COMMENT = "comment"


class Modifier(StrEnum):
    """A modifier of a role; `time` is specific to this server, for variables of time-points."""

    DEFINITION = "definition"
    TIME = "time"


class Coloured(NamedTuple):
    """A word on one line, by its offsets in the text."""

    start: int
    end: int
    role: WordRole
    modifiers: tuple[Modifier, ...] = ()


_OF_NAMES = {
    NameKind.EVENT: WordRole.EVENT,
    NameKind.FLUENT: WordRole.FLUENT,
    NameKind.BACKGROUND: WordRole.BACKGROUND,
    NameKind.PREDICATE: WordRole.FLUENT,
    NameKind.WORD: WordRole.KEYWORD,
    NameKind.VARIABLE: WordRole.VARIABLE,
}
_OF_SPELLING = (
    (Comment, WordRole.COMMENT),
    (String, WordRole.TEXT),
    (Number, WordRole.NUMBER),
    (Operator, WordRole.OPERATOR),
    (Keyword, WordRole.KEYWORD),
    (Name.Variable, WordRole.VARIABLE),
)
_TIMED = {
    "happensAt": (1,),
    "holdsAt": (1,),
    "initiatedAt": (1, 2, 3),
    "terminatedAt": (1, 2, 3),
    "initiates": (2,),
    "terminates": (2,),
}
"""Which arguments are time-points."""
_OF_PAIRS = frozenset({"holdsAt", "holdsFor", "initially", "start", "end", "fi", "ft", "p", *_TIMED})
_SEVERAL_LINES = (WordRole.COMMENT, WordRole.TEXT)


def coloured(document: Document) -> list[Coloured]:
    """The words of a file in reading order, without those that have no role."""
    names = {one.span.start: one for one in document.names}
    values, times = _values_and_times(document)
    text = document.source.text
    lexer = MetricLexer() if document.is_metric else RulesLexer()
    found: list[Coloured] = []
    for start, kind, word in lexer.get_tokens_unprocessed(text):
        one = _word(start, word, kind, names.get(start), values, times)
        if one is not None:
            found += _by_line(one, text)
    return found


def _word(
    start: int, word: str, kind: _TokenType, name: Occurrence | None, values: set[int], times: set[int]
) -> Coloured | None:
    end = start + len(word)
    if start in values:
        return Coloured(start, end, WordRole.VALUE)
    if name is not None:
        is_definition = name.is_definition and name.kind is not NameKind.VARIABLE
        modifiers = (Modifier.DEFINITION,) if is_definition else (Modifier.TIME,) if start in times else ()
        return Coloured(start, end, _OF_NAMES[name.kind], modifiers)
    role = next((role for spelling, role in _OF_SPELLING if kind in spelling), None)
    return None if role is None else Coloured(start, end, role)


def _by_line(one: Coloured, text: str) -> Iterator[Coloured]:
    """Splits words over several lines, which editors do not accept."""
    if one.role not in _SEVERAL_LINES:
        yield one
        return
    start = one.start
    for line in text[one.start : one.end].splitlines(keepends=True):
        if line.strip():
            yield one._replace(start=start, end=start + len(line.rstrip("\r\n")))
        start += len(line)


def _values_and_times(document: Document) -> tuple[set[int], set[int]]:
    """The positions of fluent values and of time-point variables."""
    if document.is_metric:
        return set(), set()
    values: set[int] = set()
    times: set[int] = set()
    for terms in _clauses(document.source):
        compounds = [one for term in terms for one in _compounds(term)]
        named = {name for one in compounds for name in _time_variables(one)}
        places = [var for term in terms for var in _variables(term) if var.name in named]
        times |= {var.span.start for var in places}
        values |= {place for one in compounds for place in _value_places(one)}
    return values, times


def _clauses(source: Source) -> Iterator[list[Term]]:
    for clause in parse(source).clauses:
        yield [term for term in (clause.head, clause.body) if term is not None]


def _compounds(term: Term) -> Iterator[Compound]:
    match term:
        case Compound(args=parts):
            yield term
        case ListTerm(items=parts):
            pass
        case _:
            return
    for part in parts:
        yield from _compounds(part)


def _variables(term: Term) -> Iterator[Var]:
    if isinstance(term, Var):
        yield term
    for part in term.args if isinstance(term, Compound) else term.items if isinstance(term, ListTerm) else ():
        yield from _variables(part)


def _time_variables(term: Compound) -> Iterator[str]:
    for position in _TIMED.get(term.name, ()):
        if position < len(term.args):
            arg = term.args[position]
            if isinstance(arg, Var) and not arg.is_anonymous:
                yield arg.name


def _value_places(term: Compound) -> Iterator[int]:
    if term.name not in _OF_PAIRS:
        return
    for pair in term.args:
        if isinstance(pair, Compound) and pair.name == "=" and len(pair.args) == 2:
            value = pair.args[1]
            if isinstance(value, Const) and isinstance(value.value, str):
                yield value.span.start
