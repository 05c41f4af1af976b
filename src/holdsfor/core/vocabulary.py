"""Converts codes of a dictionary to words of a core and back, in whole columns."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.columns.dictionary import Dictionary, Value, value_of
from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.core.compiled import compiled_core
from holdsfor.core.words import Words

WordArray: TypeAlias = npt.NDArray[np.uint64]
_NOTHING = 3
"""The word in the core for an object that only Python handles."""
_TAG, _NUMBER = 3, 1
_LIMIT = 1 << 61
_SMALL = 1 << 16
"""Smaller non-negative integers have their codes in a table."""
NO_WORDS: WordArray = np.empty(0, np.uint64)


def words_of_wholes(numbers: Ints, words: Words) -> WordArray:
    """The words of a column of whole numbers."""
    if len(numbers) and not (int(numbers.min()) >= -_LIMIT and int(numbers.max()) < _LIMIT):
        return words_of_values(numbers.tolist(), words)
    found: WordArray = ((numbers << 2) | _NUMBER).view(np.uint64)
    return found


def words_of_values(values: list[Value], words: Words) -> WordArray:
    """The words of some values."""
    found: WordArray = words.core.words(values)
    for place in np.flatnonzero(found == _NOTHING).tolist():
        found[place] = words.of_value(values[place])
    return found


def values_of_words(found: WordArray, words: Words) -> list[Value]:
    """The values of some words."""
    values: list[Any] = words.core.values(found)
    for place, value in enumerate(values):
        if value is None:
            values[place] = value_of(words.term(int(found[place])))
    return values


class Vocabulary:
    """A dictionary and the words of a core. Its tables grow with the dictionary; words must keep their meaning."""

    def __init__(self, dictionary: Dictionary, words: Words) -> None:
        self.dictionary = dictionary
        self._words = words
        self._word_of: WordArray = NO_WORDS
        self._code_of: Ints = EMPTY
        """The code of each term of the core, -1 for those without one."""
        self._code_of_whole: Ints = EMPTY
        """The same for small whole numbers."""

    def words(self, codes: Ints) -> WordArray:
        """The words of some codes."""
        if len(self._word_of) < len(self.dictionary):
            self._grow()
        return self._word_of[codes]

    def numbers(self, numbers: npt.NDArray[Any]) -> WordArray:
        """The words of a column of plain numbers."""
        if numbers.dtype.kind == "f":
            found: WordArray = self._words.core.words_of_reals(np.ascontiguousarray(numbers, np.float64))
            return found
        if numbers.dtype.kind == "i":
            return words_of_wholes(numbers.astype(np.int64, copy=False), self._words)
        return words_of_values(numbers.tolist(), self._words)

    def _grow(self) -> None:
        known = len(self._word_of)
        parts = [self._word_of]
        for piece in self.dictionary.since(known):
            if isinstance(piece, list):
                parts.append(words_of_values(piece, self._words))
            else:
                parts.append(words_of_wholes(piece, self._words))
        self._word_of = np.concatenate(parts)
        new = self._word_of[known:]
        rows = np.flatnonzero((new & _TAG) == 0)
        self._note((new[rows] >> 2).view(np.int64), rows + known)

    def _note(self, terms: Ints, codes: Ints) -> None:
        if not len(terms):
            return
        most = int(terms.max())
        if most >= len(self._code_of):
            room = max(most + 1, 2 * len(self._code_of)) - len(self._code_of)
            self._code_of = np.concatenate((self._code_of, np.full(room, -1)))
        self._code_of[terms] = codes

    def columns(self, words: WordArray, width: int) -> list[Ints]:
        """The codes of words in row-major order with this width; new words get codes."""
        if len(self._word_of) < len(self.dictionary):
            self._grow()
        found = []
        for place in range(width):
            codes: Ints | None = compiled_core().codes_of_words(words, width, place, self._code_of)
            found.append(self._mixed(np.ascontiguousarray(words[place::width])) if codes is None else codes)
        return found

    def codes(self, words: WordArray) -> Ints:
        """The codes of some words; new words get codes."""
        return self.columns(words, 1)[0]

    def _mixed(self, words: WordArray) -> Ints:
        tags = words & _TAG
        kinds = np.bincount(tags.view(np.int64), minlength=3)
        if kinds[0] == len(words):
            return self._terms((words >> 2).view(np.int64))
        if kinds[_NUMBER] == len(words):
            return self._wholes(words.view(np.int64) >> 2)
        found = np.empty(len(words), np.int64)
        for tag in np.flatnonzero(kinds).tolist():
            rows = np.flatnonzero(tags == tag)
            if tag in (0, _NUMBER):
                found[rows] = self._mixed(words[rows])
            else:
                distinct, place = np.unique(words[rows], return_inverse=True)
                found[rows] = self.dictionary.encode(values_of_words(distinct, self._words))[place]
        return found

    def _wholes(self, numbers: Ints) -> Ints:
        most = int(numbers.max()) if len(numbers) else _SMALL
        if most >= _SMALL or int(numbers.min()) < 0:
            return self.dictionary.encode_wholes(numbers)
        if most >= len(self._code_of_whole):
            room = min(_SMALL, 2 * most + 1) - len(self._code_of_whole)
            self._code_of_whole = np.concatenate((self._code_of_whole, np.full(room, -1)))
        found = self._code_of_whole[numbers]
        if int(found.min()) < 0:
            found = self.dictionary.encode_wholes(numbers)
            self._code_of_whole[numbers] = found
        return found

    def _terms(self, terms: Ints) -> Ints:
        if not len(terms):
            return EMPTY
        if len(self._word_of) < len(self.dictionary):
            self._grow()
        if int(terms.max()) >= len(self._code_of):
            self._note(terms.max(keepdims=True), np.array([-1]))
        found = self._code_of[terms]
        if int(found.min()) < 0:
            new = np.unique(terms[found < 0])
            words = new.view(np.uint64) << np.uint64(2)
            self._note(new, self.dictionary.encode(values_of_words(words, self._words)))
            found = self._code_of[terms]
        return found
