"""Parses lines of metric facts into columns, a whole piece of text at a time.

A fact is plain if it has no quotes, and no blanks inside its terms: `P(a,b)@3`, `P@[1,2)`. Its punctuation delimits the
fields. All other lines go to the parser one by one.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.metric.facts import Signature
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.frontend.dmtl.reader import parse_data
from holdsfor.frontend.dmtl.words import NAME, RESERVED
from holdsfor.io.metric_dates import dated_ticks, with_numbers
from holdsfor.io.metric_times import TickColumn, common_scale, off_tick, on_tick, rational_ticks
from holdsfor.io.rejects import refused
from holdsfor.ir.metric import MetricFact, MetricRule

_MARKS = b"(),@[]\n"
_OPEN, _CLOSE, _COMMA, _AT, _SQUARE_OPEN, _SQUARE_CLOSE, _NEWLINE = _MARKS
_IS_MARK = np.zeros(256, np.bool_)
_IS_MARK[list(_MARKS)] = True
_IS_ODD = np.zeros(256, np.bool_)
_IS_ODD[list(b" \t\r\v\f\0'\"|\\")] = True
_MARKS_APART = tuple(bytes([mark]) for mark in _MARKS)
_COMMENT = re.compile(rb"[ \t]*(?:[#%].*)?")
_ODD_STARTS = np.zeros(256, np.bool_)
_ODD_STARTS[list(b"#%")] = True


@dataclass(frozen=True, slots=True)
class Typed:
    """An argument column with known values: distinct values and indices into them."""

    values: list[str | int | float]
    indices: Ints


@dataclass(frozen=True, slots=True)
class FactRows:
    """Facts of one predicate: cells of the time-line, and argument columns, typed or as Arrow dictionaries of text."""

    signature: Signature
    args: tuple[Any, ...]
    start: Ints
    end: Ints
    scale: int
    dated: bool = False
    """Whether some of the times were timestamps or dates."""


@dataclass
class ParsedFacts:
    """The result of parsing a piece. Line numbers of refused rows count from the beginning of the piece."""

    lines: int
    rows: list[FactRows] = field(default_factory=list)
    odd: list[MetricFact] = field(default_factory=list)
    dated: bool = False
    """Whether facts from the parser have dates."""
    refused: list[pa.Table] = field(default_factory=list)


def parse(
    block: bytes,
    wanted: Container[Signature] | None = None,
    tick: Fraction | None = None,
    unit: str = "s",
) -> ParsedFacts:
    """Parses the facts of a piece of text, restricted to `wanted` predicates and to multiples of a tick if given.

    Times may be dates, which are counted in the unit.
    """
    piece = _Piece(_without_blanks(block))
    parsed = ParsedFacts(len(piece.first))
    is_read = np.zeros(parsed.lines, np.bool_)
    for group in piece.groups():
        name = group.name
        if not NAME.fullmatch(name) or name in RESERVED:
            continue
        if wanted is not None and (name, group.arity) not in wanted:
            is_read[group.rows] = True
            continue
        fine = group.read(parsed, tick, unit)
        is_read[group.rows[fine]] = True
    left = np.flatnonzero(~is_read)
    if len(left):
        _parse_lines(block, left, parsed, wanted, tick, unit)
    return parsed


def _without_blanks(block: bytes) -> bytes:
    """The text without blanks around punctuation and full stops at line ends; the number of lines stays."""
    block = block.replace(b"\t", b" ")
    length = len(block) + 1
    while b" " in block and len(block) < length:
        length = len(block)
        for mark in _MARKS_APART:
            block = block.replace(mark + b" ", mark).replace(b" " + mark, mark)
    return block.replace(b".\n", b"\n") if b".\n" in block else block


def _parse_lines(
    block: bytes,
    rows: Ints,
    parsed: ParsedFacts,
    wanted: Container[Signature] | None,
    tick: Fraction | None,
    unit: str,
) -> None:
    """Parses lines that are not plain, one at a time."""
    lines = block.split(b"\n")
    bad: list[tuple[int, str, str, str]] = []
    for row in rows.tolist():
        if _COMMENT.fullmatch(lines[row]):
            continue
        text = lines[row].decode()
        numbered = with_numbers(text, unit)
        parsed.dated |= numbered != text
        found = parse_data(Source("", numbered))
        reason = found.diagnostics[0].message if found.diagnostics else _wrong_time(found.statements, tick)
        if reason is not None:
            name = re.split(r"[(@]", text, maxsplit=1)[0].strip()
            bad.append((row + 1, text, reason, name))
            continue
        for fact in found.statements:
            assert isinstance(fact, MetricFact)
            if wanted is None or (fact.predicate, len(fact.args)) in wanted:
                parsed.odd.append(fact)
    by_name: dict[str, list[tuple[int, str, str, str]]] = {}
    for item in bad:
        by_name.setdefault(item[3], []).append(item)
    for name, items in by_name.items():
        numbers, texts, reasons, _ = zip(*items, strict=True)
        parsed.refused.append(refused(name, np.array(numbers), pa.array(texts), pa.array(reasons)))


def _wrong_time(facts: Iterable[MetricRule | MetricFact], tick: Fraction | None) -> str | None:
    """The problem with the times of facts; None if all are valid."""
    for fact in facts:
        assert isinstance(fact, MetricFact)
        for bound in (fact.during.low, fact.during.high):
            if bound is not None and abs(bound) * bound.denominator > FURTHEST:
                return "the time is too far from 0"
            if bound is not None and tick is not None and bound % tick:
                return off_tick(tick)
    return None


class _Piece:
    """The fields of a piece of text in sequence: the text before each punctuation mark."""

    def __init__(self, block: bytes) -> None:
        text = np.frombuffer(block, np.uint8)
        self.ends = np.flatnonzero(_IS_MARK[text])
        self.marks = text[self.ends]
        last = np.flatnonzero(self.marks == _NEWLINE)
        self.first = np.concatenate(([0], last[:-1] + 1))
        self.count = last - self.first + 1
        self._line_ends = self.ends[last]
        self._text = text
        # Without its punctuation, the text is the character buffer of a string column.
        offsets = np.zeros(len(self.ends) + 1, np.int32)
        offsets[1:] = self.ends
        offsets[1:] -= np.arange(len(self.ends), dtype=np.int32)
        self.length = np.diff(offsets)
        characters = block.translate(None, _MARKS)
        self._column = pa.StringArray.from_buffers(len(self.ends), pa.py_buffer(offsets), pa.py_buffer(characters))

    def column(self, places: Ints) -> Any:
        """The fields at some positions."""
        return self._column.take(pa.array(places))

    @cached_property
    def _is_odd(self) -> Bools:
        """Lines with characters that only the parser handles."""
        odd = np.zeros(len(self.first), np.bool_)
        where = np.flatnonzero(_IS_ODD[self._text])
        starts = np.concatenate(([0], self.ends[:-1] + 1))
        # A comment sign starts a comment only at the start of a token.
        where = np.concatenate([where, starts[_ODD_STARTS[self._text[starts]]]])
        odd[np.searchsorted(self._line_ends, where)] = True
        return odd

    def groups(self) -> Iterator[_Group]:
        """Plain lines by predicate and form."""
        for marks in np.flatnonzero(np.bincount(self.count)).tolist():
            rows = np.flatnonzero((self.count == marks) & ~self._is_odd)
            for arity, is_span in _forms(marks):
                fit = rows[self._has_form(rows, arity, is_span)]
                yield from self._by_name(fit, arity, is_span)

    def _has_form(self, rows: Ints, arity: int, is_span: bool) -> Bools:
        first = self.first[rows]
        expected = [_OPEN, *[_COMMA] * (arity - 1), _CLOSE, _AT] if arity else [_AT]
        fine: Bools = self.length[first] > 0
        for place, mark in enumerate(expected):
            fine &= self.marks[first + place] == mark
            if 0 < place <= arity:
                fine &= self.length[first + place] > 0
        place = len(expected)
        if arity:
            fine &= self.length[first + place - 1] == 0
        if not is_span:
            fine &= self.length[first + place] > 0
            return fine
        opening, comma, closing = (self.marks[first + place + offset] for offset in range(3))
        fine &= (opening == _OPEN) | (opening == _SQUARE_OPEN)
        fine &= (comma == _COMMA) & ((closing == _CLOSE) | (closing == _SQUARE_CLOSE))
        fine &= (self.length[first + place] == 0) & (self.length[first + place + 3] == 0)
        fine &= (self.length[first + place + 1] > 0) & (self.length[first + place + 2] > 0)
        return fine

    def _by_name(self, rows: Ints, arity: int, is_span: bool) -> Iterator[_Group]:
        if not len(rows):
            return
        names = self.column(self.first[rows]).dictionary_encode()
        codes = names.indices.to_numpy()
        # Small keys are sorted by counting, in linear time.
        order = np.argsort(codes.astype(np.uint16) if len(names.dictionary) < 1 << 16 else codes, kind="stable")
        ordered = codes[order]
        cuts = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(order)]
        for begin, stop in pairwise(cuts):
            yield _Group(self, names.dictionary[int(ordered[begin])].as_py(), arity, is_span, rows[order[begin:stop]])


def _forms(marks: int) -> Iterator[tuple[int, bool]]:
    """The number of arguments, and whether the time is an interval, of facts with this number of punctuation marks."""
    for is_span, others in ((False, 1), (True, 4)):
        if marks == others + 1:
            yield 0, is_span
        if marks - others - 2 >= 1:
            yield marks - others - 2, is_span


@dataclass(frozen=True, slots=True)
class _Group:
    """Plain lines of one predicate and form."""

    piece: _Piece
    name: str
    arity: int
    is_span: bool
    rows: Ints

    def read(self, parsed: ParsedFacts, tick: Fraction | None, unit: str) -> Bools:
        """Adds the facts; returns which of the lines are valid."""
        first = self.piece.first[self.rows]
        place = self.arity + 2 if self.arity else 1
        if self.is_span:
            low = dated_ticks(self.piece.column(first + place + 1), unit)
            high = dated_ticks(self.piece.column(first + place + 2), unit)
            is_closed_low = self.piece.marks[first + place] == _SQUARE_OPEN
            is_closed_high = self.piece.marks[first + place + 2] == _SQUARE_CLOSE
        else:
            low = high = dated_ticks(self.piece.column(first + place), unit)
            is_closed_low = is_closed_high = np.ones(len(first), np.bool_)
        start, end, scale, fine = cells(low, high, is_closed_low, is_closed_high)
        if tick is not None:
            fine &= on_tick(start, scale, tick) & on_tick(end, scale, tick)
        if not fine.all():
            first, start, end = first[fine], start[fine], end[fine]
        args = tuple(self.piece.column(first + 1 + place).dictionary_encode() for place in range(self.arity))
        if len(first):
            parsed.rows.append(FactRows((self.name, self.arity), args, start, end, scale, low.dated or high.dated))
        return fine


def cells(
    low: TickColumn, high: TickColumn, is_closed_low: Bools, is_closed_high: Bools
) -> tuple[Ints, Ints, int, npt.NDArray[np.bool_]]:
    """Converts intervals to cells of the doubled time-line; returns also the scale, and which are not empty."""
    scale = common_scale((low.scale, high.scale))
    fine = ~low.wrong & ~high.wrong & low.fits(scale) & high.fits(scale)
    start, end = low.at(scale), high.at(scale)
    is_infinite = start <= -FOREVER
    start = np.where(is_infinite, start, 2 * start + ~is_closed_low)
    fine &= ~(is_infinite & is_closed_low)
    is_infinite = end >= FOREVER
    end = np.where(is_infinite, end, 2 * end + is_closed_high)
    fine &= ~(is_infinite & is_closed_high) & (start < end)
    return start, end, scale, fine


def odd_rows(facts: list[MetricFact], *, dated: bool = False) -> Iterator[FactRows]:
    """Individually parsed facts as columns."""
    by_signature: dict[Signature, list[MetricFact]] = {}
    for fact in facts:
        by_signature.setdefault((fact.predicate, len(fact.args)), []).append(fact)
    for signature, found in by_signature.items():
        everyone = np.arange(len(found))
        args = tuple(Typed([fact.args[place].value for fact in found], everyone) for place in range(signature[1]))
        low = _bounds([fact.during.low for fact in found], -FOREVER)
        high = _bounds([fact.during.high for fact in found], FOREVER)
        closed_low = np.array([not fact.during.low_open for fact in found], np.bool_)
        closed_high = np.array([not fact.during.high_open for fact in found], np.bool_)
        start, end, scale, fine = cells(low, high, closed_low, closed_high)
        if not fine.all():
            raise HoldsforError(f"the times of {signature[0]} are too far apart for ticks of 1/{scale}")
        yield FactRows(signature, args, start, end, scale, dated)


def _bounds(numbers: list[Fraction | None], infinite: np.int64) -> TickColumn:
    exact = rational_ticks([Fraction(0) if number is None else number for number in numbers])
    is_infinite = np.array([number is None for number in numbers], np.bool_)
    return TickColumn(np.where(is_infinite, infinite, exact.values), exact.scale, exact.wrong)
