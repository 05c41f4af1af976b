"""The retention of rows behind a border, up to which rows never change any more.

Two questions are answered for each table. When is it *final*: what it says up to so many time-points before the border
(`lag`) is the same at all later query times. And how much of it is read by rules that look back from after a checkpoint
(`keep`). The checkpoint is made so far before the border that everything up to it is final (`settle`).

- Input is final up to the border. So are effects of rules that read it; a fluent then is up to one time-point later,
  because an effect at T shows at T + 1. Starts and ends at T are final when T + 1 is.
- Durations and metric operators that look ahead are final later. Sequences, Allen relations, emptiness tests, several
  `holdsFor` rules for one pair, and variables that may have any value that ever occurred, never are: such fluents are
  computed again from whole lists, which are kept. Rules about time-points that read them can never be left behind.
- The same holds for rules that read what input puts into domains.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.physical.instructions import EdgeKind, Origin
from holdsfor.physical.lists import ListReads, by_table, list_reads, tables_read
from holdsfor.physical.metric import MetricComponent
from holdsfor.physical.model import (
    FOREVER,
    Component,
    Definition,
    PairProgram,
    PhysicalPlan,
    Program,
    Role,
    Table,
)
from holdsfor.physical.operators import added
from holdsfor.physical.reads import TableRead, goals, reads
from holdsfor.records import record


@record
class RetentionDistance:
    """A number of time-points, and the rule that requires it."""

    points: int = 0
    why: str = ""

    def joined(self, other: RetentionDistance) -> RetentionDistance:
        """The greater of two."""
        return other if other.points > self.points else self


def with_retention(plan: PhysicalPlan) -> PhysicalPlan:
    """The plan with what each table keeps, and how late it is final."""
    found = _Retention(plan)
    for condition in (*plan.initially, *plan.postpones, *plan.groundings):
        found.add_condition(condition)
    for stage in plan.stages:
        for component in stage.components:
            found.add(component)
    settle = found.settle
    return replace(plan, tables=tuple(found.tables()), settle=settle.points, settle_why=settle.why)


class _Retention:
    """The results so far, component by component in plan order."""

    def __init__(self, plan: PhysicalPlan) -> None:
        self._plan = plan
        self._lag = [0] * len(plan.tables)
        self._effects: dict[int, RetentionDistance] = {}
        """How late effects on a fluent are final, as far as known before its component is reached."""
        self._keep = [RetentionDistance() for _ in plan.tables]
        self._recomputed: set[int] = set()
        self.settle = RetentionDistance()

    def tables(self) -> Iterable[Table]:
        """The tables with their retention."""
        for number, (table, keep) in enumerate(zip(self._plan.tables, self._keep, strict=True)):
            is_recomputed = number in self._recomputed
            yield replace(table, keep=keep.points, keep_why=keep.why, recomputed=is_recomputed)

    def add_condition(self, condition: PairProgram) -> None:
        """A condition on pairs."""
        if self._changes(condition.program):
            self._lag[condition.table] = FOREVER
            self._late(
                condition.table, RetentionDistance(FOREVER, f"{condition.origin.rule} reads a domain that input fills")
            )

    def add(self, component: Component) -> None:
        """Adds a component; the components before it have been added."""
        if component.metric is not None:
            self._add_metric(component.tables, component.metric)
        elif component.is_static:
            for table, definitions in by_table(component.definitions).items():
                self._add_static(table, definitions)
        else:
            self._add_swept(component)

    # Rules about time-points

    def _add_swept(self, component: Component) -> None:
        """Adds tables that are decided together, and so are final together."""
        inside = frozenset(component.tables)
        late = RetentionDistance()
        for table in component.tables:
            late = late.joined(self._effects.get(table, RetentionDistance()))
        for rule in component.rules:
            if self._changes(rule.program):
                late = late.joined(RetentionDistance(FOREVER, f"{rule.origin.rule} reads a domain that input fills"))
            for read in reads(rule.program.block):
                self._look(read, rule.origin)
                if read.table not in inside:
                    points = self._final(read)
                    late = late.joined(RetentionDistance(points, f"{rule.origin.rule} {_later(points)}"))
        for delay in component.delays:
            if self._changes(delay.program):
                late = late.joined(RetentionDistance(FOREVER, f"{delay.origin.rule} reads a domain that input fills"))
        for table, definitions in by_table(component.definitions).items():
            late = late.joined(self._inside_cycle(table, definitions, inside))
        for table in component.tables:
            is_event = self._plan.tables[table].role is Role.DERIVED_EVENT
            self._lag[table] = late.points if is_event or late.points == FOREVER else late.points - 1
            self._effects[table] = late
        for delay in component.delays:
            if delay.effect is not None:
                self._late(delay.effect[0], late)
        self.settle = self.settle.joined(late)

    def _final(self, read: TableRead) -> int:
        """How late the input of a condition is final, relative to the time-point of its rule."""
        if read.edge in (EdgeKind.INITIATED, EdgeKind.TERMINATED):
            lag = self._effects.get(read.table, RetentionDistance()).points
        else:
            lag = added(self._lag[read.table], 0 if read.edge is None else 1)
        return lag if lag == FOREVER else max(0, lag - read.least)

    def _look(self, read: TableRead, where: Origin) -> None:
        if read.most:
            far = "without limit" if read.most == FOREVER else f"{read.most} time-points"
            self._need(read.table, RetentionDistance(read.most, f"{where.rule} looks back {far}"))

    # Statically determined fluents

    def _add_static(self, table: int, definitions: list[Definition]) -> None:
        found = self._reading(definitions)
        where = definitions[0].origin.rule
        late = RetentionDistance(FOREVER, f"{where}: {found.problem}") if found.problem else RetentionDistance()
        late = late.joined(self._effects.get(table, RetentionDistance()))
        points = max((added(self._lag[one.table], one.lag) for one in found.reads), default=0)
        self._lag[table] = FOREVER if late.points == FOREVER else points
        late = late.joined(RetentionDistance(points, f"{where} {_later(points)}"))
        is_whole = late.points == FOREVER or any(one.back == FOREVER for one in found.reads)
        if not is_whole:
            self.settle = self.settle.joined(late)
            for one in found.reads:
                self._need(one.table, RetentionDistance(one.back, f"{where} looks back {one.back} time-points"))
            return
        self._recomputed.add(table)
        why = late.why if late.points == FOREVER else f"{where} looks back without limit"
        for definition in definitions:
            for read in tables_read(definition.program.block):
                self._need(read, RetentionDistance(FOREVER, why))

    # Metric predicates

    def _add_metric(self, tables: Iterable[int], metric: MetricComponent) -> None:
        """Adds metric relations: results after a border depend on input shortly before it, or on all input."""
        where = metric.farthest.rule
        points = max((added(self._lag[one.table], one.ahead) for one in metric.inputs), default=0)
        late = RetentionDistance(points, f"{where} {_later(points)}")
        for table in tables:
            self._lag[table] = points
        if points != FOREVER:
            self.settle = self.settle.joined(late)
        if points == FOREVER or any(one.back == FOREVER for one in metric.inputs):
            why = late.why if points == FOREVER else f"{where} looks back without limit"
            self._recomputed |= set(tables)
            for one in metric.inputs:
                self._need(one.table, RetentionDistance(FOREVER, why))
            return
        for one in metric.inputs:
            self._need(one.table, RetentionDistance(one.back, f"{where} looks back {one.back} time-points"))

    def _inside_cycle(self, table: int, definitions: list[Definition], inside: frozenset[int]) -> RetentionDistance:
        """How late a cycle is final because of a statically determined fluent in it, which is evaluated pointwise."""
        found = self._reading(definitions)
        where = definitions[0].origin.rule
        if found.problem or any(one.back or one.lag for one in found.reads):
            why = f"{where}: {found.problem or 'it looks back or ahead inside a cycle'}"
            self._recomputed.add(table)
            for definition in definitions:
                for read in tables_read(definition.program.block):
                    self._need(read, RetentionDistance(FOREVER, why))
            return RetentionDistance(FOREVER, why)
        lags = [added(self._lag[one.table], 1) for one in found.reads if one.table not in inside]
        points = max(lags, default=0)
        return self._effects.get(table, RetentionDistance()).joined(
            RetentionDistance(points, f"{where} {_later(points)}")
        )

    def _reading(self, definitions: list[Definition]) -> ListReads:
        found = [list_reads(one, self._plan.facts) for one in definitions]
        problem = next((one.problem for one in found if one.problem), None)
        if len(definitions) > 1:
            problem = "which of its rules counts depends on instances that may be long gone"
        if any(self._changes(one.program) for one in definitions):
            problem = "it reads a domain that input fills"
        return ListReads(tuple(read for one in found for read in one.reads), problem)

    # Notes

    def _changes(self, program: Program) -> bool:
        return any(self._plan.goals[goal].changes for goal in goals(program.block))

    def _late(self, table: int, distance: RetentionDistance) -> None:
        self._effects[table] = self._effects.get(table, RetentionDistance()).joined(distance)

    def _need(self, table: int, distance: RetentionDistance) -> None:
        self._keep[table] = self._keep[table].joined(distance)


def _later(points: int) -> str:
    return "may be decided at any later time" if points == FOREVER else f"is decided {points} time-points later"
