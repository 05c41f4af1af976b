"""Metric facts from text."""

from __future__ import annotations

import gzip
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.tables import FOREVER
from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.frontend.dmtl import metric_text
from holdsfor.frontend.dmtl.reader import parse_data
from holdsfor.io.metric_rows import odd_rows, parse
from holdsfor.io.metric_text import fact_set, read_metric_facts
from holdsfor.io.rejects import Rejects
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.syntax.terms import Const
from tests.property.test_dmtl_text import facts


def fact_texts(found: FactSet, dictionary: Dictionary) -> list[str]:
    """Facts as text, in order."""
    shown = []
    for (name, arity), table in found.tables.items():
        assert len(table.args) == arity
        for row in range(table.rows):
            args = tuple(Const(dictionary.values[int(column[row])]) for column in table.args)  # type: ignore[arg-type]
            during = interval(int(table.start[row]), int(table.end[row]), found.scale)
            shown.append(metric_text(MetricFact(name, args, during)))
    return sorted(shown)


def interval(start: int, end: int, scale: int) -> Range:
    low = None if start == -FOREVER else Fraction(start >> 1, scale)
    high = None if end == FOREVER else Fraction(end >> 1, scale)
    return Range(low, high, low is None or bool(start & 1), high is None or not end & 1)


def read(text: str, tmp_path: Path) -> tuple[list[str], Rejects, FactSet]:
    path = tmp_path / "facts.txt"
    path.write_bytes(text.encode())
    dictionary, rejects = Dictionary(), Rejects()
    found = read_metric_facts([path], dictionary, rejects)
    return fact_texts(found, dictionary), rejects, found


def test_plain_facts(tmp_path: Path) -> None:
    text = (
        "P(a,b)@3\nP(a,b)@[1,2)\nQ@-4\nQ@(1.5,2.25]\nR(7)@0\nQ@(-inf,4]\nQ@[1/3,inf)\nQ@(-inf,+inf)\nub:Person(x)@1\n"
    )
    shown, rejects, found = read(text, tmp_path)
    expected = [line.replace("+inf", "inf") for line in text.splitlines()]
    assert shown == sorted(expected)
    assert rejects.count == 0
    assert found.scale == 12


def test_facts_that_are_not_plain(tmp_path: Path) -> None:
    text = (
        "# a comment\n\n  % another\nP( a , b ) @ [ 1 , 2 )\nP('new york',\"it's\")@3\nP(x#y,http://a/b)@3 # why\n"
        "P(a,b)@3.\nP(Alice,_b)@[3]\nQ@1. Q@2.5.\n'two words'@1\nP(a\tb)@1\r\nQ@7"
    )
    shown, rejects, _ = read(text, tmp_path)
    assert shown == sorted(
        [
            "P(a,b)@[1,2)",
            "P('new york','it\\'s')@3",
            "P(x#y,http://a/b)@3",
            "P(a,b)@3",
            "P('Alice','_b')@3",
            "Q@1",
            "Q@2.5",
            "Q@7",
            "'two words'@1",
        ]
    )
    assert [(row.line, row.text) for row in rejects.first] == [(11, "P(a\tb)@1")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("P(a)@[2,1]", "the interval [2,1] is empty"),
        ("P(a)@(1,1)", "the interval (1,1) is empty"),
        ("P(a)@[1,inf]", "a closed end cannot be infinite"),
        ("P(a)@inf", "a time cannot be infinite"),
        ("P(a)", "a fact needs its time"),
        ("P(a)@x", "x is not a number"),
        ("P(a)@1e500", "1e500 is not a number"),
        ("P(a)@1/0", "1/0 is not a number"),
        ("P(a)@", "expected a number or inf, found the end of the file"),
        ("P()@3", "P() has no arguments"),
        ("P(a,)@3", "an argument is missing before this"),
        ("P(f(a))@3", "arguments are variables and constants, without nesting"),
        ("(a)@3", "a bracket without a predicate before it"),
        ("3P(a)@3", "expected a condition, found 3P"),
        ("Since(a)@3", "Since stands between two atoms"),
        ("P(a)@3 Q(b)@4", "unexpected Q after a complete condition"),
        ("P(X) :- Q(X)", "this is a rule, not a fact"),
        ("P(a)@99999999999999999999", "the time is too far from 0"),
        ("P('a)@3", "this quote is never closed"),
        ("P(a)b@3", "unexpected b after a complete condition"),
        ("P(a)@3[1,2]", "unexpected [ after a condition"),
    ],
)
def test_lines_that_are_no_facts(line: str, reason: str, tmp_path: Path) -> None:
    shown, rejects, _ = read(f"P(a)@1\n{line}\nP(a)@2\n", tmp_path)
    assert shown == ["P(a)@1", "P(a)@2"]
    assert rejects.count == 1
    (row,) = rejects.first
    assert (row.line, row.text) == (2, line)
    assert reason.split(",", maxsplit=1)[0] in row.reason


