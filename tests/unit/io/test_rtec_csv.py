"""RTEC's stream format, read by columns."""

import io
import math
import tempfile
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor import HoldsforError, loads
from holdsfor.io import rtec_csv
from holdsfor.io.builder import Reading
from holdsfor.io.records import records
from holdsfor.io.rejects import Rejects
from holdsfor.io.rtec_csv import read_rtec
from holdsfor.io.sources import blocks
from holdsfor.reference.history import InputInterval, Occurrence
from holdsfor.syntax.terms import Compound, Const
from tests.unit.io import row_at_a_time

RULES = """
initiatedAt(a(X)=true, T) :- happensAt(tick, T), happensAt(e(X), T), happensAt(e(X,_), T).
holdsFor(b(X)=true, I) :- holdsFor(f(X)=true, I1), holdsFor(g=true, I2), union_all([I1,I2], I).
"""
ENTITIES = loads(RULES).analysis.entities
EVENTS = {"tick": {0}, "e": {1, 2}}
FLUENTS = {"f": {1}, "g": {0}}


def read(text: str | bytes, rejects: Rejects | None = None, size: int = 1 << 20) -> Reading:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with patch.object(rtec_csv, "blocks", partial(blocks, size=size)):
            return read_rtec([path], ENTITIES, rejects=rejects)


def rows(reading: Reading) -> list[object]:
    return records(reading.stream, reading.dictionary)


def term(name: str, *args: str | float) -> Compound:
    return Compound(name, tuple(Const(arg) for arg in args))


def test_events() -> None:
    assert rows(read("e|5|3|x\ne|6|4|7\ntick|1|1\n")) == [
        Occurrence(term("e", "x"), 3, 5),
        Occurrence(term("e", 7), 4, 6),
        Occurrence(Const("tick"), 1, 1),
    ]


def test_input_fluents_as_intervals_and_points() -> None:
    assert rows(read("f|9|2|7|true|x\nf|9|2|inf|true|y\nf|4|3|true|x\n")) == [
        InputInterval(term("f", "x"), Const("true"), 2, 7, 9),
        InputInterval(term("f", "x"), Const("true"), 3, 4, 4, is_point=True),
        InputInterval(term("f", "y"), Const("true"), 2, math.inf, 9),
    ]


def test_a_declaration_decides_between_forms_that_fit_alike() -> None:
    rules = "holdsFor(b=true, I) :- holdsFor(f(x)=true, I1), holdsFor(f=true, I2), union_all([I1,I2], I).\n"
    for declaration, is_point in (("collectIntervals(f=true).", False), ("buildFromPoints(f(_)=true).", True)):
        entities = loads(rules + declaration).analysis.entities
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.csv")
            path.write_text("f|1|2|3|true\n")
            (symbol,) = read_rtec([path], entities).stream.fluents
        assert symbol.arity == int(is_point)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-007", -7),
        ("+3", 3),
        ("2.50", 2.5),
        ("4.0", 4),
        ("1e3", 1000),
        ("-0.0", 0),
        (".5", 0.5),
        ("0x1f", "0x1f"),
        ("1_000", "1_000"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("1e999", "1e999"),
        ("2024-01-01", "2024-01-01"),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2**63),
        ("-99999999999999999999", -99999999999999999999),
        ("9007199254740993", 2**53 + 1),
        ("9007199254740993.5", 9007199254740993.5),
        ("", ""),
        ("A b", "A b"),
        ("é", "é"),
    ],
)
def test_numbers_and_words(text: str, value: str | float) -> None:
    (alone,) = read(f"e|1|1|{text}\n").dictionary.values
    assert (alone, type(alone)) == (value, type(value))
    among_others = read(f"e|1|1|word\ne|1|1|{text}\ne|1|1|2.5\n").dictionary.values
    assert value in among_others


def test_large_whole_numbers_are_not_rounded_next_to_fractions() -> None:
    assert read("e|1|1|9007199254740993\ne|1|1|0.5\n").dictionary.values == [9007199254740993, 0.5]


