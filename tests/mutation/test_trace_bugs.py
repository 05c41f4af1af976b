"""Bugs planted in traces and in what explanations make of them: replaying explanations of random programs finds each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from holdsfor.core.trace import RuleTrace, Traces
from holdsfor.explain import known, near
from holdsfor.explain.evidence import Rows
from holdsfor.explain.lists import Lists
from holdsfor.explain.near import Near
from tests.property.test_explain import check
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.families import family_scenarios
from tests.strategies.scenarios import EVERYTHING, WINDOWED
from tests.strategies.value_programs import value_program

solve, furthest, seen = RuleTrace._solve, near._furthest, known.first_seen


def without_what_is_wanted(
    self: RuleTrace, path: Any, first: Any, stop: Any, names: Any, wanted: Any, *rest: Any, **more: Any
) -> Any:
    return solve(self, path, first, stop, names, {} if path else wanted, *rest, **more)


def one_condition_too_many(*args: Any) -> list[Near]:
    return [Near(one.trace, one.bindings, min(one.place + 1, len(one.body) - 1), one.time) for one in furthest(*args)]


def uncut(windows: Any, fluent: Any) -> Any:
    return seen(windows, fluent) * 0 - 2**62


class Found(KeyboardInterrupt):
    """Ends the search: nobody needs a smaller scenario."""


EVERYWHERE, IN_WINDOWS = scenarios(EVERYTHING, windowed=False, late=12), scenarios(WINDOWED, windowed=True, late=12)
VALUES = family_scenarios(value_program, windowed=True)
BUGS: list[tuple[str, Any, str, Callable[..., Any], st.SearchStrategy[Scenario]]] = [
    ("alternatives need not fit the other values", RuleTrace, "_solve", without_what_is_wanted, EVERYWHERE),
    ("a rule comes one condition further than it does", near, "_furthest", one_condition_too_many, EVERYWHERE),
    ("ends of all instances end none", Rows, "with_open_terms", lambda self: self, EVERYWHERE),
    ("a list is taken for that of any part of a fluent", Lists, "_is_of_its_parts", lambda *_: True, VALUES),
    (
        "rules are asked in a key that has no rows",
        Traces,
        "word",
        lambda self, _: self._engine.words.number(7),
        EVERYWHERE,
    ),
    ("input intervals are not cut by windows", known, "first_seen", uncut, IN_WINDOWS),
]


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "name", "wrong", "drawn"), [bug[1:] for bug in BUGS], ids=[bug[0] for bug in BUGS])
def test_planted_bugs_are_found(
    owner: Any,
    name: str,
    wrong: Callable[..., Any],
    drawn: st.SearchStrategy[Scenario],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, wrong)

    @settings(phases=(Phase.generate,), max_examples=1_000, deadline=None, database=None)
    @given(drawn, st.data())
    def tried(scenario: Scenario, data: st.DataObject) -> None:
        try:
            check(scenario, data)
        except (AssertionError, KeyError) as problem:
            raise Found from problem

    with pytest.raises(Found):
        tried()
