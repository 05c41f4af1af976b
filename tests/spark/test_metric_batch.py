"""Metric programs over DataFrames: every case finds on Spark what it finds locally."""

from __future__ import annotations

import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.metric import MetricReasoner, from_metric_program, from_metric_sources
from tests.conformance.dmtl_cases import ANSWERED, RANDOM_CASES, Case
from tests.spark.metric_cases import Together
from tests.spark.metric_simulated import as_row, by_stages

pytest.importorskip("pyspark")

PER_JOB = 60


def on_spark(spark: Any, cases: list[Case], partitions: int) -> None:
    from holdsfor.spark import materialise

    together = Together.of(cases)
    facts = spark.createDataFrame([(line,) for line in together.lines(together.facts)], "value string")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = materialise(
            from_metric_program(together.program),
            facts.repartition(2),
            start=together.start,
            end=together.end,
            exact=True,
            partitions=partitions,
        )
    together.check(as_row(row.asDict()) for row in found.collect())


def test_cases(spark: Any) -> None:
    on_spark(spark, ANSWERED, 3)


@pytest.mark.parametrize("buckets", [1, 4])
def test_cases_in_stages(buckets: int) -> None:
    together = Together.of([*ANSWERED, *RANDOM_CASES[::8]])
    plan = from_metric_program(together.program).plan
    together.check(by_stages(plan, together.facts, together.start, together.end, buckets))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(RANDOM_CASES), PER_JOB))
def test_every_random_case(spark: Any, first: int) -> None:
    on_spark(spark, RANDOM_CASES[first : first + PER_JOB], 4)


RULES = """
Hot(X) :- Boxminus[0,2] High(X)
High(X) :- Diamondminus[0,1] Temp(X,N), N > 20
Near(X,Y) :- Hot(X), Hot(Y), Link(X,Y)
Alarm :- Hot(X), Diamondminus[0,1/3] Smoke
Bell(tower) :- Near(X,Y)
"""
TEXT = """Temp(a,21)@[1,4)
Temp(b,30)@2
Temp(b,25.5)@5/2
Temp(b,22)@[3,6]
Temp(c,9)@[0,9]
Link(a,b)@(-inf,inf)
Smoke@(3,4.5]
Cough(a)@3
Temp(a)@
"""
READ = {"read": 7, "malformed": 1, "unknown": 1}


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[Any]]:
    """A file of facts, and what follows from it locally."""
    path = tmp_path_factory.mktemp("facts") / "facts.txt"
    path.write_text(TEXT)
    with pytest.warns(UserWarning, match="malformed"):
        found = reasoner().materialise(path)
    return path, {(row.predicate, "|".join(map(str, row.args)), *row[2:]) for row in found}


def reasoner(rules: str = RULES) -> MetricReasoner:
    return from_metric_sources([Source("rules.dmtl", rules)])


def frames(spark: Any) -> dict[str, Any]:
    return {
        "Temp": spark.createDataFrame(
            [("1", "4", False, "a", 21.0), ("2", "2", True, "b", 30.0), ("5/2", "2.5", True, "b", 25.5)]
            + [("3", "6", True, "b", 22.0), ("0", "9", True, "c", 9.0), (None, None, True, None, 1.0)],
            "`start` string, `end` string, end_closed boolean, sensor string, degrees double",
        ),
        "Link": spark.createDataFrame([(None, None, "a", "b")], "`start` double, `end` double, x string, y string"),
        "Smoke": spark.createDataFrame([(3.0, 4.5, False)], "`start` double, `end` double, start_closed boolean"),
        "Cough": spark.createDataFrame([(3, "a")], "time int, x string"),
    }


def stacked(spark: Any) -> Any:
    rows = [
        ("Temp", ["a", "21"], "1", True, "4", False),
        ("Temp", ["b", "30"], "2", True, "2", True),
        ("Temp", ["b", "25.5"], "2.5", True, "5/2", True),
        ("Temp", ["b", "22"], "3", True, "6", True),
        ("Temp", ["c", "9"], "0", True, "9", True),
        ("Link", ["a", "b"], None, False, None, False),
        ("Smoke", [], "3", False, "4.5", True),
        ("Cough", ["a"], "3", True, "3", True),
        ("Smoke", [], "x", True, "3", True),
    ]
    columns = (
        "predicate string, args array<string>, `start` string, start_closed boolean, `end` string, end_closed boolean"
    )
    return spark.createDataFrame(rows, columns)


