"""What an engine keeps, held against what its plan says that it may keep: see `physical/certificate.py`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from holdsfor.core.engine import Engine
from holdsfor.core.host import NEVER
from holdsfor.core.program import encoded
from holdsfor.physical.certificate import KeptRow, excess
from holdsfor.physical.model import Role

ROOM = 40
"""So many rows of a key are not worth a checkpoint, whatever they are."""
SHARED_ROOM = 128
"""So many rows that all keys share are not worth one of every key."""
_SHARED = 2**32 - 1
_HEAD = 5


def kept_rows(engine: Engine) -> dict[tuple[int, int], list[KeptRow]]:
    """All rows that an engine keeps, by stage and key."""
    tables = encoded(engine.plan).lowered.plan.tables
    found: dict[tuple[int, int], list[KeptRow]] = defaultdict(list)
    for number, table in enumerate(tables):
        width, words = engine.core.kept(number)
        for row in words.reshape(-1, width).tolist():
            stage, slot, start, end, value = row[:_HEAD]
            # A simple fluent has one value at a time; of others each value is by itself.
            is_simple = table.role is Role.SIMPLE_FLUENT
            instance = tuple(row[_HEAD:]) if is_simple else (*row[_HEAD:], value)
            found[stage, slot].append(KeptRow(number, instance, _time(start), _time(end)))
    # Several checkpoints of a key may have the same row.
    return {key: list(dict.fromkeys(rows)) for key, rows in found.items()}


def _joined(rows: list[KeptRow]) -> Iterator[KeptRow]:
    """Intervals that overlap or touch as one: input may say the same twice."""
    last: KeptRow | None = None
    for row in sorted(rows, key=lambda one: (one.table, str(one.instance), one.start)):
        is_interval = row.start < row.end
        is_same = last is not None and (last.table, last.instance) == (row.table, row.instance)
        if last is not None and is_same and is_interval and row.start <= last.end:
            last = replace(last, end=max(last.end, row.end))
            continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last


def _time(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word


def too_much(engine: Engine, border: int, window: int) -> Iterator[str]:
    """What keys keep beyond their bounds at a border.

    A key gets its checkpoint when it is evaluated and half of its rows are behind the border. So there may be as many
    rows behind it as there were in the window.
    """
    plan = encoded(engine.plan).lowered.plan
    for (stage, slot), rows in kept_rows(engine).items():
        recent = Counter(row.table for row in rows if max(row.start, NEVER) > border - window)
        slack = (SHARED_ROOM if slot == _SHARED else ROOM) + 2 * sum(recent.values())
        for problem in excess(plan, border, _joined(rows), slack):
            yield f"stage {stage}, key {slot}: {problem} (at most {slack} may wait)"