def test_rejects_are_written_aside_with_their_lines(tmp_path: Path) -> None:
    path, aside = tmp_path / "facts.txt", BytesIO()
    path.write_text("P(a)@1\nP(a)@x\nQ(a)@1\nQ(a)\n")
    read_metric_facts([path], Dictionary(), Rejects.to_file(aside))
    assert [row.split(",")[1] for row in aside.getvalue().decode().splitlines()] == ["line", "2", "4"]
    with pytest.raises(HoldsforError, match=r":2: x is not a number"):
        read_metric_facts([path], Dictionary(), Rejects(strict=True))


def test_scale_is_no_finer_than_needed(tmp_path: Path) -> None:
    assert read("P@0.50\nP@1.0\n", tmp_path)[2].scale == 2
    assert read("P@[0.125,3)\n", tmp_path)[2].scale == 8
    assert read("P@1/3\nQ@0.1\n", tmp_path)[2].scale == 30


def test_times_that_leave_64_bits(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="too far apart"):
        read("P@500000000000000000\nQ@0.0000001\n", tmp_path)
    primes = [10007, 10009, 10037, 10039, 10061]
    with pytest.raises(HoldsforError, match="no tick is fine enough"):
        read("".join(f"P@1/{prime}\n" for prime in primes), tmp_path)


def test_only_wanted_predicates(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_text("P(a)@1\nQ(a)@1\nP(a,b)@1\nQ('x y')@2\nP('x y')@2\n")
    found = read_metric_facts([path], Dictionary(), wanted={("P", 1)})
    assert {signature: table.rows for signature, table in found.tables.items()} == {("P", 1): 2}


def test_compressed_files_and_pieces(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt.gz"
    lines = [f"P(v{number % 7})@{number / 4:g}" for number in range(1000)]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    dictionary = Dictionary()
    assert fact_texts(read_metric_facts([path], dictionary), dictionary) == sorted(lines)


def test_numbers_are_those_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_text("P(7,007,1.5,1.50,1.0,-3,'7')@1\n")
    dictionary = Dictionary()
    (table,) = read_metric_facts([path], dictionary).tables.values()
    assert [dictionary.values[int(column[0])] for column in table.args] == [7, "007", 1.5, "1.50", 1, -3, "7"]


blanks = st.sampled_from(["", "", " ", "  ", "\t"])


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A fact as text, perhaps with blanks around its punctuation, perhaps damaged."""
    text = metric_text(draw(facts))
    if draw(st.booleans()) and "'" not in text:
        text = "".join(f"{draw(blanks)}{char}{draw(blanks)}" if char in "(),@[]" else char for char in text)
    if draw(st.integers(0, 5)) == 0:
        place = draw(st.integers(0, len(text)))
        text = (
            text[:place]
            + draw(st.sampled_from(["(", ")", ",", "@", "[", "]", "'", " ", "#", ".", "x", "/"]))
            + text[place:]
        )
    return text


@given(st.lists(lines(), max_size=6))
def test_pieces_of_text_are_read_as_the_parser_reads_each_line(texts: list[str]) -> None:
    parsed, dictionary = parse("".join(f"{text}\n" for text in texts).encode()), Dictionary()
    one_by_one = [parse_data(Source("", text)) for text in texts]
    try:
        found = fact_set([*parsed.rows, *odd_rows(parsed.odd)], dictionary)
    except HoldsforError:
        return
    expected = [metric_text(fact) for one in one_by_one if not one.diagnostics for fact in one.statements]
    assert fact_texts(found, dictionary) == sorted(expected)
    refused = sorted(line for table in parsed.refused for line in table["line"].to_pylist())
    assert refused == [number for number, one in enumerate(one_by_one, 1) if one.diagnostics]
