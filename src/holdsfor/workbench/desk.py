"""The data of a page: rule files, a sample of events, and the last runs."""

from __future__ import annotations

import hashlib
import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.editing.project import Document, RuleProgram
from holdsfor.facts import facts_text
from holdsfor.io.fact_files import named_table
from holdsfor.io.inputs import input_files
from holdsfor.io.mapping import read_mapping
from holdsfor.io.outputs import created
from holdsfor.loading import METRIC_FILES, Reasoner, from_sources, read_source
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result
from holdsfor.times import TimeScale
from holdsfor.workbench.grids import found_grid, given_grid
from holdsfor.workbench.moments import Moments
from holdsfor.workbench.samples import SAMPLE_ROWS, Samples
from holdsfor.workbench.tables import Grid

_KEPT_RUNS = 4


class Conflict(HoldsforError):
    """A file has been changed on disk since it was read."""


@dataclass(frozen=True)
class Setting:
    """The options of the server, which a page cannot change."""

    rules: tuple[Path, ...]
    events: tuple[Path, ...] = ()
    background: tuple[Path, ...] = ()
    mapping: Path | None = None
    unit: str | None = None
    tracks: Path | None = None
    areas: Path | None = None
    sample: int = SAMPLE_ROWS
    may_save: bool = True
    """Whether rules are written back to their files; rules of examples and of links are not."""
    home: Path | None = None
    """The only folder that rules may load files from; None allows all."""


@dataclass(frozen=True)
class RuleFile:
    """A rule file as it was on disk. `version` identifies its bytes; lines end in `newline`."""

    text: str
    version: str
    newline: str = "\n"
    mark: bytes = b""

    @classmethod
    def read(cls, path: Path) -> RuleFile:
        """Read a file; raises HoldsforError if that fails."""
        text = read_source(path).text
        raw = path.read_bytes()
        mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
        return cls(text, _version(raw), "\r\n" if b"\r\n" in raw else "\n", mark)

    def written(self, text: str) -> bytes:
        """Another text with the line ends and the byte-order mark of this file; editors use `\\n` alone."""
        return self.mark + text.replace("\n", self.newline).encode("utf-8", errors="replace")


def _version(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:24]


@dataclass(frozen=True)
class SampleRun:
    """A run over the sample, kept for explanations and pictures."""

    number: int
    reasoner: Reasoner | MetricReasoner
    result: Result | MetricResult
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def time_scale(self) -> TimeScale | None:
        """The time unit and zone, if the rules, the mapping, the columns or the command line declare them."""
        return self.result.time_scale

    @property
    def moments(self) -> Moments:
        """The format of times of this run."""
        return Moments(self.time_scale)

    @cached_property
    def found(self) -> Grid:
        """The results, as a table."""
        return found_grid(self.result, self.moments)

    @cached_property
    def given(self) -> Grid:
        """The input, as a table."""
        return given_grid(self.result, self.moments)


