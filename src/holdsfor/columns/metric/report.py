"""Facts as ordered tables: `predicate, args, start, start_closed, end, end_closed`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.metric.facts import Facts, FactSet
from holdsfor.columns.tables import FOREVER
from holdsfor.frontend.dmtl.constants import argument_text
from holdsfor.frontend.dmtl.numbers import number_text

_CLOSED = [pa.field("start_closed", pa.bool_(), nullable=False), pa.field("end_closed", pa.bool_(), nullable=False)]


def _schema(time: pa.DataType) -> pa.Schema:
    return pa.schema(
        [
            pa.field("predicate", pa.string(), nullable=False),
            pa.field("args", pa.string(), nullable=False),
            pa.field("start", time),
            _CLOSED[0],
            pa.field("end", time),
            _CLOSED[1],
        ]
    )


EXACT = _schema(pa.string())
"""Times as text: integers, finite decimals, or fractions. A null start or end is infinite."""
ROUNDED = _schema(pa.float64())
"""Times as floating-point numbers."""


class Row(NamedTuple):
    """A fact that holds over an interval; a start or end of None is infinite."""

    predicate: str
    args: tuple[str | int | float, ...]
    start: Fraction | None
    start_closed: bool
    end: Fraction | None
    end_closed: bool


def exact_table(facts: FactSet, dictionary: Dictionary) -> pa.Table:
    """Facts with exact times."""
    return fact_table(facts, dictionary, pa.string(), exact_times)


def rounded_table(facts: FactSet, dictionary: Dictionary) -> pa.Table:
    """Facts with floating-point times."""
    return fact_table(facts, dictionary, pa.float64(), rounded_times)


def rows(facts: FactSet, dictionary: Dictionary) -> Iterator[Row]:
    """Facts one by one, in the order of the tables."""
    for (name, _), table in sorted(facts.tables.items()):
        ordered, _ = _ordered(table, dictionary)
        values = [[dictionary.values[code] for code in column.tolist()] for column in ordered.args]
        args = zip(*values, strict=True) if values else iter([()] * ordered.rows)
        for arguments, start, end in zip(args, ordered.start.tolist(), ordered.end.tolist(), strict=True):
            low = None if start <= -FOREVER else Fraction(start >> 1, facts.scale)
            high = None if end >= FOREVER else Fraction(end >> 1, facts.scale)
            yield Row(name, arguments, low, low is not None and start % 2 == 0, high, high is not None and end % 2 == 1)


def fact_table(
    facts: FactSet, dictionary: Dictionary, kind: pa.DataType, times: Callable[[Ints, Bools, int], Any]
) -> pa.Table:
    """Facts with `times` of a type, computed from ticks, a mask of infinite times, and the ticks per unit."""
    schema = _schema(kind)
    tables = [schema.empty_table()]
    for (name, _), table in sorted(facts.tables.items()):
        if not table.rows:
            continue
        found, args = _ordered(table, dictionary)
        is_first, is_last = found.start <= -FOREVER, found.end >= FOREVER
        columns = [
            pa.array([name], pa.string()).take(pa.array(np.zeros(found.rows, np.int64))),
            args,
            times(found.start >> 1, is_first, facts.scale),
            pa.array(~is_first & (found.start % 2 == 0)),
            times(found.end >> 1, is_last, facts.scale),
            # A half-open interval of cells that ends with the gap after a point includes the point.
            pa.array(~is_last & (found.end % 2 == 1)),
        ]
        tables.append(pa.table(columns, schema=schema))
    return pa.concat_tables(tables)


def _ordered(facts: Facts, dictionary: Dictionary) -> tuple[Facts, Any]:
    """Facts ordered by the text of their arguments and by start, with that text."""
    if not facts.rows:
        return facts, pa.array([], pa.string())
    if not facts.args:
        order = np.argsort(facts.start, kind="stable")
        return facts.take(order), pa.array([""], pa.string()).take(pa.array(np.zeros(facts.rows, np.int64)))
    # Rows with the same arguments are mostly adjacent, so that a small number of texts must be created and compared.
    begins = np.zeros(facts.rows, np.bool_)
    begins[0] = True
    for column in facts.args:
        begins[1:] |= column[1:] != column[:-1]
    group = np.cumsum(begins) - 1
    heads = np.flatnonzero(begins)
    columns = [arguments(column[heads], dictionary) for column in facts.args]
    texts = pc.binary_join_element_wise(*columns, "|")
    rank = pc.rank(texts, sort_keys="ascending", tiebreaker="dense").to_numpy().astype(np.int64)[group]
    order = np.lexsort((facts.start, rank))
    return facts.take(order), texts.take(pa.array(group[order]))


def arguments(codes: Ints, dictionary: Dictionary) -> Any:
    """A column of constants as text that is unique per constant."""
    return _texts_of(codes, dictionary, argument_text)


def plain_arguments(codes: Ints, dictionary: Dictionary) -> Any:
    """A column of constants as plain text without quotes."""
    return _texts_of(codes, dictionary, str)


def _texts_of(codes: Ints, dictionary: Dictionary, shown: Callable[[Any], str]) -> Any:
    distinct, inverse = np.unique(codes, return_inverse=True)
    texts = [shown(dictionary.values[code]) for code in distinct.tolist()]
    return pa.array(texts, pa.string()).take(pa.array(inverse))


def rounded_times(ticks: Ints, infinite: Bools, scale: int) -> Any:
    """Times as floating-point numbers; null where they are infinite."""
    return pa.array(ticks / scale, mask=infinite)


def exact_times(ticks: Ints, infinite: Bools, scale: int) -> Any:
    """Exact times as text; `inf` and `-inf` for infinite ones."""
    digits = _decimal_places(scale)
    if scale == 1:
        return pc.cast(pa.array(ticks, mask=infinite), pa.string())
    ticks = np.where(infinite, 0, ticks)
    factor = 0 if digits is None else 10**digits // scale
    if digits is None or int(np.abs(ticks).max(initial=0)) > (1 << 62) // factor:
        distinct, inverse = np.unique(ticks, return_inverse=True)
        texts = pa.array([number_text(Fraction(tick, scale)) for tick in distinct.tolist()], pa.string())
        return texts.take(pa.array(inverse, mask=infinite))
    whole, rest = np.divmod(np.abs(ticks) * factor, 10**digits)
    decimals = pc.utf8_lpad(pc.cast(pa.array(rest), pa.string()), digits, "0")
    sign = pc.if_else(pa.array(ticks < 0), "-", "")
    joined = pc.binary_join_element_wise(sign, pc.cast(pa.array(whole), pa.string()), ".", decimals, "")
    shown = pc.utf8_rtrim(pc.utf8_rtrim(joined, "0"), ".")
    return pc.if_else(pa.array(infinite), pa.scalar(None, pa.string()), shown)


def _decimal_places(scale: int) -> int | None:
    """The number of decimal places for all ticks; None if some have infinite decimal expansions."""
    digits = 0
    while digits < 18 and 10**digits % scale:
        digits += 1
    return digits if 10**digits % scale == 0 else None
