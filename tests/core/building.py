"""Builds the core beside its sources, as `./dev` does; what is up to date is left alone."""

from __future__ import annotations

import fcntl
import importlib
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "holdsfor" / "core"


@cache
def built_core() -> ModuleType:
    """The module `_core`."""
    folder = ROOT / "build" / "core"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        # Test workers share one build.
        fcntl.flock(lock, fcntl.LOCK_EX)
        _build(folder)
    return importlib.import_module("holdsfor.core._core")


def _build(folder: Path) -> None:
    assert shutil.which("g++") or shutil.which("clang++"), "no C++ compiler: install one, e.g. apt-get install g++"
    cmake = shutil.which("cmake", path=Path(sys.executable).parent) or "cmake"
    options = ["-DHOLDSFOR_IN_PLACE=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    options += ["-G", "Ninja"] if shutil.which("ninja") else []
    configure = [cmake, "-S", str(SOURCES), "-B", str(folder), *options]
    for command in (configure, [cmake, "--build", str(folder), "--parallel", "2"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
