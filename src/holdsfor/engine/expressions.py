"""Arithmetic and comparisons on whole columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from holdsfor.engine.dictionary import EXACT, Dictionary, value_of
from holdsfor.engine.frames import Array, Codes, Column, Frame, Lists, Numbers
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, CONSTANTS, EvaluationError
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, functor, variables


def _divide(left: Array, right: Array) -> Array:
    """Whole where both are whole and it goes up evenly, as in rules."""
    quotient = np.true_divide(left, right)
    if left.dtype.kind == "i" and right.dtype.kind == "i" and np.isfinite(quotient).all():
        whole = np.floor_divide(left, np.where(right == 0, 1, right))
        if (whole * right == left).all():
            return whole
    return quotient


def _truncated(left: Array, right: Array) -> Array:
    quotient = np.abs(left) // np.abs(right)
    return np.where((left >= 0) == (right >= 0), quotient, -quotient)


def _half_up(value: Array) -> Array:
    return _whole(np.where(value >= 0, np.floor(value + 0.5), np.ceil(value - 0.5)))


def _whole(value: Array) -> Array:
    return value.astype(np.int64) if np.isfinite(value).all() else value


_FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("+", 2): np.add,
    ("-", 2): np.subtract,
    ("*", 2): np.multiply,
    ("/", 2): _divide,
    ("//", 2): _truncated,
    ("div", 2): np.floor_divide,
    ("mod", 2): np.mod,
    ("rem", 2): np.fmod,
    ("**", 2): np.power,
    ("^", 2): np.power,
    ("min", 2): np.minimum,
    ("max", 2): np.maximum,
    ("-", 1): np.negative,
    ("+", 1): np.positive,
    ("abs", 1): np.abs,
    ("sign", 1): np.sign,
    ("floor", 1): lambda x: _whole(np.floor(x)),
    ("ceiling", 1): lambda x: _whole(np.ceil(x)),
    ("round", 1): _half_up,
    ("integer", 1): _half_up,
    ("truncate", 1): lambda x: _whole(np.trunc(x)),
    ("float", 1): lambda x: x.astype(np.float64),
    ("sqrt", 1): np.sqrt,
    ("exp", 1): np.exp,
    ("log", 1): np.log,
    ("log2", 1): np.log2,
    ("sin", 1): np.sin,
    ("cos", 1): np.cos,
    ("tan", 1): np.tan,
    ("asin", 1): np.arcsin,
    ("acos", 1): np.arccos,
    ("atan", 1): np.arctan,
    ("atan2", 2): np.arctan2,
    ("atan", 2): np.arctan2,
}
_COMPARE: dict[str, Callable[[Array, Array], Any]] = {
    "<": np.less,
    "=<": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=:=": np.equal,
    "=\\=": np.not_equal,
}
_ORDER = {"@<": "<", "@=<": "=<", "@>": ">", "@>=": ">="}
"""Comparisons in the standard order of terms, by those of numbers."""
_FEW = 1 << 11
"""Up to so many rows, the number of calls is what costs."""
_MANY = 1 << 16
"""Columns of more rows do not fit into the fastest memory."""
assert set(_COMPARE) == ARITHMETIC_COMPARISONS


def numbers_of(column: Column, dictionary: Dictionary) -> Array:
    """A column as numbers; a code that is none becomes NaN."""
    if isinstance(column, Numbers):
        return column.data
    assert isinstance(column, Codes)
    return dictionary.numbers()[column.data]


def codes_of(column: Column, dictionary: Dictionary) -> Ints:
    """A column as codes; numbers that have none get one."""
    if isinstance(column, Codes):
        return column.data
    assert isinstance(column, Numbers)
    return dictionary.encode_numbers(column.data)


Computed: TypeAlias = Callable[[Frame, Dictionary], Array]
"""An arithmetic expression, ready to be worked out over the rows of a frame."""


def evaluate(term: Term, frame: Frame, dictionary: Dictionary) -> Array:
    """An arithmetic expression over the rows of a frame. What has no value is NaN."""
    return for_rows(computed(term)(frame, dictionary), frame.rows)


def for_rows(values: Array, rows: int) -> Array:
    """A column of so many rows, of which there may be one that stands for all."""
    if values.shape == (rows,):
        return values
    # Not to write a constant out many times saves memory; to write it out a few times is faster.
    return np.full(rows, values) if rows <= _FEW else np.broadcast_to(values, rows)


def computed(term: Term) -> Computed:
    """An expression taken apart once; a constant in it stays a single number."""
    found = _computed(term)
    return _without_warnings(found) if isinstance(term, Compound) else found


def _without_warnings(inner: Computed) -> Computed:
    def work_out(frame: Frame, dictionary: Dictionary) -> Array:
        with np.errstate(all="ignore"):
            return inner(frame, dictionary)

    return work_out


def _computed(term: Term) -> Computed:
    match term:
        case Var(name=variable):
            return lambda frame, dictionary: numbers_of(frame.columns[variable], dictionary)
        case Const(value=str(word)) if word in CONSTANTS:
            return _constant(CONSTANTS[word])
        case Const(value=int() | float() as value):
            return _constant(value)
        case Compound(args=args) if functor(term) in _FUNCTIONS:
            return _function((term.name, len(args)), [_computed(arg) for arg in args])
        case _:
            return _no_number(term)


def _constant(value: float) -> Computed:
    number = np.asarray(value)
    return lambda _, __: number


def _no_number(term: Term) -> Computed:
    def fail(_: Frame, __: Dictionary) -> Array:
        raise EvaluationError(f"{print_term(term)} is not a number")

    return fail


def _function(name: tuple[str, int], args: list[Computed]) -> Computed:
    function, divides, raises = _FUNCTIONS[name], name in _WHOLE_DIVISIONS, name in _POWERS

    def work_out(frame: Frame, dictionary: Dictionary) -> Array:
        values = [arg(frame, dictionary) for arg in args]
        if divides:
            values = _no_zero_divisor(values)
        if raises and values[0].dtype.kind == "i":
            values = [values[0].astype(np.float64), values[1]]
        return np.asarray(function(*values))

    return work_out


_WHOLE_DIVISIONS = frozenset({("//", 2), ("div", 2), ("mod", 2)})
_POWERS = frozenset({("**", 2), ("^", 2)})


def _no_zero_divisor(values: list[Array]) -> list[Array]:
    """Whole-number division by zero has no value; floats have a way to say so."""
    if (values[1] == 0).any():
        return [values[0], np.where(values[1] == 0, np.nan, values[1])]
    return values


def column_of(term: Term, frame: Frame, dictionary: Dictionary) -> Column:
    """A term over the rows of a frame, as a column."""
    if isinstance(term, Var):
        return frame.columns[term.name]
    if is_ground(term):
        return Codes(for_rows(np.asarray(dictionary.code(value_of(term)), np.int64), frame.rows))
    return Codes(_built(term, frame, dictionary))


def _built(term: Term, frame: Frame, dictionary: Dictionary) -> Ints:
    """Compound terms with variables inside, built once for each distinct combination of their parts."""
    parts = term.args if isinstance(term, Compound) else term.items if isinstance(term, ListTerm) else ()
    columns = [codes_of(column_of(part, frame, dictionary), dictionary) for part in parts]
    distinct, inverse = np.unique(np.stack(columns), axis=1, return_inverse=True)
    built: list[Compound | ListTerm] = []
    for combination in distinct.T.tolist():
        args = tuple(dictionary.terms(combination))
        built.append(Compound(term.name, args) if isinstance(term, Compound) else ListTerm(args))
    return dictionary.encode(built)[inverse.reshape(-1)]


Test: TypeAlias = Callable[[Frame, Dictionary], Bools]
"""An arithmetic comparison, ready to be made in every row of a frame."""


def test(operator: str, left: Term, right: Term) -> Test:
    """An arithmetic comparison. Comparing what is no number as one is false."""
    comparison, one_side, other_side = _COMPARE[operator], computed(left), computed(right)
    names = {variable.name for side in (left, right) for variable in variables(side)}
    alone = names.pop() if len(names) == 1 else ""

    def passed(frame: Frame, dictionary: Dictionary) -> Bools:
        column = frame.columns.get(alone) if frame.rows > _MANY else None
        if isinstance(column, Codes | Numbers) and column.waiting is not None:
            values, selection = column.waiting
            if len(values) <= 2 * frame.rows:
                # The answers of a comparison are eight times as short as what is compared, and faster to put in order.
                return passed(Frame(len(values), {alone: type(column)(values)}), dictionary)[selection.rows]
        one, other = one_side(frame, dictionary), other_side(frame, dictionary)
        holds = np.asarray(comparison(one, other))
        if operator == "=\\=":
            # NaN differs from everything; all other comparisons with it are false by themselves.
            holds = holds & ~(_is_nan(one) | _is_nan(other))
        return for_rows(holds, frame.rows)

    return passed


def compare(operator: str, left: Term, right: Term, frame: Frame, dictionary: Dictionary) -> Bools:
    """Which rows satisfy a comparison."""
    if operator in _COMPARE:
        return test(operator, left, right)(frame, dictionary)
    columns = [column_of(side, frame, dictionary) for side in (left, right)]
    if any(isinstance(column, Lists) for column in columns):
        return _compare_lists(operator, columns)
    if operator in _ORDER:
        return _compare_terms(_COMPARE[_ORDER[operator]], columns, dictionary, is_order=True)
    return _compare_terms(np.equal if operator in ("=", "==") else np.not_equal, columns, dictionary, is_order=False)


def _compare_terms(
    comparison: Callable[[Array, Array], Any], columns: list[Column], dictionary: Dictionary, *, is_order: bool
) -> Bools:
    """Compare terms, by codes or in the standard order; numbers need no codes for it."""
    if is_order or any(isinstance(column, Numbers) for column in columns):
        one, other = (numbers_of(column, dictionary) for column in columns)
        if _are_comparable(one, other):
            return np.asarray(comparison(one, other))
    one, other = (codes_of(column, dictionary) for column in columns)
    if is_order:
        ranks = dictionary.ranks(one, other)
        one, other = ranks[one], ranks[other]
    return np.asarray(comparison(one, other))


def _are_comparable(*columns: Array) -> bool:
    """Whether all values are numbers, and none is so large that floats could not tell it from others."""
    if all(column.dtype.kind == "i" for column in columns):
        return True
    return all(bool((np.abs(column) < EXACT).all()) for column in columns)


def _is_nan(values: Array) -> Bools:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, np.bool_)


def _compare_lists(operator: str, columns: list[Column]) -> Bools:
    """Lists compare with the empty list only."""
    lists = next(column for column in columns if isinstance(column, Lists))
    empty = lists.lengths == 0
    return np.asarray(empty if operator in ("=", "==") else ~empty)
