"""Describes the stages of a plan as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analysis.alignment import Places
from holdsfor.compiler.analysis.ordinals import ordinal, ordinals
from holdsfor.spark.stages import SparkStage, StageInput, StagePlan


def stages_text(stages: StagePlan) -> str:
    """All stages as text."""
    return "\n".join(_lines(stages))


def _lines(stages: StagePlan) -> Iterator[str]:
    for stage in stages.stages:
        if stage.number > 1:
            yield ""
        yield f"stage {stage.number}   {_place(stage)}"
        for symbol, places in stage.members:
            yield f"  makes   {symbol}, {_key(places)}"
        for delivery in stage.deliveries:
            yield f"  {_way(delivery, stage):<7} {delivery.symbol}{_from(delivery)}, {_spread(delivery)}"
    for message in stages.warnings:
        yield ""
        yield f"warning: {message}"


def _place(stage: SparkStage) -> str:
    if stage.is_single:
        return "one bucket"
    if stage.sides:
        return "buckets by the parts of keys"
    return "buckets by connected keys" if stage.links else "buckets by key"


def _key(places: Places) -> str:
    return f"by {ordinals(places)}" if places else "all in one bucket"


def _way(delivery: StageInput, stage: SparkStage) -> str:
    return "gets" if delivery.made_in is not None and delivery.made_in < stage.number else "reads"


def _from(delivery: StageInput) -> str:
    return "" if delivery.made_in is None else f" of stage {delivery.made_in}"


def _spread(delivery: StageInput) -> str:
    if delivery.lines:
        listed = [f"{ordinals((place,))} at their {' or '.join(map(ordinal, of))} part" for place, of in delivery.lines]
        return f"to the buckets of keys that have {' or '.join(listed)}"
    if delivery.spreading is None:
        return "to every bucket"
    return " and ".join(_key(places) for places in delivery.spreading)


def stages_data(stages: StagePlan) -> dict[str, object]:
    """All stages as plain data for JSON."""
    return {"stages": [_stage_data(stage) for stage in stages.stages], "warnings": list(stages.warnings)}


def _stage_data(stage: SparkStage) -> dict[str, object]:
    return {
        "number": stage.number,
        "one_bucket": stage.is_single,
        "grid": list(stage.sides),
        "tied_by": list(dict.fromkeys(map(str, stage.links))),
        "makes": [{"symbol": str(symbol), "key": list(places)} for symbol, places in stage.members],
        "inputs": [
            {
                "symbol": str(delivery.symbol),
                "made_in": delivery.made_in,
                "from_stream": delivery.is_input,
                "keys": None if delivery.spreading is None else [list(places) for places in delivery.spreading],
                "parts": [{"place": place, "of_key": list(of)} for place, of in delivery.lines],
            }
            for delivery in stage.deliveries
        ],
    }
