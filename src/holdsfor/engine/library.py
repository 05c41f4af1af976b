"""Library predicates over columns: list aggregates as group-bys, the rest once for each distinct combination."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.expressions import codes_of, column_of, numbers_of
from holdsfor.engine.frames import Array, Codes, Column, Frame, Lists, Numbers
from holdsfor.engine.relations import equal, join, relation
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.syntax.terms import Term, Var, variables

ROW = "#row"


def call_library(name: tuple[str, int], args: tuple[Term, ...], frame: Frame, dictionary: Dictionary) -> Frame:
    """Call a library predicate for every row of a frame."""
    lists = _list_argument(name, args, frame)
    if lists is None:
        return _for_distinct(name, args, frame, dictionary)
    if name[0] in ("member", "memberchk"):
        return _member(args[0], lists, frame, dictionary)
    if name[0] in _AGGREGATES:
        valid, values = _AGGREGATES[name[0]](lists, dictionary)
        return _bind(args[1], values, frame.where(valid), dictionary)
    if name[0] in ("sort", "list_to_set", "msort", "reverse"):
        return _bind(args[1], _sorted(lists, dictionary, unique=name[0] in ("sort", "list_to_set")), frame, dictionary)
    raise EvaluationError(f"{name[0]}/{name[1]} is not available on the result of findall")


def _list_argument(name: tuple[str, int], args: tuple[Term, ...], frame: Frame) -> Lists | None:
    position = 1 if name[0] in ("member", "memberchk") else 0
    term = args[position] if position < len(args) else None
    column = frame.columns.get(term.name) if isinstance(term, Var) else None
    return column if isinstance(column, Lists) else None


def _bind(target: Term, column: Column, frame: Frame, dictionary: Dictionary) -> Frame:
    if isinstance(target, Var) and target.name not in frame.columns:
        return frame.with_columns({target.name: column})
    assert not isinstance(column, Lists)
    return frame.where(equal(column_of(target, frame, dictionary), column, dictionary))


def _member(target: Term, lists: Lists, frame: Frame, dictionary: Dictionary) -> Frame:
    rows = np.repeat(np.arange(frame.rows), lists.lengths)
    items = lists.flat()
    numbered = frame.with_columns({ROW: Numbers(np.arange(frame.rows))})
    answers = relation((Var(ROW), target), (Numbers(rows), items), len(rows), dictionary)
    joined = join(numbered, answers, dictionary)
    return Frame(joined.rows, {name: column for name, column in joined.columns.items() if name != ROW})


def _length(lists: Lists, dictionary: Dictionary) -> tuple[Array, Numbers]:
    del dictionary
    return np.ones(len(lists.lengths), np.bool_), Numbers(lists.lengths)


def _sum(lists: Lists, dictionary: Dictionary) -> tuple[Array, Numbers]:
    values = numbers_of(lists.items, dictionary)
    totals = np.concatenate((np.zeros(1, values.dtype), np.cumsum(values)))
    sums = totals[lists.starts + lists.lengths] - totals[lists.starts]
    return np.ones(len(sums), np.bool_), Numbers(sums)


def _extreme(reduce: Callable[..., Array]) -> Callable[[Lists, Dictionary], tuple[Array, Numbers]]:
    def compute(lists: Lists, dictionary: Dictionary) -> tuple[Array, Numbers]:
        filled = lists.lengths > 0
        # Rows may share a list; reduceat works on the starts of non-empty ones, empty ones drop out.
        starts, first, row = np.unique(lists.starts[filled], return_index=True, return_inverse=True)
        used = Lists(starts, lists.lengths[filled][first], lists.items)
        values = numbers_of(used.flat(), dictionary)
        found = reduce(values, np.cumsum(used.lengths) - used.lengths)[row] if filled.any() else values[:0]
        return filled, Numbers(found)

    return compute


_AGGREGATES: dict[str, Callable[[Lists, Dictionary], tuple[Array, Numbers]]] = {
    "length": _length,
    "sum_list": _sum,
    "sumlist": _sum,
    "max_list": _extreme(np.maximum.reduceat),
    "min_list": _extreme(np.minimum.reduceat),
}


def _sorted(lists: Lists, dictionary: Dictionary, *, unique: bool) -> Lists:
    """Lists in some fixed order, repetitions dropped on request; the order itself is not observable."""
    lengths = lists.lengths
    rows = np.repeat(np.arange(len(lengths)), lengths)
    codes = codes_of(lists.flat(), dictionary)
    order = np.lexsort((codes, rows))
    rows, codes = rows[order], codes[order]
    if unique and len(rows):
        keep = np.concatenate(([True], (rows[1:] != rows[:-1]) | (codes[1:] != codes[:-1])))
        rows, codes = rows[keep], codes[keep]
    counts = np.bincount(rows, minlength=len(lengths))
    return Lists.in_a_row(counts, Codes(codes))


def _for_distinct(name: tuple[str, int], args: tuple[Term, ...], frame: Frame, dictionary: Dictionary) -> Frame:
    return call_for_distinct(lambda start: LIBRARY[name].solve(args, start), args, frame, dictionary)


def call_for_distinct(
    solve: Callable[[Bindings], Iterator[Bindings]], args: tuple[Term, ...], frame: Frame, dictionary: Dictionary
) -> Frame:
    """Solve once for every distinct combination of the bound variables, then join the answers.

    A combination for which there is no value, such as a name where a number belongs, has no answer.
    """
    used = list(dict.fromkeys(v.name for arg in args for v in variables(arg)))
    bound = [variable for variable in used if variable in frame.columns]
    free = [variable for variable in used if variable not in frame.columns]
    columns = [codes_of(frame.columns[variable], dictionary) for variable in bound]
    keys = np.unique(np.stack(columns), axis=1).T.tolist() if columns else [[]]
    found: list[tuple[list[int], list[Term]]] = []
    for key in keys:
        start = {variable: dictionary.term(code) for variable, code in zip(bound, key, strict=True)}
        with suppress(EvaluationError):
            for answer in solve(dict(start)):
                found.append((key, [resolve(Var(v), answer) for v in free]))
    # What a fact with a variable leaves open, nothing else in the rule asks for.
    given = [place for place in range(len(free)) if all(is_ground(values[place]) for _, values in found)]
    names = [*bound, *(free[place] for place in given)]
    rows = [[*key, *(dictionary.code(value_of(values[place])) for place in given)] for key, values in found]
    table = np.array(rows, np.int64).reshape(len(found), len(names))
    if not names:
        return frame if found else frame.take(np.empty(0, np.int64))
    answers = Frame(len(found), {variable: Codes(table[:, place]) for place, variable in enumerate(names)})
    return join(frame.with_columns({v: Codes(c) for v, c in zip(bound, columns, strict=True)}), answers, dictionary)
