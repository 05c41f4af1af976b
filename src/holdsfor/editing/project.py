"""Manages the rule files open in an editor, as one or several checked programs.

A file and the files that it loads (`:- ['areas.prolog'].`) form one program. A file that another open file loads is
checked as a part of that program, since on its own it may lack names that the other file defines.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from holdsfor.diagnostics import Diagnostic, Source, Span, in_reading_order
from holdsfor.editing.occurrences import NameKind, Occurrence, occurrences
from holdsfor.frontend.dmtl import format_metric
from holdsfor.frontend.rtec import format_source
from holdsfor.frontend.rtec.files import ReadFile, may_load_files, named_files, with_loaded_files
from holdsfor.ir.calendar import CONDITIONS as CALENDAR
from holdsfor.loading import METRIC_FILES, Reasoner, from_sources, read_source
from holdsfor.logic.library import LIBRARY
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.syntax.parser import parse


@dataclass(frozen=True)
class RuleProgram:
    """Files that are checked together: the given ones, and those that they load."""

    given: tuple[Source, ...]
    read: ReadFile = read_source

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """All files, each once."""
        if not any(may_load_files(source.text) for source in self.given):
            return self.given
        parsed = (parse(source) for source in self.given if not is_metric(source))
        loaded = (one.source for one in with_loaded_files(parsed, self.read))
        return tuple({source.name: source for source in (*self.given, *loaded)}.values())

    @cached_property
    def reasoner(self) -> Reasoner | MetricReasoner:
        """The checked program, even with errors."""
        if all(map(is_metric, self.given)):
            return from_metric_sources(self.given)
        return from_sources(self.given, self.read)

    @property
    def findings(self) -> list[Diagnostic]:
        """The findings of `check`."""
        return list(self.reasoner.diagnostics)

    @cached_property
    def names(self) -> list[Occurrence]:
        """All names in all files."""
        found = (occurrences(source, is_metric=is_metric(source)) for source in self.sources)
        return [one for listed in found for one in listed]


@dataclass(frozen=True)
class Document:
    """A file, and the programs that it belongs to: usually one, or several if several open files load it."""

    source: Source
    programs: tuple[RuleProgram, ...] = ()

    def __post_init__(self) -> None:
        if not self.programs:
            object.__setattr__(self, "programs", (RuleProgram((self.source,)),))

    @property
    def is_metric(self) -> bool:
        """Whether it holds metric rules."""
        return is_metric(self.source)

    @property
    def reasoner(self) -> Reasoner | MetricReasoner:
        """The checked program, even with errors; the first of several."""
        return self.programs[0].reasoner

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings in this file."""
        found = (one for program in self.programs for one in program.findings)
        return in_reading_order(one for one in found if one.span.source.name == self.source.name)

    @cached_property
    def names(self) -> list[Occurrence]:
        """All names in the file, in reading order."""
        return occurrences(self.source, is_metric=self.is_metric)

    @cached_property
    def all_names(self) -> list[Occurrence]:
        """All names of the programs, those of this file first."""
        others = (one for program in self.programs for one in program.names)
        return [*self.names, *dict.fromkeys(one for one in others if one.span.source.name != self.source.name)]

    @cached_property
    def loaded_files(self) -> list[tuple[Span, Path]]:
        """The spans that name files to load, with the files."""
        found = () if self.is_metric else named_files(parse(self.source))
        return [(span, _plain(path)) for span, path in found]

    def name_at(self, offset: int) -> Occurrence | None:
        """The name at a position; the end of a name belongs to it."""
        found = [one for one in self.names if one.span.start <= offset <= one.span.end]
        return min(found, key=lambda one: one.span.end - one.span.start, default=None)

    def same_as(self, name: Occurrence) -> list[Occurrence]:
        """All occurrences of a name, in all files of the programs."""
        return [one for one in self.all_names if one.same(name)]

    def definitions(self, name: Occurrence) -> list[Occurrence]:
        """The definitions of a name; of a variable, its first occurrence."""
        same = self.same_as(name)
        return same[:1] if name.kind is NameKind.VARIABLE else [one for one in same if one.is_definition]

    def is_calendar(self, name: Occurrence) -> bool:
        """Whether a name is a calendar condition instead of a predicate of the program."""
        is_one = name.kind is NameKind.BACKGROUND and (name.name, name.arity) in CALENDAR
        return is_one and not self.definitions(name)

    def is_library(self, name: Occurrence) -> bool:
        """Whether a name is a library predicate that the program does not define."""
        is_one = name.kind is NameKind.BACKGROUND and (name.name, name.arity) in LIBRARY
        return is_one and not self.definitions(name)

    def formatted(self) -> str:
        """The text in canonical layout; raises ProgramError if it cannot be parsed."""
        return (format_metric if self.is_metric else format_source)(self.source)


