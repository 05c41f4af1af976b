"""The results of stage 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Frame = TypeVar("Frame")


@dataclass(frozen=True)
class Signals(Generic[Frame]):
    """Events and the input fluent `proximity` by name, and the background facts.

    A frame is a DataFrame of Spark or an Arrow table, depending on the run. `frames` has the inputs of the rules; `tracks` the
    reports that were believed (vessel, time, lon, lat), `aside` those that were not (reason, …).
    """

    frames: Mapping[str, Frame]
    tracks: Frame
    aside: Frame
    areas: Frame
    """`areaType`: area, kind."""
    vessels: Frame
    """`vesselType`: vessel, type."""
    numbers: Mapping[str, int]

    def counts(self) -> dict[str, int]:
        """The numbers of reports, of those set aside by reason, and of events."""
        return dict(self.numbers)
