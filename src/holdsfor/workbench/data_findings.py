"""What rules and the sample do not agree on, as `check --events` says it; read again only when one of them changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdsfor.diagnostics import Diagnostic, HoldsforError
from holdsfor.io.data_check import DataNames, data_names
from holdsfor.loading import Reasoner
from holdsfor.recognition import read_events
from holdsfor.workbench.desk import Desk


class DataFindings:
    """Findings about a desk's sample. Rules change with every key; the names in the sample rarely do."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._key: Any = None
        self._names: DataNames | None = None

    def of(self, reasoner: Reasoner) -> list[Diagnostic]:
        """What the rules wait for in vain. A sample that cannot be read says so when it is run."""
        setting = self._desk.setting
        if not setting.events:
            return []
        analysis = reasoner.analysis
        try:
            files = self._desk.samples.files()
            states = tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files)
            key = states, frozenset((entity.symbol, entity.role) for entity in analysis.entities)
            if key != self._key:
                self._names, self._key = self._read(reasoner, files), key
        except (HoldsforError, OSError):
            return []
        return [] if self._names is None else self._names.findings(analysis)

    def _read(self, reasoner: Reasoner, files: list[Path]) -> DataNames:
        setting = self._desk.setting
        if setting.mapping is None:
            return data_names(files, reasoner.analysis.entities)
        reading = read_events(reasoner.plan, files, setting.mapping, setting.unit)
        return DataNames(reading.provided, reading.unknown, {})
