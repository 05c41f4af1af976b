"""DatalogMTL: short stops of vehicles, and programs like those of the temporal LUBM benchmark."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.suite.workload import EXAMPLES, Ready, Task, Workload, again

if TYPE_CHECKING:
    import dmtl


def _ready(case: dmtl.Case, repeat: int) -> Ready:
    """The stream step by step, and everything at once; answers are compared first."""
    import dmtl

    arriving = list(dmtl.steps(case))
    found, batch = dmtl.streamed(case, arriving), dmtl.in_batch(case)
    assert found.kept is not None
    answers = sum(dmtl.points(table, batch.scale, case.step) for table in batch.tables.values())
    assert found.answers == answers, f"{found.answers} answers on the stream, {answers} in batch"
    facts = sum(table.rows for table in case.facts.tables.values())

    def stream() -> None:
        dmtl.streamed(case, arriving)

    def at_once() -> None:
        dmtl.in_batch(case)

    tasks = {"stream": Task(again(stream), len(arriving), repeat, 0), "batch": Task(again(at_once), 1, repeat, 0)}
    return Ready(tasks, {"facts": facts, "answers": answers, "steps": len(arriving), "facts kept": max(found.kept)})


def _short_stop(name: str, quick: bool) -> Ready:
    import dmtl

    return _ready(dmtl.short_stop(EXAMPLES / "short_stop", name), 1 if quick else 5)


def _university(recursive: bool, facts: int, quick: bool) -> Ready:
    import dmtl

    facts = min(facts, 10_000) if quick else facts
    if recursive:
        names = ["DoctoralDegreeFrom", "UndergraduateDegreeFrom", "TeacherOf"]
        case = dmtl.university("recursive", dmtl.RECURSIVE, "Scientist", names, facts, facts // 7)
    else:
        names = ["WorksFor", "HeadOf", "PublicationAuthor"]
        case = dmtl.university("straight", dmtl.STRAIGHT, "Candidate", names, facts, facts // 50)
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
