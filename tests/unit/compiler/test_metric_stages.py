"""Keys of metric programs: what can be split, by what, and what is said where nothing can."""

from __future__ import annotations

from textwrap import dedent

import pytest

from holdsfor.compiler.metric.describe_stages import metric_stages_data, metric_stages_text
from holdsfor.compiler.metric.plan import make_metric_plan
from holdsfor.compiler.metric.stages import MetricStages, metric_stages
from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import parse_metric


def stages(text: str) -> MetricStages:
    return metric_stages(make_metric_plan(parse_metric([Source("rules.dmtl", dedent(text).strip())])))


def test_rules_about_one_thing_are_one_stage() -> None:
    found = stages("""
        Hot(X) :- Boxminus[0,2] High(X)
        High(X) :- Diamondminus[0,1] Temp(X,N), N > 20
        Often(X,N) :- N = count(Y : Seen(Y,X)), Hot(X), not Off(X)
    """)
    assert len(found.stages) == 1
    assert {str(relation): key for relation, key in found.stages[0].keys.items()} == {
        "some Temp #1/2": 0,
        "High/1": 0,
        "Hot/1": 0,
        "Often/2": 0,
    }
    brought = {
        str(one.relation): one.place for one in found.stages[0].deliveries if one.relation.name in ("Seen", "Off")
    }
    assert brought == {"Seen/2": 1, "Off/1": 0}


def test_what_meets_others_is_a_stage_of_its_own() -> None:
    text = metric_stages_text(
        stages("""
            Hot(X) :- Boxminus[0,2] High(X)
            Pair(X,Y) :- Hot(X), Hot(Y), Link(Y,X)
            Any :- Pair(X,Y)
        """)
    )
    assert text == dedent("""\
        stage 1   strata 1; buckets by key
          makes   Hot/1, by its first argument
          reads   High/1, by its first argument

        stage 2   strata 2; buckets by key
          makes   Pair/2, by its first argument
          gets    Hot/1 of stage 1, by its first argument
          gets    Hot/1 of stage 1, to every bucket
          reads   Link/2, by its second argument

        stage 3   strata 3; one bucket
          makes   Any/0
          gets    Pair/2 of stage 2

        warning: stage 3 runs in one place: Any/0 has no arguments to split by""")


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (
            "Has(X) :- In(X)\nHas(Y) :- Has(X), Link(X,Y)",
            "the rule at rules.dmtl:2:1 derives the first argument of Has/1 from Has/1 of any other",
        ),
        (
            "Next(N) :- Value(M), N = M + 1",
            "the rule at rules.dmtl:1:1 computes the first argument of Next/1 instead of reading it",
        ),
        (
            "Alarm(tower) :- Smoke(X)",
            "the rule at rules.dmtl:1:1 is about one entity: the first argument of Alarm/1 is a constant",
        ),
    ],
)
def test_why_not(rules: str, reason: str) -> None:
    found = stages(rules)
    assert [stage.reason for stage in found.stages] == [reason]
    assert metric_stages_data(found)["warnings"] == [f"stage 1 runs in one place: {reason}"]


def test_recursion_keeps_to_the_argument_that_all_share() -> None:
    found = stages("""
        Path(X,Y) :- Link(X,Y)
        Path(X,Z) :- Path(X,Y), Diamondminus[0,1] Link(Y,Z)
    """)
    assert [stage.reason for stage in found.stages] == [None, None]
    ways = {(str(one.relation), one.place) for one in found.stages[1].deliveries}
    assert ways == {("Path/2", 0), ("Link/2", 0), ("some Link #1/2", None)}


def test_the_key_that_brings_least_to_every_bucket_is_taken() -> None:
    found = stages("Seen(X,Y) :- Eye(X,Y), Open(Y), not Shut(Y)")
    assert list(found.stages[0].keys.values()) == [1]
