"""The programs of `cycles`, worked out one time-point after the other by the definitions, and by nothing else.

Fluents are decided in the order of their numbers, which is all that is known here of what depends on what.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tests.strategies.cycles import ANY, Condition, Delay, Pair, Program

Row = tuple[str, str, float, float]
INITIAL = -1
MOST_STEPS = 2_000


class TooLongError(Exception):
    """Delayed effects set each other off for too long."""


@dataclass(frozen=True)
class _Attempt:
    delay: Delay
    begun: int

    @property
    def due(self) -> int:
        return self.begun + self.delay.delay


def answer(program: Program, events: Iterable[tuple[int, str, str]], until: int) -> list[Row]:
    """The intervals of all fluents of all items, as known at a time-point."""
    listed = list(events)
    found: list[Row] = []
    for item in program.items:
        mine = [(time, name) for time, name, other in listed if other == item]
        initial = {pair for other, pair in program.initial if other == item}
        shown = f"({item})" if item else ""
        run = _Run(program, mine, initial)
        found += [(f"f{f}{shown}", value, start, end) for f, value, start, end in run.go(until)]
    return sorted(found)


class _Run:
    """One item."""

    def __init__(self, program: Program, events: list[tuple[int, str]], initial: set[Pair]) -> None:
        self._program, self._events, self._initial = program, events, initial
        self._fluents = 1 + max(effect.pair[0] for effect in program.effects)
        self._value: dict[int, tuple[str, int]] = {}
        self._last: dict[Pair, int] = {}
        self._attempts: list[_Attempt] = []
        self._closed: list[tuple[int, str, float, float]] = []

    def go(self, until: int) -> list[tuple[int, str, float, float]]:
        now, steps = -math.inf, 0
        while True:
            coming = [INITIAL, *(time for time, _ in self._events), *(attempt.due for attempt in self._attempts)]
            coming = [time for time in coming if now < time <= until]
            if not coming:
                break
            now, steps = min(coming), steps + 1
            if steps > MOST_STEPS:
                raise TooLongError
            self._step(int(now))
        still = [(fluent, value, since, math.inf) for fluent, (value, since) in self._value.items()]
        return [*self._closed, *still]

    def _step(self, now: int) -> None:
        self._now = now
        self._happening = {name for time, name in self._events if time == now}
        self._initiated: dict[int, set[str]] = {}
        self._terminated: dict[int, set[str]] = {}
        self._next: dict[int, str | None] = {}
        due = [attempt for attempt in self._attempts if attempt.due == now and self._has_held(attempt)]
        for fluent in range(self._fluents):
            self._decide(fluent, due)
        for fluent in range(self._fluents):
            self._apply(fluent)
        for fluent, values in self._initiated.items():
            for value in values:
                self._last[fluent, value] = now
                if self._next[fluent] == value:
                    delays = [delay for delay in self._program.delays if delay.trigger == (fluent, value)]
                    self._attempts += [_Attempt(delay, now) for delay in delays]

    def _has_held(self, attempt: _Attempt) -> bool:
        fluent, value = attempt.delay.trigger
        held, since = self._value.get(fluent, (None, 0))
        return held == value and since <= attempt.begun + 1

    def _decide(self, fluent: int, due: list[_Attempt]) -> None:
        initiated = self._initiated[fluent] = {
            effect.pair[1]
            for effect in self._program.effects
            if effect.kind == "initiated" and effect.pair[0] == fluent and self._is_true(effect.body)
        }
        if self._now == INITIAL:
            initiated |= {value for other, value in self._initial if other == fluent}
        mine = [attempt for attempt in due if attempt.delay.effect is not None and attempt.delay.effect[0] == fluent]
        # Those that cannot be postponed, then those of other fluents, then those that the fluent has on itself.
        mine.sort(key=lambda a: (a.delay.trigger in self._program.postponed, a.delay.trigger[0] == fluent))
        for attempt in mine:
            if not self._is_renewed(attempt):
                assert attempt.delay.effect is not None
                initiated.add(attempt.delay.effect[1])
        terminated = self._terminated[fluent] = {
            effect.pair[1]
            for effect in self._program.effects
            if effect.kind == "terminated" and effect.pair[0] == fluent and self._is_true(effect.body)
        }
        for attempt in due:
            if attempt.delay.effect is None and attempt.delay.trigger[0] == fluent and not self._is_renewed(attempt):
                terminated.add(attempt.delay.trigger[1])
        held = self._value.get(fluent, (None, 0))[0]
        candidates = {value for value in (held, *initiated) if value is not None}
        lasting = [value for value in candidates if not self._is_broken(fluent, value)]
        assert len(lasting) <= 1
        self._next[fluent] = lasting[0] if lasting else None

    def _is_renewed(self, attempt: _Attempt) -> bool:
        trigger = attempt.delay.trigger
        if trigger not in self._program.postponed:
            return False
        return trigger[1] in self._initiated[trigger[0]] or self._last.get(trigger, -(10**12)) > attempt.begun

    def _is_broken(self, fluent: int, value: str) -> bool:
        ended = self._terminated[fluent]
        return bool(ended & {value, ANY}) or any(other != value for other in self._initiated[fluent])

    def _apply(self, fluent: int) -> None:
        held, since = self._value.get(fluent, (None, 0))
        following = self._next[fluent]
        if held is not None and following != held:
            self._closed.append((fluent, held, since, self._now + 1))
            del self._value[fluent]
        if following is not None and following != held:
            self._value[fluent] = following, self._now + 1

    def _is_true(self, body: tuple[Condition, ...]) -> bool:
        return all(self._holds(condition) == condition.positive for condition in body)

    def _holds(self, condition: Condition) -> bool:
        if condition.kind == "happens":
            return condition.what in self._happening
        fluent, value = condition.what, condition.value
        assert isinstance(fluent, int)
        held = self._value.get(fluent, (None, 0))[0]
        if condition.kind == "holds":
            return held is not None and value in (held, ANY)
        if condition.kind in ("initiated", "terminated"):
            effects = self._initiated if condition.kind == "initiated" else self._terminated
            return value in effects[fluent]
        following = self._next[fluent]
        if condition.kind == "end":
            return held is not None and held != following and value in (held, ANY)
        is_initial = self._now == INITIAL and (fluent, following) in self._initial
        return following is not None and following != held and value in (following, ANY) and not is_initial
