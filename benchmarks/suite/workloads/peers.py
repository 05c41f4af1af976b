"""Other tools on the same data in the same run. Their answers are compared first; those not installed are left out."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from benchmarks.peers import environment
from benchmarks.peers.child import digest
from benchmarks.peers.clocks import tree_time
from benchmarks.suite.data import metric
from benchmarks.suite.measure import Result, spread
from benchmarks.suite.workload import EXAMPLES, Ready, Task, Workload, again, example


def compared(solvers: tuple[str, ...], repeat: int, answer: tuple[int, str], *arguments: object) -> dict[str, Result]:
    """What others take, who must give the same answer."""
    found = {}
    for solver in solvers:
        told = environment.ask(solver, repeat, *arguments)
        if told is None:
            continue
        assert (told["count"], told["digest"]) == answer, f"{solver} gives {told['count']} rows that are not the same"
        found[solver] = _result(told)
    return found


def _result(told: dict[str, Any]) -> Result:
    return {"wall_ms": spread(told["wall"]), "cpu_ms": spread(told["cpu"]), "windows": 1, "figures": told["figures"]}


def _islands(quick: bool) -> Ready:
    from benchmarks.peers.islands import data, rules

    events, vessels = (50_000, 1_000) if quick else (1_500_000, 34_000)
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "events.parquet")
    data.write(path, events, vessels)
    answer, repeat = digest(rules.rows(rules.answer(str(path)))), 2 if quick else 7

    def ours() -> None:
        assert folder
        rules.answer(str(path))

    # holdsfor runs as the others do, so that memory can be compared too; the task here is for the profiler.
    told = environment.ask("holdsfor", repeat, path, python=Path(sys.executable))
    assert told is not None
    measured = {"holdsfor": _result(told), **compared(("Polars", "Polars, as usual", "DuckDB"), repeat, answer, path)}
    facts = {"events": events, "vessels": vessels, "intervals": answer[0]}
    return Ready({"holdsfor, in this process": Task(again(ours))}, facts, measured)


def _islands_on_spark(quick: bool) -> Ready:
    from benchmarks.peers.islands import data, rules, spark_query
    from benchmarks.suite.data import spark_batch

    events, vessels = (50_000, 1_000) if quick else (1_500_000, 34_000)
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "events.parquet")
    data.write(path, events, vessels)
    spark = spark_batch.session(2)
    answer = digest(rules.rows(rules.answer(str(path))))
    theirs = spark_query.answer(spark, str(path)).rename_columns(["v", "start", "end"])
    assert digest(rules.rows(theirs)) == answer, "Spark SQL gives other rows"

    def by_sql() -> None:
        assert folder
        spark_query.answer(spark, str(path))

    facts = {"events": events, "vessels": vessels, "intervals": answer[0]}
    return Ready({"Spark SQL": Task(again(by_sql), repeat=5, clock=tree_time)}, facts)


def _quotes(events: int, quick: bool) -> Ready:
    from benchmarks.suite.workloads.delays import quote_rows

    from holdsfor import load

    rows = [row.split("|") for row in quote_rows(events)]
    rules = load(EXAMPLES / "netbill" / "quotes.prolog")
    folder = tempfile.TemporaryDirectory()
    plain, table = Path(folder.name, "events.csv"), Path(folder.name, "table.csv")
    plain.write_text("".join("|".join(row) + "\n" for row in rows), encoding="utf-8")
    # An acceptance names the consumer first.
    lines = [[row[0], *(row[3:5] if row[0] == "present_quote" else row[4:2:-1]), row[5], row[1]] for row in rows]
    table.write_text("name,m,c,g,t\n" + "".join(",".join(line) + "\n" for line in lines), encoding="utf-8")

    def found() -> pa.Table:
        assert folder
        return rules.recognise(plain)["quote"].to_arrow(split=True)

    def ours() -> None:
        found()

    every = found()
    held = every.filter(pc.equal(every["value"], "true"))
    columns = (held[name].to_pylist() for name in (*every.column_names[1:4], "start", "end"))
    answer = digest(zip(*columns, strict=True))
    measured = compared(("Logica",), 1 if quick else 3, answer, table)
    return Ready({"holdsfor": Task(again(ours))}, {"events": len(rows), "intervals": answer[0]}, measured)


def _stops(name: str, reading: bool, quick: bool) -> Ready:
    from holdsfor.columns.dictionary import Dictionary
    from holdsfor.io.metric_text import read_metric_facts

    case = metric.short_stop(EXAMPLES / "short_stop", name)
    facts = EXAMPLES / "short_stop" / f"{name}.txt.gz"
    folder = tempfile.TemporaryDirectory()
    program = Path(folder.name, "program.txt")
    # MeTeoR wants a rule on a line, both ends of an interval, and no spaces in a body.
    text = re.sub(r"\[(\d+)\] ", r"[\1,\1]", metric.SHORT_STOP.replace(",\n    ", ",")).replace(", ", ",")
    program.write_text(text.strip() + "\n", encoding="utf-8")

    def ours() -> None:
        assert folder
        if not reading:
            metric.in_batch(case)
            return
        dictionary = Dictionary()
        metric.in_batch(replace(case, facts=read_metric_facts([facts], dictionary), dictionary=dictionary))

    table = metric.in_batch(case).tables["ShortStop", 1]
    columns = (table.args[0].tolist(), table.start.tolist(), table.end.tolist())
    answer = digest(
        (case.dictionary.values[code], cell // 2)
        for code, start, end in zip(*columns, strict=True)
        for cell in range(start, end)
        if cell % 2 == 0
    )
    solver = "MeTeoR" if reading else "MeTeoR, facts in memory"
    # The larger stream takes MeTeoR long enough for one run to say something.
    measured = {} if quick else compared((solver,), 3 if name == "S1" else 1, answer, facts, program)
    return Ready({"holdsfor": Task(again(ours))}, {"answers": answer[0]}, measured)


def _sequences(activities: int, quick: bool) -> Ready:
    """Three activities in a row. Flink takes seconds however few there are: what a small file takes is told apart."""
    from benchmarks.suite.workloads.sequences import IDS, one_pattern

    from holdsfor import loads

    rules = loads(one_pattern(3))
    folder = tempfile.TemporaryDirectory()
    every = _activities(Path(folder.name, "all"), activities // 10 if quick else activities, IDS)
    few = _activities(Path(folder.name, "few"), IDS, IDS)

    def found() -> pa.Table:
        assert folder
        return rules.recognise(every[0])["all"].to_arrow(split=True)

    def ours() -> None:
        found()

    answer = digest(_listed(found()))
    measured = compared(("Flink",), 2 if quick else 4, answer, every[1])
    if measured:
        small = digest(_listed(rules.recognise(few[0])["all"].to_arrow(split=True)))
        measured["Flink, 500 activities"] = compared(("Flink",), 4, small, few[1])["Flink"]
    return Ready({"holdsfor": Task(again(ours))}, {"events": activities, "intervals": answer[0]}, measured)


def _activities(folder: Path, activities: int, ids: int) -> tuple[Path, Path]:
    """The same rows in RTEC's format and with commas."""
    folder.mkdir()
    rows = [row.split("|") for row in example("abstract_sequence").rows(3, activities, ids, 0.0, 1)]
    ours, theirs = folder / "rtec.csv", folder / "plain.csv"
    ours.write_text("".join("|".join(row) + "\n" for row in rows), encoding="utf-8")
    lines = (f"{kind},{start},{end},{name}\n" for kind, _, start, end, _, name in rows)
    theirs.write_text("".join(lines), encoding="utf-8")
    return ours, theirs


def _listed(found: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(found[name].to_pylist() for name in ("id", "start", "end")), strict=True)


WORKLOADS = [
    Workload("peer-islands", "one situation that lasts, by rules and by hand-written queries", _islands),
    Workload("peer-islands-spark", "the same by Spark SQL on two cores, warm", _islands_on_spark, slow=True),
    *(
        Workload(f"peer-quotes-{events}", f"quotes by rules and by Logica, {events} events", partial(_quotes, events))
        for events in (80, 960, 4000)
    ),
    *(
        Workload(f"peer-stops{'' if reading else '-read'}-{name}", f"{title}, {name}", partial(_stops, name, reading))
        for reading, title in (
            (True, "short stops in batch, also by MeTeoR"),
            (False, "short stops in batch, facts in memory"),
        )
        for name in ("S1", "S2")
    ),
    Workload("peer-sequences", "a1; a2; a3 by rules and by Flink, 200,000 activities", partial(_sequences, 200_000)),
]
