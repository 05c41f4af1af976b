"""Reads metric facts from text: `P(a,b)@3`, `P(a)@[1,2)`, one fact per line."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary, Value
from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.columns.metric.facts import MOST_CELLS, Facts, FactSet, Signature
from holdsfor.columns.tables import FOREVER
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.constants import constant
from holdsfor.io.metric_rows import FactRows, ParsedFacts, Typed, odd_rows, parse
from holdsfor.io.metric_times import common_scale
from holdsfor.io.parallel import in_order
from holdsfor.io.rejects import Rejects
from holdsfor.io.sources import blocks, shown_name
from holdsfor.syntax.numbers import number_text, plain_number

_LIKE_A_NUMBER = r"^-?[0-9]"


def read_metric_facts(
    paths: Iterable[str | Path],
    dictionary: Dictionary,
    rejects: Rejects | None = None,
    wanted: Container[Signature] | None = None,
    tick: Fraction | None = None,
    unit: str = "s",
) -> FactSet:
    """Read files, in any order of facts; `-` is standard input, and gzip is unpacked.

    Times are numbers, or dates counted in the unit. They are exact: the result has as many ticks per unit as necessary.
    Lines without a valid fact go to `rejects`; with a tick, so do facts at times that are not multiples of it. If
    `wanted` is given, facts of other predicates are left out.
    """
    rejects = rejects or Rejects()
    rows = [found for parsed in _pieces(paths, rejects, wanted, tick, unit) for found in _all_rows(parsed)]
    return fact_set(rows, dictionary)


def _pieces(
    paths: Iterable[str | Path],
    rejects: Rejects,
    wanted: Container[Signature] | None,
    tick: Fraction | None,
    unit: str,
) -> Iterator[ParsedFacts]:
    for path in paths:
        line = 0
        for parsed in in_order(lambda block: parse(block, wanted, tick, unit), blocks(path)):
            moved = [table.set_column(0, "line", pc.add(table["line"], line)) for table in parsed.refused]
            rejects.add(shown_name(path), moved)
            line += parsed.lines
            yield parsed


def _all_rows(parsed: ParsedFacts) -> Iterator[FactRows]:
    yield from parsed.rows
    yield from odd_rows(parsed.odd, dated=parsed.dated)


def fact_set(rows: Sequence[FactRows], dictionary: Dictionary) -> FactSet:
    """Combines pieces of facts on one time-line, with arguments as codes."""
    scale = common_scale(piece.scale for piece in rows)
    by_signature: dict[Signature, list[FactRows]] = {}
    for piece in rows:
        by_signature.setdefault(piece.signature, []).append(piece)
    tables = {}
    for signature, pieces in by_signature.items():
        args = tuple(_codes([piece.args[place] for piece in pieces], dictionary) for place in range(signature[1]))
        start = np.concatenate([_finer(piece.start, scale // piece.scale, signature) for piece in pieces])
        end = np.concatenate([_finer(piece.end, scale // piece.scale, signature) for piece in pieces])
        tables[signature] = Facts(args, start, end)
    return FactSet(scale, tables, dated=any(piece.dated for piece in rows))


def _finer(times: Ints, factor: int, signature: Signature) -> Ints:
    """Cells of the doubled time-line on one with `factor` times the ticks."""
    if factor == 1:
        return times
    is_infinite = np.abs(times) >= FOREVER
    if np.abs(times[~is_infinite]).max(initial=0) > MOST_CELLS // factor:
        raise HoldsforError(f"the times of {signature[0]} are too far apart for ticks that are {factor} times smaller")
    return np.where(is_infinite, times, ((times >> 1) * (2 * factor)) | (times & 1))


def _codes(columns: Sequence[Any], dictionary: Dictionary) -> Ints:
    """The codes of a column in pieces; each distinct text or value of a piece is encoded once."""
    codes: list[Ints] = [EMPTY] * len(columns)
    texts = [place for place, column in enumerate(columns) if isinstance(column, pa.DictionaryArray)]
    if texts:
        unified = pa.chunked_array([columns[place] for place in texts]).unify_dictionaries()
        distinct = unified.chunk(0).dictionary
        values = distinct.to_pylist()
        for place in np.flatnonzero(pc.match_substring_regex(distinct, _LIKE_A_NUMBER)).tolist():
            values[place] = constant(values[place])
        of_values = dictionary.encode(values)
        for place, chunk in zip(texts, unified.chunks, strict=True):
            codes[place] = of_values[chunk.indices.to_numpy()]
    for place, column in enumerate(columns):
        if isinstance(column, Typed):
            codes[place] = dictionary.encode(map(_shortened, column.values))[column.indices]
    return codes[0] if len(codes) == 1 else np.concatenate(codes)


def _shortened(value: Value) -> Value:
    if not isinstance(value, float):
        return value
    return plain_number(value) if math.isfinite(value) else number_text(value)
