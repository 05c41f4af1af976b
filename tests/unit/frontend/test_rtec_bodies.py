"""Conditions of RTEC rules, one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdsfor import ir
from holdsfor.syntax.terms import EMPTY_LIST, Const, ListTerm, Var
from tests.unit.frontend.reading import (
    I1,
    I2,
    OUT,
    L,
    T,
    X,
    background_body,
    call,
    effect_body,
    interval_body,
    items,
    only,
    pair,
    read,
)

a, b, c, d, e = (ir.Call(Const(name)) for name in "abcde")


# Conditions about time-points


@pytest.mark.parametrize(
    ("goal", "literal"),
    [
        ("happensAt(press, T)", ir.Happens(Const("press"), T)),
        ("happensAt(press(X, 1), T)", ir.Happens(call("press", "X", 1), T)),
        ("happensAt(start(f(X)=v), T)", ir.Boundary(ir.Edge.START, pair(call("f", "X"), "v"), T)),
        ("happensAt(end(f=V), T)", ir.Boundary(ir.Edge.END, pair("f", "V"), T)),
        ("happensAt(start(a, b), T)", ir.Happens(call("start", "a", "b"), T)),
        ("happensAt(start, T)", ir.Happens(Const("start"), T)),
        ("holdsAt(f(X)=v, T)", ir.Holds(pair(call("f", "X"), "v"), T)),
        ("holdsAt(per(vote(X))=V, T)", ir.Holds(pair(call("per", call("vote", "X")), "V"), T)),
        ("initiatedAt(f=v, T)", ir.Effect(ir.EffectKind.INITIATED, pair("f", "v"), T)),
        ("terminatedAt(f=v, T)", ir.Effect(ir.EffectKind.TERMINATED, pair("f", "v"), T)),
        ("initiatedAt(f=v, T1, T, T2)", ir.Effect(ir.EffectKind.INITIATED, pair("f", "v"), T)),
        ("terminatedAt(f=v, _, T, _)", ir.Effect(ir.EffectKind.TERMINATED, pair("f", "v"), T)),
        ("known(X)", ir.Call(call("known", "X"))),
        ("ready", ir.Call(Const("ready"))),
        ("!", ir.Cut()),
        ("X is T + 1", ir.Assign(X, call("+", "T", 1))),
        ("findall(X, holdsAt(f(X)=v, T), L)", ir.FindAll(X, (ir.Holds(pair(call("f", "X"), "v"), T),), L)),
        ("X = []", ir.Compare("=", X, EMPTY_LIST)),
        ("X =.. L", ir.Call(call("=..", "X", "L"))),
        ("before(X, a, b, c)", None),
    ],
)
def test_conditions(goal: str, literal: ir.Literal | None) -> None:
    if literal is None:
        with pytest.raises(AssertionError):
            effect_body(goal)
        return
    assert only(effect_body(goal)) == literal


@pytest.mark.parametrize("operator", "= \\= == \\== @< @> @=< @>= =:= =\\= < > =< >=".split())
def test_comparisons(operator: str) -> None:
    assert only(effect_body(f"X {operator} f(1)")) == ir.Compare(operator, X, call("f", 1))


@pytest.mark.parametrize(
    ("goals", "body"),
    [
        ("a, b, c", (a, b, c)),
        ("(a, b), c", (a, b, c)),
        ("a, (b, (c, d))", (a, b, c, d)),
        ("true", ()),
        ("a, true, b", (a, b)),
        ("(true, true)", ()),
        ("\\+ a", (ir.Not((a,)),)),
        ("not a", (ir.Not((a,)),)),
        ("not(a)", (ir.Not((a,)),)),
        ("not (a, b)", (ir.Not((a, b)),)),
        ("\\+ (a, b), c", (ir.Not((a, b)), c)),
        ("\\+ \\+ a", (ir.Not((ir.Not((a,)),)),)),
        ("\\+ true", (ir.Not(()),)),
        ("(a ; b)", (ir.Or(((a,), (b,))),)),
        ("(a, b ; c ; true)", (ir.Or(((a, b), (c,), ())),)),
        ("(a ; (b ; c))", (ir.Or(((a,), (b,), (c,))),)),
        ("((a ; b) ; c)", (ir.Or(((ir.Or(((a,), (b,))),), (c,))),)),
        ("(a -> b ; c)", (ir.IfThenElse((a,), (b,), (c,)),)),
        ("(a, b -> c, d ; e)", (ir.IfThenElse((a, b), (c, d), (e,)),)),
        ("(a -> b)", (ir.IfThenElse((a,), (b,), None),)),
        ("(a -> b ; c ; d)", (ir.IfThenElse((a,), (b,), (ir.Or(((c,), (d,))),)),)),
        ("(a -> b ; c -> d ; e)", (ir.IfThenElse((a,), (b,), (ir.IfThenElse((c,), (d,), (e,)),)),)),
        ("(a -> b ; c -> d)", (ir.IfThenElse((a,), (b,), (ir.IfThenElse((c,), (d,), None),)),)),
        ("(a ; b -> c ; d)", (ir.Or(((a,), (ir.IfThenElse((b,), (c,), (d,)),))),)),
        ("(a ; b -> c)", (ir.Or(((a,), (ir.IfThenElse((b,), (c,), None),))),)),
        ("(a ; b ; c -> d ; e)", (ir.Or(((a,), (b,), (ir.IfThenElse((c,), (d,), (e,)),))),)),
        ("((a -> b ; c) ; d)", (ir.Or(((ir.IfThenElse((a,), (b,), (c,)),), (d,))),)),
        ("((a -> b) , c ; d)", (ir.Or(((ir.IfThenElse((a,), (b,), None), c), (d,))),)),
    ],
)
def test_control(goals: str, body: ir.Body) -> None:
    assert effect_body(goals) == body
    assert interval_body(goals) == body
    assert background_body(goals) == body


# Conditions about intervals


def algebra(operator: ir.IntervalOperator, *inputs: Var | ListTerm) -> ir.Algebra:
    return ir.Algebra(operator, inputs, OUT)


@pytest.mark.parametrize(
    ("goal", "literal"),
    [
        ("holdsFor(g(X)=v, I1)", ir.Intervals(pair(call("g", "X"), "v"), I1)),
        ("holdsFor(g=V, I1)", ir.Intervals(pair("g", "V"), I1)),
        ("union_all([I1, I2], I)", algebra(ir.IntervalOperator.UNION, I1, I2)),
        ("union_all([], I)", algebra(ir.IntervalOperator.UNION)),
        ("union_all(L, I)", algebra(ir.IntervalOperator.UNION, items(tail=L))),
        ("union_all([I1|L], I)", algebra(ir.IntervalOperator.UNION, I1, items(tail=L))),
        ("intersect_all([I1, I2], I)", algebra(ir.IntervalOperator.INTERSECTION, I1, I2)),
        ("intersect_all(L, I)", algebra(ir.IntervalOperator.INTERSECTION, items(tail=L))),
        ("complement_all([I1], I)", algebra(ir.IntervalOperator.COMPLEMENT, I1)),
        ("relative_complement_all(I1, [I2], I)", algebra(ir.IntervalOperator.RELATIVE_COMPLEMENT, I1, I2)),
        ("relative_complement_all(I1, [], I)", algebra(ir.IntervalOperator.RELATIVE_COMPLEMENT, I1)),
        ("relative_complement_all(I1, L, I)", algebra(ir.IntervalOperator.RELATIVE_COMPLEMENT, I1, items(tail=L))),
        ("seq(I1, I2, I)", algebra(ir.IntervalOperator.SEQUENCE, I1, I2)),
        ("intDurGreater(I1, 5, I)", ir.Algebra(ir.IntervalOperator.LONGER, (I1,), OUT, bound=Const(5))),
        ("intDurLess(I1, X, I)", ir.Algebra(ir.IntervalOperator.SHORTER, (I1,), OUT, bound=X)),
        ("intDurAtLeast(I1, 5, I)", ir.Algebra(ir.IntervalOperator.AT_LEAST, (I1,), OUT, bound=Const(5))),
        ("intDurAtMost(I1, 5, I)", ir.Algebra(ir.IntervalOperator.AT_MOST, (I1,), OUT, bound=Const(5))),
        ("I1 = []", ir.Guard(I1, empty=True)),
        ("[] = I1", ir.Guard(I1, empty=True)),
        ("I1 == []", ir.Guard(I1, empty=True)),
        ("I1 \\= []", ir.Guard(I1, empty=False)),
        ("[] \\== I1", ir.Guard(I1, empty=False)),
        ("\\+ I1 = []", ir.Guard(I1, empty=False)),
        ("not I1 \\= []", ir.Guard(I1, empty=True)),
        ("\\+ \\+ I1 = []", ir.Guard(I1, empty=True)),
        ("\\+ (I1 = [], a)", ir.Not((ir.Guard(I1, empty=True), a))),
        ("I1 = [X]", ir.Compare("=", I1, items("X"))),
        ("f(X) = []", ir.Compare("=", call("f", "X"), EMPTY_LIST)),
        ("known(X)", ir.Call(call("known", "X"))),
        ("findall(I1, holdsFor(f(X)=v, I1), L)", ir.FindAll(I1, (ir.Intervals(pair(call("f", "X"), "v"), I1),), L)),
    ],
)
def test_interval_conditions(goal: str, literal: ir.Literal) -> None:
    assert only(interval_body(goal)) == literal


def test_guards_inside_control() -> None:
    assert only(interval_body("(I1 = [] -> a ; b)")) == ir.IfThenElse((ir.Guard(I1, empty=True),), (a,), (b,))


def test_interval_conditions_in_background_knowledge() -> None:
    assert only(background_body("union_all([I1, I2], I)")) == algebra(ir.IntervalOperator.UNION, I1, I2)
    assert only(background_body("I1 = []")) == ir.Compare("=", I1, EMPTY_LIST)
    assert only(background_body("intDurGreater(I1, 5, I)")) == replace(
        algebra(ir.IntervalOperator.LONGER, I1), bound=Const(5)
    )


# Allen


@pytest.mark.parametrize("relation", ir.AllenRelation)
def test_allen_relations(relation: ir.AllenRelation) -> None:
    expected = ir.Algebra(ir.IntervalOperator.ALLEN, (I1, I2), OUT, relation=relation, mode=ir.AllenMode.SOURCE)
    assert only(interval_body(f"allen({relation}, I1, I2, source, I)")) == expected
    assert only(interval_body(f"{relation}(I1, I2, source, I)")) == expected


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("source", ir.AllenMode.SOURCE),
        ("lhs", ir.AllenMode.SOURCE),
        ("target", ir.AllenMode.TARGET),
        ("rhs", ir.AllenMode.TARGET),
        ("union", ir.AllenMode.UNION),
        ("intersection", ir.AllenMode.INTERSECTION),
        ("intersect", ir.AllenMode.INTERSECTION),
        ("relative_complement", ir.AllenMode.RELATIVE_COMPLEMENT),
        ("complement", ir.AllenMode.RELATIVE_COMPLEMENT),
        ("relative_complement_inverse", ir.AllenMode.RELATIVE_COMPLEMENT_INVERSE),
        ("complement_inv", ir.AllenMode.RELATIVE_COMPLEMENT_INVERSE),
    ],
)
def test_allen_modes(name: str, mode: ir.AllenMode) -> None:
    expected = ir.Algebra(ir.IntervalOperator.ALLEN, (I1, I2), OUT, relation=ir.AllenRelation.MEETS, mode=mode)
    assert only(interval_body(f"allen(meets, I1, I2, {name}, I)")) == expected
    assert only(interval_body(f"meets(I1, I2, '{name}', I)")) == expected


def test_a_short_form_with_other_arguments_is_a_background_predicate() -> None:
    assert only(interval_body("before(X, Y)")) == ir.Call(call("before", "X", "Y"))


def test_a_short_form_that_the_program_defines_is_its_own() -> None:
    program = read("before(_, _, _, _).\nholdsFor(f=v, I) :- holdsFor(g=v, I), before(a, b, c, d).")
    assert program.intervals[0].body[1] == ir.Call(call("before", "a", "b", "c", "d"))


# Aliases


@pytest.mark.parametrize("alias", ["I = I1", "I1 = I"])
def test_an_alias_is_a_union_of_one(alias: str) -> None:
    first = ir.Intervals(pair("g", "v"), I1)
    assert interval_body(f"holdsFor(g=v, I1), {alias}") == (first, algebra(ir.IntervalOperator.UNION, I1))
    assert interval_body(f"{alias}, holdsFor(g=v, I1)") == (algebra(ir.IntervalOperator.UNION, I1), first)


def test_an_alias_of_an_alias() -> None:
    found = interval_body("I = I2, holdsFor(g=v, I1), I2 = I1")
    assert found == (
        ir.Algebra(ir.IntervalOperator.UNION, (I2,), OUT),
        ir.Intervals(pair("g", "v"), I1),
        ir.Algebra(ir.IntervalOperator.UNION, (I1,), I2),
    )


def test_what_is_no_alias() -> None:
    assert interval_body("holdsFor(g=V, I1), X = V")[1] == ir.Compare("=", X, Var("V"))
    both = interval_body("holdsFor(g=v, I1), holdsFor(h=v, I2), I1 = I2")
    assert both[2] == ir.Compare("=", I1, I2)
    assert effect_body("X = T") == (ir.Compare("=", X, T),)


# Spans


def test_literals_know_where_they_stand() -> None:
    text = "holdsFor(f=v, I) :-\n    holdsFor(g=v, I1),\n    \\+ I1 = [],\n    (a ; b),\n    union_all([I1], I).\n"
    (rule,) = read(text).rules
    assert [literal.span.text for literal in rule.body] == [
        "holdsFor(g=v, I1)",
        "\\+ I1 = []",
        "(a ; b)",
        "union_all([I1], I)",
    ]


def test_the_index_of_a_fluent_may_come_first() -> None:
    plain = interval_body("holdsFor(g(V)=true, I)")
    assert interval_body("holdsFor(V, g(V)=true, I)") == plain
