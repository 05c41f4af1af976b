"""When delayed effects come about: the only thing for which time by itself has keys worked out again."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from holdsfor.compiler.plan import Stratum
from holdsfor.engine.kernels import Ints
from holdsfor.engine.numbers import LONGEST
from holdsfor.engine.state import Border
from holdsfor.incremental.ahead import Ahead
from holdsfor.incremental.sections import Sections
from holdsfor.ir import DelayRule
from holdsfor.syntax.terms import Const


class Deadlines:
    """The time-points at which attempts of delayed effects are over, and their keys."""

    def __init__(self, sections: Sections, delays: Iterable[int]) -> None:
        self._sections = sections
        self._delays = sorted(set(delays))
        self._ahead = Ahead()

    def plan(self, border: Border, now: int, moved: Ints) -> None:
        """Take in attempts that are under way. No state has those yet that what moved just now may have begun."""
        if len(moved):
            for delay in self._delays:
                self._ahead.add(np.full(len(moved), now + delay), moved)
        for symbol, tried in border.attempts.items():
            keys = self._sections.keys(symbol, tried.args, len(tried.initiated))
            for delay in self._delays:
                due = tried.initiated + delay
                coming = due >= now
                if coming.any():
                    self._ahead.add(due[coming], keys[coming])

    def due(self, now: int) -> Ints:
        """The keys for which something may come about."""
        return self._ahead.due(now)


def fixed_delays(strata: Iterable[Stratum]) -> list[int] | None:
    """The delays of all delayed effects; None if some are worked out by rules."""
    found = []
    for stratum in strata:
        for rule in stratum.rules:
            if isinstance(rule, DelayRule):
                if not isinstance(rule.delay, Const) or not isinstance(rule.delay.value, int):
                    return None
                found.append(min(rule.delay.value, LONGEST))
    return found
