"""Warns about data mismatches while rules are written, like `check --events`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role
from holdsfor.diagnostics import Diagnostic, HoldsforError
from holdsfor.editing.project import RuleProgram
from holdsfor.io.data_check import DataNames, data_names
from holdsfor.loading import Reasoner

_Stamp = tuple[tuple[Path, int, int], ...]
"""Files with their modification times and sizes."""
_Known = frozenset[tuple[object, Role]]


@dataclass
class EventData:
    """Files of events. They are read again when they change, or when saved rules mention other names."""

    patterns: Sequence[str] = ()
    root: Path = field(default_factory=Path)
    problem: str = ""
    _read: dict[str, tuple[_Stamp, _Known, DataNames]] = field(default_factory=dict)

    def findings(self, program: RuleProgram, *, may_read: bool = True) -> list[Diagnostic]:
        """The input of rules that the data lacks. Without `may_read`, only known file contents are used."""
        reasoner = program.reasoner
        if not self.patterns or not isinstance(reasoner, Reasoner):
            return []
        names = self._names(program.given[0].name, reasoner.analysis, may_read=may_read)
        return [] if names is None else names.findings(reasoner.analysis)

    def _names(self, main: str, analysis: Analysis, *, may_read: bool) -> DataNames | None:
        stamp = self._stamp()
        known: _Known = frozenset((entity.symbol, entity.role) for entity in analysis.entities)
        last = self._read.get(main)
        if last is not None and last[:2] == (stamp, known):
            return last[2]
        if last is not None and last[0] == stamp and not may_read:
            return _with_names_of_others(last[2], analysis)
        if stamp is None:
            return None
        try:
            found = data_names([path for path, _, _ in stamp], analysis.entities)
        except HoldsforError as problem:
            self.problem = str(problem)
            return None
        self._read[main] = (stamp, known, found)
        return found

    def _stamp(self) -> _Stamp | None:
        self.problem = ""
        found: list[tuple[Path, int, int]] = []
        for pattern in self.patterns:
            paths = [path for path in self._matching(pattern) if path.is_file()]
            if not paths:
                self.problem = f"holdsfor.events: there is no file {pattern}"
            for path in paths:
                status = path.stat()
                found.append((path, status.st_mtime_ns, status.st_size))
        return tuple(found) or None

    def _matching(self, pattern: str) -> list[Path]:
        path = Path(pattern).expanduser()
        if path.is_absolute() or (self.root / path).is_file():
            return [self.root / path]
        return sorted(self.root.glob(pattern))


def _with_names_of_others(names: DataNames, analysis: Analysis) -> DataNames:
    """Ignores arguments of names that the rules did not mention when the files were read."""
    inputs = analysis.entities.with_role(Role.INPUT_EVENT, Role.INPUT_FLUENT)
    new = {(one.symbol.name, one.symbol.arity) for one in inputs if one.symbol.name in names.unknown}
    return replace(names, provided={*names.provided, *new})
