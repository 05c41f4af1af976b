# ruff: noqa: E402 -- the benchmarks are found only then
"""Small workloads of the benchmarks, made ready."""

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

import numpy as np
from benchmarks.engines import streams as tables
from benchmarks.suite.data import cycles, late_streams, maritime, maritime_rules, sessions, text_rows
from benchmarks.suite.workload import EXAMPLES
from benchmarks.suite.workloads.sequences import sequence

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import Stream
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.plan import Plan
from holdsfor.core.run import RecordedRun as CoreRun
from holdsfor.io.rtec_csv import read_rtec

Work = Callable[[], object]


def one_window(events: int, vessels: int) -> Work:
    """Eleven outputs over one window."""
    plan, dictionary = loads(maritime_rules.RULES).plan, Dictionary()
    return _runs(plan, dictionary, maritime.whole_stream(dictionary, events, vessels))


def many_windows(events: int, vessels: int, count: int) -> Work:
    """The same stream in a number of windows."""
    plan, dictionary = loads(maritime_rules.RULES).plan, Dictionary()
    stream = maritime.whole_stream(dictionary, events, vessels)
    span = maritime_rules.HOURS * 3600
    size = -(-span // count)
    return _runs(plan, dictionary, stream, WindowPlan(size, size, -1, span))


def market(agents: int, events: int) -> Work:
    """NetBill, whose fluents depend on each other."""
    plan, dictionary = loads((EXAMPLES / "netbill" / "rules.prolog").read_text()).plan, Dictionary()
    return _runs(plan, dictionary, cycles.netbill(dictionary, agents, events, 100))


def sequences(length: int, activities: int) -> Work:
    """Activities one after the other."""
    application = sequence(length, activities, every=False)
    return _runs(application.plan, application.dictionary, application.stream)


def _runs(plan: Plan, dictionary: Dictionary, stream: Stream, windows: WindowPlan | None = None) -> Work:
    """A run over a stream; what is worked out once for a plan has been."""
    list(CoreRun(plan, dictionary, stream, windows, threads=1))
    return lambda: list(CoreRun(plan, dictionary, stream, windows, threads=1))


def overlapping(events: int, vessels: int, size: int) -> CoreRun:
    """Windows of so many steps, one step on each time. A twentieth of the events comes late."""
    setting = late_streams.voyages(events, vessels)
    dictionary, steps = Dictionary(), size + 4
    stream = late_streams.late_stream(dictionary, setting, steps, 0.05)
    span = WindowPlan(size * setting.step, setting.step, 0, steps * setting.step)
    return CoreRun(loads(maritime_rules.RULES).plan, dictionary, stream, span)


def reading(folder: Path, rows: int) -> Work:
    """A file of RTEC's format, to columns."""
    path = folder / f"rows{rows}.csv"
    path.write_text("".join(text_rows.lines(rows)), encoding="utf-8")
    entities = loads(text_rows.RULES).analysis.entities
    return lambda: read_rtec([path], entities)


def one_event(keys: int) -> Work:
    """A live session of many keys: an event more, and its changes."""
    before, after = sessions.doors(keys, 200)
    session = sessions.filled(sessions.DOORS, before)
    steps = iter(sessions.steps(session, after))
    for _ in range(20):
        next(steps)[1]()

    def step() -> object:
        return next(steps)[1]()

    return step


def one_batch(keys: int, events: int) -> Work:
    """A live session of many vessels: ten Arrow tables of events more, and their changes."""
    random, vessels = np.random.default_rng(1), tables.vessel_names(keys)
    session = loads(maritime_rules.RULES).session()
    session.push(tables.every_vessel(random, 4 * keys, vessels))
    session.changes(tables.END)
    batches = [tables.events(random, events, vessels, tables.END + 60 * n, tables.END + 60 * (n + 1)) for n in range(9)]
    ends = iter(range(1, 10))

    def step() -> object:
        number = next(ends)
        session.push(batches[number - 1])
        return len(session.changes(tables.END + 60 * number))

    step()
    return step
