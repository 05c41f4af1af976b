"""Other tools on the same data in the same run. Their answers are compared first; those not installed are left out."""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from benchmarks.peers import environment
from benchmarks.peers.child import digest
from benchmarks.suite.measure import Result, spread
from benchmarks.suite.workload import EXAMPLES, Ready, Task, Workload, again


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
    figures = {"rss_mb": told["rss_mb"]}
    return {"wall_ms": spread(told["wall"]), "cpu_ms": spread(told["cpu"]), "windows": 1, "figures": figures}


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
    import spark_batch
    from benchmarks.peers.islands import data, rules, spark_query

    events, vessels = (50_000, 1_000) if quick else (1_500_000, 34_000)
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "events.parquet")
    data.write(path, events, vessels)
    spark = spark_batch.session(2)
    answer = digest(rules.rows(rules.answer(str(path))))
    theirs = spark_query.answer(spark, str(path)).rename_columns(["arg1", "start", "end"])
    assert digest(rules.rows(theirs)) == answer, "Spark SQL gives other rows"

    def by_sql() -> None:
        assert folder
        spark_query.answer(spark, str(path))

    facts = {"events": events, "vessels": vessels, "intervals": answer[0]}
    return Ready({"Spark SQL": Task(again(by_sql), repeat=5, clock=spark_batch.processor_seconds)}, facts)


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
    columns = (held[name].to_pylist() for name in ("arg1", "arg2", "arg3", "start", "end"))
    answer = digest(zip(*columns, strict=True))
    measured = compared(("Logica",), 1 if quick else 3, answer, table)
    return Ready({"holdsfor": Task(again(ours))}, {"events": len(rows), "intervals": answer[0]}, measured)


def _stops(name: str, quick: bool) -> Ready:
    import dmtl

    from holdsfor.engine.dictionary import Dictionary
    from holdsfor.io.metric_text import read_metric_facts

    case = dmtl.short_stop(EXAMPLES / "short_stop", name)
    facts = EXAMPLES / "short_stop" / f"{name}.txt.gz"
    folder = tempfile.TemporaryDirectory()
    program = Path(folder.name, "program.txt")
    # MeTeoR wants a rule on a line, both ends of an interval, and no spaces in a body.
    text = re.sub(r"\[(\d+)\] ", r"[\1,\1]", dmtl.SHORT_STOP.replace(",\n    ", ",")).replace(", ", ",")
    program.write_text(text.strip() + "\n", encoding="utf-8")

    def ours() -> None:
        assert folder
        dictionary = Dictionary()
        dmtl.in_batch(replace(case, facts=read_metric_facts([facts], dictionary), dictionary=dictionary))

    table = dmtl.in_batch(case).tables["ShortStop", 1]
    columns = (table.args[0].tolist(), table.start.tolist(), table.end.tolist())
    answer = digest(
        (case.dictionary.values[code], cell // 2)
        for code, start, end in zip(*columns, strict=True)
        for cell in range(start, end)
        if cell % 2 == 0
    )
    measured = {} if quick else compared(("MeTeoR",), 1, answer, facts, program)
    return Ready({"holdsfor": Task(again(ours))}, {"answers": answer[0]}, measured)


WORKLOADS = [
    Workload("peer-islands", "one situation that lasts, by rules and by hand-written queries", _islands),
    Workload("peer-islands-spark", "the same by Spark SQL on two cores, warm", _islands_on_spark, slow=True),
    *(
        Workload(f"peer-quotes-{events}", f"quotes by rules and by Logica, {events} events", partial(_quotes, events))
        for events in (80, 960, 4000)
    ),
    *(
        Workload(f"peer-stops-{name}", f"short stops in batch, also by MeTeoR, {name}", partial(_stops, name))
        for name in ("S1", "S2")
    ),
]
