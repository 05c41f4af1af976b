"""Cyclic descriptions: voting, NetBill and counters, in one window and in windows, for growing streams.

    python benchmarks/cyclic.py [voting.csv.gz]

Prints CPU times from encoded columns. NetBill's stream and the counters' are generated; the voting stream is made up
like the published one unless its file is given (rows `event|time|arrival|agent|motion[|choice]`).
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints
from holdsfor.engine.run import run
from holdsfor.engine.stream import EventColumns, Stream
from holdsfor.engine.windows import WindowPlan
from holdsfor.recognition import read_events
from maritime import fastest

EXAMPLES = Path(__file__).parent.parent / "examples"
COUNTERS = """
initiatedAt(count(X)=1, T) :- happensAt(e(X), T), \\+ holdsAt(count(X)=_, T).
initiatedAt(count(X)=M, T) :- happensAt(e(X), T), holdsAt(count(X)=N, T), M is N+1.
initiatedAt(busy(X)=true, T) :- happensAt(e(X), T), holdsAt(count(X)=N, T), N > 20.
"""


def _event(dictionary: Dictionary, name: str, args: list[Ints], time: Ints) -> tuple[Symbol, EventColumns]:
    columns = tuple(dictionary.encode_numbers(column) for column in args)
    return Symbol(EntityKind.EVENT, name, len(args)), EventColumns(columns, time, time)


def netbill(dictionary: Dictionary, agents: int, events: int, span: int) -> Stream:
    """Random messages between agents about a few goods."""
    random = np.random.default_rng(2)
    shapes = {"request_quote": 3, "present_quote": 4, "accept_quote": 3, "settle": 3, "report_breach": 4}
    stream = Stream()
    for name, arity in shapes.items():
        count = events // len(shapes)
        args = [
            random.integers(0, agents, count),
            random.integers(0, agents, count),
            random.integers(1000, 1010, count),
        ]
        if name == "report_breach":
            args = [args[0], *args]
        elif arity == 4:
            args.append(random.integers(2000, 2005, count))
        symbol, table = _event(dictionary, name, args, np.sort(random.integers(0, span, count)))
        stream.events[symbol] = table
    return stream


def counters(dictionary: Dictionary, keys: int, events: int) -> Stream:
    """One event, many keys."""
    random = np.random.default_rng(3)
    symbol, table = _event(dictionary, "e", [random.integers(0, keys, events)], np.arange(events))
    return Stream({symbol: table})


def voting_rules(chairs: list[str], motions: list[str]) -> str:
    """The voting example for a committee in which everybody votes: power is then a matter of the motion alone."""
    text = (EXAMPLES / "voting" / "rules.prolog").read_text()
    rules = text[: text.index("% --- the committee")]
    for action in ("propose", "second", "vote"):
        rules = rules.replace(f"pow({action}(Agent, Motion))", f"pow({action}(Motion))")
    rules = rules.replace("    role_of(Agent, voter),\n", "")
    facts = [f"motion({motion})." for motion in motions] + [f"role_of({chair}, chair)." for chair in chairs]
    return rules + "\n".join(facts)


def made_up_votes() -> list[str]:
    """Rows like those of the published stream: 100,000 votes and 8,000 other events in 100 time-points."""
    random = np.random.default_rng(4)
    shares = {"propose": 2990, "second": 1620, "vote": 92740, "close_ballot": 490, "declare": 2800}
    rows = []
    for name, count in shares.items():
        times = np.sort(random.integers(0, 100, count))
        agents = random.integers(0, 92, count) * 10 if name in ("close_ballot", "declare") else None
        agents = random.integers(0, 919, count) if agents is None else agents
        motions = random.integers(1, 11, count)
        choices = random.integers(0, 2, count)
        words = {"vote": ("aye", "nay"), "declare": ("carried", "not_carried")}.get(name)
        for time, agent, motion, choice in zip(times, agents, motions, choices, strict=True):
            rows.append(f"{name}|{time}|{time}|{agent}|{motion}" + (f"|{words[choice]}" if words else ""))
    return rows


def read_rows(path: str) -> list[str]:
    """The rows of a file, packed or not."""
    data = Path(path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode().splitlines()


def measure(name: str, plan: Plan, dictionary: Dictionary, stream: Stream, windows: WindowPlan | None = None) -> float:
    """Run, print and return the CPU time of all query times together."""

    def once() -> int:
        return sum(len(table) for answer in run(plan, dictionary, stream, windows) for table in answer.fluents.values())

    once()
    seconds = fastest(once, 4)
    events = sum(len(table.time) for table in stream.events.values())
    print(
        f"{name:44} {events:9,} events {once():9,} intervals {seconds * 1e3:9.1f} ms {seconds / events * 1e9:7.0f} ns/event"
    )
    return seconds


def main() -> None:
    """Measure and print."""
    path = sys.argv[1] if len(sys.argv) > 1 else None
    rows = read_rows(path) if path else made_up_votes()
    fields = [row.split("|") for row in rows]
    chairs = sorted({row[3] for row in fields if row[0] in ("close_ballot", "declare")}, key=int)
    motions = sorted({row[4] for row in fields}, key=int)
    plan = loads(voting_rules(chairs, motions)).plan
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "votes.csv"
        file.write_text("\n".join(rows) + "\n")
        reading = read_events(plan, file)
    measure("voting, whole stream", plan, reading.dictionary, reading.stream)
    measure("voting, windows of 10", plan, reading.dictionary, reading.stream, WindowPlan(10, 10, 0, 100))
    bill = loads((EXAMPLES / "netbill" / "rules.prolog").read_text()).plan
    for events in (22_600, 90_000, 360_000):
        dictionary = Dictionary()
        measure("NetBill, 100 agents, whole stream", bill, dictionary, netbill(dictionary, 100, events, 100))
    for agents_count in (20, 500):
        dictionary = Dictionary()
        measure(
            f"NetBill, {agents_count} agents, whole stream",
            bill,
            dictionary,
            netbill(dictionary, agents_count, 22_600, 100),
        )
    counting = loads(COUNTERS).plan
    for events in (20_000, 80_000, 320_000):
        dictionary = Dictionary()
        measure("counters, 100 keys", counting, dictionary, counters(dictionary, 100, events))


if __name__ == "__main__":
    main()
