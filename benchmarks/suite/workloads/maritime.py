"""The maritime description with eleven outputs, and that of the maritime pipeline over generated traffic.

The latter has delayed effects, a cycle and sequences, so it stands for the maritime experiments of several papers.
"""

from __future__ import annotations

import tempfile
from functools import partial

from benchmarks.suite.data import maritime, maritime_rules
from benchmarks.suite.data.core import OnCore
from benchmarks.suite.reasoning import Application, ready
from benchmarks.suite.workload import Ready, Task, Workload

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.windows import WindowPlan

HOUR = 3600
DAY = 24 * HOUR
SIZES = ((1_000, 200), (10_000, 1_000), (100_000, 5_000), (1_500_000, 34_000))
TRAFFIC = {"47k": 111, "366k": 867}
"""How many vessels send about so many signals in a day. The fleets of RTEC's figures were of 40 and 300 vessels, which sent
three times as many each.
"""
COAST, COAST_HOURS = 250, 48
"""So many vessels send about 50,000 signals in 16 hours."""
SEA, SEA_DAYS = 2_300, 16
"""So many vessels send about a million signals in 16 days."""


def _one_window(events: int, vessels: int, quick: bool) -> Ready:
    if quick:
        events, vessels = min(events, 50_000), min(vessels, 2_000)
    tasks: dict[str, Task] = {}
    facts: dict[str, float] = {}
    repeat = 50 if events <= 10_000 else 9
    for name, rules in (
        ("reasoning", maritime_rules.RULES),
        ("without the delay", maritime.without_delay(maritime_rules.RULES)),
    ):
        reasoner = loads(rules)
        dictionary = Dictionary()
        inputs = maritime.stream(dictionary, events, vessels)
        program = OnCore(reasoner, dictionary, inputs, maritime_rules.HOURS * HOUR)
        # Small windows follow one another in one engine, as in a run; large ones have an engine each.
        runs = program.tumbling if events <= 10_000 else program.whole
        tasks[name] = Task(runs(1), repeat=repeat)
        if name == "reasoning":
            tasks["two threads"] = Task(runs(2), repeat=repeat)
            facts["intervals"] = program.intervals()
        del program
    facts["input_mb"] = maritime.input_bytes(inputs) / 1e6
    return Ready(tasks, {"events": events, "vessels": vessels, **facts})


def _copies(copies: int, quick: bool) -> Ready:
    events, vessels = (5_000, 300) if quick else (100_000, 2_272)
    dictionary = Dictionary()
    inputs = maritime.stream(dictionary, events, vessels)
    program = OnCore(loads(maritime.copies(copies)), dictionary, inputs, maritime_rules.HOURS * HOUR)
    task = Task(program.whole(1), repeat=5)
    return Ready({"reasoning": task}, {"events": events, "fluents": copies * len(maritime.FLUENTS)})


def _stream(events: int, vessels: int, windows: int, quick: bool) -> Ready:
    plan, dictionary = loads(maritime_rules.RULES).plan, Dictionary()
    stream = maritime.whole_stream(dictionary, events // 10 if quick else events, vessels // 10 if quick else vessels)
    size = maritime_rules.HOURS * HOUR // windows
    return ready(
        Application(plan, dictionary, stream), WindowPlan(size, size, -1, maritime_rules.HOURS * HOUR), repeat=5
    )


def traffic(vessels: int, hours: float) -> Application:
    """Signals of generated traffic, and the rules of the maritime pipeline."""
    from holdsfor.recognition import read_events
    from holdsfor_maritime.generator import generate
    from holdsfor_maritime.rules import situation_rules
    from holdsfor_maritime.signals.local import critical_events

    with tempfile.TemporaryDirectory() as folder:
        generate(folder, vessels=vessels, hours=hours)
        signals = critical_events(folder)
    plan = situation_rules({"vesselType": signals.vessels, "areaType": signals.areas}).plan
    reading = read_events(plan, signals.frames)
    return Application(plan, reading.dictionary, reading.stream)


def _traffic(vessels: int, hours: float, size: int | None, step: int, quick: bool) -> Ready:
    application = traffic(max(20, vessels // 10), 6) if quick else traffic(vessels, hours)
    if size is None:
        return ready(application, repeat=5)
    first, last = application.stream.arrivals()
    return ready(application, WindowPlan(size, step, first - 1, last), repeat=3)


WORKLOADS = [
    *(
        Workload(
            f"maritime-{events}",
            f"eleven outputs, {events:,} events in one window",
            partial(_one_window, events, vessels),
        )
        for events, vessels in SIZES
    ),
    *(
        Workload(
            f"maritime-windows-{windows}",
            f"eleven outputs, 400,000 events, windows: {windows}",
            partial(_stream, 400_000, 9_000, windows),
        )
        for windows in (1, 4, 16)
    ),
    *(
        Workload(
            f"maritime-vessels-{vessels}",
            f"eleven outputs, 400,000 events of {vessels:,} vessels",
            partial(_stream, 400_000, vessels, 1),
        )
        for vessels in (600, 2_400, 38_400)
    ),
    *(
        Workload(
            f"maritime-copies-{copies}", f"eleven outputs {copies} times, 100,000 events", partial(_copies, copies)
        )
        for copies in (1, 4, 16)
    ),
    *(
        Workload(
            f"traffic-{events}-{'whole' if size is None else f'{size}h'}",
            f"maritime situations, {vessels} vessels, {'a day' if size is None else f'windows of {size} h by {step} h'}",
            partial(_traffic, vessels, 24, None if size is None else size * HOUR, step * HOUR),
        )
        for events, vessels in TRAFFIC.items()
        for size, step in ((2, 2), (8, 2), (None, 0))
        if (events, size) != ("47k", 8)
    ),
    *(
        Workload(
            f"coast-{hours}h",
            f"maritime situations along a coast, windows of {hours} h by 2 h",
            partial(_traffic, COAST, COAST_HOURS, hours * HOUR, 2 * HOUR),
        )
        for hours in (2, 4, 8, 16)
    ),
    *(
        Workload(
            f"sea-{days}d",
            f"maritime situations with sequences, windows of {days} d",
            partial(_traffic, SEA, 24 * SEA_DAYS, days * DAY, days * DAY),
        )
        for days in (1, 2, 4, 8, 16)
    ),
]
