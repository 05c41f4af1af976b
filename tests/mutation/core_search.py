"""How soon the law of the driver finds bugs that are planted in the core.

`python -m tests.mutation.core_search [NAME …]` prints the table of tests/mutation/README.md. Histories and their right
answers are worked out once; each bug is tried in a process of its own, since it may well crash or never end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import holdsfor.core
from tests.core import test_packed
from tests.core.building import NAME, OTHER
from tests.core.histories import History
from tests.core.law import FAMILIES, check, history_of, right_answers
from tests.core.law_cases import cases, read
from tests.core.law_core import OnCore
from tests.core.law_oracle import Expected
from tests.core.test_driver_law import LONG, LONG_SEEDS, SEEDS
from tests.mutation.bugs_of_core import BUGS
from tests.mutation.core_planting import FOLDER, planted_core

PATIENCE = 60
"""Seconds of processor time for one bug, many times what all histories take."""
_SOUND, _FOUND = 0, 1


@cache
def examples() -> list[tuple[History, list[Expected]]]:
    """The histories of the default run, the families by turns and then the cases, with their right answers."""
    made = [history_of(family, seed) for seed in range(SEEDS) for family in FAMILIES]
    made += [history_of(family, seed, LONG) for seed in range(LONG_SEEDS) for family in FAMILIES]
    made += [read(path.read_text(encoding="utf-8")) for path in cases()]
    both = ((one, right_answers(one)) for one in made if one is not None)
    return [(one, right) for one, right in both if right is not None]


@cache
def core() -> Any:
    """The core with all bugs, which the law is checked on from here on."""
    found = planted_core(BUGS)
    # Nobody has imported the core before, nor builds one from here on.
    sys.modules[NAME] = found
    vars(holdsfor.core)["_core"] = found
    os.environ[OTHER] = str(FOLDER)
    return found


def found_after(number: int) -> int | str | None:
    """After how many histories bug `number` was found, or how it ended; None if it was not found. Zero is no bug."""
    module, histories = core(), examples()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        _try(module, number, histories, writing)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        place = len(said.read())
    if os.WIFSIGNALED(status):
        how = "no end" if os.WTERMSIG(status) == signal.SIGPROF else "crash"
        return f"{place + 1} ({how})"
    return place + 1 if os.WEXITSTATUS(status) == _FOUND else None


def _try(module: Any, number: int, histories: list[tuple[History, list[Expected]]], writing: int) -> None:
    """In a process of its own: one character for every history that the bug passes."""
    patch = BUGS[number - 1].patch if number else None
    if patch is None:
        module.plant(number)
    else:
        patch(pytest.MonkeyPatch())
    for one, right in histories:
        try:
            check(one, OnCore, right)
        except Exception:  # noqa: BLE001 (whatever a bug leads to)
            os._exit(_FOUND)
        os.write(writing, b".")
    try:
        # No history has rules that change.
        test_packed.test_what_earlier_rules_began_ends_as_rules_say()
    except AssertionError:
        os._exit(_FOUND)
    os._exit(_SOUND)


def table(names: list[str]) -> Iterator[str]:
    """Rows of the table."""
    for number, bug in enumerate(BUGS, 1):
        if not names or bug.name in names:
            found = found_after(number)
            yield f"| {bug.name} | `{bug.file}` | {'not found' if found is None else found} |"


if __name__ == "__main__":
    assert found_after(0) is None, "the law is broken without a bug"
    for line in table(sys.argv[1:]):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
