"""Situations, against the bodies that they are flattened to."""

from __future__ import annotations

import math
from typing import get_args

import pytest

from holdsfor.frontend.builder import (
    CUT,
    NEVER,
    Mode,
    Rules,
    complement,
    either,
    empty,
    fact,
    find_all,
    fluent,
    if_,
    intersection,
    let,
    named,
    nonempty,
    not_,
    seq,
    spans,
    union,
    variables,
    without,
)
from holdsfor.frontend.builder.steps import Step
from holdsfor.ir import AllenMode, AllenRelation
from tests.unit.builder.reading import assert_says

X, Y, L, I, I2 = variables("X Y L I I2")  # noqa: E741
a, b, c = fluent("a")(X), fluent("b")(X) == "on", fluent("c")()
ok = fact("ok")
A, B = named("A"), named("B")

READ_A = "holdsFor(a(X)=true, I1)"
READ_AB = f"{READ_A}, holdsFor(b(X)=on, I2)"
READ_ABC = f"{READ_AB}, holdsFor(c=true, I3)"


@pytest.mark.parametrize(
    ("steps", "body"),
    [
        ([a], "holdsFor(a(X)=true, I)"),
        ([a | b | c], f"{READ_ABC}, union_all([I1,I2,I3], I)"),
        ([a & b & c], f"{READ_ABC}, intersect_all([I1,I2,I3], I)"),
        ([a - b - c], f"{READ_ABC}, relative_complement_all(I1, [I2,I3], I)"),
        ([~a], f"{READ_A}, complement_all([I1], I)"),
        ([union(a)], f"{READ_A}, union_all([I1], I)"),
        ([union(intersection(a, b), c)],
         f"{READ_AB}, intersect_all([I1,I2], I3), holdsFor(c=true, I4), union_all([I3,I4], I)"),
        ([without(a, b, c)], f"{READ_ABC}, relative_complement_all(I1, [I2,I3], I)"),
        ([complement(a, b)], f"{READ_AB}, complement_all([I1,I2], I)"),
        ([a.then(b).then(c)], f"{READ_ABC}, seq(I1, I2, I4), seq(I4, I3, I)"),
        ([seq(a, seq(b, c))], f"{READ_ABC}, seq(I2, I3, I4), seq(I1, I4, I)"),
        ([a.longer_than(Y)], f"{READ_A}, intDurGreater(I1, Y, I)"),
        ([a.shorter_than(8)], f"{READ_A}, intDurLess(I1, 8, I)"),
        ([a.at_least(8)], f"{READ_A}, intDurAtLeast(I1, 8, I)"),
        ([a.at_most(Y * 2)], f"{READ_A}, intDurAtMost(I1, Y * 2, I)"),
        ([a.sometime_in_last(0, 8)], f"{READ_A}, diamond_minus(I1, [0,8], I)"),
        ([a.always_in_last(2, 8)], f"{READ_A}, box_minus(I1, [2,8], I)"),
        ([a.sometime_in_next(0, math.inf)], f"{READ_A}, diamond_plus(I1, [0,inf], I)"),
        ([a.always_in_next(3, 3)], f"{READ_A}, box_plus(I1, [3,3], I)"),
        ([a.since(b, 0, 8)], f"{READ_AB}, since(I1, [0,8], I2, I)"),
        ([a.until(b & c, 1, math.inf)], f"{READ_ABC}, intersect_all([I2,I3], I4), until(I1, [1,inf], I4, I)"),
        ([(a - b) | (b - a)],
         f"{READ_AB}, relative_complement_all(I1, [I2], I3), relative_complement_all(I2, [I1], I4), union_all([I3,I4], I)"),
        ([a, b], f"{READ_AB}, intersect_all([I1,I2], I)"),
        ([ok(X) & a], "ok(X), holdsFor(a(X)=true, I)"),
        ([ok(X), a, X > 1], "ok(X), holdsFor(a(X)=true, I), X > 1"),
        ([nonempty(a), a & b], f"{READ_A}, I1 \\= [], holdsFor(b(X)=on, I2), intersect_all([I1,I2], I)"),
        ([empty(a & b), c], f"{READ_AB}, intersect_all([I1,I2], I3), I3 = [], holdsFor(c=true, I)"),
        ([let(A, a), ~empty(A), A | b],
         "holdsFor(a(X)=true, A), A \\= [], holdsFor(b(X)=on, I1), union_all([A,I1], I)"),
        ([either(let(A, a), let(A, b)), ~A], "(holdsFor(a(X)=true, A) ; holdsFor(b(X)=on, A)), complement_all([A], I)"),
        ([not_(let(A, a), empty(A)), b], "\\+ (holdsFor(a(X)=true, A), A = []), holdsFor(b(X)=on, I)"),
        ([if_(ok(X), then=a, otherwise=[ok(Y), ~b])],
         "(ok(X) -> holdsFor(a(X)=true, I) ; ok(Y), holdsFor(b(X)=on, I1), complement_all([I1], I))"),
        ([if_(nonempty(a), then=a | b, otherwise=a)],
         f"({READ_A}, I1 \\= [] -> holdsFor(b(X)=on, I2), union_all([I1,I2], I) ; holdsFor(a(X)=true, I))"),
        ([if_(ok(X), then=a) & b],
         "(ok(X) -> holdsFor(a(X)=true, I1)), holdsFor(b(X)=on, I2), intersect_all([I1,I2], I)"),
        ([if_(ok(X), then=ok(Y)), a], "(ok(X) -> ok(Y)), holdsFor(a(X)=true, I)"),
        ([find_all(A, ok(X), let(A, a), into=L), union(rest=L)],
         "findall(A, (ok(X), holdsFor(a(X)=true,A)), L), union_all(L, I)"),
        ([ok(L), intersection(a, rest=L)], f"ok(L), {READ_A}, intersect_all([I1|L], I)"),
        ([ok(L), without(a, rest=L)], f"ok(L), {READ_A}, relative_complement_all(I1, L, I)"),
        ([a & spans((1, 5), (7, "inf"))], f"{READ_A}, intersect_all([I1,[(1,5),(7,inf)]], I)"),
        ([if_(ok(X), then=a, otherwise=NEVER)], "(ok(X) -> holdsFor(a(X)=true, I) ; union_all([[]], I))"),
        ([ok(I, I2), a & b],
         "ok(I, I2), holdsFor(a(X)=true, I1), holdsFor(b(X)=on, I3), intersect_all([I1,I3], I4)"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)  # fmt: skip
def test_during(steps: list[Step], body: str) -> None:
    rules = Rules()
    rules.holds(fluent("f")(X)).during(*steps)
    out = "I4" if "ok(I, I2)" in body else "I"
    assert_says(rules, f"holdsFor(f(X)=true, {out}) :- {body}.")


def test_named_result_and_fallback() -> None:
    rules = Rules()
    rules.holds(fluent("f")(X)).during(ok(X), CUT, let(A, a | b), A)
    rules.holds(fluent("f")(X)).during(NEVER)
    rules.holds(fluent("f")(X)).during(let(A, a), let(B, A), B)
    assert_says(
        rules,
        f"""
        holdsFor(f(X)=true, A) :- ok(X), !, {READ_AB}, union_all([I1,I2], A).
        holdsFor(f(X)=true, []).
        holdsFor(f(X)=true, B) :- holdsFor(a(X)=true, A), B = A.
        """,
    )


@pytest.mark.parametrize("mode", AllenMode)
@pytest.mark.parametrize("relation", AllenRelation)
def test_allen(relation: AllenRelation, mode: AllenMode) -> None:
    rules = Rules()
    method = "equals" if relation is AllenRelation.EQUAL else relation.value
    rules.holds(fluent("f")(X)).during(getattr(a, method)(b, give=mode.value))
    rules.holds(fluent("g")(X)).during(a.allen(relation, b, give=mode))
    assert_says(
        rules,
        f"""
        holdsFor(f(X)=true, I) :- {READ_AB}, {relation}(I1, I2, {mode}, I).
        holdsFor(g(X)=true, I) :- {READ_AB}, allen({relation}, I1, I2, {mode}, I).
        """,
    )


def test_the_type_of_modes_names_them_all() -> None:
    modes = get_args(Mode)
    assert {mode for one in modes for mode in get_args(one)} == {mode.value for mode in AllenMode}


def test_intervals_in_background_rules() -> None:
    rules = Rules()
    rules.define(ok(X)).when(let(A, a.longer_than(3)), nonempty(A))
    assert_says(rules, f"ok(X) :- {READ_A}, intDurGreater(I1, 3, A), A \\= [].")
