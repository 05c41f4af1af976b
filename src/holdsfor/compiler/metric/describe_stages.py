"""Describes the stages of a metric program as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analysis.ordinals import ordinal
from holdsfor.compiler.metric.rules import Relation
from holdsfor.compiler.metric.stages import Delivery, MetricStage, MetricStages


def metric_stages_text(stages: MetricStages) -> str:
    """All stages as text."""
    return "\n".join(_lines(stages))


def _lines(stages: MetricStages) -> Iterator[str]:
    for stage in stages.stages:
        if stage.number > 1:
            yield ""
        place = "one bucket" if stage.is_single else "buckets by key"
        yield f"stage {stage.number}   strata {', '.join(str(stratum.number) for stratum in stage.strata)}; {place}"
        for relation in stage.makes:
            yield f"  makes   {relation}{_key(stage, relation)}"
        for delivery in _inputs(stage):
            came = "reads" if delivery.made_in is None else "gets"
            origin = "" if delivery.made_in is None else f" of stage {delivery.made_in}"
            yield f"  {came:<7} {delivery.relation}{origin}{_way(stage, delivery)}"
    for message in stages.warnings:
        yield ""
        yield f"warning: {message}"


def _inputs(stage: MetricStage) -> Iterator[Delivery]:
    made = set(stage.makes)
    return (delivery for delivery in stage.deliveries if delivery.relation not in made)


def _key(stage: MetricStage, relation: Relation) -> str:
    return "" if stage.is_single else f", by its {ordinal(stage.keys[relation])} argument"


def _way(stage: MetricStage, delivery: Delivery) -> str:
    if stage.is_single:
        return ""
    return ", to every bucket" if delivery.place is None else f", by its {ordinal(delivery.place)} argument"


def metric_stages_data(stages: MetricStages) -> dict[str, object]:
    """All stages as plain data for JSON; places count from 0."""
    return {"stages": [_stage_data(stage) for stage in stages.stages], "warnings": list(stages.warnings)}


def _stage_data(stage: MetricStage) -> dict[str, object]:
    return {
        "number": stage.number,
        "strata": [stratum.number for stratum in stage.strata],
        "one_bucket": stage.is_single,
        "reason": stage.reason,
        "makes": [{"relation": str(relation), "key": stage.keys.get(relation)} for relation in stage.makes],
        "inputs": [
            {"relation": str(delivery.relation), "made_in": delivery.made_in, "key": delivery.place}
            for delivery in _inputs(stage)
        ],
    }
