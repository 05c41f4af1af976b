"""Tables of Arrow go to the core as they are; whatever needs a closer look is read as before, with the same outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.session.live import Session

RULES = """
    initiatedAt(at(K)=V, T) :- happensAt(put(K,V), T).
    terminatedAt(at(K)=V, T) :- happensAt(take(K,V), T).
    initiatedAt(seen=true, T) :- happensAt(tick, T).
"""
NAMES = ["a", "Big Door", "", "ναῦς", "a" * 40, "5", "true"]


def session(**options: Any) -> Session:
    """An empty one."""
    return loads(RULES).session(**options)


def outcome(frames: dict[str, Any], *, reads: bool, now: int = 100, **options: Any) -> tuple[list[Any], int, int]:
    """All changes, and what was counted. `reads`: the core reads all tables by itself."""
    found = session(**options)
    if frames:
        plain, others = found._plain_tables(frames)
        assert (len(plain) == len(frames)) == reads
        assert bool(others) != reads or not frames
    found.push(frames)
    changes = [(one.op, one.fluent, one.value, one.start, one.end, *map(str, one.causes)) for one in found.changes(now)]
    return changes, found.summary.read, found.malformed


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """The same as objects, which Python reads."""
    return table.to_pylist()


COLUMNS = {
    "text": pa.array(NAMES),
    "large text": pa.array(NAMES, pa.large_string()),
    "dictionary": pa.array(NAMES).dictionary_encode(),
    "small dictionary": pa.array(NAMES).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
    "whole numbers": pa.array([0, 1, -1, 2**61 - 1, -(2**61), 2**62, -(2**63)]),
    "32 bits": pa.array([0, 1, -1, 7, 8, 2**31 - 1, -(2**31)], pa.int32()),
    "floats": pa.array([0.0, -0.0, 1.0, 2.5, -1e-300, 1e15, 0.1]),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_that_the_core_reads(kind: str) -> None:
    column = COLUMNS[kind]
    table = pa.table({"key": pa.array([f"k{row}" for row in range(7)]), "time": pa.array(range(1, 8)), "value": column})
    # Objects are read by Python: whole numbers and floats in one list stay what they are.
    assert outcome({"put": table}, reads=True) == outcome({"put": rows_of(table)}, reads=False)


@pytest.mark.parametrize("chunks", [1, 2, 7])
def test_tables_in_pieces_and_slices(chunks: int) -> None:
    names = pa.array(NAMES * 3).dictionary_encode()
    table = pa.table({"time": pa.array(range(21)), "key": pa.array(NAMES * 3), "value": names}).slice(2, 17)
    pieces = pa.concat_tables([table.slice(at, -(-17 // chunks)) for at in range(0, 17, -(-17 // chunks))])
    assert outcome({"put": pieces}, reads=True) == outcome({"put": rows_of(table)}, reads=False)


def test_events_without_arguments() -> None:
    table = pa.table({"time": pa.array([3, 5])})
    assert outcome({"tick": table}, reads=True) == outcome({"tick": [(3,), (5,)]}, reads=False)


KEYS = pa.array(["x", "y", "z"])
CLOSER = {
    "no time": {"time": pa.array([1, None, 3]), "key": KEYS, "value": KEYS},
    "no argument": {"time": pa.array([1, 2, 3]), "key": KEYS, "value": pa.array(["v", None, "w"])},
    "not a number": {"time": pa.array([1, 2, 3]), "key": KEYS, "value": pa.array([1.0, np.nan, 2.5])},
    "infinite": {"time": pa.array([1, 2, 3]), "key": KEYS, "value": pa.array([1.0, 1e300, 2.0**60])},
    "too late a time": {"time": pa.array([1, 2**62, 3]), "key": KEYS, "value": KEYS},
    "too early a time": {"time": pa.array([1, -(2**63), 3]), "key": KEYS, "value": KEYS},
    "times as text": {"time": pa.array(["1", "2", "3"]), "key": KEYS, "value": KEYS},
    "times as floats": {"time": pa.array([1.0, 2.5, 3.0]), "key": KEYS, "value": KEYS},
    "truth values": {"time": pa.array([1, 2, 3]), "key": KEYS, "value": pa.array([True, False, True])},
    "gap in a dictionary": {
        "time": pa.array([1, 2, 3]),
        "key": KEYS,
        "value": pa.array(["v", None, "w"]).dictionary_encode(),
    },
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", CLOSER)
def test_columns_that_need_a_closer_look(kind: str) -> None:
    table = pa.table(CLOSER[kind])
    plain = {name: column.to_pylist() for name, column in CLOSER[kind].items()}
    expected = outcome({"put": pa.Table.from_pylist(table.to_pylist(), table.schema).to_pandas()}, reads=False)
    found = outcome({"put": table}, reads=False)
    assert found == expected or kind == "infinite"
    assert found[1] + found[2] == 3, plain


def test_arrivals_and_other_columns() -> None:
    times = pa.array([1, 2, 3])
    table = pa.table({"time": times, "arrival": times, "key": KEYS, "value": KEYS})
    assert outcome({"put": table}, reads=False)[1] == 3
    for columns in ({"time": times, "key": KEYS}, {"key": KEYS, "value": KEYS, "more": KEYS}):
        with pytest.raises(HoldsforError):
            session().push({"put": pa.table(columns)})


def test_nothing_is_taken_in_if_something_is_wrong() -> None:
    found = session()
    table = pa.table({"time": pa.array([1, 2, 3]), "key": KEYS, "value": KEYS})
    with pytest.raises(HoldsforError):
        found.push({"put": table, "take": [(1, "x")]})
    assert found.summary.read == 0 and not list(found.changes(10))


def test_tables_and_others_together() -> None:
    table = pa.table({"time": pa.array([1, 2, 3]), "key": KEYS, "value": KEYS})
    found = session()
    found.push({"put": table, "take": [(5, "x", "x")]})
    found.retract({"put": table.slice(2)})
    assert sorted((one.fluent, one.start, one.end) for one in found.changes(10)) == [
        ("at(x)", 2, 6),
        ("at(y)", 3, None),
    ]
    found.correct({"put": table.slice(1, 1)}, {"put": table.slice(2)})
    assert sorted((one.op, one.fluent) for one in found.changes(11)) == [("open", "at(z)"), ("retract", "at(y)")]
    assert found.summary.read == 7


def test_columns_may_change_after_a_push() -> None:
    times = np.array([1, 2, 3])
    found = session()
    found.push({"put": pa.table({"time": times, "key": KEYS, "value": KEYS})})
    times[:] = 50
    assert [one.start for one in found.changes(10)] == [2, 3, 4]


def test_invalid_text_is_no_crash() -> None:
    broken = pa.StringArray.from_buffers(1, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xed\xa0"))
    table = pa.table({"time": pa.array([1]), "key": broken, "value": pa.array(["v"])})
    plain, others = session()._plain_tables({"put": table})
    assert not plain and others
