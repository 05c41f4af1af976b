"""The effect of a swap of rules: which answers are exact at once, which later, which need a backfill."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.times import TimeScale


class When(StrEnum):
    """When answers become those of a run with the new rules from the beginning."""

    AT_ONCE = "at once"
    LATER = "later"
    BACKFILL = "with a backfill"


@dataclass(frozen=True)
class Exactness:
    """When the answers about a fluent or derived event are exact: from the time-point `since` on. With a backfill of
    the `inputs` they are exact at once.
    """

    name: str
    when: When
    since: int | Fraction | None = None
    why: str = ""
    inputs: tuple[str, ...] = ()
    is_reached: bool = False


@dataclass(frozen=True)
class SwapPlan:
    """The effect of a swap on a session. `changed` are the definitions that differ, `gone` those without rules now."""

    outputs: tuple[Exactness, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    rows_since: int | Fraction | None
    """All rows after this time-point are there; None: all that ever counted."""
    time_scale: TimeScale | None = None

    @property
    def is_exact(self) -> bool:
        """Whether all answers are right at once."""
        return all(one.when is When.AT_ONCE for one in self.outputs)

    @property
    def backfill(self) -> tuple[str, ...]:
        """The inputs whose earlier rows are needed for answers that are not exact at once."""
        return tuple(sorted({name for one in self.outputs if one.when is When.BACKFILL for name in one.inputs}))

    def _time(self, time: int | Fraction) -> str:
        if self.time_scale is None or time != int(time):
            return number_text(Fraction(time))
        return self.time_scale.text(int(time))

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        listed = [
            {"name": one.name, "when": one.when.value, "reached": one.is_reached}
            | ({} if one.since is None else {"since": self._time(one.since)})
            | ({"why": one.why} if one.why else {})
            | ({"inputs": list(one.inputs)} if one.when is When.BACKFILL else {})
            for one in self.outputs
        ]
        return {
            "changed": list(self.changed),
            "gone": list(self.gone),
            "outputs": listed,
            "backfill": list(self.backfill),
        }

    def __str__(self) -> str:
        changed = f"changed: {', '.join(self.changed) or 'nothing'}"
        lines = [changed if not self.gone else f"{changed}; gone: {', '.join(self.gone)}"]
        for when in When:
            lines += [self._line(one) for one in self.outputs if one.when is when and (one.is_reached or one.why)]
        untouched = [one.name for one in self.outputs if not one.is_reached and not one.why]
        if untouched:
            lines.append(f"not reached by the edit, exact: {', '.join(untouched)}")
        return "\n".join(lines)

    def _line(self, one: Exactness) -> str:
        match one.when:
            case When.AT_ONCE:
                return f"{one.name}: exact at once"
            case When.LATER:
                assert one.since is not None
                return f"{one.name}: exact from {self._time(one.since)} on, because {one.why}"
            case When.BACKFILL:
                before = "" if self.rows_since is None else f" up to {self._time(self.rows_since)}"
                return f"{one.name}: exact with a backfill of {', '.join(one.inputs)}{before}, because {one.why}"
