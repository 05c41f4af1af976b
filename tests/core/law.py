"""The law of the driver: whatever is done, in whatever order, the answers are those of the rows that count."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol

import pyarrow as pa

from holdsfor import loads
from holdsfor.columns.changelog import CHANGES
from holdsfor.columns.tables import FOREVER
from holdsfor.diagnostics import ProgramError
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.reference import Record
from tests.core.histories import Advance, History, Push, Reload, Retract, Split, history
from tests.core.law_model import found_table
from tests.core.law_oracle import Expected, expected
from tests.core.sizes import enlarged
from tests.strategies.aggregate_programs import aggregate_program
from tests.strategies.batches import NEVER
from tests.strategies.calendar_programs import calendar_scenario
from tests.strategies.changelog import SHOWN, compare, snapshot
from tests.strategies.counters import counter_program
from tests.strategies.cycles import any_events, any_program, records_of
from tests.strategies.delays import delay_program
from tests.strategies.dense_cycles import dense_program
from tests.strategies.domains import domain_scenario
from tests.strategies.engine_runs import Rows, Scenario, differences, scenario
from tests.strategies.families import Writer, family_scenario
from tests.strategies.filter_programs import filter_program
from tests.strategies.forget_programs import with_forgets
from tests.strategies.limit_programs import limit_program
from tests.strategies.list_programs import list_program
from tests.strategies.loop_programs import loop_program
from tests.strategies.odd_streams import odd_scenario
from tests.strategies.pairs import pair_scenario
from tests.strategies.parts import part_scenario
from tests.strategies.relation_programs import relation_program
from tests.strategies.row_programs import row_program
from tests.strategies.scenario_numbers import number_scenario
from tests.strategies.scenario_terms import attempt
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import INTERVALS
from tests.strategies.sliding_programs import sliding_program
from tests.strategies.tie_programs import tie_scenario
from tests.strategies.value_programs import value_program


def _cycle(pen: Pen) -> Scenario:
    program = any_program(pen)
    # Delayed effects may swing all the way to a time far off.
    records = records_of(any_events(pen, program, may_be_far=not program.delays))
    return Scenario(program.text, records, None, loads(program.text))


def _plain(pen: Pen) -> Scenario | None:
    return scenario(pen, windowed=False)


def _of(write: Writer) -> Callable[[Pen], Scenario]:
    return lambda pen: family_scenario(pen, write, windowed=False)


FAMILIES: dict[str, Callable[[Pen], Scenario | None]] = {
    "everything": lambda pen: scenario(pen, windowed=False),
    "whole intervals": lambda pen: scenario(pen, INTERVALS, windowed=False),
    "cycles": _cycle,
    "values": _of(value_program),
    "filters": _of(filter_program),
    "domains": lambda pen: domain_scenario(pen, dynamic=True, windowed=False),
    "pairs": pair_scenario,
    "parts of keys": part_scenario,
    "tied keys": tie_scenario,
    "sliding aggregates": _of(sliding_program),
    "calendar": lambda pen: calendar_scenario(pen, windowed=False),
    "terms": lambda pen: attempt(pen, windowed=False).scenario,
    "numbers": lambda pen: number_scenario(pen, windowed=False),
    "dense cycles": _of(dense_program),
    "counters": _of(counter_program),
    "delays": _of(delay_program),
    "aggregates": _of(aggregate_program),
    "relations": _of(relation_program),
    "row by row": _of(row_program),
    "limits": _of(limit_program),
    "loops": _of(loop_program),
    "lists of facts": _of(list_program),
    "odd streams": lambda pen: odd_scenario(pen, windowed=False),
    "silence": lambda pen: with_forgets(pen, pen.pick((_plain, pair_scenario, _of(delay_program)))(pen)),
}
"""Writers of programs with their streams. Windows and arrivals belong to histories."""


class Driver(Protocol):
    """What the law is about."""

    @property
    def late(self) -> int:
        """Rows that came too late."""

    @property
    def unmatched(self) -> int:
        """Retractions of what was not there."""

    def push(self, records: list[Record]) -> None:
        """Rows come in."""

    def retract(self, records: list[Record]) -> None:
        """Rows are taken back."""

    def advance(self, query: int, threads: int) -> None:
        """Time goes on."""

    def answers(self) -> Rows:
        """What is shown at the last advance."""

    def changes(self) -> pa.Table:
        """What has changed since the last call: rows of `CHANGES`."""

    def too_much(self) -> list[str]:
        """What is kept beyond what the plan says."""

    def reloaded(self) -> Any:
        """A new driver with the saved state of this one."""

    def split(self, parts: int) -> Any:
        """A new driver with the parts of the state of this one."""


class BrokenLawError(AssertionError):
    """What differs, and the history on which it does."""


def history_of(family: str, seed: int, rows: int = 0) -> History | None:
    """The history of a seed, with so many rows if any number is given; None if its program has no meaning."""
    pen = Pen(random.Random(seed).randint)
    try:
        one = FAMILIES[family](pen)
    except ProgramError:
        return None
    if one is not None and rows:
        one = replace(one, records=enlarged(pen, one.records, rows, pen.number(0, 1)))
    return None if one is None else history(pen, one)


def right_answers(one: History) -> list[Expected] | None:
    """What is right after each advance; None if the program stops with an error on this stream."""
    try:
        return list(expected(one))
    except EvaluationError:
        return None


def check(one: History, make: Callable[[History], Driver], right: Iterable[Expected] | None = None) -> None:
    """Run a history through a driver and compare it with what is right after each advance."""
    driver = make(one)
    wanted = iter(expected(one) if right is None else right)
    ledger = _Ledger(one)
    for step in one.steps:
        if isinstance(step, Push):
            driver.push(step.records)
        elif isinstance(step, Retract):
            driver.retract(step.records)
        elif isinstance(step, Reload):
            driver = driver.reloaded()
        elif isinstance(step, Split):
            driver = driver.split(step.parts)
        elif isinstance(step, Advance):
            now = next(wanted)
            driver.advance(step.query, step.threads)
            problems = differences(driver.answers(), Rows(now.intervals, now.events))
            if (driver.late, driver.unmatched) != (now.late, now.unmatched):
                counts = f"late {driver.late}, unmatched {driver.unmatched}"
                problems.append(f"{counts}: right would be {now.late}, {now.unmatched}")
            if step.changes:
                problems += ledger.problems(driver.changes(), now)
            if problems:
                raise BrokenLawError("\n".join([repr(one), f"at {step}:", *problems]))
    problems = driver.too_much()
    if problems:
        raise BrokenLawError("\n".join([repr(one), *problems]))


class _Ledger:
    """What changes said so far."""

    def __init__(self, one: History) -> None:
        self._window = one.window
        self._shown, self._shown_at = SHOWN.empty_table(), NEVER
        self._log: list[pa.Table] = []

    def problems(self, found: pa.Table, now: Expected) -> list[str]:
        """How changes differ from what they should be, and what they leave from the answers."""
        query = now.advance.query
        low = -int(FOREVER) if math.isinf(now.low) else int(now.low)
        right, self._shown = compare(self._shown, found_table(now.everything), query, low, self._shown_at)
        self._shown_at = query
        self._log.append(found)
        got, wanted = _lines(found), _lines(right)
        problems = [f"missing change: {line}" for line in wanted if line not in got]
        problems += [f"only in changes of the driver: {line}" for line in got if line not in wanted]
        window = int(FOREVER) if self._window is None else self._window
        left = _lines(snapshot(pa.concat_tables(self._log), query, window).select(found_table(()).column_names))
        shown = _lines(found_table(now.intervals))
        problems += [f"changes leave: {line}" for line in left if line not in shown]
        problems += [f"changes do not leave: {line}" for line in shown if line not in left]
        return problems


def _lines(table: pa.Table) -> list[str]:
    return sorted(str(row) for row in table.select([n for n in CHANGES.names if n in table.column_names]).to_pylist())
