"""Heads of RTEC rules, one by one."""

from __future__ import annotations

import pytest

from holdsfor import ir
from holdsfor.frontend.rtec import print_program
from holdsfor.syntax.terms import EMPTY_LIST, Compound, Const, Var, variables
from tests.unit.frontend.reading import OUT, T, X, call, pair, read, rule

PRESS = ir.Happens(Const("press"), T)


# Effects


@pytest.mark.parametrize(
    ("name", "kind"), [("initiatedAt", ir.EffectKind.INITIATED), ("terminatedAt", ir.EffectKind.TERMINATED)]
)
def test_effects(name: str, kind: ir.EffectKind) -> None:
    expected = ir.EffectRule(kind, pair(call("on", "X")), T, (ir.Happens(call("press", "X"), T),))
    assert rule(f"{name}(on(X)=true, T) :- happensAt(press(X), T).") == expected


@pytest.mark.parametrize(
    ("name", "kind"), [("initiatedAt", ir.EffectKind.INITIATED), ("terminatedAt", ir.EffectKind.TERMINATED)]
)
def test_four_arguments_say_the_same_at_the_third(name: str, kind: ir.EffectKind) -> None:
    assert rule(f"{name}(on=true, T1, T, T2) :- happensAt(press, T).") == ir.EffectRule(kind, pair("on"), T, (PRESS,))


def test_the_range_of_four_arguments_leaves_no_trace() -> None:
    assert rule("initiatedAt(on(_)=true, _, T, _) :- happensAt(press(_), T).") == ir.EffectRule(
        ir.EffectKind.INITIATED, pair(call("on", "_#1")), T, (ir.Happens(call("press", "_#2"), T),)
    )


@pytest.mark.parametrize(
    ("name", "kind"), [("initiates", ir.EffectKind.INITIATED), ("terminates", ir.EffectKind.TERMINATED)]
)
def test_the_older_form_puts_its_event_first(name: str, kind: ir.EffectKind) -> None:
    found = rule(f"{name}(press(X), on(X)=true, T) :- holdsAt(power=true, T).")
    assert found == ir.EffectRule(
        kind, pair(call("on", "X")), T, (ir.Happens(call("press", "X"), T), ir.Holds(pair("power"), T))
    )
    assert rule(f"{name}(press, on=true, T).") == ir.EffectRule(kind, pair("on"), T, (PRESS,))


def test_the_older_form_takes_the_start_of_a_fluent_as_well() -> None:
    assert rule("initiates(start(a=true), b=true, T).") == rule(
        "initiatedAt(b=true, T) :- happensAt(start(a=true), T)."
    )


def test_anonymous_variables_are_numbered_as_the_rule_is_printed() -> None:
    found = rule("initiates(press(_), on=_, T).")
    assert found == rule("initiatedAt(on=_, T) :- happensAt(press(_), T).")
    assert found == ir.EffectRule(ir.EffectKind.INITIATED, pair("on", "_#1"), T, (ir.Happens(call("press", "_#2"), T),))


def test_an_anonymous_time_of_the_older_form_is_one_time() -> None:
    found = rule("initiates(press(Any1), on=true, _).")
    assert found == ir.EffectRule(
        ir.EffectKind.INITIATED, pair("on"), Var("Any2"), (ir.Happens(call("press", "Any1"), Var("Any2")),)
    )
    assert read(print_program(read("initiates(press(Any1), on=true, _)."))).rules == (found,)


def test_the_value_may_be_open() -> None:
    assert rule("terminatedAt(f=_, T) :- happensAt(press, T).") == ir.EffectRule(
        ir.EffectKind.TERMINATED, pair("f", "_#1"), T, (PRESS,)
    )


# Other rules about fluents and events


def test_initially() -> None:
    assert rule("initially(f=v).") == ir.InitiallyRule(pair("f", "v"), ())
    assert rule("initially(f(X)=v) :- known(X).") == ir.InitiallyRule(
        pair(call("f", "X"), "v"), (ir.Call(call("known", "X")),)
    )


def test_holds_for() -> None:
    assert rule("holdsFor(f=true, I) :- holdsFor(g=true, I).") == ir.IntervalRule(
        pair("f"), OUT, (ir.Intervals(pair("g"), OUT),)
    )
    assert rule("holdsFor(f(_)=true, []).") == ir.IntervalRule(pair(call("f", "_#1")), EMPTY_LIST, ())


def test_derived_events() -> None:
    assert rule("happensAt(alarm(X), T) :- happensAt(press(X), T).") == ir.EventRule(
        call("alarm", "X"), T, (ir.Happens(call("press", "X"), T),)
    )


def test_delayed_effects() -> None:
    assert rule("fi(f=a, f=b, 10).") == ir.DelayRule(pair("f", "a"), pair("f", "b"), Const(10), ())
    assert rule("ft(f=a, 10).") == ir.DelayRule(pair("f", "a"), None, Const(10), ())
    assert rule("p(f=a).") == ir.PostponeRule(pair("f", "a"), ())


