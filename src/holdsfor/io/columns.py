"""Converts columns of text and of typed data to numbers, words, times, and codes of the dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary, Value, lie_close, plain_text, values_of_numbers
from holdsfor.columns.kernels import EMPTY, Bools, Ints, mask_of
from holdsfor.columns.tables import FOREVER
from holdsfor.records import record
from holdsfor.syntax.numbers import EXACT, read_number
from holdsfor.times import LATEST

Array: TypeAlias = Any
"""An Arrow array; Arrow has no static types."""
_Scalar = TypeVar("_Scalar", bound=np.generic)

_BEGINS_LIKE_A_NUMBER = r"^\s*[+-]?\.?[0-9]"
_OPEN = pa.array(["", "inf", "infinity"])


@record
class Cells:
    """A piece of an argument column: distinct values with indices into them, or plain numbers.

    Text is `verbatim` if the source is typed: "5" is then a word, whereas in a text file it is a number. Integers that
    are close together are plain. Numbers that rules use only in arithmetic are plain floats.
    """

    array: Array
    verbatim: bool = False


def text_cells(column: Array, *, is_arithmetic: bool = False) -> Cells:
    """A column of a text file: all numbers, or text that is searched for numbers when it is encoded."""
    kind = _number_kind(column)
    if kind is not None:
        try:
            numbers = column.cast(kind)
        except pa.ArrowInvalid:
            return Cells(column.dictionary_encode())
        if kind == pa.int64() or np.abs(numbers.to_numpy()).max() < EXACT:
            return number_cells(numbers, is_arithmetic=is_arithmetic)
    return Cells(column.dictionary_encode())


def number_cells(numbers: Array, *, is_arithmetic: bool = False) -> Cells:
    """A column of 64-bit integers or floats without nulls."""
    plain = numbers.to_numpy()
    if is_arithmetic and len(plain) and plain.max() < EXACT and plain.min() > -EXACT:
        return Cells(numbers.cast(pa.float64()))
    is_whole = pa.types.is_integer(numbers.type)
    return Cells(numbers if is_whole and lie_close(plain) else numbers.dictionary_encode())


def are_plain_floats(pieces: Sequence[Cells]) -> bool:
    """Whether a column needs no codes: it contains only numbers, and rules use it only in arithmetic."""
    return all(pa.types.is_floating(piece.array.type) for piece in pieces)


def _number_kind(column: Array) -> pa.DataType | None:
    """The type to which a column can be cast, judged by the characters in it.

    A failed cast costs far more than this test. Arrow also reads `0x1f` as a number, which is a word here.
    """
    buffer = column.buffers()[2]
    if buffer is None or not buffer.size:
        return None
    characters = np.frombuffer(buffer, np.uint8)
    least, most = characters.min(), characters.max()
    if least >= ord("0") and most <= ord("9"):
        return pa.int64()
    if most > ord("e"):
        return None
    others = buffer.to_pybytes().translate(None, b"0123456789")
    if set(others) <= set(b"-"):
        # A number has at most one sign, but a date has more.
        return pa.int64() if len(others) <= len(column) else None
    return pa.float64() if set(others) <= set(b"-.+eE") else None


def encode(pieces: Sequence[Cells], dictionary: Dictionary) -> Ints:
    """The codes of a column in pieces; each distinct value is encoded once."""
    codes: list[Ints] = [EMPTY] * len(pieces)
    for kind in dict.fromkeys((piece.array.type, piece.verbatim) for piece in pieces):
        places = [place for place, piece in enumerate(pieces) if (piece.array.type, piece.verbatim) == kind]
        chunks = [pieces[place].array for place in places]
        if kind[0] == pa.int64():
            found = dictionary.encode_wholes(together([chunk.to_numpy() for chunk in chunks]))
            ends = np.cumsum([len(chunk) for chunk in chunks])
            for place, piece in zip(places, np.split(found, ends[:-1]), strict=True):
                codes[place] = piece
            continue
        if pa.types.is_floating(kind[0]):
            chunks = [chunk.dictionary_encode() for chunk in chunks]
        unified = pa.chunked_array(chunks).unify_dictionaries()
        of_values = _codes(unified.chunk(0).dictionary, dictionary, verbatim=kind[1])
        for place, chunk in zip(places, unified.chunks, strict=True):
            codes[place] = of_values[chunk.indices.to_numpy()]
    return together(codes)


def together(columns: Sequence[np.typing.NDArray[_Scalar]]) -> np.typing.NDArray[_Scalar]:
    """Concatenates columns; a single column is not copied."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _codes(distinct: Array, dictionary: Dictionary, *, verbatim: bool) -> Ints:
    if not pa.types.is_integer(distinct.type):
        return dictionary.encode(_values(distinct, verbatim=verbatim))
    numbers = distinct.to_numpy()
    order = np.argsort(numbers)
    codes = np.empty(len(numbers), np.int64)
    codes[order] = dictionary.encode_distinct(numbers[order])
    return codes


