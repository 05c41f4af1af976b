"""The random cycles find bugs that are planted in the engine, in the reference evaluator, and in what both share."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from holdsfor.engine.cyclic import sweep

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from tests.mutation.bugs_of_cycles import CYCLE_BUGS
from tests.mutation.planting import Planted
from tests.property.test_cycles import drawn, on_session, shown, whole
from tests.strategies.cycles import records_of
from tests.strategies.engine_runs import on_engine, on_reference, on_strata
from tests.strategies.scenario_words import Pen

SCENARIOS = 600
"""Programs that are tried before a planted bug counts as not found."""


def is_noticed(seed: int) -> bool:
    """Whether any evaluator is wrong about the program of a seed."""
    found = drawn(Pen(random.Random(seed).randint))
    if found is None:
        return False
    program, events, right = found
    try:
        reasoner, records, span = loads(program.text), records_of(events), whole(events)
        # Bugs are planted in the evaluators that Spark has, too.
        if any(shown(on(reasoner, records, span)) != right for on in (on_reference, on_engine, on_strata)):
            return True
        return seed % 2 == 0 and on_session(reasoner, events, by=3) != right
    except HoldsforError:
        return False
    except Exception:  # noqa: BLE001 -- a crash is a difference too
        return True


def is_noticed_with(planted: Planted, seed: int) -> bool:
    """The same with a bug planted."""
    with pytest.MonkeyPatch.context() as patch:
        # Compiled code would not see what is planted.
        patch.setattr(sweep._Meter, "pays", lambda _self, _rows: False)
        planted.plant(patch)
        return is_noticed(seed)


def table() -> list[tuple[str, str, int]]:
    """The bugs in the README, with how many programs it took to find them."""
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| `([\w.]+)` \| (\d+) programs? \|$", text, re.MULTILINE)
    return [(name, where, int(count)) for name, where, count in rows]


def _name(given: object) -> str:
    return given.name if isinstance(given, Planted) else "in the table"


def test_the_table_in_the_readme() -> None:
    assert [row[:2] for row in table()] == [(planted.name, planted.where) for planted in CYCLE_BUGS]


@pytest.mark.parametrize(("planted", "row"), list(zip(CYCLE_BUGS, table(), strict=True)), ids=_name)
def test_a_planted_bug_is_found_where_the_table_says(planted: Planted, row: tuple[str, str, int]) -> None:
    seed = row[2] - 1
    assert is_noticed_with(planted, seed)
    assert not is_noticed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("planted", CYCLE_BUGS, ids=lambda planted: planted.name)
def test_a_planted_bug_is_found(planted: Planted) -> None:
    assert any(is_noticed_with(planted, seed) for seed in range(SCENARIOS))
