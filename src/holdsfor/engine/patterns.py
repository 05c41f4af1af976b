"""Terms against columns: what a literal says of the rows of a table, worked out once and applied in every window.

A `Pattern` knows which of its terms are constants, which are variables and which of those are repeated. To match it with
a table is then a comparison for every constant and a dictionary of columns. Compounds with variables inside are taken
apart for each distinct value of their column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.dictionary import Dictionary, Value, value_of
from holdsfor.engine.expressions import codes_of, plain_numbers_of
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers
from holdsfor.engine.kernels import Bools, Ints, true_rows
from holdsfor.engine.numbers import Array, are_alike, as_objects, numbered
from holdsfor.logic.unify import is_ground, unify
from holdsfor.syntax.numbers import EXACT
from holdsfor.syntax.terms import Const, Term, Var, variables

ONCE = "#once "
"""How the names of variables begin that nothing else asks for."""


class Pattern:
    """Terms that are matched with the columns of a table."""

    __slots__ = ("_constants", "_is_plain", "_named", "_repeated", "_terms", "names", "shape")

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._constants: list[tuple[int, Value, bool]] = []
        """The place of every constant, what it is, and whether it is a number."""
        self._repeated: list[tuple[int, int]] = []
        """Places that must have equal values."""
        self._is_plain = True
        place_of: dict[str, int] = {}
        for place, term in enumerate(terms):
            if isinstance(term, Var):
                first = place_of.setdefault(term.name, place)
                if first != place:
                    self._repeated.append((first, place))
            elif is_ground(term):
                is_number = isinstance(term, Const) and not isinstance(term.value, str)
                self._constants.append((place, value_of(term), is_number))
            else:
                self._is_plain = False
        self._named = [(name, place) for name, place in place_of.items() if not name.startswith(ONCE)]
        self.names = tuple(dict.fromkeys(v.name for term in terms for v in variables(term)))
        """The names of its variables."""
        number = {name: place for place, name in enumerate(self.names)}
        self.shape = tuple(number[term.name] if isinstance(term, Var) else (term,) for term in terms)
        """The same for patterns that differ in the names of their variables alone."""

    @property
    def selects(self) -> bool:
        """Whether some rows may not match."""
        return bool(self._constants or self._repeated) or not self._is_plain

    def match(self, columns: Sequence[Column], rows: int, dictionary: Dictionary) -> Frame:
        """The rows that match: constants select, a repeated variable compares, compounds are taken apart."""
        if not self._is_plain:
            return _with_patterns(self._terms, columns, rows, dictionary)
        frame = Frame(rows, {name: columns[place] for name, place in self._named})
        if not rows or not (self._constants or self._repeated):
            return frame
        kept = self._rows(columns, dictionary)
        return frame if len(kept) == rows else frame.take(kept)

    def _rows(self, columns: Sequence[Column], dictionary: Dictionary) -> Ints:
        keep: Bools | None = None
        for place, value, is_number in self._constants:
            passed = _is_value(columns[place], value, dictionary, is_number=is_number)
            keep = passed if keep is None else keep & passed
        for first, place in self._repeated:
            passed = equal(columns[first], columns[place], dictionary)
            keep = passed if keep is None else keep & passed
        assert keep is not None
        return true_rows(keep)


def relation(terms: Sequence[Term], columns: Sequence[Column], rows: int, dictionary: Dictionary) -> Frame:
    """The rows that match terms, for terms that are matched once only."""
    return Pattern(terms).match(columns, rows, dictionary)


def _is_value(column: Column, value: Value, dictionary: Dictionary, *, is_number: bool) -> Bools:
    if isinstance(column, Numbers):
        if not is_number:
            return np.zeros(len(column.data), np.bool_)
        assert isinstance(value, int | float)
        if column.data.dtype.kind == "O" or not -EXACT < value < EXACT:
            rows, wanted, _ = numbered(column.data, as_objects([value]))
            return np.asarray(rows == wanted)
        return np.asarray(column.data == value)
    assert isinstance(column, Codes)
    return np.asarray(column.data == dictionary.find(value))


def _with_patterns(terms: Sequence[Term], columns: Sequence[Column], rows: int, dictionary: Dictionary) -> Frame:
    """The same where some terms are compounds with variables inside."""
    frame = Frame(rows, {f"#{position}": column for position, column in enumerate(columns)})
    bound: dict[str, str] = {}
    for position, term in enumerate(terms):
        slot = f"#{position}"
        if isinstance(term, Var):
            if term.name in bound:
                frame = frame.where(equal(frame.columns[bound[term.name]], frame.columns[slot], dictionary))
            else:
                bound[term.name] = slot
        elif is_ground(term):
            is_number = isinstance(term, Const) and not isinstance(term.value, str)
            frame = frame.where(_is_value(frame.columns[slot], value_of(term), dictionary, is_number=is_number))
        else:
            frame = _taken_apart(frame, slot, term, bound, dictionary)
    return Frame(frame.rows, {name: frame.columns[slot] for name, slot in bound.items()})


def _taken_apart(frame: Frame, slot: str, term: Term, bound: dict[str, str], dictionary: Dictionary) -> Frame:
    """Match a compound pattern against each distinct value of a column."""
    codes = codes_of(frame.columns[slot], dictionary)
    distinct, inverse = np.unique(codes, return_inverse=True)
    answers = [unify(term, dictionary.term(int(code)), {}) for code in distinct]
    matches = np.array([answer is not None for answer in answers], np.bool_)
    parts: dict[str, Ints] = {}
    for variable in {v.name: v for v in variables(term)}.values():
        values = [dictionary.code(value_of(answer[variable.name])) if answer else -1 for answer in answers]
        parts[variable.name] = np.array(values, np.int64)
    columns: dict[str, Column] = {f"{slot}.{name}": Codes(part[inverse]) for name, part in parts.items()}
    frame = frame.with_columns(columns).where(matches[inverse])
    for name in parts:
        if name in bound:
            frame = frame.where(equal(frame.columns[bound[name]], frame.columns[f"{slot}.{name}"], dictionary))
        else:
            bound[name] = f"{slot}.{name}"
    return frame


def equal(one: Column, other: Column, dictionary: Dictionary) -> Bools:
    """Where two columns have the same value."""
    left, right = comparable(one, other, dictionary)
    return np.asarray(left == right)


def comparable(one: Column, other: Column, dictionary: Dictionary) -> tuple[Array, Array]:
    """Two columns in a form in which equal values are equal numbers."""
    assert not isinstance(one, Lists) and not isinstance(other, Lists)
    if isinstance(one, Codes) and isinstance(other, Codes):
        return one.data, other.data
    left, right = plain_numbers_of(one, dictionary), plain_numbers_of(other, dictionary)
    if left is not None and right is not None and are_alike(left, right):
        return left, right
    return codes_of(one, dictionary), codes_of(other, dictionary)
