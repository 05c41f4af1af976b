"""Histories of a stream and of background facts that change: what comes in and is taken back before each query time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from holdsfor.loading import Reasoner
from holdsfor.reference import Record, Windows, recognise
from holdsfor.reference.history import InputInterval
from tests.strategies.engine_runs import Rows, Scenario
from tests.strategies.fact_edits import FactEdit, fact_edit
from tests.strategies.scenario_words import Pen

FAR = 1_000
"""A window that sees all of a random stream."""


@dataclass(frozen=True)
class Round:
    """A query time, the records that came in and were taken back before it, the latter first, and the rules with the
    background facts of that time.
    """

    query: int
    arrived: list[Record]
    retracted: list[Record]
    reasoner: Reasoner = field(repr=False)


def rounds(pen: Pen, scenario: Scenario) -> list[Round]:
    """The records of a scenario spread over query times; some are taken back later, and some of those come again.

    Now and then a background fact comes in or is taken back.
    """
    times = [moment(record) for record in scenario.records] or [0]
    # Of an input fluent, time-points are taken back, whoever reported them: here only what one record says.
    reports = Counter((record.fluent, record.value) for record in scenario.records if isinstance(record, InputInterval))
    queries = sorted({pen.number(min(times), max(times) + 3) for _ in range(pen.number(1, 5))})
    arrived: list[list[Record]] = [[] for _ in queries]
    retracted: list[list[Record]] = [[] for _ in queries]
    for record in scenario.records:
        place = pen.number(0, len(queries) - 1)
        arrived[place].append(record)
        is_sole = not isinstance(record, InputInterval) or reports[record.fluent, record.value] == 1
        if place + 1 < len(queries) and is_sole and pen.chance(33):
            back = pen.number(place + 1, len(queries) - 1)
            retracted[back].append(record)
            if pen.chance(33):
                arrived[back].append(record)
    return [
        Round(*found)
        for found in zip(queries, arrived, retracted, _reasoners(pen, scenario, len(queries)), strict=True)
    ]


def _reasoners(pen: Pen, scenario: Scenario, count: int) -> Iterator[Reasoner]:
    """The rules at each query time; facts that would change how they are worked out are left alone."""
    text, reasoner = scenario.text, scenario.reasoner
    for _ in range(count):
        edit = fact_edit(pen, text, reasoner) if pen.chance(30) else None
        if edit is not None and not edit.is_refused:
            text, reasoner = edit.text, edit.reasoner
        yield reasoner


@dataclass(frozen=True)
class Step:
    """Something that is done with a session: records are pushed, taken back, corrected, facts changed; or a question is
    asked.
    """

    what: str
    old: list[Record]
    new: list[Record]
    now: int = 0
    facts: FactEdit | None = None


def steps(pen: Pen, scenario: Scenario) -> list[Step]:
    """The records of a scenario pushed in any order, some taken back or put in place of others, with questions.

    Background facts come and go as well.
    """
    waiting = list(scenario.records)
    text, reasoner = scenario.text, scenario.reasoner
    reports = Counter((record.fluent, record.value) for record in waiting if isinstance(record, InputInterval))
    known: list[Record] = []
    made: list[Step] = []
    now = min([0, *map(moment, waiting)])
    for _ in range(pen.number(1, 16)):
        what = pen.number(0, 10)
        loose = [one for one in known if not isinstance(one, InputInterval) or reports[one.fluent, one.value] == 1]
        if what < 5 and waiting:
            new = [waiting.pop(pen.number(0, len(waiting) - 1)) for _ in range(min(len(waiting), pen.number(1, 4)))]
            made.append(Step("push", [], new))
            known += new
        elif what < 7 and loose:
            old = loose[pen.number(0, len(loose) - 1)]
            known = without(known, [old])
            if what == 5:
                made.append(Step("retract", [old], []))
                if pen.chance(50):
                    waiting.append(old)
            else:
                new = [waiting.pop()] if waiting else []
                made.append(Step("correct", [old], new))
                known += new
        elif what == 10:
            edit = fact_edit(pen, text, reasoner)
            made.append(Step("facts", [], [], facts=edit))
            if not edit.is_refused:
                text, reasoner = edit.text, edit.reasoner
        else:
            now += pen.number(0, 6)
            made.append(Step("changes" if pen.chance(60) else "query", [], [], now))
    last = max([now, *map(moment, scenario.records)])
    return [*made, Step("push", [], waiting), Step("changes", [], [], last), Step("query", [], [], last + 3)]


def without(known: list[Record], gone: list[Record]) -> list[Record]:
    """What is left when records are taken back."""
    return [record for record in known if not any(is_same(record, old) for old in gone)]


def is_same(one: Record, other: Record) -> bool:
    """Whether two records say the same, whenever they came."""
    return replace(one, arrival=0) == replace(other, arrival=0)


def moment(record: Record) -> int:
    """When a record happens or begins."""
    return record.start if isinstance(record, InputInterval) else record.time


def known_at(history: list[Round]) -> Iterator[list[Record]]:
    """What is known at each query time."""
    known: list[Record] = []
    for one in history:
        known = [record for record in known if record not in one.retracted] + one.arrived
        yield known


def by_definition(history: list[Round], origin: int) -> Iterator[Rows]:
    """What the reference evaluator says of all that is known at each query time."""
    for one, known in zip(history, known_at(history), strict=True):
        records = [replace(record, arrival=one.query) for record in known]
        windows = Windows(math.inf, one.query - origin + 1, origin - 1, one.query)
        found = recognise(one.reasoner.analysis, records, windows)
        yield Rows(found.intervals, found.events)
