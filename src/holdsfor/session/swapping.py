"""A session goes on with other rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from holdsfor.compiler.analysis.reach import needed, part_of
from holdsfor.compiler.compile import check
from holdsfor.compiler.plan import Plan, make_plan
from holdsfor.core.engine import Engine
from holdsfor.core.rows import Rows
from holdsfor.core.succession import Position, go_on, heritage
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.preprocessing_rules import has_preprocessing
from holdsfor.physical.exactness import SwapPlan
from holdsfor.session.causes import Cause, CauseKind
from holdsfor.session.swap_plan import Edit, swap_plan


class Rules(Protocol):
    """A program that is loaded."""

    @property
    def plan(self) -> Plan:
        """What it is compiled to; raises ProgramError if it cannot be run."""


def plan_of(rules: Rules) -> Plan:
    """The plan of new rules; text, files and metric rules are refused."""
    plan = None if isinstance(rules, str) else getattr(rules, "plan", None)
    if not isinstance(plan, Plan):
        raise HoldsforError("the new rules of this session are a reasoner: holdsfor.loads(text) or holdsfor.load(file)")
    return plan


class Swap:
    """A change of the rules of an engine: what it means, and the engine that goes on. The position `at` is that of the
    engine, if not given. `others` have the keys of the other stages, if the engine has only those of one.
    """

    def __init__(
        self,
        earlier: Engine,
        now: Engine,
        tick: int,
        *,
        is_filled: bool,
        at: Position | None = None,
        others: Sequence[Engine] = (),
    ) -> None:
        self.earlier, self.now, self._tick = earlier, now, tick
        self.at = at or Position.of(earlier)
        self._all = (earlier, *others)
        self.edit = Edit.between(earlier, now)
        self.heritage = heritage(earlier, now)
        self.plan: SwapPlan = swap_plan(earlier, now, self.heritage, self.edit, self.at, is_filled=is_filled, tick=tick)

    @property
    def gone(self) -> list[bool]:
        """Which tables of the earlier program are not there any more."""
        return [number is None for number in self.heritage.tables]

    def filler(self) -> Engine:
        """An engine for rows from before, with the rules of what the edit reaches and of all that this needs."""
        analysis = self.now.plan.analysis
        wanted = needed(self.edit.new, self.edit.reach.reached)
        part, _ = check(part_of(analysis.written, self.edit.new, wanted))
        plan = replace(make_plan(part), max_delayed_effects=self.now.plan.max_delayed_effects)
        return Engine(plan, None, threads=self.now.threads, like=self.earlier)

    def carry_out(self, backfill: tuple[Engine, Sequence[Rows]] | None) -> None:
        """Have the new engine go on. What the edit does not reach stays as it is, whatever a backfill says."""
        if backfill is None:
            go_on(self._all, self.now, self.heritage, self.at.border)
            return
        filler, rows = backfill
        query = self.at.query
        assert query is not None
        for some in rows:
            filler.push(some, is_cause=False)
        filler.take_rows_of(self._all, heritage(self.earlier, filler).tables)
        filler.advance(query)
        filled = heritage(filler, self.now)
        reached = {at for at, symbol in enumerate(filler.symbols) if self.edit.reaches(symbol)}
        filled = filled.without(set(range(len(filler.symbols))) - reached)
        in_doubt = {at for at, symbol in enumerate(self.earlier.symbols) if self.edit.reaches(symbol)}
        go_on(self._all, self.now, self.heritage.without(in_doubt), self.at.border, (filler, filled))

    def cause(self, name: str) -> Cause:
        """Why something with a name is different now: the definitions behind it that differ."""
        texts = ", ".join(str(node) if node.name else "directives" for node in self.edit.behind(name))
        query = self.at.query
        return Cause(CauseKind.RULE_CHANGED, texts or name, 0 if query is None else query * self._tick)


def require_same_time(old: Plan, new: Plan) -> None:
    """Complain of rules that count time otherwise than those that they take the place of, or that a session cannot run."""
    if has_preprocessing(new):
        raise HoldsforError("preProcessing is not executed in sessions; give its result as input")
    before, after = old.analysis.written, new.analysis.written
    if (before.time_scale, old.clock_tick) != (after.time_scale, new.clock_tick):
        raise HoldsforError(
            "these rules count time in another unit or zone, or in other clock ticks: begin anew with them"
        )
