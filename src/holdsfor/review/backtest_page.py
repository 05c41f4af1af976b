"""A backtest as a self-contained page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from holdsfor.review.backtest_forms import headline, lag_text, mistake_text, percent, score_rows
from holdsfor.review.page import cards, fragment, html_table, picture, whole_page

if TYPE_CHECKING:
    from holdsfor.review.backtest import Backtest, Mistake

_LANES = 15


def backtest_page(found: Backtest, limit: int, why: int) -> str:
    """The whole page."""
    return whole_page("How well the rules agree with the labels", backtest_fragment(found, limit, why))


def backtest_fragment(found: Backtest, limit: int, why: int) -> str:
    """The same as a piece of a page."""
    return fragment(_parts(found, limit, why))


def _parts(found: Backtest, limit: int, why: int) -> Iterator[str]:
    score = found.score
    yield "<h1>How well the rules agree with the labels</h1>"
    yield f"<p>{escape(headline(found))}</p>"
    yield from (f'<p class="soft">{escape(note)}</p>' for note in found.notes)
    shown = [(percent(score.precision), "precision"), (percent(score.recall), "recall"), (percent(score.f1), "F1")]
    if not score.points:
        shown += [
            (percent(score.time_precision), "time precision"),
            (percent(score.time_recall), "time recall"),
            (percent(score.time_f1), "time F1"),
        ]
    shown += [(lag_text(found.lags[0], found.line), "median start lag")]
    yield cards(shown)
    if found.false_alarms or found.misses:
        yield picture(found.timeline(_LANES).svg())
    yield "<h2>By fluent</h2>"
    yield html_table(score_rows(found.by_fluent, found.line, "fluent"))
    if len(found.by_entity) > 1:
        yield "<h2>By entity, the worst first</h2>"
        yield html_table(score_rows(found.by_entity[:limit], found.line, "entity"))
        yield _more(len(found.by_entity), limit)
    for title, mistakes in (("False alarms", found.false_alarms), ("Misses", found.misses)):
        if mistakes:
            yield f"<h2>{title}, the worst first</h2>"
        for one in mistakes[:limit]:
            yield _mistake(found, one, with_reason=one.number <= why)
        yield _more(len(mistakes), limit)


def _more(count: int, limit: int) -> str:
    return f'<p class="soft">… and {count - limit:,} more</p>' if count > limit else ""


def _mistake(found: Backtest, one: Mistake, *, with_reason: bool) -> str:
    line = (
        f'<span class="soft">{one.number}</span> <span class="tag bad">{one.kind}</span>'
        f"<code>{escape(mistake_text(one, found.line))}</code>"
    )
    if not with_reason:
        return f"<p>{line}</p>"
    return f"<details><summary>{line}</summary>{found.why(one).fragment()}</details>"
