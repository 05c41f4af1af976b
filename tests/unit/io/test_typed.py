"""Columns that have types."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from holdsfor import HoldsforError
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.tables import FOREVER
from holdsfor.io.columns import encode
from holdsfor.io.typed import argument_cells, ends, missing, plain, times

MOMENT = dt.datetime(1970, 1, 1, 0, 0, 2, 900_000, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([3, 4], pa.int16()), [3, 4]),
        (pa.array([3.0, 4.0]), [3, 4]),
        (pa.array([Decimal("3.00")]), [3]),
        (pa.array([MOMENT]), [2]),
        (pa.array([MOMENT], pa.timestamp("ns", "Europe/Athens")), [2]),
        (pa.array([-100], pa.timestamp("ms")), [-1]),
        (pa.array([dt.date(1970, 1, 2)]), [86400]),
        (pa.array(["12", " 13 "]), [12, 13]),
        (pa.array(["1970-01-01 00:01"]), [60]),
        (pa.array(["0001-01-01"]), [-62135596800]),
    ],
)
def test_times(column: pa.Array, expected: list[int]) -> None:
    found = times(column, "s", "t")
    assert found.values.tolist() == expected
    assert found.wrong is None


@pytest.mark.parametrize(
    "column",
    [
        pa.array([None], pa.int64()),
        pa.array([2.5]),
        pa.array([float("nan")]),
        pa.array([1e300]),
        pa.array(["soon"]),
        pa.array([None], pa.timestamp("s")),
        pa.array([2**62]),
        pa.array([-(2**63)]),
        pa.nulls(1),
    ],
)
def test_what_is_no_time(column: pa.Array) -> None:
    wrong = times(column, "s", "t").wrong
    assert wrong is not None
    assert wrong.tolist() == [True]


def test_seconds_too_far_away_for_nanoseconds_are_wrong_and_not_wrapped_around() -> None:
    wrong = times(pa.array([10**12, 5], pa.timestamp("s")), "ns", "t").wrong
    assert wrong is not None
    assert wrong.tolist() == [True, False]


def test_ends() -> None:
    assert ends(pa.array([5, None]), "s", "e").values.tolist() == [5, FOREVER]
    assert ends(pa.array([5.0, np.inf]), "s", "e").values.tolist() == [5, FOREVER]
    assert ends(pa.array(["5", "inf", ""]), "s", "e").values.tolist() == [5, FOREVER, FOREVER]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pa.array([5, 6], pa.uint8()), [5, 6]),
        (pa.array([5, 2**64 - 1], pa.uint64()), [5, 2**64 - 1]),
        (pa.array([1.0, 2.5], pa.float32()), [1, 2.5]),
        (pa.array([1.0, -0.0, 1e17, np.inf]), [1, 0, 1e17, "inf"]),
        (pa.array([Decimal("2.00"), Decimal("0.10")]), [2, 0.1]),
        (pa.array([Decimal(10**30 + 1)], pa.decimal128(38)), [10**30 + 1]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array(["5", "a"]), ["5", "a"]),
        (pa.array(["5", "a"], pa.large_string()), ["5", "a"]),
        (pa.array(["5", "a"], pa.string_view()), ["5", "a"]),
        (pa.array(["5", "a"]).dictionary_encode(), ["5", "a"]),
        (pa.array([dt.date(2024, 1, 1)]), ["2024-01-01"]),
    ],
)
def test_arguments(column: pa.Array, values: list[object]) -> None:
    dictionary = Dictionary()
    encode([argument_cells(plain(column), "x", is_text=False)], dictionary)
    assert dictionary.values == values
    assert list(map(type, dictionary.values)) == list(map(type, values))


def test_columns_in_several_pieces() -> None:
    pieces = [pa.array(["a"]).dictionary_encode(), pa.array(["b", None]).dictionary_encode()]
    assert plain(pa.chunked_array(pieces)).to_pylist() == ["a", "b", None]
    assert plain(pa.chunked_array([], pa.int64())).to_pylist() == []


def test_gaps() -> None:
    assert missing(pa.array([1.0, None, float("nan")]), is_text=False).tolist() == [False, True, True]
    assert missing(pa.array(["a", "", None]), is_text=True).tolist() == [False, True, True]
    assert missing(pa.array(["a", "", None]), is_text=False).tolist() == [False, False, True]


def test_types_that_are_neither_numbers_nor_text() -> None:
    with pytest.raises(HoldsforError, match="column 'x' has the type list"):
        argument_cells(pa.array([[1]]), "x", is_text=False)
    with pytest.raises(HoldsforError, match="column 't' has the type bool; times are whole numbers or timestamps"):
        times(pa.array([True]), "s", "t")
