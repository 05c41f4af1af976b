"""Applications of RTEC: human activity in videos, city transport, voting, and electronic commerce."""

from __future__ import annotations

from functools import partial

from benchmarks.suite.data import cycles
from benchmarks.suite.reasoning import Application, from_files, from_rows, ready
from benchmarks.suite.workload import EXAMPLES, Ready, Workload, example

from holdsfor import load, loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.windows import WindowPlan

EVENTS_AN_AGENT = 22.58
"""In ten time-points of NetBill."""
QUICK_SPAN = 20
"""Time-points of voting and NetBill in the quick form."""


def _video(window: int | None, quick: bool) -> Ready:
    folder = EXAMPLES / "video_surveillance"
    files = [folder / "fight.csv"] if quick else [folder / "appearance.csv.gz", folder / "movementB.csv.gz"]
    application = from_files(load(folder / "rules.prolog").plan, files)
    return ready(application, _windows(application, window))


def _windows(application: Application, window: int | None) -> WindowPlan | None:
    if window is None:
        return None
    first, last = application.stream.arrivals()
    return WindowPlan(window, window, first - 1, last)


def _transport(window: int | None, quick: bool) -> Ready:
    folder = EXAMPLES / "city_transport"
    every = sorted(path for path in folder.glob("*.csv.gz") if not path.name.startswith("expected"))
    application = from_files(load(folder / "rules.prolog").plan, [folder / "sample.csv"] if quick else every)
    return ready(application, _windows(application, window))


def voting() -> Application:
    """The published stream, and rules by which everybody votes."""
    path = EXAMPLES / "voting" / "published.csv.gz"
    fields = [row.split("|") for row in cycles.read_rows(str(path))]
    chairs = sorted({row[3] for row in fields if row[0] in ("close_ballot", "declare")}, key=int)
    motions = sorted({row[4] for row in fields}, key=int)
    return from_files(loads(cycles.voting_rules(chairs, motions)).plan, [path])


def _voting(window: int | None, quick: bool) -> Ready:
    windows = None if window is None else WindowPlan(window, window, -1, QUICK_SPAN - 1 if quick else 99)
    if quick and windows is None:
        windows = WindowPlan(QUICK_SPAN, QUICK_SPAN, -1, QUICK_SPAN - 1)
    return ready(voting(), windows)


def net_bill(agents: int, span: int = 100, rules: str = "") -> Application:
    """As many events an agent as in the published experiment, or nearly; `rules` are added to those of the example."""
    dictionary = Dictionary()
    text = (EXAMPLES / "netbill" / "rules.prolog").read_text(encoding="utf-8")
    stream = cycles.netbill(dictionary, agents, round(EVENTS_AN_AGENT * agents * span / 10), span)
    return Application(loads(text + rules).plan, dictionary, stream)


def _net_bill(agents: int, window: int | None, quick: bool) -> Ready:
    span = QUICK_SPAN if quick else 100
    return ready(net_bill(agents, span), None if window is None else WindowPlan(window, window, -1, span - 1), repeat=5)


def _people(pairs: int, quick: bool) -> Ready:
    generate = example("human_activity")
    folder = EXAMPLES / "human_activity"
    return ready(from_rows(load(folder / "stage3.prolog").plan, generate.rows(pairs, 1 if quick else 5, 1)))


def _feedback(folder: str, *numbers: float, quick: bool = False) -> Ready:
    """Loops of effects that come later, over 100 time-points."""
    del quick
    rows = example(folder).rows(*numbers, 1)
    return ready(from_rows(load(EXAMPLES / folder / "rules.prolog").plan, rows))


WORKLOADS = [
    Workload("caviar-100000", "CAVIAR, windows of 100,000", partial(_video, 100_000)),
    Workload("caviar-whole", "CAVIAR, whole stream", partial(_video, None)),
    Workload("ctm-10000", "city transport, windows of 10,000", partial(_transport, 10_000)),
    Workload("ctm-whole", "city transport, whole stream", partial(_transport, None)),
    Workload("voting-10", "voting, windows of 10", partial(_voting, 10)),
    Workload("voting-whole", "voting, whole stream", partial(_voting, None)),
    *(
        Workload(f"netbill-{agents}-10", f"NetBill, {agents} agents, windows of 10", partial(_net_bill, agents, 10))
        for agents in (20, 100, 500)
    ),
    *(
        Workload(f"netbill-{agents}-whole", f"NetBill, {agents} agents, whole stream", partial(_net_bill, agents, None))
        for agents in (20, 100, 500)
    ),
    *(
        Workload(f"people-{events}", f"human activity in a cycle, about {events} events", partial(_people, pairs))
        for events, pairs in ((400, 4), (800, 8), (1600, 16), (3200, 32))
    ),
    Workload(
        "feedback-immune",
        "immune response, 100 time-points",
        lambda quick: _feedback("immune_response", 15, 33, 2, quick=quick),
    ),
    Workload(
        "feedback-phage",
        "phage infection, 100 time-points",
        lambda quick: _feedback("phage_infection", 15, 50, 0.5, quick=quick),
    ),
]
