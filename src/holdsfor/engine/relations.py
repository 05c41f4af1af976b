"""Relations: rows that a literal stands for, matched against its terms and joined to a frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.expressions import codes_of, numbers_of
from holdsfor.engine.frames import Array, Codes, Column, Frame, Lists, Numbers, combined_keys, is_in, match
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.logic.unify import is_ground, unify
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables


def relation(terms: Sequence[Term], columns: Sequence[Column], rows: int, dictionary: Dictionary) -> Frame:
    """The rows that match terms: constants select, a repeated variable compares, compounds are taken apart."""
    bound: dict[str, Column] = {}
    keep: Bools | None = None
    for term, column in zip(terms, columns, strict=True):
        if isinstance(term, Var):
            first = bound.setdefault(term.name, column)
            if first is column:
                continue
            passed = equal(first, column, dictionary)
        elif is_ground(term):
            passed = _is_constant(column, term, dictionary)
        else:
            return _with_patterns(terms, columns, rows, dictionary)
        keep = passed if keep is None else keep & passed
    frame = Frame(rows, bound)
    return frame if keep is None else frame.where(keep)


def _with_patterns(terms: Sequence[Term], columns: Sequence[Column], rows: int, dictionary: Dictionary) -> Frame:
    """The same where some terms are compounds with variables inside."""
    frame = Frame(rows, dict(enumerate_columns(columns)))
    bound: dict[str, str] = {}
    for position, term in enumerate(terms):
        slot = f"#{position}"
        if isinstance(term, Var):
            if term.name in bound:
                frame = frame.where(equal(frame.columns[bound[term.name]], frame.columns[slot], dictionary))
            else:
                bound[term.name] = slot
        elif is_ground(term):
            frame = frame.where(_is_constant(frame.columns[slot], term, dictionary))
        else:
            frame = _taken_apart(frame, slot, term, bound, dictionary)
    return Frame(frame.rows, {name: frame.columns[slot] for name, slot in bound.items()})


def enumerate_columns(columns: Sequence[Column]) -> list[tuple[str, Column]]:
    """Columns under the names of their positions."""
    return [(f"#{position}", column) for position, column in enumerate(columns)]


def _is_constant(column: Column, term: Term, dictionary: Dictionary) -> Bools:
    value = value_of(term)
    if isinstance(column, Numbers):
        is_number = isinstance(term, Const) and not isinstance(term.value, str)
        return np.asarray(column.data == value) if is_number else np.zeros(len(column.data), np.bool_)
    assert isinstance(column, Codes)
    return np.asarray(column.data == dictionary.find(value))


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
    if isinstance(one, Numbers) and isinstance(other, Numbers):
        return one.data, other.data
    if isinstance(one, Numbers):
        return one.data, numbers_of(other, dictionary)
    if isinstance(other, Numbers):
        return numbers_of(one, dictionary), other.data
    assert isinstance(one, Codes) and isinstance(other, Codes)
    return one.data, other.data


def join(frame: Frame, other: Frame, dictionary: Dictionary) -> Frame:
    """All pairs of rows that agree on the variables both have."""
    if not frame.columns and frame.rows == 1:
        return other
    shared = [name for name in other.columns if name in frame.columns]
    fresh = [name for name in other.columns if name not in frame.columns]
    if not shared:
        left = np.repeat(np.arange(frame.rows), other.rows)
        right = np.tile(np.arange(other.rows), frame.rows)
    else:
        keys = join_keys(frame, other, shared, dictionary)
        if not fresh:
            return frame.where(is_in(*keys))
        left, right = match(*keys)
    added = {name: other.columns[name].take(right) for name in fresh}
    return frame.take(left).with_columns(added)


def anti_join(frame: Frame, other: Frame, dictionary: Dictionary) -> Frame:
    """The rows that agree with no row of the other frame on the variables both have."""
    shared = [name for name in other.columns if name in frame.columns]
    if not shared:
        return frame if other.rows == 0 else frame.take(np.empty(0, np.int64))
    return frame.where(~is_in(*join_keys(frame, other, shared, dictionary)))


def join_keys(frame: Frame, other: Frame, shared: Sequence[str], dictionary: Dictionary) -> tuple[Ints, Ints]:
    """One comparable integer per row for the shared variables."""
    pairs = [comparable(frame.columns[name], other.columns[name], dictionary) for name in shared]
    return combined_keys([left for left, _ in pairs], [right for _, right in pairs])


def aligned(frames: Sequence[Frame], dictionary: Dictionary) -> list[Frame]:
    """Frames whose columns of one name are all of one kind, so that they can be stacked."""
    mixed = {
        name
        for name in frames[0].columns
        if len({type(frame.columns[name]) for frame in frames if name in frame.columns}) > 1
    }
    return [
        frame.with_columns(
            {
                name: Codes(codes_of(frame.columns[name], dictionary))
                for name in mixed
                if name in frame.columns and not isinstance(frame.columns[name], Lists)
            }
        )
        for frame in frames
    ]


def is_pattern(term: Term) -> bool:
    """Whether a term is a compound with variables inside."""
    return isinstance(term, Compound) and not is_ground(term)
