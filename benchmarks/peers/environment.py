"""An environment with the other tools, apart from that of the project. Made once, with

python -m benchmarks.peers.environment
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(os.environ.get("HOLDSFOR_PEERS", ROOT / "build" / "peers"))
PYTHON = FOLDER / "bin" / "python"
PACKAGES = ("polars", "duckdb", "numpy", "logica", "meteor_reasoner", "apache-flink", "pycer")


def make() -> dict[str, str]:
    """Install what can be installed; what came of each."""
    if not PYTHON.exists():
        venv.create(FOLDER, with_pip=True)
    found = {}
    for package in PACKAGES:
        done = subprocess.run(
            [PYTHON, "-m", "pip", "install", "--quiet", package], capture_output=True, text=True, check=False
        )
        found[package] = "installed" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
    (FOLDER / "installed.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found


def ask(
    solver: str, repeat: int, *arguments: object, python: Path = PYTHON, limit: float = 300.0
) -> dict[str, Any] | None:
    """What a solver takes and answers; nothing if there is no such environment, or not that tool in it."""
    if not python.exists():
        return None
    command = [python, "-m", "benchmarks.peers.child", solver, str(repeat), *map(str, arguments)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        if "ModuleNotFoundError" in done.stderr:
            return None
        raise RuntimeError(f"{solver}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().rpartition("\n")[2])
    return found


if __name__ == "__main__":
    for package, state in make().items():
        print(f"{package}: {state}", file=sys.stderr)
