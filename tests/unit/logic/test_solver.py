"""The solver: conjunction, control, cut, negation, findall, indexes, depth."""

from __future__ import annotations

import pytest

from holdsfor.ir import Holds
from holdsfor.ir.literals import Fvp
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.solver import Solver, describe
from holdsfor.syntax.terms import Const, Var
from tests.unit.logic.reading import answers, body, solver, term

FAMILY = """
parent(ann, bob). parent(ann, cat). parent(bob, dan). parent(cat, eve).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
age(ann, 60). age(bob, 35). age(cat, 33).
"""


# Conjunctions and calls


def test_answers_come_in_the_order_of_the_facts() -> None:
    assert answers(FAMILY, "parent(X, Y)", "X", "Y") == ["ann, bob", "ann, cat", "bob, dan", "cat, eve"]


def test_conjunctions_join() -> None:
    assert answers(FAMILY, "parent(X, Y), age(Y, A), A < 34", "Y", "A") == ["cat, 33"]


def test_rules_call_rules() -> None:
    assert answers(FAMILY, "grandparent(ann, Z)", "Z") == ["dan", "eve"]
    assert answers(FAMILY, "grandparent(X, eve)", "X") == ["ann"]


def test_an_empty_body_is_true() -> None:
    assert list(Solver({}).solve((), {"X": Const(1)})) == [{"X": Const(1)}]


def test_an_unknown_predicate_has_no_answers() -> None:
    assert answers("", "nothing(X)", "X") == []


def test_names_of_caller_and_rule_are_kept_apart() -> None:
    rules = "swap(X, Y) :- pair(Y, X). pair(1, 2)."
    assert answers(rules, "swap(X, Y)", "X", "Y") == ["2, 1"]
    assert answers(rules, "swap(Y, X)", "X", "Y") == ["1, 2"]


def test_facts_with_variables_hold_for_everything() -> None:
    rules = "likes(X, pizza). likes(Y, Y)."
    assert answers(rules, "likes(ann, Z)", "Z") == ["pizza", "ann"]
    assert answers(rules, "likes(ann, pizza)") == [""]


def test_variables_of_facts_are_not_those_of_the_caller() -> None:
    rules = "any(X). any_rule(X) :- true_fact. true_fact."
    assert answers(rules, "any(Y), X = 1, Y = 2", "X", "Y") == ["1, 2"]
    assert answers(rules, "any(A), any(B), A = 1, B = 2", "A", "B") == ["1, 2"]
    assert answers(rules, "any_rule(A), any_rule(B), A = 1, B = 2", "A", "B") == ["1, 2"]


def test_shared_variables_of_a_pattern_stay_shared() -> None:
    rules = "same(X, X). pass(X, Y) :- same(X, Y)."
    assert answers(rules, "pass(A, B), A = 1", "B") == ["1"]
    assert answers(rules, "pass(f(A), f(B)), B = 1", "A") == ["1"]


def test_long_bodies_do_not_exhaust_the_stack() -> None:
    assert answers("p(1).", ", ".join(["p(X)"] * 3000), "X") == ["1"]


# Comparison and arithmetic


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("X = f(1)", ["f(1)"]),
        ("f(X, 2) = f(1, X)", []),
        ("f(X, Y) = f(Y, 2)", ["2"]),
        ("X = 1, X \\= 2", ["1"]),
        ("X = 1, X \\= 1", []),
        ("X = 1, X == 1.0", ["1"]),
        ("X = 1, X \\== a", ["1"]),
        ("X = b, X @> a", ["b"]),
        ("X = b, X @< a", []),
        ("X = 3, X > 2, X >= 3, X =< 3, X < 4", ["3"]),
        ("X = 3, X =:= 1 + 2", ["3"]),
        ("X = 3, X =\\= 3", []),
        ("X is 7 // 2", ["3"]),
        ("X = 3, X is 1 + 2", ["3"]),
        ("X = 4, X is 1 + 2", []),
        ("X is 2, Y is X * X, X < Y", ["2"]),
    ],
)
def test_comparisons(goal: str, expected: list[str]) -> None:
    assert answers("", goal, "X") == expected


