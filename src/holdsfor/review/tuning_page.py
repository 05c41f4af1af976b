"""A tuning as a self-contained page, with a curve of precision against recall."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from holdsfor.review.backtest_forms import percent
from holdsfor.review.page import cards, fragment, html_table, picture, whole_page
from holdsfor.review.tuning_forms import headline, measures, rows, values_text

if TYPE_CHECKING:
    from holdsfor.review.tuning import TunedSetting, Tuning

_WIDTH, _HEIGHT = 720, 520
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 64, 56
_FIT, _HELD = "#0b63ce", "#c2410c"
_STYLE = """
.holdsfor-curve text{font:12px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#1f2933}
.holdsfor-curve .faint{fill:#5f6b7a}.holdsfor-curve .title{font-size:14px;font-weight:600}
.holdsfor-curve .grid{stroke:#d5dbe3;stroke-width:1px}
""".strip()


def tuning_page(found: Tuning) -> str:
    """The whole page."""
    return whole_page("Which constants agree best with the labels", tuning_fragment(found))


def tuning_fragment(found: Tuning) -> str:
    """The same as a piece of a page."""
    return fragment(_parts(found))


def _parts(found: Tuning) -> Iterator[str]:
    best = found.best
    yield "<h1>Which constants agree best with the labels</h1>"
    yield f"<p>{escape(headline(found))}</p>"
    yield from (f'<p class="soft">{escape(note)}</p>' for note in found.notes)
    yield cards(
        [
            (values_text(found, best), "best setting"),
            (percent(measures(best.fit, found.by)[2]), "F1 where it was chosen"),
            (percent(measures(best.held, found.by)[2]), "F1 on what was held out"),
            (percent(measures(found.current.held, found.by)[2]), "F1 of the present setting there"),
        ]
    )
    yield picture(curve_svg(found))
    yield "<h2>Settings, the best first</h2>"
    yield html_table(rows(found, 50))


def curve_svg(found: Tuning) -> str:
    """Precision against recall: a point for each setting on the part it was chosen on, and on what was held out."""
    return "\n".join(_curve(found)) + "\n"


def _curve(found: Tuning) -> Iterator[str]:
    title = f"Precision and recall by {found.by}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" class="holdsfor-curve" role="img" aria-label="{title}">'
    )
    yield f"<title>{title}</title><desc>{escape(headline(found))}</desc><style>{_STYLE}</style>"
    yield '<rect width="100%" height="100%" fill="#fff"/>'
    yield f'<text class="title" x="20" y="26">{title}</text>'
    for place, (fill, text) in enumerate(((_FIT, f"before {found.cut}, chosen on"), (_HELD, "after that, held out"))):
        left = 20 + 240 * place
        yield f'<circle cx="{left + 6}" cy="43" r="5" fill="{fill}"/><text x="{left + 18}" y="47">{escape(text)}</text>'
    for step in range(6):
        part = step / 5
        x, y = _at(part, part)
        yield f'<path class="grid" d="M{x:.1f},{_TOP}V{_HEIGHT - _BOTTOM}M{_LEFT},{y:.1f}H{_WIDTH - _RIGHT}"/>'
        yield f'<text class="faint" x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{100 * part:.0f} %</text>'
        yield f'<text class="faint" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{100 * part:.0f} %</text>'
    yield f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">recall</text>'
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    yield f'<text x="18" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 18 {middle:.0f})">precision</text>'
    for is_held, fill in ((True, _HELD), (False, _FIT)):
        yield from _points(found, fill, is_held=is_held)
    yield from _mark(found, found.current, "now")
    yield from _mark(found, found.best, "best")
    yield "</svg>"


def _points(found: Tuning, fill: str, *, is_held: bool) -> Iterator[str]:
    known = [
        (one, *_at(recall, precision))
        for one in found.settings
        for precision, recall, _ in [measures(one.held if is_held else one.fit, found.by)]
        if not (math.isnan(precision) or math.isnan(recall))
    ]
    if len(found.parameters) == 1 and len(known) > 1:
        points = " ".join(f"{x:.1f},{y:.1f}" for _, x, y in known)
        yield f'<polyline points="{points}" fill="none" stroke="{fill}" stroke-width="1.5" opacity="0.5"/>'
    for one, x, y in known:
        text = f"{values_text(found, one)}: {', '.join(map(percent, measures(one.held if is_held else one.fit, found.by)))}"
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}" opacity="0.6"><title>{escape(text)}</title></circle>'
        )


def _mark(found: Tuning, one: TunedSetting, name: str) -> Iterator[str]:
    for score, fill in ((one.fit, _FIT), (one.held, _HELD)):
        precision, recall, _ = measures(score, found.by)
        if math.isnan(precision) or math.isnan(recall):
            continue
        x, y = _at(recall, precision)
        side, offset = ("end", -10) if recall > 0.85 else ("start", 10)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="{fill}" stroke-width="2.5"/>'
        height = -8 if name == "best" else 16
        yield f'<text x="{x + offset:.1f}" y="{y + height:.1f}" text-anchor="{side}" style="fill:{fill}">{name}</text>'


def _at(recall: float, precision: float) -> tuple[float, float]:
    x = _LEFT + recall * (_WIDTH - _LEFT - _RIGHT)
    return x, _HEIGHT - _BOTTOM - precision * (_HEIGHT - _TOP - _BOTTOM)
