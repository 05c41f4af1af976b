"""Builds the core for the tests, once for each state of its sources."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
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
    digest = hashlib.sha256()
    for source in sorted((*SOURCES.glob("*.cpp"), *SOURCES.glob("*.h"), SOURCES / "CMakeLists.txt")):
        digest.update(source.name.encode() + source.read_bytes())
    folder = ROOT / "build" / "core" / f"{sys.implementation.cache_tag}-{digest.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "lock").open("w") as lock:
        # Test workers share one build.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("_core*.so")):
            _build(folder)
    (module,) = folder.glob("_core*.so")
    spec = importlib.util.spec_from_file_location("_core", module)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def _build(folder: Path) -> None:
    assert shutil.which("g++") or shutil.which("clang++"), "no C++ compiler: install one, e.g. apt-get install g++"
    cmake = shutil.which("cmake", path=Path(sys.executable).parent) or "cmake"
    configure = [cmake, "-S", str(SOURCES), "-B", str(folder), f"-DPython_EXECUTABLE={sys.executable}"]
    for command in (configure, [cmake, "--build", str(folder), "--parallel", "2"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
