"""Pictures of a run: its timeline with the events of the input, its map, and the graph of its rules."""

from __future__ import annotations

from collections.abc import Mapping

from holdsfor.loading import Reasoner
from holdsfor.metric.result import MetricResult
from holdsfor.viz.map import situation_map
from holdsfor.workbench.desk import Desk, SampleRun
from holdsfor.workbench.tracks import held, tracks_of


def timeline_page(run: SampleRun, *, with_input: bool = True) -> str:
    """What holds when; with the events of the input as marks, if wanted."""
    if isinstance(run.result, MetricResult):
        return run.result.timeline().html()
    return run.result.timeline(events=True, inputs=with_input).html()


def graph_page(desk: Desk, texts: Mapping[str, str], *, inputs: bool = True) -> str:
    """What depends on what; with the input that rules read, if wanted."""
    reasoner = desk.reasoner(texts)
    if isinstance(reasoner, Reasoner):
        return reasoner.graph(inputs=inputs).html()
    return reasoner.graph().html()


def has_map(desk: Desk, run: SampleRun) -> bool:
    """Whether it is known where anything was."""
    return tracks_of(desk, run) is not None


def map_page(desk: Desk, run: SampleRun) -> str | None:
    """Where things were, and what held of them there; None if nothing has coordinates."""
    tracks = tracks_of(desk, run)
    if tracks is None:
        return None
    scale = run.time_scale
    dates = {} if scale is None else {"unit": scale.unit, "zone": scale.zone}
    return situation_map(tracks, held(run.result, tracks), desk.setting.areas, title="Where it holds", **dates).html()
