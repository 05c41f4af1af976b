"""The keywords and signs of metric rules, with corrections for similar ones."""

from __future__ import annotations

import re
from difflib import get_close_matches

from holdsfor.ir.metric import BinaryOperator, UnaryOperator

UNARY = {operator.value: operator for operator in UnaryOperator}
BINARY = {operator.value: operator for operator in BinaryOperator}
SIGNS = {
    "<->": UnaryOperator.DIAMOND_MINUS,
    "<+>": UnaryOperator.DIAMOND_PLUS,
    "[-]": UnaryOperator.BOX_MINUS,
    "[+]": UnaryOperator.BOX_PLUS,
}
SIGNED = {
    "SOMETIME": (UnaryOperator.DIAMOND_MINUS, UnaryOperator.DIAMOND_PLUS),
    "ALWAYS": (UnaryOperator.BOX_MINUS, UnaryOperator.BOX_PLUS),
}
SIGNED_BINARY = {"UNTIL": (BinaryOperator.SINCE, BinaryOperator.UNTIL)}
"""Words for two operators each; the sign of the interval selects past or future."""
NOT, TOP, BOTTOM = "not", "Top", "Bottom"
RESERVED = frozenset({*UNARY, *BINARY, *SIGNED, *SIGNED_BINARY, NOT, TOP, BOTTOM})
"""Words that are predicates only in quotes."""

SIGN = re.compile("|".join(map(re.escape, SIGNS)))
NAME = re.compile(r"[^\W\d]\w*(?::(?!-)\w+)*")
NEGATIONS = re.compile(r"\|\|?|\\\+|!(?!=)|[~¬]")
"""Negation signs of other languages."""

_BY_LOWER_CASE = {name.lower(): name for name in (*UNARY, *BINARY, *SIGNED)}
_ABBREVIATED = {
    "s": "Since",
    "u": "Until",
    "diamond": "Diamondminus or Diamondplus",
    "box": "Boxminus or Boxplus",
    "once": "Diamondminus",
    "eventually": "Diamondplus",
    "historically": "Boxminus",
    "always": "ALWAYS",
    "sometimes": "SOMETIME",
}


def close_operator(word: str) -> str | None:
    """The operator that a word is probably meant to be.

    >>> close_operator("Diamondminuss"), close_operator("since"), close_operator("Signal")
    ('Diamondminus', 'Since', None)
    """
    lower = word.lower().replace("_", "").replace("-", "")
    if lower in _ABBREVIATED:
        return _ABBREVIATED[lower]
    close = get_close_matches(lower, list(_BY_LOWER_CASE), 1, 0.8)
    return _BY_LOWER_CASE[close[0]] if close else None