def test_comparing_what_is_no_number() -> None:
    assert answers("", "X = a, X > 1") == []
    assert answers("", "X = a, \\+ X > 1", "X") == ["a"]
    assert answers("", "X = 0, (Y is 1 / X ; Y = none)", "Y") == ["none"]
    assert answers("", "X = 0, (1 / X > 0 -> Y = yes ; Y = no)", "Y") == ["no"]
    assert answers("", "findall(Y, (member(X, [2, 0, 4]), Y is 8 / X), L)", "L") == ["[4,2]"]
    with pytest.raises(EvaluationError, match=r"^X is not a number$"):
        answers("", "X > 1")


# Control


def test_disjunction_gives_the_answers_of_all_branches() -> None:
    assert answers(FAMILY, "(parent(X, dan) ; parent(X, eve) ; X = zoe)", "X") == ["bob", "cat", "zoe"]


def test_negation() -> None:
    assert answers(FAMILY, "parent(_, X), \\+ parent(X, _)", "X") == ["dan", "eve"]
    assert answers(FAMILY, "\\+ (parent(ann, X), age(X, 99))") == [""]
    assert answers(FAMILY, "\\+ \\+ parent(ann, X)", "X") == ["X"]


def test_if_then_else_keeps_the_first_answer_of_its_condition() -> None:
    assert answers(FAMILY, "(parent(ann, X) -> true ; X = none)", "X") == ["bob"]
    assert answers(FAMILY, "(parent(ann, X) -> parent(X, Y) ; Y = none)", "Y") == ["dan"]
    assert answers(FAMILY, "(parent(zoe, X) -> true ; parent(X, dan))", "X") == ["bob"]
    assert answers(FAMILY, "(parent(ann, Y) -> parent(ann, X) ; true)", "X") == ["bob", "cat"]


def test_if_then_without_else_fails() -> None:
    assert answers(FAMILY, "(parent(zoe, X) -> true)", "X") == []
    assert answers(FAMILY, "(parent(ann, X) -> true)", "X") == ["bob"]


def test_an_else_branch_may_be_another_condition() -> None:
    rules = "kind(N, K) :- (N < 0 -> K = negative ; N =:= 0 -> K = zero ; K = positive)."
    assert [answers(rules, f"kind({n}, K)", "K") for n in (-5, 0, 5)] == [["negative"], ["zero"], ["positive"]]


def test_findall() -> None:
    assert answers(FAMILY, "findall(X, parent(ann, X), L)", "L") == ["[bob,cat]"]
    assert answers(FAMILY, "findall(X, parent(zoe, X), L)", "L") == ["[]"]
    assert answers(FAMILY, "findall(X-A, (parent(ann, X), age(X, A)), L)", "L") == ["[bob - 35,cat - 33]"]
    assert answers(FAMILY, "findall(X, parent(ann, X), [Y, cat])", "Y") == ["bob"]
    assert answers(FAMILY, "findall(X, parent(ann, X), [_])") == []
    assert answers(FAMILY, "findall(X, parent(P, X), L)", "P", "L") == ["P, [bob,cat,dan,eve]"]


# Cut


def test_a_cut_keeps_the_first_answer_and_the_first_rule() -> None:
    rules = "p(1). p(2). first(X) :- p(X), !. first(3)."
    assert answers(rules, "first(X)", "X") == ["1"]


def test_a_cut_that_is_not_reached_does_nothing() -> None:
    assert answers("pick(X) :- none(X), !. pick(2). pick(3).", "pick(X)", "X") == ["2", "3"]


def test_what_comes_after_a_cut_has_all_its_answers() -> None:
    assert answers("p(1). p(2). q(a). q(b). both(X, Y) :- p(X), !, q(Y). both(0, 0).", "both(X, Y)", "X", "Y") == [
        "1, a",
        "1, b",
    ]


def test_a_cut_commits_even_if_the_rest_fails() -> None:
    rules = "bird(tweety). bird(pingu). odd(pingu). flies(X) :- odd(X), !, fail. flies(X) :- bird(X)."
    assert answers(rules, "flies(pingu)") == []
    assert answers(rules, "flies(tweety)") == [""]


