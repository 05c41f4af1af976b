"""Metric programs over streaming DataFrames: every case finds in micro-batches what it finds in one go."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from holdsfor.diagnostics import HoldsforError, ProgramError, Source
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.metric import MetricReasoner, from_metric_program, from_metric_sources
from holdsfor.syntax.terms import Const
from tests.conformance.dmtl_cases import ANSWERED, RANDOM_CASES, STREAMED, Case
from tests.spark.metric_cases import Together
from tests.spark.metric_stream_simulated import Simulated, replayed

pytest.importorskip("pyspark")

ON_STREAM = [*STREAMED, *(case for case in ANSWERED if case.mode == "reject")]
"""Cases that run on a stream, and those that do so with a delay."""
PER_QUERY = 80


def in_order(together: Together, count: int) -> list[list[MetricFact]]:
    """Facts in micro-batches by their starts, and one that says that time goes on."""
    by_start: dict[Fraction | None, list[MetricFact]] = {}
    for fact in together.facts:
        by_start.setdefault(fact.during.low, []).append(fact)
    starts = sorted(by_start, key=lambda start: -(10**9) if start is None else start)
    size = len(starts) // count + 1
    batches = [
        [fact for start in starts[first : first + size] for fact in by_start[start]]
        for first in range(0, len(starts), size)
    ]
    end = together.end + 20
    return [*batches, [MetricFact("Later", (), Range(end, end))]]


def write(folder: Path, number: int, lines: Sequence[str]) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / f"{number:04}.txt"
    path.write_text("\n".join(lines) + "\n")
    # Spark takes files in the order of their age.
    os.utime(path, (1_000_000 + number, 1_000_000 + number))


def follow(spark: Any, program: MetricReasoner, folder: Path, **more: Any) -> tuple[list[Any], list[Any]]:
    """Follow files to their end: all changes, and the reports."""
    from holdsfor.spark import materialise_stream

    stream = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder / "in"))
    reports: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = materialise_stream(program, stream, buckets=2, **more)
    query = made.start(
        str(folder / "out"),
        checkpoint=str(folder / "checkpoint"),
        side=str(folder / "aside"),
        trigger={"availableNow": True},
        on_report=reports.append,
    )
    query.awaitTermination()
    found = spark.read.parquet(str(folder / "out")).orderBy("batch").drop("batch")
    return [row.asDict() for row in found.collect()], reports


def on_spark(spark: Any, cases: list[Case], folder: Path, count: int) -> None:
    together = Together.of(cases)
    for number, facts in enumerate(in_order(together, count)):
        write(folder / "in", number, together.lines(facts))
    changes, reports = follow(spark, from_metric_program(together.program), folder, delay="inf")
    assert [report.late for report in reports] == [0] * len(reports)
    together.check(replayed(changes))


def test_cases(spark: Any, tmp_path: Path) -> None:
    on_spark(spark, ON_STREAM, tmp_path, 3)


@pytest.mark.parametrize(
    "cases", [pytest.param(ON_STREAM[::3], id="some"), pytest.param(ON_STREAM, id="all", marks=pytest.mark.slow)]
)
def test_cases_in_stages(tmp_path: Path, cases: Sequence[Case]) -> None:
    from holdsfor.compiler.metric.delays import delayed_plan

    together = Together.of(cases)
    plan = delayed_plan(from_metric_program(together.program).plan)
    run = Simulated.of(plan, 2, str(tmp_path), kills=frozenset({2}))
    run.run(in_order(together, 4))
    together.check(run.intervals())


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(RANDOM_CASES), PER_QUERY))
def test_every_random_case(spark: Any, tmp_path: Path, first: int) -> None:
    on_spark(spark, RANDOM_CASES[first : first + PER_QUERY], tmp_path, 4)


RULES = """
Hot(X) :- Boxminus[0,2] High(X)
High(X) :- Diamondminus[0,1/2] Temp(X,N), N > 20
Next(X,Y) :- Hot(X), Link(X,Y)
"""


def reasoner(rules: str = RULES) -> MetricReasoner:
    return from_metric_sources([Source("rules.dmtl", rules)])


def test_late_and_malformed_facts_are_put_aside(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", 0, ["Temp(a,30)@[0,4]", "Link(a,b)@(-inf,inf)", "Temp(a"])
    write(tmp_path / "in", 1, ["Temp(a,30)@5", "Cough(x)@6"])
    write(tmp_path / "in", 2, ["Temp(a,9)@2", "Temp(b,30)@[1,8]", "Later@20"])
    changes, reports = follow(spark, reasoner(), tmp_path, lateness="1/2")
    assert [(str(r.until), r.facts, r.late, r.malformed, r.unknown) for r in reports] == [
        ("-1/2", 2, 0, 1, 0),
        ("11/2", 1, 0, 0, 1),
        ("39/2", 0, 2, 0, 1),
    ]
    aside = spark.read.parquet(str(tmp_path / "aside")).collect()
    assert sorted((row.batch, row.reason.partition(" ")[0], row.row) for row in aside) == [
        (0, aside[0].reason.partition(" ")[0] if aside[0].batch == 0 else "expected", "Temp(a"),
        (2, "late", "Temp(a,9)@2"),
        (2, "late", "Temp(b,30)@[1,8]"),
    ]
    left = {(row[0], row[1], row[2], row[4]) for row in replayed(changes)}
    # Of what is late, the part that lies ahead counts.
    assert ("High", "b", Fraction(11, 2), Fraction(17, 2)) in left
    assert ("Hot", "a", 2, Fraction(9, 2)) in left
    assert ("Next", "a|b", 2, Fraction(9, 2)) in left


def test_a_stream_goes_on_after_a_stop(spark: Any, tmp_path: Path) -> None:
    lines = [[f"Temp(a,{20 + at % 3})@{at}", f"Link(a,b{at % 2})@{at}", f"Temp(b,30)@{at}"] for at in range(12)]
    for number in range(4):
        write(tmp_path / "in", number, lines[number])
    follow(spark, reasoner(), tmp_path)
    for number in range(4, 12):
        write(tmp_path / "in", number, lines[number])
    write(tmp_path / "in", 12, ["Later@30"])
    changes, reports = follow(spark, reasoner(), tmp_path)
    assert [report.batch for report in reports] == list(range(4, 13))
    (tmp_path / "all.txt").write_text("\n".join(line for some in lines for line in some))
    wanted = {
        (row.predicate, "|".join(map(str, row.args)), *row[2:]) for row in reasoner().materialise(tmp_path / "all.txt")
    }
    assert set(replayed(changes)) == wanted


def test_other_rules_are_refused(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", 0, ["Temp(a,30)@1", "Temp(a,30)@2"])
    follow(spark, reasoner(), tmp_path)
    with pytest.raises(HoldsforError, match="is that of other rules"):
        follow(spark, reasoner(RULES + "Cold(X) :- Temp(X,1)\n"), tmp_path)


def test_the_future_needs_a_delay(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", 0, ["Temp(a,30)@1"])
    write(tmp_path / "in", 1, ["Later@2"])
    write(tmp_path / "in", 2, ["Later@9"])
    ahead = reasoner("Soon(X) :- Diamondplus[0,3] Temp(X,N)")
    with pytest.raises(ProgramError):
        follow(spark, ahead, tmp_path)
    with pytest.raises(HoldsforError, match="the delay allows 2"):
        follow(spark, ahead, tmp_path, delay=2)
    changes, _ = follow(spark, ahead, tmp_path, delay=3)
    assert [(row[0], row[2], row[4]) for row in replayed(changes)] == [("Soon", -2, 1)]


def test_streams_by_predicate(spark: Any, tmp_path: Path) -> None:
    from holdsfor.spark import materialise_stream
    from holdsfor.spark.metric.streaming import intervals
    from holdsfor.spark.streaming.sinks import Memory

    columns = {"Temp": "time double, sensor string, degrees int", "Link": "time double, x string, y string"}
    rows = {"Temp": [(at / 2, "a", 30) for at in range(9)], "Link": [(3.0, "a", "b"), (4.0, "a", "c")]}
    streams = {}
    for name, schema in columns.items():
        spark.createDataFrame(rows[name], schema).write.parquet(str(tmp_path / name))
        streams[name] = spark.readStream.schema(schema).parquet(str(tmp_path / name))

    def found(query: str, checkpoint: str) -> list[Any]:
        sink = Memory()
        made = materialise_stream(reasoner(), streams, query=query, buckets=2)
        place = str(tmp_path / checkpoint)
        made.start(sink, checkpoint=place, trigger={"availableNow": True}).awaitTermination()
        return sorted(
            (row.args, row.start, row.end) for row in intervals(spark.createDataFrame(sink.table())).collect()
        )

    both = [(["a", "b"], "3", "3"), (["a", "c"], "4", None)]
    assert found("Next", "checkpoint") == both
    assert found("Next(X, c)", "of_c") == both[1:]
    with pytest.raises(HoldsforError, match="rules"):
        found("Next(X, b)", "of_c")


def test_facts_too_far_ahead_are_put_aside(tmp_path: Path) -> None:
    program = from_metric_sources([Source("p.dmtl", "Near(X) :- Diamondminus[0,5] Seen(X).")])
    seen = [
        [MetricFact("Seen", (Const(name),), Range(Fraction(at), Fraction(at))) for name, at in rows]
        for rows in ([("a", 1), ("b", 2), ("c", 10**12)], [("a", 4), ("b", 30)])
    ]
    found = Simulated.of(program.plan_of(None), 2, str(tmp_path), max_ahead=Fraction(100))
    found.run(seen)
    assert [(report.facts, report.ahead, report.late, report.until) for report in found.reports] == [
        (2, 1, 0, 2),
        (2, 0, 0, 30),
    ]
    assert "1 too far ahead" in str(found.reports[0])
    assert found.aside[0].to_pylist() == [{"reason": "too far ahead", "row": "Seen(c)@1000000000000"}]
