"""A diff as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from holdsfor.review.diff_text import headline, totals_rows, what_changes

if TYPE_CHECKING:
    from holdsfor.review.diff import Diff


def diff_markdown(found: Diff, limit: int, why: Collection[int], title: str) -> str:
    """Totals, the largest differences, and the reasons of some, folded."""
    return "\n".join(_lines(found, limit, why, title)) + "\n"


def _lines(found: Diff, limit: int, why: Collection[int], title: str) -> Iterator[str]:
    yield f"### {title}"
    yield ""
    yield f"**{headline(found)}**"
    yield ""
    yield f"Edited: {_names(found.changed)}. Evaluated: {_names(found.reached)}. Not affected: {_names(found.not_affected)}."
    if not found:
        return
    yield ""
    yield from table(totals_rows(found.by_fluent, found.line, "fluent"))
    yield ""
    rows = [
        [str(one.number), f"{code(str(one.subject))} {one.change}", code(what_changes(one, found.line))]
        for one in found[:limit]
    ]
    yield from table([["", "what", "when"], *rows], left=3)
    if len(found) > limit:
        yield ""
        yield f"… and {len(found) - limit:,} more."
    for number in why:
        one, reason = found[number - 1], found.why(number)
        yield ""
        yield f"<details><summary>Why {number}: <code>{escaped(str(one.subject))}</code> {one.change}</summary>"
        yield ""
        for cause in reason.causes:
            place = f" {code(cause.place)}" if cause.file else ""
            yield f"- {cause.side}{place}: {code(cause.does)}"
        yield ""
        yield from fenced(reason.why.text())
        if reason.why_not is not None:
            yield from fenced(reason.why_not.text())
        yield "</details>"


def _names(names: Sequence[str]) -> str:
    return ", ".join(code(name) for name in names) or "nothing"


def code(text: str) -> str:
    """Text as it is, in a cell of a table.

    >>> code("a|b"), code("")
    ('`a\\\\|b`', '')
    """
    if not text:
        return ""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")


def escaped(text: str) -> str:
    """Text between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def table(rows: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    """A table with a head; the first columns stand to the left, the others to the right."""
    head, *rest = rows
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' if place < left else '--:' for place in range(len(head)))} |"
    for row in rest:
        yield f"| {' | '.join(row)} |"


def fenced(text: str) -> Iterator[str]:
    """Text in a code block."""
    fence = "```" if "```" not in text else "~~~~"
    yield fence
    yield text.rstrip("\n")
    yield fence
