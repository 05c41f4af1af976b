"""Constants spelled out as text, for state that another process reads, and read back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.engine.dictionary import Dictionary, Value, value_of
from holdsfor.engine.kernels import Ints
from holdsfor.syntax.numbers import read_integer
from holdsfor.syntax.operators import ARGUMENT
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound

NO_VALUE = -1
"""The code that stands for no value."""
_PLAIN = re.compile(r"[a-z]\w*\Z")
_WHOLE = re.compile(r"-?[0-9]+\Z")
_QUOTED = re.compile(r"'[^'\\]*'\Z")


class Spelled:
    """The text of codes: each is printed once."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def column(self, codes: Ints) -> Any:
        """A column of text; null where there is no value."""
        distinct, inverse = np.unique(codes, return_inverse=True)
        missing = distinct == NO_VALUE
        terms = self._dictionary.terms(distinct[~missing].tolist())
        texts = [None] * int(missing.sum()) + [print_term(term, ARGUMENT) for term in terms]
        return pa.array(texts, pa.string()).take(pa.array(inverse))


def codes_in(texts: Any, dictionary: Dictionary) -> Ints:
    """Codes of a column of text, every distinct one read once."""
    distinct, place = encoded(texts)
    known = np.append(dictionary.encode(_read(text) for text in distinct), NO_VALUE)
    return known[place]


def encoded(texts: Any) -> tuple[list[str], Ints]:
    """The distinct texts of a column, and which of them each row has; -1 is null."""
    found = texts.dictionary_encode()
    return found.dictionary.to_pylist(), found.indices.fill_null(NO_VALUE).to_numpy().astype(np.int64)


def _read(text: str) -> Value:
    """The value that a text stands for."""
    if _PLAIN.match(text):
        return text
    if _WHOLE.match(text):
        return -read_integer(text[1:]) if text[0] == "-" else read_integer(text)
    if _QUOTED.match(text):
        return text[1:-1]
    parsed = parse(Source("state", f"s({text})."))
    if parsed.diagnostics or len(parsed.clauses) != 1:
        raise HoldsforError(f"the state has a value that cannot be read: {text!r}")
    term = parsed.clauses[0].head
    assert isinstance(term, Compound)
    return value_of(term.args[0])
