"""Times that cannot be meant, and mappings of which no rule reads anything."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.plausible import time_note
from holdsfor.times import TimeScale

RULES = "initiatedAt(cart(User)=active, T) :- happensAt(added(User), T)."
NOW = 1_772_366_400


@pytest.mark.parametrize(
    ("time", "unit", "said"),
    [
        (NOW, "s", None),
        (NOW * 1000, "ms", None),
        (NOW * 1000, None, None),
        (253_402_300_799, "s", None),
        (253_402_300_800, "s", "looks like milliseconds"),
        (NOW * 1000, "s", "it looks like milliseconds: declare the unit ms"),
        (NOW * 10**9, "s", "it looks like nanoseconds: declare the unit ns"),
        (NOW * 1000, "ns", None),
        (NOW, "h", "it looks like seconds: declare the unit s"),
        (10**28, "s", "declare the unit that it has"),
    ],
)
def test_times_after_the_calendar(time: int, unit: str | None, said: str | None) -> None:
    found = time_note(time, None if unit is None else TimeScale(unit))
    assert (found is None) if said is None else (found is not None and said in found)


def test_python_warns() -> None:
    with pytest.warns(UserWarning, match="it looks like milliseconds: declare the unit ms"):
        holdsfor.loads(":- time_unit(s).\n" + RULES).recognise({"added": [(NOW * 1000, "ann")]})


def test_one_row_far_ahead_is_not_the_unit(recwarn: pytest.WarningsRecorder) -> None:
    holdsfor.loads(":- time_unit(s).\n" + RULES).recognise({"added": [(NOW, "ann"), (NOW * 1000, "ann")]})
    assert not recwarn.list


def test_a_mapping_of_which_no_rule_reads_anything(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("at,user\n1,ann\n")
    reasoner = holdsfor.loads(RULES)
    wrong = {"time": "at", "event": {"aded": {"args": ["user"]}}}
    with pytest.raises(
        HoldsforError, match=r"no rule reads an event or input fluent called 'aded'; did you mean added\?"
    ):
        reasoner.recognise(tmp_path / "shop.csv", mapping=wrong)
    more = {"time": "at", "event": {"added": {"args": ["user"]}, "seen": {"args": ["user"], "where": {"user": "bob"}}}}
    assert len(reasoner.recognise(tmp_path / "shop.csv", mapping=more)) == 1
