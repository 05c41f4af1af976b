"""`diff`: the effect of an edit of rules."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli import inputs
from holdsfor.cli.common import friendly_errors, write_output
from holdsfor.cli.options import OutputOption
from holdsfor.cli.times import UnitOption, whole
from holdsfor.diagnostics import HoldsforError, Source

if TYPE_CHECKING:
    from holdsfor.review.diff import Diff
    from holdsfor.review.programs import AnyReasoner


class Style(StrEnum):
    """Forms of a diff."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"


STYLES = {".txt": Style.TEXT, ".json": Style.JSON, ".html": Style.HTML, ".md": Style.MARKDOWN}
_MOST_REASONS = 50


def diff(
    what: Annotated[
        list[str],
        typer.Argument(
            help="Two rule files or folders; or one or two git revisions, followed by -- and the files and folders to compare. "
            "REVISION:PATH is a file or folder as git has it.",
            metavar="OLD NEW | REVISION… -- PATH…",
        ),
    ],
    events: inputs.EventsOption = [],  # noqa: B006
    background: inputs.BackgroundOption = [],  # noqa: B006
    mapping: inputs.MappingOption = None,
    unit: UnitOption = None,
    window: inputs.WindowOption = None,
    step: inputs.StepOption = None,
    start: inputs.StartOption = None,
    end: inputs.EndOption = None,
    fluent: Annotated[list[str], typer.Option("--fluent", help="Compare only these fluents and events.")] = [],  # noqa: B006
    why: Annotated[
        list[str],
        typer.Option(help="Explain a difference by its number, several as 1-5, or all; can be repeated."),
    ] = [],  # noqa: B006
    limit: Annotated[int, typer.Option(min=1, help="How many differences and entities to show.")] = 20,
    style: Annotated[Style | None, typer.Option("--format", "-f", help="text, json, html or markdown.")] = None,
    output: OutputOption = None,
    timeline: Annotated[
        Path | None, typer.Option(help="Draw what differs, before and after: a page (.html) or a picture (.svg, .png).")
    ] = None,
    fail: Annotated[bool, typer.Option("--exit-code", help="Exit with status 1 if there are differences.")] = False,
) -> None:
    """Show what an edit of rules would change: intervals that appear, disappear, grow, shrink or move, and why."""
    with friendly_errors():
        misplaced = next((word for word in what if word.startswith("-")), None)
        if misplaced is not None:
            raise HoldsforError(f"write {misplaced} before --: only files come after it")
        inputs.require_events(events)
        chosen = inputs.form_of(style, output, STYLES)
        old, new = _sides(what, background)
        from holdsfor.review.diff import diff as compare

        found = compare(
            old,
            new,
            events,
            fluents=fluent or None,
            mapping=mapping,
            unit=unit,
            window=whole("--window", window, 1),
            step=whole("--step", step, 1),
            start=whole("--start", start),
            end=whole("--end", end),
        )
        if timeline is not None:
            found.timeline(limit).save(timeline)
        write_output(_shown(found, chosen, limit, numbers(why, len(found))), output)
        if fail and found:
            raise typer.Exit(1)


def numbers(given: list[str], count: int) -> list[int]:
    """The numbers that `--why` asks for.

    >>> numbers(["2", "4-5"], 9), numbers(["all"], 3)
    ([2, 4, 5], [1, 2, 3])
    """
    found: list[int] = []
    for text in given:
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
        if text == "all":
            found += range(1, min(count, _MOST_REASONS) + 1)
        elif match is None:
            raise HoldsforError(f"--why takes a number, several as 1-5, or all; not {text!r}")
        else:
            low, high = int(match[1]), int(match[2] or match[1])
            if count and not 1 <= low <= high <= count:
                raise HoldsforError(f"--why {text}: the differences have the numbers 1 to {count}")
            found += range(low, high + 1) if count else ()
    return list(dict.fromkeys(found))


def _shown(found: Diff, style: Style, limit: int, why: list[int]) -> str:
    match style:
        case Style.JSON:
            return found.json(why)
        case Style.HTML:
            return found.html(max(limit, 100), why or None)
        case Style.MARKDOWN:
            return found.markdown(limit, why)
        case _:
            return found.text(limit, why)


def _sides(what: list[str], background: list[Path]) -> tuple[AnyReasoner, AnyReasoner]:
    from holdsfor.review.programs import program_of

    old, new = _sources(what)
    return program_of(old, background or None), program_of(new, background or None)


def _sources(what: list[str]) -> tuple[list[Source], list[Source]]:
    """The texts of both sides: two files or folders, or revisions and the paths after them."""
    from holdsfor.review.git import is_revision, require_revision, sources_at
    from holdsfor.review.programs import sources

    first = what[0]
    is_file = Path(first).exists() or ":" in first
    if not is_file:
        require_revision(first, Path.cwd())
        is_second = len(what) > 2 and not Path(what[1]).exists() and is_revision(what[1], Path.cwd())
        paths = what[2:] if is_second else what[1:]
        if not paths:
            raise HoldsforError(f"say which rules to compare: holdsfor diff {first} -- rules/")
        old = [source for path in paths for source in sources_at(first, Path(path))]
        if is_second:
            return old, [source for path in paths for source in sources_at(what[1], Path(path))]
        return old, [source for path in paths for source in sources(path)]
    if len(what) != 2:
        raise HoldsforError(
            "diff takes two files or folders, OLD and NEW; of several files, compare their folders, "
            "or a revision: holdsfor diff main -- a.prolog b.prolog"
        )
    return sources(first), sources(what[1])
