"""A stream on Spark is stopped, and started again on its checkpoint with edited rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdsfor import HoldsforError, loads
from holdsfor.physical.exactness import SwapPlan
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming import small
from holdsfor.spark.streaming.sinks import Memory
from tests.spark.stream_files import MAPPING, STEP, WINDOW, file_stream, local_rows, some_rows, stream_rows, write_file
from tests.strategies.changelog import snapshot

pytestmark = pytest.mark.filterwarnings("ignore")
RULES = """
initiatedAt(moving(V)=true,T) :- happensAt(go(V),T).
terminatedAt(moving(V)=true,T) :- happensAt(stop(V),T).
initiatedAt(close(A,B)=true,T) :- happensAt(meet(A,B),T).
terminatedAt(close(A,B)=true,T) :- happensAt(part(A,B),T).
fi(close(A,B)=true, close(A,B)=old, 25).
holdsFor(together(A,B)=true,I) :-
    holdsFor(moving(A)=true,I1), holdsFor(moving(B)=true,I2), holdsFor(close(A,B)=true,I3),
    intersect_all([I1,I2,I3],I).
happensAt(bump(A,B),T) :- happensAt(meet(A,B),T), holdsAt(moving(A)=true,T).
"""
EDITED = RULES.replace("intersect_all([I1,I2,I3],I)", "union_all([I1,I2],I4), intersect_all([I3,I4],I)").replace(
    "happensAt(bump(A,B),T) :- happensAt(meet(A,B),T), holdsAt(moving(A)=true,T).\n", ""
)
ROWS = some_rows(21, 1, 160)


def follow(spark: Any, folder: Path, sink: Any, rules: str, events: Any = None, **options: Any) -> list[Any]:
    """Follow all files that are there."""
    reports: list[Any] = []
    query = recognition(spark, folder, rules, **options).start(
        sink,
        checkpoint=str(folder / "checkpoint"),
        trigger={"availableNow": True},
        on_report=reports.append,
        events=events,
    )
    query.awaitTermination()
    return reports


def recognition(spark: Any, folder: Path, rules: str, **options: Any) -> Any:
    given = {"mapping": MAPPING, "window": WINDOW, "step": STEP, "start": 0, "buckets": 2} | options
    return recognise_stream(loads(rules), file_stream(spark, folder / "in"), **given)


def write(folder: Path, first: int, last: int) -> None:
    for number in range(first, last):
        write_file(folder / "in", number, ROWS[65 * number : 65 * number + 65])


def about(rows: list[tuple[Any, ...]], first: int, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    return [row for row in rows if row[0] >= first and row[1].partition("(")[0] in names]


def since_kept(rows: list[tuple[Any, ...]], plan: SwapPlan) -> list[tuple[Any, ...]]:
    """Rows after the first time-point of which all rows are kept."""
    assert plan.rows_since is not None
    first = int(plan.rows_since) + 1
    return sorted((*row[:3], max(row[3], first), row[4]) for row in rows if row[4] > first)


@pytest.mark.parametrize("is_small", [True, False], ids=["on the driver", "on workers"])
@pytest.mark.parametrize("state", ["files", "tables"])
def test_edited_rules(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, *, is_small: bool
) -> None:
    if not is_small:
        monkeypatch.setattr(small, "MOST_ROWS", -1)
    write(tmp_path, 0, 4)
    sink, events = Memory(), Memory()
    before = follow(spark, tmp_path, sink, RULES, events, state=state)[-1].query_time
    assert before == 80
    write(tmp_path, 4, 7)
    with pytest.raises(HoldsforError, match="to change them, or begin"):
        follow(spark, tmp_path, sink, EDITED, state=state)
    with pytest.raises(HoldsforError, match="is that of other rules"):
        follow(spark, tmp_path, sink, EDITED, state=state, swap=loads(RULES.replace("25", "26")))
    options = {"state": state, "swap": loads(RULES), "buckets": 3}
    made = recognition(spark, tmp_path, EDITED, **options)
    plan = made.plan_swap(str(tmp_path / "checkpoint"))
    assert str(plan).splitlines() == [
        "changed: bump/2, together/2; gone: bump/2",
        "together/2: exact at once",
        "not reached by the edit, exact: close/2, moving/1",
    ]
    with pytest.raises(Exception, match="the sink is full"):
        follow(spark, tmp_path, full, EDITED, events, **options)
    after = follow(spark, tmp_path, sink, EDITED, events, **options)
    assert [report.batch for report in after] == [4, 5, 6]
    # Nothing more is to be done.
    assert recognition(spark, tmp_path, EDITED, **options).plan_swap(str(tmp_path / "checkpoint")) is None
    last = after[-1].query_time
    assert last == 150
    found, wanted = stream_rows(sink.table(), last), local_rows(ROWS, last, rules=EDITED)
    assert about(found, before + STEP, ("moving", "close")) == about(wanted, before + STEP, ("moving", "close"))
    # Before the kept rows, everything stays as it was said.
    shown, wanted = (about(rows, before + STEP, ("together",)) for rows in (found, wanted))
    assert since_kept(shown, plan) == since_kept(wanted, plan) != []
    changes = sink.table().to_pylist()
    assert len({(row["id"], row["query_time"]) for row in changes}) == len(changes)
    named = [row for row in changes if any("rule changed" in cause for cause in row["causes"])]
    assert {row["query_time"] for row in named} == {90}
    assert {row["fluent"].partition("(")[0] for row in named} == {"together"}
    assert {cause for row in named for cause in row["causes"]} == {"rule changed together/2 at 80"}
    happened = events.table().to_pylist()
    gone = {row["id"] for row in happened if (row["op"], row["query_time"]) == ("retract", before + 1)}
    assert gone == {row["id"] for row in happened if row["op"] == "happen" and row["time"] > before - WINDOW}


def full(rows: Any, batch: int) -> None:
    raise OSError("the sink is full")


def test_a_fluent_that_no_rule_defines_any_more(spark: Any, tmp_path: Path) -> None:
    write(tmp_path, 0, 3)
    sink = Memory()
    before = follow(spark, tmp_path, sink, RULES)[-1].query_time
    left = [row for row in snapshot(sink.table(), before, WINDOW).to_pylist() if row["fluent"].startswith("together")]
    assert left
    write(tmp_path, 3, 5)
    edited = RULES[: RULES.index("holdsFor(together")]
    follow(spark, tmp_path, sink, edited, swap=loads(RULES))
    gone = [row for row in sink.batches[3].to_pylist() if row["fluent"].startswith("together")]
    assert {row["op"] for row in gone} == {"retract"}
    assert {row["id"] for row in left} <= {row["id"] for row in gone}
    assert {row["query_time"] for row in gone} == {before + STEP}
    assert {cause for row in gone for cause in row["causes"]} == {f"rule changed together/2 at {before}"}
    assert not [row for row in stream_rows(sink.table(), 90) if row[0] > before and row[1].startswith("together")]


@pytest.mark.parametrize("state", ["files", "tables"])
def test_a_backfill(spark: Any, tmp_path: Path, state: str) -> None:
    write(tmp_path, 0, 4)
    sink = Memory()
    before = follow(spark, tmp_path, sink, RULES, state=state)[-1].query_time
    write(tmp_path, 4, 6)
    edited = RULES.replace("happensAt(stop(V),T)", "happensAt(part(V,_),T)")
    history = spark.read.parquet(str(tmp_path / "in"))
    options = {"state": state, "swap": loads(RULES)}
    made = recognition(spark, tmp_path, edited, **options)
    named = made.plan_swap(str(tmp_path / "checkpoint"))
    assert named is not None and named.backfill == ("go/1", "meet/2", "part/2")
    with pytest.raises(HoldsforError, match="name the earlier rules"):
        recognition(spark, tmp_path, edited, swap_history=history)
    last = follow(spark, tmp_path, sink, edited, swap_history=history, **options)[-1].query_time
    found, wanted = stream_rows(sink.table(), last), local_rows(ROWS, last, rules=edited)
    names = "moving", "close", "together"
    assert about(found, before + STEP, names) == about(wanted, before + STEP, names)


def test_refusals(spark: Any, tmp_path: Path) -> None:
    write(tmp_path, 0, 3)
    sink = Memory()
    follow(spark, tmp_path, sink, RULES)
    write(tmp_path, 3, 4)
    with pytest.raises(HoldsforError, match="recognise_stream"):
        recognition(spark, tmp_path, EDITED).plan_swap(str(tmp_path / "checkpoint"))
    with pytest.raises(HoldsforError, match="close was reported so far"):
        follow(spark, tmp_path, sink, EDITED, swap=loads(RULES), fluents=["together"])
    with pytest.raises(HoldsforError, match="made with window 30, not 40"):
        follow(spark, tmp_path, sink, EDITED, swap=loads(RULES), window=40)
