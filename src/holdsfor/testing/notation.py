"""How events and intervals are written by hand.

Events, one to a line: `10 comes(ann, kitchen)`, `10 comes(ann, kitchen) arrives 45`, and for input fluents
`[10,20) near(ann, bob)` or `[10,20) light(hall)=dim`. What is expected: `inRoom(ann, kitchen)=true [21,41) [50,inf)`,
`occupied(kitchen) never`, and for derived events `arrival(tern) at 31 40`. `%` begins a comment.
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

Span: TypeAlias = tuple[float, float]
"""From a start to an end that does not belong to it; infinite where there is none."""

_SPAN = r"\[\s*(-?\d+|-inf)\s*,\s*(-?\d+|inf)\s*\)"
_OCCURS = re.compile(rf"^(?:(?P<time>-?\d+)|(?P<span>{_SPAN}))\s+(?P<what>.+?)(?:\s+arrives\s+(?P<arrival>-?\d+))?$")
_EXPECTED = re.compile(rf"^(?P<what>.+?)\s+(?:(?P<spans>{_SPAN}(?:\s*{_SPAN})*)|at(?P<times>(?:\s+-?\d+)+)|never)$")


class Line(NamedTuple):
    """A line of a block, and where it stands."""

    text: str
    place: str


class Wanted(NamedTuple):
    """What a line expects: that something holds or happens at just these times, all as they are written."""

    what: str
    times: tuple[str, ...]
    place: str

    @property
    def name(self) -> str:
        """What the fluent, event or predicate is called."""
        return name_of(self.what)


Found: TypeAlias = dict[str, list[str]]
"""What holds or happens, with all its times, both as they are written."""


def name_of(what: str) -> str:
    """The name in front of arguments and value.

    >>> name_of("inRoom(ann,kitchen)=true"), name_of("light=on")
    ('inRoom', 'light')
    """
    return re.split(r"[(=]", what, maxsplit=1)[0]


def lines_of(text: str, name: str, first: int = 1) -> list[Line]:
    """The lines of a text that say something."""
    stripped = [re.sub(r"(^|\s)%.*$", "", line).strip() for line in text.splitlines()]
    return [Line(line, f"{name}:{number}") for number, line in enumerate(stripped, first) if line]


def events(text: str, name: str = "<events>") -> dict[str, list[dict[str, Any]]]:
    """Events and input fluents as tables by name, which is what `recognise` and sessions take.

    >>> events("10 comes(ann, kitchen)")
    {'comes': [{'time': 10, 'arg1': 'ann', 'arg2': 'kitchen'}]}
    """
    return event_tables(lines_of(text, name))


def event_tables(lines: Iterable[Line]) -> dict[str, list[dict[str, Any]]]:
    """The same for lines that stand somewhere."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        found = _OCCURS.match(line.text)
        if found is None:
            raise HoldsforError(
                f"{line.place}: {line.text!r} is no event; write `10 comes(ann)`, or `[10,20) near(ann,bob)=true` for "
                "an input fluent"
            )
        name, row = _row(found, line)
        tables.setdefault(name, []).append(row)
    return {name: _with_arrivals(rows) for name, rows in tables.items()}


def _with_arrivals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """If some rows of a table say when they arrive, the others arrive at once."""
    if not any("arrival" in row for row in rows):
        return rows
    return [{"arrival": row["time"] if "time" in row else row["start"], **row} for row in rows]


def _row(found: re.Match[str], line: Line) -> tuple[str, dict[str, Any]]:
    what, value = _pair(found["what"], line)
    signature = functor(what)
    if signature is None:
        raise HoldsforError(f"{line.place}: {found['what']!r} has no name")
    row: dict[str, Any] = {}
    if found["time"] is not None:
        time = int(found["time"])
        row = {"time": time} if value is None else {"start": time, "end": time + 1, "value": _constant(value, line)}
    else:
        (span,) = _spans(found["span"])
        if math.isinf(span[0]):
            raise HoldsforError(f"{line.place}: an input fluent begins at a time-point, not at -inf")
        row |= {"start": int(span[0]), "end": None if math.isinf(span[1]) else int(span[1])}
        row["value"] = "true" if value is None else _constant(value, line)
    if found["arrival"] is not None:
        row["arrival"] = int(found["arrival"])
    return signature[0], row | {f"arg{n}": _constant(arg, line) for n, arg in enumerate(arguments(what), 1)}


def wanted(text: str, name: str = "<expected>") -> list[Wanted]:
    """What is expected, line by line.

    >>> wanted("inRoom(ann) [21,41)")[0].what
    'inRoom(ann)=true'
    """
    return list(wanted_lines(lines_of(text, name)))


def wanted_lines(lines: Iterable[Line]) -> Iterator[Wanted]:
    """The same for lines that stand somewhere."""
    for line in lines:
        found = _EXPECTED.match(line.text)
        if found is None:
            raise HoldsforError(
                f"{line.place}: {line.text!r} says nothing that could be expected; write `inRoom(ann)=true [10,20)`, "
                "`inRoom(ann) never`, or `arrival(ann) at 10 20` for a derived event"
            )
        what, value = _pair(found["what"], line)
        if found["times"] is not None:
            yield Wanted(print_term(what), tuple(found["times"].split()), line.place)
        else:
            pair = f"{print_term(what)}={'true' if value is None else print_term(value)}"
            yield Wanted(pair, tuple(map(shown_span, _spans(found["spans"] or ""))), line.place)


def _spans(text: str) -> list[Span]:
    return [(_moment(start), _moment(end)) for start, end in re.findall(_SPAN, text)]


def _moment(text: str) -> float:
    return float(text) if text in ("inf", "-inf") else int(text)


def _pair(text: str, line: Line) -> tuple[Term, Term | None]:
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


def _constant(term: Term, line: Line) -> str | int | float:
    if not isinstance(term, Const):
        raise HoldsforError(f"{line.place}: {print_term(term)} is no name or number; data has nothing else")
    return term.value


def shown_span(span: Span) -> str:
    """An interval as it is written.

    >>> shown_span((1, 5)), shown_span((-math.inf, math.inf))
    ('[1,5)', '[-inf,inf)')
    """
    start, end = (str(time) if math.isinf(time) else str(int(time)) for time in span)
    return f"[{start},{end})"
