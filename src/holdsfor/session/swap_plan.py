"""What a swap of rules means for a session of event rules."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.compiler.analysis.definitions import EVENT, FLUENT, Definitions, Node, definitions
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.reach import Reach, closure, needed, reach
from holdsfor.core.engine import Engine
from holdsfor.core.succession import Heritage, Position, is_kept
from holdsfor.physical.exactness import Exactness, SwapPlan, When
from holdsfor.physical.memory import Doubt, doubts
from holdsfor.physical.model import FOREVER, Role
from holdsfor.physical.operators import added

_INPUT = (Role.INPUT_EVENT, Role.INPUT_FLUENT)


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


def swap_plan(
    earlier: Engine, now: Engine, kept: Heritage, edit: Edit, at: Position, *, is_filled: bool, tick: int
) -> SwapPlan:
    """What an engine that goes on with what another one knows can answer; `is_filled` if rows from before are given."""
    border, since = at.border, at.since
    known = _known(earlier, now, kept, edit, at)
    found: tuple[Doubt, ...] = doubts(now.lowered.plan, known, has_border=border is not None)
    shown = since if border is None else added(border, earlier.lowered.plan.settle)
    scale = now.plan.analysis.written.time_scale
    outputs = []
    is_sure = is_filled or at.query is None
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


def _known(earlier: Engine, now: Engine, kept: Heritage, edit: Edit, at: Position) -> dict[int, int]:
    """The tables whose rows or answers are right, and for how long before the border they are there."""
    found: dict[int, int] = {}
    border = at.border
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
                found[number] = -1 if at.read is None else at.since - at.read
        elif is_carried and before is not None and kept.has_state[before] and not edit.reaches(symbol):
            found[number] = FOREVER if border is None else plan.tables[before].keep
    return found


def _inputs(now: Engine, symbol: Symbol, edit: Edit) -> tuple[str, ...]:
    """The inputs that something is made of."""
    read = needed(edit.new, [node_of(symbol)])
    return tuple(sorted({f"{one.name}/{one.arity}" for one in now.plan.inputs if node_of(one) in read}))
