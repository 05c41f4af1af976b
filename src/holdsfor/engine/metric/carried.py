"""What a stratum of metric rules carries from one slice of time to the next, as columns; and programs without an end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from holdsfor.compiler.metric.rules import Relation
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.metric.facts import Facts
from holdsfor.engine.tables import FOREVER


class NeverEnds(HoldsforError):
    """A program that derives for ever: since when and with which period, if they are known, and what."""

    def __init__(
        self, since: Fraction | None = None, period: Fraction | None = None, relations: Sequence[Relation] = ()
    ) -> None:
        names = ", ".join(str(relation) for relation in relations if relation.is_written)
        super().__init__(f"the program derives facts{f' of {names}' if names else ''} for ever")
        self.since = since
        self.period = period
        self.relations = tuple(relations)


@dataclass
class Carried:
    """What a stratum knows at the end of a slice: facts ahead, facts that go on, what is armed of each `Since`, and the
    recent past that an `Until` waits over.
    """

    ahead: dict[Relation, Facts] = field(default_factory=dict)
    going_on: dict[Relation, Facts] = field(default_factory=dict)
    armed: dict[int, Facts] = field(default_factory=dict)
    recent: dict[Relation, Facts] = field(default_factory=dict)

    @property
    def facts(self) -> int:
        """The number of facts that are kept."""
        tables = (*self.ahead.values(), *self.going_on.values(), *self.armed.values(), *self.recent.values())
        return sum(table.rows for table in tables)


@dataclass
class MetricState:
    """All that is known of the past and the future at the end of a slice, as columns."""

    scale: int
    reached: int = -int(FOREVER)
    """The first cell that was not worked out yet."""
    carried: list[Carried] = field(default_factory=list)
    waiting: dict[Relation, Facts] = field(default_factory=dict)
    """Input from the next cell on."""
