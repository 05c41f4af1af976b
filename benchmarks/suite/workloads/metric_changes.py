"""DatalogMTL: a fact is taken back in a large materialisation, and a question with a constant is asked."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from benchmarks.suite.data import metric
from benchmarks.suite.workload import Figures, Ready, Task, Workload, again

from holdsfor import loads_metric
from holdsfor.metric.revising import RevisingSession

PATIENCE = 4.0
"""Seconds of processor time after which no more facts are taken back."""
MOST = 200


def _straight(facts: int, quick: bool) -> metric.Case:
    facts = min(facts, 10_000) if quick else facts
    names = ["WorksFor", "HeadOf", "PublicationAuthor"]
    return metric.university("straight", metric.STRAIGHT, "Candidate", names, facts, facts // 50)


def _recursive(facts: int, quick: bool) -> metric.Case:
    facts = min(facts, 1_000) if quick else facts
    names = ["DoctoralDegreeFrom", "UndergraduateDegreeFrom", "TeacherOf"]
    return metric.university("recursive", metric.RECURSIVE, "Scientist", names, facts, facts // 7)


class _Deletions:
    """A materialisation in a session, facts of which are taken back and pushed again."""

    def __init__(self, recursive: bool, facts: int, quick: bool) -> None:
        self._text, self._query = (metric.RECURSIVE, "Scientist") if recursive else (metric.STRAIGHT, "Candidate")
        self.given = metric.frames((_recursive if recursive else _straight)(facts, quick))
        self.session = self._session(self.given)
        self._random = np.random.default_rng(2)

    def _session(self, given: dict[str, pa.Table]) -> RevisingSession:
        session = loads_metric(self._text).session(lateness=1000, query=self._query)
        session.push(given)
        session.advance(metric.LAST)
        return session

    def some_fact(self) -> dict[str, pa.Table]:
        """One of the facts."""
        name = str(self._random.choice(list(self.given)))
        return {name: self.given[name].slice(int(self._random.integers(len(self.given[name]))), 1)}

    def check(self) -> None:
        """Compare a session from which a fact was taken back with one that never had it."""
        ((name, fact),) = self.some_fact().items()
        is_it = pc.and_(*(pc.equal(self.given[name][column], fact[column][0]) for column in ("time", "arg0")))
        self.session.retract({name: fact})
        self.session.advance(metric.LAST)
        rest = self._session({**self.given, name: self.given[name].filter(pc.invert(is_it))})
        assert set(self.session.answer()) == set(rest.answer()), "not the answer from scratch"

    def work(self) -> Figures:
        """Take a fact back and read what has changed, then push it again; once and again."""
        gone: list[float] = []
        back: list[float] = []
        removed = 0
        while len(gone) < MOST and sum(gone) + sum(back) < 1e3 * PATIENCE:
            fact = self.some_fact()
            begin = time.process_time()
            self.session.retract(fact)
            removed += len(self.session.advance(metric.LAST).removed)
            middle = time.process_time()
            self.session.push(fact)
            self.session.advance(metric.LAST)
            gone.append(1e3 * (middle - begin))
            back.append(1e3 * (time.process_time() - middle))
        return {
            "deletion_median_ms": float(np.median(gone)),
            "deletion_p99_ms": float(np.percentile(gone, 99)),
            "insertion_median_ms": float(np.median(back)),
            "removed_each": removed / len(gone),
            "deletions": len(gone),
        }


def _deletion(recursive: bool, facts: int, quick: bool) -> Ready:
    _Deletions(recursive, facts, True).check()
    made = _Deletions(recursive, facts, quick)
    sizes = {"facts": sum(map(len, made.given.values())), "answers": len(made.session.answer())}
    return Ready({"one fact": Task(again(made.work), repeat=3, warm_up=1)}, sizes)


def _question(recursive: bool, facts: int, quick: bool) -> Ready:
    case = (_recursive if recursive else _straight)(facts, quick)
    # Somebody for whom there is an answer.
    (table,) = metric.in_batch(case).tables.values()
    person = case.dictionary.values[int(table.args[0][table.rows // 2])]
    question = f"Scientist({person})" if recursive else f"Candidate({person}, D)"
    found, expected = metric.asked(case, question), metric.chosen(case, question)
    answers = sum(metric.points(table, found.scale, case.step) for table in found.tables.values())
    among_all = sum(metric.points(table, expected.scale, case.step) for table in expected.tables.values())
    assert answers == among_all > 0, f"{answers} answers to the question, {among_all} among all"

    def ask() -> None:
        metric.asked(case, question)

    def everything() -> None:
        metric.in_batch(case)

    tasks = {"question": Task(again(ask)), "everything": Task(again(everything), repeat=3, warm_up=1)}
    return Ready(tasks, {"facts": sum(table.rows for table in case.facts.tables.values()), "answers": answers})


def _kind(recursive: bool) -> str:
    return "recursive" if recursive else "straight"


WORKLOADS = [
    *(
        Workload(
            f"metric-deletion-{_kind(recursive)}",
            f"LUBM-like, {_kind(recursive)}, {facts:,} facts: one fact is taken back",
            partial(_deletion, recursive, facts),
        )
        for recursive, facts in ((False, 1_000_000), (True, 50_000))
    ),
    *(
        Workload(
            f"metric-question-{_kind(recursive)}",
            f"LUBM-like, {_kind(recursive)}, {facts:,} facts: a question with one constant",
            partial(_question, recursive, facts),
        )
        for recursive, facts in ((False, 1_000_000), (True, 100_000))
    ),
]
