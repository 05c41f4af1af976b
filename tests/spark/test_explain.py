"""Questions about events in DataFrames: the same answers as of a local run, from the rows of one key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdsfor import loads
from holdsfor.explain.demand import demand_of
from holdsfor.explain.questions import read_question
from holdsfor.spark import explain
from holdsfor.spark.batch import read_input
from holdsfor.spark.explaining import wanted_rows
from tests.strategies.replay import replay

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
terminatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S >= 5.
holdsFor(meeting(V,W)=true, I) :-
    holdsFor(near(V,W)=true, I1), holdsFor(slow(V)=true, I2), holdsFor(slow(W)=true, I3), intersect_all([I1,I2,I3], I).
"""
SPEEDS = [(10, "tern", 3.0), (12, "gull", 4.0), (30, "gull", 9.0), (5, "auk", 1.0), (40, "auk", 7.0)]
NEAR = [(11, 50, "tern", "gull"), (0, 60, "auk", "tern")]
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def tables(spark: Any, tmp_path: Path) -> dict[str, Any]:
    found = {}
    for name, rows, columns in (
        ("speed", SPEEDS, "time long, vessel string, knots double"),
        ("near", NEAR, "start long, end long, one string, other string"),
    ):
        spark.createDataFrame(rows, columns).write.parquet(str(tmp_path / name))
        found[name] = spark.read.parquet(str(tmp_path / name))
    return found


@pytest.mark.parametrize("at", [13, 31])
@pytest.mark.parametrize("question", ["meeting(tern,gull)=true", "slow(gull)=true"])
@pytest.mark.parametrize("span", [{}, {"window": 20, "step": 10, "start": 0, "end": 50}])
def test_the_answer_is_that_of_a_local_run(
    tables: dict[str, Any], question: str, at: int, span: dict[str, int]
) -> None:
    reasoner = loads(RULES)
    found = explain(reasoner, tables, question, at, **span)
    local = reasoner.explain(question, at, events={"speed": SPEEDS, "near": _with_values()}, **span)
    assert (found.holds, found.headline, found.query_time) == (local.holds, local.headline, local.query_time)
    assert [node.text for node in found.root.walk()] == [node.text for node in local.root.walk()]
    assert replay(found) == []


def _with_values() -> list[tuple[int, int, str, str, str]]:
    return [(start, end, "true", one, other) for start, end, one, other in NEAR]


def test_keys_are_filters_that_the_files_see(tables: dict[str, Any]) -> None:
    plan, feeds, *_ = read_input(loads(RULES), tables, None, None, "s", untyped=False)
    asked = read_question("slow(gull)=true", plan.analysis.entities)
    ((rows, _),) = wanted_rows(feeds, demand_of(plan, asked.symbol, asked.term))
    pushed = rows._jdf.queryExecution().executedPlan().toString()
    assert "EqualTo(vessel,gull)" in pushed
    assert rows.count() == 2
