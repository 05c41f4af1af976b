"""The page of the rule language, topic by topic."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import holdsfor
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError

_HEAD = re.compile(r"^(#{2,3}) (.+)$")


@cache
def page() -> str:
    """The page: an installation has it beside this file, a checkout among its documents."""
    beside = files("holdsfor.verifier").joinpath("language.md")
    if beside.is_file():
        return beside.read_text(encoding="utf-8")
    return (Path(holdsfor.__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")


@cache
def _sections() -> dict[str, str]:
    """The text below each heading, down to the next one of the same level; the introduction is called so."""
    lines, heads, inside = page().splitlines(), [], False
    for place, line in enumerate(lines):
        inside ^= line.startswith("```")
        found = None if inside else _HEAD.match(line)
        if found is not None:
            heads.append((place, len(found[1]), found[2]))
    sections = {"Introduction": "\n".join(lines[: heads[0][0]])}
    for number, (place, level, title) in enumerate(heads):
        end = next((other for other, depth, _ in heads[number + 1 :] if depth <= level), len(lines))
        sections[title] = "\n".join(lines[place:end])
    return {title: text.strip() for title, text in sections.items()}


def topics() -> list[str]:
    """The topics that there are."""
    return list(_sections())


def about(topic: str) -> str:
    """The text of a topic."""
    known = {title.lower(): title for title in _sections()}
    wanted = topic.strip().lower()
    inside = [title for lower, title in known.items() if wanted in lower]
    title = known.get(wanted) or (inside[0] if wanted and inside else None)
    if title is None:
        close = suggest(wanted, set(known))
        hint = f"did you mean {known[close]!r}?" if close else f"there are {', '.join(map(repr, topics()))}"
        raise HoldsforError(f"there is no topic {topic!r}; {hint}")
    return _sections()[title]
