"""What lies on the desk: rule files, a sample of events, and the last run over it."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.editing.project import Document
from holdsfor.io.sources import opened
from holdsfor.loading import METRIC_FILES, Reasoner, from_sources, read_source
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result

SAMPLE_ROWS = 200_000
"""Of larger files of events only the beginning is used."""


@dataclass(frozen=True)
class Setting:
    """What the page was started with, and what it may not change."""

    rules: tuple[Path, ...]
    events: tuple[Path, ...] = ()
    background: tuple[Path, ...] = ()
    mapping: Path | None = None
    unit: str = "s"


@dataclass
class Run:
    """A run over the sample, kept for questions about it."""

    number: int
    reasoner: Reasoner | MetricReasoner
    result: Result | MetricResult
    options: dict[str, Any] = field(default_factory=dict)


class Desk:
    """Rule files as they are being written, and what they make of the sample."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._numbers = itertools.count(1)
        self.run: Run | None = None
        self._texts = {str(path): read_source(path).text for path in setting.rules}
        for path in (*setting.events, *setting.background):
            if not path.exists():
                raise HoldsforError(f"cannot read {path}: No such file or directory")

    @property
    def files(self) -> dict[str, str]:
        """The rule files with their texts on disk, or as they were saved last."""
        return dict(self._texts)

    @property
    def is_metric(self) -> bool:
        """Whether all files are metric programs."""
        return all(path.name.endswith(METRIC_FILES) for path in self.setting.rules)

    def sources(self, texts: Mapping[str, str]) -> list[Source]:
        """The rule files with texts from the page; a name that was not given at the start is refused."""
        unknown = texts.keys() - self._texts.keys()
        if unknown:
            raise HoldsforError(f"{min(unknown)} is not one of the files of this page")
        return [Source(name, texts.get(name, text)) for name, text in self._texts.items()]

    def reasoner(self, texts: Mapping[str, str]) -> Reasoner | MetricReasoner:
        """The checked program, errors and all."""
        sources = self.sources(texts)
        background = [read_source(path) for path in self.setting.background]
        return from_metric_sources(sources) if self.is_metric else from_sources([*sources, *background])

    def document(self, texts: Mapping[str, str], name: str) -> Document:
        """One file, with the others as what belongs to it."""
        sources = {source.name: source for source in self.sources(texts)}
        if name not in sources:
            raise HoldsforError(f"{name} is not one of the files of this page")
        others = [source for source in sources.values() if source.name != name]
        return Document(sources[name], (*others, *(read_source(path) for path in self.setting.background)))

    def save(self, name: str, text: str) -> None:
        """Write a rule file."""
        if name not in self._texts:
            raise HoldsforError(f"{name} is not one of the files of this page")
        try:
            Path(name).write_text(text, encoding="utf-8")
        except OSError as problem:
            raise HoldsforError(f"cannot write {name}: {problem.strerror or problem}") from problem
        self._texts[name] = text

    def recognise(self, texts: Mapping[str, str], options: Mapping[str, Any]) -> Run:
        """Run the rules over the sample; raises ProgramError if they cannot be."""
        reasoner = self.reasoner(texts)
        reasoner.require_no_errors()
        given = {name: value for name, value in options.items() if value is not None}
        shared: dict[str, Any] = {"mapping": self.setting.mapping, "unit": self.setting.unit, **given}
        with _beginnings(self.setting.events, sampled=self.setting.mapping is None) as events:
            result: Result | MetricResult
            if isinstance(reasoner, MetricReasoner):
                result = reasoner.materialise(events, **shared)
            else:
                result = reasoner.recognise(events, **shared)
        self.run = Run(next(self._numbers), reasoner, result, given)
        return self.run


@contextmanager
def _beginnings(paths: Sequence[Path], *, sampled: bool) -> Iterator[list[Path]]:
    """Files of events, or copies of the beginnings of those that are too large for a page that answers at once."""
    if not sampled:
        yield list(paths)
        return
    with tempfile.TemporaryDirectory(prefix="holdsfor-") as folder:
        yield [_beginning(path, Path(folder) / f"{number}.csv") for number, path in enumerate(paths)]


def _beginning(path: Path, copy: Path) -> Path:
    with opened(path) as file:
        lines = list(itertools.islice(file, SAMPLE_ROWS + 1))
    if len(lines) <= SAMPLE_ROWS:
        return path
    copy.write_bytes(b"".join(lines[:SAMPLE_ROWS]))
    return copy
