"""Transfers the state of an engine to an engine with new rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine
from holdsfor.diagnostics import HoldsforError
from holdsfor.physical.model import Component, Delay, PhysicalPlan, Role
from holdsfor.records import record

_INPUT = (Role.INPUT_EVENT, Role.INPUT_FLUENT)


@record
class Heritage:
    """The parts of another engine's state to transfer, by its tables: their new numbers (None: dropped), whether
    results up to the border are kept, and the mapping of delayed effects.
    """

    tables: tuple[int | None, ...]
    has_state: tuple[bool, ...]
    delays: tuple[tuple[int, int, int], ...]

    def without(self, gone: Collection[int]) -> Heritage:
        """The same without the states of some of its tables."""
        return replace(self, has_state=tuple(has and at not in gone for at, has in enumerate(self.has_state)))


def heritage(earlier: Engine, now: Engine) -> Heritage:
    """Matches two programs: input, fluents and derived events by name."""
    before, after = earlier.lowered.plan.tables, now.lowered.plan.tables
    tables: list[int | None] = []
    for symbol, table in zip(earlier.symbols, before, strict=True):
        number = now.tables.get(symbol)
        is_input = table.role in _INPUT
        fits = (
            number is not None and table.columns == after[number].columns and is_input == (after[number].role in _INPUT)
        )
        tables.append(number if fits else None)
    has_state = [
        number is not None and table.role not in _INPUT and table.role is after[number].role
        for table, number in zip(before, tables, strict=True)
    ]
    delays = tuple(_delays(earlier.lowered.plan, now.lowered.plan, tables))
    return Heritage(tuple(tables), tuple(has_state), delays)


def _delays(before: PhysicalPlan, after: PhysicalPlan, tables: list[int | None]) -> Iterator[tuple[int, int, int]]:
    """Matches delayed effects from the same pair on the same pair; one with another delay keeps its old due time."""
    component_of = {table: one for stage in after.stages for one in stage.components for table in one.tables}
    for component in (one for stage in before.stages for one in stage.components):
        for number, delay in enumerate(component.delays):
            trigger = tables[delay.table]
            now = None if trigger is None else _delay(delay, component_of[trigger], tables)
            if now is not None:
                yield delay.table, number, now


def _delay(wanted: Delay, component: Component, tables: list[int | None]) -> int | None:
    effect = wanted.effect and (tables[wanted.effect[0]], *wanted.effect[1:])
    pair = (tables[wanted.table], wanted.columns, wanted.value, effect)
    alike = [
        number for number, one in enumerate(component.delays) if (one.table, one.columns, one.value, one.effect) == pair
    ]
    same = [number for number in alike if component.delays[number].delay == wanted.delay]
    return next(iter((*same, *alike)), None)


def require_same_domains(earlier: Plan, now: Plan) -> None:
    """Raises an error if other input fills domains, because its earlier facts were not recorded."""
    before, after = ({one.symbol for one in plan.analysis.fillings} for plan in (earlier, now))
    if before != after:
        raise HoldsforError("these rules have other domains that input fills: begin anew with them")


def is_kept(engine: Engine, symbol: Symbol) -> bool:
    """Whether rows of an input are kept, because some rule reads them."""
    number = engine.tables.get(symbol)
    return any(route.table == number for stage in engine.lowered.plan.stages for route in stage.inputs)


@record
class Position:
    """Where rules are changed: at a query time, and the border up to which everything is final, so that rows may be
    missing; None if all rows are available. Rows up to `read` are not there if no rule has used them so far.
    """

    query: int | None
    border: int | None
    read: int | None

    @classmethod
    def of(cls, engine: Engine) -> Position:
        """The position of an engine."""
        border: int | None = None if engine.core.has_all_rows() else engine.core.final_until()
        return cls(engine.query, border, engine.query)

    @property
    def since(self) -> int:
        """Doubts are counted from the border, or, where all rows are available, from just before the query time."""
        return (self.query or 0) - 1 if self.border is None else self.border


def go_on(
    earlier: Sequence[Engine],
    now: Engine,
    kept: Heritage,
    border: int | None,
    filled: tuple[Engine, Heritage] | None = None,
) -> None:
    """Continues the state of an engine in another, new one, at the same query time.

    The state may be that of several engines, each with the keys of one stage. `filled` is an engine with rows of
    earlier times, and the part of its state that replaces that of `earlier`.
    """
    require_same_domains(earlier[0].plan, now.plan)
    inherited = [(one, kept, True) for one in earlier] + ([] if filled is None else [(*filled, False)])
    for one, what, is_main in inherited:
        if border is not None:
            one.core.settle_at(border)
        now.core.succeed(one.core, list(what.tables), list(what.has_state), list(what.delays), border, is_main)
    now.take_over_domains(earlier[0])
    now.core.resume(now.threads)
