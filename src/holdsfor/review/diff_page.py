"""A diff as a self-contained page."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape
from typing import TYPE_CHECKING

from holdsfor.review.comparing import Difference, DifferenceKind
from holdsfor.review.diff_text import headline, totals_rows, what_changes
from holdsfor.review.page import cards, fragment, html_table, picture, whole_page
from holdsfor.review.reasons import Reason

if TYPE_CHECKING:
    from holdsfor.review.diff import Diff

_LOOKS = {
    DifferenceKind.APPEARS: "good",
    DifferenceKind.DISAPPEARS: "bad",
    DifferenceKind.GROWS: "good",
    DifferenceKind.SHRINKS: "bad",
}
_LANES = 20


def diff_page(found: Diff, limit: int, why: Collection[int]) -> str:
    """The whole page."""
    return whole_page("What the rules would change", diff_fragment(found, limit, why))


def diff_fragment(found: Diff, limit: int, why: Collection[int]) -> str:
    """The same as a piece of a page."""
    return fragment(_parts(found, limit, why))


def _parts(found: Diff, limit: int, why: Collection[int]) -> Iterator[str]:
    yield "<h1>What the rules would change</h1>"
    yield f"<p>{escape(headline(found))}</p>"
    yield f'<p class="soft">Edited: {_names(found.changed)}. Evaluated: {_names(found.reached)}. '
    yield f"Not affected: {_names(found.not_affected)}.</p>"
    if not found:
        return
    yield cards(
        (f"{sum(one.counts[change] for one in found.by_fluent):,}", _words(change))
        for change in DifferenceKind
        if any(one.counts[change] for one in found.by_fluent)
    )
    yield picture(found.timeline(_LANES).svg())
    yield "<h2>By fluent</h2>"
    yield html_table(totals_rows(found.by_fluent, found.line, "fluent"))
    if len(found.by_entity) > 1:
        yield "<h2>By entity</h2>"
        yield html_table(totals_rows(found.by_entity[:limit], found.line, "entity"))
        yield _more(len(found.by_entity), limit)
    yield "<h2>Differences, the largest first</h2>"
    for one in found[:limit]:
        yield _difference(found, one, found.why(one.number) if one.number in why else None)
    yield _more(len(found), limit)


def _words(change: DifferenceKind) -> str:
    return {DifferenceKind.APPEARS: "appear", DifferenceKind.DISAPPEARS: "disappear"}.get(
        change, str(change).removesuffix("s")
    )


def _names(names: Collection[str]) -> str:
    return ", ".join(f"<code>{escape(name)}</code>" for name in names) or "nothing"


def _more(count: int, limit: int) -> str:
    return f'<p class="soft">… and {count - limit:,} more</p>' if count > limit else ""


def _difference(found: Diff, one: Difference, reason: Reason | None) -> str:
    look = _LOOKS.get(one.change, "other")
    line = (
        f'<span class="soft">{one.number}</span> <span class="tag {look}">{one.change}</span>'
        f"<code>{escape(str(one.subject))}</code> {escape(what_changes(one, found.line))}"
    )
    if reason is None:
        return f"<p>{line}</p>"
    return f"<details><summary>{line}</summary>{''.join(reason_parts(reason))}</details>"


def reason_parts(reason: Reason) -> Iterator[str]:
    """Why, in both programs side by side."""
    other = "new" if reason.holds_in == "old" else "old"
    yield f"<p>At {escape(reason.at)} it holds in {reason.holds_in}, and not in {other}.</p>"
    if reason.causes:
        yield '<ul class="causes">'
        for cause in reason.causes:
            place = f" <code>{escape(cause.place)}</code>" if cause.file else ""
            yield f"<li>{cause.side}{place}: {escape(cause.does)}"
            yield f"<br><code>{escape(' '.join(cause.text.split()))}</code></li>" if cause.text else "</li>"
        yield "</ul>"
    yield f'<div class="two"><div><b>{reason.holds_in}</b>{reason.why.fragment()}</div>'
    yield f"<div><b>{other}</b>{reason.why_not.fragment()}</div></div>" if reason.why_not else "</div>"
