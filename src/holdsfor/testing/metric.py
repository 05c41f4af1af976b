"""Checks of metric programs: facts `P(a)@[1,2)` in, facts of the same form expected."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from holdsfor.columns.metric.report import Row
from holdsfor.diagnostics import HoldsforError, ProgramError, Source, errors_of
from holdsfor.engine_names import Engine
from holdsfor.frontend.dmtl.numbers import range_text
from holdsfor.frontend.dmtl.reader import parse_data
from holdsfor.frontend.dmtl.unparse import metric_text
from holdsfor.io.metric_dates import with_numbers
from holdsfor.io.metric_scaled import moment_text
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.metric.inputs import MetricReading, read_facts
from holdsfor.metric.session import MetricRun, RunSpan
from holdsfor.metric.times import exact
from holdsfor.syntax.terms import Const
from holdsfor.testing import markdown
from holdsfor.testing.engines import require_usable, source
from holdsfor.testing.markdown import Check
from holdsfor.testing.notation import BlockLine, Expectation, Found
from holdsfor.times import TimeScale

_UNSUITABLE = ("window", "step", "at")


def found_by_metric(engine: Engine, check: Check, spark: Any = None) -> Found:
    """The results of an engine for the facts of a check."""
    unsuitable = [name for name in _UNSUITABLE if name in check.options]
    if unsuitable:
        raise HoldsforError(f"{check.place}: {unsuitable[0]} has no meaning for metric rules; there are start and end")
    if check.tables:
        raise HoldsforError(f"{check.tables[0]}: tables of background facts are for event rules, not for .dmtl rules")
    start, end = check.options.get("start"), check.options.get("end")
    if engine is Engine.SPARK:
        return _on_spark(_reasoner(check), check, spark)
    reasoner = _reasoner(check)
    unit = None if reasoner.time_scale is None else reasoner.time_scale.unit
    run = MetricRun(reasoner.plan, _read_facts(reasoner, check), RunSpan.of(start, end, unit=unit))
    result = run.by_reference(reasoner.program) if engine is Engine.REFERENCE else run.result()
    return _texts((_fact(row) for row in result), reasoner.time_scale)


def _reasoner(check: Check) -> MetricReasoner:
    made = from_metric_sources(source(check, block) for block in check.blocks(markdown.METRIC))
    made.require_no_errors()
    return made


def _read_facts(reasoner: MetricReasoner, check: Check) -> MetricReading:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("".join(f"{block.text}\n" for block in check.blocks(markdown.FACTS)))
        file.flush()
        reading = read_facts(reasoner.signatures, file.name, declared=reasoner.time_scale)
    require_usable(check, "fact", reading.rejects, reading.unknown)
    return reading


def _on_spark(reasoner: MetricReasoner, check: Check, spark: Any) -> Found:
    # Imported here: most users of this module have no Spark.
    from holdsfor.spark import materialise

    lines = [(line,) for block in check.blocks(markdown.FACTS) for line in block.text.splitlines() if line.strip()]
    given = spark.createDataFrame(lines, "value string")
    unit = None if reasoner.time_scale is None else reasoner.time_scale.unit
    span = RunSpan.of(check.options.get("start"), check.options.get("end"), unit=unit)
    rows = materialise(reasoner, given, start=span.start, end=span.end, exact=True, partitions=2).collect()
    facts = (
        MetricFact(
            row.predicate, tuple(map(Const, row.args)), _range(row.start, row.start_closed, row.end, row.end_closed)
        )
        for row in rows
    )
    return _texts(facts, reasoner.time_scale)


def _range(start: str | None, start_closed: bool, end: str | None, end_closed: bool) -> Range:
    bounds = [None if bound is None else exact(bound) for bound in (start, end)]
    return Range(bounds[0], bounds[1], not start_closed, not end_closed)


def _fact(row: Row) -> MetricFact:
    during = Range(row.start, row.end, not row.start_closed, not row.end_closed)
    return MetricFact(row.predicate, tuple(map(Const, row.args)), during)


def _texts(facts: Iterable[MetricFact], scale: TimeScale | None = None) -> Found:
    """Facts by what holds; intervals from the first to the last, with times as the scale has them."""
    found: dict[str, list[Range]] = {}
    for fact in facts:
        found.setdefault(_what(fact), []).append(fact.during)
    return {what: [_shown(during, scale) for during in sorted(ranges, key=_place)] for what, ranges in found.items()}


def _shown(during: Range, scale: TimeScale | None) -> str:
    if scale is None:
        return range_text(during)
    if during.is_punctual and during.low is not None:
        return f"[{moment_text(during.low, scale)}]"
    low = "(-inf" if during.low is None else f"{'(' if during.low_open else '['}{moment_text(during.low, scale)}"
    high = "inf)" if during.high is None else f"{moment_text(during.high, scale)}{')' if during.high_open else ']'}"
    return f"{low},{high}"


def _place(during: Range) -> tuple[bool, Any, bool]:
    return during.low is not None, during.low, during.low_open


def _what(fact: MetricFact) -> str:
    return metric_text(fact).rpartition("@")[0]


def wanted_facts(lines: Iterable[BlockLine], scale: TimeScale | None = None) -> Iterator[Expectation]:
    """The expectations: all intervals of a fact, which may be spread over several lines."""
    found: dict[str, list[MetricFact]] = {}
    places: dict[str, str] = {}
    for line in lines:
        never = re.fullmatch(r"(.+?)\s+never", line.text)
        text = line.text if scale is None else with_numbers(line.text, scale.unit)
        fact = _read(f"{never[1]}@0" if never else text, line)
        found.setdefault(_what(fact), []).extend([] if never else [fact])
        places.setdefault(_what(fact), line.place)
    for what, facts in found.items():
        yield Expectation(what, tuple(_texts(facts, scale).get(what, [])), places[what])


def _read(text: str, line: BlockLine) -> MetricFact:
    parsed = parse_data(Source(line.place, text))
    errors = errors_of(parsed.diagnostics)
    if errors:
        raise ProgramError(errors)
    (fact,) = parsed.statements if len(parsed.statements) == 1 else (None,)
    if not isinstance(fact, MetricFact):
        raise HoldsforError(f"{line.place}: {line.text!r} is not an expectation; write `P(a)@[1,2)`")
    return fact
