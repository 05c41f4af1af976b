"""What a swap of rules means for a session: which answers are exact at once, which later, which need a backfill."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from holdsfor.compiler.analysis.definitions import EVENT, FLUENT, Definitions, Node, definitions
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.reach import Reach, closure, needed, reach
from holdsfor.core.engine import Engine
from holdsfor.core.succession import Heritage, border_of, is_kept
from holdsfor.physical.memory import Doubt, doubts
from holdsfor.physical.model import FOREVER, Role
from holdsfor.physical.operators import added
from holdsfor.times import TimeScale

_INPUT = (Role.INPUT_EVENT, Role.INPUT_FLUENT)


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
    since: int | None = None
    why: str = ""
    inputs: tuple[str, ...] = ()
    is_reached: bool = False


@dataclass(frozen=True)
class SwapPlan:
    """The effect of a swap on a session. `changed` are the definitions that differ, `gone` those that no rule has now."""

    outputs: tuple[Exactness, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    rows_since: int | None
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

    def _time(self, time: int) -> str:
        return str(time) if self.time_scale is None else self.time_scale.text(time)

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


@dataclass(frozen=True)
class Edit:
    """Two programs, and what differs between them."""

    old: Definitions
    new: Definitions
    reach: Reach

    @classmethod
    def between(cls, earlier: Engine, now: Engine) -> Edit:
        """What differs between the programs of two engines."""
        found = definitions(earlier.plan.analysis.resolved), definitions(now.plan.analysis.resolved)
        return cls(*found, reach(*found))

    def reaches(self, symbol: Symbol) -> bool:
        """Whether answers about a fluent or event may differ."""
        return node_of(symbol) in self.reach.reached

    def behind(self, name: str) -> tuple[Node, ...]:
        """The definitions that differ on which what has a name depends."""
        mine = [node for node in self.reach.reached if node.name == name]
        reads = self.old.reads | {
            node: self.old.reads.get(node, set()) | found for node, found in self.new.reads.items()
        }
        return tuple(sorted(closure(mine, reads) & self.reach.changed))


def node_of(symbol: Symbol) -> Node:
    """What defines an event or a fluent."""
    return Node(EVENT if symbol.kind is EntityKind.EVENT else FLUENT, symbol.name, symbol.arity)


def swap_plan(earlier: Engine, now: Engine, kept: Heritage, edit: Edit, *, is_filled: bool, tick: int) -> SwapPlan:
    """What an engine that goes on with what another one knows can answer; `is_filled` if rows from before are given."""
    border = border_of(earlier)
    known = _known(earlier, now, kept, edit, border)
    found: tuple[Doubt, ...] = doubts(now.lowered.plan, known, has_border=border is not None)
    # Doubts are counted from the border, or, where all rows are there, from just before the last question.
    since = (earlier.query or 0) - 1 if border is None else border
    shown = since if border is None else added(border, earlier.lowered.plan.settle)
    scale = now.plan.analysis.written.time_scale
    outputs = []
    is_sure = is_filled or earlier.query is None
    for symbol, table, doubt in zip(now.symbols, now.lowered.plan.tables, found, strict=True):
        if table.role in _INPUT or table.is_hidden:
            continue
        name, is_reached = f"{symbol.name}/{symbol.arity}", edit.reaches(symbol)
        if is_sure or doubt.points == 0 or since + doubt.points <= shown:
            one = Exactness(name, When.AT_ONCE, is_reached=is_reached)
        elif doubt.points == FOREVER:
            one = Exactness(name, When.BACKFILL, None, doubt.why, _inputs(now, symbol, edit), is_reached)
        else:
            one = Exactness(name, When.LATER, (since + doubt.points + 1) * tick, doubt.why, (), is_reached)
        outputs.append(one)
    changed = sorted({str(node) for node in edit.reach.changed if node.name} | _directives(edit))
    gone = sorted(str(node) for node in edit.old.outputs - edit.new.outputs)
    rows_since = None if border is None else border * tick
    return SwapPlan(tuple(outputs), tuple(changed), tuple(gone), rows_since, scale)


def _directives(edit: Edit) -> set[str]:
    return {"directives" for node in edit.reach.changed if not node.name}


def _known(earlier: Engine, now: Engine, kept: Heritage, edit: Edit, border: int | None) -> dict[int, int]:
    """The tables whose rows or answers are right, and for how long before the border they are there."""
    found: dict[int, int] = {}
    plan = earlier.lowered.plan
    for number, (symbol, table) in enumerate(zip(now.symbols, now.lowered.plan.tables, strict=True)):
        before = earlier.tables.get(symbol)
        is_carried = before is not None and kept.tables[before] == number
        if table.role in _INPUT:
            if is_carried and is_kept(earlier, symbol):
                assert before is not None
                found[number] = FOREVER if border is None else plan.tables[before].keep
            else:
                # Rows come in from now on.
                found[number] = -1 if border is None or earlier.query is None else border - earlier.query
        elif is_carried and before is not None and kept.has_state[before] and not edit.reaches(symbol):
            found[number] = FOREVER if border is None else plan.tables[before].keep
    return found


def _inputs(now: Engine, symbol: Symbol, edit: Edit) -> tuple[str, ...]:
    """The inputs that something is made of."""
    read = needed(edit.new, [node_of(symbol)])
    return tuple(sorted({f"{one.name}/{one.arity}" for one in now.plan.inputs if node_of(one) in read}))
