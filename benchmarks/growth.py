"""How the time of the maritime description grows with events, vessels, fluents and windows.

    python benchmarks/growth.py [events]

Each quantity is doubled while the others stay; beside each time is the exponent of its growth since the size before:
1 is linear, and n log n shows as a little more.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.run import run
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream
from holdsfor.engine.windows import WindowPlan
from maritime import HOURS, RULES, fastest, measured, stream

TIMES = (1, 2, 4, 8, 16)
FLUENTS = "withinArea gap stopped lowSpeed movingSpeed underWay trawlSpeed trawlingMovement trawling rendezVous".split()


def copies(count: int) -> str:
    """The rules so many times, each time with fluents of their own."""
    rules, facts = RULES.split("areaType(a0")
    names = re.compile(rf"\b({'|'.join(FLUENTS)})\(")
    found = [names.sub(rf"\g<1>{number}(", rules) for number in range(count)]
    return "\n".join([*found, f"areaType(a0{facts}"])


def whole_stream(dictionary: Dictionary, events: int, vessels: int) -> Stream:
    """The benchmark's stream with arrival times, in order of time as streams come."""
    inputs = stream(dictionary, events, vessels)
    found = Stream()
    for symbol, table in inputs.events.items():
        order = np.argsort(table.time, kind="stable")
        args = tuple(codes_of(column, dictionary)[order] for column in table.args)
        found.events[symbol] = EventColumns(args, table.time[order], table.time[order])
    for symbol, held in inputs.intervals.items():
        is_point = np.zeros(len(held), np.bool_)
        found.fluents[symbol] = FluentColumns(held.args, held.value, held.start, held.end, held.start, is_point)
    return found


def windows(events: int, vessels: int) -> Callable[[int], float]:
    """The time of a whole stream in a number of windows, one after the other."""
    plan, dictionary = loads(RULES).plan, Dictionary()
    found = whole_stream(dictionary, events, vessels)
    span = HOURS * 3600

    def taken(count: int) -> float:
        size = -(-span // count)
        return fastest(lambda: [*run(plan, dictionary, found, WindowPlan(size, size, -1, span))], 3)

    taken(1)
    return taken


def show(what: str, base: int, taken: Callable[[int], float]) -> None:
    """Print times and exponents."""
    before = None
    for times in TIMES:
        seconds = taken(times)
        exponent = "" if before is None else f"{math.log2(seconds / before):6.2f}"
        print(f"{base * times:>10} {what:<8} {seconds * 1e3:9.1f} ms {exponent}", flush=True)
        before = seconds


def main() -> None:
    """Measure and print."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    vessels = max(1, events // 44)
    show("events", events, lambda times: measured(RULES, events * times, vessels, 5)[2])
    show("vessels", vessels // 4, lambda times: measured(RULES, 4 * events, vessels * times // 4, 5)[2])
    show("fluents", len(FLUENTS), lambda times: measured(copies(times), events, vessels, 3)[2])
    show("windows", 1, windows(4 * events, vessels))


if __name__ == "__main__":
    main()
