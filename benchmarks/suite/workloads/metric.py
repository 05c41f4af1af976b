"""DatalogMTL: short stops of vehicles, and programs like those of the temporal LUBM benchmark."""

from __future__ import annotations

from functools import partial

from benchmarks.suite.data import metric
from benchmarks.suite.workload import EXAMPLES, Ready, Task, Workload, again


def _ready(case: metric.Case, repeat: int) -> Ready:
    """The stream step by step, and everything at once; answers are compared first."""
    arriving = list(metric.steps(case))
    found, batch = metric.streamed(case, arriving), metric.in_batch(case)
    answers = sum(metric.points(table, batch.scale, case.step) for table in batch.tables.values())
    assert found.answers == answers, f"{found.answers} answers on the stream, {answers} in batch"
    facts = sum(table.rows for table in case.facts.tables.values())

    def stream() -> None:
        metric.step_by_step(case, arriving)

    def one_step() -> None:
        metric.step_by_step(case, [(case.last, case.facts)])

    def at_once() -> None:
        metric.in_batch(case)

    tasks = {
        "stream": Task(again(stream), len(arriving), repeat, 0),
        "one step": Task(again(one_step), 1, repeat, 0),
        "batch": Task(again(at_once), 1, repeat, 0),
    }
    numbers = {"facts": facts, "answers": answers, "steps": len(arriving), "facts kept": max(found.kept)}
    numbers["facts kept at most"] = metric.certificate(case)
    shares = {"share kept": numbers["facts kept"] / numbers["facts kept at most"]}
    series: dict[str, list[float]] = {"time": [float(until) for until, _ in arriving], "kept": list(found.kept)}
    if len(arriving) <= 300:
        series["step_ms"] = metric.streamed(case, arriving).milliseconds
    return Ready(tasks, numbers | shares, series=series)


def _short_stop(name: str, quick: bool) -> Ready:
    return _ready(metric.short_stop(EXAMPLES / "short_stop", name), 1 if quick else 5)


def _university(recursive: bool, facts: int, quick: bool) -> Ready:
    facts = min(facts, 10_000) if quick else facts
    if recursive:
        names = ["DoctoralDegreeFrom", "UndergraduateDegreeFrom", "TeacherOf"]
        case = metric.university("recursive", metric.RECURSIVE, "Scientist", names, facts, facts // 7)
    else:
        names = ["WorksFor", "HeadOf", "PublicationAuthor"]
        case = metric.university("straight", metric.STRAIGHT, "Candidate", names, facts, facts // 50)
    return _ready(case, 3)


WORKLOADS = [
    *(Workload(f"short-stop-{name}", f"short stops, {name}", partial(_short_stop, name)) for name in ("S1", "S2")),
    *(
        Workload(
            f"lubm-{'recursive' if recursive else 'straight'}-{facts}",
            f"LUBM-like, {'recursive' if recursive else 'straight'}, {facts:,} facts",
            partial(_university, recursive, facts),
            slow=facts > 1_000_000,
        )
        for recursive, facts in (
            (False, 10_000),
            (False, 100_000),
            (False, 1_000_000),
            (False, 5_000_000),
            (True, 10_000),
            (True, 100_000),
        )
    ),
]
