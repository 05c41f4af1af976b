"""Shared parts of SVG pictures of data: openings and legends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from holdsfor.viz.palette import PAPER, cells, plain, shorten

MARGIN = 20.0
_LONGEST_LEGEND = 24
_CHARACTER = 6.6


def opening(name: str, width: float, height: float, title: str, description: str, style: str) -> Iterator[str]:
    """The start of a document: size, text alternative, background, title."""
    title = plain(title)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" class="{name}" role="img" aria-label={quoteattr(title)}>'
    )
    yield f"<title>{escape(title)}</title>"
    yield f"<desc>{escape(plain(description))}</desc>"
    yield f"<style>{style}</style>"
    yield f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    shown = escape(shorten(title, int(width / 8.5)))
    yield f'<text class="title" x="{MARGIN:g}" y="{MARGIN + 12:g}">{shown}</text>'


def legend(entries: Sequence[tuple[str, str]], width: float) -> tuple[list[str], float]:
    """A legend of colours in as many rows as the width requires; and its height."""
    parts: list[str] = []
    x, y = 0.0, 0.0
    more = len(entries) - _LONGEST_LEGEND
    for fill, text in [*entries[:_LONGEST_LEGEND], *([("", f"and {more:,} more")] if more > 0 else [])]:
        name = shorten(plain(text), 40)
        needed = cells(name) * _CHARACTER + 38
        if x and x + needed > width:
            x, y = 0.0, y + 20
        swatch = f'<rect y="2" width="14" height="11" rx="2.5" fill="{fill}"/>' if fill else ""
        parts.append(
            f'<g class="legend" transform="translate({MARGIN + x:.1f},{MARGIN + 24 + y:.1f})">{swatch}'
            f'<text class="small" x="{20 if fill else 0}" y="11.5">{escape(name)}</text></g>'
        )
        x += needed
    return parts, y + 22 if parts else 0.0
