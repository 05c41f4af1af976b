"""Reads RTEC sources into one program."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.diagnostics import Diagnostic, Source
from holdsfor.frontend.rtec.anonymous import number_anonymous
from holdsfor.frontend.rtec.bodies import BodyReader
from holdsfor.frontend.rtec.files import ReadFile, with_loaded_files
from holdsfor.frontend.rtec.heads import HeadReader
from holdsfor.frontend.rtec.problems import MalformedClause, Problems
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
        except MalformedClause:
            continue
        rules.append(rule if isinstance(rule, BackgroundRule) and not rule.body else number_anonymous(rule))
    return Program(tuple(rules), (*_syntax_findings(parsed), *problems.found))


def _syntax_findings(parsed: Iterable[Parsed]) -> Iterable[Diagnostic]:
    return (finding for one in parsed for finding in one.diagnostics)


def _head_reader(clauses: Iterable[Clause], problems: Problems) -> HeadReader:
    """A reader that knows which predicates the program itself defines."""
    defined = frozenset(name for clause in clauses if clause.head and (name := functor(clause.head)))
    return HeadReader(problems, BodyReader(problems, defined))
