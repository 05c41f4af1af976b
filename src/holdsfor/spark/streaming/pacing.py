"""When a new pane begins, and when the whole window is worked out anew. All buckets must do the same, so the driver decides.

The last pane goes on until it has an eighth of all rows in the window: then what comes in costs little to work out, and
keys to which nothing happens are seldom looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.engine.retention import retention
from holdsfor.ir import IntervalRule
from holdsfor.spark.job import _compiled
from holdsfor.spark.streaming.clock import Windows

LEAST = 4096
"""So many rows must have come in before a pane ends."""
_SHARE = 8
_DEAR = 1.2
"""Working out what changes may cost this much more than working out everything."""
_DECAY = 0.8
"""How fast it is forgotten how much changes cost while everything is worked out anew."""
_MORE_VALUES = 20_000
"""So many constants may be kept that nobody uses any more, and as many as there were in use."""


@lru_cache(maxsize=8)
def is_keyed(program: bytes, windows: Windows) -> bool:
    """Whether keys of a program are worked out only when something changes for them.

    Rules about time-points of the past must be asked again when fluents change there that whole intervals decide, or
    when input fills a domain: that is left to working out everything.
    """
    plan = _compiled(program)
    if windows.size <= windows.step or plan.has_metric_rules or plan.domain_readers:
        return False
    kept = retention(plan)
    read = {
        condition.symbol
        for rule in plan.analysis.program.rules
        if not isinstance(rule, IntervalRule)
        for condition in conditions(rule.body, plan.analysis.entities)
    }
    return not read & (kept.unsettled | kept.derivable)


@dataclass(frozen=True)
class Pace:
    """Panes begin at `begins`, and `rows` have come in during each. A row that came in made `again` occurrences be gone
    through lately, of `held` in the window. There were `values` constants when everything was worked out, `known` now.
    """

    begins: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    again: float = 0.0
    held: int = 0
    values: int = 0
    known: int = 0

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Pace:
        """The pace that was written down."""
        return cls(**{**found, "begins": tuple(found["begins"]), "rows": tuple(found["rows"])})

    def data(self) -> dict[str, Any]:
        """The pace, to be written down."""
        return asdict(self)

    def is_anew(self, rows: int) -> bool:
        """Whether to work out everything, when so many rows have come in."""
        return self.held > 0 and (self.again * rows > _DEAR * self.held or self.known > 2 * self.values + _MORE_VALUES)

    def asked(
        self,
        queries: Sequence[int],
        rows: int,
        windows: Windows,
        origin: int,
        *,
        is_first: bool,
        is_anew: bool,
        last: int | None = None,
    ) -> tuple[frozenset[int], Pace]:
        """The query times before which a new pane begins, and the panes after them.

        `last` is the query time that was asked before these. Where some are left out, a pane ends.
        """
        begins, counts = list(self.begins) or [origin - 1], list(self.rows) or [0]
        rolls = []
        for place, query in enumerate(queries):
            previous = query - windows.step
            is_after_gap = last is not None and previous > last
            last = query
            if is_anew:
                begins, counts = begins[:1], [sum(counts)]
            elif (place or not is_first) and (
                is_after_gap or _is_over(begins, counts, previous, windows, several=len(queries) > 1)
            ):
                rolls.append(query)
                begins.append(previous)
                counts.append(0)
            counts[-1] += rows // len(queries)
            while len(begins) > 1 and begins[1] <= query - windows.size:
                begins.pop(0)
                counts.pop(0)
        return frozenset(rolls), replace(self, begins=tuple(begins), rows=tuple(counts))

    def learned(self, notes: Iterable[Mapping[str, Any]], rows: int, *, is_anew: bool, is_usual: bool) -> Pace:
        """The pace after what the buckets have to say; only usual turns tell what changes cost."""
        listed = [note for note in notes if "held" in note]
        held, gone, known = (sum(note[name] for note in listed) for name in ("held", "gone", "values"))
        again = gone / max(1, rows) if is_usual else self.again * (_DECAY if is_anew else 1)
        values = known if is_anew or not self.values else self.values
        return replace(self, again=again, held=held, known=known, values=values)


def _is_over(begins: list[int], counts: list[int], now: int, windows: Windows, *, several: bool) -> bool:
    """Whether the last pane ends at a query time. If many are asked at once, all that counts is how long it is."""
    length = now - begins[-1]
    if several and length * _SHARE >= windows.size:
        return length > 0
    return length > 0 and (length >= windows.size or counts[-1] >= max(LEAST, sum(counts) // _SHARE))
