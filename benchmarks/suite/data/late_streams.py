"""Maritime streams, some of whose events come late, as encoded columns in order of arrival.

`voyages` is like the stream of Brest in the experiment of incremental RTEC (Tsilionis et al., 2022). From there are: 5,000
vessels, 17,800 events in a step of 12 hours (249,000 in a window of 14), and delays that are gamma-distributed with shape
2 and a mean of 96 hours, which is 8 steps. How the events are spread over vessels is not told there; here a vessel comes,
sends 40 events on a voyage of 12 hours on average, and is away until its next one: 9 % of all vessels are there at any
time, and one in six in a step. Its signal is lost when it leaves.

`uniform` is harder for all who go by keys: every vessel is there all the time and sends three events in every step, and
delays are of two steps on average. It has as many vessels as the stream of all European seas there.

`fleet` is like the vehicles there: 6,000 of them, 73,000 events in a step of an hour, delays of 8 hours on average.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from benchmarks.suite.data.maritime_rules import MIX, RULES
from benchmarks.suite.workload import EXAMPLES, example
from numpy.random import Generator

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns, FluentColumns, Stream
from holdsfor.compiler.analysis.entities import EntityKind, Symbol

HOUR = 3600
EVENTS_A_VOYAGE, HOURS_A_VOYAGE = 40, 12
"""On average. Hours are gamma-distributed with shape 2, hours away exponentially."""
EVENTS_A_REPORT = 2.13
"""Of a vehicle, on average."""
EVENTS_A_PAIR = 140
"""For so many events, two vessels are close to each other once, for an hour."""


@dataclass(frozen=True)
class Setting:
    """How much there is in a stream: `events` in each step, of so many `vessels`; a `step` in time-points."""

    kind: str
    events: int
    vessels: int
    step: int
    delay: int
    """How many steps late events come late on average."""
    sizes: tuple[int, ...] = (1, 2, 4, 8, 16)
    """Windows, in steps."""


def voyages(events: int = 17_800, vessels: int = 5_000) -> Setting:
    """Vessels that come and go."""
    return Setting("voyages", events, vessels, 12 * HOUR, 8, (1, 2, 4, 8, 14))


def uniform(events: int = 100_000, vessels: int = 34_000) -> Setting:
    """Vessels that are there all the time."""
    return Setting("uniform", events, vessels, HOUR, 2)


def fleet(events: int = 73_000, vehicles: int = 6_000) -> Setting:
    """Vehicles on the road."""
    return Setting("fleet", events, vehicles, HOUR, 8)


SETTINGS = {"voyages": voyages, "uniform": uniform, "fleet": fleet}


def rules(setting: Setting) -> str:
    """What is asked of a stream."""
    if setting.kind != "fleet":
        return RULES
    text = (EXAMPLES / "fleet_management" / "rules.prolog").read_text(encoding="utf-8")
    return "\n".join([text, *example("fleet_management").thresholds(setting.vessels)])


def late_stream(dictionary: Dictionary, setting: Setting, steps: int, delayed: float, seed: int = 1) -> Stream:
    """Random events of all kinds, and proximity intervals of vessels; a share of the former comes late."""
    random = np.random.default_rng(seed)
    end = steps * setting.step
    occurrences, pairs = _KINDS[setting.kind](dictionary, random, setting, end)
    found = Stream()
    for name, (args, times) in occurrences.items():
        is_late = random.random(len(times)) < delayed
        late = np.ceil(random.gamma(2.0, setting.delay * setting.step / 2, len(times))).astype(int)
        arrival = times + np.where(is_late, late, 0)
        order = np.argsort(arrival, kind="stable")
        columns = EventColumns(tuple(column[order] for column in args), times[order], arrival[order])
        found.events[Symbol(EntityKind.EVENT, name, len(args))] = columns
    if pairs is not None:
        one, other, start = pairs
        true, is_point = np.full(len(start), dictionary.code("true")), np.zeros(len(start), np.bool_)
        proximity = FluentColumns((one, other), true, start, start + HOUR, start, is_point)
        found.fluents[Symbol(EntityKind.FLUENT, "proximity", 2)] = proximity
    return found


def _vessels(dictionary: Dictionary, setting: Setting) -> Ints:
    return dictionary.encode(range(1_000_000, 1_000_000 + setting.vessels))


def _all_there(
    dictionary: Dictionary, random: Generator, setting: Setting, end: int
) -> tuple[Occurrences, tuple[Ints, Ints, Ints]]:
    codes, steps = _vessels(dictionary, setting), end // setting.step
    count = setting.events * steps
    occurrences = _events(dictionary, random, codes[random.integers(0, len(codes), count)], _times(random, end, count))
    pairs = max(1, setting.vessels * steps // 48)
    start = np.sort(random.integers(1, end + 1, pairs))
    one, other = codes[random.integers(0, len(codes), (2, pairs))]
    return occurrences, (one, other, start)


def _on_voyages(
    dictionary: Dictionary, random: Generator, setting: Setting, end: int
) -> tuple[Occurrences, tuple[Ints, Ints, Ints]]:
    codes = _vessels(dictionary, setting)
    vessel, moment, begins, ends = _voyages(random, setting, end)
    occurrences = _events(dictionary, random, codes[vessel], moment)
    for name, (whose, when) in {"gap_end": begins, "gap_start": ends}.items():
        (args, times) = occurrences[name]
        occurrences[name] = (np.concatenate((args[0], codes[whose])),), np.concatenate((times, when))
    return occurrences, _pairs(random, codes[vessel], moment)


def _on_the_road(dictionary: Dictionary, random: Generator, setting: Setting, end: int) -> tuple[Occurrences, None]:
    """Speed with every report; fuel, stations, weather and manoeuvres with some, as in the example of fleets."""
    codes = dictionary.encode(f"vehicle{number}" for number in range(1, setting.vessels + 1))
    count = int(setting.events * (end // setting.step) / EVENTS_A_REPORT)
    vehicle, moment = codes[random.integers(0, len(codes), count)], _times(random, end, count)
    chance = random.random(count)
    shares = {
        "speed": (chance >= 0, [(40, 120)]),
        "fuelLevel": (chance < 0.5, [(5, 60)]),
        "closeToGas": (chance < 0.2, []),
        "weather": ((chance > 0.6) & (chance < 0.8), [(-5, 25), (0, 3)]),
        "abruptAcceleration": ((chance > 0.8) & (chance <= 0.9), []),
        "abruptCornering": (chance > 0.9, []),
        "engineOff": (chance > 0.97, []),
    }
    found: Occurrences = {}
    for name, (is_sent, ranges) in shares.items():
        rows = np.flatnonzero(is_sent)
        numbers = [dictionary.encode_numbers(random.integers(low, high, len(rows))) for low, high in ranges]
        found[name] = (vehicle[rows], *numbers), moment[rows]
    return found, None


_KINDS = {"voyages": _on_voyages, "uniform": _all_there, "fleet": _on_the_road}

Occurrences = dict[str, tuple[tuple[Ints, ...], Ints]]
"""Arguments and times of every event."""


def _times(random: Generator, end: int, count: int) -> Ints:
    return random.integers(1, end + 1, count)


def _events(dictionary: Dictionary, random: Generator, vessel: Ints, moment: Ints) -> Occurrences:
    """Events of all kinds, of vessels at moments."""
    areas = dictionary.encode(["a0", "a1", "a2", "a3"])
    speeds = dictionary.encode([tenth / 10 for tenth in range(400)])
    kind = np.repeat(np.arange(len(MIX)), list(MIX.values()))[random.integers(0, sum(MIX.values()), len(vessel))]
    found: Occurrences = {}
    for number, name in enumerate(MIX):
        rows = np.flatnonzero(kind == number)
        args = [vessel[rows]]
        if name == "velocity":
            args.append(speeds[np.minimum(399, np.round(10 * random.gamma(2.0, 4.0, len(rows))).astype(int))])
        elif name.endswith("Area"):
            args.append(areas[random.integers(0, 4, len(rows))])
        found[name] = tuple(args), moment[rows]
    return found


def _voyages(random: Generator, setting: Setting, end: int) -> tuple[Ints, Ints, tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Vessels and moments of events on voyages, then vessels and times of where voyages begin and end."""
    mean = HOURS_A_VOYAGE * HOUR
    there = setting.events * mean / (setting.step * EVENTS_A_VOYAGE)
    cycle = mean * setting.vessels / there
    # Begun well before time begins, so that at any time about as many are there.
    count = 3 + int(2 * (end + 2 * cycle) / cycle)
    lasting = random.gamma(2.0, mean / 2, (setting.vessels, count))
    away = random.exponential(cycle - mean, (setting.vessels, count))
    last = np.cumsum(lasting + away, axis=1) - 2 * cycle
    whose = np.repeat(np.arange(setting.vessels), count)
    first, last = (last - lasting).ravel().astype(int), last.ravel().astype(int)
    is_seen = (last > 0) & (first < end)
    whose, first, last = whose[is_seen], first[is_seen], last[is_seen]
    # Two of the events on a voyage are its beginning and its end.
    number = random.poisson((EVENTS_A_VOYAGE - 2) * (last - first) / mean)
    moment = np.repeat(first, number) + (random.random(number.sum()) * np.repeat(last - first, number)).astype(int) + 1
    inside = (moment > 0) & (moment <= end)
    edges = [(whose[rows], when[rows]) for when in (first, last) for rows in [(when > 0) & (when <= end)]]
    return np.repeat(whose, number)[inside], moment[inside], edges[0], edges[1]


def _pairs(random: Generator, vessel: Ints, moment: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of vessels that send something at about the same time, and when."""
    order = np.argsort(moment, kind="stable")
    one = np.sort(random.integers(0, len(order) - 9, len(order) // EVENTS_A_PAIR))
    other = one + random.integers(1, 9, len(one))
    rows = np.flatnonzero(vessel[order[one]] != vessel[order[other]])
    return vessel[order[one[rows]]], vessel[order[other[rows]]], moment[order[one[rows]]]
