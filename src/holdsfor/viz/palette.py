"""Colours and words that all notations share, and text that is safe in any of them."""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from holdsfor.compiler.analysis.entities import Role
from holdsfor.viz.view import Granularity, GraphNode, PredicateRole


class Paint(NamedTuple):
    """The appearance of nodes of a role, with a name for style classes."""

    name: str
    fill: str
    stroke: str
    title: str


INK = "#1f2933"
FAINT = "#5f6b7a"
PAPER = "#ffffff"
BAND = "#f5f7fa"
LINE = "#5b6875"
CYCLE = "#b42318"
CYCLE_FILL = "#fdf1ef"
BOX = "#8492a6"
BOX_FILL = "#e9edf2"

MIXED = Paint("mixed", "#efe8fa", "#6f4fb0", "several roles")
PAINTS: dict[Role | PredicateRole | None, Paint] = {
    Role.INPUT_EVENT: Paint("signal", "#fffdf5", "#a8895a", "input event"),
    Role.INPUT_FLUENT: Paint("input", "#ffffff", "#6b7785", "input fluent"),
    Role.SIMPLE_FLUENT: Paint("simple", "#dcebfb", "#2566ad", "simple fluent"),
    Role.STATIC_FLUENT: Paint("static", "#dcf2e3", "#23794a", "statically determined fluent"),
    Role.METRIC_FLUENT: Paint("metric", "#fde4ee", "#a3356b", "metric predicate"),
    Role.DERIVED_EVENT: Paint("event", "#ffeccc", "#a86200", "derived event"),
    PredicateRole.INPUT: Paint("given", "#ffffff", "#6b7785", "input predicate"),
    PredicateRole.DERIVED: Paint("derived", "#dcf2e3", "#23794a", "derived predicate"),
    None: MIXED,
}
GRANULARITIES: dict[Granularity, str] = {
    "pairs": "fluent-value pairs",
    "fluents": "fluents",
    "components": "components",
    "predicates": "predicates",
}

# Characters that XML forbids, and surrogates, which cannot be encoded.
_UNPRINTABLE = re.compile("[^\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def paint(node: GraphNode) -> Paint:
    """The paint of a node."""
    return PAINTS.get(node.role, MIXED)


def plain(text: str) -> str:
    """Text on one line, without characters that a notation cannot represent.

    >>> plain("two\\nlines \\x00")
    'two lines �'
    """
    if text.isprintable():
        return text
    return _UNPRINTABLE.sub("\ufffd", re.sub(r"\s", " ", text))


def shorten(text: str, limit: int = 48) -> str:
    """Shortens a long text in the middle, because names often differ at their end.

    >>> shorten("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def cells(text: str) -> int:
    """The width of a text in cells of a monospaced font.

    >>> cells("abc"), cells("速度"), cells("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def caption(*, cyclic: bool) -> str:
    """The caption of the box of a component."""
    return "cyclic component" if cyclic else "processed together"


def count_of(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "node"), count_of(2000, "node")
    ('1 node', '2,000 nodes')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
