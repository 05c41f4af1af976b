"""The notation of events and intervals in tests.

Events, one to a line: `10 comes(ann, kitchen)`, `10 comes(ann, kitchen) arrives 45`, and for input fluents
`[10,20) near(ann, bob)` or `[10,20) light(hall)=dim`. What is expected: `inRoom(ann, kitchen)=true [21,41) [50,inf)`,
`occupied(kitchen) never`, and for derived events `arrival(tern) at 31 40`. `%` begins a comment. Where the rules declare
what one time-point is, times may be written as `2026-03-01T12:00Z`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, arguments, functor, variables
from holdsfor.times import TimeScale, shown_time, time_point

Span: TypeAlias = tuple[float, float]
"""A start and an exclusive end; infinite if missing."""

_DATE = r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_TIME = rf"(?:{_DATE}|-?\d+)"
_SPAN = rf"\[\s*({_TIME}|-inf)\s*,\s*({_TIME}|inf)\s*\)"
_OCCURS = re.compile(
    rf"^(?:(?P<time>{_TIME})|(?P<span>{_SPAN}))\s+(?P<what>.+?)(?:\s+arrives\s+(?P<arrival>{_TIME}))?$"
)
_EXPECTED = re.compile(rf"^(?P<what>.+?)\s+(?:(?P<spans>{_SPAN}(?:\s*{_SPAN})*)|at(?P<times>(?:\s+{_TIME})+)|never)$")


class BlockLine(NamedTuple):
    """A line of a block, and its position."""

    text: str
    place: str


class Expectation(NamedTuple):
    """The expectation of a line: something holds or happens at exactly these times. Its fields are texts."""

    what: str
    times: tuple[str, ...]
    place: str

    @property
    def name(self) -> str:
        """The name of the fluent, event or predicate."""
        return name_of(self.what)


Found: TypeAlias = dict[str, list[str]]
"""The times of each situation or event that an engine finds, as texts."""


def name_of(what: str) -> str:
    """The name in front of arguments and value.

    >>> name_of("inRoom(ann,kitchen)=true"), name_of("light=on")
    ('inRoom', 'light')
    """
    return re.split(r"[(=]", what, maxsplit=1)[0]


def lines_of(text: str, name: str, first: int = 1) -> list[BlockLine]:
    """The lines of a text without comments and empty lines."""
    stripped = [re.sub(r"(^|\s)%.*$", "", line).strip() for line in text.splitlines()]
    return [BlockLine(line, f"{name}:{number}") for number, line in enumerate(stripped, first) if line]


def events(text: str, name: str = "<events>", *, unit: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """Events and input fluents as tables by name, the input of `recognise` and sessions.

    With a `unit`, times may be written in ISO 8601.

    >>> events("10 comes(ann, kitchen)")
    {'comes': [{'time': 10, 'arg1': 'ann', 'arg2': 'kitchen'}]}
    >>> events("1970-01-01T00:01Z comes(ann)", unit="s")
    {'comes': [{'time': 60, 'arg1': 'ann'}]}
    """
    return event_tables(lines_of(text, name), unit)


def event_tables(lines: Iterable[BlockLine], unit: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """The same for lines with positions."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        found = _OCCURS.match(line.text)
        if found is None:
            raise HoldsforError(
                f"{line.place}: {line.text!r} is not an event; write `10 comes(ann)`, or `[10,20) near(ann,bob)=true` for "
                "an input fluent"
            )
        name, row = _row(found, line, unit)
        tables.setdefault(name, []).append(row)
    return {name: _with_arrivals(rows) for name, rows in tables.items()}


