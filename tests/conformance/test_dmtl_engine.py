"""Every DatalogMTL conformance case that has an answer, on the engine: in one go, and in steps where it may run so."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import pytest

from holdsfor.ir.metric import MetricFact, MetricProgram
from tests.conformance.dmtl_cases import ANSWERED, RANDOM_CASES, STREAMED, Case, Row, check
from tests.strategies.metric_engine import by_batch, by_stream

SAMPLE = RANDOM_CASES[::6]


def on_engine(
    program: MetricProgram, facts: tuple[MetricFact, ...], start: Fraction, end: Fraction, step: Fraction | None
) -> Iterable[Row]:
    found = by_batch(program, facts, start, end) if step is None else by_stream(program, facts, start, end, step)[0]
    for row in found:
        assert row.start is not None and row.end is not None
        args = "|".join(map(str, row.args))
        yield row.predicate, args, row.start, row.start_closed, row.end, row.end_closed


@pytest.mark.parametrize("case", [*ANSWERED, *SAMPLE], ids=lambda case: case.name)
def test_in_one_go(case: Case) -> None:
    check(case, on_engine)


@pytest.mark.parametrize("case", [*STREAMED, *SAMPLE], ids=lambda case: case.name)
def test_in_steps(case: Case) -> None:
    assert case.step is not None
    for step in (case.step, *case.alt_steps):
        check(case, on_engine, step=step)


@pytest.mark.slow
def test_every_random_case() -> None:
    for case in RANDOM_CASES:
        check(case, on_engine)
        check(case, on_engine, step=case.step)