def test_delayed_effects_with_bodies() -> None:
    limit = (ir.Call(call("limit", "X", "D")),)
    assert rule("fi(f(X)=a, f(X)=b, D) :- limit(X, D).") == ir.DelayRule(
        pair(call("f", "X"), "a"), pair(call("f", "X"), "b"), Var("D"), limit
    )
    assert rule("ft(f(X)=a, D) :- limit(X, D).") == ir.DelayRule(pair(call("f", "X"), "a"), None, Var("D"), limit)
    assert rule("p(f(X)=a) :- limit(X, D).") == ir.PostponeRule(pair(call("f", "X"), "a"), limit)


# Declarations


@pytest.mark.parametrize(
    "kind", sorted(set(ir.DeclarationKind) - {ir.DeclarationKind.DIRECTIVE, ir.DeclarationKind.FORGET})
)
def test_declarations(kind: ir.DeclarationKind) -> None:
    declared = call("=", call("f", "X"), "true")
    assert rule(f"{kind.value}(f(X)=true).") == ir.Declaration(kind, (declared,), ())
    assert rule(f"{kind.value}(f(X)=true) :- known(X).") == ir.Declaration(
        kind, (declared,), (ir.Call(call("known", "X")),)
    )


def test_declarations_with_two_arguments() -> None:
    assert rule("index(press(X), X).") == ir.Declaration(ir.DeclarationKind.INDEX, (call("press", "X"), X), ())
    assert rule("cachingOrder(X, f(X)=true).").kind is ir.DeclarationKind.CACHING_ORDER  # type: ignore[union-attr]


def test_directives() -> None:
    indicator = call("dynamic", call("/", "f", 1))
    assert rule(":- dynamic f/1.") == ir.Declaration(ir.DeclarationKind.DIRECTIVE, (indicator,), ())
    assert rule(":- a, b.") == ir.Declaration(ir.DeclarationKind.DIRECTIVE, (Const("a"), Const("b")), ())


# Background knowledge


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("known(a).", ir.BackgroundRule(call("known", "a"), ())),
        ("go.", ir.BackgroundRule(Const("go"), ())),
        ("near(X, Y) :- far(Y, X).", ir.BackgroundRule(call("near", "X", "Y"), (ir.Call(call("far", "Y", "X")),))),
        ("p(X) :- q(X).", ir.BackgroundRule(call("p", "X"), (ir.Call(call("q", "X")),))),
        ("p(f=a, 1).", ir.BackgroundRule(call("p", call("=", "f", "a"), 1), ())),
        ("fi(a).", ir.BackgroundRule(call("fi", "a"), ())),
        ("fi(a, b, c).", ir.BackgroundRule(call("fi", "a", "b", "c"), ())),
        ("ft(a, 3).", ir.BackgroundRule(call("ft", "a", 3), ())),
        ("points(3).", ir.BackgroundRule(call("points", 3), ())),
        ("points(home, 3).", ir.BackgroundRule(call("points", "home", 3), ())),
        ("initially.", ir.BackgroundRule(Const("initially"), ())),
        ("sibling(X, Y) :- true.", ir.BackgroundRule(call("sibling", "X", "Y"), ())),
    ],
)
def test_everything_else_is_background_knowledge(text: str, expected: ir.Rule) -> None:
    assert rule(text) == expected


def test_background_rules_may_read_events_and_fluents() -> None:
    found = rule("ready(X, T) :- holdsAt(on(X)=true, T), initiatedAt(set(X)=true, T).")
    assert found == ir.BackgroundRule(
        call("ready", "X", "T"),
        (ir.Holds(pair(call("on", "X")), T), ir.Effect(ir.EffectKind.INITIATED, pair(call("set", "X")), T)),
    )


# Programs


def test_rules_keep_their_order_and_their_place() -> None:
    program = read("a(1).\ninitially(f=v).\n\nholdsFor(g=v, I) :-\n    holdsFor(f=v, I).\na(2).\n")
    assert [type(found).__name__ for found in program.rules] == [
        "BackgroundRule",
        "InitiallyRule",
        "IntervalRule",
        "BackgroundRule",
    ]
    assert [found.span.line for found in program.rules] == [1, 2, 4, 6]
    assert program.rules[2].span.text == "holdsFor(g=v, I) :-\n    holdsFor(f=v, I)."
    assert [found.head for found in program.background] == [call("a", 1), call("a", 2)]
    assert [len(kind) for kind in (program.initially, program.intervals, program.effects)] == [1, 1, 0]


def test_spans_survive_the_numbering_of_anonymous_variables() -> None:
    found = rule("initiates(press(_), on=_, T).")
    assert isinstance(found, ir.EffectRule)
    assert [variable.span.start for variable in variables(found.fvp.value)] == [23]
    assert isinstance(found.body[0], ir.Happens)
    assert isinstance(found.body[0].event, Compound)
    assert found.body[0].event.args[0].span.start == 16


def test_programs_add_up() -> None:
    one, other = read("a(1)."), read("b(2). initially(f=v).")
    assert (one + other).rules == one.rules + other.rules
