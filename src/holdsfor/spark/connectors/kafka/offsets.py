"""Computes start positions and batch ends; offsets have the format of Spark's own connector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from holdsfor.spark.connectors.common import ConnectorError
from holdsfor.spark.connectors.kafka.cluster import (
    EARLIEST,
    LATEST,
    Cluster,
    Offsets,
    Partition,
    When,
    offsets_by_topic,
)
from holdsfor.spark.connectors.options import Options


@dataclass(frozen=True)
class Position:
    """A position in all partitions: the first message, the next new one, a time, or individual offsets."""

    where: When | tuple[tuple[Partition, int], ...]

    @staticmethod
    def of(options: Options, side: Literal["starting", "ending"], default: Literal["earliest", "latest"]) -> Position:
        """Reads the options `startingOffsets` and `startingTimestamp`, or `ending…`."""
        name = f"{side}Offsets"
        options.refuse_together(name, f"{side}Timestamp")
        moment = options.moment(f"{side}Timestamp")
        if moment is not None:
            return Position(moment)
        text = options.text(name, default) or default
        match text.lower():
            case "earliest":
                return Position("earliest")
            case "latest":
                return Position("latest")
        found = from_json(offsets_by_topic(options, name, text, dict))
        return Position(tuple(sorted(found.items())))

    def resolved(self, cluster: Cluster, places: list[Partition]) -> Offsets:
        """The current offsets of the position."""
        where = self.where
        if not isinstance(where, tuple):
            found = cluster.offsets(places, where)
            if isinstance(where, datetime) and LATEST in found.values():
                # No message is as late as that, so the next new message counts.
                later = cluster.offsets([place for place, offset in found.items() if offset == LATEST], "latest")
                return found | later
            return found
        given = dict(where)
        if set(given) != set(places):
            odd = min(set(given) ^ set(places))
            raise ConnectorError(
                f"holdsfor-kafka: the offsets given must name every partition and no other; see {odd.topic} {odd.partition}"
            )
        found = {place: offset for place, offset in given.items() if offset >= 0}
        found |= cluster.offsets([place for place, offset in given.items() if offset == EARLIEST], "earliest")
        return found | cluster.offsets([place for place, offset in given.items() if offset == LATEST], "latest")


def bounded(start: Offsets, end: Offsets, most: int | None) -> Offsets:
    """An end that admits at most `most` messages, distributed over partitions in proportion to their backlogs.

    >>> place = Partition("t", 0), Partition("t", 1)
    >>> list(bounded({place[0]: 0, place[1]: 10}, {place[0]: 30, place[1]: 20}, 8).values())
    [6, 12]
    """
    backlog = {place: max(0, end[place] - start.get(place, 0)) for place in end}
    whole = sum(backlog.values())
    if most is None or whole <= most:
        return end
    shares = {place: most * size // whole for place, size in backlog.items()}
    # The rounding remainder goes to the largest backlogs, so a batch is never empty.
    left = most - sum(shares.values())
    for place in sorted(backlog, key=lambda place: (-backlog[place], place))[:left]:
        shares[place] += 1
    return {place: start.get(place, 0) + min(shares[place], backlog[place]) for place in end}


def to_json(offsets: Offsets) -> dict[str, dict[str, int]]:
    """Offsets in the format of Spark's checkpoints."""
    made: dict[str, dict[str, int]] = {}
    for place in sorted(offsets):
        made.setdefault(place.topic, {})[str(place.partition)] = offsets[place]
    return made


def from_json(offsets: Mapping[str, Mapping[str, Any]]) -> Offsets:
    """Offsets from Spark's checkpoints.

    >>> from_json(to_json({Partition("t", 10): 5}))
    {Partition(topic='t', partition=10): 5}
    """
    return {
        Partition(topic, int(number)): int(offset)
        for topic, partitions in offsets.items()
        for number, offset in partitions.items()
    }
