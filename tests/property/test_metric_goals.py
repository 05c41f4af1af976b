"""Questions with constants have the answers that the whole has of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.report import rows
from holdsfor.compiler.metric.delays import delayed_plan
from holdsfor.compiler.metric.plan import make_metric_plan
from holdsfor.core.metric_driver import materialise
from holdsfor.core.metric_stream import stepped_run
from holdsfor.ir.metric import Atom
from holdsfor.metric.goals import Goals
from holdsfor.syntax.terms import Const, Var
from tests.property.test_metric_engine import shown
from tests.strategies.metric_engine import Rows, by_reference, columns, fed_run
from tests.strategies.metric_programs import (
    BACKWARD,
    DELAYED,
    EVERYTHING,
    STREAMABLE,
    MetricFeatures,
    Scenario,
    scenarios,
)

FEW = settings(max_examples=max(25, settings.default.max_examples // 8))
BATCH = pytest.mark.parametrize("features", [EVERYTHING, BACKWARD, STREAMABLE], ids="all backward stream".split())


def drawn(scenario: Scenario, data: st.DataObject) -> tuple[Atom, ...]:
    """One to three questions, some of them about the same predicate."""
    heads = sorted({rule.head.signature for rule in scenario.program.rules})
    values = sorted({arg for fact in scenario.facts for arg in fact.args}, key=repr) or [Const("a")]
    goals = []
    for name, arity in data.draw(st.lists(st.sampled_from(heads), min_size=1, max_size=3)):
        known = [data.draw(st.booleans()) for _ in range(arity)]
        args = [data.draw(st.sampled_from(values)) if one else Var(f"V{place}") for place, one in enumerate(known)]
        goals.append(Atom(name, tuple(args)))
    return tuple(goals)


def answering(found: Rows, goals: tuple[Atom, ...]) -> Rows:
    """The rows that some goal asks for."""

    def is_asked(predicate: str, args: tuple[object, ...]) -> bool:
        return any(
            goal.predicate == predicate
            and len(goal.args) == len(args)
            and all(
                isinstance(arg, Var) or repr(arg.value) == repr(value)
                for arg, value in zip(goal.args, args, strict=True)
            )
            for goal in goals
        )

    return {row for row in found if is_asked(row.predicate, row.args)}


def check(scenario: Scenario, data: st.DataObject, step: Fraction | None = None) -> None:
    goals = drawn(scenario, data)
    dictionary = Dictionary()
    plan = make_metric_plan(scenario.program)
    made = Goals.of(plan if step is None else delayed_plan(plan), goals, is_stream=step is not None)
    facts = made.read(columns(scenario.facts, dictionary), dictionary)
    span = scenario.start, scenario.end
    if step is None:
        found = materialise(made.made.plan, facts, dictionary, *span)
    else:
        found = stepped_run(made.made.plan, facts, dictionary, *span, step)[0]
        fed = fed_run(made.made.plan, facts, dictionary, *span, step)
        assert set(rows(fed, dictionary)) == set(rows(found, dictionary))
    whole = by_reference(scenario.program, scenario.facts, *span)
    assert set(rows(made.answers(found, dictionary), dictionary)) == answering(whole, goals)


@BATCH
@FEW
@given(data=st.data())
def test_in_one_go(features: MetricFeatures, data: st.DataObject) -> None:
    check(shown(data.draw(scenarios(features))), data)


@pytest.mark.parametrize("features", [STREAMABLE, DELAYED], ids="stream delayed".split())
@FEW
@given(data=st.data())
def test_in_steps(features: MetricFeatures, data: st.DataObject) -> None:
    check(shown(data.draw(scenarios(features))), data, Fraction(1))


@pytest.mark.slow
@BATCH
@settings(max_examples=1_500)
@given(data=st.data())
def test_many_in_one_go(features: MetricFeatures, data: st.DataObject) -> None:
    check(shown(data.draw(scenarios(features))), data)
