"""Writes actual results into a test file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from holdsfor.engine_names import Engine
from holdsfor.io.outputs import created
from holdsfor.testing.checking import findings, wanted_of
from holdsfor.testing.markdown import Check, read_checks
from holdsfor.testing.notation import Found, name_of


def update(path: str | Path, rules: Iterable[str | Path] = (), background: Iterable[str | Path] = ()) -> int:
    """Rewrite what is expected in a Markdown file to what holds; how many blocks have changed.

    A block keeps its choice of fluents; one that is empty gets all of them. Comments in a block that changes are lost.
    """
    file = Path(path)
    lines = file.read_text(encoding="utf-8").splitlines()
    changed = 0
    # From the last to the first, so that line numbers stay right.
    for check in reversed(read_checks(file, rules, background)):
        found = findings(check, Engine.LOCAL)
        wanted = wanted_of(check)
        if {one.what: list(one.times) for one in wanted if one.times} == _of_names(found, check):
            continue
        first = check.wanted.line - 1
        lines[first : first + len(check.wanted.text.splitlines())] = _written(check, found)
        changed += 1
    if changed:
        with created(file) as rewritten:
            rewritten.write("\n".join([*lines, ""]).encode())
    return changed


def _of_names(found: Found, check: Check) -> Found:
    names = {one.name for one in wanted_of(check)}
    return {what: times for what, times in found.items() if name_of(what) in names or not names}


def _written(check: Check, found: Found) -> list[str]:
    chosen = _of_names(found, check)
    never = {one.what for one in wanted_of(check)} - chosen.keys()
    if check.is_metric:
        held = [f"{what}@{time}" for what in sorted(chosen) for time in chosen[what]]
    else:
        width = max(map(len, [*chosen, *never]), default=0)
        held = [f"{what:{width}}  {_times(chosen[what])}" for what in sorted(chosen)]
    return held + [f"{what} never" for what in sorted(never)]


def _times(times: list[str]) -> str:
    shown = " ".join(times)
    return shown if shown.startswith("[") else f"at {shown}"