def _with_arrivals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with an arrival, if some have one: the others arrive at their own time."""
    if not any("arrival" in row for row in rows):
        return rows
    return [{"arrival": row["time"] if "time" in row else row["start"], **row} for row in rows]


def _row(found: re.Match[str], line: BlockLine, unit: str | None) -> tuple[str, dict[str, Any]]:
    what, value = _pair(found["what"], line)
    signature = functor(what)
    if signature is None:
        raise HoldsforError(f"{line.place}: {found['what']!r} has no name")
    row: dict[str, Any] = {}
    if found["time"] is not None:
        time = _point(found["time"], line, unit)
        row = {"time": time} if value is None else {"start": time, "end": time + 1, "value": _constant(value, line)}
    else:
        (span,) = _spans(found["span"], line, unit)
        if math.isinf(span[0]):
            raise HoldsforError(f"{line.place}: an input fluent begins at a time-point, not at -inf")
        row |= {"start": int(span[0]), "end": None if math.isinf(span[1]) else int(span[1])}
        row["value"] = "true" if value is None else _constant(value, line)
    if found["arrival"] is not None:
        row["arrival"] = _point(found["arrival"], line, unit)
    return signature[0], row | {f"arg{n}": _constant(arg, line) for n, arg in enumerate(arguments(what), 1)}


def expectations(text: str, name: str = "<expected>", scale: TimeScale | None = None) -> list[Expectation]:
    """The expectations, line by line.

    >>> expectations("inRoom(ann) [21,41)")[0].what
    'inRoom(ann)=true'
    """
    return list(expectations_of_lines(lines_of(text, name), scale))


def expectations_of_lines(lines: Iterable[BlockLine], scale: TimeScale | None = None) -> Iterator[Expectation]:
    """The same for lines with positions; times are texts of the scale, if there is one."""
    unit = None if scale is None else scale.unit
    for line in lines:
        found = _EXPECTED.match(line.text)
        if found is None:
            raise HoldsforError(
                f"{line.place}: {line.text!r} is not an expectation; write `inRoom(ann)=true [10,20)`, "
                "`inRoom(ann) never`, or `arrival(ann) at 10 20` for a derived event"
            )
        what, value = _pair(found["what"], line)
        if found["times"] is not None:
            times = (shown_time(_point(time, line, unit), scale) for time in found["times"].split())
            yield Expectation(print_term(what), tuple(times), line.place)
        else:
            pair = f"{print_term(what)}={'true' if value is None else print_term(value)}"
            spans = _spans(found["spans"] or "", line, unit)
            yield Expectation(pair, tuple(shown_span(span, scale) for span in spans), line.place)


def _spans(text: str, line: BlockLine, unit: str | None) -> list[Span]:
    return [(_moment(start, line, unit), _moment(end, line, unit)) for start, end in re.findall(_SPAN, text)]


def _moment(text: str, line: BlockLine, unit: str | None) -> float:
    return float(text) if text in ("inf", "-inf") else _point(text, line, unit)


def _point(text: str, line: BlockLine, unit: str | None) -> int:
    """A time-point, or a time in ISO 8601."""
    return time_point(text, unit, f"{line.place}: the time")


def _pair(text: str, line: BlockLine) -> tuple[Term, Term | None]:
    """A fluent and its value, or an event."""
    parsed = parse(Source(line.place, f"{text}."))
    term = parsed.clauses[0].head if len(parsed.clauses) == 1 and parsed.clauses[0].body is None else None
    if parsed.diagnostics or term is None:
        raise HoldsforError(f"{line.place}: {text!r} cannot be read")
    if any(variables(term)):
        raise HoldsforError(f"{line.place}: {text!r} has variables; only names and numbers can happen or hold")
    if isinstance(term, Compound) and term.name == "=" and len(term.args) == 2:
        return term.args[0], term.args[1]
    return term, None


def _constant(term: Term, line: BlockLine) -> str | int | float:
    if not isinstance(term, Const):
        raise HoldsforError(f"{line.place}: {print_term(term)} is not a name or a number, as data must be")
    return term.value


def shown_span(span: Span, scale: TimeScale | None = None) -> str:
    """An interval as it is written.

    >>> shown_span((1, 5)), shown_span((-math.inf, math.inf))
    ('[1,5)', '[-inf,inf)')
    """
    start, end = (str(time) if math.isinf(time) else shown_time(int(time), scale) for time in span)
    return f"[{start},{end})"
