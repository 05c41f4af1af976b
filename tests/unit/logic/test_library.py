"""Library predicates, one by one."""

from __future__ import annotations

import pytest

from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.library import LIBRARY
from tests.unit.logic.reading import answers


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("member(X, [a, b, a])", ["a", "b", "a"]),
        ("member(f(X), [f(1), g(2), f(3)])", ["1", "3"]),
        ("member(X, [])", []),
        ("memberchk(X, [a, b])", ["a"]),
        ("memberchk(f(X), [g(1), f(2), f(3)])", ["2"]),
        ("memberchk(c, [a, b]), X = yes", []),
        ("length([], X)", ["0"]),
        ("length([a, [b, c]], X)", ["2"]),
        ("length([a], 1), X = yes", ["yes"]),
        ("length([a], 2), X = yes", []),
        ("sum_list([], X)", ["0"]),
        ("sum_list([1, 2.5, 3], X)", ["6.5"]),
        ("sum_list([1, 2], X)", ["3"]),
        ("sumlist([1, 1 + 1], X)", ["3"]),
        ("max_list([3, 10, 2], X)", ["10"]),
        ("max_list([], X)", []),
        ("min_list([3, 10, 2.5], X)", ["2.5"]),
        ("min_list([], X)", []),
        ("sort([b, 2, a, 1, b, f(x)], X)", ["[1,2,a,b,f(x)]"]),
        ("sort([], X)", ["[]"]),
        ("sort([[a], [a, b], [a]], X)", ["[[a],[a,b]]"]),
        ("msort([b, a, b], X)", ["[a,b,b]"]),
        ("list_to_set([b, a, b, 1, 1.0], X)", ["[b,a,1]"]),
        ("reverse([a, b, c], X)", ["[c,b,a]"]),
        ("last([a, b], X)", ["b"]),
        ("last([], X)", []),
        ("nth0(0, [a, b], X)", ["a"]),
        ("nth0(2, [a, b], X)", []),
        ("nth1(1, [a, b], X)", ["a"]),
        ("nth1(X, [a, b, a], a)", ["1", "3"]),
        ("nth0(X, [a, b, a], a)", ["0", "2"]),
        ("append([a], [b, c], X)", ["[a,b,c]"]),
        ("append([], [], X)", ["[]"]),
        ("append([a], [X], [a, b])", ["b"]),
        ("between(1, 3, X)", ["1", "2", "3"]),
        ("between(2, 1, X)", []),
        ("between(1 + 1, 3, X)", ["2", "3"]),
        ("between(1, 3, 2), X = yes", ["yes"]),
        ("between(1, 3, 4), X = yes", []),
        ("between(1, inf, 4), X = yes", ["yes"]),
        ("between(1, 3, 2.5), X = yes", []),
        ("true, X = yes", ["yes"]),
        ("fail, X = yes", []),
        ("false, X = yes", []),
    ],
)
def test_answers(goal: str, expected: list[str]) -> None:
    assert answers("", goal, "X") == expected


TESTS = {
    "number": ["1", "1.5"],
    "integer": ["1"],
    "float": ["1.5"],
    "atom": ["a", "'A b'"],
    "atomic": ["1", "1.5", "a", "'A b'"],
    "compound": ["f(a)", "f(X)", "[a]", "[a|T]"],
    "is_list": ["[]", "[a]"],
    "ground": ["1", "1.5", "a", "'A b'", "f(a)", "[]", "[a]"],
    "nonvar": ["1", "1.5", "a", "'A b'", "f(a)", "f(X)", "[]", "[a]", "[a|T]"],
}


@pytest.mark.parametrize("name", TESTS)
def test_type_tests(name: str) -> None:
    every = ["1", "1.5", "a", "'A b'", "f(a)", "f(X)", "[]", "[a]", "[a|T]", "X"]
    assert [text for text in every if answers("", f"{name}({text})")] == TESTS[name]


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("member(a, L)", "L is not a list"),
        ("member(a, [b|T])", "[b|T] is not a list"),
        ("append(X, [a], [b, a])", "X is not a list"),
        ("max_list([X], Y)", "X is not a number"),
        ("between(X, 3, Y)", "X is not a number"),
        ("between(1, inf, X)", "between(1, inf, X) has too many answers"),
        ("between(0, 10000001, X)", "between(0, 10000001, X) has too many answers"),
        ("between(inf, inf, X)", "between(inf, inf, X) has too many answers"),
    ],
)
def test_what_cannot_be_answered(goal: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        answers("", goal)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "goal",
    ["length(a, X)", "sum_list([1, a], X)", "max_list([a], X)", "min_list([1, a], X)", "between(0.5, 2, X)"],
)
def test_what_has_no_value_has_no_answer(goal: str) -> None:
    assert answers("", goal) == []


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("sum_list([1.0e17, 0.1, -1.0e17], X)", "0.1"),
        ("sum_list([0.1, 0.2, 0.3], X)", "0.6"),
        ("sum_list([9223372036854775807, 1], X)", "9223372036854775808"),
        ("sum_list([inf, 1], X)", "inf"),
        ("sum_list([], X)", "0"),
        ("max_list([100000000000000000, 1.0e17], X)", "100000000000000000"),
        ("max_list([1, 2.0], X)", "2"),
        ("min_list([1.5, -inf], X)", "- inf"),
    ],
)
def test_sums_and_extremes(goal: str, answer: str) -> None:
    assert answers("", goal, "X") == [answer]


def test_a_program_may_define_a_predicate_of_its_own() -> None:
    assert answers("member(only, _).", "member(X, [a, b])", "X") == ["only"]


def test_needs_are_arguments() -> None:
    for (name, arity), predicate in LIBRARY.items():
        assert all(position < arity for position in predicate.needs), name
