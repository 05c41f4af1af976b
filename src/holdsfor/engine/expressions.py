"""Arithmetic and comparisons on whole columns.

A column of numbers is int64 where all are integers that fit, float64 where every integer among them is small enough to
be a float (NaN is no value), and Python's own numbers otherwise (None is no value). Functions work on whole columns as
long as nothing can overflow or be rounded; else rows are computed one by one, as the reference evaluator does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from holdsfor.engine.calculation import calculated, compared
from holdsfor.engine.calendar import calendar_column
from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.numbers import Array, lacks_values, no_value, packed
from holdsfor.ir import Algebra, Assign, Call, Compare, FindAll
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, CONSTANTS, FUNCTIONS, EvaluationError
from holdsfor.logic.arithmetic import evaluate as value
from holdsfor.logic.calendar import CALENDAR, field_of, scale_of
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.numbers import EXACT
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, functor, variables

_ORDER: dict[str, Callable[[Array, Array], Any]] = {
    "@<": np.less,
    "@=<": np.less_equal,
    "@>": np.greater,
    "@>=": np.greater_equal,
}
"""Comparisons in the standard order of terms."""
_FEW = 1 << 11
"""Up to so many rows, the number of calls is what costs."""
_MANY = 1 << 16
"""Columns of more rows do not fit into the fastest memory."""


LIST_AS_VALUE = "the engine cannot use a list that findall collects as a value; --engine reference can"


def numbers_of(column: Column, dictionary: Dictionary) -> Array:
    """A column as numbers; a code that stands for none has no value."""
    if isinstance(column, Numbers):
        return column.data
    assert isinstance(column, Codes)
    return dictionary.numbers(column.data)


def codes_of(column: Column, dictionary: Dictionary) -> Ints:
    """A column as codes; numbers that have none get one."""
    if isinstance(column, Codes):
        return column.data
    if isinstance(column, Lists):
        raise EvaluationError(LIST_AS_VALUE)
    return dictionary.encode_numbers(column.data)


Computed: TypeAlias = Callable[[Frame, Dictionary], Array]
"""An arithmetic expression, ready to be worked out over the rows of a frame."""


def evaluate(term: Term, frame: Frame, dictionary: Dictionary) -> Array:
    """An arithmetic expression over the rows of a frame."""
    return for_rows(computed(term)(frame, dictionary), frame.rows)


def for_rows(values: Array, rows: int) -> Array:
    """A column of so many rows, of which there may be one that stands for all."""
    if values.shape == (rows,):
        return values
    # Not to write a constant out many times saves memory; to write it out a few times is faster.
    return np.full(rows, values) if rows <= _FEW else np.broadcast_to(values, rows)


def computed(term: Term) -> Computed:
    """An expression taken apart once; a constant in it stays a single number."""
    match term:
        case Var(name=variable):
            return lambda frame, dictionary: numbers_of(frame.columns[variable], dictionary)
        case Const(value=str(word)):
            return _constant(CONSTANTS.get(word))
        case Const(value=int() | float() as value):
            return _constant(value)
        case Compound(args=args) if functor(term) in FUNCTIONS:
            return _function((term.name, len(args)), [computed(arg) for arg in args])
        case Compound() if functor(term) in CALENDAR:
            return _of_calendar(field_of(term), computed(term.args[0]), *scale_of(term))
        case _:
            return _constant(None)


def _constant(value: float | None) -> Computed:
    number = packed([value]).reshape(())
    return lambda _, __: number


def _function(name: tuple[str, int], args: list[Computed]) -> Computed:
    return lambda frame, dictionary: calculated(name, [arg(frame, dictionary) for arg in args])


def _of_calendar(field: str, time: Computed, unit: str, zone: str) -> Computed:
    return lambda frame, dictionary: calendar_column(field, time(frame, dictionary), unit, zone)


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


class Test:
    """An arithmetic comparison, taken apart once. Where one side has no value it is false."""

    __slots__ = ("_alone", "_sides", "literal")

    def __init__(self, literal: Compare) -> None:
        self.literal = literal
        self._sides = computed(literal.left), computed(literal.right)
        names = {variable.name for side in (literal.left, literal.right) for variable in variables(side)}
        self._alone = names.pop() if len(names) == 1 else ""

    def answers(self, frame: Frame, dictionary: Dictionary) -> tuple[Bools, Bools | None]:
        """Which rows satisfy it, and which do not because something has no value."""
        column = frame.columns.get(self._alone) if frame.rows > _MANY else None
        if isinstance(column, Codes | Numbers) and column.waiting is not None:
            values, selection = column.waiting
            if len(values) <= 2 * frame.rows:
                # The answers of a comparison are eight times as short as what is compared, and faster to put in order.
                whole = Frame(len(values), {self._alone: type(column)(values)})
                found, lacking = self.answers(whole, dictionary)
                return found[selection.rows], None if lacking is None else lacking[selection.rows]
        one, other = (side(frame, dictionary) for side in self._sides)
        lacking = no_value(one) | no_value(other) if lacks_values(one) or lacks_values(other) else None
        found = for_rows(compared(self.literal.operator, one, other), frame.rows)
        return found, None if lacking is None else for_rows(lacking, frame.rows)


def passed(tests: Sequence[Test], frame: Frame, dictionary: Dictionary) -> Bools:
    """The rows that satisfy some comparisons, one after the other."""
    kept: Bools | None = None
    for test in tests:
        found, lacking = test.answers(frame, dictionary)
        if lacking is not None:
            note(test.literal, frame.where(lacking if kept is None else lacking & kept), dictionary)
        kept = found if kept is None else kept & found
    assert kept is not None
    return kept


def note(literal: Compare | Assign | Call | Algebra | FindAll, rows: Frame, dictionary: Dictionary) -> None:
    """Keep in mind for which rows a condition failed because something in it has no value."""
    if not rows.rows:
        return
    columns = {
        name: codes_of(column, dictionary)
        for name, column in rows.columns.items()
        if not isinstance(column, Lists) and not name.startswith("#")
    }
    keys = zip(*(codes.tolist() for codes in columns.values()), strict=True) if columns else [()]

    def first() -> tuple[str, dict[str, Term]]:
        row = {name: dictionary.term(int(codes[0])) for name, codes in columns.items()}
        return _reason(literal, row), row

    dictionary.failures.add_rows(literal, keys, first)


def _reason(literal: Compare | Assign | Call | Algebra | FindAll, row: dict[str, Term]) -> str:
    """Why a condition has no value for a row."""
    match literal:
        case Compare(left=left, right=right):
            expressions = [left, right]
        case Assign(expression=expression):
            expressions = [expression]
        case Algebra(bound=bound):
            expressions = [] if bound is None else [bound]
        case Call() | FindAll():
            return "not all are numbers"
    try:
        for expression in expressions:
            value(expression, row)
    except EvaluationError as problem:
        return str(problem)
    return "it has no value"


def compare(literal: Compare, frame: Frame, dictionary: Dictionary) -> Bools:
    """Which rows satisfy a comparison."""
    operator = literal.operator
    if operator in ARITHMETIC_COMPARISONS:
        return passed((Test(literal),), frame, dictionary)
    columns = [column_of(side, frame, dictionary) for side in (literal.left, literal.right)]
    if any(isinstance(column, Lists) for column in columns):
        return _compare_lists(operator, columns)
    if operator in _ORDER:
        return _compare_terms(_ORDER[operator], columns, dictionary, is_order=True)
    return _compare_terms(np.equal if operator in ("=", "==") else np.not_equal, columns, dictionary, is_order=False)


def _compare_terms(
    comparison: Callable[[Array, Array], Any], columns: list[Column], dictionary: Dictionary, *, is_order: bool
) -> Bools:
    """Compare terms, by codes or in the standard order; numbers need no codes for it."""
    if is_order or any(isinstance(column, Numbers) for column in columns):
        left, right = (plain_numbers_of(column, dictionary) for column in columns)
        if left is not None and right is not None and _are_comparable(left) and _are_comparable(right):
            return np.asarray(comparison(left, right))
    one, other = (codes_of(column, dictionary) for column in columns)
    if is_order:
        ranks = dictionary.ranks(one, other)
        one, other = ranks[one], ranks[other]
    return np.asarray(comparison(one, other))


def plain_numbers_of(column: Column, dictionary: Dictionary) -> Array | None:
    """A column as numbers, if its terms are the same where its numbers are."""
    if isinstance(column, Numbers):
        return column.data
    assert isinstance(column, Codes)
    return dictionary.plain_numbers(column.data)


def _are_comparable(column: Array) -> bool:
    """Whether all values are numbers, and none is so large that floats could not tell it from others."""
    return column.dtype.kind != "O" and bool((np.abs(column) < EXACT).all())


def _compare_lists(operator: str, columns: list[Column]) -> Bools:
    """Lists compare with the empty list only."""
    lists = next(column for column in columns if isinstance(column, Lists))
    empty = lists.lengths == 0
    return np.asarray(empty if operator in ("=", "==") else ~empty)
