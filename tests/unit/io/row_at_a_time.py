"""RTEC's stream format read slowly, one row at a time: what the columnar reader is measured against."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from holdsfor.reference.history import InputInterval, Occurrence, Record, event_term
from holdsfor.syntax.terms import Const

TIME = re.compile(r"\s*[+-]?[0-9]{1,18}\s*\Z")
NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*\Z")


@dataclass
class Rows:
    """What was read, with the numbers of the lines that could not be."""

    records: list[Record] = field(default_factory=list)
    malformed: list[int] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)


def read(text: str, events: dict[str, set[int]], fluents: dict[str, set[int]]) -> Rows:
    """Read rows, given the arities of events and input fluents."""
    rows = Rows()
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split("|")
        if len(fields) == 1 and not line.strip():
            continue
        if fields[0] not in events and fields[0] not in fluents:
            rows.unknown[fields[0]] = rows.unknown.get(fields[0], 0) + 1
            continue
        try:
            rows.records.append(_record(fields, events.get(fields[0], set()), fluents.get(fields[0], set())))
        except ValueError:
            rows.malformed.append(number)
    return rows


def _record(fields: list[str], events: set[int], fluents: set[int]) -> Record:
    name, width = fields[0], len(fields)
    if width - 5 in fluents:
        arrival, start, end = _time(fields[1]), _time(fields[2]), _end(fields[3])
        if end <= start:
            raise ValueError
        return InputInterval(_term(name, fields[5:]), Const(_value(fields[4])), start, end, arrival)
    if width - 4 in fluents:
        arrival, time = _time(fields[1]), _time(fields[2])
        return InputInterval(_term(name, fields[4:]), Const(_value(fields[3])), time, time + 1, arrival, is_point=True)
    if width - 3 in events:
        return Occurrence(_term(name, fields[3:]), _time(fields[2]), _time(fields[1]))
    raise ValueError


def _term(name: str, args: list[str]):
    return event_term(name, [_value(arg) for arg in args])


def _time(text: str) -> int:
    if not TIME.match(text):
        raise ValueError
    return int(text)


def _end(text: str) -> float:
    return math.inf if text.strip() in ("inf", "infinity", "") else _time(text)


def _value(text: str) -> str | int | float:
    if not NUMBER.match(text):
        return text
    number = float(text)
    if not math.isfinite(number):
        return text
    if text.strip().lstrip("+-").isdigit():
        return int(text) if abs(int(text)) < 2**63 else text
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
