"""Parses the distance of a metric operator: `[A,B]`, in time-points."""

from __future__ import annotations

from holdsfor.frontend.rtec.problems import MalformedClause, Problems
from holdsfor.ir import AHEAD, Distance, IntervalOperator
from holdsfor.syntax.durations import durations_in, is_duration, length_of
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, functor

_MIRRORED = {
    IntervalOperator.DIAMOND_MINUS: IntervalOperator.DIAMOND_PLUS,
    IntervalOperator.BOX_MINUS: IntervalOperator.BOX_PLUS,
    IntervalOperator.SINCE: IntervalOperator.UNTIL,
}
_MIRRORED |= {ahead: back for back, ahead in _MIRRORED.items()}


def read_distance(term: Term, operator: IntervalOperator, problems: Problems) -> Distance | None:
    """The distance of an operator, or an error; None if it contains durations."""
    reader = _Reader(operator, problems)
    if not isinstance(term, ListTerm) or term.tail is not None or len(term.items) != 2:
        raise reader.error(
            "HF680",
            f"expected the distances of {operator.value}, found {print_term(term)}",
            term,
            "write [A,B], such as [0,10], or [0,inf] for no limit",
        )
    low, high = reader.number(term.items[0]), reader.number(term.items[1])
    if low is None:
        raise reader.error(
            "HF682", "the nearer distance cannot be inf", term.items[0], "write a number first, such as [0,inf]"
        )
    if durations_in(term):
        return None
    if high is not None and high < low:
        raise reader.error("HF682", f"the range [{low},{high}] is empty", term, f"write [{high},{low}]")
    return Distance(low, high)


class _Reader:
    def __init__(self, operator: IntervalOperator, problems: Problems) -> None:
        self._operator, self._problems = operator, problems

    def error(self, code: str, message: str, term: Term, hint: str) -> MalformedClause:
        """Records an error at a term."""
        return self._problems.error(code, message, term.span, hint)

    def number(self, term: Term) -> int | None:
        """A whole number of time-points; None is `inf`. A duration is only checked to be non-negative."""
        if term == Const("inf"):
            return None
        if isinstance(term, Compound) and is_duration(term) and length_of(term) >= 0:
            return 0
        negative = isinstance(term, Compound) and (is_duration(term) or functor(term) == ("-", 1))
        value = term.value if isinstance(term, Const) else None
        if isinstance(value, int) and value >= 0:
            return value
        shown = print_term(term)
        if negative or (isinstance(value, int | float) and value < 0):
            mirrored = _MIRRORED[self._operator].value
            way = "back" if self._operator in AHEAD else "ahead"
            raise self.error(
                "HF681", f"a distance is 0 or more, not {shown}", term, f"{mirrored} looks {way} from where it stands"
            )
        if isinstance(value, int | float):
            hint = "time-points are whole numbers: round it, or use a finer time unit"
        elif isinstance(value, str):
            hint = "write a number, or inf for no limit"
        else:
            hint = "write the number itself: how much of the past is kept depends on it"
        raise self.error("HF681", f"{shown} is not a whole number of time-points", term, hint)
