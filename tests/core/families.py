"""Every family of random programs that the core runs, and how one of its programs is compared with the reference."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from holdsfor import loads
from holdsfor.compiler.analyse import analyse
from holdsfor.diagnostics import ProgramError
from holdsfor.loading import Reasoner
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.failures import Failures
from holdsfor.reference import Record, Reference, Windows, recognise
from holdsfor.syntax.terms import ListTerm
from tests.core.runs import on_core
from tests.strategies.aggregate_programs import aggregate_program
from tests.strategies.calendar_programs import calendar_scenario
from tests.strategies.counters import counter_program
from tests.strategies.cycles import any_events, any_program, records_of
from tests.strategies.delays import delay_program
from tests.strategies.dense_cycles import dense_program
from tests.strategies.domains import domain_scenario
from tests.strategies.engine_runs import Scenario, scenario
from tests.strategies.families import family_scenario
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
from tests.strategies.scenario_bodies import Allowed
from tests.strategies.scenario_numbers import number_scenario
from tests.strategies.scenario_statics import POINTWISE_KIND
from tests.strategies.scenario_terms import attempt
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import EVERYTHING, INTERVALS, Features
from tests.strategies.sliding_programs import sliding_program
from tests.strategies.streams import Span, any_span
from tests.strategies.ticks import TickScenario, tick_scenario
from tests.strategies.tie_programs import tie_scenario
from tests.strategies.value_programs import value_program

Found = Scenario | TickScenario
Writer = Callable[..., Found | None]
"""Writes a program with its stream, with windows or without; None if the program has no meaning."""
LATE = 12
PLAIN = replace(EVERYTHING, static_weight=4)


def _cycles(pen: Pen, *, windowed: bool) -> Scenario:
    program = any_program(pen)
    reasoner = loads(program.text)
    # Delayed effects may swing all the way to a time far off.
    events = any_events(pen, program, may_be_far=not windowed and not program.delays)
    records = records_of(events)
    return Scenario(program.text, records, any_span(pen, records) if windowed else None, reasoner)


def _terms(pen: Pen, *, windowed: bool) -> Scenario | None:
    return attempt(pen, windowed=windowed, late=6).scenario


def _pairs(pen: Pen, *, windowed: bool) -> Scenario | None:
    found = pair_scenario(pen)
    return found and replace(found, span=any_span(pen, found.records) if windowed else None)


def _parts(pen: Pen, *, windowed: bool) -> Scenario | None:
    found = part_scenario(pen)
    return found and replace(found, span=any_span(pen, found.records) if windowed else None)


def _ties(pen: Pen, *, windowed: bool) -> Scenario | None:
    found = tie_scenario(pen)
    return found and replace(found, span=any_span(pen, found.records) if windowed else None)


def _of(write: Callable[[Pen], str]) -> Writer:
    return lambda pen, *, windowed: family_scenario(pen, write, windowed=windowed, late=LATE)


def _with(features: Features) -> Writer:
    return lambda pen, *, windowed: scenario(pen, features, windowed=windowed, late=LATE)


def _forgetting(pen: Pen, *, windowed: bool) -> Scenario | None:
    write = pen.weighted(
        [(4, _with(PLAIN)), (2, _pairs), (2, _of(delay_program)), (1, _of(dense_program)), (1, _parts)]
    )
    found = write(pen, windowed=windowed)
    assert found is None or isinstance(found, Scenario)
    return with_forgets(pen, found)


FAMILIES: dict[str, Writer] = {
    "everything": _with(EVERYTHING),
    "whole intervals": _with(INTERVALS),
    "hindsight": _with(replace(EVERYTHING, delays=False, static_weight=12)),
    "point by point": _with(replace(EVERYTHING, statics=POINTWISE_KIND, allowed=Allowed())),
    "values": _of(value_program),
    "filters": _of(filter_program),
    "counters": _of(counter_program),
    "delays": _of(delay_program),
    "sliding aggregates": _of(sliding_program),
    "domains": partial(domain_scenario, dynamic=False, late=LATE),
    "domains of the stream": partial(domain_scenario, dynamic=True, late=LATE),
    "pairs": _pairs,
    "parts of keys": _parts,
    "tied keys": _ties,
    "terms": _terms,
    "numbers": number_scenario,
    "cycles": _cycles,
    "dense cycles": _of(dense_program),
    "calendar": partial(calendar_scenario, late=LATE),
    "clock ticks": partial(tick_scenario, late=LATE),
    "aggregates": _of(aggregate_program),
    "relations": _of(relation_program),
    "row by row": _of(row_program),
    "limits": _of(limit_program),
    "loops": _of(loop_program),
    "lists of facts": _of(list_program),
    "odd streams": partial(odd_scenario, late=LATE),
    "silence": _forgetting,
}


def written(family: str, seed: int, *, windowed: bool) -> Found | None:
    """The program of a seed; None if it has no meaning."""
    try:
        return FAMILIES[family](Pen(random.Random(seed).randint), windowed=windowed)
    except ProgramError:
        return None


def windows_of(span: Span | None) -> Windows | None:
    """Query times as the reference evaluator has them."""
    return None if span is None else Windows(span.size, span.step, span.start, span.end)


def by_reference(reasoner: Reasoner, records: Sequence[Record], windows: Windows | None) -> Reference:
    """What the reference evaluator finds, which goes through time as it is and not in ticks."""
    analysis, tick = reasoner.analysis, reasoner.plan.clock_tick
    if tick != 1:
        analysis = analyse(replace(analysis.written, clock_tick=1))
    limit = reasoner.plan.max_delayed_effects
    return recognise(analysis, records, windows, tick=tick, max_delayed_effects=limit)


@dataclass
class Outcome:
    """How one program went: the stop that both evaluators came to, or what they both found."""

    wanted: Reference | None
    stop: str = ""


def compare(one: Found, threads: int = 1, *, reports: bool = True) -> Outcome:
    """Assert that the core finds what the reference does, stops where it stops, and `reports` the same failures."""
    windows = windows_of(one.span)
    try:
        wanted = by_reference(one.reasoner, one.records, windows)
    except EvaluationError as stop:
        try:
            on_core(one.reasoner, one.records, windows, threads)
        except EvaluationError as found:
            assert str(found) == str(stop), one
            return Outcome(None, str(stop))
        raise AssertionError(f"the reference stops: {stop}\n{one}") from None
    got = on_core(one.reasoner, one.records, windows, threads)
    assert got.intervals == wanted.intervals, one
    assert got.events == wanted.events, one
    assert got.conflicts == wanted.conflicts, one
    assert not reports or noted(got.failures) == noted(wanted.failures), one
    return Outcome(wanted)


def noted(failures: Failures) -> list[tuple[object, ...]]:
    """Conditions without a value as reports have them.

    Lists of intervals are left out: the core does not name them. It never looks at those that are empty.
    """
    found = []
    for one in failures:
        rows = {_without_lists(row) for row in one.rows if not _has_empty_list(row)}
        if rows:
            shown = [part for part in one.shown().split(", ") if "[" not in part]
            found.append((one.span.start, one.span.end, one.reason, sorted(shown), len(rows)))
    return sorted(found, key=str)


def _has_empty_list(row: object) -> bool:
    return isinstance(row, tuple) and any(isinstance(term, ListTerm) and not term.items for _, term in row)


def _without_lists(row: object) -> object:
    if not isinstance(row, tuple):
        return row
    return frozenset((name, term) for name, term in row if not isinstance(term, ListTerm))
