"""Finds constructs that cannot run on a stream (HF621), and conditions that never hold there (HF615)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdsfor.compiler.metric.checks.uses import metric_atoms
from holdsfor.diagnostics import Diagnostic, Severity, Span
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricProgram, MetricRule

_AHEAD = (metric.UnaryOperator.DIAMOND_PLUS, metric.UnaryOperator.BOX_PLUS, metric.BinaryOperator.UNTIL)
_IN_BATCH = "run it in batch"
_LAST_WORD = re.compile(r"[^\W\d]\w*\s*\Z")


def check_boxes(program: MetricProgram) -> Iterator[Diagnostic]:
    """Reports `Boxminus[0,inf) P`, which requires P since the beginning of time."""
    for rule in program.rules:
        for _, atom in metric_atoms(rule):
            for part in operators_in(atom):
                if (
                    isinstance(part, metric.Unary)
                    and part.operator is metric.UnaryOperator.BOX_MINUS
                    and part.range.high is None
                ):
                    message = "this holds only for facts without a beginning"
                    hint = "a fact such as P(a)@(-inf,5] does; otherwise give the interval an end, or use Since"
                    yield Diagnostic("HF615", Severity.WARNING, message, _operator(part), hint)


def check_streaming(program: MetricProgram) -> Iterator[Diagnostic]:
    """Finds operators that look ahead in bodies, or derive the past in heads."""
    for rule in program.rules:
        yield from _past_heads(rule)
        for _, atom in metric_atoms(rule):
            for part in operators_in(atom):
                if part.operator in _AHEAD and _reaches(part.range):
                    message = f"{part.operator} looks ahead, at facts that have not arrived on a stream"
                    yield Diagnostic("HF621", Severity.ERROR, message, _operator(part), _hint(part.range))


def _past_heads(rule: MetricRule) -> Iterator[Diagnostic]:
    begin = rule.span.start
    for operator, during in rule.boxes:
        if operator is metric.UnaryOperator.BOX_MINUS and _reaches(during):
            message = f"{operator} in a head derives facts for the past, which a stream has already answered"
            written = Span(during.span.source, begin, during.span.end)
            span = written._replace(start=during.span.end - len(written.text.lstrip()))
            yield Diagnostic("HF621", Severity.ERROR, message, span, _hint(during))
        begin = during.span.end


def _reaches(during: metric.Range) -> bool:
    return during.high is None or during.high > 0


def _hint(during: metric.Range) -> str:
    if during.high is None:
        return f"{_IN_BATCH}; no delay is long enough for an interval without an end"
    return f"{_IN_BATCH}, or let the answers come later with --delay"


def operators_in(atom: MetricAtom) -> Iterator[metric.Unary | metric.Binary]:
    """The operators of a metric atom, from the outside in."""
    if isinstance(atom, metric.Unary):
        yield atom
        yield from operators_in(atom.operand)
    elif isinstance(atom, metric.Binary):
        yield from operators_in(atom.left)
        yield atom
        yield from operators_in(atom.right)


def _operator(part: metric.Unary | metric.Binary) -> Span:
    """The operator with its interval."""
    source, start, end = part.range.span
    if isinstance(part, metric.Binary):
        # The source may spell the operator differently, such as UNTIL.
        word = _LAST_WORD.search(source.text, 0, start)
        return Span(source, start if word is None else word.start(), end)
    return Span(source, part.span.start, end)
