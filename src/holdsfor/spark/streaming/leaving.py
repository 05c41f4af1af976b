"""What one stage tells later ones: rows of panes that were not there before, and those that are no longer there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import width
from holdsfor.engine.kernels import Ints
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.parts import Tables
from holdsfor.incremental.sections import Section
from holdsfor.ir import EffectKind
from holdsfor.spark.given import GivenTable
from holdsfor.spark.job import Exit, Job, StageSpec
from holdsfor.spark.output import Owner
from holdsfor.spark.wire import Kind, Tag, table_of

TOLD = pa.schema([("pane", pa.int64()), ("is_new", pa.int8()), ("causes", pa.string())])
"""Of rows between stages: the pane, whether they are what it says now or what it said before, and why they changed."""


def section_of(tag: Tag) -> Section:
    """The table that rows of a kind belong to."""
    match tag.kind:
        case Kind.SETTLED:
            return Section("unsettled", tag.symbol)
        case Kind.TABLE:
            return Section("happened" if tag.symbol.kind is EntityKind.EVENT else "table", tag.symbol)
        case _:
            return Section("effects", tag.symbol, EffectKind(tag.kind.value))


class Leaving:
    """Makes rows for later stages."""

    def __init__(self, job: Job, spec: StageSpec, owner: Owner) -> None:
        self._job, self._spec, self._owner = job, spec, owner

    def rows(self, query: int, pane: int, tables: Tables, causes: Any, *, is_new: bool) -> Iterator[pa.Table]:
        """The rows of tables that belong here, for all that read them. `causes` gives those of keys, as text."""
        for way in self._spec.exits:
            tag = self._job.stages[way.stage - 1].tags[way.tag]
            part = tables.get(section_of(tag))
            if part is not None and len(part):
                told = {"q": query, "pane": pane, "is_new": int(is_new), "causes": causes(part.key)}
                yield from self._sent(way, tag, part.columns, told)

    def _sent(self, way: Exit, tag: Tag, columns: tuple[Ints, ...], told: dict[str, Any]) -> Iterator[pa.Table]:
        wide, count = width(way.symbol), len(columns[-1])
        args = list(columns[:wide])
        rows = np.flatnonzero(self._owner.owns(way.symbol, args, count))
        args = [column[rows] for column in args]
        targets, copies = self._owner.targets(way, args, len(rows))
        if not len(copies):
            return
        terms, chosen = self._owner.terms, rows[copies]
        found: dict[str, Any] = {
            slot: terms.column(column[copies]) for slot, column in zip(tag.args, args, strict=True)
        }
        rest = [column[chosen] for column in columns[wide:]]
        if tag.value is not None:
            found[tag.value] = terms.column(rest.pop(0))
        found["t0"] = pa.array(rest[0], mask=rest[0] <= -FOREVER)
        if tag.kind is Kind.TABLE and tag.value is not None:
            found["t1"] = pa.array(rest[1], mask=rest[1] >= FOREVER)
        causes = told["causes"]
        found |= told | {"causes": None if causes is None else causes.take(pa.array(chosen))}
        found |= {"tag": way.tag, "stage": way.stage, "bucket": targets}
        yield table_of(pa.schema([*self._job.wire.out_schema, *TOLD]), len(chosen), found)


def columns_of(tag: Tag, rows: pa.Table, dictionary: Dictionary) -> tuple[Ints, ...]:
    """The columns of a table that has come from an earlier stage."""
    found = GivenTable.of(tag, rows, dictionary)
    none = np.zeros(len(found.start), np.int64)
    if tag.kind is not Kind.TABLE:
        return (*found.args, found.value, found.start)
    if tag.symbol.kind is EntityKind.EVENT:
        return (*found.args, found.start, none)
    return (*found.args, found.value, found.start, found.end, none)
