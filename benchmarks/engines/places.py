"""Where the two engines are: the sources around this file, and a worktree of the last commit with the old engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
OLD_COMMIT = "6b0505c"
LIMIT = 900.0
"""Seconds for one workload."""


@dataclass(frozen=True)
class Engine:
    """A name and the folder of a checkout."""

    name: str
    root: Path

    def run(self, *words: str, scripts: Path | None = None) -> dict[str, Any]:
        """The JSON that a module prints last, run with the sources of this engine; `scripts` has the module."""
        path = os.pathsep.join(str(folder) for folder in (self.root / "src", scripts or self.root))
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", *words]
        where = scripts or self.root
        try:
            done = subprocess.run(
                command, cwd=where, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
            )
        except subprocess.TimeoutExpired:
            return {"error": f"took more than {LIMIT:.0f} s"}
        try:
            found: dict[str, Any] = json.loads(done.stdout.strip().rpartition("\n")[2])
        except ValueError:
            return {"error": done.stderr.strip()[-800:] or f"ended with {done.returncode}"}
        return found


def engines(only: str | None = None) -> list[Engine]:
    """The old and the new one, or only one of them. The worktree of the old one is made if it is not there."""
    folders = {"old": old_worktree, "new": lambda: ROOT}
    return [Engine(name, folder()) for name, folder in folders.items() if only in (None, name)]


def old_worktree() -> Path:
    """A worktree of the last commit with the old engine."""
    folder = ROOT / "build" / f"engine-{OLD_COMMIT}"
    if not (folder / "src").is_dir():
        command = ["git", "worktree", "add", "--force", "--detach", str(folder), OLD_COMMIT]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder
