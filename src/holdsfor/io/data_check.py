"""What rules and data do not agree on: input that no row provides (HF304)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.compiler.checks.data import check_data
from holdsfor.diagnostics import Diagnostic
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
    """The names in files, as a program with these entities sees them."""
    reading = read_rtec(paths, entities)
    malformed = reading.rejects.by_name.values()
    skipped = {row.text.partition("|")[0]: f"{row.file}:{row.line}: {row.reason}" for row in malformed}
    return DataNames(reading.provided, reading.unknown, skipped)
