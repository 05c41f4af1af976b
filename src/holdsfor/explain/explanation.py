"""An explanation as text, as data, or as a page."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.nodes import Node
from holdsfor.explain.page import html_fragment, html_page
from holdsfor.explain.text import tree_text
from holdsfor.explain.wording import point_text, times_in
from holdsfor.times import TimeScale

SCHEMA = "holdsfor.explanation/1"
"""The name of the JSON format. Fields may be added, but not removed or changed."""


@dataclass(frozen=True)
class Explanation:
    """Why a situation or fact holds at a time (`holds`), or why not.

    `root` is a tree of steps down to rules and rows of the input. `query_time` is the query time of the answer, as in a
    run with these windows.
    """

    question: str
    at: str
    holds: bool
    root: Node
    query_time: int | None = None
    notes: tuple[str, ...] = ()
    time_scale: TimeScale | None = None
    basis: object = field(default=None, repr=False, compare=False)
    """The rules and rows that it was made from."""

    @property
    def headline(self) -> str:
        """One sentence."""
        return f"{self.question} {'holds' if self.holds else 'does not hold'} at {self.at}"

    def required(self, *, holds: bool) -> Explanation:
        """The explanation itself; raises HoldsforError if it explains the opposite."""
        if self.holds is not holds:
            raise HoldsforError(f"{self.headline}; ask {'why' if self.holds else 'why_not'}")
        return self

    def text(self, depth: int | None = None) -> str:
        """The explanation as an indented tree; `depth` limits its levels."""
        with times_in(self.time_scale):
            return tree_text(self, depth)

    def as_json(self) -> dict[str, Any]:
        """The explanation as plain data."""
        with times_in(self.time_scale):
            return {
                "schema": SCHEMA,
                "question": self.question,
                "at": self.at,
                "holds": self.holds,
                "query_time": self.query_time if self.time_scale is None else self.known_at,
                "notes": list(self.notes),
                "root": self.root.as_json(),
            }

    @property
    def known_at(self) -> str | None:
        """The query time as text."""
        with times_in(self.time_scale):
            return None if self.query_time is None else point_text(self.query_time)

    def json(self) -> str:
        """The explanation as JSON text."""
        return json.dumps(self.as_json(), indent=2, ensure_ascii=False)

    def html(self) -> str:
        """The explanation as a self-contained page that can be folded."""
        with times_in(self.time_scale):
            return html_page(self)

    def fragment(self) -> str:
        """The explanation as a piece of HTML, to be put into a page."""
        with times_in(self.time_scale):
            return html_fragment(self)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.fragment()
