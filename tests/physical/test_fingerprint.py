"""The fingerprint of random programs: what is only writing has no part in it, every constant has."""

from __future__ import annotations

import re

from hypothesis import given, settings

from holdsfor.loading import loads
from holdsfor.physical.encode import fingerprint
from holdsfor.physical.lower import lower
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import WINDOWED


def _fingerprint(text: str) -> bytes:
    return fingerprint(lower(loads(text).plan).plan)


@settings(max_examples=25)
@given(scenarios(WINDOWED, windowed=False))
def test_names_of_variables_comments_and_layout(one: Scenario) -> None:
    renamed = re.sub(r"\b([A-Z]\w*)", r"Other\1", one.text)
    spread = "% A comment.\n\n" + renamed.replace(" :- ", "\n  :-\n    ").replace(".\n", ". % another\n\n")
    assert _fingerprint(spread) == _fingerprint(one.text)


@settings(max_examples=25)
@given(scenarios(WINDOWED, windowed=False))
def test_what_a_rule_says(one: Scenario) -> None:
    more = one.text + "initiatedAt(fresh(X)=true, T) :- happensAt(news(X, N), T), N > 3.\n"
    assert len({_fingerprint(text) for text in (one.text, more, more.replace("N > 3", "N > 4"))}) == 3
