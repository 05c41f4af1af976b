"""Passes over plans: before and after."""

from __future__ import annotations

import time
from dataclasses import replace

from holdsfor import loads
from holdsfor.logic.failures import Failures
from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.instructions import Constant, Register
from holdsfor.physical.lower import lower
from holdsfor.physical.passes.fold_facts import fold_facts
from holdsfor.physical.passes.late_facts import enumerate_facts_late
from holdsfor.physical.passes.row_tests import split_row_rules
from holdsfor.physical.passes.unfold_facts import unfold_facts
from holdsfor.physical.passes.unused_facts import drop_unused_facts
from holdsfor.reference import Occurrence, Record, Windows, recognise
from holdsfor.syntax.terms import Compound, Const, Term
from tests.core.runs import on_core

LIMITS = "limit(low, 2). limit(high, 9). limit(odd, 3). limit(odd, 5). kind(a, x). kind(b, y).\n"
ROW = code.Events(0, (Register(1, binds=True), Register(2, binds=True)), code.Instant(code.NOW))


def _plan(*blocks: code.Block, facts: tuple[model.FactTable, ...] = ()) -> model.PhysicalPlan:
    rules = tuple(
        model.Rule(model.HeadKind.INITIATE, 1, (Register(1),), Register(3), model.Program(block, 6), (0,))
        for block in blocks
    )
    component = model.Component((1,), (), rules, (), (), False)
    tables = (
        model.Table("speed/2", model.Role.INPUT_EVENT, 2),
        model.Table("moving/1", model.Role.SIMPLE_FLUENT, 1),
    )
    return model.PhysicalPlan(tables, facts, (), (model.Stage((component,), 0, (), ()),), (), (), (), 10)


def _rules(plan: model.PhysicalPlan) -> tuple[model.Rule, ...]:
    return plan.stages[0].components[0].rules


def _facts(*rows: tuple[str | int, str | int]) -> model.FactTable:
    return model.FactTable("limit/2", 2, tuple((Constant(one), Constant(other)) for one, other in rows))


def test_a_lookup_with_one_answer_becomes_its_value() -> None:
    site = code.Site(row=(("V", 1), ("Max", 3)))
    lookup = code.Facts(0, (Constant("high"), Register(3, binds=True)))
    compare = code.Compare("<", Register(2), Register(3), site)
    (rule,) = _rules(fold_facts(_plan((ROW, lookup, compare), facts=(_facts(("low", 2), ("high", 9)),))))
    told = code.Site(row=(("V", 1), ("Max", Constant(9))))
    assert rule.program.block == (ROW, code.Compare("<", Register(2), Constant(9), told))
    assert rule.value == Constant(9)


def test_a_lookup_stays_where_rows_or_several_facts_decide() -> None:
    facts = (_facts(("odd", 3), ("odd", 5), ("low", 2)),)
    several = (ROW, code.Facts(0, (Constant("odd"), Register(3, binds=True))))
    of_row = (ROW, code.Facts(0, (Register(2), Register(3, binds=True))))
    plan = _plan(several, of_row, facts=facts)
    assert fold_facts(plan) == plan


def test_many_lookups_in_many_facts_take_no_time() -> None:
    facts = (_facts(*((f"k{number}", number) for number in range(20_000))),)
    blocks = [(ROW, code.Facts(0, (Constant(f"k{number}"), Register(3, binds=True)))) for number in range(0, 20_000, 2)]
    begin = time.process_time()
    rules = _rules(fold_facts(_plan(*blocks, facts=facts)))
    assert [rule.value for rule in rules] == [Constant(number) for number in range(0, 20_000, 2)]
    assert time.process_time() - begin < 5


def test_a_lookup_without_an_answer_ends_its_block() -> None:
    compare = code.Compare(">", Register(2), Constant(0))
    lookup = code.Facts(0, (Constant("none"), Register(3, binds=True)))
    plan = _plan((ROW, compare, lookup, compare), facts=(_facts(("low", 2)),))
    assert _rules(fold_facts(plan))[0].program.block == (ROW, compare, code.Choose(()))


def test_a_register_that_a_goal_reads_keeps_its_value() -> None:
    lookup = code.Facts(0, (Constant("low"), Register(3, binds=True)))
    call = code.Call(0, (3,), ())
    plan = _plan((ROW, lookup, call), facts=(_facts(("low", 2)),))
    assert _rules(fold_facts(plan))[0].program.block == (ROW, code.Equal(Constant(2), Register(3, binds=True)), call)


