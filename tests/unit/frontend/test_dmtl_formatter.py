"""Layout of metric rules."""

from __future__ import annotations

import pytest

from holdsfor.diagnostics import ProgramError, Source
from holdsfor.frontend.dmtl import format_metric


def formatted(text: str) -> str:
    return format_metric(Source("rules.dmtl", text))


def test_comments_stay_where_they_belong() -> None:
    text = (
        "# what this is\n\n\n\nQ( X ):-P(X). % why\n# before\nR(X):- # head\n  P(X), # first\n# second\n  S(X) # last\n"
        "P(a) @ [1,1]\n\n# the end"
    )
    assert formatted(text) == (
        "# what this is\n\nQ(X) :- P(X)  % why\n# before\nR(X) :-\n    # head\n    P(X),  # first\n    # second\n"
        "    S(X).  # last\nP(a)@1\n\n# the end\n"
    )


def test_long_rules_get_a_condition_to_a_line() -> None:
    conditions = [f"Predicate{number}(X)" for number in range(9)]
    expected = "Q(X) :-\n" + ",\n".join(f"    {condition}" for condition in conditions) + ".\n"
    assert formatted("Q(X) :- " + ", ".join(conditions)) == expected
    assert formatted(expected) == expected


def test_a_rule_with_errors_is_not_touched() -> None:
    with pytest.raises(ProgramError):
        formatted("Q(X) :- P(X")


def test_nothing_stays_nothing() -> None:
    assert formatted("\n\n") == ""
