"""The rule files that an editor has open, as one program or several, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from holdsfor.diagnostics import Diagnostic, Source, in_reading_order
from holdsfor.editing.occurrences import NameKind, Occurrence, occurrences
from holdsfor.frontend.dmtl import format_metric
from holdsfor.frontend.rtec import format_source
from holdsfor.loading import METRIC_FILES, Reasoner, from_sources, read_source
from holdsfor.metric import MetricReasoner, from_metric_sources


@dataclass(frozen=True)
class Document:
    """One file with the background files that belong to it."""

    source: Source
    background: tuple[Source, ...] = ()

    @property
    def is_metric(self) -> bool:
        """Whether it holds metric rules."""
        return self.source.name.endswith(METRIC_FILES)

    @property
    def _is_metric_only(self) -> bool:
        return all(source.name.endswith(METRIC_FILES) for source in (self.source, *self.background))

    @cached_property
    def reasoner(self) -> Reasoner | MetricReasoner:
        """The checked program, errors and all."""
        sources = (self.source, *self.background)
        return from_metric_sources(sources) if self._is_metric_only else from_sources(sources)

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """What is to be said about this file."""
        return in_reading_order(one for one in self.reasoner.diagnostics if one.span.source.name == self.source.name)

    @cached_property
    def names(self) -> list[Occurrence]:
        """All names in the file, in reading order."""
        return occurrences(self.source, is_metric=self.is_metric)

    @cached_property
    def _all_names(self) -> list[Occurrence]:
        others = (occurrences(source, is_metric=source.name.endswith(METRIC_FILES)) for source in self.background)
        return [*self.names, *(one for found in others for one in found)]

    def name_at(self, offset: int) -> Occurrence | None:
        """The name at a place; the end of a name counts as the name."""
        found = [one for one in self.names if one.span.start <= offset <= one.span.end]
        return min(found, key=lambda one: one.span.end - one.span.start, default=None)

    def same_as(self, name: Occurrence) -> list[Occurrence]:
        """All places of the same name, background files included."""
        return [one for one in self._all_names if one.same(name)]

    def definitions(self, name: Occurrence) -> list[Occurrence]:
        """The places that define a name; of a variable, its first."""
        same = self.same_as(name)
        return same[:1] if name.kind is NameKind.VARIABLE else [one for one in same if one.is_definition]

    def formatted(self) -> str:
        """The text in the house style; raises ProgramError if it cannot be read."""
        return (format_metric if self.is_metric else format_source)(self.source)


@dataclass
class Project:
    """Files by path. Texts that are open in the editor go before those on disk."""

    background: Sequence[str] = ()
    root: Path = field(default_factory=Path)
    _open: dict[str, str] = field(default_factory=dict)
    _documents: dict[str, Document] = field(default_factory=dict)

    def put(self, name: str, text: str) -> Document:
        """A file has been opened or changed."""
        self._open[name] = text
        self._documents.clear()
        return self.document(name)

    def close(self, name: str) -> None:
        """A file is no longer open."""
        self._open.pop(name, None)
        self._documents.clear()

    @property
    def open_files(self) -> list[str]:
        """The names of all files that are open."""
        return list(self._open)

    def document(self, name: str) -> Document:
        """A file that is open, or on disk."""
        if name not in self._documents:
            background = tuple(self._source(other) for other in self._background_of(name))
            self._documents[name] = Document(self._source(name), background)
        return self._documents[name]

    def _source(self, name: str) -> Source:
        return Source(name, self._open[name]) if name in self._open else read_source(name)

    def _background_of(self, name: str) -> Iterable[str]:
        """The files that are part of every program, but for this one itself."""
        listed = [path for pattern in self.background for path in sorted(self.root.glob(pattern))]
        return [str(path) for path in dict.fromkeys(listed) if path.resolve() != Path(name).resolve()]