def test_what_is_found_inside_a_block_stays_inside() -> None:
    lookup = code.Facts(0, (Constant("low"), Register(3, binds=True)))
    compare = code.Compare("<", Register(2), Register(3))
    plan = _plan(
        (
            ROW,
            code.Choose(
                ((lookup,), (code.Equal(Register(2), Register(3, binds=True)),)),
            ),
            compare,
        ),
        facts=(_facts(("low", 2)),),
    )
    bound = code.Equal(Constant(2), Register(3, binds=True))
    choose = code.Choose(((bound,), (code.Equal(Register(2), Register(3, binds=True)),)))
    assert _rules(fold_facts(plan))[0].program.block == (ROW, choose, compare)


def test_a_lookup_with_few_answers_becomes_several_rules() -> None:
    facts = (_facts(("a", "port"), ("b", "port"), ("c", "sea")),)
    of_row = (ROW, code.Facts(0, (Register(2), Register(3, binds=True))), code.Equal(Register(3), Register(1)))
    port, sea = _rules(unfold_facts(_plan(of_row, facts=facts)))
    for rule, value in ((port, "port"), (sea, "sea")):
        lookup = code.Facts(0, (Register(2), Constant(value)))
        assert rule.program.block == (ROW, lookup, code.Equal(Constant(value), Register(1)))
        assert rule.value == Constant(value)


def test_what_does_not_depend_on_the_row_is_not_looked_up_in_several_rules() -> None:
    facts = (_facts(("meeting", 25), ("moving", 34)),)
    lookup = code.Facts(0, (Register(3, binds=True), Register(4, binds=True)))
    compare = code.Compare("<", Register(2), Register(4), code.Site(row=(("D", 2), ("Most", 4))))
    found = _rules(unfold_facts(_plan((ROW, lookup, compare), facts=facts)))
    assert [rule.value for rule in found] == [Constant("meeting"), Constant("moving")]
    for rule, most in zip(found, (25, 34), strict=True):
        told = code.Site(row=(("D", 2), ("Most", Constant(most))))
        assert rule.program.block == (ROW, code.Compare("<", Register(2), Constant(most), told))


def test_a_rule_stays_one_where_many_facts_answer_or_a_goal_reads_the_answer() -> None:
    many = (_facts(*((f"k{number}", number) for number in range(9))),)
    lookup = code.Facts(0, (Register(2), Register(3, binds=True)))
    assert len(_rules(unfold_facts(_plan((ROW, lookup), facts=many)))) == 1
    few = (_facts(("a", 1), ("b", 2)),)
    call = code.Call(0, (3,), (4,))
    assert len(_rules(unfold_facts(_plan((ROW, lookup, call), facts=few)))) == 1
    assert len(_rules(unfold_facts(_plan((lookup,), facts=few)))) == 1


def test_groups_name_the_rules_that_one_became() -> None:
    facts = (_facts(("a", 1), ("b", 2)),)
    plan = _plan((ROW, code.Facts(0, (Register(2), Register(3, binds=True)))), (ROW,), facts=facts)
    (component,) = plan.stages[0].components
    grouped = replace(component, groups=(model.Group((0,), (), False), model.Group((1, 0), (), True)))
    (found,) = (
        unfold_facts(replace(plan, stages=(replace(plan.stages[0], components=(grouped,)),))).stages[0].components
    )
    assert [group.rules for group in found.groups] == [(0, 1), (2, 0, 1)]


def test_comparisons_of_numbers_go() -> None:
    holds = code.Compare("<", Constant(1), Constant(2))
    fails = code.Compare(">", Constant(1), Constant(2))
    no_number = code.Compare("<", Constant("a"), Constant(2))
    blocks = [rule.program.block for rule in _rules(fold_facts(_plan((ROW, holds), (ROW, fails, holds), (no_number,))))]
    assert blocks == [(ROW,), (ROW, code.Choose(())), (no_number,)]


