"""`Since`: what holds for as long as something has gone on since something else.

At t, `left Since[a,b] right` asks for a point t' with t - t' in [a,b] at which `right` holds, and for `left` at all
points strictly between. Both t' and t then lie in one interval of `left`, its end-points included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.metric.rules import Lasting, Scan
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Frame, Numbers
from holdsfor.engine.metric.facts import Facts, maximal
from holdsfor.engine.metric.joins import END, START, overlap, scanned, times
from holdsfor.engine.metric.operators import Offsets, closed, mirrored, reached
from holdsfor.engine.tables import FOREVER

_FIRST, _LAST = "#first", "#last"


@dataclass(frozen=True)
class Since:
    """A rule with its distances in ticks."""

    rule: Lasting
    offsets: Offsets

    def solve(self, left: Facts, right: Facts, dictionary: Dictionary) -> Facts:
        """Where the rule holds, not maximal; the facts of the left side are maximal."""
        if self.rule.is_until:
            return mirrored(self._kept(self._promised(mirrored(left), mirrored(right), dictionary), dictionary))
        return self._kept(self._promised(left, right, dictionary), dictionary)

    def solve_armed(self, armed: Facts, left: Facts, low: int, dictionary: Dictionary) -> Facts:
        """Where the rule holds from `low` on because of what was armed before: as long as the left side goes on."""
        return self._kept(self._rearmed(armed, left, low, dictionary), dictionary)

    def arm(self, armed: Facts, left: Facts, right: Facts, slice_: tuple[int, int], dictionary: Dictionary) -> Facts:
        """Where the rule will hold after a slice of time if the left side goes on, which it does until then at least."""
        low, high = slice_
        ongoing = left.take(left.end >= high)
        promised = [self._promised(ongoing, right, dictionary), self._rearmed(armed, ongoing, low, dictionary)]
        return maximal([self._columns(frame, dictionary).clipped(high, int(FOREVER)) for frame in promised])

    def _promised(self, left: Facts, right: Facts, dictionary: Dictionary) -> Frame:
        """Where the rule holds if the left side goes on, with the interval in which it is known to."""
        together = overlap(scanned(self.rule.right, right, dictionary), self._spans(left, dictionary), dictionary)
        distances = self.offsets.mirrored() if self.rule.is_until else self.offsets
        start, end = reached(times(together, START), times(together, END), distances)
        return together.with_columns({START: Numbers(start), END: Numbers(end)})

    def _rearmed(self, armed: Facts, left: Facts, low: int, dictionary: Dictionary) -> Frame:
        """The same of what was armed before `low`. Armed rows begin there, and so does what they are joined with."""
        lasting = left.take((left.start < low) & (left.end > low))
        spans = self._spans(lasting, dictionary)
        endless = {START: Numbers(np.full(spans.rows, -FOREVER)), END: Numbers(np.full(spans.rows, FOREVER))}
        waiting = scanned(Scan(self.rule.head, self.rule.columns), armed, dictionary)
        return overlap(waiting, spans.with_columns(endless), dictionary)

    def _spans(self, left: Facts, dictionary: Dictionary) -> Frame:
        """The left side's intervals with their end-points, which stay with every row that is joined with them."""
        frame = scanned(self.rule.left, closed(left), dictionary)
        return frame.with_columns({_FIRST: frame.columns[START], _LAST: frame.columns[END]})

    def _kept(self, promised: Frame, dictionary: Dictionary) -> Facts:
        """What the left side keeps of a promise."""
        facts = self._columns(promised, dictionary)
        return facts.during(
            np.maximum(facts.start, times(promised, _FIRST)), np.minimum(facts.end, times(promised, _LAST))
        )

    def _columns(self, frame: Frame, dictionary: Dictionary) -> Facts:
        args = tuple(codes_of(frame.columns[var.name], dictionary) for var in self.rule.columns)
        return Facts(args, times(frame, START), times(frame, END))
