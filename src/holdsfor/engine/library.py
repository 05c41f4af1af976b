"""Library predicates over columns: list aggregates as group-bys, the rest once for each distinct combination."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.expressions import LIST_AS_VALUE, codes_of, column_of, note
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers
from holdsfor.engine.numbers import no_value
from holdsfor.engine.relations import equal, join, relation
from holdsfor.engine.totals import AGGREGATES, aggregated
from holdsfor.ir import Call
from holdsfor.logic.arithmetic import EvaluationError, NoValue
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.syntax.terms import Term, Var, arguments, functor, variables

ROW = "#row"


def call_library(literal: Call, frame: Frame, dictionary: Dictionary) -> Frame:
    """Call a library predicate for every row of a frame."""
    name, args = functor(literal.atom), arguments(literal.atom)
    assert name is not None
    lists = _list_argument(name, args, frame)
    if lists is None:
        return call_for_distinct(lambda start: LIBRARY[name].solve(args, start), literal, frame, dictionary)
    if name[0] in ("member", "memberchk"):
        return _member(args[0], lists, frame, dictionary)
    if name[0] == "length":
        return _bind(args[1], Numbers(lists.lengths), frame, dictionary)
    if name[0] in AGGREGATES:
        values, is_empty = aggregated(name[0], lists, dictionary)
        lacking = no_value(values)
        if lacking.any():
            note(literal, frame.where(lacking & ~is_empty), dictionary)
            frame, values = frame.where(~lacking), values[~lacking]
        return _bind(args[1], Numbers(values), frame, dictionary)
    if name[0] in ("sort", "list_to_set", "msort"):
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
    if isinstance(column, Lists):
        raise EvaluationError(LIST_AS_VALUE)
    return frame.where(equal(column_of(target, frame, dictionary), column, dictionary))


def _member(target: Term, lists: Lists, frame: Frame, dictionary: Dictionary) -> Frame:
    rows = np.repeat(np.arange(frame.rows), lists.lengths)
    items = lists.flat()
    numbered = frame.with_columns({ROW: Numbers(np.arange(frame.rows))})
    answers = relation((Var(ROW), target), (Numbers(rows), items), len(rows), dictionary)
    joined = join(numbered, answers, dictionary)
    return Frame(joined.rows, {name: column for name, column in joined.columns.items() if name != ROW})


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


def call_for_distinct(
    solve: Callable[[Bindings], Iterator[Bindings]], literal: Call, frame: Frame, dictionary: Dictionary
) -> Frame:
    """Solve once for every distinct combination of the bound variables, then join the answers.

    A combination for which there is no value, such as a name where a number belongs, has no answer.
    """
    used = list(dict.fromkeys(v.name for arg in arguments(literal.atom) for v in variables(arg)))
    bound = [variable for variable in used if variable in frame.columns]
    free = [variable for variable in used if variable not in frame.columns]
    columns = [codes_of(frame.columns[variable], dictionary) for variable in bound]
    keys = np.unique(np.stack(columns), axis=1).T.tolist() if columns else [[]]
    found: list[tuple[list[int], list[Term]]] = []
    for key in keys:
        start = {variable: dictionary.term(code) for variable, code in zip(bound, key, strict=True)}
        try:
            for answer in solve(dict(start)):
                found.append((key, [resolve(Var(v), answer) for v in free]))
        except NoValue as problem:
            dictionary.failures.add(literal, str(problem), start)
    # What a fact with a variable leaves open, nothing else in the rule asks for.
    given = [place for place in range(len(free)) if all(is_ground(values[place]) for _, values in found)]
    names = [*bound, *(free[place] for place in given)]
    rows = [[*key, *(dictionary.code(value_of(values[place])) for place in given)] for key, values in found]
    table = np.array(rows, np.int64).reshape(len(found), len(names))
    if not names:
        return frame if found else frame.take(np.empty(0, np.int64))
    answers = Frame(len(found), {variable: Codes(table[:, place]) for place, variable in enumerate(names)})
    asked = Frame(frame.rows, {v: Codes(c) for v, c in zip(bound, columns, strict=True)})
    joined = join(asked.with_columns({ROW: Numbers(np.arange(frame.rows))}), answers, dictionary)
    # Columns of numbers stay such: the time-points of a rule are among them.
    return frame.take(joined.ints(ROW)).with_columns({free[place]: joined.columns[free[place]] for place in given})
