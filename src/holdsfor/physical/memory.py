"""Computes when answers become independent of the state at a border that other rules computed.

Each table gets a number of time-points after the border. From there on, its answers equal those of a run with these
rules from the beginning: the state at the border, and dropped rows before it, have no more influence. A fluent that
holds until it is terminated may have an influence for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from holdsfor.physical.instructions import Origin
from holdsfor.physical.lists import by_table, list_reads, tables_read
from holdsfor.physical.model import FOREVER, Component, Definition, PhysicalPlan, Role
from holdsfor.physical.operators import added
from holdsfor.physical.reads import goals, reads
from holdsfor.records import record


@record
class Doubt:
    """How many time-points after the border answers may differ from the right ones, and why."""

    points: int = 0
    why: str = ""

    def joined(self, other: Doubt) -> Doubt:
        """The longer of two doubts."""
        return other if other.points > self.points else self


def doubts(plan: PhysicalPlan, known: Mapping[int, int], *, has_border: bool) -> tuple[Doubt, ...]:
    """For each table, how long its answers are in doubt.

    `known` contains tables whose rows and answers are right. A positive number says how long before the border they
    begin; a negative number says how long after the border they begin. Without a border, everything else is evaluated
    from the first row.
    """
    found = _Doubts(plan, known, has_border=has_border)
    for stage in plan.stages:
        for component in stage.components:
            found.add(component)
    return tuple(found.tables)


class _Doubts:
    def __init__(self, plan: PhysicalPlan, known: Mapping[int, int], *, has_border: bool) -> None:
        self._plan, self._known, self._has_border = plan, known, has_border
        self.tables = [Doubt() for _ in plan.tables]
        for number, since in known.items():
            if since < 0:
                self.tables[number] = Doubt(-since, f"rows of {plan.tables[number].label} were not kept so far")

    def add(self, component: Component) -> None:
        """Adds a component; the components before it have been added."""
        unknown = [table for table in component.tables if table not in self._known]
        if not unknown:
            return
        if component.metric is not None:
            looks = [(one.table, one.back) for one in component.metric.inputs]
            self._note(unknown, self._longest(looks, component.metric.farthest))
        elif component.is_static:
            for table, definitions in by_table(component.definitions).items():
                self._note([table] if table in unknown else [], self._static(definitions))
        else:
            self._note(unknown, self._swept(component, unknown))

    def _note(self, tables: Iterable[int], doubt: Doubt) -> None:
        for table in tables:
            self.tables[table] = doubt

    def _swept(self, component: Component, unknown: Sequence[int]) -> Doubt:
        lasting = [table for table in unknown if self._plan.tables[table].role is not Role.DERIVED_EVENT]
        found = Doubt()
        for rule in component.rules:
            if self._has_border and any(self._plan.goals[goal].changes for goal in goals(rule.program.block)):
                found = found.joined(Doubt(FOREVER, f"{rule.origin.rule} reads a domain that input fills"))
            outside = [one for one in reads(rule.program.block) if one.table not in component.tables]
            # A start or end compares with the time-point before.
            looks = [(one.table, added(one.most, 0 if one.edge is None else 1)) for one in outside]
            found = found.joined(self._longest(looks, rule.origin))
            looks_in = any(one.table in component.tables and one.most for one in reads(rule.program.block))
            if self._has_border and looks_in:
                found = found.joined(Doubt(FOREVER, f"{rule.origin.rule} looks back to what it derives"))
        for table, definitions in by_table(component.definitions).items():
            found = found.joined(self._static(definitions, frozenset(component.tables)) if table in unknown else found)
        if lasting and (self._has_border or found.points):
            label = self._plan.tables[lasting[0]].label
            return Doubt(FOREVER, f"{label} goes on holding until something ends it")
        return found if self._has_border or found.points else Doubt()

    def _static(self, definitions: list[Definition], inside: frozenset[int] = frozenset()) -> Doubt:
        where = definitions[0].origin
        found = Doubt()
        if not self._has_border:
            looks = [
                (table, 0) for one in definitions for table in tables_read(one.program.block) if table not in inside
            ]
            return self._longest(looks, where)
        if len(definitions) > 1:
            return Doubt(FOREVER, f"{where.rule}: which of several rules counts depends on instances long gone")
        for one in definitions:
            read = list_reads(one, self._plan.facts)
            if read.problem is not None:
                return Doubt(FOREVER, f"{where.rule}: {read.problem}")
            if any(self._plan.goals[goal].changes for goal in goals(one.program.block)):
                return Doubt(FOREVER, f"{where.rule} reads a domain that input fills")
            found = found.joined(self._longest([(each.table, each.back) for each in read.reads], where))
        return found

    def _longest(self, looks: Iterable[tuple[int, int]], where: Origin) -> Doubt:
        """How long results are in doubt that look back this far into some tables."""
        found = Doubt()
        for table, back in looks:
            before = self._known.get(table)
            if before is not None and before >= 0:
                points = FOREVER if back == FOREVER > before else max(0, back - before)
                far = "without limit" if back == FOREVER else f"{back} time-points"
                found = found.joined(Doubt(points, f"{where.rule} looks back {far}"))
            else:
                doubt = self.tables[table]
                found = found.joined(Doubt(added(doubt.points, back), doubt.why))
        return found
