"""The text of terms of a core: whole columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from holdsfor.columns.report import between, ground_term
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.words import Words
from holdsfor.syntax.operators import ARGUMENT, CLAUSE, INFIX, PREFIX
from holdsfor.syntax.printer import print_term

if TYPE_CHECKING:
    import pyarrow as pa


class Texts:
    """Spells the terms of a core. Most of it is done there; what has quotes or operators is printed once."""

    def __init__(self, words: Words, symbols: Sequence[Symbol]) -> None:
        # Nothing that the core keeps may refer to this object: cycles through the core are not collected.
        pieces = [_pieces(symbol) for symbol in symbols]
        operators = [*INFIX, *PREFIX]
        self.speller: Any = words.core.speller(
            pieces, operators, partial(_text, words), partial(_row_text, words, symbols)
        )

    def forget(self) -> None:
        """Words of terms will stand for others."""
        self.speller.forget()


def as_strings(texts: tuple[Any, Any]) -> pa.Array:
    """Texts of the core, where they begin and their bytes, as a column."""
    import pyarrow as pa

    offsets, data = texts
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))


def as_times(times: tuple[Any, Any]) -> pa.Array:
    """Times of the core, which of them are known and themselves, as a column."""
    import pyarrow as pa

    is_known, numbers = times
    return pa.Array.from_buffers(pa.int64(), len(numbers), [pa.py_buffer(is_known), pa.py_buffer(numbers)])


def _pieces(symbol: Symbol) -> list[str] | None:
    """The text around the arguments of a table; None if it is written with operators, which need brackets."""
    names = {symbol.name, *(name for _, name, _ in symbol.inner)}
    return None if names & (INFIX.keys() | PREFIX.keys()) else between(symbol)


def _text(words: Words, word: int, is_alone: bool) -> str:
    return print_term(words.term(word), CLAUSE if is_alone else ARGUMENT)


def _row_text(words: Words, symbols: Sequence[Symbol], table: int, args: Sequence[int]) -> str:
    return print_term(ground_term(symbols[table], [words.term(word) for word in args]))
