"""The canonical layout, and where comments go."""

from __future__ import annotations

from textwrap import dedent

import pytest

from holdsfor.diagnostics import ProgramError, Source
from holdsfor.frontend.rtec import format_source


def formatted(text: str) -> str:
    once = format_source(Source("test", text))
    assert format_source(Source("test", once)) == once
    return once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n\n", ""),
        ("a.", "a.\n"),
        ("a .b( 1 ).", "a.\nb(1).\n"),
        ("a:-b,c.", "a :-\n    b,\n    c.\n"),
        (":-dynamic a/1.", ":- dynamic a/1.\n"),
        ("a.\n\n\n\nb.", "a.\n\nb.\n"),
        ("a.\n   \nb.\nc.", "a.\n\nb.\nc.\n"),
        ("a :- not b.", "a :-\n    \\+ b.\n"),
        (
            "initiatedAt( f( X )=true,T ):-happensAt( e( X ),T ).",
            "initiatedAt(f(X)=true, T) :-\n    happensAt(e(X), T).\n",
        ),
    ],
)
def test_layout(text: str, expected: str) -> None:
    assert formatted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("% only\n", "% only\n"),
        ("%before\na.", "%before\na.\n"),
        ("a. % after", "a.  % after\n"),
        ("a. % after\nb.", "a.  % after\nb.\n"),
        ("a.\n% between\nb.", "a.\n% between\nb.\n"),
        ("a.\n\n% between\n\nb.", "a.\n\n% between\n\nb.\n"),
        ("a. /* one */ b.", "a.\n/* one */\nb.\n"),
        ("a. /* one */ /* two */\nb.", "a.\n/* one */\n/* two */\nb.\n"),
        ("a(/* inside */ 1).", "/* inside */\na(1).\n"),
        ("a :- b, % first\n c. % second", "a :-\n    b,  % first\n    c.  % second\n"),
        ("a :-\n % above\n b.", "a :-\n    % above\n    b.\n"),
        ("a :- /* one */ /* two */ b, c.", "a :-\n    /* one */\n    /* two */\n    b,\n    c.\n"),
        ("a /* in the head */ :- b.", "a :-\n    /* in the head */\n    b.\n"),
        ("a :- b(X, % argument\n Y), c.", "a :-\n    b(X, Y),  % argument\n    c.\n"),
        ("a :- b /* one */ , /* two */ c.", "a :-\n    b,  /* one */\n    /* two */\n    c.\n"),
        ("a :- b /* one */ /* two */ . c.", "a :-\n    b.  /* one */\n/* two */\nc.\n"),
        ("a :- b\n% last\n. c.", "a :-\n    b.\n% last\nc.\n"),
        ("a :- (b ; c /* x */ ), d.", "a :-\n    (b ; c),  /* x */\n    d.\n"),
        ("a, b :- c /* x */ .", "a, b :-\n    c.  /* x */\n"),
        ("a. /* two\n\nlines */\nb.", "a.  /* two\n\nlines */\nb.\n"),
        (":- a /* x */ .", "/* x */\n:- a.\n"),
    ],
)
def test_comments_stay_with_what_they_are_about(text: str, expected: str) -> None:
    assert formatted(text) == expected


def test_a_comment_in_a_long_disjunction_comes_after_it() -> None:
    branches = [f"condition_number_{n}(Vessel, Area, Time)" for n in range(4)]
    text = f"a :- ({branches[0]} ; {branches[1]} % why\n ; {branches[2]} ; {branches[3]}), b."
    assert formatted(text) == dedent("""\
        a :-
            (   condition_number_0(Vessel, Area, Time)
            ;   condition_number_1(Vessel, Area, Time)
            ;   condition_number_2(Vessel, Area, Time)
            ;   condition_number_3(Vessel, Area, Time)
            ),  % why
            b.
    """)


def test_broken_text_is_not_formatted() -> None:
    with pytest.raises(ProgramError) as caught:
        format_source(Source("test", "a :- b,.\nc(."))
    assert [item.code for item in caught.value.diagnostics] == ["HF001", "HF001"]
    assert str(caught.value).startswith("test:1:8: error[HF001]: expected a condition or a term, found the full stop")


def test_numbers_stay_as_they_are_written() -> None:
    text = "limit(a, 2.0).\nlimit(b, 1e3).\nlimit(c, -0.50).\nlimit(d, 007).\n"
    assert format_source(Source("f", text)) == text
