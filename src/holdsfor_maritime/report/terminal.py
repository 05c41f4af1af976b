"""The report as text for a terminal."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdsfor.viz.colours import colour
from holdsfor_maritime.report.findings import QUIET, Busy, Findings
from holdsfor_maritime.report.words import duration
from holdsfor_maritime.rules import SITUATIONS

_VESSELS = 9
_WIDE = 142
"""The least width in columns for the descriptions of situations."""
_SHADES = {one.name: colour(number) for number, one in enumerate(SITUATIONS)}
_TITLES = {one.name: one.title for one in SITUATIONS}
_GOOD, _FAIR = 0.8, 0.5


def print_summary(findings: Findings, console: Console) -> None:
    """Prints counts, quality, the vessels with most situations, and durations."""
    first, last = (datetime.fromtimestamp(at, UTC) for at in findings.span)
    console.print(
        f"\n[bold]{findings.reports:,} position reports[/] of {len(findings.vessels):,} vessels → "
        f"[bold]{len(findings.known):,} situations[/]\n[dim]{first:%d %b %Y %H:%M} to {last:%d %b %Y %H:%M} UTC[/]\n"
    )
    console.print(_situations(findings, console.width))
    if findings.scores:
        console.print("[dim]recall and precision by time, against what the generator says that happened[/]")
    console.print()
    console.print(_vessels(findings, console.width))
    took = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in findings.seconds.items())
    console.print(f"\n[dim]{took}[/]")


def _situations(findings: Findings, width: int) -> Table:
    """A row for each situation; recall and precision if the truth is known."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("situation", no_wrap=True)
    for name in ("found", "vessels", "typically"):
        table.add_column(name, justify="right", no_wrap=True)
    by_name = {score.situation: score for score in findings.scores}
    for name in ("recall", "precision") if by_name else ():
        table.add_column(name, justify="right", no_wrap=True)
    if width >= _WIDE:
        table.add_column("what it is", style="dim", no_wrap=True)
    for one in findings.counts:
        quality: list[Text] = []
        if by_name:
            score = by_name.get(one.situation)
            quality = [Text("")] * 2 if score is None else [_part(score.time_recall), _part(score.time_precision)]
        table.add_row(
            Text.assemble(("■ ", _SHADES[one.situation]), one.title),
            f"{one.intervals:,}",
            f"{one.vessels:,}",
            duration(one.median_minutes * 60) if one.intervals else "",
            *quality,
            *([one.meaning] if width >= _WIDE else []),
        )
    return table


def _part(part: float) -> Text:
    if math.isnan(part):
        return Text("–", style="dim")
    return Text(f"{part:.2f}", style="green" if part >= _GOOD else "yellow" if part >= _FAIR else "red")


def _vessels(findings: Findings, width: int) -> Table:
    """Vessels of all kinds of situations, each with a time-line of blocks in the colours of the table above."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("vessel", no_wrap=True, max_width=14)
    table.add_column("type", style="dim", no_wrap=True)
    table.add_column("when it was in which situation", no_wrap=True)
    if width >= _WIDE:
        table.add_column("which", style="dim", no_wrap=True)
    cells = 60 if width >= _WIDE else min(max(width - 30, 20), 90)
    for one in findings.varied(_VESSELS):
        kinds = ", ".join(_TITLES[name].lower() for name in sorted(one.kinds, key=lambda name: -one.kinds[name]))
        line = _line(findings, one, cells)
        table.add_row(one.name or str(one.vessel), one.type, line, *([kinds] if width >= _WIDE else []))
    return table


def _line(findings: Findings, one: Busy, count: int) -> Text:
    begin, end = findings.span
    width = max(end - begin, 1) / count
    cells = [("·", "dim")] * count
    mine = findings.sides.filter(pc.equal(findings.sides["vessel"], one.vessel)).to_pylist()
    # Long ones first, so that short ones are not covered.
    for row in sorted(mine, key=lambda row: row["start"] - row["end"]):
        first = int((max(row["start"], begin) - begin) / width)
        last = int((min(row["end"], end) - begin - 1) / width)
        block = "▂" if row["situation"] in QUIET else "█"
        for cell in range(min(first, count - 1), min(max(last, first), count - 1) + 1):
            cells[cell] = (block, _SHADES[row["situation"]])
    return Text.assemble(*cells)
