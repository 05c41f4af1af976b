"""Checks the C++ core: its format (clang-format), then what clang-tidy finds.

A source that was found clean is looked at again when it, a header it includes, its compiler options or the settings
change: `build/core-lint` keeps a mark for what was clean. `--fix` writes the format and the corrections clang-tidy knows.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from core_build import IN_PLACE, ROOT, SOURCES, CannotBuild, build, tool

CLEAN = ROOT / "build" / "core-lint"
JOBS = 2
INCLUDE = re.compile(rb'^#include "([^"]+)"', re.MULTILINE)


def main(*, fix: bool) -> int:
    """How many sources have findings, which are printed."""
    build()
    sources = sorted(SOURCES.glob("*.cpp"))
    every = [str(path) for path in (*sources, *sorted(SOURCES.glob("*.h")))]
    style = ["-i"] if fix else ["--dry-run", "--Werror"]
    wrong = subprocess.run([tool("clang-format"), *style, *every], check=False).returncode != 0
    if wrong:
        print("the format of the core differs from .clang-format: python tools/core_lint.py --fix")
    commands = {
        entry["file"]: entry["command"] for entry in json.loads((IN_PLACE / "compile_commands.json").read_text())
    }
    CLEAN.mkdir(parents=True, exist_ok=True)
    marks = {source: CLEAN / _digest(source, commands[str(source)]) for source in sources}
    stale = [source for source, mark in marks.items() if not mark.exists()]
    for old in set(CLEAN.iterdir()) - set(marks.values()):
        old.unlink()
    with ThreadPoolExecutor(1 if fix else JOBS) as workers:
        for source, findings in zip(stale, workers.map(lambda one: _tidy(one, fix=fix), stale), strict=True):
            if findings:
                wrong = True
                print(findings)
            else:
                marks[source].touch()
    return int(wrong)


def _tidy(source: Path, *, fix: bool) -> str:
    command = [tool("clang-tidy"), "--quiet", "-p", str(IN_PLACE), *(["--fix"] if fix else []), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout or done.stderr


def _digest(source: Path, command: str) -> str:
    """What the findings of a source depend on."""
    seen: dict[Path, bytes] = {}
    todo = [source]
    while todo:
        path = todo.pop()
        if path not in seen and path.exists():
            seen[path] = path.read_bytes()
            todo += [SOURCES / name.decode() for name in INCLUDE.findall(seen[path])]
    settings = (ROOT / ".clang-tidy").read_bytes() + (ROOT / "constraints.txt").read_bytes()
    parts = [command.encode(), settings, *(seen[path] for path in sorted(seen))]
    return source.stem + "-" + hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


if __name__ == "__main__":
    try:
        sys.exit(main(fix="--fix" in sys.argv[1:]))
    except CannotBuild as problem:
        sys.exit(str(problem))
