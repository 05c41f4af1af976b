"""Durations in rule text: `30 min`, `1.5 h`, `1 h 30 min`.

Their number of time-points depends on the time unit of the program, so they stay as written until it is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.syntax.terms import DURATION, Compound, Const, ListTerm, Term
from holdsfor.times import DURATION_WORDS, UNITS, exact_length

_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([^\W\d_]+)\s*")
_WHOLE = re.compile(rf"(-?)\s*((?:{_PART.pattern})+)")
_SENSIBLE = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?\Z")
"""The limit of digits, against numbers that exhaust the memory."""


def duration_term(parts: Sequence[tuple[str, str]], span: Span = NOWHERE) -> Compound:
    """A duration from its numbers and words; a minus sign before the first number is one before all of it.

    >>> duration_text(duration_term([("1", "h"), ("30", "min")]))
    '1 h 30 min'
    """
    return Compound(DURATION, tuple(Const(text) for part in parts for text in part), span)


def read_duration(text: str) -> Compound | None:
    """The duration in a text; None if it is not a duration.

    >>> [one and duration_text(one) for one in map(read_duration, ("30 min", "-1h30min", "soon", "30"))]
    ['30 min', '-1 h 30 min', None, None]
    """
    found = _WHOLE.fullmatch(text.strip())
    if found is None:
        return None
    parts = _PART.findall(found[2])
    if any(word not in DURATION_WORDS or not is_sensible(number) for number, word in parts):
        return None
    return duration_term([(found[1] + parts[0][0], parts[0][1]), *parts[1:]])


def duration_of(length: int) -> Compound:
    """A number of nanoseconds as a duration in the largest units.

    >>> duration_text(duration_of(5_400 * 10**9)), duration_text(duration_of(-1)), duration_text(duration_of(0))
    ('1 h 30 min', '-1 ns', '0 s')
    """
    rest, parts = abs(length), []
    for unit in ("d", "h", "min", "s", "ms", "us", "ns"):
        count, rest = divmod(rest, UNITS[unit])
        if count:
            parts.append((str(count), unit))
    found = duration_term(parts or [("0", "s")])
    return negated(found) if length < 0 else found


def is_sensible(number: str) -> bool:
    """Whether a number is short enough for exact computations.

    >>> is_sensible("1.5"), is_sensible("1e999999")
    (True, False)
    """
    return _SENSIBLE.match(number) is not None


def is_duration(term: Term) -> bool:
    """Whether a term is a duration."""
    return isinstance(term, Compound) and term.name == DURATION


def duration_text(term: Compound) -> str:
    """A duration as it is written."""
    return " ".join(_texts(term))


def length_of(term: Compound) -> Fraction:
    """The nanoseconds of a duration.

    >>> length_of(duration_term([("-1", "h"), ("30", "min")])) / 10**9
    Fraction(-5400, 1)
    """
    first, *others = _texts(term)
    texts = (first.removeprefix("-"), *others)
    length = sum(map(exact_length, texts[::2], texts[1::2]), Fraction())
    return -length if first.startswith("-") else length


def negated(term: Compound) -> Compound:
    """The same duration with the other sign.

    >>> duration_text(negated(duration_term([("-5", "min")])))
    '5 min'
    """
    first, *others = _texts(term)
    texts = (first.removeprefix("-") if first.startswith("-") else f"-{first}", *others)
    return replace(term, args=tuple(map(Const, texts)))


def _texts(term: Compound) -> list[str]:
    return [str(arg.value) for arg in term.args if isinstance(arg, Const)]


def as_written(term: Term) -> Term:
    """A term with durations in place of the numbers that were written as durations."""
    match term:
        case Const(value=int(), span=span) if span.source.text and not span.text.isdigit():
            return read_duration(span.text) or term
        case Compound(name=name, args=args) if name != DURATION:
            return replace(term, args=tuple(map(as_written, args)))
        case ListTerm(items=items, tail=tail):
            rest = None if tail is None else as_written(tail)
            return replace(term, items=tuple(map(as_written, items)), tail=rest)
        case _:
            return term


def durations_in(term: Term) -> list[Compound]:
    """The durations inside a term, in reading order."""
    if isinstance(term, Compound):
        if term.name == DURATION:
            return [term]
        # Most arguments of the many facts that there may be are constants.
        return [one for arg in term.args if not isinstance(arg, Const) for one in durations_in(arg)]
    if isinstance(term, ListTerm):
        tail = [] if term.tail is None else durations_in(term.tail)
        return [one for item in term.items for one in durations_in(item)] + tail
    return []


def with_durations(term: Term, change: Callable[[Compound], Term]) -> Term:
    """A term with each duration replaced."""
    match term:
        case Compound(name=name, args=args):
            if name == DURATION:
                return change(term)
            return replace(term, args=tuple(with_durations(arg, change) for arg in args))
        case ListTerm(items=items, tail=tail):
            rest = None if tail is None else with_durations(tail, change)
            return replace(term, items=tuple(with_durations(item, change) for item in items), tail=rest)
        case _:
            return term
