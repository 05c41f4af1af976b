"""Finds mismatches between rules and data: input that no row provides (HF304)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.compiler.checks.data import check_data
from holdsfor.diagnostics import Diagnostic
from holdsfor.io.format_detection import require_some_read
from holdsfor.io.inputs import input_files
from holdsfor.io.mapping import TableMapping
from holdsfor.io.rtec_csv import read_rtec
from holdsfor.io.tables import read_tables


@dataclass(frozen=True)
class DataNames:
    """The names in data: usable ones with their arities, unknown ones, and skipped ones with reasons."""

    provided: Collection[tuple[str, int]]
    unknown: Collection[str]
    skipped: Mapping[str, str]

    def findings(self, analysis: Analysis) -> list[Diagnostic]:
        """Reports input of the rules that the data does not provide."""
        return list(check_data(analysis, self.provided, self.unknown, self.skipped))


def data_names(
    paths: Iterable[str | Path],
    entities: Entities,
    mapping: TableMapping | None = None,
    rules: Sequence[str | Path] = (),
) -> DataNames:
    """The names in files, as a program with these entities sees them; raises HoldsforError if nothing can be read."""
    given = list(paths)
    files = input_files(given, mapping)
    reading = read_rtec(files, entities) if mapping is None else read_tables(files, mapping, entities)
    skipped = {
        name or row.text.partition("|")[0]: f"{row.file}:{row.line}: {row.reason}"
        for name, row in reading.rejects.by_name.items()
    }
    if skipped.keys().isdisjoint(entity.symbol.name for entity in entities):
        # Skipped rows with names that the rules know become findings, which state the reason.
        require_some_read(
            given,
            read=reading.rows - sum(reading.unknown.values()) - reading.rejects.count,
            unknown=reading.unknown,
            malformed=reading.rejects.first,
            mapping=None if mapping is None else mapping.name,
            rules=rules,
        )
    return DataNames(reading.provided, reading.unknown, skipped)