def test_fact_tables_that_nothing_reads_are_left_out() -> None:
    inner = code.Negate((code.Facts(2, (Register(1), code.Anything())),))
    plan = _plan((ROW, inner), facts=(_facts(("a", 1)), _facts(("b", 1)), _facts(("c", 1))))
    after = drop_unused_facts(plan)
    assert after.facts == (plan.facts[2],)
    assert _rules(after)[0].program.block == (ROW, code.Negate((code.Facts(0, (Register(1), code.Anything())),)))
    assert drop_unused_facts(after) is after


SITE = code.Site(row=(("V", 1), ("S", 2)))
FAST = code.Compare(">", Register(2), Constant(0), SITE)
HOLDS = code.Holding(1, (Register(1),), Constant("yes"), code.Instant(code.NOW))
TWICE = code.Apply("*", (Register(2), Constant(2)))
LIMIT = code.Facts(0, (Constant("odd"), Register(4, binds=True)))


def _split(*blocks: code.Block) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """What is tested with the row, and what is left: heads need registers 1 and 3."""
    plan = _plan(*blocks)
    assert all(not rule.row_tests and not rule.row_rest for rule in _rules(plan))
    after = _rules(split_row_rules(plan))
    assert [replace(rule, row_tests=(), row_rest=()) for rule in after] == list(_rules(plan))
    return [(rule.row_tests, rule.row_rest) for rule in after]


def test_the_row_decides_what_needs_nothing_else() -> None:
    inner = code.Negate((FAST, code.Facts(0, (Register(2), code.Anything()))))
    assert _split((ROW, FAST, inner), (ROW, code.Choose(())), (ROW,)) == [((1, 2), ()), ((1,), ()), ((), ())]


def test_the_row_decides_also_behind_what_has_nothing_to_report() -> None:
    found = code.Holding(1, (Register(1),), Register(4, binds=True), code.Instant(code.NOW))
    earlier = code.Events(0, (Register(1), code.Anything()), code.Instant(4, binds=True))
    assert _split(
        (ROW, HOLDS, FAST),
        (ROW, code.Negate((HOLDS,)), earlier, FAST),
        (ROW, found, code.Compare("<", Register(2), Register(4))),
        (ROW, found, replace(FAST, site=code.Site(row=(("S", 2), ("F", 4))))),
    ) == [((2,), (1,)), ((3,), (1, 2)), ((), (1, 2)), ((), (1, 2))]


def test_nothing_is_tested_before_what_may_report() -> None:
    total = code.Compare(">", TWICE, Register(4), code.Site(row=(("S", 2), ("F", 4))))
    found = code.Holding(1, (Register(1),), Register(4, binds=True), code.Instant(code.NOW))
    assert _split(
        (ROW, found, total, FAST),
        (ROW, code.Negate((found, total)), FAST),
        (ROW, FAST, code.Compare(">", TWICE, Constant(9), SITE)),
        (ROW, FAST, code.Call(0, (1,), ()), FAST),
        (ROW, code.Compare(">", code.Structure("f", (Register(2),)), Constant(9), SITE), FAST),
        (ROW, code.Compare("<", code.Calendar("hour", Register(0), 1, "UTC"), Constant(9), SITE), FAST),
    ) == [((), (1, 2, 3)), ((), (1, 2)), ((1, 2), ()), ((1,), (2, 3)), ((), (1, 2)), ((), (1, 2))]


def test_what_gives_a_value_that_is_needed_runs_again() -> None:
    needed = code.Assign(Register(3, binds=True), TWICE, SITE)
    idle = code.Assign(Register(4, binds=True), TWICE, SITE)
    assert _split(
        (ROW, needed, HOLDS, FAST),
        (ROW, idle, code.Compare("<", Register(4), Constant(9), SITE)),
        (ROW, idle, code.Equal(Register(4), Register(3, binds=True))),
    ) == [((1, 3), (1, 2)), ((1, 2), ()), ((1, 2), (1, 2))]


def test_facts_that_give_one_value_after_the_other_are_looked_up_later() -> None:
    low = code.Compare("<", Register(2), Register(4), code.Site(row=(("S", 2), ("L", 4))))
    gives = code.Equal(Register(4), Register(3, binds=True))
    other = code.Facts(0, (Register(1), Register(5, binds=True)))
    assert _split(
        (ROW, LIMIT, gives),
        (ROW, LIMIT, low, gives),
        (ROW, LIMIT, low, gives, FAST),
        (ROW, LIMIT, FAST, gives),
        (ROW, LIMIT, low),
        (ROW, LIMIT, other, code.Equal(Register(4), Register(5), negated=True), gives),
    ) == [((), (1, 2)), ((), (1, 2, 3)), ((), (1, 2, 3, 4)), ((2,), (1, 3)), ((1, 2), ()), ((), (1, 2, 3, 4))]


