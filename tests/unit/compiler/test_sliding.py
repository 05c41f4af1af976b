"""Sliding aggregates before and after they are lowered."""

from __future__ import annotations

import re

import pytest

from holdsfor import loads
from holdsfor.compiler.passes.sliding import lower_sliding
from holdsfor.core.program import encoded
from holdsfor.diagnostics import Source
from holdsfor.frontend.rtec import format_source, parse_program, print_rule
from holdsfor.frontend.rtec.unparse import literal_term
from holdsfor.ir import FindAll, Program, walk
from holdsfor.ir.sliding import Sliding, SlidingKind
from holdsfor.physical.describe import plan_text
from holdsfor.syntax.printer import print_term

HEAD = "initiatedAt(f(U)=true,T) :- happensAt(go(U),T), "


def lowered(condition: str) -> str:
    """The conditions behind the event, with `findall` written out."""
    rule = lower_sliding(_program(f"{HEAD}{condition}.")).rules[0]
    shown = []
    for literal in rule.body[1:]:
        assert not isinstance(literal, FindAll) or literal.sliding is not None
        if isinstance(literal, FindAll):
            body = ", ".join(print_term(literal_term(one)) for one in literal.body)
            shown.append(f"{literal.sliding.kind}[{print_term(literal.template)} | {body}]")  # type: ignore[union-attr]
        else:
            shown.append(print_term(literal_term(literal)))
    return "; ".join(shown)


def _program(text: str) -> Program:
    return parse_program([Source("rules", text)])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (
            "count_within(bad(U),10,T) >= 3",
            "count_within[1 | happensAt(bad(U),T0), T0 =< T, T - T0 < 10]; N >= 3",
        ),
        (
            "3 < sum_within(A * 2,paid(U,A),10,T) + 1",
            "sum_within[A * 2 | happensAt(paid(U,A),T0), T0 =< T, T - T0 < 10]; 3 < N + 1",
        ),
        (
            "V is max_within(A,paid(U,A),D,T)",
            "max_within[A | happensAt(paid(U,A),T0), T0 =< T, T - T0 < D]; V is N",
        ),
        (
            "count_within(start(open(U)=true),5,T) > count_within(end(open(U)=true),5,T)",
            (
                "count_within[1 | happensAt(start(open(U)=true),T0), T0 =< T, T - T0 < 5]; "
                "count_within[1 | happensAt(end(open(U)=true),T0), T0 =< T, T - T0 < 5]; N > N"
            ),
        ),
        (
            "top(2,A,paid(U,A),10,T)",
            (
                "happensAt(paid(U,A),T0); T0 =< T; T - T0 < 10; By is A; "
                "count_within[1 | happensAt(paid(U,A),T1), T1 =< T, T - T1 < 10, Other is A, Other > By]; Rank < 2"
            ),
        ),
    ],
)
def test_what_becomes_of_a_condition(condition: str, expected: str) -> None:
    assert lowered(condition) == expected


def test_inside_other_conditions() -> None:
    text = f"{HEAD}\\+ count_within(a,3,T) > 1, (avg_within(X,b(X),4,T) > 2 ; true -> min_within(Y,b(Y),5,T) < 1 ; c)."
    rule = lower_sliding(_program(text)).rules[0]
    kinds = [one.sliding.kind for one in walk(rule.body) if isinstance(one, FindAll) and one.sliding is not None]
    assert kinds == [SlidingKind.COUNT, SlidingKind.AVERAGE, SlidingKind.LEAST]


def test_the_call_is_kept_as_it_was_written() -> None:
    text = "initiatedAt(f(U)=true, T) :-\n    happensAt(go(U), T),\n    count_within(bad(U),10,T) >= 3.\n"
    reasoner = loads(text)
    assert print_rule(reasoner.analysis.written.rules[0]).strip() == text.strip()
    assert format_source(Source("rules", text)) == text
    (found,) = [one for one in reasoner.analysis.program.rules[0].body if isinstance(one, FindAll)]
    assert isinstance(found.sliding, Sliding)
    assert print_term(found.sliding.call) == "count_within(bad(U),10,T)"


def test_top_ranks_among_what_is_given_before_it() -> None:
    reasoner = loads(
        """
        happensAt(all(I,B),T) :- happensAt(close(I),T), top(1,P,bid(I,B,P),9,T), vip(B).
        happensAt(vips(I,B),T) :- happensAt(close(I),T), vip(B), top(1,P,bid(I,B,P),9,T).
        vip(ann).
        """
    )
    bids = {"time": [1, 2], "i": ["vase", "vase"], "b": ["ann", "bob"], "p": [3, 5]}
    found = reasoner.recognise({"bid": bids, "close": {"time": [4], "i": ["vase"]}})
    assert [str(getattr(row, "event", row)) for row in found["vips"]] == ["vips(vase,ann)"]
    assert list(found["all"]) == []


def test_a_program_may_define_top_itself() -> None:
    reasoner = loads("initiatedAt(f(X)=true,T) :- happensAt(go(X),T), top(1,X,b,2,c).\ntop(1,ann,b,2,c).")
    assert not reasoner.diagnostics
    found = reasoner.recognise({"go": {"time": [1, 2], "x": ["ann", "bob"]}})
    assert [row.fluent for row in found] == ["f(ann)"]


def test_plan_says_how_long_events_are_kept() -> None:
    text = plan_text(encoded(loads(f"{HEAD}count_within(bad(U,_),10,T) >= 3.").plan).lowered.plan)
    assert re.search(r"bad/2 +input event +rows of 9 time-points", text)
    assert "input bad/2 by column 1" in text
