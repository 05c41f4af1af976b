"""Python warnings about rows of facts that could not be used."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from fractions import Fraction

from holdsfor.columns.metric.facts import Signature
from holdsfor.columns.metric.timeline import cells, point_of
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.ir.metric import Range
from holdsfor.metric.inputs import MetricReading
from holdsfor.result_tables import counted

_MOST_NAMED = 5


def warn_of_unread(
    reading: MetricReading, known: Collection[Signature], *, is_empty: bool, stacklevel: int = 3
) -> None:
    """Warn of rows that were skipped and, if the facts gave no result, of a possible reason."""
    for sentence in unread(reading, known, is_empty=is_empty):
        warnings.warn(sentence, stacklevel=stacklevel)


def warn_of_other_times(reading: MetricReading, start: Fraction | None, end: Fraction | None) -> None:
    """Warn if all facts lie outside the requested time; they gave no result."""
    bounds = [table.bounds for table in reading.facts.tables.values() if table.rows]
    if not bounds:
        return
    first, last = min(low for low, _ in bounds), max(high for _, high in bounds)
    low, high = cells(Range(start, end), reading.facts.scale)
    if last <= low or first >= high:
        known = (number_text(point_of(cell, reading.facts.scale)) for cell in (first, last))
        warnings.warn(f"all facts lie outside the requested time: from {' to '.join(known)}", stacklevel=3)


def is_of_no_use(reading: MetricReading) -> bool:
    """Whether there are facts, and no rule reads any of them."""
    return 0 < reading.rows <= sum(reading.unknown.values())


def unread(reading: MetricReading, known: Collection[Signature], *, is_empty: bool) -> Iterator[str]:
    """The texts of these warnings."""
    rejects = reading.rejects
    if rejects.count:
        yield f"{counted(rejects.count, 'malformed row')} skipped, first {rejects.first[0]}"
    if not is_empty:
        return
    if reading.unknown:
        yield f"no rule knows {_named(reading.unknown, known)}"
    elif not reading.rows and not rejects.count:
        yield "there are no facts"


def _named(unknown: dict[str, int], known: Collection[Signature]) -> str:
    """Names with the numbers of their facts, and similar names of the rules."""
    names = sorted({name for name, _ in known})
    most = sorted(unknown.items(), key=lambda item: -item[1])
    shown = []
    for name, count in most[:_MOST_NAMED]:
        close = suggest(name.partition("/")[0], names)
        shown.append(f"{name} ({counted(count, 'fact')}{f'; did you mean {close}?' if close else ''})")
    return ", ".join(shown) + (", …" if len(most) > _MOST_NAMED else "")
