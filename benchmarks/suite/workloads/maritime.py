"""The maritime description with eleven outputs, and that of the maritime pipeline over generated traffic."""

from __future__ import annotations

import tempfile
from functools import partial

import numpy as np
from benchmarks.suite.reasoning import Application, ready
from benchmarks.suite.workload import Ready, Task, Workload, again

from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.windows import WindowPlan

HOUR = 3600
SIZES = ((1_000, 200), (10_000, 1_000), (100_000, 5_000), (1_500_000, 34_000))
TRAFFIC = {"47k": 111, "366k": 867}
"""How many vessels send about so many signals in a day. The fleets of RTEC's figures were of 40 and 300 vessels, which sent
three times as many each.
"""


def _one_window(events: int, vessels: int, quick: bool) -> Ready:
    import maritime

    if quick:
        events, vessels = min(events, 50_000), min(vessels, 2_000)
    tasks, facts = {}, {}
    for name, rules in (("reasoning", maritime.RULES), ("without the delay", maritime.without_delay(maritime.RULES))):
        prepared = Prepared(loads(rules).plan, Dictionary())
        inputs = maritime.stream(prepared.dictionary, events, vessels)
        repeat = 50 if events <= 10_000 else 9
        tasks[name] = Task(again(partial(_evaluate, prepared, inputs)), repeat=repeat)
        facts.setdefault("intervals", sum(len(t) for t in maritime.one_run(prepared, inputs).fluents.values()))
    packed = maritime.packed_events(inputs)
    tasks["one sort"] = Task(again(partial(_sort, packed)), repeat=9)
    return Ready(tasks, {"events": events, "vessels": vessels, **facts})


def _evaluate(prepared: Prepared, inputs: object) -> None:
    import maritime

    maritime.one_run(prepared, inputs)


def _sort(column: np.typing.NDArray[np.int64]) -> None:
    np.sort(column)


def _stream(events: int, vessels: int, windows: int, quick: bool) -> Ready:
    import growth

    import maritime

    plan, dictionary = loads(maritime.RULES).plan, Dictionary()
    stream = growth.whole_stream(dictionary, events // 10 if quick else events, vessels // 10 if quick else vessels)
    size = maritime.HOURS * HOUR // windows
    return ready(Application(plan, dictionary, stream), WindowPlan(size, size, -1, maritime.HOURS * HOUR), repeat=5)


def traffic(vessels: int, hours: float) -> Application:
    """Signals of generated traffic, and the rules of the maritime pipeline."""
    from holdsfor.maritime.generator import generate
    from holdsfor.maritime.rules import situation_rules
    from holdsfor.maritime.signals.local import critical_events
    from holdsfor.recognition import read_events

    with tempfile.TemporaryDirectory() as folder:
        generate(folder, vessels=vessels, hours=hours)
        signals = critical_events(folder)
    plan = situation_rules({"vesselType": signals.vessels, "areaType": signals.areas}).plan
    reading = read_events(plan, signals.frames)
    return Application(plan, reading.dictionary, reading.stream)


def _traffic(vessels: int, size: int | None, step: int, quick: bool) -> Ready:
    application = traffic(vessels // 10 if quick else vessels, 6 if quick else 24)
    if size is None:
        return ready(application, repeat=5)
    first, last = application.stream.arrivals()
    return ready(application, WindowPlan(size * HOUR, step * HOUR, first - 1, last), repeat=3)


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
            f"eleven outputs, 400,000 events in {windows} windows",
            partial(_stream, 400_000, 9_000, windows),
        )
        for windows in (1, 4, 16)
    ),
    *(
        Workload(
            f"traffic-{events}-{'whole' if size is None else f'{size}h'}",
            f"maritime situations, {vessels} vessels, {'a day' if size is None else f'windows of {size} h by {step} h'}",
            partial(_traffic, vessels, size, step),
        )
        for events, vessels in TRAFFIC.items()
        for size, step in ((2, 2), (8, 2), (None, 0))
        if (events, size) != ("47k", 8)
    ),
]
