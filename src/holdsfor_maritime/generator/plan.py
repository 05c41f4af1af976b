"""All voyages of a fleet, computed from the seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from holdsfor_maritime.generator import world
from holdsfor_maritime.generator.fleet import CARGO, FISHING, PASSENGER, PILOT, SAR, TANKER, TUG, Fleet, fleet
from holdsfor_maritime.generator.motion import Floats, Ints, distance
from holdsfor_maritime.generator.pairs import PAIRS, PairTemplate
from holdsfor_maritime.generator.templates import HOUR, SINGLE, Crew, Random, Template
from holdsfor_maritime.generator.voyages import NO_VESSEL, Legs, TrueIntervals, joined

BEGIN = 1_443_650_400
"""The first second: 1 October 2015, as in the public set."""
SLOT_HOURS = 240.0
"""Each vessel appears about once in this many hours."""
SILENCE = 1800.0
"""Seconds without a signal that count as a gap in the ground truth."""

_SHOWS_UP = {CARGO: 0.33, TANKER: 0.33, FISHING: 0.4, TUG: 0.4, PILOT: 0.4, PASSENGER: 0.4, SAR: 0.33}
_HABITS: dict[int, dict[str, float]] = {
    CARGO: {"transit": 0.44, "silence": 0.14, "drifting": 0.14, "loitering": 0.14, "anchoring": 0.14},
    TANKER: {"transit": 0.36, "silence": 0.14, "drifting": 0.14, "loitering": 0.16, "anchoring": 0.20},
    FISHING: {"fishing_trip": 1.0},
    TUG: {"passage": 1.0},
    PILOT: {"passage": 1.0},
    PASSENGER: {"passage": 0.8, "transit": 0.2},
    SAR: {"rescue": 0.85, "passage": 0.15},
}
_RENDEZVOUS = 0.2
"""The share of ships and fishing boats that meet another at sea."""


@dataclass(frozen=True)
class FleetPlan:
    """The fleet, its legs in order of vessel and time, and the planned situations."""

    fleet: Fleet
    legs: Legs
    ordinal: Ints
    """The index of a leg among those of its vessel."""
    truth: pa.Table
    begin: int
    end: int


@lru_cache(maxsize=2)
def plan(vessels: int, hours: float, seed: int) -> FleetPlan:
    """All voyages of a fleet in some hours."""
    ships = fleet(vessels, seed)
    random = np.random.default_rng([seed, 13])
    slots = max(1, round(hours / SLOT_HOURS))
    length = hours * HOUR / slots
    legs: list[Legs] = []
    truths: list[TrueIntervals] = []
    for slot in range(slots):
        border = (slot * length, (slot + 1) * length)
        for found, noted in _slot(ships, random, border, always=slots == 1):
            legs += found
            truths += noted
    every = joined(legs)
    every = every.take(np.flatnonzero(every.seconds > 0))
    every = every.take(np.lexsort((every.start, every.vessel)))
    first = np.searchsorted(every.vessel, every.vessel)
    # Drifting is recognisable only if the vessel reports a heading.
    ships.no_heading[every.vessel[every.drift != 0]] = 0
    truths += _left_the_map(every, hours * HOUR)
    end = BEGIN + round(hours * HOUR)
    return FleetPlan(ships, every, np.arange(len(first)) - first, _table(truths, ships, BEGIN, end), BEGIN, end)


def _slot(
    ships: Fleet, random: Random, border: tuple[float, float], *, always: bool
) -> Iterator[tuple[list[Legs], list[TrueIntervals]]]:
    """The voyages of a period in which each vessel has at most one."""
    chance = np.array([_SHOWS_UP[kind] for kind in range(len(_SHOWS_UP))])[ships.type]
    here = random.permutation(np.flatnonzero(always | (random.random(len(ships)) < chance)))
    kinds = ships.type[here]
    big = here[(kinds == CARGO) | (kinds == TANKER)]
    tugs, pilots = here[kinds == TUG], here[kinds == PILOT]
    # Half of the ships at most are needed by tugs and pilots; the first of them, since they are in random order.
    tugs, pilots = tugs[: len(big) // 4], pilots[: len(big) // 4]
    used = len(tugs) + len(pilots)
    yield from _together(PAIRS["tugging"], ships, tugs, big[: len(tugs)], random, border)
    yield from _together(PAIRS["pilot_boarding"], ships, pilots, big[len(tugs) : used], random, border)
    used_ships = np.concatenate((tugs, pilots, big[:used]))
    free = here[~np.isin(here, used_ships) & np.isin(kinds, (CARGO, TANKER, FISHING))]
    half = round(len(free) * _RENDEZVOUS / 2)
    yield from _together(PAIRS["rendezvous"], ships, free[:half], free[half : 2 * half], random, border)
    rest = here[~np.isin(here, np.concatenate((used_ships, free[: 2 * half])))]
    for kind, habits in _HABITS.items():
        those = rest[ships.type[rest] == kind]
        # In their shares, and in a small fleet the rarer habits first.
        names = sorted(habits, key=lambda name: habits[name])
        edges = np.round(np.cumsum([0.0, *(habits[name] for name in names)]) * len(those)).astype(int)
        for name, begin, end in zip(names, edges[:-1], edges[1:], strict=True):
            yield from _alone(SINGLE[name], ships, those[begin:end], random, border)


def _crew(ships: Fleet, who: Ints) -> Crew:
    return Crew(who, ships.speed[who])


def _moment(count: int, random: Random, border: tuple[float, float]) -> Floats:
    """The time of the middle of a voyage, well inside its period."""
    begin, end = border
    found: Floats = begin + (end - begin) * random.uniform(0.2, 0.8, count)
    return found


def _alone(
    template: Template, ships: Fleet, who: Ints, random: Random, border: tuple[float, float]
) -> Iterator[tuple[list[Legs], list[TrueIntervals]]]:
    if len(who):
        sailing, middle = template(_crew(ships, who), random)
        yield _cut(*sailing.finished(_moment(len(who), random, border) - middle), border)


def _together(
    template: PairTemplate, ships: Fleet, one: Ints, other: Ints, random: Random, border: tuple[float, float]
) -> Iterator[tuple[list[Legs], list[TrueIntervals]]]:
    if len(one):
        moment = _moment(len(one), random, border)
        for sailing, middle in template(_crew(ships, one), _crew(ships, other), random):
            yield _cut(*sailing.finished(moment - middle), border)


def _cut(
    legs: list[Legs], truths: list[TrueIntervals], border: tuple[float, float]
) -> tuple[list[Legs], list[TrueIntervals]]:
    """The parts of voyages inside their period."""
    begin, end = border
    inside = []
    for leg in legs:
        late = np.clip(begin - leg.start, 0, None)
        # A leg that began earlier keeps its beginning: reports of before are left out when it is sailed.
        kept = np.where(late >= leg.seconds, 0.0, np.clip(np.minimum(leg.end, end) - leg.start, 0, None))
        inside.append(Legs(leg.vessel, leg.start, kept, *list(vars(leg).values())[3:]))
    cut = [
        TrueIntervals(one.situation, one.vessel, one.other, np.maximum(one.start, begin), np.minimum(one.end, end))
        for one in truths
    ]
    return inside, cut


def _left_the_map(legs: Legs, until: float) -> list[TrueIntervals]:
    """Gaps of vessels that leave the map, or a period, far from ports."""
    last = np.append(legs.vessel[1:] != legs.vessel[:-1], True)
    again = np.where(last, until, np.append(np.maximum(legs.start[1:], 0), until))
    lon, lat, _ = legs.at(legs.seconds)
    gone = (again - legs.end > SILENCE) & ~_near_port(lon, lat) & (legs.silent == 0)
    rows = np.flatnonzero(gone)
    return [TrueIntervals("gap", legs.vessel[rows], np.full(len(rows), NO_VESSEL), legs.end[rows], again[rows])]


def _near_port(lon: Floats, lat: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    near = np.zeros(len(lon), np.bool_)
    for port_lon, port_lat in zip(world.ports().lon, world.ports().lat, strict=True):
        metres, _, _ = distance(lon, lat, np.full(len(lon), port_lon), np.full(len(lat), port_lat))
        near |= metres < world.PORT_RADIUS
    return near


def _table(truths: list[TrueIntervals], ships: Fleet, begin: int, end: int) -> pa.Table:
    names = np.concatenate([np.full(len(one.vessel), one.situation, "U32") for one in truths])
    vessel = ships.mmsi[np.concatenate([one.vessel for one in truths])]
    other = np.concatenate([one.other for one in truths])
    other = np.where(other == NO_VESSEL, 0, ships.mmsi[other])
    start = begin + np.concatenate([one.start for one in truths]).astype(np.int64)
    until = np.minimum(begin + np.concatenate([one.end for one in truths]).astype(np.int64), end)
    paired = other > 0
    # The lower number of a pair is the first, as in the signals.
    first, second = np.where(paired, np.minimum(vessel, other), vessel), np.maximum(vessel, other)
    kept = np.flatnonzero(until - start > 0)
    order = kept[np.lexsort((start[kept], first[kept], names[kept]))]
    return pa.table(
        {
            "situation": names[order],
            "vessel": first[order],
            "vessel2": pa.array(second[order], mask=~paired[order]),
            "start": start[order],
            "end": until[order],
        }
    )
