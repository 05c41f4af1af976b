"""Whatever the text, the front end answers with a program and diagnostics, never with an exception."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from holdsfor.compiler.analyse import analyse
from holdsfor.diagnostics import Diagnostic, HoldsforError, Source, Span, errors_of
from holdsfor.frontend.rtec import format_source, parse_program, print_program
from holdsfor.ir import Program
from tests.strategies.texts import clause_texts, mutated_programs, token_texts

TEXTS: dict[str, st.SearchStrategy[str]] = {
    "bytes": st.binary(max_size=200).map(lambda data: data.decode("utf-8", errors="replace")),
    "unicode": st.text(max_size=100),
    "tokens": token_texts,
    "clauses": clause_texts(),
    "mutated": mutated_programs(),
}
EXAMPLES = {"bytes": 100, "unicode": 100, "tokens": 200, "clauses": 300, "mutated": 300}


def check_front_end(text: str) -> None:
    source = Source("fuzz", text)
    program = parse_program([source])
    for finding in program.diagnostics:
        check_diagnostic(finding, source)
    if not errors_of(program.diagnostics):
        check_program(program, source)


def check_diagnostic(finding: Diagnostic, source: Source) -> None:
    assert finding.code.startswith("HF")
    assert finding.message
    rendered = finding.render().split("\n")
    assert rendered[0] == f"{finding.span.location}: {finding.severity}[{finding.code}]: {finding.message}"
    described = finding.as_json()
    assert described["code"] == finding.code
    assert (described["line"], described["column"]) <= (described["end_line"], described["end_column"])
    for span in (finding.span, *(label.span for label in finding.labels)):
        check_span(span, source)


def check_span(span: Span, source: Source) -> None:
    assert span.source is source
    assert 0 <= span.start <= span.end <= len(source.text)


def check_program(program: Program, source: Source) -> None:
    again = parse_program([Source("printed", print_program(program))])
    assert again == program
    assert again.diagnostics == program.diagnostics == ()
    formatted = format_source(source)
    assert format_source(Source("formatted", formatted)) == formatted
    assert parse_program([Source("formatted", formatted)]) == program
    try:
        analyse(program)
    except HoldsforError as problem:
        assert str(problem)


@pytest.mark.parametrize("kind", TEXTS)
def test_any_text_gives_a_program_and_diagnostics(kind: str) -> None:
    run(TEXTS[kind], check_front_end, EXAMPLES[kind])


@pytest.mark.slow
def test_any_text_gives_a_program_and_diagnostics_for_three_minutes() -> None:
    start = time.monotonic()
    while time.monotonic() - start < 180:
        for texts in TEXTS.values():
            run(texts, check_front_end, 300, at_random=True)


def run(texts: st.SearchStrategy[str], check: Callable[[str], None], examples: int, *, at_random: bool = False) -> None:
    test = given(texts)(check)
    if at_random:
        test = seed(random.randrange(2**32))(test)
    settings(
        max_examples=examples,
        derandomize=not at_random,
        deadline=None,
        database=None,
        print_blob=at_random,
        suppress_health_check=list(HealthCheck),
    )(test)()