class Desk:
    """Rule files that are being edited, and their runs over the sample."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._numbers = itertools.count(1)
        self._runs: dict[int, SampleRun] = {}
        self._one_at_a_time = Lock()
        self._last: tuple[tuple[Source, ...], Reasoner | MetricReasoner] | None = None
        self._paths = {str(path): path for path in setting.rules}
        self._files = {name: RuleFile.read(path) for name, path in self._paths.items()}
        tables = [(str(path), table) for path in setting.background if (table := named_table(path)) is not None]
        self._tables = {given: Source(given, facts_text(*table)) for given, table in tables}
        rules = [path for path in setting.background if str(path) not in self._tables]
        mapping = None if setting.mapping is None else read_mapping(setting.mapping)
        events = [Path(path) for path in input_files(setting.events, mapping)]
        for path in (*events, *rules, setting.tracks, setting.areas):
            if path is not None and not path.exists():
                raise HoldsforError(f"cannot read {path}: No such file or directory")
        self.events = tuple(events)
        """The files of events, also those of directories and patterns."""
        self.samples = Samples(events, setting.sample, None if mapping is None else mapping.format)

    # Rule files

    @property
    def files(self) -> dict[str, RuleFile]:
        """The rule files as they were last read or written."""
        return dict(self._files)

    def read_all(self) -> dict[str, RuleFile]:
        """The rule files as they are on disk now; deleted ones, as they were."""
        for name, path in self._paths.items():
            if path.exists():
                self.read(name)
        return self.files

    @property
    def is_metric(self) -> bool:
        """Whether all files are metric programs."""
        return all(path.name.endswith(METRIC_FILES) for path in self.setting.rules)

    def read(self, name: str) -> RuleFile:
        """A rule file as it is on disk now."""
        self._files[name] = RuleFile.read(self.path(name))
        return self._files[name]

    def save(self, name: str, text: str, version: str) -> RuleFile:
        """Write a rule file; raises Conflict if the file on disk is no longer the version that was edited."""
        path = self.path(name)
        if not self.setting.may_save:
            raise HoldsforError("examples and links are not saved; download the rules to keep them")
        with self._one_at_a_time:
            try:
                there = path.read_bytes() if path.exists() else None
                if there is not None and _version(there) != version:
                    raise Conflict(f"{name} has been changed on disk since it was read; it was not saved")
                with created(path) as file:
                    file.write(self._files[name].written(text))
            except OSError as problem:
                raise HoldsforError(f"cannot write {name}: {problem.strerror or problem}") from problem
        return self.read(name)

    def path(self, name: str) -> Path:
        """The path of a rule file; only files of the command line have one."""
        if name not in self._paths:
            raise HoldsforError(f"{name} is not one of the files of this page")
        return self._paths[name]

    # Programs

    def sources(self, texts: Mapping[str, str]) -> list[Source]:
        """The rule files with texts from the page; a name that was not given at the start is refused."""
        for name in texts:
            self.path(name)
        return [Source(name, texts.get(name, file.text)) for name, file in self._files.items()]

    def reasoner(self, texts: Mapping[str, str]) -> Reasoner | MetricReasoner:
        """The checked program, also with errors."""
        sources = tuple(self.sources(texts)) + (() if self.is_metric else self._background())
        last = self._last
        if last is not None and [(s.name, s.text) for s in last[0]] == [(s.name, s.text) for s in sources]:
            return last[1]
        made = from_metric_sources(sources) if self.is_metric else from_sources(sources, self._read_loaded)
        self._last = sources, made
        return made

    def document(self, texts: Mapping[str, str], name: str) -> Document:
        """One file in an editor, with the other files of its program."""
        self.path(name)
        sources = {source.name: source for source in self.sources(texts)}
        others = [source for source in sources.values() if source.name != name]
        return Document(sources[name], (RuleProgram((sources[name], *others, *self._background())),))

    def _read_loaded(self, path: Path) -> Source:
        """A file that rules load. Rules of a link are not trusted: they read no files outside their own."""
        home = self.setting.home
        if home is not None and home.resolve() not in path.resolve().parents:
            raise HoldsforError(f"{path} is not one of the files that came with these rules")
        return read_source(path)

    def _background(self) -> tuple[Source, ...]:
        return tuple(self._tables.get(str(path)) or read_source(path) for path in self.setting.background)

    # Runs

    def recognise(self, texts: Mapping[str, str], options: Mapping[str, Any]) -> SampleRun:
        """Run the rules over the sample; raises ProgramError if they have errors."""
        reasoner = self.reasoner(texts)
        reasoner.require_no_errors()
        given = {name: value for name, value in options.items() if value}
        shared: dict[str, Any] = {"mapping": self.setting.mapping, **self._unit(), **given}
        with self._one_at_a_time:
            events = self.samples.files()
            result: Result | MetricResult
            with warnings.catch_warnings():
                # The page shows malformed rows and gaps between windows itself.
                warnings.simplefilter("ignore", UserWarning)
                if isinstance(reasoner, MetricReasoner):
                    result = reasoner.materialise(events, **shared)
                else:
                    result = reasoner.recognise(events, **shared)
            run = SampleRun(next(self._numbers), reasoner, result, given)
            self._runs[run.number] = run
            while len(self._runs) > _KEPT_RUNS:
                del self._runs[min(self._runs)]
        return run

    def _unit(self) -> dict[str, str]:
        return {} if self.setting.unit is None else {"unit": self.setting.unit}

    def run(self, number: int) -> SampleRun:
        """An earlier run; only the last ones are kept."""
        if number not in self._runs:
            raise HoldsforError("that run is no longer there; run the rules again")
        return self._runs[number]
