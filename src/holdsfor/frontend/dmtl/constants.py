"""Reads constants, decides which are numbers, and writes them so that they can be read back."""

from __future__ import annotations

import re

from holdsfor.syntax.numbers import number_text, plain_number, read_integer
from holdsfor.syntax.printer import quoted
from holdsfor.syntax.terms import Const
from holdsfor.syntax.tokens import unquote

_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)\Z", re.ASCII)
_DECIMAL = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?\Z", re.ASCII)
PLAIN = re.compile(r"[^\s,()'\"\[\]|@#%]+(?:[#%]+[^\s,()'\"\[\]|@#%]*)*")
"""The characters of an argument without quotes. A comment sign belongs to it except at the start."""
QUOTED = re.compile(r"'(?:[^'\\\n]|''|\\x[0-9a-fA-F]+\\|\\.)*'|\"(?:[^\"\\\n]|\"\"|\\x[0-9a-fA-F]+\\|\\.)*\"")


def constant(text: str) -> str | int | float:
    """The constant of a text without quotes: a number if it has the canonical form of a number.

    Other spellings of numbers stay text, so that writing does not change what was read.

    >>> constant("12"), constant("-0.5"), constant("1.0"), constant("007"), constant("1e3"), constant("v7")
    (12, -0.5, 1, '007', '1e3', 'v7')
    """
    if _WHOLE.match(text) and text != "-0":
        return -read_integer(text[1:]) if text[0] == "-" else read_integer(text)
    if _DECIMAL.match(text) and text in (repr(float(text)), number_text(float(text))):
        return plain_number(float(text))
    return text


def constant_text(value: str | float) -> str:
    """A constant in rule text, with quotes if necessary.

    >>> constant_text("v7"), constant_text("V7"), constant_text("7"), constant_text(7), constant_text("a, b")
    ('v7', "'V7'", "'7'", '7', "'a, b'")
    """
    if not isinstance(value, str):
        return number_text(value)
    if is_plain(value) and constant(value) == value:
        return value
    return quoted(value)


def argument_text(value: str | float) -> str:
    """A constant in results, between bars, with quotes if it would otherwise be read as another constant.

    >>> argument_text("New York"), argument_text("a|b"), argument_text("7"), argument_text(7), argument_text("")
    ('New York', "'a|b'", "'7'", '7', "''")
    """
    if not isinstance(value, str):
        return constant_text(value)
    is_plain_text = value and value[0] not in "'\"" and "|" not in value and constant(value) == value
    return value if is_plain_text else quoted(value)


def read_arguments(text: str) -> tuple[str | int | float, ...]:
    """The constants between bars in results; a fact without arguments has an empty text.

    >>> read_arguments("'a|b'|c|7|'7'|New York")
    ('a|b', 'c', 7, '7', 'New York')
    """
    found: list[str | int | float] = []
    position = 0
    while text and position <= len(text):
        in_quotes = QUOTED.match(text, position)
        if in_quotes is not None:
            found.append(unquote(in_quotes.group()))
            position = in_quotes.end() + 1
            continue
        stop = text.find("|", position)
        stop = stop if stop >= 0 else len(text)
        found.append(constant(text[position:stop]))
        position = stop + 1
    return tuple(found)


def is_plain(text: str) -> bool:
    """Whether a rule reads this text, without quotes, as a constant with the same text."""
    return bool(PLAIN.fullmatch(text)) and ":-" not in text and text[0] != "_" and not text[0].isupper()


def unquoted(text: str) -> Const:
    """The constant inside quotes, which is always text."""
    return Const(unquote(text))
