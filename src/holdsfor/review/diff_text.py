"""A diff for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from holdsfor.result_tables import counted
from holdsfor.review.comparing import Difference, DifferenceKind
from holdsfor.review.reasons import Reason
from holdsfor.review.timeline_scale import TimeLine

if TYPE_CHECKING:
    from holdsfor.review.diff import Diff, DifferenceCounts

_SIGNS = {
    DifferenceKind.APPEARS: "+",
    DifferenceKind.DISAPPEARS: "-",
    DifferenceKind.GROWS: ">",
    DifferenceKind.SHRINKS: "<",
    DifferenceKind.MOVES: "~",
}


def diff_text(found: Diff, limit: int, why: Collection[int]) -> str:
    """Totals and the largest differences; with the reasons of some."""
    return "\n".join(_lines(found, limit, why)) + "\n"


def headline(found: Diff) -> str:
    """The diff in a sentence."""
    if not found:
        return "no differences"
    line = found.line
    gained, lost = int(found.differences.gained.sum()), int(found.differences.lost.sum())
    entities = counted(len(found.by_entity), "entity").replace("entitys", "entities")
    return (
        f"{counted(len(found), 'difference')} of {entities}: {line.length_text(gained)} gained, "
        f"{line.length_text(lost)} lost"
    )


def _lines(found: Diff, limit: int, why: Collection[int]) -> Iterator[str]:
    yield headline(found)
    yield f"edited: {', '.join(found.changed) or 'nothing that makes a difference'}"
    if found.reached:
        yield f"evaluated: {', '.join(found.reached)}"
    if found.not_affected:
        yield f"not affected: {', '.join(found.not_affected)}"
    if found:
        yield ""
        yield from aligned(totals_rows(found.by_fluent, found.line, "fluent"))
    if len(found.by_entity) > 1:
        yield ""
        yield from aligned(totals_rows(found.by_entity[:limit], found.line, "entity"))
        yield from _more(len(found.by_entity), limit, "entities")
    if found:
        yield ""
        for one in found[:limit]:
            yield difference_line(one, found.line)
        yield from _more(len(found), limit, "differences")
    for number in why:
        yield ""
        yield from reason_lines(found[number - 1], found.why(number), found.line)


def _more(count: int, limit: int, what: str) -> Iterator[str]:
    if count > limit:
        yield f"… and {count - limit:,} more {what}"


def totals_rows(totals: Sequence[DifferenceCounts], line: TimeLine, what: str) -> list[list[str]]:
    """Totals as rows of text, a head first."""
    head = [what, *(str(change) for change in DifferenceKind), "gained", "lost"]
    rows = [
        [
            f"{one.name}={one.value}" if one.value else one.name,
            *(f"{one.counts[change]:,}" if one.counts[change] else "" for change in DifferenceKind),
            line.length_text(one.gained) if one.gained else "",
            line.length_text(one.lost) if one.lost else "",
        ]
        for one in totals
    ]
    return [head, *rows]


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows in columns: the first to the left, the others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()


def difference_line(one: Difference, line: TimeLine) -> str:
    """`1 < slow(tern)=true shrinks: [11, 40) → [11, 20); 20 lost`"""
    return f"{one.number:>3} {_SIGNS[one.change]} {one.subject} {one.change}: {what_changes(one, line)}"


def what_changes(one: Difference, line: TimeLine) -> str:
    """The intervals before and after, and how much time that is."""
    if one.subject.is_event:
        return ", ".join(line.time_text(start) for start, _ in one.old or one.new)
    old, new = (", ".join(line.interval_text(*span) for span in spans) for spans in (one.old, one.new))
    times = [
        f"{line.length_text(length)} {word}" for length, word in ((one.gained, "gained"), (one.lost, "lost")) if length
    ]
    shown = " → ".join(part for part in (old, new) if part)
    return "; ".join([shown, *times])


def reason_lines(one: Difference, reason: Reason, line: TimeLine) -> Iterator[str]:
    """The reasons of a difference: the clauses of the edit, then both explanations."""
    yield difference_line(one, line).strip()
    other = "new" if reason.holds_in == "old" else "old"
    yield f"at {reason.at} it holds in {reason.holds_in}, and not in {other}"
    for cause in reason.causes:
        place = f" {cause.place}" if cause.file else ""
        yield f"  {cause.side}{place}: {cause.does}"
        if cause.text:
            yield f"      {' '.join(cause.text.split())}"
    yield f"{reason.holds_in}:"
    yield from (f"  {text}" for text in reason.why.text().rstrip("\n").split("\n"))
    if reason.why_not is not None:
        yield f"{other}:"
        yield from (f"  {text}" for text in reason.why_not.text().rstrip("\n").split("\n"))
