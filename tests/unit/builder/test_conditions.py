"""Conditions, terms and heads, one by one, against the text they stand for."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest

from holdsfor.frontend.builder import (
    ANY,
    CUT,
    Condition,
    Rules,
    T,
    compare,
    either,
    event,
    fact,
    find_all,
    fluent,
    fn,
    if_,
    initiated,
    items,
    let,
    lib,
    not_,
    term,
    terminated,
    var,
    variables,
)
from holdsfor.ir import DeclarationKind
from tests.unit.builder.reading import assert_says

X, Y, Z, L, T0 = variables("X Y Z L T0")
a, b, c = fluent("a"), fluent("b"), fluent("c")
go, ok = event("go"), fact("ok")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (go(X), "happensAt(go(X), T)"),
        (go(), "happensAt(go, T)"),
        (go(X).at(T0), "happensAt(go(X), T0)"),
        (a(X), "holdsAt(a(X)=true, T)"),
        (a(X) == "on", "holdsAt(a(X)=on, T)"),
        (a().any, "holdsAt(a=_, T)"),
        (a(X, ANY) == Y, "holdsAt(a(X,_)=Y, T)"),
        (initiated(a(X)), "initiatedAt(a(X)=true, T)"),
        (terminated(a(X)).at(T - 1), "terminatedAt(a(X)=true, T - 1)"),
        (ok(X, True, 2.5, "two words", [1, "x"], (1, 2)), "ok(X, true, 2.5, 'two words', [1,x], (1,2))"),
        (~a(X), "\\+ holdsAt(a(X)=true, T)"),
        (~~go(X), "\\+ \\+ happensAt(go(X), T)"),
        (not_(go(X), ok(X)), "\\+ (happensAt(go(X), T), ok(X))"),
        (a(X) & b(X) & ok(X), "holdsAt(a(X)=true, T), holdsAt(b(X)=true, T), ok(X)"),
        (a(X) | b(X) | ok(X), "(holdsAt(a(X)=true, T) ; holdsAt(b(X)=true, T)) ; ok(X)"),
        (ok(X) | ok(Y) | a(X), "(ok(X) ; ok(Y) ; holdsAt(a(X)=true, T))"),
        (ok(X) & (a(X) | b(X)), "ok(X), (holdsAt(a(X)=true, T) ; holdsAt(b(X)=true, T))"),
        (a(X) - b(X) - c(X), "holdsAt(a(X)=true, T), \\+ holdsAt(b(X)=true, T), \\+ holdsAt(c(X)=true, T)"),
        ((a(X) & go(X)).at(T0), "holdsAt(a(X)=true, T0), happensAt(go(X), T0)"),
        (either(ok(X), ok(Y) & ok(Z)), "(ok(X) ; ok(Y), ok(Z))"),
        (either(ok(X), either(ok(Y), ok(Z))), "(ok(X) ; ok(Y) ; ok(Z))"),
        (if_(ok(X), then=a(X), otherwise=b(X)), "(ok(X) -> holdsAt(a(X)=true, T) ; holdsAt(b(X)=true, T))"),
        (if_([ok(X), ok(Y)], then=[a(X), X > 1]), "(ok(X), ok(Y) -> holdsAt(a(X)=true, T), X > 1)"),
        (if_(ok(X), then=ok(Y)) | ok(Z), "((ok(X) -> ok(Y) ; fail) ; ok(Z))"),
        (find_all(X, a(X) == "on", X > 1, into=L), "findall(X, (holdsAt(a(X)=on,T), X > 1), L)"),
        (lib.member(X, [1, 2]), "member(X, [1,2])"),
        (lib.sum_list(L, X), "sum_list(L, X)"),
        (CUT, "!"),
        (ok(items(X, 2, rest=Y), items(rest=L)), "ok([X,2|Y], L)"),
        (ok(term("f")(X, term("g")())), "ok(f(X,g))"),
        (ok(go(X), a(X), b(X) == 1), "ok(go(X), a(X), b(X)=1)"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_condition(condition: Condition, text: str) -> None:
    rules = Rules()
    rules.initiate(fluent("f")(X)).when(condition)
    assert_says(rules, f"initiatedAt(f(X)=true, T) :- {text}.")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (X == Y, "X = Y"),
        (X != "on", "X \\= on"),
        (X + 1 == Y, "X + 1 =:= Y"),
        (X != Y * 2, "X =\\= Y * 2"),
        (X < 1, "X < 1"),
        (X <= 1.5, "X =< 1.5"),
        (operator.lt(1, X), "X > 1"),
        (X >= -1, "X >= -1"),
        (compare("@<", X, Y), "X @< Y"),
        (compare("==", X, "on"), "X == on"),
        (let(X, Y), "X is Y"),
        (let(X, 1 + Y * 2 - Z / 3), "X is 1 + Y * 2 - Z / 3"),
        (let(X, (Y + 1) * (2 - Z)), "X is (Y + 1) * (2 - Z)"),
        (let(X, Y // 2 + Y % 3), "X is Y div 2 + Y mod 3"),
        (let(X, term("//")(Y, 2)), "X is Y // 2"),
        (let(X, -(Y**2)), "X is - Y ** 2"),
        (let(X, 2 ** (+Y)), "X is 2 ** + Y"),
        (let(X, abs(Y) + round(Y)), "X is abs(Y) + round(Y)"),
        (let(X, math.floor(Y) + math.ceil(Y) + math.trunc(Y)), "X is floor(Y) + ceiling(Y) + truncate(Y)"),
        (let(X, fn.max(Y, fn.sqrt(Z))), "X is max(Y, sqrt(Z))"),
        (let(X, 7 // Y + 7 % Y - 1 / Y * (2 * Y)), "X is 7 div Y + 7 mod Y - 1 / Y * (2 * Y)"),
        (compare("<", X, math.inf), "X < inf"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_comparison(condition: Condition, text: str) -> None:
    rules = Rules()
    rules.define(fact("f")(X)).when(condition)
    assert_says(rules, f"f(X) :- {text}.")


def add_everything(rules: Any) -> None:
    rules.initially(a(X)).when(ok(X))
    rules.initially(a(1) == "on")
    rules.terminate(a(X).any).when(go(X))
    rules.initiate(a(X), at=5)
    rules.happens(event("gone")(X), at=Y).when(go(X).at(Y))
    rules.after(X, a(Y) == "on", becomes="off").when(ok(X, Y))
    rules.after(3, a(Y) == "on", becomes=b(Y) == "off")
    rules.ends_after(4, a(ANY))
    rules.ends_after(X, a(X)).when(let(X, fn.max(2, 3)))
    rules.postpone(a(ANY))
    rules.postpone(a(X)).when(ok(X))
    rules.fact(ok(1), ok(2), fact("p")(1))
    rules.define(ok(X, Y)).when(ok(X), ok(Y), compare("@<", X, Y))
    rules.define(ok(T)).when(a(X).at(T))
    rules.ground(a(X)).when(ok(X))
    rules.ground(go(X))
    rules.input_intervals(a(ANY))
    rules.input_points(b(ANY) == "on")
    rules.declare("points", b(X))
    rules.declare(DeclarationKind.DYNAMIC_DOMAIN, term("ship")(X))
    rules.declare("cachingOrder", a(X)).when(ok(X))
    rules.declare("directive", term("dynamic")(term("/")("ok", 1)), "done")


def test_heads() -> None:
    rules = Rules()
    add_everything(rules)
    assert_says(
        rules,
        """
        initially(a(X)=true) :- ok(X).
        initially(a(1)=on).
        terminatedAt(a(X)=_, T) :- happensAt(go(X), T).
        initiatedAt(a(X)=true, 5).
        happensAt(gone(X), Y) :- happensAt(go(X), Y).
        fi(a(Y)=on, a(Y)=off, X) :- ok(X, Y).
        fi(a(Y)=on, b(Y)=off, 3).
        ft(a(_)=true, 4).
        ft(a(X)=true, X) :- X is max(2, 3).
        p(a(_)=true).
        p(a(X)=true) :- ok(X).
        ok(1).
        ok(2).
        p(1).
        ok(X, Y) :- ok(X), ok(Y), X @< Y.
        ok(T) :- holdsAt(a(X)=true, T).
        grounding(a(X)=true) :- ok(X).
        grounding(go(X)).
        collectIntervals(a(_)=true).
        buildFromPoints(b(_)=on).
        points(b(X)=true).
        dynamicDomain(ship(X)).
        cachingOrder(a(X)=true) :- ok(X).
        :- (dynamic ok/1), done.
        """,
    )


def test_rules_stand_in_the_order_of_their_heads() -> None:
    rules, other = Rules(), Rules()
    later = rules.initiate(a(X))
    other.fact(ok(1))
    rules.include(other)
    rules.include(other.program())
    later.when(go(X))
    assert_says(rules, "initiatedAt(a(X)=true, T) :- happensAt(go(X), T). ok(1). ok(1).")


def test_arguments_by_name() -> None:
    rules, pay = Rules(), event("pay", "card", "city", "amount")
    rules.initiate(fluent("f", "x")(x=X)).when(pay(amount=X), pay(X, "rome", 3))
    assert_says(rules, "initiatedAt(f(X)=true, T) :- happensAt(pay(_,_,X), T), happensAt(pay(X,rome,3), T).")


def test_var_underscore_is_any() -> None:
    assert var("_") is ANY
