"""Reverses time in rules: operators that look back then look ahead, and vice versa."""

from __future__ import annotations

from dataclasses import replace

from holdsfor.compiler.metric.plan import MetricStratum
from holdsfor.compiler.metric.rules import Joined, Lasting, NormalRule, negative


def mirrored_rule(rule: NormalRule) -> NormalRule:
    """A rule on the mirrored time-line."""
    if isinstance(rule, Joined):
        return rule
    if isinstance(rule, Lasting):
        return replace(rule, offsets=negative(rule.offsets), is_until=not rule.is_until)
    return replace(rule, offsets=negative(rule.offsets))


def mirrored_stratum(stratum: MetricStratum) -> MetricStratum:
    """The rules of a stratum on the mirrored time-line."""
    return replace(stratum, rules=tuple(map(mirrored_rule, stratum.rules)))
