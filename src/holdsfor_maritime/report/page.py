"""The report as a self-contained page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from html import escape
from importlib import resources
from pathlib import Path
from string import Template

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.outputs import created
from holdsfor.result_tables import counted
from holdsfor.viz.colours import colour, ink_on
from holdsfor.viz.map import SituationMap, situation_map
from holdsfor.viz.timeline import Lane, Timeline, timeline
from holdsfor_maritime.report.findings import Busy, Findings
from holdsfor_maritime.report.words import duration, made_by, quality_lead, why
from holdsfor_maritime.rules import SITUATIONS

VESSELS_SHOWN = 60
"""The number of vessels with a timeline."""
_MOST = 12
_GOOD, _FAIR = 0.8, 0.5

_TITLES = {one.name: one.title for one in SITUATIONS}
_SHADES = {one.name: colour(number) for number, one in enumerate(SITUATIONS)}


def write_page(findings: Findings, path: Path) -> Path:
    """Write the report of a run to a file."""
    with created(path) as file:
        file.write(page(findings).encode())
    return path


def page(findings: Findings) -> str:
    """The report of a run as HTML."""
    shown = findings.varied(VESSELS_SHOWN)
    first, last = (datetime.fromtimestamp(at, UTC) for at in findings.span)
    lead = (
        f"{findings.reports:,} position reports of {len(findings.vessels):,} vessels, {first:%d %B %Y %H:%M} to "
        f"{last:%d %B %Y %H:%M} UTC: {len(findings.known):,} situations, found in "
        f"{duration(sum(findings.seconds.values()))}."
    )
    assets = resources.files("holdsfor_maritime.report") / "assets"
    return Template((assets / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"Situations at sea: {findings.dataset.name}"),
        style=(assets / "page.css").read_text(encoding="utf-8"),
        script=(assets / "page.js").read_text(encoding="utf-8"),
        lead=escape(lead),
        cards="".join(_cards(findings)),
        map=f'<iframe srcdoc="{escape(findings_map(findings, shown).html())}" title="Map of situations"></iframe>',
        map_note=f"The tracks of the {len(shown):,} vessels listed below, where they were in which situation, and the "
        "areas that rules ask for. Drag and use the wheel to look closer, and the slider to go through time.",
        vessel_note="When each of them was in which situation, by UTC. For each situation the vessel that was in it most often comes first, then the next of each.",
        options="".join(f'<option value="{one.vessel}">{escape(_label(one))}</option>' for one in shown),
        timelines="".join(_timelines(findings, shown)),
        most=_most(findings.busiest(_MOST)),
        quality=_quality(findings),
        run=f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{escape(text)}</dd>' for name, text in made_by(findings))}</dl>",
    )


def findings_map(findings: Findings, busy: list[Busy]) -> SituationMap:
    """The map of some vessels: tracks and situations."""
    shown = [one.vessel for one in busy]
    tracks = findings.tracks(shown)
    sides = findings.sides.filter(pc.is_in(findings.sides["vessel"], pa.array(shown, pa.int64())))
    # A trip is a whole track, and would cover what happened on it.
    sides = sides.filter(pc.not_equal(sides["situation"], "fishingTrip"))
    return situation_map(
        {"entity": tracks["vessel"], "time": tracks["time"], "lon": tracks["lon"], "lat": tracks["lat"]},
        {
            "situation": [_TITLES[name] for name in sides["situation"].to_pylist()],
            "entity": sides["vessel"],
            "start": sides["start"],
            "end": sides["end"],
        },
        findings.areas,
        title="Situations at sea",
        unit="s",
        kinds=list(_TITLES.values()),
    )


def vessel_timeline(findings: Findings, one: Busy) -> Timeline:
    """The timeline of a vessel."""
    mine = findings.sides.filter(pc.equal(findings.sides["vessel"], one.vessel)).sort_by("start")
    lanes = []
    for situation in SITUATIONS:
        rows = mine.filter(pc.equal(mine["situation"], situation.name))
        if len(rows):
            lanes.append(Lane(situation.title, rows["start"].to_numpy(), rows["end"].to_numpy(), kind=situation.title))
    return timeline(lanes, title=_label(one), span=findings.span, unit="s", kinds=list(_TITLES.values()))


def _label(one: Busy) -> str:
    return f"{one.name or 'no name'} ({one.type}, {one.vessel})"


def _timelines(findings: Findings, busy: list[Busy]) -> Iterator[str]:
    for number, one in enumerate(busy):
        hidden = " hidden" if number else ""
        drawn = vessel_timeline(findings, one)
        # It is wider than a phone, so it can be scrolled, also by keys.
        yield (
            f'<div class="vessel" data-vessel="{one.vessel}" role="region" tabindex="0" '
            f'aria-label="{escape(drawn.title)}"{hidden}>{drawn.svg(1240)}</div>'
        )


def _cards(findings: Findings) -> Iterator[str]:
    for one in findings.counts:
        how_long = f"{counted(one.vessels, 'vessel')}, {duration(one.hours * 3600)} in all" if one.intervals else "none"
        none = "" if one.intervals else " none"
        yield (
            f'<div class="card{none}" style="--kind:{_SHADES[one.situation]}"><b>{one.intervals:,}</b>'
            f"<strong>{escape(one.title)}</strong><span>{escape(one.meaning)}</span><span>{how_long}</span></div>"
        )


def _most(busy: list[Busy]) -> str:
    rows = []
    for one in busy:
        tags = "".join(
            f'<span class="tag" style="--kind:{_SHADES[name]};--text:{ink_on(_SHADES[name])}">{escape(_TITLES[name])} {number}</span>'
            for name, number in sorted(one.kinds.items(), key=lambda item: -item[1])
        )
        link = f'<a href="#{one.vessel}" data-vessel="{one.vessel}">{escape(one.name or str(one.vessel))}</a>'
        rows.append([link, escape(one.type), str(one.vessel), str(one.total), tags])
    return _table(["Name", "Type", "MMSI", "Situations", "Which"], rows, {3: "number"})


def _quality(findings: Findings) -> str:
    """Recall and precision, if there is a ground truth."""
    if not findings.scores:
        return ""
    rows = []
    for score in findings.scores:
        parts = (score.time_recall, score.time_precision, score.recall, score.precision)
        title = escape(_TITLES.get(score.situation, score.situation))
        rows.append([title, str(score.happened), str(score.found), *map(_bar, parts), escape(why(score))])
    names = ("Recall (time)", "Precision (time)", "Recall (count)", "Precision (count)")
    head = ["Situation", "Happened", "Found", *names, "Why not all"]
    return (
        f'<section id="quality"><h2>How right it is</h2><p class="note">{escape(quality_lead())}</p>'
        f"{_table(head, rows, {1: 'number', 2: 'number', 7: 'why'})}</section>"
    )


def _table(head: list[str], rows: list[list[str]], kinds: Mapping[int, str]) -> str:
    """A table in HTML. On a phone, rows are blocks: cells need labels, and roles, which blocks do not have."""
    of_kind = {at: f' class="{kind}"' for at, kind in kinds.items()}
    names = "".join(
        f'<th scope="col" role="columnheader"{of_kind.get(at, "")}>{name}</th>' for at, name in enumerate(head)
    )
    lines = []
    for row in rows:
        first, *rest = (
            f'role="{"cell" if at else "rowheader"}"{of_kind.get(at, "")} data-label="{head[at]}"><div>{cell}</div>'
            for at, cell in enumerate(row)
        )
        cells = "".join(f"<td {cell}</td>" for cell in rest)
        lines.append(f'<tr role="row"><th scope="row" {first}</th>{cells}</tr>')
    body = f'<tbody role="rowgroup">{"".join(lines)}</tbody>'
    return f'<table role="table"><thead role="rowgroup"><tr role="row">{names}</tr></thead>{body}</table>'


def _bar(part: float) -> str:
    """A number between 0 and 1, as text and as a bar."""
    if math.isnan(part):
        return "–"
    shade = "#009e73" if part >= _GOOD else "#e69f00" if part >= _FAIR else "#d55e00"
    return f'<div class="bar" style="--part:{part:.0%};--shade:{shade}">{part:.2f}<i></i></div>'
