"""Builds the C++ core beside its sources, step by step: what is up to date is left alone.

`python tools/core_build.py` is what `./dev` and an editable installation do. Other builds (sanitizers, planted bugs) have
folders of their own and leave the module in place alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "holdsfor" / "core"
IN_PLACE = ROOT / "build" / "core"


class CannotBuild(Exception):
    """The core cannot be built; says what to do."""


def build(
    folder: Path = IN_PLACE, *, options: tuple[str, ...] = ("-DHOLDSFOR_IN_PLACE=ON",), target: str = "all"
) -> None:
    """Configure a folder if it was not yet, and build what has changed."""
    check_compiler()
    cmake = tool("cmake")
    configure = [cmake, "-S", str(SOURCES), "-B", str(folder), "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DPython_EXECUTABLE={sys.executable}"]
    # Said each time: CMake remembers what a folder was last built with. Options may say otherwise.
    configure += ["-DCMAKE_BUILD_TYPE=Release", *options]
    # CMake itself configures again when its files change or a source comes or goes.
    stamp = folder / "configured"
    wanted = "\n".join(configure)
    with _lock(folder):
        if not stamp.exists() or stamp.read_text() != wanted:
            _run(configure)
            stamp.write_text(wanted)
        _run([cmake, "--build", str(folder), "--target", target])


def check_compiler() -> None:
    """Say which package to install where there is no compiler."""
    candidates = [os.environ["CXX"].split()[0]] if os.environ.get("CXX") else ["c++", "g++", "clang++"]
    if sys.platform == "win32" or any(shutil.which(name) for name in candidates):
        return
    commands = ("apt-get", "apt-get install g++"), ("dnf", "dnf install gcc-c++"), ("apk", "apk add g++")
    known = (command for manager, command in commands if shutil.which(manager))
    install = "xcode-select --install" if sys.platform == "darwin" else next(known, "apt-get install g++")
    raise CannotBuild(f"holdsfor has a part in C++ and finds no compiler to build it: install one with `{install}`.")


def tool(name: str) -> str:
    """The program of this environment, or else of the machine."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if not found:
        raise CannotBuild(f"holdsfor finds no {name} to build its part in C++: install it with `pip install {name}`.")
    return found


class _lock:  # noqa: N801
    """One build in a folder at a time: workers of a test run share it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / "lock").open("w")

    def __enter__(self) -> None:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"{done.stdout[-8000:]}\nthe core was not built: `{' '.join(command)}` failed")


def main() -> None:
    """Build in place, or somewhere else with other options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check-compiler", action="store_true", help="only see whether there is a compiler")
    parser.add_argument("--folder", type=Path, help="build there, and leave the module in place alone")
    parser.add_argument(
        "--option", action="append", default=[], metavar="-D…", help="for CMake (--option=-DNAME=VALUE)"
    )
    parser.add_argument("--target", default="all", help="what to build: all, or core_checks")
    asked = parser.parse_args()
    try:
        if asked.check_compiler:
            check_compiler()
        elif asked.folder:
            build(asked.folder.resolve(), options=tuple(asked.option), target=asked.target)
        else:
            build(options=("-DHOLDSFOR_IN_PLACE=ON", *asked.option), target=asked.target)
    except CannotBuild as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
