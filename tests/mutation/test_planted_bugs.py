"""Bugs planted in a copy of the engine, one at a time: the property "engine = reference" must find every one.

| planted bug | where |
|---|---|
| an interval starts at the time-point of its initiation | `inertia` |
| an interval ends one time-point late | `inertia` |
| an initiation wins over a termination at the same time-point | `inertia` |
| two values initiated together do not break each other | `inertia` |
| a termination of any value is ignored | `evaluation` |
| what is open at the border is lost in the next window | `evaluation` |
| the start of an interval from before the window is forgotten | `evaluation` |
| groundings do not narrow | `evaluation` |
| an input interval that was cut has a start event | `evaluation` |
| late events are dropped | `windows` |
| the event at the border counts | `windows` |
| a delayed effect comes about although its trigger was broken | `sweep` |
| a re-initiation does not postpone | `sweep` |
| delayed effects are forgotten at the border | `cycles` |
| a cycle reads the new state instead of the old | `sweep` |
| a break does not win over an initiation inside a cycle | `sweep` |
| a sequence skips a rival interval | `kernels` |
| an intersection of touching intervals is not empty | `kernels` |
| *meets* is off by one | `allen` |
| *overlaps* takes in *starts* | `allen` |
| durations are one time-point short | `statics` |
| a negation of several conditions looks at the first alone | `bodies` |
| repeated values in `findall` are dropped | `bodies` |
| the first alternative of a conditional is taken twice | `bodies` |

A planted bug is a change of source text, made in a copy of the package that a new process imports.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import holdsfor

PACKAGE = Path(holdsfor.__file__).parent
ROOT = Path(__file__).parents[2]
SEEDS = 3_000
"""Scenarios that are tried before a planted bug counts as not found."""


@dataclass(frozen=True)
class Planted:
    """A change of one place in one module of the engine."""

    name: str
    module: str
    old: str
    new: str

    def plant(self, package: Path) -> None:
        """Make the change in a copy of the package."""
        path = package / "engine" / f"{self.module}.py"
        text = path.read_text(encoding="utf-8")
        assert text.count(self.old) == 1, f"{self.module} has changed: plant {self.name!r} anew"
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


PLANTED = [
    Planted("start at the initiation", "inertia", "layout.times(start) + 1, end", "layout.times(start), end"),
    Planted("end one late", "inertia", "layout.times(following) + 1", "layout.times(following) + 2"),
    Planted(
        "initiation wins a tie",
        "inertia",
        "    differs = key[1:] ^ key[:-1]\n    # At one moment",
        "    ties = (key[1:] & layout.kind > 0) & (key[1:] ^ key[:-1] <= layout.low)\n"
        "    key = key[np.concatenate(([True], ~ties))]\n"
        "    differs = key[1:] ^ key[:-1]\n    # At one moment",
    ),
    Planted("two values together", "inertia", "rows = np.flatnonzero(clash) + 1", "rows = np.flatnonzero(clash)[:0]"),
    Planted("any value ignored", "evaluation", "if not any(points.wild):", "if not any(points.wild[:-1]):"),
    Planted(
        "open at the border lost",
        "evaluation",
        "(table.start <= last) & (table.end > last)",
        "(table.start <= last) & (table.end > last) & (table.end < FOREVER)",
    ),
    Planted(
        "start before the window forgotten",
        "evaluation",
        "Holding(args, table.value[crossing], table.start[crossing])",
        "Holding(args, table.value[crossing], np.maximum(table.start[crossing], last))",
    ),
    Planted("groundings ignored", "evaluation", "if not declarations or not len(table):", "if declarations or True:"),
    Planted("cut start counts", "evaluation", "inside &= ~self.inputs.is_cut[symbol]", "pass"),
    Planted(
        "late events dropped",
        "windows",
        "seen = np.maximum(self.loaded_at(arrival), time)",
        "seen = np.where(arrival > time, FOREVER, np.maximum(self.loaded_at(arrival), time))",
    ),
    Planted("event at the border", "windows", "found - self.size < time", "found - self.size <= time"),
    Planted(
        "delayed effect not cancelled",
        "sweep",
        "if self.current[slot] != trigger or self.since[slot] > initiated + 1:",
        "if self.current[slot] != trigger:",
    ),
    Planted("no postponement", "sweep", "(again or self.renewed[trigger] > initiated)", "again"),
    Planted(
        "delayed effects forgotten", "cycles", "if initiated <= border < due}", "if initiated <= border < due < 0}"
    ),
    Planted(
        "new state read",
        "sweep",
        "return bool(self.current[slot] == pair)",
        "return bool(self.current[slot] == pair or pair in self.starting.get(slot, ()))",
    ),
    Planted(
        "break loses in a cycle",
        "sweep",
        "if self._is_broken(started):",
        "if self._is_broken(started) and len(self.starting[slot]) > 1:",
    ),
    Planted("rival skipped", "kernels", "np.flatnonzero(~crowded & (", "np.flatnonzero(True & ("),
    Planted(
        "touching intersect", "kernels", "keep = np.flatnonzero(late < early)", "keep = np.flatnonzero(late <= early)"
    ),
    Planted(
        "meets off by one",
        "allen",
        "targets[0][partner] == last) & (starts < last)",
        "targets[0][partner] == last - 1) & (starts < last)",
    ),
    Planted("overlaps too wide", "allen", "holds = (starts < begins) &", "holds = (starts <= begins) &"),
    Planted(
        "durations one short",
        "statics",
        "self._evaluation.moment.now + 1 - space.base",
        "self._evaluation.moment.now - space.base",
    ),
]


def search(source: Path, seeds: int) -> subprocess.CompletedProcess[str]:
    """Run the search on the engine of a source folder."""
    path = os.pathsep.join([str(source), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", "tests.mutation.search", "0", str(seeds)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def copied(folder: Path) -> Path:
    """A copy of the package, in a folder that can be imported from."""
    shutil.copytree(PACKAGE, folder / "holdsfor", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_a_planted_bug_is_found(planted: Planted, tmp_path: Path) -> None:
    source = copied(tmp_path)
    planted.plant(source / "holdsfor")
    found = search(source, SEEDS)
    assert found.returncode == 1, found.stderr
    assert found.stdout.strip().isdigit(), found.stderr


@pytest.mark.slow
def test_without_a_bug_nothing_is_found(tmp_path: Path) -> None:
    found = search(copied(tmp_path), SEEDS)
    assert (found.returncode, found.stdout) == (0, ""), found.stdout + found.stderr