def test_only_rules_that_begin_with_a_row_are_split() -> None:
    earlier = code.Events(0, (Register(1, binds=True), Register(2, binds=True)), code.Instant(4, binds=True))
    holds = code.Holding(1, (Register(1, binds=True),), Register(2, binds=True), code.Instant(code.NOW))
    assert _split((earlier, FAST), (holds, FAST), (holds, ROW, FAST), ()) == [((), ())] * 4


RULES = (
    LIMITS
    + """
initiatedAt(moving(V)=Max, T) :- happensAt(speed(V,S), T), limit(high, Max), limit(low, Min), S > Min, S =< Max.
initiatedAt(odd(V)=L, T) :- happensAt(speed(V,S), T), limit(odd, L), S / (S - 4) > L.
terminatedAt(moving(V)=_, T) :- happensAt(speed(V,S), T), limit(none, L), S > L.
terminatedAt(moving(V)=_, T) :- happensAt(speed(V,S), T), limit(low, L), \\+ (S > L, kind(a, K), K = x).
initiatedAt(calm(V)=true, T) :- happensAt(speed(V,S), T), limit(low, L), S + 1 < L.
"""
)


def _told(failures: Failures) -> list[tuple[int, str, str, int]]:
    return sorted((one.span.start, one.reason, one.shown(), len(one.rows)) for one in failures)


def test_passes_change_neither_answers_nor_reports() -> None:
    reasoner = loads(RULES)
    values: list[Term] = [Const(value) for value in (1, 3, 4, 9, 10, "word", 5, 0, 2.5)]
    values.append(Compound("f", (Const(1),)))
    records: list[Record] = [
        Occurrence(Compound("speed", (Const("ab"[i % 2]), value)), i + 1, i + 1) for i, value in enumerate(values * 2)
    ]
    wanted = recognise(reasoner.analysis, records, Windows(30, 10, 0, 30))
    found = on_core(reasoner, records, Windows(30, 10, 0, 30))
    assert found.intervals == wanted.intervals
    assert _told(found.failures) == _told(wanted.failures)
    assert len(wanted.failures) > 10
    plan = lower(reasoner.plan).plan
    rules = [rule for stage in plan.stages for component in stage.components for rule in component.rules]
    split = [(rule.row_tests, rule.row_rest) for rule in rules if rule.kind is model.HeadKind.INITIATE]
    assert split == [((1,), ()), ((1, 2), ()), ((1,), ()), ((1,), ())]


def test_facts_that_always_have_answers_are_enumerated_late() -> None:
    facts = (_facts(("odd", 3), ("odd", 5)),)
    lookup = code.Facts(0, (Constant("odd"), Register(3, binds=True)))
    inner = (code.Holding(1, (Register(4, binds=True),), Constant("true"), code.Instant(code.NOW)),)
    site = code.Site(row=(("V", 1), ("Odd", 3)))
    collect = code.Collect(Register(4), inner, Register(2, binds=True), site=site)
    compare = code.Compare("<", Register(3), Constant(4))
    (rule,) = _rules(enumerate_facts_late(_plan((ROW, lookup, collect, compare), facts=facts)))
    assert rule.program.block == (ROW, collect, lookup, compare)


def test_facts_stay_where_they_may_have_no_answer_or_something_is_reported() -> None:
    facts = (_facts(("odd", 3), ("odd", 5)),)
    inner = (code.Holding(1, (Register(4, binds=True),), Constant("true"), code.Instant(code.NOW)),)
    collect = code.Collect(Register(4), inner, Register(2, binds=True))
    missing = code.Facts(0, (Constant("even"), Register(3, binds=True)))
    of_row = code.Facts(0, (Register(1), Register(3, binds=True)))
    lookup = code.Facts(0, (Constant("odd"), Register(3, binds=True)))
    reported = code.Compare(">", Register(2), Constant(4), code.Site(row=(("V", 2), ("Odd", 3))))
    plan = _plan((ROW, missing, collect), (ROW, of_row, collect), (ROW, lookup, reported), facts=facts)
    assert enumerate_facts_late(plan) == plan
