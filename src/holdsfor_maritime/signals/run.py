"""A batch of stage 1: all tasks in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pyarrow as pa
from pyarrow import fs

from holdsfor.spark.streaming.store import Store, place_of
from holdsfor_maritime.signals.areas import area_index, read_areas
from holdsfor_maritime.signals.reading import pieces, static_types
from holdsfor_maritime.signals.signals import Signals
from holdsfor_maritime.signals.thresholds import Thresholds, thresholds
from holdsfor_maritime.signals.work import (
    OUTPUTS,
    Assignment,
    Meet,
    Merge,
    ReadPiece,
    TaskSetting,
    TaskWorkers,
    Vessels,
    total,
)

Given: TypeAlias = str | Path | Mapping[str, Any] | Thresholds | None
Frame = TypeVar("Frame")


def run_batch(
    workers: TaskWorkers,
    dataset: str | Path,
    given: Given,
    stores: tuple[Store, Store],
    buckets: int,
    results: Callable[[str], Frame],
    background: Callable[[pa.Table], Frame],
) -> Signals[Frame]:
    """Go through a data set. The stores are for files on the way and for results.

    `results` reads the folder of a result, `background` takes a table of facts.
    """
    for name in OUTPUTS:
        # Files of an earlier run are not part of this one.
        _remove(stores[1].path(name))
    limits = thresholds(given)
    areas = read_areas(Path(dataset) / "areas.geojson")
    index = area_index(areas, limits.areas_resolution)
    setting = TaskSetting(*stores, index, limits, buckets)
    parts = tuple(pieces(dataset))
    notes = workers.run(ReadPiece(setting, parts), len(parts))
    turn = Assignment(tuple(note["part"] for note in notes), now=total(notes).get("latest"))
    for task in (Vessels(setting, turn), Meet(setting, turn), Merge(setting)):
        notes += workers.run(task, buckets)
    found = total(notes)
    frames = {name: results(name) for name in OUTPUTS}
    return Signals(
        frames,
        frames.pop("tracks"),
        frames.pop("aside"),
        background(areas.table()),
        background(static_types(dataset)),
        {name: count for name, count in found.items() if name not in ("waiting", "places", "latest")},
    )


def _remove(folder: str) -> None:
    system, path = place_of(folder)
    if system.get_file_info(path).type != fs.FileType.NotFound:
        system.delete_dir(path)
