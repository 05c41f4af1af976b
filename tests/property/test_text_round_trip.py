"""Text and trees say the same: what is printed reads back equal, and formatting changes the layout alone."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.diagnostics import Source
from holdsfor.frontend.rtec import format_source, parse_program, print_program, print_rule
from holdsfor.ir import Program, Rule
from holdsfor.syntax.parser import MAX_DEPTH, parse
from holdsfor.syntax.printer import print_clause, print_term
from holdsfor.syntax.terms import Clause, Compound, Term
from holdsfor.syntax.tokens import tokenize
from tests.strategies.programs import RULES, numbered, programs, term_numbered
from tests.strategies.terms import terms
from tests.strategies.texts import clause_texts, real_programs, token_texts, with_comments


def read(text: str) -> Program:
    program = parse_program([Source("test", text)])
    assert [item.render() for item in program.diagnostics] == [], text
    return program


def comment_texts(text: str) -> list[str]:
    return sorted(comment.text for comment in tokenize(Source("test", text)).comments)


# Programs


@settings(max_examples=80)
@given(programs())
def test_printed_program_reads_back_equal(program: Program) -> None:
    assert read(print_program(program)) == program


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
@settings(max_examples=20)
@given(data=st.data())
def test_printed_rule_of_each_kind_reads_back_equal(kind: type[Rule], data: st.DataObject) -> None:
    rule = numbered(data.draw(RULES[kind]))
    assert read(print_rule(rule)).rules == (rule,)


@pytest.mark.parametrize("text", real_programs(), ids=lambda text: text.split("\n", 1)[0][:40])
def test_real_program_survives_printing(text: str) -> None:
    program = read(text)
    assert len(program.rules) > 0
    assert read(print_program(program)) == program


# Terms


@given(terms())
def test_printed_term_reads_back_equal(term: Term) -> None:
    clause = Clause(term_numbered(Compound("t", (term,))), None)
    parsed = parse(Source("test", f"{print_term(clause.head)}."))
    assert (parsed.diagnostics, parsed.clauses) == ((), (clause,))


@settings(max_examples=120)
@given(terms(), terms())
def test_printed_clause_reads_back_equal(head: Term, goal: Term) -> None:
    body = Compound(",", (Compound("first", (goal,)), Compound("second", (goal,))))
    numbered_term = term_numbered(Compound(":-", (Compound("t", (head,)), body)))
    clause = Clause(*numbered_term.args)
    parsed = parse(Source("test", print_clause(clause)))
    assert (parsed.diagnostics, parsed.clauses) == ((), (clause,))


@given(clause_texts() | st.lists(token_texts, max_size=4).map(" .\n".join))
@settings(max_examples=150)
def test_what_was_read_is_printed_so_that_it_reads_the_same(text: str) -> None:
    parsed = parse(Source("test", text))
    for clause in parsed.clauses:
        again = parse(Source("test", print_clause(clause)))
        assert again.diagnostics == ()
        assert again.clauses == (clause,)


# Formatting


@given(with_comments(st.sampled_from(real_programs()).map(lambda text: text[: text.find(".\n", 600) + 2])))
@settings(max_examples=25)
def test_formatting_a_real_program_keeps_rules_and_comments(text: str) -> None:
    assume(not parse(Source("test", text)).diagnostics)
    check_formatting(text)


@given(with_comments(programs().map(print_program)))
@settings(max_examples=40)
def test_formatting_a_random_program_keeps_rules_and_comments(text: str) -> None:
    check_formatting(text)


@pytest.mark.parametrize("text", real_programs(), ids=lambda text: text.split("\n", 1)[0][:40])
def test_formatting_the_examples(text: str) -> None:
    check_formatting(text)


def check_formatting(text: str) -> None:
    formatted = format_source(Source("test", text))
    assert read(formatted) == read(text)
    assert comment_texts(formatted) == comment_texts(text)
    assert format_source(Source("test", formatted)) == formatted


def test_the_depth_limit_leaves_room_for_what_is_printed() -> None:
    term = "f(" * (MAX_DEPTH - 2) + "x" + ")" * (MAX_DEPTH - 2)
    assert print_program(read(f"{term}.")) == f"{term}.\n"