def test_what_is_wrong_with_a_row_is_said_with_file_and_line() -> None:
    text = (
        "e|x|3|a\n\ne|1|2.5|a\ne|1|1|a|b|c\nf|1|5|5|true|a\nf|1|5|zz|true|a\ne|1|99999999999999999999|a\nf|1|q|true|a"
    )
    rejects = Rejects()
    reading = read(text, rejects)
    assert (reading.rows, rejects.count, rows(reading)) == (7, 7, [])
    assert [(problem.line, problem.reason) for problem in rejects.first] == [
        (1, "arrival 'x' is not a whole number in range"),
        (3, "occurrence '2.5' is not a whole number in range"),
        (4, "e takes 1 or 2 arguments in the rules; this row has 6 fields"),
        (5, "the interval ends at 5, before it starts at 5"),
        (6, "end 'zz' is not a whole number in range"),
    ]
    assert str(rejects.first[0]).endswith("rows.csv:1: arrival 'x' is not a whole number in range: 'e|x|3|a'")


def test_good_rows_next_to_bad_ones_are_kept() -> None:
    reading = read("e|1|1|a\ne|1|?|b\ne|2|2|c\n")
    assert rows(reading) == [Occurrence(term("e", "a"), 1, 1), Occurrence(term("e", "c"), 2, 2)]
    assert reading.provided == {("e", 1)}


def test_rejects_are_written_aside() -> None:
    aside = io.BytesIO()
    read('e|x|3|a,"b"\ntick|1|1\ntick|?|1\n', Rejects.to_file(aside))
    header, *lines = aside.getvalue().decode().splitlines()
    assert header == "file,line,reason,row"
    assert [line.partition("rows.csv,")[2] for line in lines] == [
        '1,arrival \'x\' is not a whole number in range,"e|x|3|a,""b"""',
        "3,arrival '?' is not a whole number in range,tick|?|1",
    ]


def test_strict_stops_at_the_first_bad_row() -> None:
    with pytest.raises(HoldsforError, match=r"rows\.csv:2: arrival '\?' is not a whole number"):
        read("tick|1|1\ntick|?|1\n", Rejects(strict=True))


def test_names_that_no_rule_knows_are_counted() -> None:
    assert read("zz|1|1\nb|1|1|x\nzz|7\n").unknown == {"zz": 2, "b": 1}


def test_rows_for_terms_inside_terms_are_refused() -> None:
    entities = loads("initiatedAt(a=true, T) :- happensAt(e(f(_)), T).").analysis.entities
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        path.write_text("e|1|1|x\n")
        (problem,) = read_rtec([path], entities).rejects.first
    assert problem.reason == "the rules only know e(f/1), whose inner terms no row can have; this row has 4 fields"


def test_an_empty_file() -> None:
    assert (read("").rows, read("\n\n").rows) == (0, 0)


def test_many_names_and_widths() -> None:
    text = "".join(f"n{number}|{'|'.join(['1'] * (number % 50))}\n" for number in range(5000))
    assert len(read(text).unknown) == 5000


TOKENS = st.sampled_from(
    "1 -5 +3 007 0x1f 1e3 2.5 4.0 inf infinity x true 1_0 nan -0.0 - . e 12-3".split()
    + ["", " 7", "8 ", "9" * 25, "9" * 18, "é", "a b", "1e999", "\t3", " "]
)
ROWS = st.lists(
    st.tuples(st.sampled_from(["tick", "e", "f", "g", "zz", "", " "]), st.lists(TOKENS, max_size=6)).map(
        lambda row: "|".join([row[0], *row[1]])
    ),
    max_size=20,
)


@given(ROWS, st.sampled_from([1, 10, 50, 1000]), st.booleans())
def test_it_reads_what_reading_row_by_row_reads(lines: list[str], size: int, at_end: bool) -> None:
    text = "\n".join(lines) + ("\n" if at_end else "")
    expected = row_at_a_time.read(text, EVENTS, FLUENTS)
    aside = io.BytesIO()
    reading = read(text, Rejects.to_file(aside), size)
    assert sorted(map(repr, rows(reading))) == sorted(map(repr, expected.records))
    assert reading.unknown == expected.unknown
    assert reading.rejects.count == len(expected.malformed)
    assert [problem.line for problem in reading.rejects.first] == expected.malformed[:5]
    assert reading.rows == len(expected.records) + len(expected.malformed) + sum(expected.unknown.values())
