"""The built-in duration filters, by name. A program that defines one of these predicates itself has its own."""

from __future__ import annotations

from holdsfor.ir import DURATIONS, IntervalOperator

BUILT_IN: dict[tuple[str, int], IntervalOperator] = {(operator.value, 3): operator for operator in DURATIONS}
