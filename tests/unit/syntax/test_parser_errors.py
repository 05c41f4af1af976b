"""What the parser says about broken text, where it points, and how it goes on."""

from __future__ import annotations

import pytest

from holdsfor.diagnostics import Diagnostic, Severity, Source
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_clause

A_TERM = "a term starts with a name, a variable, a number, ( or ["


def problems(text: str) -> tuple[Diagnostic, ...]:
    return parse(Source("test", text)).diagnostics


def survivors(text: str) -> list[str]:
    return [print_clause(clause) for clause in parse(Source("test", text)).clauses]


@pytest.mark.parametrize(
    ("text", "code", "message", "place", "hint"),
    [
        # Where a term is missing
        (".", "HF001", "a full stop without a clause", (0, 1), "remove it"),
        ("a :- .", "HF001", "expected a condition or a term, found the full stop", (5, 6), "remove the :- before it, or complete the rule"),
        ("a :- b, .", "HF001", "expected a condition or a term, found the full stop", (8, 9), "remove the , before it, or complete the rule"),
        ("a :- b,", "HF001", "expected a condition or a term, found the end of the file", (7, 7), "remove the , before it, or complete the rule"),
        ("a :- b,\nc(d) :- e,\nf.", "HF003", "the clause does not end", (6, 7), "end it with a full stop, not a comma"),
        ("a :- b, , c.", "HF001", "two commas in a row", (8, 9), "remove one"),
        ("a :- ) .", "HF001", "expected a condition or a term, found )", (5, 6), A_TERM),
        ("a :- * b.", "HF001", "expected a condition or a term, found *", (5, 6), A_TERM),
        ("p([|X]).", "HF001", "expected a condition or a term, found |", (3, 4), A_TERM),
        ("p().", "HF001", "p() has no arguments", (2, 3), "write p without parentheses"),
        ("p({a}).", "HF001", "braces have no meaning here", (2, 3), "use ( ) to group, [ ] for a list"),
        # Where a clause should end
        ("a :- b", "HF003", "the clause does not end", (5, 6), "end it with a full stop"),
        ("a :- b\nc :- d.", "HF003", "the clause does not end", (5, 6), "end it with a full stop"),
        ("a).", "HF004", "this ) closes nothing", (1, 2), "remove it, or open it earlier"),
        ("a :- b].", "HF004", "this ] closes nothing", (6, 7), "remove it, or open it earlier"),
        ("a b.", "HF001", "unexpected b after a complete term", (2, 3), "is a comma missing before b?"),
        ("a :- b(X) c(X).", "HF001", "unexpected c after a complete term", (10, 11), "is a comma missing before c?"),
        ("p (a).", "HF001", "unexpected ( after a complete term", (2, 3), "write p( without a space before the bracket"),
        ("a :- X (b).", "HF001", "unexpected ( after a complete term", (7, 8), "is a comma or an operator missing before it?"),
        ("a :- X = Y = Z.", "HF001", "unexpected = after a complete term", (11, 12), "is a comma or an operator missing before it?"),
        # Brackets
        ("p(a.", "HF004", "expected ) before the full stop", (3, 4), "close the bracket with )"),
        ("p(a", "HF004", "expected ) before the end of the file", (3, 3), "close the bracket with )"),
        ("p(a\nq(b).", "HF004", "expected ) before q", (4, 5), "close the bracket with )"),
        ("p([a).", "HF004", "expected ] before )", (4, 5), "close the bracket with ]"),
        ("p(a :- b.", "HF004", "expected ) before :-", (4, 6), "close the bracket with )"),
        ("p(a b).", "HF001", "expected , or ), found b", (4, 5), "is a comma missing before b?"),
        ("a :- (b, c.", "HF004", "expected ) before the full stop", (10, 11), "close the bracket with )"),
        # Operators of other languages
        ("a :- X => Y.", "HF001", "=> is not an operator", (7, 9), "did you mean >= ?"),
        ("a :- X <= Y.", "HF001", "<= is not an operator", (7, 9), "did you mean =< ?"),
        ("a :- X != Y.", "HF001", "!= is not an operator", (7, 9), "did you mean \\= ?"),
        ("a :- X := Y.", "HF001", ":= is not an operator", (7, 9), "did you mean = or is ?"),
        ("a :- X <> Y.", "HF001", "<> is not an operator", (7, 9), "did you mean \\= ?"),
        ("a(X) <- b(X), c.", "HF001", "<- is not an operator", (5, 7), "did you mean :- ?"),
        ("a <- b.", "HF001", "<- is not an operator", (2, 4), "did you mean :- ?"),
        ("p(X <= Y).", "HF001", "<= is not an operator", (4, 6), "did you mean =< ?"),
        # Habits of other languages
        ("Press(X) :- b.", "HF001", "Press starts with a capital letter, so it is a variable", (0, 5), "write press( for a name with arguments"),
        ("-- a comment\na.", "HF001", "a clause cannot start with two dashes", (0, 2), "write % for a comment"),
        ("// a comment\na.", "HF001", "expected a condition or a term, found //", (0, 2), "write % for a comment"),
        ("p[a].", "HF001", "unexpected [ after a complete term", (1, 2), "write p( with a round bracket"),
        ("a if b.", "HF001", "unexpected if after a complete term", (2, 4), "write :- for if"),
        ("a :- b and c.", "HF001", "unexpected and after a complete term", (7, 10), "write , for and"),
        ("p(a, ).", "HF001", "expected a condition or a term, found )", (5, 6), "remove the comma before it"),
        # Numbers
        ("p(1e309).", "HF001", "this number is too large", (2, 7), "numbers with a fraction or an exponent must fit in 64 bits"),
    ],
)  # fmt: skip
def test_one_problem(text: str, code: str, message: str, place: tuple[int, int], hint: str) -> None:
    (finding,) = problems(text)
    assert (finding.code, finding.message, (finding.span.start, finding.span.end)) == (code, message, place)
    assert finding.hint == hint
    assert finding.severity is Severity.ERROR


