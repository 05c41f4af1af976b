"""Programs with and without a unit of time, and their input with times as numbers and as people write them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.frontend.rtec import parse_program
from holdsfor.io.metric_scaled import moment_text
from holdsfor.ir.metric import MetricFact, MetricProgram
from holdsfor.loading import Reasoner, from_program
from holdsfor.reference import Occurrence, Record
from holdsfor.syntax.terms import Const, Term, arguments, functor
from holdsfor.times import TimeScale

ZONES = ("UTC", "Europe/Athens", "America/St_Johns", "Asia/Kathmandu")


def time_scales(units: Sequence[str] = ("ns", "us", "ms", "s", "min", "h", "d")) -> st.SearchStrategy[TimeScale]:
    """Units and zones."""
    return st.builds(TimeScale, st.sampled_from(units), st.sampled_from(ZONES))


def directives(scale: TimeScale) -> Source:
    """The text that declares a scale."""
    return Source("scale", f":- time_unit({scale.unit}).\n:- time_zone('{scale.zone}').\n")


def scaled(reasoner: Reasoner, scale: TimeScale) -> Reasoner:
    """The same program with a unit and a zone."""
    return from_program(parse_program([directives(scale)]) + reasoner.analysis.written)


def scaled_metric(program: MetricProgram, scale: TimeScale) -> MetricProgram:
    """The same metric program with a unit and a zone."""
    return replace(program, directives=parse_metric([directives(scale)]).directives)


def tables(records: Sequence[Record], shown: Callable[[int], Any]) -> dict[str, list[dict[str, Any]]]:
    """Records as tables by name, with times as they are to be shown."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if isinstance(record, Occurrence):
            term, row = record.event, {"time": shown(record.time)}
        elif record.is_point:
            term, row = record.fluent, {"time": shown(record.start), "value": _value(record.value)}
        else:
            end = None if math.isinf(record.end) else shown(int(record.end))
            term, row = record.fluent, {"start": shown(record.start), "end": end, "value": _value(record.value)}
        args = {f"arg{place}": _value(arg) for place, arg in enumerate(arguments(term))}
        name = functor(term)
        assert name is not None
        found.setdefault(name[0], []).append(row | {"arrival": shown(record.arrival)} | args)
    return found


def _value(term: Term) -> str | int | float:
    assert isinstance(term, Const)
    return term.value


def metric_tables(facts: Sequence[MetricFact], scale: TimeScale | None) -> dict[str, list[dict[str, Any]]]:
    """Facts as tables by name, with times as the scale has them."""

    def shown(time: Fraction | None) -> str | None:
        return None if time is None else moment_text(time, scale)

    found: dict[str, list[dict[str, Any]]] = {}
    for fact in facts:
        during = fact.during
        row = {"start": shown(during.low), "end": shown(during.high)}
        row |= {"start_closed": not during.low_open, "end_closed": not during.high_open}
        args = {f"arg{place}": arg.value for place, arg in enumerate(fact.args)}
        found.setdefault(fact.predicate, []).append(row | args)
    return found


@contextmanager
def quiet() -> Iterator[None]:
    """Random input has rows that no rule reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
