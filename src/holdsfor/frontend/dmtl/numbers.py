"""Parses rational numbers and intervals in metric rules and facts."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import NamedTuple, NoReturn

from holdsfor.diagnostics import RelatedSpan, Span
from holdsfor.frontend.dmtl.scanner import Scanner
from holdsfor.ir.metric import Range
from holdsfor.syntax.durations import duration_term, duration_text, is_sensible, length_of
from holdsfor.syntax.hints import unit_meant
from holdsfor.syntax.terms import Compound
from holdsfor.times import DURATION_WORDS

NUMBER = re.compile(r"[+-]?(?:\d+[ \t]*/[ \t]*\d+|(?:\d*\.\d+|\d+)(?:[eE](?P<exponent>[+-]?\d+))?)", re.ASCII)
_ANY_BOUND = re.compile(r"[^\s,()\[\]@]+(?:[ \t]*/[ \t]*\d+)?")
_INFINITE = {"inf": True, "+inf": True, "-inf": False}
_MEANT_INFINITE = {"infinity", "infty", "oo", "∞", "Inf", "INF"}
_OPENING = re.compile(r"[\[(]")
_CLOSING = re.compile(r"[\])]")
_PART = re.compile(r"(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[ \t]*([^\W\d_]+)(?!\w)")
_LONGEST_NUMBER = 60
_LARGEST_EXPONENT = 60
"""A number with a larger exponent would take too much memory."""
_ZERO = Range(Fraction(0), Fraction(0))


class Bound(NamedTuple):
    """One end of an interval: a number, or None and a direction."""

    number: Fraction | None
    upwards: bool
    span: Span
    is_readable: bool = True
    duration: Compound | None = None


class NumberParser(Scanner):
    """Parses numbers and intervals. An error is reported, and replaced by a harmless value."""

    def range(self) -> Range:
        """An interval with its brackets. Its bounds may be durations, which are converted to nanoseconds."""
        opening = self.accept(_OPENING)
        assert opening is not None
        start = opening.start()
        low = self._bound()
        high = self._bound() if self.accept_text(",") else None
        closing = self.accept(_CLOSING)
        if closing is None:
            self._fail_unclosed(start)
        span = self.span(start)
        low_open, high_open = opening.group() == "(", closing.group() == ")"
        if high is None:
            return self._punctual(low, span, low_open or high_open)
        return self._checked(low, high, low_open, high_open, span)

    def point(self) -> Range:
        """The time of a fact at a single point."""
        bound = self._bound()
        return self._punctual(bound, bound.span, is_open=False)

    def _bound(self) -> Bound:
        self.skip()
        start = self.position
        found = _ANY_BOUND.match(self.text, start)
        if found is None or found.group() == ".":
            self.fail(self.here(), f"expected a number or inf, found {self.shown()}", "write a number, or inf", "HF602")
        if (length := self._duration()) is not None:
            return length
        # A full stop after a number ends the rule.
        text = found.group().removesuffix(".")
        self.position = self.end = start + len(text)
        span = self.span(start)
        if text in _INFINITE:
            return Bound(None, _INFINITE[text], span)
        number = _fraction(text)
        if number is None:
            self.report_error(span, f"{text} is not a number", _hint_for_number(text), "HF602")
            return Bound(Fraction(0), True, span, is_readable=False)
        return Bound(number, True, span)

    def _duration(self) -> Bound | None:
        """`5 min`, or `1 h 30 min`: numbers and units alternate."""
        start = self.position
        parts: list[tuple[str, str]] = []
        while (found := _PART.match(self.text, self.position)) and found[2] in DURATION_WORDS and is_sensible(found[1]):
            parts.append((found[1], found[2]))
            self.position = self.end = found.end(2)
            self.skip()
        self.position = self.end if parts else start
        if not parts:
            return None
        term = duration_term(parts, self.span(start))
        return Bound(length_of(term), True, term.span, duration=term)

    def _fail_unclosed(self, start: int) -> NoReturn:
        label = RelatedSpan(self.span(start, start + 1), "opened here")
        message = f"expected ] or ) at the end of the interval, found {self.shown()}"
        if self.text[self.end - 1].isdigit() and (meant := unit_meant(self.next_word())):
            self.fail(self.ahead(), message, meant.hint, "HF004", label, meant.unit)
        hint = "an interval has two numbers, as in [0,2), or one, as in [3]"
        self.fail(self.here(), message, hint, "HF004", label)

    def _punctual(self, bound: Bound, span: Span, is_open: bool) -> Range:
        if bound.number is None:
            self.report_error(bound.span, "a time cannot be infinite", "write an interval such as [0,inf)", "HF602")
        elif is_open:
            shown = bound.span.text
            self.report_error(span, "an open interval around one number is empty", f"write [{shown}]", "HF602")
        else:
            return Range(bound.number, bound.number, span=span, durations=(bound.duration, bound.duration))
        return _ZERO

    def _checked(self, low: Bound, high: Bound, low_open: bool, high_open: bool, span: Span) -> Range:
        if not (low.is_readable and high.is_readable):
            return _ZERO
        if low.number is None and low.upwards:
            self._wrong(low.span, "an interval cannot start at inf", "write -inf, or a number")
        elif high.number is None and not high.upwards:
            self._wrong(high.span, "an interval cannot end at -inf", "write inf, or a number")
        elif high.number is None and not high_open:
            closed = self.span(span.end - 1, span.end)
            self._wrong(closed, "a closed end cannot be infinite", "write ) after inf")
        elif low.number is None and not low_open:
            closed = self.span(span.start, span.start + 1)
            self._wrong(closed, "a closed end cannot be infinite", "write ( before -inf")
        elif low.number is None or high.number is None or low.number < high.number or not _are_comparable(low, high):
            return Range(low.number, high.number, low_open, high_open, span, (low.duration, high.duration))
        elif low.number > high.number:
            turned = f"{'(' if high_open else '['}{high.span.text},{low.span.text}{')' if low_open else ']'}"
            self._wrong(span, f"the interval {span.text} is empty", f"the smaller number comes first: {turned}")
        elif low_open or high_open:
            self._wrong(span, f"the interval {span.text} is empty", f"write [{low.span.text}] for the single number")
        else:
            return Range(low.number, high.number, span=span, durations=(low.duration, high.duration))
        return _ZERO

    def _wrong(self, span: Span, message: str, hint: str) -> None:
        self.report_error(span, message, hint, "HF602")


def _are_comparable(low: Bound, high: Bound) -> bool:
    """Whether two bounds can be compared: a number and a duration need the time unit."""
    return (low.duration is None) == (high.duration is None) or 0 in (low.number, high.number)


def read_bound(text: str) -> Fraction | float | None:
    """The end of an interval as it stands in text: a number, an infinite float, or None if it is neither.

    >>> read_bound("0.25"), read_bound("1.1E10"), read_bound("-inf"), read_bound("x")
    (Fraction(1, 4), Fraction(11000000000, 1), -inf, None)
    """
    if text in _INFINITE:
        return math.inf if _INFINITE[text] else -math.inf
    return _fraction(text)


def _fraction(text: str) -> Fraction | None:
    """The exact number, or None."""
    found = NUMBER.fullmatch(text)
    if found is None or len(text) > _LONGEST_NUMBER or abs(int(found["exponent"] or 0)) > _LARGEST_EXPONENT:
        return None
    above, _, below = text.partition("/")
    if not below:
        return Fraction(text)
    return Fraction(int(above), int(below)) if int(below) else None


def _hint_for_number(text: str) -> str:
    if text in _MEANT_INFINITE or text.lstrip("+-") in _MEANT_INFINITE:
        return "write inf"
    if len(text) > _LONGEST_NUMBER:
        return f"numbers have at most {_LONGEST_NUMBER} digits"
    if NUMBER.fullmatch(text) and "/" not in text:
        return f"exponents lie between -{_LARGEST_EXPONENT} and {_LARGEST_EXPONENT}"
    if text[0].isalpha():
        return "the bounds of an interval are numbers, not variables"
    return "numbers are written 3, 0.25, 1/3 or 1.5e3"


def number_text(number: Fraction) -> str:
    """A rational number, exactly: whole, with a decimal point if that ends, or as a fraction.

    >>> [number_text(Fraction(text)) for text in ("3", "-0.25", "1/3", "7/1000")]
    ['3', '-0.25', '1/3', '0.007']
    """
    below = number.denominator
    if below == 1:
        return str(number.numerator)
    twos = fives = 0
    while below % 2 == 0:
        below, twos = below // 2, twos + 1
    while below % 5 == 0:
        below, fives = below // 5, fives + 1
    if below != 1:
        return str(number)
    digits = max(twos, fives)
    scaled = str(abs(number.numerator) * 10**digits // number.denominator).rjust(digits + 1, "0")
    return f"{'-' * (number < 0)}{scaled[:-digits]}.{scaled[-digits:]}"


def range_text(found: Range) -> str:
    """An interval in the syntax of rules: `[3]` for a single number."""
    if found.is_punctual and found.low is not None:
        return f"[{_bound_text(found.low, found.durations[0])}]"
    low, high = (_bound_text(*bound) for bound in zip((found.low, found.high), found.durations, strict=True))
    left = "(" if found.low is None or found.low_open else "["
    right = ")" if found.high is None or found.high_open else "]"
    return f"{left}{'-' * (found.low is None)}{low},{high}{right}"


def _bound_text(number: Fraction | None, duration: Compound | None) -> str:
    if number is None:
        return "inf"
    return number_text(number) if duration is None else duration_text(duration)
