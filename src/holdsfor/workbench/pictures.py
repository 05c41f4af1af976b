"""Pictures of a run: its timeline with the events of the input, its map, and the graph of its rules."""

from __future__ import annotations

from collections.abc import Mapping

from holdsfor.loading import Reasoner
from holdsfor.metric.result import MetricResult
from holdsfor.viz.map import situation_map
from holdsfor.workbench.desk import Desk, SampleRun
from holdsfor.workbench.tracks import held, tracks_of


def timeline_page(run: SampleRun, *, with_input: bool = True) -> str:
    """The timeline of a run, with the input events as marks on request."""
    if isinstance(run.result, MetricResult):
        return run.result.timeline().html()
    return run.result.timeline(events=True, inputs=with_input).html()


def graph_page(desk: Desk, texts: Mapping[str, str], *, inputs: bool = True) -> str:
    """The dependency graph, with the input that rules read on request."""
    reasoner = desk.reasoner(texts)
    if isinstance(reasoner, Reasoner):
        return reasoner.graph(inputs=inputs).html()
    return reasoner.graph().html()


def has_map(desk: Desk, run: SampleRun) -> bool:
    """Whether there are positions."""
    return tracks_of(desk, run) is not None


def map_page(desk: Desk, run: SampleRun) -> str | None:
    """The map of tracks and situations; None without coordinates."""
    tracks = tracks_of(desk, run)
    if tracks is None:
        return None
    scale = run.time_scale
    dates = {} if scale is None else {"unit": scale.unit, "zone": scale.zone}
    return situation_map(tracks, held(run.result, tracks), desk.setting.areas, title="Where it holds", **dates).html()
