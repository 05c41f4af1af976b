"""Pieces of an input fluent as columns of integers, and back."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from holdsfor.engine.kernels import Ints
from holdsfor.engine.state import Reports

_CUT, _POINT = 1, 2
"""Flags of reports: their beginning was cut off; they are single points."""


def report_columns(reports: Reports) -> tuple[Ints, ...]:
    """Arguments, value, start, end and flags."""
    flags = _CUT * reports.is_cut + _POINT * reports.is_point
    return (*reports.args, reports.value, reports.start, reports.end, flags)


def reports_of(columns: Iterable[Ints]) -> Reports:
    """The pieces that such columns say."""
    *args, value, start, end, flags = columns
    return Reports(tuple(args), value, start, end, (flags & _CUT).astype(np.bool_), (flags & _POINT).astype(np.bool_))