def test_a_missing_bracket_shows_what_was_opened() -> None:
    (finding,) = problems("p(f([a, b), c).")
    assert [(label.span.start, label.message) for label in finding.labels] == [(4, "opened here")]
    assert finding.render() == (
        "test:1:10: error[HF004]: expected ] before )\n"
        "    1 | p(f([a, b), c).\n"
        "      |          ^\n"
        "test:1:5: opened here\n"
        "    1 | p(f([a, b), c).\n"
        "      |     -\n"
        "  = help: close the bracket with ]"
    )


def test_a_dot_in_a_name() -> None:
    first = problems("p(a.b).")[0]
    assert (first.code, first.message, first.span.start) == ("HF004", "expected ) before the full stop", 3)
    assert first.hint == "a full stop ends a clause; write names without dots"


def test_reading_goes_on_after_each_error() -> None:
    text = "a :- b,.\nok(1).\np(.\nq :- r\ns :- t.\nX <= Y.\nok(2).\nu :- $.\nok(3).\n"
    assert [(item.code, item.span.line) for item in problems(text)] == [
        ("HF002", 8),
        ("HF001", 1),
        ("HF001", 3),
        ("HF003", 4),
        ("HF001", 6),
    ]
    assert survivors(text) == ["ok(1).", "s :-\n    t.", "ok(2).", "ok(3)."]


def test_a_stray_character_spoils_its_clause_alone_and_says_so_once() -> None:
    assert [item.code for item in problems("a :- $.\nb :- .\n")] == ["HF002", "HF001"]


def test_a_clause_on_a_new_line_is_not_swallowed() -> None:
    text = "broken(a, b c\n    d, e)\nwhole :-\n    f.\n"
    assert survivors(text) == ["whole :-\n    f."]


def test_a_continuation_line_does_not_start_a_clause() -> None:
    text = "broken :- a b,\n    c.\nwhole.\n"
    assert len(problems(text)) == 1
    assert survivors(text) == ["whole."]


def test_two_thousand_errors_are_two_thousand_findings() -> None:
    assert len(problems("a b.\n" * 2000)) == 2000


def test_a_comparison_with_a_negative_number_is_none_of_that() -> None:
    assert problems("a :- X <-1, Y<-Z.") == ()


def test_spans_stay_inside_the_text() -> None:
    for text in ("a", "a :-", "p(", "p(a,", "p([", "-", "'", "a :- b\n\n"):
        for finding in problems(text):
            assert 0 <= finding.span.start <= finding.span.end <= len(text), text
            assert finding.render().count("\n") >= 2
