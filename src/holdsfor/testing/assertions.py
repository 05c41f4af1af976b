"""Assertions about results, in the notation of Markdown tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdsfor.engine_names import Engine
from holdsfor.testing.checking import differences, run_checks
from holdsfor.testing.engines import found_at
from holdsfor.testing.notation import expectations

if TYPE_CHECKING:
    from pathlib import Path

    from holdsfor.loading import Reasoner
    from holdsfor.recognition import EventsInput
    from holdsfor.result import Result


def assert_intervals(result: Result, expected: str) -> None:
    """Assert what holds at the last query time of a result.

    A fluent that is mentioned must hold at no other times; other fluents are not checked.

    >>> from holdsfor import loads
    >>> from holdsfor.testing import events
    >>> rules = loads("initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).")
    >>> assert_intervals(rules.recognise(events("3 unlock(front)")), "open(front)=true [4,inf)")
    """
    tables = result.to_arrow(points=True), result.derived_event_points
    found = found_at(max(result.query_times, default=0), *tables, result.time_scale)
    wrong = differences(expectations(expected, scale=result.time_scale), found, "<found>")
    if wrong:
        raise AssertionError("\n".join(one.render() for one in wrong))


def assert_markdown(
    path: str | Path, *engines: str, rules: Iterable[str | Path] = (), background: Iterable[str | Path] = ()
) -> None:
    """Assert that all checks of a Markdown file pass, on `local` and `reference` unless it says otherwise.

    `rules` and `background` are files that override those in the head of the page.
    """
    chosen = [Engine(engine) for engine in engines] or [Engine.LOCAL, Engine.REFERENCE]
    failed = [outcome for outcome in run_checks(path, chosen, rules=rules, background=background) if not outcome.passed]
    if failed:
        raise AssertionError("\n\n".join(outcome.render() for outcome in failed))


def assert_engines_agree(
    reasoner: Reasoner, events: EventsInput, *, window: int | None = None, step: int | None = None
) -> None:
    """Assert that the engine and the reference evaluator agree; useful with random events."""
    from holdsfor.columns.report import rows_of
    from holdsfor.recognition import Recognition, plan_windows, read_events

    reading = read_events(reasoner.plan, events)
    windows = plan_windows(reading.stream, window, step)
    slow, _ = Recognition(reasoner.plan, reading, windows).by_reference()
    fast = reasoner.recognise(events, window=window, step=step)
    if sorted(fast) != sorted(rows_of(slow)):
        only_fast, only_slow = set(fast) - set(rows_of(slow)), set(rows_of(slow)) - set(fast)
        raise AssertionError(f"only the engine: {sorted(only_fast)}\nonly the evaluator: {sorted(only_slow)}")
