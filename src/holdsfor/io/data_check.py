"""What rules and data do not agree on: input that no row provides (HF304)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.compiler.checks.data import check_data
from holdsfor.diagnostics import Diagnostic
from holdsfor.io.inputs import input_files
from holdsfor.io.looks import require_some_read
from holdsfor.io.mapping import TableMapping
from holdsfor.io.rtec_csv import read_rtec
from holdsfor.io.tables import read_tables


@dataclass(frozen=True)
class DataNames:
    """The names in data: what rules can use, with the number of arguments; what no rule knows; what was skipped, why."""

    provided: Collection[tuple[str, int]]
    unknown: Collection[str]
    skipped: Mapping[str, str]

    def findings(self, analysis: Analysis) -> list[Diagnostic]:
        """Input that the rules wait for in vain."""
        return list(check_data(analysis, self.provided, self.unknown, self.skipped))


def data_names(
    paths: Iterable[str | Path],
    entities: Entities,
    mapping: TableMapping | None = None,
    rules: Sequence[str | Path] = (),
) -> DataNames:
    """The names in files, as a program with these entities sees them; HoldsforError if nothing in them can be read."""
    given = list(paths)
    files = input_files(given, mapping)
    reading = read_rtec(files, entities) if mapping is None else read_tables(files, mapping, entities)
    skipped = {
        name or row.text.partition("|")[0]: f"{row.file}:{row.line}: {row.reason}"
        for name, row in reading.rejects.by_name.items()
    }
    if skipped.keys().isdisjoint(entity.symbol.name for entity in entities):
        # Rows of names that the rules know are findings, which say why they are skipped.
        require_some_read(
            given,
            read=reading.rows - sum(reading.unknown.values()) - reading.rejects.count,
            unknown=reading.unknown,
            malformed=reading.rejects.first,
            mapping=None if mapping is None else mapping.name,
            rules=rules,
        )
    return DataNames(reading.provided, reading.unknown, skipped)
