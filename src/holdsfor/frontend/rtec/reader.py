"""Reads RTEC sources into one program."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.diagnostics import Diagnostic, Source
from holdsfor.frontend.rtec.anonymous import number_anonymous
from holdsfor.frontend.rtec.bodies import BodyReader, Context
from holdsfor.frontend.rtec.durations import BUILT_IN, recognise_filters
from holdsfor.frontend.rtec.files import ReadFile, with_loaded_files
from holdsfor.frontend.rtec.heads import HeadReader
from holdsfor.frontend.rtec.problems import Malformed, Problems
from holdsfor.ir import BackgroundRule, Program, Rule
from holdsfor.syntax.parser import Parsed, parse
from holdsfor.syntax.terms import Clause, functor


def parse_program(sources: Iterable[Source], read: ReadFile | None = None) -> Program:
    """Parse event descriptions and background files into one program.

    `read` reads the files that directives load; without it they stay directives. Never raises for what is wrong with
    the text: the program carries the diagnostics.

    >>> program = parse_program([Source("f", "initiatedAt(on=true, T) :- happensAt(press, T).")])
    >>> len(program.effects), program.diagnostics
    (1, ())
    """
    parsed = [parse(source) for source in sources]
    if read is not None:
        parsed = with_loaded_files(parsed, read)
    clauses = [clause for one in parsed for clause in one.clauses]
    problems = Problems()
    reader = _head_reader(clauses, problems)
    rules: list[Rule] = []
    for clause in clauses:
        try:
            rule = reader.rule(clause)
        except Malformed:
            continue
        rules.append(rule if isinstance(rule, BackgroundRule) and not rule.body else number_anonymous(rule))
    return Program(tuple(rules), (*_syntax_findings(parsed), *problems.found))


def _syntax_findings(parsed: Iterable[Parsed]) -> Iterable[Diagnostic]:
    return (finding for one in parsed for finding in one.diagnostics)


def _head_reader(clauses: Iterable[Clause], problems: Problems) -> HeadReader:
    """A reader that knows which predicates the program itself defines."""
    named = [(name, clause) for clause in clauses if clause.head and (name := functor(clause.head))]
    defined = frozenset(name for name, _ in named)
    filters = {**BUILT_IN, **recognise_filters(_candidate_filters(named))}
    return HeadReader(problems, BodyReader(problems, defined, filters))


def _candidate_filters(named: Iterable[tuple[tuple[str, int], Clause]]) -> Iterable[BackgroundRule]:
    """Background rules that might be duration filters: three arguments and a `findall`."""
    reader = BodyReader(Problems(), frozenset(), {})
    for (_, arity), clause in named:
        if arity == 3 and clause.head is not None and clause.body is not None and "findall" in clause.span.text:
            try:
                yield BackgroundRule(clause.head, reader.body(clause.body, Context.BACKGROUND), clause.span)
            except Malformed:
                continue
