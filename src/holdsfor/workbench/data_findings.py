"""Mismatches between rules and sample, like `check --events`; recomputed only when one of them changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from holdsfor.diagnostics import Diagnostic, HoldsforError
from holdsfor.io.data_check import DataNames, data_names
from holdsfor.io.mapping import read_mapping
from holdsfor.loading import Reasoner
from holdsfor.workbench.desk import Desk


class DataFindings:
    """Findings about a desk's sample. Rules change with every keystroke; the names in the sample rarely do."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._key: Any = None
        self._names: DataNames | None = None

    def of(self, reasoner: Reasoner) -> list[Diagnostic]:
        """The names that rules read and the sample does not contain. An unreadable sample is reported when it is run."""
        setting = self._desk.setting
        if not setting.events:
            return []
        analysis = reasoner.analysis
        try:
            files = self._desk.samples.files()
            states = tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files)
            key = states, frozenset((entity.symbol, entity.role) for entity in analysis.entities)
            if key != self._key:
                mapping = None if setting.mapping is None else read_mapping(setting.mapping)
                self._names, self._key = data_names(files, analysis.entities, mapping), key
        except (HoldsforError, OSError):
            return []
        found = [] if self._names is None else self._names.findings(analysis)
        return [self._of_sample(one) for one in found] if self._desk.samples.cut else found

    def _of_sample(self, found: Diagnostic) -> Diagnostic:
        """Names that are missing in the beginning of a file may still follow later."""
        rows = f"only the first {self._desk.setting.sample:,} rows were looked at"
        return replace(found, hint=f"{found.hint}; {rows}" if found.hint else rows)
