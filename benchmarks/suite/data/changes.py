"""One window of a million events, of which some come late while the query time stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from benchmarks.suite.data.maritime_rules import MIX, RULES
from numpy.random import Generator

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns, FluentColumns, Stream
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.core.engine import Engine
from holdsfor.core.vocabulary import Vocabulary

STEP, STEPS = 3600, 14
CHANGED = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
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


def milliseconds(make: Callable[[Dictionary], Query], events: int, changed: Sequence[int]) -> list[float]:
    """The least time of a query after so many changes."""
    random, dictionary = np.random.default_rng(2), Dictionary()
    query = make(dictionary)
    codes = filled(query, dictionary, events, random)
    end, names = STEPS * STEP, list(MIX)
    shares = np.array(list(MIX.values())) / sum(MIX.values())
    best = []
    for count in changed:
        taken = []
        for _ in range(7 if count <= 1_000 else 3):
            counts = dict(zip(names, random.multinomial(count, shares).tolist(), strict=True))
            late = random_events(random, codes, counts, 0, end)
            begin = time.process_time()
            query(end, late)
            taken.append(time.process_time() - begin)
        best.append(min(taken) * 1e3)
    return best


def _engine(dictionary: Dictionary) -> Query:
    engine = Engine(loads(RULES).plan, STEPS * STEP)
    vocabulary = Vocabulary(dictionary, engine.words)

    def query(now: int, stream: Stream) -> None:
        for rows in engine.rows_of(stream, vocabulary):
            engine.push(rows)
        engine.advance(now)

    return query


WAYS = {"engine": _engine}
