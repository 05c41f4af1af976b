"""The text of terms of a core: every constant is printed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.vocabulary import values_of_words
from holdsfor.core.words import Words
from holdsfor.engine.dictionary import Value
from holdsfor.engine.report import between, ground_term
from holdsfor.syntax.operators import ARGUMENT, CLAUSE, INFIX, PREFIX
from holdsfor.syntax.printer import print_constant, print_term
from holdsfor.syntax.terms import Compound, ListTerm


class Texts:
    """The words that were printed so far, as arguments and as values that stand alone."""

    def __init__(self, words: Words, symbols: Sequence[Symbol]) -> None:
        self._words = words
        self._symbols = symbols
        self.arguments: dict[int, str] = {}
        self.values: dict[int, str] = {}
        self._between: dict[int, list[str] | None] = {}

    def learn(self, words: Iterable[int]) -> None:
        """Print what was not printed before."""
        new = [word for word in words if word not in self.arguments]
        if new:
            for word, value in zip(new, values_of_words(np.array(new, np.uint64), self._words), strict=True):
                self.arguments[word] = _printed(value, ARGUMENT)
                self.values[word] = _printed(value, CLAUSE)

    def terms(self, tables: Sequence[int], offsets: Sequence[int], words: Sequence[int]) -> list[str]:
        """The terms of some rows, of which each has a table, and its arguments between two offsets."""
        texts, found = self.arguments, []
        for table, begin, end in zip(tables, offsets, offsets[1:], strict=False):
            parts = self.between(table)
            if parts is None:
                found.append(self._with_operators(table, words[begin:end]))
            elif end - begin == 1:
                found.append(parts[0] + texts[words[begin]] + parts[1])
            else:
                made = parts[0]
                for place in range(end - begin):
                    made += texts[words[begin + place]] + parts[place + 1]
                found.append(made)
        return found

    def between(self, table: int) -> list[str] | None:
        """The text around the arguments of a table; None if it is written with operators, which need brackets."""
        if table not in self._between:
            symbol = self._symbols[table]
            names = {symbol.name, *(name for _, name, _ in symbol.inner)}
            self._between[table] = None if names & (INFIX.keys() | PREFIX.keys()) else between(symbol)
        return self._between[table]

    def _with_operators(self, table: int, args: Sequence[int]) -> str:
        return print_term(ground_term(self._symbols[table], [self._words.term(word) for word in args]))


def _printed(value: Value, limit: int) -> str:
    return print_term(value, limit) if isinstance(value, Compound | ListTerm) else print_constant(value)
