"""Background knowledge at compile time: recursion worked out, arguments that must be bound."""

from __future__ import annotations

import pytest

from holdsfor.compiler import background as module
from holdsfor.compiler.background import Background
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.terms import Compound, Const
from tests.unit.logic.reading import answers, facts, program

CYCLE = "edge(a, b). edge(b, c). edge(c, a). edge(c, d).\n"
EVERYWHERE = sorted(f"{start}, {end}" for start in "abc" for end in "abcd")


def knowledge(text: str) -> Background:
    return Background(program(text))


@pytest.mark.parametrize(
    "rules",
    [
        "path(X, Y) :- edge(X, Y). path(X, Y) :- edge(X, Z), path(Z, Y).",
        "path(X, Y) :- edge(X, Y). path(X, Y) :- path(X, Z), edge(Z, Y).",
        "path(X, Y) :- path(X, Z), path(Z, Y). path(X, Y) :- edge(X, Y).",
        "path(X, Y) :- edge(X, Y) ; edge(X, Z), path(Z, Y).",
    ],
    ids=["right", "left", "both sides", "disjunction"],
)
def test_recursion_over_cyclic_data(rules: str) -> None:
    found = knowledge(CYCLE + rules)
    assert found.evaluated == {("path", 2): 12}
    assert found.problems == []
    assert sorted(answers(found.solver(), "path(X, Y)", "X", "Y")) == EVERYWHERE
    assert sorted(answers(found.solver(), "path(c, Y)", "Y")) == ["a", "b", "c", "d"]
    assert answers(found.solver(), "path(d, Y)", "Y") == []


def test_mutual_recursion() -> None:
    found = knowledge(
        CYCLE + "odd(X, Y) :- edge(X, Y). odd(X, Y) :- edge(X, Z), even(Z, Y). even(X, Y) :- edge(X, Z), odd(Z, Y)."
    )
    assert set(found.evaluated) == {("odd", 2), ("even", 2)}
    assert sorted(answers(found.solver(), "even(a, Y)", "Y")) == ["a", "b", "c", "d"]


def test_recursion_with_arithmetic_that_ends() -> None:
    found = knowledge("count(0). count(N) :- count(M), M < 5, N is M + 1.")
    assert facts(found.rules["count", 1]) == [f"count({n})" for n in range(6)]
    assert found.problems == []


def test_rules_without_recursion_stay_rules() -> None:
    found = knowledge(CYCLE + "far(X, Y) :- edge(X, Z), edge(Z, Y).")
    assert found.evaluated == {}
    assert sorted(answers(found.solver(), "far(a, Y)", "Y")) == ["c"]


def test_structural_recursion_stays_a_rule() -> None:
    found = knowledge("total([], 0). total([X|T], S) :- total(T, R), S is R + X.")
    assert found.evaluated == {}
    assert found.problems == []
    assert answers(found.solver(), "total([1, 2, 3], S)", "S") == ["6"]


def test_structural_recursion_with_open_items() -> None:
    found = knowledge("count([], 0). count([_|T], N) :- count(T, M), N is M + 1.")
    assert found.evaluated == {}
    assert answers(found.solver(), "count([a, b, c], N)", "N") == ["3"]


def test_recursion_without_a_base_case_is_empty() -> None:
    found = knowledge("loop(X) :- loop(X).")
    assert found.evaluated == {("loop", 1): 0}
    assert answers(found.solver(), "loop(X)", "X") == []


def test_endless_structural_recursion_is_reported_when_called() -> None:
    found = knowledge("walk(_, end). walk(X, Y) :- walk(f(X), Y), never(Y). never(no).")
    assert found.evaluated == {}
    with pytest.raises(EvaluationError, match="too deeply"):
        answers(found.solver(), "walk(a, Y)")


def test_endless_enumeration_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FACTS", 100)
    found = knowledge("count(0). count(N) :- count(M), N is M + 1.")
    ((rule, what),) = found.problems
    assert what == "infinite"
    assert facts([rule]) == ["count(N)"]


def test_a_test_on_every_item_of_a_list_is_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FACTS", 100)
    found = knowledge("known(a). known(b). all_known([]). all_known([X|T]) :- known(X), all_known(T).")
    assert found.problems == []
    assert answers(found.solver(), "all_known([a, b, a])") == [""]
    assert answers(found.solver(), "all_known([a, c])") == []


def test_recursion_over_a_recursive_predicate() -> None:
    found = knowledge(
        CYCLE
        + "path(X, Y) :- edge(X, Y). path(X, Y) :- path(X, Z), edge(Z, Y)."
        + "trip(X, Y) :- path(X, Y). trip(X, Y) :- trip(X, Z), path(Z, Y)."
    )
    assert found.evaluated == {("path", 2): 12, ("trip", 2): 12}


def test_recursion_through_negation_is_reported() -> None:
    found = knowledge("edge(a, b). wins(X) :- edge(X, Y), \\+ wins(Y).")
    ((rule, what),) = found.problems
    assert what == "recursion"
    assert facts([rule]) == ["wins(X)"]
    assert found.evaluated == {}


