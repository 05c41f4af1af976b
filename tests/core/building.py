"""The core of this checkout, built as `./dev` does; and the same tests on another build of it.

`pytest -p tests.core.building` with the folder of another build in `HOLDSFOR_TEST_CORE` runs on the module of that folder.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import holdsfor.core

ROOT = Path(__file__).parents[2]
NAME = "holdsfor.core._core"
OTHER = "HOLDSFOR_TEST_CORE"


@cache
def built_core() -> ModuleType:
    """The module `_core`, up to date."""
    if not os.environ.get(OTHER):
        build()
    return importlib.import_module(NAME)


@cache
def built_checks() -> Path:
    """The program that checks parts of the core, up to date."""
    build("--target", "core_checks")
    return ROOT / "build" / "core" / "core_checks"


def build(*arguments: str) -> None:
    """Build the core: in place, or as `tools/core_build.py` is told."""
    command = [sys.executable, str(ROOT / "tools" / "core_build.py"), *arguments]
    # Tools that build cannot run with the sanitizers that a test runs with.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def use_core_of(folder: Path) -> None:
    """Let this process have the core of a folder."""
    assert NAME not in sys.modules
    (library,) = folder.glob("_core*.so")
    spec = importlib.util.spec_from_file_location(NAME, library)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[NAME] = module
    vars(holdsfor.core)["_core"] = module


if os.environ.get(OTHER):
    use_core_of(Path(os.environ[OTHER]))