def test_facts_of_all_forms(spark: Any, wanted: tuple[Path, set[Any]]) -> None:
    from pyspark.sql import Observation

    from holdsfor.spark import materialise

    path, rows = wanted
    assert {row[0] for row in rows} == {"Hot", "High", "Near", "Alarm", "Bell"}
    for facts in (str(path), spark.read.text(str(path)), frames(spark), stacked(spark)):
        counts = Observation()
        with pytest.warns(UserWarning, match="Alarm/0 has no arguments to split by"):
            found = materialise(reasoner(), facts, exact=True, partitions=3, observation=counts)
        assert {as_row(row.asDict()) for row in found.collect()} == rows
        assert counts.get == {**READ, "intervals": len(rows)}


def test_times_are_numbers_unless_they_have_to_be_exact(spark: Any, wanted: tuple[Path, set[Any]]) -> None:
    from holdsfor.spark import materialise

    found = materialise(reasoner(), wanted[0], query="Hot", start=3, end="9/2", partitions=2)
    assert found.dtypes[2] == ("start", "double")
    assert sorted((row.args[0], row.start, row.end) for row in found.collect()) == [("a", 3, 4.5), ("b", 4, 4.5)]


def test_a_question_with_a_constant(spark: Any, wanted: tuple[Path, set[Any]]) -> None:
    from holdsfor.spark import materialise

    path, expected = wanted
    for query in ("Hot(a)", ["Hot(b)", "Near(X, b)", "Near(a, Y)"]):
        found = materialise(reasoner(), path, query=query, exact=True, partitions=3)
        with pytest.warns(UserWarning, match="1 malformed row"):
            local = reasoner().materialise(path, query=query)
        rows = {(row.predicate, "|".join(map(str, row.args)), *row[2:]) for row in local}
        assert rows and rows < expected
        assert Counter(as_row(row.asDict()) for row in found.collect()) == Counter(rows)
    with pytest.raises(HoldsforError, match="a query is a predicate with constants and variables"):
        materialise(reasoner(), path, query="Hot(a")


def test_what_derives_for_ever_is_told(spark: Any, tmp_path: Path) -> None:
    from pyspark.errors import PySparkException

    from holdsfor.spark import materialise
    from holdsfor.spark.streaming.reasons import reason

    (tmp_path / "facts.txt").write_text("P(a)@0\nP(b)@1")
    again = reasoner("P(X) :- Diamondminus[1,1] P(X)")
    with pytest.raises(PySparkException) as problem:
        materialise(again, tmp_path / "facts.txt", partitions=2).collect()
    assert reason(problem.value).startswith("the program derives P for ever (from ")
    assert len(materialise(again, tmp_path / "facts.txt", end=5, partitions=2).collect()) == 11


def test_later_stages_do_not_know_what_goes_on_for_ever() -> None:
    rules = "Boxplus[1] P(X) :- P(X)\nQ(Y) :- P(X), E(X,Y)\nQ(Y) :- F(Y), Boxplus[1] Q(Y)"
    facts = parse_metric([Source("facts", "P(a)@0\nE(a,b)@20\nF(b)@[0,30]")]).facts
    with pytest.raises(HoldsforError, match="for ever, and a later stage needs all of these facts"):
        by_stages(reasoner(rules).plan, facts, Fraction(0), Fraction(10), 2)


def test_mistakes_are_told_before_anything_runs(spark: Any) -> None:
    from holdsfor.spark import materialise, recognise, recognise_stream

    frame = spark.createDataFrame([(1, "a")], "at int, x string")
    program: Any = reasoner()
    with pytest.raises(HoldsforError, match=r"runs with holdsfor\.spark\.materialise"):
        recognise(program, frame)
    with pytest.raises(HoldsforError, match=r"runs with holdsfor\.spark\.materialise"):
        recognise_stream(program, frame, window=1)
    with pytest.raises(HoldsforError, match="the DataFrame of Temp needs a column `time`"):
        materialise(reasoner(), {"Temp": frame})
    with pytest.raises(HoldsforError, match="one DataFrame of facts needs a mapping"):
        materialise(reasoner(), frame)
    with pytest.raises(HoldsforError, match="no rule derives Hut; there are Alarm"):
        materialise(reasoner(), frame, query="Hut")
