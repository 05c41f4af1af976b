"""Files whose first line is no header, or not the one that the mapping speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from holdsfor.diagnostics import HoldsforError

REASONER = holdsfor.loads("initiatedAt(cart(User)=active, T) :- happensAt(added(User), T).")
MAPPING = {"time": "at", "event": {"added": {"args": ["user"]}}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-03-01,ann\n", "first line should name the columns, but has data such as 2026-03-01; add a header line"),
        ("10,ann\n", "has data such as 10; add a header line"),
        ("at;user\n10;ann\n", "if its fields are separated by ';', add delimiter = \";\" to the mapping"),
        ("at\tuser\n10\tann\n", r"separated by '\\t', add delimiter = \"\\t\" to the mapping"),
        ("at,user,user\n10,ann,bob\n", "has several columns called 'user'; the first line must name each column once"),
        ("at,usr\n10,ann\n", r"has no column 'user'; did you mean usr\?"),
        ("when,who\n10,ann\n", "has no column 'at'; it has when, who"),
        ("at,user 2\n10,ann\n", "has no column 'user'; did you mean user 2|it has at, user 2"),
    ],
)
def test_first_lines(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(text)
    with pytest.raises(HoldsforError, match=said):
        REASONER.recognise(tmp_path / "shop.csv", mapping=MAPPING)


def test_a_column_that_nobody_asks_for_may_be_there_twice(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("at,user,note,note\n10,ann,a,b\n")
    assert len(REASONER.recognise(tmp_path / "shop.csv", mapping=MAPPING)) == 1
