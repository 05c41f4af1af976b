"""Reads exact rational times from columns of text and numbers: whole ticks, and the number of ticks per unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints, mask_of
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import number_text, read_bound

_DECIMAL = r"^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$"
_WHOLE = b"-0123456789"
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class TickColumn:
    """Times in ticks of `1 / scale`, with infinite ones as `±FOREVER`, and a mask of invalid ones."""

    values: Ints
    scale: int
    wrong: Bools
    dated: bool = False
    """Whether timestamps or dates are among them."""

    def at(self, scale: int) -> Ints:
        """The times on a finer time-line."""
        factor = scale // self.scale
        if factor == 1:
            return self.values
        return np.where(np.abs(self.values) >= FOREVER, self.values, self.values * factor)

    def fits(self, scale: int) -> Bools:
        """Which times are within the range of a finer time-line."""
        furthest = FURTHEST // (scale // self.scale)
        fine: Bools = (np.abs(self.values) <= furthest) | (np.abs(self.values) >= FOREVER)
        return fine


def on_tick(cells: Ints, scale: int, tick: Fraction) -> Bools:
    """Which interval ends, as cells, are infinite or multiples of a tick."""
    # In whole numbers: cells / 2 / scale is a multiple of numerator / denominator.
    every = scale * tick.numerator
    every //= gcd(every, tick.denominator)
    fits: Bools = (np.abs(cells) >= FOREVER) | ((cells >> 1) % min(every, int(FOREVER)) == 0)
    return fits


def off_tick(tick: Fraction) -> str:
    """The problem with a time that is not a multiple of a tick."""
    return f"not a multiple of the tick {number_text(tick)}"


def text_ticks(column: Any) -> TickColumn:
    """Times from a column of text: whole numbers, decimals, fractions and `inf`. Each distinct text is parsed once."""
    whole = _whole(column)
    if whole is not None:
        return whole
    encoded = column.dictionary_encode()
    distinct = _distinct(encoded.dictionary)
    places = encoded.indices.to_numpy()
    return TickColumn(distinct.values[places], distinct.scale, distinct.wrong[places])


def rational_ticks(numbers: list[Fraction | None]) -> TickColumn:
    """Times from exact numbers; None is no time."""
    scale = common_scale(number.denominator for number in numbers if number is not None)
    fits = [number is not None and abs(number) * scale <= FURTHEST for number in numbers]
    values = [int(number * scale) if fit and number else 0 for number, fit in zip(numbers, fits, strict=True)]
    return TickColumn(np.array(values, np.int64), scale, ~np.array(fits, np.bool_))


def common_scale(scales: Iterable[int]) -> int:
    """The ticks per unit of a common time-line."""
    found = 1
    for scale in scales:
        found = lcm(found, scale)
        if found > FURTHEST:
            raise HoldsforError(f"no tick is fine enough for all times: 1/{found} of a unit leaves 64 bits")
    return found


def _whole(column: Any) -> TickColumn | None:
    """Times that are all whole numbers, judged by the characters in them; None if they are not."""
    buffer = column.buffers()[2]
    if buffer is None or not buffer.size:
        return None
    characters = np.frombuffer(buffer, np.uint8)
    if characters.max() > ord("9") or (characters.min() < ord("0") and buffer.to_pybytes().translate(None, _WHOLE)):
        return None
    try:
        values = column.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return TickColumn(values, 1, np.abs(values) > FURTHEST)


def _distinct(texts: Any) -> TickColumn:
    is_decimal = mask_of(pc.match_substring_regex(texts, _DECIMAL))
    decimals = _decimals(pc.if_else(pa.array(is_decimal), texts, "0"))
    rest = np.flatnonzero(~is_decimal | decimals.wrong)
    if not len(rest):
        return decimals
    others = [read_bound(text) for text in texts.take(pa.array(rest)).to_pylist()]
    exact = rational_ticks([other if isinstance(other, Fraction) else None for other in others])
    scale = common_scale((decimals.scale, exact.scale))
    fits = decimals.fits(scale)
    values, wrong = np.where(fits, decimals.at(scale), 0), ~fits
    fits = exact.fits(scale) & ~exact.wrong
    values[rest], wrong[rest] = np.where(fits, exact.at(scale), 0), ~fits
    for place, other in zip(rest.tolist(), others, strict=True):
        if isinstance(other, float):
            values[place], wrong[place] = int(FOREVER) if other > 0 else -int(FOREVER), False
    return TickColumn(values, scale, wrong)


def _decimals(texts: Any) -> TickColumn:
    """Times from text known to be whole numbers or decimals; too many digits are handled elsewhere."""
    point = pc.find_substring(texts, ".").to_numpy()
    lengths = pc.binary_length(texts).to_numpy()
    after = np.where(point < 0, 0, lengths - point - 1).astype(np.int64)
    too_long = lengths - after + after.max(initial=0) > _MOST_DIGITS
    places = int(after[~too_long].max(initial=0))
    digits = pc.if_else(pa.array(too_long), "0", pc.replace_substring(texts, ".", ""))
    values = digits.cast(pa.int64()).to_numpy() * 10 ** np.where(too_long, 0, places - after)
    # Ticks are as long as possible: 0.50 is one half, not 50 hundredths.
    shared = int(np.gcd.reduce(np.append(values, 10**places)))
    return TickColumn(values // shared, 10**places // shared, too_long)
