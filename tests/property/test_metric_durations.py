"""Metric rules with durations are the rules with the numbers that they stand for."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import format_metric, metric_text, parse_metric
from holdsfor.metric import from_metric_sources
from holdsfor.times import DURATION_WORDS, UNITS
from tests.strategies.metric_programs import programs
from tests.strategies.metric_texts import spelled, with_durations

DURATION = re.compile(rf"[\d.]+ (?:{'|'.join(DURATION_WORDS)})\b")
CODES_OF_TIME = {"HF114", "HF115", "HF116", "HF117", "HF602"}


@given(st.data(), programs(), st.sampled_from(sorted(UNITS)))
def test_durations_are_numbers(data: Any, program: Any, unit: str) -> None:
    timed = data.draw(with_durations(program, unit))
    text = f":- time_unit({unit}).\n{data.draw(spelled(timed))}"
    found = from_metric_sources([Source("rules.dmtl", text)])
    assert not CODES_OF_TIME & {one.code for one in found.diagnostics}
    assert found.program.rules == parse_metric([Source("rules.dmtl", metric_text(program))]).rules


@given(st.data(), programs(), st.sampled_from(sorted(UNITS)))
def test_fmt_keeps_durations(data: Any, program: Any, unit: str) -> None:
    timed = data.draw(with_durations(program, unit))
    text = f":- time_unit({unit}).\n{metric_text(timed)}"
    once = format_metric(Source("rules.dmtl", text))
    assert format_metric(Source("rules.dmtl", once)) == once
    assert DURATION.findall(once) == DURATION.findall(text)
    again, first = (from_metric_sources([Source("rules.dmtl", one)]).program for one in (once, text))
    assert again.rules == first.rules
