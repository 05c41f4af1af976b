"""Metric programs at the edges: bounds of any size, times and constants in any spelling, and how many are accepted."""

from __future__ import annotations

import csv
from fractions import Fraction
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from holdsfor import loads_metric
from holdsfor.compiler.metric.checks import check_metric
from holdsfor.diagnostics import HoldsforError, ProgramError, Severity, Source, errors_of
from holdsfor.frontend.dmtl import metric_text, parse_metric
from holdsfor.frontend.dmtl.constants import read_arguments
from holdsfor.io.writers import writing
from holdsfor.ir.metric import MetricFact, MetricProgram
from holdsfor.metric import from_metric_program
from tests.strategies.metric_engine import by_arrivals, by_batch, by_reference, by_stream
from tests.strategies.metric_programs import (
    BACKWARD,
    DELAYED,
    EVERYTHING,
    FAR,
    FOREVER,
    PAPER,
    PAPER_WITHOUT_POINTS,
    STREAMABLE,
    MetricFeatures,
    Scenario,
    programs,
    scenarios,
    steps,
)
from tests.strategies.metric_texts import copying, fact_line, facts, spelled

FEW = settings(max_examples=max(40, settings.default.max_examples // 4))
FAMILIES = {
    "all": EVERYTHING,
    "backward": BACKWARD,
    "stream": STREAMABLE,
    "paper": PAPER,
    "pointless": PAPER_WITHOUT_POINTS,
    "delayed": DELAYED,
    "no recursion": FOREVER,
    "far": FAR,
}


def is_refused(scenario: Scenario) -> bool:
    return any(found.severity is Severity.ERROR for found in check_metric(scenario.program))


@pytest.mark.parametrize("features", FAMILIES.values(), ids=FAMILIES)
def test_programs_of_a_family_are_accepted(features: MetricFeatures) -> None:
    """At least 95 % of them, so that refusing cannot hide a mistake; and what `check` accepts has a plan."""
    accepted: list[bool] = []

    @settings(
        max_examples=60,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scenarios(features))
    def count(scenario: Scenario) -> None:
        reasoner = from_metric_program(scenario.program)
        accepted.append(not is_refused(scenario))
        if accepted[-1]:
            assert reasoner.plan.outputs
        else:
            with pytest.raises(ProgramError):
                _ = reasoner.plan

    count()
    assert sum(accepted) >= 0.95 * len(accepted) > 0


@FEW
@given(programs(MetricFeatures(own_variables=80, top_on_the_right=20, nesting=3)))
def test_what_check_accepts_has_a_plan(program: MetricProgram) -> None:
    reasoner = from_metric_program(program)
    if not errors_of(reasoner.diagnostics):
        assert reasoner.plan.outputs


# Bounds of any size


def run_of(scenario: Scenario) -> tuple[MetricProgram, tuple[MetricFact, ...], Fraction, Fraction]:
    note(metric_text(scenario.program) + "\n".join(map(metric_text, scenario.facts)))
    note(f"from {scenario.start} to {scenario.end}")
    return scenario.program, scenario.facts, scenario.start, scenario.end


@FEW
@given(scenarios(FAR))
def test_far_bounds_in_one_go(scenario: Scenario) -> None:
    if not is_refused(scenario):
        run = run_of(scenario)
        assert by_batch(*run) == by_reference(*run)


@FEW
@given(scenarios(FAR), steps())
def test_far_bounds_in_steps(scenario: Scenario, step: Fraction) -> None:
    if not is_refused(scenario):
        run = run_of(scenario)
        assert by_stream(*run, step)[0] == by_reference(*run)


@FEW
@given(scenarios(FAR), st.data())
def test_far_bounds_saved_and_read_again(scenario: Scenario, data: st.DataObject) -> None:
    if not is_refused(scenario):
        stops = data.draw(st.lists(st.fractions(scenario.start, scenario.end, max_denominator=4), max_size=4))
        run = run_of(scenario)
        assert by_arrivals(*run, stops, saving=True)[0] == by_reference(*run)


@FEW
@given(scenarios(MetricFeatures(far=True, recursion=False)))
def test_far_bounds_without_end_are_exact_or_refused(scenario: Scenario) -> None:
    if is_refused(scenario):
        return
    run_of(scenario)
    try:
        found = by_batch(scenario.program, scenario.facts)
    except HoldsforError as refusal:
        assert "HF616" in str(refusal)
        return
    assert found == by_reference(scenario.program, scenario.facts)


# Spellings


@FEW
@given(st.data())
def test_operators_in_any_spelling(data: st.DataObject) -> None:
    scenario = data.draw(scenarios(EVERYTHING))
    text = data.draw(spelled(scenario.program))
    note(text)
    found = parse_metric([Source("rules.dmtl", text)])
    assert found.diagnostics == ()
    assert metric_text(found) == metric_text(scenario.program)


@given(st.data())
def test_facts_go_through_files_and_back(data: st.DataObject) -> None:
    """Any constants, times in any spelling: what comes out as CSV reads back as what went in."""
    given_facts = data.draw(facts())
    lines = "".join(f"{data.draw(fact_line(fact))}\n" for fact in given_facts)
    note(lines)
    reasoner = from_metric_program(copying())
    with TemporaryDirectory() as folder:
        path = Path(folder) / "facts.txt"
        path.write_text(lines, encoding="utf-8")
        result = reasoner.materialise(path, strict=True)
        with writing("csv", Path(folder) / "out.csv", result.to_arrow(exact=True).schema) as writer:
            writer.write(result.to_arrow(exact=True))
        written = (Path(folder) / "out.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(StringIO(written)))
    assert len({row["args"] for row in rows}) == len({row.args for row in result})
    found = {(read_arguments(row["args"]), Fraction(row["start"]), Fraction(row["end"])) for row in rows}
    assert found == expected(given_facts)


def expected(given_facts: tuple[MetricFact, ...]) -> set[tuple[tuple[str | int | float, ...], Fraction, Fraction]]:
    return {
        (row.args, row.start, row.end)
        for row in by_reference(copying(), given_facts)
        if row.start is not None and row.end is not None
    }


@pytest.mark.parametrize(
    "moved", [f"{name}[{2**61},{2**61 + 1}]" for name in ("Diamondminus", "Diamondplus", "Boxminus", "Boxplus")]
)
def test_what_lies_beyond_as_a_whole_is_refused(moved: str) -> None:
    with pytest.raises(HoldsforError):
        list(loads_metric(f"P(X) :- {moved} E(X)").materialise({"E": [{"start": 0, "end": 10, "x": "a"}]}))
