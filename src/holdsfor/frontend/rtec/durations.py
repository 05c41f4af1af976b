"""Names of the built-in duration filters, which a program may define itself instead."""

from __future__ import annotations

from holdsfor.ir import DURATIONS, IntervalOperator

BUILT_IN: dict[tuple[str, int], IntervalOperator] = {(operator.value, 3): operator for operator in DURATIONS}
