"""The plan of a metric program as text for people and as plain data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from holdsfor.compiler.metric.delays import TooFarAhead, delayed_plan
from holdsfor.compiler.metric.describe_stages import key_texts
from holdsfor.compiler.metric.measures import Kept, as_rule, granularity, kept, reach
from holdsfor.compiler.metric.plan import Direction, MetricPlan, MetricStratum
from holdsfor.compiler.metric.stages import metric_stages
from holdsfor.frontend.dmtl import metric_text
from holdsfor.frontend.dmtl.numbers import number_text


def metric_plan_text(plan: MetricPlan) -> str:
    """A plan as text."""
    return "\n".join(_lines(plan))


def _lines(plan: MetricPlan) -> Iterator[str]:
    yield f"input        {', '.join(sorted(map(str, plan.inputs))) or 'none'}"
    if plan.facts:
        yield f"facts        {len(plan.facts)} in the program"
    yield f"reach        {number_text(reach(plan))} (t_Π)"
    yield f"granularity  {_granularity(plan)}"
    yield f"stream       {_streaming(plan)}"
    keys = key_texts(metric_stages(plan))
    for stratum in plan.strata:
        yield ""
        yield from _stratum_lines(stratum, forward=plan.is_forward)
        yield f"     key     {keys[stratum.number]}"


def _granularity(plan: MetricPlan) -> str:
    shortest = granularity(plan)
    return "without end" if shortest is None else number_text(shortest)


def _streaming(plan: MetricPlan) -> str:
    if not plan.is_forward:
        delay = _delay(plan)
        if delay is None:
            return "no: it looks into the future, and no delay is long enough"
        return f"no: it looks into the future; with --delay {number_text(delay)} its answers come as much later"
    if is_memory_fixed(plan):
        return "yes; how much is kept does not depend on how many facts arrive"
    return "yes; a punctual interval keeps every fact of its reach"


def _delay(plan: MetricPlan) -> Fraction | None:
    """How much later answers come on a stream; None if they never would."""
    try:
        return max(delayed_plan(plan).delays.values(), default=Fraction(0))
    except TooFarAhead:
        return None


def is_memory_fixed(plan: MetricPlan) -> bool:
    """Whether the number of facts that a stream keeps for given arguments has a bound that no stream exceeds."""
    return plan.is_forward and granularity(plan) != 0


def _stratum_lines(stratum: MetricStratum, *, forward: bool) -> Iterator[str]:
    yield f"{stratum.number:>3}  {_method(stratum)}  {', '.join(map(str, stratum.relations))}"
    for position, rule in enumerate(stratum.rules):
        yield f"     {'rules' if position == 0 else '':<6}  {metric_text(as_rule(rule))}"
    for position, one in enumerate(kept(stratum) if forward else ()):
        yield f"     {'keeps' if position == 0 else '':<6}  {_kept(one)}"


def _method(stratum: MetricStratum) -> str:
    if not stratum.is_recursive:
        return "once"
    if stratum.direction is Direction.NOWHERE:
        return "recursive at each time"
    stride = "" if stratum.stride is None else f" by {number_text(stratum.stride)}"
    return f"recursive {stratum.direction}{stride}"


def _kept(one: Kept) -> str:
    return f"{one.relation} {one.what}, {'without bound' if one.time is None else f'for {number_text(one.time)}'}"


def metric_plan_data(plan: MetricPlan) -> dict[str, object]:
    """A plan as plain data, ready for JSON; rational numbers are text."""
    keys = key_texts(metric_stages(plan))
    return {
        "inputs": sorted(str(relation) for relation in plan.inputs),
        "outputs": [str(relation) for relation in plan.outputs],
        "facts": len(plan.facts),
        "reach": number_text(reach(plan)),
        "granularity": _number(granularity(plan)),
        "streaming": plan.is_forward,
        "delay": _number(_delay(plan)),
        "memory_independent_of_stream": is_memory_fixed(plan),
        "strata": [
            {**_stratum_data(stratum, forward=plan.is_forward), "key": keys[stratum.number]} for stratum in plan.strata
        ],
    }


def _stratum_data(stratum: MetricStratum, *, forward: bool) -> dict[str, object]:
    return {
        "number": stratum.number,
        "relations": [str(relation) for relation in stratum.relations],
        "recursive": stratum.is_recursive,
        "direction": str(stratum.direction),
        "stride": _number(stratum.stride),
        "rules": [metric_text(as_rule(rule)) for rule in stratum.rules],
        "keeps": [
            {"relation": str(one.relation), "what": one.what, "time": _number(one.time)}
            for one in (kept(stratum) if forward else ())
        ],
    }


def _number(number: Fraction | None) -> str | None:
    return None if number is None else number_text(number)
