"""Checks of metric programs: facts `P(a)@[1,2)` in, facts of the same form expected."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from holdsfor.diagnostics import HoldsforError, ProgramError, Source, errors_of
from holdsfor.engine.metric.report import Row
from holdsfor.engine_names import Engine
from holdsfor.frontend.dmtl.numbers import range_text
from holdsfor.frontend.dmtl.reader import parse_data
from holdsfor.frontend.dmtl.unparse import metric_text
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.metric.inputs import MetricReading, read_facts
from holdsfor.metric.session import MetricRun, Span
from holdsfor.metric.times import exact
from holdsfor.syntax.terms import Const
from holdsfor.testing import markdown
from holdsfor.testing.engines import require_usable, source
from holdsfor.testing.markdown import Check
from holdsfor.testing.notation import Found, Line, Wanted

_UNSUITABLE = ("window", "step", "at")


def found_by_metric(engine: Engine, check: Check, spark: Any = None) -> Found:
    """What an engine derives from the facts of a check."""
    unsuitable = [name for name in _UNSUITABLE if name in check.options]
    if unsuitable:
        raise HoldsforError(f"{check.place}: {unsuitable[0]} has no meaning for metric rules; there are start and end")
    if check.tables:
        raise HoldsforError(
            f"{check.tables[0]}: tables of background facts are for event descriptions, not for .dmtl rules"
        )
    start, end = check.options.get("start"), check.options.get("end")
    if engine is Engine.SPARK:
        return _on_spark(_reasoner(check), check, spark)
    reasoner = _reasoner(check)
    run = MetricRun(reasoner.plan, _read_facts(reasoner, check), Span.of(start, end))
    result = run.by_reference(reasoner.program) if engine is Engine.REFERENCE else run.result()
    return _texts(_fact(row) for row in result)


def _reasoner(check: Check) -> MetricReasoner:
    made = from_metric_sources(source(check, block) for block in check.blocks(markdown.METRIC))
    made.require_no_errors()
    return made


def _read_facts(reasoner: MetricReasoner, check: Check) -> MetricReading:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("".join(f"{block.text}\n" for block in check.blocks(markdown.FACTS)))
        file.flush()
        reading = read_facts(reasoner.signatures, file.name)
    require_usable(check, "fact", reading.rejects, reading.unknown)
    return reading


def _on_spark(reasoner: MetricReasoner, check: Check, spark: Any) -> Found:
    # Imported here: few users of this module have Spark.
    from holdsfor.spark import materialise

    lines = [(line,) for block in check.blocks(markdown.FACTS) for line in block.text.splitlines() if line.strip()]
    facts = spark.createDataFrame(lines, "value string")
    bounds = {"start": check.options.get("start"), "end": check.options.get("end")}
    rows = materialise(reasoner, facts, **bounds, exact=True, partitions=2).collect()
    return _texts(
        MetricFact(
            row.predicate, tuple(map(Const, row.args)), _range(row.start, row.start_closed, row.end, row.end_closed)
        )
        for row in rows
    )


def _range(start: str | None, start_closed: bool, end: str | None, end_closed: bool) -> Range:
    bounds = [None if bound is None else exact(bound) for bound in (start, end)]
    return Range(bounds[0], bounds[1], not start_closed, not end_closed)


def _fact(row: Row) -> MetricFact:
    during = Range(row.start, row.end, not row.start_closed, not row.end_closed)
    return MetricFact(row.predicate, tuple(map(Const, row.args)), during)


def _texts(facts: Iterable[MetricFact]) -> Found:
    """Facts by what holds; intervals from the first to the last."""
    found: dict[str, list[Range]] = {}
    for fact in facts:
        found.setdefault(_what(fact), []).append(fact.during)
    return {what: [range_text(during) for during in sorted(ranges, key=_place)] for what, ranges in found.items()}


def _place(during: Range) -> tuple[bool, Any, bool]:
    return during.low is not None, during.low, during.low_open


def _what(fact: MetricFact) -> str:
    return metric_text(fact).rpartition("@")[0]


def wanted_facts(lines: Iterable[Line]) -> Iterator[Wanted]:
    """What is expected: all intervals of a fact, over as many lines as one likes."""
    found: dict[str, list[MetricFact]] = {}
    places: dict[str, str] = {}
    for line in lines:
        never = re.fullmatch(r"(.+?)\s+never", line.text)
        fact = _read(f"{never[1]}@0" if never else line.text, line)
        found.setdefault(_what(fact), []).extend([] if never else [fact])
        places.setdefault(_what(fact), line.place)
    for what, facts in found.items():
        yield Wanted(what, tuple(_texts(facts).get(what, [])), places[what])


def _read(text: str, line: Line) -> MetricFact:
    parsed = parse_data(Source(line.place, text))
    errors = errors_of(parsed.diagnostics)
    if errors:
        raise ProgramError(errors)
    (fact,) = parsed.statements if len(parsed.statements) == 1 else (None,)
    if not isinstance(fact, MetricFact):
        raise HoldsforError(f"{line.place}: {line.text!r} says nothing that could be expected; write `P(a)@[1,2)`")
    return fact