def test_bodies_are_put_into_an_order_that_runs() -> None:
    found = knowledge("age(ann, 60). age(bob, 5). old(X) :- A > 50, age(X, A).")
    assert answers(found.solver(), "old(X)", "X") == ["ann"]
    assert found.needs(("old", 1)) == ()


@pytest.mark.parametrize(
    ("rules", "name", "needed"),
    [
        ("double(X, Y) :- Y is 2 * X.", ("double", 2), (0,)),
        ("close(X, Y) :- abs(X - Y) < 5.", ("close", 2), (0, 1)),
        ("known(X, Y) :- p(X), Y is X + 1. p(1).", ("known", 2), ()),
        ("twice(X, Y) :- double(X, Z), double(Z, Y). double(X, Y) :- Y is 2 * X.", ("twice", 2), (0,)),
        ("anything(_, 1).", ("anything", 2), ()),
        ("other(X, Y) :- p(X). p(1).", ("other", 2), (1,)),
        ("has(X, L) :- member(X, L).", ("has", 2), (1,)),
        ("total([], 0). total([X|T], S) :- total(T, R), S is R + X.", ("total", 2), (0,)),
    ],
)
def test_needs(rules: str, name: tuple[str, int], needed: tuple[int, ...]) -> None:
    assert knowledge(rules).needs(name) == needed


def test_a_dynamic_domain_has_what_is_put_into_it() -> None:
    found = knowledge("dynamicDomain(vessel(_)). vessel(aurora). known(X) :- vessel(X). place(brest).")
    assert found.domains == {("vessel", 1)}
    assert found.dependent == {("vessel", 1), ("known", 1)}
    assert answers(found.solver(), "known(X)", "X") == ["aurora"]
    filled = found.filled([Compound("vessel", (Const("boreas"),)), Compound("vessel", (Const("aurora"),))])
    assert answers(filled.solver(), "known(X)", "X") == ["aurora", "boreas"]
    assert answers(found.solver(), "known(X)", "X") == ["aurora"]


def test_recursion_over_a_dynamic_domain_is_worked_out_when_it_is_filled() -> None:
    found = knowledge("dynamicDomain(link(_,_)). reach(X,Y) :- link(X,Y). reach(X,Y) :- reach(X,Z), link(Z,Y).")
    assert found.evaluated == {}
    links = [("a", "b"), ("b", "c"), ("c", "a")]
    filled = found.filled([Compound("link", (Const(one), Const(other))) for one, other in links])
    assert filled.evaluated == {("reach", 2): 9}
    assert sorted(answers(filled.solver(), "reach(a, X)", "X")) == ["a", "b", "c"]


def test_facts_are_a_set() -> None:
    rules = "rel(a). rel(a). rel(b). twice(X) :- rel(X). twice(X) :- rel(X), X = a. first(X) :- pair(X, _)."
    found = knowledge(f"{rules} pair(a, 1). pair(a, 2).")
    assert answers(found.solver(), "rel(X)", "X") == ["a", "b"]
    assert answers(found.solver(), "twice(X)", "X") == ["a", "b"]
    assert answers(found.solver(), "first(X)", "X") == ["a"]


@pytest.mark.parametrize(
    ("atom", "known", "left_open"),
    [
        ("price(C, P)", "", "C"),
        ("price(C, P)", "C", ""),
        ("price(P, P)", "", ""),
        ("same(X, Y)", "", "X Y"),
        ("same(X, Y)", "Y", ""),
        ("chain(X, Y, Y, Z)", "X", ""),
        ("chain(X, Y, Y, Z)", "", "X Y Z"),
        ("plain(X)", "", ""),
    ],
)
def test_what_facts_with_variables_leave_open(atom: str, known: str, left_open: str) -> None:
    found = knowledge("price(_, 10). price(bob, 3). same(X, X). chain(A, A, B, B). plain(a).")
    term = program(f"{atom}.").background[0].head
    assert found.needs.left_open(term, set(known.split())) == set(left_open.split())


def test_facts_that_wait_for_each_other_are_one_question() -> None:
    found = knowledge("ok(G, W) :- decrypt(G, D), meets(D, W). decrypt(_, _). meets(_, book). meets(X, X).")
    assert found.needs(("ok", 2)) == (0, 1)
    assert answers(found.solver(), "ok(g, book)") == [""]
    assert answers(found.solver(), "ok(g, pen)") == [""]
    other = knowledge(
        "ok(G, W) :- decrypt(G, D), meets(D, W). decrypt(g, c). decrypt(h, _). meets(_, book). meets(d, pen)."
    )
    assert answers(other.solver(), "ok(g, pen)") == []
    assert answers(other.solver(), "ok(h, pen)") == [""]


def test_terms_that_grow_without_end_are_not_enumerated() -> None:
    found = knowledge("natural(zero). natural(next(N)) :- natural(N).")
    assert found.evaluated == {}
    assert answers(found.solver(), "natural(next(next(zero)))") == [""]
    assert answers(found.solver(), "natural(next(one))") == []
