# ruff: noqa: E402 -- the scripts of the benchmarks are found only then
"""Small workloads of the benchmarks, made ready."""

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
for folder in (ROOT, ROOT / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

import cyclic
import growth
import latency

import maritime
from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.run import run
from holdsfor.engine.windows import WindowPlan

Work = Callable[[], object]


def one_window(events: int, vessels: int) -> Work:
    """Eleven outputs over one window."""
    prepared = Prepared(loads(maritime.RULES).plan, Dictionary())
    inputs = maritime.stream(prepared.dictionary, events, vessels)
    return lambda: maritime.one_run(prepared, inputs)


def many_windows(events: int, vessels: int, count: int) -> Work:
    """The same stream in a number of windows."""
    plan, dictionary = loads(maritime.RULES).plan, Dictionary()
    stream = growth.whole_stream(dictionary, events, vessels)
    span = maritime.HOURS * 3600
    size = -(-span // count)
    return lambda: list(run(plan, dictionary, stream, WindowPlan(size, size, -1, span)))


def market(agents: int, events: int) -> Work:
    """NetBill, whose fluents depend on each other."""
    plan, dictionary = loads((cyclic.EXAMPLES / "netbill" / "rules.prolog").read_text()).plan, Dictionary()
    stream = cyclic.netbill(dictionary, agents, events, 100)
    return lambda: list(run(plan, dictionary, stream))


def one_event(keys: int) -> Work:
    """A live session of many keys: an event more, and its changes."""
    before, after = latency.doors(keys, 200)
    session = latency.filled(latency.DOORS, before)
    steps = iter(latency.steps(session, after))
    for _ in range(20):
        next(steps)[1]()

    def step() -> object:
        return next(steps)[1]()

    return step
