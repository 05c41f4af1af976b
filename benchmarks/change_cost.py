"""What a change costs: one window of a million events, of which 1 to 100,000 come late while the query time stays.

    python benchmarks/change_cost.py [--events N] [--plot FILE]

Measured for the evaluator of live sessions, which finds rows by key, and for that of windows that overlap, which goes
through columns. Each number of events is timed several times, each time with other events; the least processor time
counts. A straight line, `a + b n`, is fitted to the logarithms.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).parent))
from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints
from holdsfor.engine.state import State
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream
from holdsfor.incremental.engine import Incremental
from holdsfor.incremental.windowed import Windowed
from holdsfor.session.live import LEAST_IN_A_PANE
from maritime import MIX, RULES

STEP, STEPS = 3600, 14
CHANGED = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
REPEATED = {count: 7 if count <= 1_000 else 3 for count in CHANGED}
Query = Callable[[int, Stream], object]


def random_events(random: Generator, codes: dict[str, Ints], counts: dict[str, int], after: int, until: int) -> Stream:
    """So many events of each kind at random in a stretch of time."""
    found = Stream()
    for name, count in counts.items():
        moment = np.sort(random.integers(after + 1, until + 1, count))
        args = [codes["vessels"][random.integers(0, len(codes["vessels"]), count)]]
        if name == "velocity":
            args.append(codes["speeds"][np.minimum(399, np.round(10 * random.gamma(2.0, 4.0, count)).astype(int))])
        elif name.endswith("Area"):
            args.append(codes["areas"][random.integers(0, 4, count)])
        if count:
            found.events[Symbol(EntityKind.EVENT, name, len(args))] = EventColumns(tuple(args), moment, moment)
    return found


def proximity(
    random: Generator, codes: dict[str, Ints], true: int, after: int, until: int, count: int
) -> FluentColumns:
    """Pairs of vessels that are near each other for an hour."""
    start = np.sort(random.integers(after + 1, until + 1, count))
    one, other = codes["vessels"][random.integers(0, len(codes["vessels"]), (2, count))]
    return FluentColumns((one, other), np.full(count, true), start, start + STEP, start, np.zeros(count, np.bool_))


def filled(query: Query, dictionary: Dictionary, events: int, random: Generator) -> dict[str, Ints]:
    """Give an evaluator a window of events, an hour at a time; the codes of all that occurs."""
    codes = {
        "vessels": dictionary.encode(range(1_000_000, 1_000_000 + events // 10)),
        "areas": dictionary.encode(["a0", "a1", "a2", "a3"]),
        "speeds": dictionary.encode([tenth / 10 for tenth in range(400)]),
    }
    true = dictionary.code("true")
    counts = {name: events * share // 100 // STEPS for name, share in MIX.items()}
    for step in range(STEPS):
        stream = random_events(random, codes, counts, step * STEP, (step + 1) * STEP)
        pairs = proximity(random, codes, true, step * STEP, (step + 1) * STEP, len(codes["vessels"]) // 48)
        stream.fluents[Symbol(EntityKind.FLUENT, "proximity", 2)] = pairs
        query((step + 1) * STEP, stream)
    return codes


def milliseconds(make: Callable[[Dictionary], Query], events: int) -> list[float]:
    """The least time of a query after so many changes."""
    random, dictionary = np.random.default_rng(2), Dictionary()
    query = make(dictionary)
    codes = filled(query, dictionary, events, random)
    end, names = STEPS * STEP, list(MIX)
    shares = np.array(list(MIX.values())) / sum(MIX.values())
    best = []
    for count in CHANGED:
        taken = []
        for _ in range(REPEATED[count]):
            counts = dict(zip(names, random.multinomial(count, shares).tolist(), strict=True))
            late = random_events(random, codes, counts, 0, end)
            begin = time.process_time()
            query(end, late)
            taken.append(time.process_time() - begin)
        best.append(min(taken) * 1e3)
    return best


def line(taken: list[float]) -> tuple[float, float]:
    """The straight line that is nearest on a logarithmic scale: milliseconds for no event and for each."""
    counts, times = np.array(CHANGED, np.float64), np.log(taken)
    tried = np.geomspace(1e-7, 10, 2_000)
    off = times - np.log1p(tried[:, None] * counts)
    best = int(off.var(axis=1).argmin())
    floor = float(np.exp(off[best].mean()))
    return floor, floor * float(tried[best])


def plot(path: Path, measured: dict[str, list[float]]) -> None:
    """Draw times and lines, both axes logarithmic."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots(figsize=(5.6, 3.6), constrained_layout=True)
    smooth = np.geomspace(CHANGED[0], CHANGED[-1], 200)
    for name, taken in measured.items():
        floor, each = line(taken)
        (drawn,) = axis.loglog(smooth, floor + each * smooth, linewidth=1)
        label = f"{name}: {floor:.1f} ms + {each * 1e3:.1f} µs an event"
        axis.loglog(CHANGED, taken, "o", markersize=4, color=drawn.get_color(), label=label)
    axis.set(xlabel="events that came late", ylabel="ms a query")
    axis.legend(frameon=False, fontsize=8)
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--plot", type=Path)
    chosen = parser.parse_args()
    plan, size = loads(RULES).plan, STEPS * STEP

    def session(dictionary: Dictionary) -> Query:
        engine = Incremental(plan, dictionary, 0, size, least=LEAST_IN_A_PANE, fine=True)
        return lambda now, stream: engine.update(now, [(Stream(), stream)])

    def windows(dictionary: Dictionary) -> Query:
        return Windowed(plan, dictionary, State.beginning(0), size).query

    ways = {"session": session, "windows": windows}
    measured = {name: milliseconds(make, chosen.events) for name, make in ways.items()}
    print("| changed events | session, ms | a + b n | windows, ms | a + b n |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for place, count in enumerate(CHANGED):
        cells = []
        for taken in measured.values():
            floor, each = line(taken)
            cells += [f"{taken[place]:.1f}", f"{floor + each * count:.1f}"]
        print(f"| {count:,} | {' | '.join(cells)} |")
    for name, taken in measured.items():
        floor, each = line(taken)
        print(f"{name}: {floor:.2f} ms + {each * 1e3:.2f} us an event")
    if chosen.plot is not None:
        plot(chosen.plot, measured)


if __name__ == "__main__":
    main()
