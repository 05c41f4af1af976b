"""Reads rows of DataFrames as facts on the workers, with the code of local runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.facts import FactSet
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats import TablePart
from holdsfor.io.frames import as_part
from holdsfor.io.mapping import TableMapping
from holdsfor.io.metric_frames import columns_by_name, columns_of_entry, facts_of_part
from holdsfor.io.metric_rows import FactRows, odd_rows, parse
from holdsfor.io.metric_text import fact_set
from holdsfor.io.rejects import Rejects, refused
from holdsfor.io.tables import rows_of_entry
from holdsfor.spark.connectors.payload import unreadable_column
from holdsfor.spark.metric.job import MetricJob
from holdsfor.spark.metric.wire import COUNTS, Sender, note_row

_ROWS_AT_ONCE = 100_000
PREDICATE, ARGS, LINE = "predicate", "args", "value"


@dataclass
class Refused(Rejects):
    """All malformed rows."""

    tables: list[pa.Table] = field(default_factory=list)

    def add(self, source: str, found: Sequence[pa.Table]) -> None:
        """Adds the malformed rows of a piece of input."""
        super().add(source, found)
        self.tables += found


@dataclass(frozen=True)
class FrameKind:
    """The kind of rows in a DataFrame.

    They are facts of one predicate (`name`), rows described by a mapping, text with one fact per row, or facts of any
    predicate with a predicate column.
    """

    name: str | None = None
    mapping: TableMapping | None = None
    unit: str = "s"
    untyped: bool = False
    names: tuple[str, ...] = ()
    """The original column names, if columns had to be renamed for transport."""

    def read(self, table: pa.Table, dictionary: Dictionary, rejects: Rejects) -> FactSet:
        """The facts of some rows."""
        if self.names:
            table = table.rename_columns(list(self.names))
        lost = unreadable_column(table.column_names)
        if lost is not None:
            table = self._readable(table, lost, rejects)
        if self.name is not None:
            return fact_set(self._of_predicate(self.name, table, rejects, untyped=self.untyped), dictionary)
        if self.mapping is not None:
            return fact_set(list(self._mapped(table, self.mapping, rejects)), dictionary)
        if PREDICATE in table.column_names:
            return fact_set(list(self._named(table, rejects)), dictionary)
        return _from_lines(table[LINE], dictionary, rejects, self.unit)

    def _readable(self, table: pa.Table, lost: str, rejects: Rejects) -> pa.Table:
        """Rows with valid columns. Rows that could not be parsed and have no predicate are refused."""
        text, rows = table[lost].combine_chunks(), table.drop_columns([lost])
        is_lost = pc.is_valid(text).to_numpy(zero_copy_only=False)
        if self.mapping is not None:
            part = self._mapped_part(rows, self.mapping)
            for entry in self.mapping.entries:
                is_lost &= ~rows_of_entry(part, entry)
        elif PREDICATE in rows.column_names:
            is_lost &= ~pc.is_valid(rows[PREDICATE].combine_chunks()).to_numpy(zero_copy_only=False)
        else:
            # Such rows of one predicate have no time, which is reported below.
            return rows
        places = np.flatnonzero(is_lost)
        if len(places):
            rejects.add("facts", [refused("", places + 1, text.take(pa.array(places)), "the row cannot be read")])
        return rows.filter(pa.array(~is_lost))

    def _mapped(self, table: pa.Table, mapping: TableMapping, rejects: Rejects) -> Iterator[FactRows]:
        part = self._mapped_part(table, mapping)
        for entry in mapping.entries:
            places = np.flatnonzero(rows_of_entry(part, entry))
            yield from facts_of_part(part, columns_of_entry(entry), places, mapping.unit, mapping.name, rejects)

    def _mapped_part(self, table: pa.Table, mapping: TableMapping) -> TablePart:
        paths = [path for entry in mapping.entries for path in entry.columns]
        return _part(table, mapping.name, untyped=self.untyped).with_paths(paths)

    def _of_predicate(self, name: str, table: pa.Table, rejects: Rejects, *, untyped: bool) -> list[FactRows]:
        source = f"facts of {name}"
        part = _part(table, source, untyped=untyped)
        columns = columns_by_name(name, table.column_names, source)
        return facts_of_part(part, columns, np.arange(len(table)), self.unit, source, rejects)

    def _named(self, table: pa.Table, rejects: Rejects) -> Iterator[FactRows]:
        """Facts of all predicates in one table. Arguments are an array, or columns that are null where there is
        none.
        """
        names = pc.fill_null(table[PREDICATE].combine_chunks(), "").dictionary_encode()
        which, rest = names.indices.to_numpy(), table.drop_columns([PREDICATE])
        widths = _widths(rest)
        for place, name in enumerate(names.dictionary.to_pylist()):
            mine = np.flatnonzero(which == place)
            for arity in np.unique(widths[mine]).tolist():
                rows = rest.take(pa.array(mine[widths[mine] == arity]))
                if ARGS in rows.column_names:
                    yield from self._of_predicate(name, _unfolded(rows, arity), rejects, untyped=True)
                else:
                    yield from self._of_predicate(name, _used(rows), rejects, untyped=self.untyped)


def _part(table: pa.Table, source: str, *, untyped: bool) -> TablePart:
    """Rows of a table; in untyped files, numbers are text too."""
    part = as_part(table, source)
    return TablePart(part.table, part.lines, part.text, frozenset(table.column_names)) if untyped else part


def _widths(table: pa.Table) -> Ints:
    """The number of arguments of each row, if they are an array."""
    if ARGS not in table.column_names:
        return np.zeros(len(table), np.int64)
    if not pa.types.is_list(table[ARGS].type):
        raise HoldsforError(f"column {ARGS!r} has the type {table[ARGS].type}; it should be an array of arguments")
    found: Ints = pc.fill_null(pc.list_value_length(table[ARGS]), 0).to_numpy().astype(np.int64)
    return found


def _unfolded(table: pa.Table, arity: int) -> pa.Table:
    """One column per argument."""
    made = table.drop_columns([ARGS])
    for place in range(arity):
        made = made.append_column(f"arg{place + 1}", pc.list_element(table[ARGS], place))
    return made


def _used(table: pa.Table) -> pa.Table:
    """The columns that are not null for rows of one predicate."""
    times = ("time", "start", "end")
    has_span = any(name in table.column_names and table[name].null_count < len(table) for name in times[1:])
    unused = times[:1] if has_span else times[1:]
    kept = [
        name
        for name in table.column_names
        if name not in unused and (name in times or table[name].null_count < len(table))
    ]
    return table.select(kept)


def _from_lines(column: pa.ChunkedArray, dictionary: Dictionary, rejects: Rejects, unit: str) -> FactSet:
    text = "\n".join(line for line in column.to_pylist() if line is not None)
    parsed = parse(f"{text}\n".encode(), unit=unit)
    rejects.add("facts", parsed.refused)
    return fact_set([*parsed.rows, *odd_rows(parsed.odd)], dictionary)


@dataclass(frozen=True)
class FactPiece:
    """Facts of a piece of input, malformed rows, and the number of unused facts."""

    facts: FactSet
    rejects: Refused
    unknown: int

    @property
    def rows(self) -> int:
        """The number of facts that some rule uses."""
        return sum(table.rows for table in self.facts.tables.values()) - self.unknown


def pieces(
    job: MetricJob, source: FrameKind, batches: Iterable[pa.RecordBatch], dictionary: Dictionary
) -> Iterator[FactPiece]:
    """The facts of rows, piece by piece."""
    for table in _gathered(batches):
        rejects = Refused()
        facts = source.read(table, dictionary, rejects)
        unknown = sum(table.rows for signature, table in facts.tables.items() if signature not in job.given)
        yield FactPiece(facts, rejects, unknown)


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Collects rows to tables of a reasonable size."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= _ROWS_AT_ONCE:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if any(batch.num_rows for batch in waiting):
        yield pa.Table.from_batches(waiting)


@dataclass(frozen=True)
class ReadFacts:
    """Reads the facts of a DataFrame, routes them to their buckets, and adds a row with counts."""

    job: MetricJob
    source: FrameKind

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Processes some rows."""
        dictionary = Dictionary()
        sender = Sender(self.job, dictionary)
        read = malformed = unknown = 0
        for piece in pieces(self.job, self.source, batches, dictionary):
            yield from sent(self.job, sender, piece.facts, dictionary)
            read, malformed, unknown = read + piece.rows, malformed + piece.rejects.count, unknown + piece.unknown
        yield from note_row(self.job, COUNTS, 0, read, malformed, unknown).to_batches()


def sent(job: MetricJob, sender: Sender, facts: FactSet, dictionary: Dictionary) -> Iterator[pa.RecordBatch]:
    """Rows with the facts for all their readers, as far as the query needs them."""
    facts = facts if job.goals is None else job.goals.read(facts, dictionary)
    for signature, table in facts.tables.items():
        relation = job.given.get(signature)
        if relation is not None:
            for rows in sender.sent(table, facts.scale, job.routes(relation, None)):
                yield from rows.to_batches()
