"""What rules and data do not agree on: input that no row provides (HF304)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.compiler.checks.data import check_data
from holdsfor.diagnostics import Diagnostic
from holdsfor.io.looks import require_some_read
from holdsfor.io.rtec_csv import read_rtec


@dataclass(frozen=True)
class DataNames:
    """The names in data: what rules can use, with the number of arguments; what no rule knows; what was skipped, why."""

    provided: Collection[tuple[str, int]]
    unknown: Collection[str]
    skipped: Mapping[str, str]

    def findings(self, analysis: Analysis) -> list[Diagnostic]:
        """Input that the rules wait for in vain."""
        return list(check_data(analysis, self.provided, self.unknown, self.skipped))


def data_names(paths: Iterable[str | Path], entities: Entities) -> DataNames:
    """The names in files, as a program with these entities sees them; HoldsforError if nothing in them can be read."""
    files = list(paths)
    reading = read_rtec(files, entities)
    malformed = reading.rejects.by_name.values()
    skipped = {row.text.partition("|")[0]: f"{row.file}:{row.line}: {row.reason}" for row in malformed}
    if skipped.keys().isdisjoint(entity.symbol.name for entity in entities):
        # Rows of names that the rules know are findings, which say why they are skipped.
        read = reading.rows - sum(reading.unknown.values()) - reading.rejects.count
        require_some_read(files, read=read, unknown=reading.unknown, malformed=reading.rejects.first)
    return DataNames(reading.provided, reading.unknown, skipped)
