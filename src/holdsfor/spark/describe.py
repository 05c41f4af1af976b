"""The stages of a plan as text for people and as plain data for programs."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analysis.alignment import Places
from holdsfor.compiler.analysis.partition import _ordinals
from holdsfor.spreading.stages import Delivery, Stage, StagePlan


def stages_text(stages: StagePlan) -> str:
    """All stages as text."""
    return "\n".join(_lines(stages))


def _lines(stages: StagePlan) -> Iterator[str]:
    for stage in stages.stages:
        if stage.number > 1:
            yield ""
        place = "one bucket" if stage.is_single else "buckets by connected keys" if stage.links else "buckets by key"
        yield f"stage {stage.number}   strata {', '.join(str(stratum.number) for stratum in stage.strata)}; {place}"
        for symbol, places in stage.members:
            yield f"  makes   {symbol}, {_key(places)}"
        for delivery in stage.deliveries:
            yield f"  {_way(delivery, stage):<7} {delivery.symbol}{_from(delivery)}, {_spread(delivery)}"
    for message in stages.warnings:
        yield ""
        yield f"warning: {message}"


def _key(places: Places) -> str:
    return f"by {_ordinals(places)}" if places else "all in one bucket"


def _way(delivery: Delivery, stage: Stage) -> str:
    return "gets" if delivery.made_in is not None and delivery.made_in < stage.number else "reads"


def _from(delivery: Delivery) -> str:
    return "" if delivery.made_in is None else f" of stage {delivery.made_in}"


def _spread(delivery: Delivery) -> str:
    if delivery.matches:
        sources = " and ".join(dict.fromkeys(str(match.source) for match in delivery.matches))
        return f"to the buckets of {sources} that share {_ordinals((delivery.matches[0].place,))}"
    if delivery.spreading is None:
        return "to every bucket"
    return " and ".join(_key(places) for places in delivery.spreading)


def stages_data(stages: StagePlan) -> dict[str, object]:
    """All stages as plain data, ready for JSON."""
    return {"stages": [_stage_data(stage) for stage in stages.stages], "warnings": list(stages.warnings)}


def _stage_data(stage: Stage) -> dict[str, object]:
    return {
        "number": stage.number,
        "strata": [stratum.number for stratum in stage.strata],
        "one_bucket": stage.is_single,
        "tied_by": list(dict.fromkeys(map(str, stage.links))),
        "makes": [{"symbol": str(symbol), "key": list(places)} for symbol, places in stage.members],
        "inputs": [
            {
                "symbol": str(delivery.symbol),
                "made_in": delivery.made_in,
                "from_stream": delivery.is_input,
                "keys": None if delivery.spreading is None else [list(places) for places in delivery.spreading],
                "matches": [
                    {"place": match.place, "with": str(match.source), "at": match.at, "key": list(match.key)}
                    for match in delivery.matches
                ],
                "effects": [effect.value for effect in delivery.effects],
            }
            for delivery in stage.deliveries
        ],
    }
