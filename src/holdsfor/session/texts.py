"""The text of single terms: constants are printed once."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import between, ground_term
from holdsfor.syntax.operators import ARGUMENT, CLAUSE, INFIX, PREFIX
from holdsfor.syntax.printer import print_term


class Words:
    """Terms of a session as text, one at a time; `engine.report.Texts` does whole columns."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._arguments: dict[int, str] = {}
        self._values: dict[int, str] = {}
        self._between: dict[Symbol, list[str] | None] = {}

    def value(self, code: int) -> str:
        """A constant that stands alone."""
        found = self._values.get(code)
        if found is None:
            found = self._values[code] = print_term(self._dictionary.term(code), CLAUSE)
        return found

    def _argument(self, code: int) -> str:
        found = self._arguments.get(code)
        if found is None:
            found = self._arguments[code] = print_term(self._dictionary.term(code), ARGUMENT)
        return found

    def term(self, symbol: Symbol, args: Sequence[int]) -> str:
        """A term of a symbol with some arguments."""
        if symbol not in self._between:
            names = {symbol.name, *(name for _, name, _ in symbol.inner)}
            self._between[symbol] = None if names & (INFIX.keys() | PREFIX.keys()) else between(symbol)
        parts = self._between[symbol]
        if parts is None:
            return print_term(ground_term(symbol, self._dictionary.terms(list(args))))
        made = parts[0]
        for code, text in zip(args, parts[1:], strict=False):
            made += self._argument(code) + text
        return made