@dataclass
class Project:
    """Files by path. Texts open in the editor take precedence over those on disk."""

    background: Sequence[str] = ()
    root: Path = field(default_factory=Path)
    _open: dict[str, str] = field(default_factory=dict)
    _documents: dict[str, Document] = field(default_factory=dict)
    _programs: dict[str, RuleProgram] = field(default_factory=dict)

    def put(self, name: str, text: str) -> Document:
        """Adds an opened or changed file."""
        self._open[name] = text
        self.refresh()
        return self.document(name)

    def close(self, name: str) -> None:
        """Removes a closed file."""
        self._open.pop(name, None)
        self.refresh()

    def refresh(self) -> None:
        """Reads all files again, because one may have changed on disk."""
        self._documents.clear()
        self._programs.clear()

    @property
    def files(self) -> list[str]:
        """The names of all open files and of the files that they load."""
        loaded = (other for name in self._open for other in sorted(self._loaded_by(name)))
        return list(dict.fromkeys((*self._open, *loaded)))

    def document(self, name: str) -> Document:
        """A document for an open file, or one on disk."""
        if name not in self._documents:
            programs = tuple(self._program(main) for main in self._mains_of(name))
            self._documents[name] = Document(self._source(name), programs)
        return self._documents[name]

    def _mains_of(self, name: str) -> Sequence[str]:
        """The open files that load a file, directly or not, and are not loaded themselves; otherwise the file."""
        reached = {main: self._loaded_by(main) for main in self._open}
        mine = self._loaded_by(name)
        above = [main for main, files in reached.items() if main != name and name in files and main not in mine]
        top = [
            main for main in above if not any(main in reached[other] and other not in reached[main] for other in above)
        ]
        return top or [name]

    def _loaded_by(self, name: str) -> frozenset[str]:
        program = self._program(name)
        background = {source.name for source in program.given[1:]}
        return frozenset(source.name for source in program.sources) - background - {name}

    def _program(self, name: str) -> RuleProgram:
        if name not in self._programs:
            given = (self._source(name), *(self._source(other) for other in self._background_of(name)))
            self._programs[name] = RuleProgram(given, self._read)
        return self._programs[name]

    def _source(self, name: str) -> Source:
        return Source(name, self._open[name]) if name in self._open else read_source(name)

    def _read(self, path: Path) -> Source:
        """A loaded file, with one name for all paths to it."""
        found = path.resolve()
        return self._source(next((name for name in self._open if Path(name).resolve() == found), str(_plain(path))))

    def _background_of(self, name: str) -> Iterable[str]:
        """The files that belong to every program, without this one."""
        listed = [path for pattern in self.background for path in sorted(self.root.glob(pattern))]
        return [str(path) for path in dict.fromkeys(listed) if path.resolve() != Path(name).resolve()]


def _plain(path: Path) -> Path:
    """A path without `..`, as the editor would write it. Links are kept, unless they change the meaning of `..`."""
    plain = Path(os.path.normpath(path))
    return plain if plain.resolve() == path.resolve() else path.resolve()


def is_metric(source: Source) -> bool:
    """Whether a file holds metric rules."""
    return source.name.endswith(METRIC_FILES)
