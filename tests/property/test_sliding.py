"""Sliding aggregates: all evaluators agree, and say what counting by hand says."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.diagnostics import Source
from holdsfor.frontend.rtec import format_source, parse_program, print_program
from holdsfor.reference import Occurrence, Record, recognise
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const
from tests.strategies.engine_runs import Scenario
from tests.strategies.families import check_everywhere, family_scenarios, share_accepted
from tests.strategies.scenario_words import Pen
from tests.strategies.sliding_programs import sliding_program
from tests.strategies.ticks import reported, stretched
from tests.unit.builder.rebuilding import rebuild

ASKED = (
    "count_within(pays(U,_),{d},T)",
    "sum_within(A,pays(U,A),{d},T)",
    "avg_within(A,pays(U,A),{d},T)",
    "min_within(A,pays(U,A),{d},T)",
    "max_within(A,pays(U,A),{d},T)",
    "distinct_within(A,pays(U,A),{d},T)",
)
BY_HAND: tuple[Callable[[list[int]], Fraction | int | None], ...] = (
    len,
    sum,
    lambda paid: Fraction(sum(paid), len(paid)) if paid else None,
    lambda paid: min(paid, default=None),
    lambda paid: max(paid, default=None),
    lambda paid: len(set(paid)),
)


def test_programs_are_accepted() -> None:
    assert share_accepted(sliding_program) >= 0.95


def test_programs_are_printed_and_built() -> None:
    """What is printed reads back equal, formatted text means the same, and Python can build it."""
    for seed in range(40):
        text = sliding_program(Pen(random.Random(seed).randint))
        program = parse_program([Source("rules", text)])
        for other in (print_program(program), format_source(Source("rules", text))):
            assert parse_program([Source("rules", other)]) == program
        assert rebuild(program) == program


@settings(max_examples=60)
@given(family_scenarios(sliding_program, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_everywhere(scenario)


@settings(max_examples=60)
@given(family_scenarios(sliding_program, windowed=True, late=12))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_everywhere(scenario)


@settings(max_examples=25)
@given(st.data())
def test_with_a_clock_tick(data: st.DataObject) -> None:
    scenario = data.draw(family_scenarios(sliding_program, windowed=data.draw(st.booleans()), late=12))
    found = stretched(Pen.of(data.draw), scenario)
    assert reported(found, by_reference=False) == reported(found, by_reference=True)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["ann", "bob"]), st.integers(-2, 8)), max_size=20),
    st.integers(1, 9),
    st.integers(1, 3),
)
def test_values_by_hand(paid: list[tuple[int, str, int]], length: int, most: int) -> None:
    """The reference evaluator against a few lines of Python that know nothing of lists, rules or look-back."""
    rules = [
        f"happensAt(value({place},U,V),T) :- happensAt(asks(U),T), V is {asked.format(d=length)}."
        for place, asked in enumerate(ASKED)
    ]
    rules.append(f"happensAt(best(U,A),T) :- happensAt(asks(U),T), top({most},A,pays(U,A),{length},T).")
    asks = [(time, user) for time in range(0, 24, 3) for user in ("ann", "bob")]
    records: list[Record] = [Occurrence(_event("pays", user, amount), time, time) for time, user, amount in paid]
    records += [Occurrence(_event("asks", user), time, time) for time, user in asks]
    wanted = set()
    for (time, user), (place, work_out) in itertools.product(asks, enumerate(BY_HAND)):
        inside = sorted((t, a) for t, u, a in set(paid) if u == user and time - length < t <= time)
        value = work_out([amount for _, amount in inside])
        if value is not None:
            wanted.add((_event("value", place, user, float(value)), time))
        ranked = sorted((amount for _, amount in inside), reverse=True)
        wanted |= {(_event("best", user, amount), time) for amount in ranked if amount >= ranked[:most][-1]}
    found = recognise(loads("\n".join(rules)).analysis, records)
    assert {(row.event, row.time) for row in found.events} == {(print_term(one), time) for one, time in wanted}


def _event(name: str, *args: str | float) -> Compound:
    return Compound(name, tuple(Const(arg) for arg in args))
