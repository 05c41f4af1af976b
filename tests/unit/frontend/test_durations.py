"""Durations in rule text: read, printed, formatted, in both languages."""

from __future__ import annotations

from fractions import Fraction

import pytest

from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import format_metric, metric_text, parse_metric
from holdsfor.frontend.rtec import format_source, parse_program, print_program
from holdsfor.syntax.durations import durations_in, length_of
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term

SECOND = 10**9


def read(text: str) -> Term:
    parsed = parse(Source("f", f"a({text})."))
    assert not parsed.diagnostics
    head = parsed.clauses[0].head
    assert isinstance(head, Compound)
    return head.args[0]


@pytest.mark.parametrize(
    ("text", "seconds", "printed"),
    [
        ("30 min", 1800, "30 min"),
        ("10min", 600, "10 min"),
        ("1.5 h", 5400, "1.5 h"),
        ("-2 days", -172_800, "-2 days"),
        ("1 h 30 min", 5400, "1 h 30 min"),
        ("0.1 s", Fraction(1, 10), "0.1 s"),
        ("1e3 ms", 1, "1e3 ms"),
        ("5 µs", Fraction(5, 10**6), "5 µs"),
        ("2 weeks", 1_209_600, "2 weeks"),
    ],
)
def test_durations(text: str, seconds: Fraction, printed: str) -> None:
    found = read(text)
    assert isinstance(found, Compound)
    assert (length_of(found) / SECOND, print_term(found)) == (seconds, printed)
    assert read(printed) == found
    assert found.span.text == text


def test_durations_inside_expressions() -> None:
    assert print_term(read("T - 2 * 30 min < - (5 s)")) == "T - 2 * 30 min < - 5 s"
    assert [print_term(one) for one in durations_in(read("[1 h,f(2 h)|3 h]"))] == ["1 h", "2 h", "3 h"]


def test_a_number_before_a_name_is_no_duration_where_the_next_clause_begins() -> None:
    parsed = parse(Source("f", "a(5) :- X is 5\ns :- b."))
    assert [(one.code, one.message) for one in parsed.diagnostics] == [("HF003", "the clause does not end")]
    assert parse(Source("f", "X = 5 s(Y).")).diagnostics


def test_a_quoted_unit_is_a_name() -> None:
    assert parse(Source("f", "a(5 'min').")).diagnostics
    assert read("min") == Const("min")


RULES = """fi(cart(U)=active, cart(U)=abandoned, 30 min).
limit(a, 1.50 h).
happensAt(late(U), T) :-
    happensAt(pay(U), T),
    T - T0 < 10 minutes,
    business_hours(T, 8 h, 18 h).
holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    diamond_minus(I1, [0,5 min], I2),
    intDurGreater(I2, 1 h 30 min, I).
"""


def test_fmt_keeps_durations() -> None:
    assert format_source(Source("f", RULES.replace("30 min)", "30min)"))) == RULES


def test_a_program_is_printed_as_it_was_written() -> None:
    program = parse_program([Source("f", RULES)])
    assert not program.diagnostics
    assert parse_program([Source("f", print_program(program))]) == program
    assert "[0,5 min]" in print_program(program)


METRIC = """:- time_unit(s).
Recent(X) :- Diamondminus[0,5 min] Alarm(X), Boxminus(10 s,1 h] On(X)
Boxplus[0,1.5 h] Late(X) :- Alarm(X) Since[0,30 s) On(X), Age(X,N), N >= 2 h
Point(X) :- Diamondplus[5 min] Alarm(X)
"""


def test_metric_rules_keep_durations() -> None:
    assert format_metric(Source("f", METRIC)) == METRIC
    written = METRIC.replace("Diamondminus[0,5 min]", "SOMETIME[-5min, 0]")
    assert format_metric(Source("f", written)) == METRIC
    program = parse_metric([Source("f", METRIC)])
    assert not program.diagnostics
    assert parse_metric([Source("f", metric_text(program))]) == program
