"""Pictures of a run: its timeline with the events of the input, its map, and the graph of its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.kernels import Ints
from holdsfor.engine.report import Texts
from holdsfor.engine.stream import EventColumns
from holdsfor.loading import Reasoner
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result
from holdsfor.viz.map import situation_map
from holdsfor.viz.timeline import Timeline
from holdsfor.viz.timeline_chart import Chart, Kind, Points, bounds
from holdsfor.viz.timeline_collect import _natural
from holdsfor.workbench.desk import Desk, Run
from holdsfor.workbench.tracks import held, tracks_of


def timeline_page(run: Run, *, with_input: bool = True) -> str:
    """What holds when; with the events of the input as marks, if wanted."""
    if isinstance(run.result, MetricResult):
        return run.result.timeline().html()
    picture = run.result.timeline(events=True)
    return Timeline(_with_input(picture.chart, run.result) if with_input else picture.chart).html()


def graph_page(desk: Desk, texts: Mapping[str, str], *, inputs: bool = True) -> str:
    """What depends on what; with the input that rules read, if wanted."""
    reasoner = desk.reasoner(texts)
    if isinstance(reasoner, Reasoner):
        return reasoner.graph(inputs=inputs).html()
    return reasoner.graph().html()


def has_map(desk: Desk, run: Run) -> bool:
    """Whether it is known where anything was."""
    return tracks_of(desk, run) is not None


def map_page(desk: Desk, run: Run) -> str | None:
    """Where things were, and what held of them there; None if nothing has coordinates."""
    tracks = tracks_of(desk, run)
    if tracks is None:
        return None
    return situation_map(tracks, held(run.result, tracks), desk.setting.areas, title="Where it holds").html()


# Events of the input


def _with_input(chart: Chart, result: Result) -> Chart:
    """A chart with a lane for each event of the input and each thing that it is about."""
    stream, texts = result._input()._stream, result._texts
    labels, groups, kinds = list(chart.labels), list(chart.groups), list(chart.kinds)
    parts = [(chart.points.lane, chart.points.kind, chart.points.time)]
    for symbol, events in stream.events.items():
        lane, names, things = _lanes(symbol, events, texts)
        time = (events.time - chart.clock.origin).astype(np.float64)
        parts.append((lane + len(labels), np.full(len(time), len(kinds)), time))
        labels += names
        groups += things
        kinds.append(Kind(symbol.name))
    lane, kind, time = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = _in_order(labels, groups, len(chart.labels))
    to = np.empty(len(order), np.int64)
    to[order] = np.arange(len(order))
    spans = replace(chart.spans, lane=to[chart.spans.lane]).in_order()
    points = Points(to[lane], kind, time)
    points = points.take(np.lexsort((points.time, points.lane)))
    low, high = bounds(spans, points, chart.clock)
    is_empty = not len(chart.spans) and not len(chart.points)
    return replace(
        chart,
        labels=[labels[at] for at in order],
        groups=[groups[at] for at in order],
        kinds=kinds,
        spans=spans,
        points=points,
        low=low if is_empty else min(low, chart.low),
        high=high if is_empty else max(high, chart.high),
    )


def _lanes(symbol: Symbol, events: EventColumns, texts: Texts) -> tuple[Ints, list[str], list[str]]:
    """The lane of each event, what the lanes are called, and the things that they are about."""
    if not events.args:
        return np.zeros(len(events.time), np.int64), [symbol.name], [""]
    codes, lane = np.unique(events.args[0], return_inverse=True)
    things: list[str] = texts.values(codes).to_pylist()
    more = ",…" if len(events.args) > 1 else ""
    return lane.astype(np.int64), [f"{symbol.name}({thing}{more})" for thing in things], things


def _in_order(labels: Sequence[str], groups: Sequence[str], fluents: int) -> list[int]:
    """Lanes of a thing stand together, events behind what follows from them."""
    return sorted(range(len(labels)), key=lambda at: (_natural(groups[at]), at >= fluents, _natural(labels[at])))
