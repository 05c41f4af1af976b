"""The tests of the core again, on builds that watch over memory, undefined behaviour and threads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.core.building import OTHER, ROOT, build

ENVIRONMENT = {
    # Python itself leaks; its libraries were not built to be watched.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"halt_on_error=1:suppressions={ROOT / 'tests' / 'core' / 'tsan.txt'}",
}


# What is evaluated by several threads; other tests have one, and take ten times as long as without the sanitizer.
THREADED = [
    "conformance",
    "random_programs",
    "driver_law",
    "threads",
    "ties",
    "shares",
    "saved_state",
    "saved_sessions",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sanitizers", "runtimes", "tests"),
    [
        ("address,undefined", ["libasan.so", "libubsan.so"], ["tests/core"]),
        ("thread", ["libtsan.so"], [f"tests/core/test_{name}.py" for name in THREADED]),
    ],
    ids=["address", "thread"],
)
def test_core_under_sanitizers(sanitizers: str, runtimes: list[str], tests: list[str]) -> None:
    compiler = shutil.which("g++")
    if not compiler:
        pytest.skip("the runtimes of the sanitizers are looked up with g++")
    folder = ROOT / "build" / f"core-{sanitizers.split(',', maxsplit=1)[0]}"
    options = [f"CMAKE_CXX_COMPILER={compiler}", "CMAKE_BUILD_TYPE=RelWithDebInfo", f"HOLDSFOR_SANITIZE={sanitizers}"]
    options += ["CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g"]
    build("--folder", str(folder), *(f"--option=-D{option}" for option in options))
    found = [subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip() for name in runtimes]
    environment = os.environ | ENVIRONMENT | {OTHER: str(folder), "LD_PRELOAD": " ".join(found)}
    command = [sys.executable, "-m", "pytest", "-p", "tests.core.building", "-p", "no:cacheprovider", "-x"]
    command += ["-m", "not slow", *tests]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
