"""Look-back and retention of interval operators, with one file per family; the core evaluates them."""

from holdsfor.ir import IntervalOperator
from holdsfor.physical.operators import allen, durations, metric, pointwise, sequence
from holdsfor.physical.operators.base import Dependence, Nearby, Operator, added

__all__ = ["OPERATORS", "Dependence", "Nearby", "Operator", "added"]

OPERATORS: dict[str, Operator] = {
    IntervalOperator.UNION: pointwise.UNION,
    IntervalOperator.INTERSECTION: pointwise.INTERSECTION,
    IntervalOperator.RELATIVE_COMPLEMENT: pointwise.RELATIVE_COMPLEMENT,
    IntervalOperator.COMPLEMENT: pointwise.COMPLEMENT,
    IntervalOperator.SEQUENCE: sequence.SEQUENCE,
    IntervalOperator.ALLEN: allen.ALLEN,
    IntervalOperator.LONGER: durations.LONGER,
    IntervalOperator.SHORTER: durations.SHORTER,
    IntervalOperator.AT_LEAST: durations.AT_LEAST,
    IntervalOperator.AT_MOST: durations.AT_MOST,
    IntervalOperator.DIAMOND_MINUS: metric.DIAMOND_MINUS,
    IntervalOperator.BOX_MINUS: metric.BOX_MINUS,
    IntervalOperator.DIAMOND_PLUS: metric.DIAMOND_PLUS,
    IntervalOperator.BOX_PLUS: metric.BOX_PLUS,
    IntervalOperator.SINCE: metric.SINCE,
    IntervalOperator.UNTIL: metric.UNTIL,
}