def test_a_leading_cut_and_two_cuts() -> None:
    assert answers("p(X) :- !, X = 1. p(2).", "p(X)", "X") == ["1"]
    assert answers("q(1). q(2). p(X, Y) :- q(X), !, q(Y), !. p(3, 3).", "p(X, Y)", "X", "Y") == ["1, 1"]


def test_a_cut_is_local_to_its_rule() -> None:
    assert answers("p(1). p(2). one(X) :- p(X), !. r(X, Y) :- one(X), p(Y). r(0, 0).", "r(X, Y)", "X", "Y") == [
        "1, 1",
        "1, 2",
        "0, 0",
    ]


# Indexes


def test_many_facts_are_found_by_any_argument() -> None:
    rules = solver("\n".join(f"edge(n{n}, n{n + 1}, {n})." for n in range(100)))
    assert answers(rules, "edge(n7, X, _)", "X") == ["n8"]
    assert answers(rules, "edge(X, n8, _)", "X") == ["n7"]
    assert answers(rules, "edge(X, _, 50.0)", "X") == ["n50"]
    assert answers(rules, "edge(n7, n9, _)") == []
    assert answers(rules, "edge(nowhere, X, _)", "X") == []
    assert len(answers(rules, "edge(_, _, _)")) == 100


def test_an_index_keeps_the_order_of_facts_and_rules() -> None:
    facts = "\n".join(f"p(k{n % 3}, {n})." for n in range(9))
    rules = solver(f"p(k1, first).\n{facts}\np(X, rule) :- X \\= k0.\np(_, any).\np(f(X), X).\np(k1, last).")
    assert answers(rules, "p(k1, X)", "X") == ["first", "1", "4", "7", "rule", "any", "last"]
    assert answers(rules, "p(k0, X)", "X") == ["0", "3", "6", "any"]
    assert answers(rules, "p(unseen, X)", "X") == ["rule", "any"]
    assert answers(rules, "p(f(a), X)", "X") == ["rule", "any", "a"]


# Limits


@pytest.mark.parametrize(
    "rules",
    [
        "loop(X) :- loop(X).",
        "loop(X) :- step(X), step(X), step(X), step(X), step(X), step(X), loop(X). step(_).",
        "loop(X) :- \\+ \\+ (true ; fail), (step(X) -> \\+ \\+ loop(X) ; true). step(_).",
        "loop(X) :- other(X). other(X) :- findall(Y, loop(Y), X).",
    ],
)
def test_endless_recursion_is_reported(rules: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        answers(rules, "loop(a)")
    assert str(caught.value) == "background rules call each other too deeply; is there a base case?"


def test_a_solver_can_be_asked_again_after_an_error() -> None:
    rules = solver("loop(X) :- loop(X). fine(1).")
    for _ in range(3):
        with pytest.raises(EvaluationError):
            answers(rules, "loop(a)")
    assert answers(rules, "fine(X)", "X") == ["1"]


def test_lists_are_walked_by_recursion() -> None:
    rules = "total([], 0). total([X|T], S) :- total(T, R), S is R + X."
    numbers = list(range(80))
    assert answers(rules, f"total({numbers}, S)", "S") == ["3160"]


def test_conditions_about_time_need_a_solver_that_knows_time() -> None:
    literal = Holds(Fvp(Const("f"), Const("true")), Var("T"))
    with pytest.raises(EvaluationError, match=r"^Holds cannot be used in background knowledge$"):
        list(Solver({}).solve((literal,), {}))


def test_provable_stops_at_the_first_answer() -> None:
    rules = solver("p(1). p(X) :- p(X).")
    assert rules.provable(body("p(X)"), {}) is True
    assert rules.provable(body("q(X)"), {}) is False


def test_describe() -> None:
    assert [describe(term(text)) for text in ("go", "edge(a, b)", "7")] == ["go/0", "edge/2", "7"]


def test_endless_terms_are_reported() -> None:
    with pytest.raises(EvaluationError, match="too deeply"):
        answers("grow(X) :- Y = f(X), grow(Y).", "grow(a)")
