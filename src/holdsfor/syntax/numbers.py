"""Numbers as text and text as numbers: integers of any length, and floats that are whole.

2 and 2.0 are one value, an integer. A float of 2^53 or more stays a float: beyond that, floats no longer tell whole
numbers apart, and 1.0e+17 is not the integer 100000000000000000.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Number: TypeAlias = int | float
EXACT = 1 << 53
"""Below this size, every whole float is an integer."""
_PIECE = 4000
"""Python converts integers of up to 4300 digits."""
_REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
"""No two parts can match the same digits, so that a long text that is not a number is rejected in linear time."""


def plain_number(number: Number) -> Number:
    """The number; a whole float below 2^53 is an integer.

    >>> plain_number(2.0), plain_number(-0.0), plain_number(2.5), plain_number(1e17)
    (2, 0, 2.5, 1e+17)
    """
    if number.__class__ is float and -EXACT < number < EXACT and number.is_integer():
        return int(number)
    return number


def same_number(one: Number, other: Number) -> bool:
    """Whether two numbers are one value: a float of 2^53 or more is no integer.

    >>> same_number(2, 2.0), same_number(10**17, 1e17)
    (True, False)
    """
    if one != other:
        return False
    return one.__class__ is other.__class__ or -EXACT < one < EXACT


def read_number(text: str) -> Number | None:
    """The number in a text, or None. Integers may have any number of digits, floats must be finite.

    >>> [read_number(text) for text in ("007", "+4.0", " 2.50 ", "1e3", "1e17", "0x1f", "12a", "1e999")]
    [7, 4, 2.5, 1000, 1e+17, None, None, None]
    """
    stripped = text.strip()
    if stripped.isdigit() and stripped.isascii():
        return read_integer(stripped)
    if not _REAL.match(stripped):
        return None
    digits = stripped.lstrip("+-")
    if digits.isdigit():
        return -read_integer(digits) if stripped[0] == "-" else read_integer(digits)
    number = float(stripped)
    return None if number in (float("inf"), float("-inf")) else plain_number(number)


def read_integer(digits: str) -> int:
    """An integer from its digits. Halves are read one by one where Python refuses to read them all.

    >>> read_integer("0" * 5000 + "12")
    12
    """
    if len(digits) <= _PIECE:
        return int(digits)
    low = len(digits) // 2
    shift: int = 10**low
    return read_integer(digits[:-low]) * shift + read_integer(digits[-low:])


def number_text(number: Number) -> str:
    """The shortest text that reads back as the same number.

    >>> number_text(2.0), number_text(2.5), number_text(1e17), number_text(1e-7), number_text(-(10**17))
    ('2', '2.5', '1.0e+17', '1.0e-07', '-100000000000000000')
    """
    number = plain_number(number)
    if isinstance(number, int):
        return _integer_text(number)
    text = repr(number)
    if "e" in text and "." not in text:
        return text.replace("e", ".0e")
    return text


def _integer_text(number: int) -> str:
    if number.bit_length() < 3 * _PIECE:
        return str(number)
    if number < 0:
        return f"-{_integer_text(-number)}"
    low = int(number.bit_length() * 0.30103) // 2
    high, rest = divmod(number, 10**low)
    return _integer_text(high) + _integer_text(rest).rjust(low, "0")