def _values(distinct: Array, *, verbatim: bool) -> list[Value]:
    if pa.types.is_floating(distinct.type):
        # Whether 1 or 1.0 is shown must not depend on the order of the rows.
        return values_of_numbers(distinct.to_numpy(zero_copy_only=False))
    found: list[Any] = distinct.to_numpy(zero_copy_only=False).tolist()
    if not verbatim:
        for place in np.flatnonzero(pc.match_substring_regex(distinct, _BEGINS_LIKE_A_NUMBER)).tolist():
            found[place] = value_of_text(found[place])
    return found


def value_column(values: Sequence[Value]) -> Array:
    """Values as a column of integers or floats if these are exact, otherwise of text.

    >>> [value_column(values).type for values in ([1, 2], [1, 2.5], [2**70], [2**60, 0.5], [1, "a"])]
    [DataType(int64), DataType(double), DataType(string), DataType(string), DataType(string)]
    """
    kinds = set(map(type, values))
    size = max((abs(value) for value in values if isinstance(value, int)), default=0)
    if kinds <= {int, float} and size < (EXACT if float in kinds else 1 << 63):
        return pa.array(values, pa.float64() if float in kinds else pa.int64())
    return pa.array(list(map(plain_text, values)), pa.string())


def value_of_text(text: str) -> str | int | float:
    """A number if the text is one, otherwise the text. Integers may have any number of digits.

    >>> [value_of_text(text) for text in ("007", "2.50", "4.0", "1e3", "0x1f", "12a", "99999999999999999999")]
    [7, 2.5, 4, 1000, '0x1f', '12a', 99999999999999999999]
    """
    number = read_number(text)
    return text if number is None else number


@record
class TimeColumn:
    """A column of times, with a mask of invalid ones; `wrong` is None if all are valid. `dated` times were timestamps
    or dates.

    `zoneless` times were text without a zone.
    """

    values: Ints
    wrong: Bools | None = None
    dated: bool = False
    zoneless: bool = False


def text_times(column: Array) -> TimeColumn:
    """Whole numbers from text."""
    quick = _quick_times(column)
    if quick is not None:
        return quick
    trimmed = pc.utf8_trim_whitespace(column)
    fine = pc.match_substring_regex(trimmed, r"^[+-]?[0-9]{1,18}$")
    digits = pc.replace_substring(pc.if_else(fine, trimmed, "0"), "+", "")
    return checked(digits.cast(pa.int64()).to_numpy(), ~mask_of(fine))


def text_ends(column: Array) -> TimeColumn:
    """Ends of intervals: whole numbers, or `inf` for open ones."""
    quick = _quick_times(column)
    if quick is not None:
        return quick
    is_open = pc.is_in(pc.utf8_trim_whitespace(column), _OPEN)
    times = text_times(pc.if_else(is_open, "0", column))
    return TimeColumn(np.where(mask_of(is_open), FOREVER, times.values), times.wrong)


def _quick_times(column: Array) -> TimeColumn | None:
    if _number_kind(column) != pa.int64():
        return None
    try:
        return checked(column.cast(pa.int64()).to_numpy(), None)
    except pa.ArrowInvalid:
        return None


def checked(values: Ints, wrong: Bools | None) -> TimeColumn:
    """Times in which those too large for arithmetic are marked as invalid."""
    if len(values) and (values.max() > LATEST or values.min() < -LATEST):
        too_large = (values > LATEST) | (values < -LATEST)
        wrong = too_large if wrong is None else wrong | too_large
    return TimeColumn(values, wrong if wrong is not None and wrong.any() else None)
