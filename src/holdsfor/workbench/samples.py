"""Samples: only the beginning of large event files is used, so that the page responds quickly."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats import format_of
from holdsfor.io.sources import opened

SAMPLE_ROWS = 200_000


@dataclass(frozen=True)
class _Sample:
    """The sample of a file, valid until the file changes."""

    state: tuple[int, int]
    path: Path
    is_cut: bool


class Samples:
    """Files of events, or copies of the first rows of large ones. 0 rows mean all rows."""

    def __init__(self, paths: Sequence[Path], rows: int = SAMPLE_ROWS, style: str | None = None) -> None:
        self._paths, self._rows, self._style = paths, rows, style
        self._made: dict[Path, _Sample] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="holdsfor-"))
        # It is deleted with the page.
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def files(self) -> list[Path]:
        """The paths to read in place of the files."""
        if not self._rows:
            return list(self._paths)
        return [self._sample(path, number).path for number, path in enumerate(self._paths)]

    @property
    def cut(self) -> list[str]:
        """The files of which the last run used only the beginning."""
        return [str(path) for path in self._paths if path in self._made and self._made[path].is_cut]

    def original(self, name: str) -> str:
        """The name of the original of a copy."""
        copies = {str(sample.path): str(path) for path, sample in self._made.items()}
        return copies.get(name, name)

    def _sample(self, path: Path, number: int) -> _Sample:
        try:
            found = path.stat()
        except OSError as problem:
            raise HoldsforError(f"cannot read {path}: {problem.strerror or problem}") from problem
        state = found.st_mtime_ns, found.st_size
        if path not in self._made or self._made[path].state != state:
            copy = self._folder / str(number) / path.name
            copy.parent.mkdir(exist_ok=True)
            is_cut = self._cut(path, copy)
            self._made[path] = _Sample(state, copy if is_cut else path, is_cut)
        return self._made[path]

    def _cut(self, path: Path, copy: Path) -> bool:
        try:
            style = self._style or format_of(path)
        except HoldsforError:
            style = ""
        if style == "json":
            # A document can only be read as a whole.
            return False
        return (_cut_table if style == "parquet" else _cut_lines)(path, copy, self._rows)


def _cut_lines(path: Path, copy: Path, rows: int) -> bool:
    with opened(path) as file:
        lines = list(itertools.islice(file, rows))
        if not file.readline():
            return False
    copy.write_bytes(b"".join(lines))
    return True


def _cut_table(path: Path, copy: Path, rows: int) -> bool:
    try:
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows <= rows:
                return False
            missing = rows
            with pq.ParquetWriter(copy, file.schema_arrow) as writer:
                for batch in file.iter_batches():
                    writer.write_batch(batch.slice(0, missing))
                    missing -= len(batch)
                    if missing <= 0:
                        return True
    except (pa.ArrowException, OSError) as problem:
        raise HoldsforError(f"cannot read {path}: {problem}") from problem
    return True
