"""Tables of background facts, whatever library they are of."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from holdsfor import HoldsforError, loads

RULES = "initiatedAt(vip(U)=true, T) :- happensAt(order(U), T), tier(U, gold, N), N > 2."
ROWS = [("ann", "gold", 3), ("bob", "tin", 4), ("cyd", "gold", 1)]
COLUMNS = {"customer": ["ann", "bob", "cyd"], "level": ["gold", "tin", "gold"], "since": [3, 4, 1]}
EVENTS = {"order": [(1, "ann"), (2, "bob"), (3, "cyd")]}
TABLES = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with an index": pd.DataFrame(COLUMNS, index=["x", "y", "z"]),
    "categories": pd.DataFrame(COLUMNS).astype({"level": "category"}),
    "polars": pl.DataFrame(COLUMNS),
    "arrow": pa.table(COLUMNS),
    "columns": COLUMNS,
    "tuples": ROWS,
    "dicts": [dict(zip(COLUMNS, row, strict=True)) for row in ROWS],
    "text and numbers": [("ann", "gold", 3), ("bob", "tin", "x"), ("cyd", "gold", 1)],
    "decimals": pa.table({**COLUMNS, "since": pa.array([Decimal(3), Decimal(4), Decimal(1)])}),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_row_is_a_fact(table: Any) -> None:
    reasoner = loads(RULES, background={"tier": table})
    assert [row.fluent for row in reasoner.recognise(EVENTS)] == ["vip(ann)"]
    session = reasoner.session()
    session.push(EVENTS)
    assert [row.fluent for row in session.query()] == ["vip(ann)"]
    more = loads(RULES, background={"tier": [("eve", "gold", 9)]}).recognise(EVENTS, background={"tier": table})
    assert [row.fluent for row in more] == ["vip(ann)"]
    assert reasoner.explain("vip(ann)=true", 5, events=EVENTS).holds


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"c": ["ann", "bob"], "l": ["gold", None]}), r"background\['tier'\]:2: l is missing"),
        (pd.DataFrame({"c": ["ann", "bob"], "l": [1.5, float("nan")]}), r"background\['tier'\]:2: l is missing"),
        (pl.DataFrame({"c": ["ann"], "l": [[1]]}), r"background\['tier'\]: column 'l' has the value \[1\]"),
        (None, r"background\['tier'\] is a NoneType; give a pandas, polars or Arrow table"),
        (pl.DataFrame({"c": ["ann"]}).lazy(), "has not been computed yet; call .collect"),
    ],
)
def test_tables_that_have_no_facts(table: Any, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        loads(RULES, background={"tier": table})
