"""Templates of voyages. Each generates many voyages at once, with the time of their middle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from holdsfor_maritime.generator import world
from holdsfor_maritime.generator.motion import DEGREE, Floats, Ints
from holdsfor_maritime.generator.voyages import AT_ANCHOR, FISHING_STATUS, MOORED, Sailing

Random = np.random.Generator
HOUR, MINUTE = 3600.0, 60.0


@dataclass(frozen=True)
class Crew:
    """Vessels and their cruising speeds in knots."""

    vessel: Ints
    speed: Floats

    def __len__(self) -> int:
        return len(self.vessel)


Outcome = tuple[Sailing, Floats]
"""Voyages, and the times of their middles by their own clocks."""
Template = Callable[[Crew, Random], Outcome]


def random_port(count: int, random: Random) -> Ints:
    """A port for each of some vessels."""
    return random.integers(0, world.PORTS, count)


def _berth(port: Ints, random: Random) -> tuple[Floats, Floats]:
    """Positions inside ports."""
    lat = world.ports().lat[port] + random.uniform(-0.012, 0.012, len(port))
    return world.coast(lat) - random.uniform(0.002, 0.008, len(port)), lat


def offing(port: Ints, random: Random, off: float = 0.45) -> tuple[Floats, Floats]:
    """Open water in front of a port."""
    lat = world.ports().lat[port] + random.uniform(-0.05, 0.05, len(port))
    return world.ports().lon[port] - random.uniform(off, off + 0.35, len(port)), lat


def western_border(count: int, random: Random) -> tuple[Floats, Floats]:
    """Positions on the western border."""
    return np.full(count, world.WEST + 0.05), random.uniform(world.SOUTH + 0.5, world.NORTH - 0.5, count)


def open_sea(count: int, random: Random) -> tuple[Floats, Floats]:
    """Positions far from ports and fishing grounds."""
    lat = random.uniform(world.SOUTH + 0.6, world.NORTH - 0.6, count)
    return random.uniform(-8.0, -5.6, count), lat


def from_port(crew: Crew, random: Random, port: Ints) -> Sailing:
    """Vessels that lie in port for a while and then leave it slowly."""
    sailing = Sailing(crew.vessel, *_berth(port, random))
    sailing.stay(random.uniform(0.7, 1.8, len(crew)) * HOUR, MOORED)
    _leave(sailing, random, port)
    return sailing


def _leave(sailing: Sailing, random: Random, port: Ints) -> None:
    sailing.go(sailing.lon - 0.045, world.ports().lat[port] + 0.005, random.uniform(4.0, 4.8, len(port)))


def into_port(
    sailing: Sailing, crew: Crew, random: Random, port: Ints, *, note: tuple[str, Floats] | None = None
) -> None:
    """Sail to a port, slow down, and moor; that may be the end of a situation."""
    lon, lat = _berth(port, random)
    sailing.go(lon - 0.05, world.ports().lat[port] - 0.005, crew.speed)
    sailing.go(lon, lat, random.uniform(4.0, 4.8, len(crew)))
    if note is not None:
        sailing.note(*note)
    sailing.stay(random.uniform(0.7, 1.8, len(crew)) * HOUR, MOORED)


def transit(crew: Crew, random: Random) -> Outcome:
    """From far away to a port."""
    sailing = Sailing(crew.vessel, *western_border(len(crew), random))
    port = random_port(len(crew), random)
    sailing.go(*offing(port, random), crew.speed)
    middle = sailing.clock.copy()
    into_port(sailing, crew, random, port)
    return sailing, middle


def passage(crew: Crew, random: Random) -> Outcome:
    """From one port to another, as ferries do."""
    port = random_port(len(crew), random)
    sailing = from_port(crew, random, port)
    sailing.go(*offing(port, random, 0.25), crew.speed)
    middle = sailing.clock.copy()
    target = np.mod(port + random.choice([-2, -1, 1, 2], len(crew)), world.PORTS)
    sailing.go(*offing(target, random, 0.25), crew.speed)
    into_port(sailing, crew, random, target)
    return sailing, middle


def _at_sea(crew: Crew, random: Random) -> Sailing:
    """Ships that have come as far as the open sea."""
    sailing = Sailing(crew.vessel, *western_border(len(crew), random))
    sailing.go(*open_sea(len(crew), random), crew.speed)
    return sailing


def onward(sailing: Sailing, crew: Crew, random: Random) -> None:
    """From the open sea to a port."""
    port = random_port(len(crew), random)
    sailing.go(*offing(port, random), crew.speed)
    into_port(sailing, crew, random, port)


def silence(crew: Crew, random: Random) -> Outcome:
    """The signal is lost far from any port, for one to three hours."""

    def act(sailing: Sailing) -> None:
        lasting = random.uniform(1.0, 3.0, len(crew))
        degrees = crew.speed * 1852 * lasting / DEGREE
        way = random.uniform(-0.5, 0.5, len(crew))
        lon, lat = sailing.lon + degrees * np.cos(way), sailing.lat + degrees * np.sin(way) * 0.67
        sailing.go(lon, lat, crew.speed, silent=True)

    return _on_the_way("gap", act, crew, random)


def drifting(crew: Crew, random: Random) -> Outcome:
    """The engine fails: wind and current carry the ship sideways."""

    def act(sailing: Sailing) -> None:
        lasting = random.uniform(1.0, 2.5, len(crew)) * HOUR
        off = random.uniform(45, 100, len(crew)) * random.choice([-1.0, 1.0], len(crew))
        sailing.steer(lasting, random.uniform(40, 140, len(crew)), random.uniform(1.4, 3.2, len(crew)), drift=off)

    return _on_the_way("drifting", act, crew, random)


def loitering(crew: Crew, random: Random) -> Outcome:
    """Slow circles in the open sea, waiting for something."""

    def act(sailing: Sailing) -> None:
        lasting = random.uniform(1.2, 3.0, len(crew)) * HOUR
        turn, knots = random.uniform(0, 360, len(crew)), random.uniform(1.2, 3.5, len(crew))
        sailing.circle(lasting, turn, knots, random.uniform(400, 900, len(crew)))

    return _on_the_way("loitering", act, crew, random)


def _on_the_way(situation: str, act: Callable[[Sailing], None], crew: Crew, random: Random) -> Outcome:
    """A situation in the open sea, between two legs of a voyage."""
    sailing = _at_sea(crew, random)
    begin = sailing.clock.copy()
    act(sailing)
    sailing.note(situation, begin)
    middle = (begin + sailing.clock) / 2
    onward(sailing, crew, random)
    return sailing, middle


def anchoring(crew: Crew, random: Random) -> Outcome:
    """Wait at an anchorage for a berth."""
    sailing = Sailing(crew.vessel, *western_border(len(crew), random))
    spot = random.integers(0, len(world.anchorages()), len(crew))
    lon = world.anchorages().lon[spot] + random.uniform(-0.015, 0.015, len(crew))
    lat = world.anchorages().lat[spot] + random.uniform(-0.012, 0.012, len(crew))
    sailing.go(lon - 0.06, lat, crew.speed)
    sailing.go(lon, lat, 4.5)
    begin = sailing.clock.copy()
    sailing.stay(random.uniform(2.0, 6.0, len(crew)) * HOUR, AT_ANCHOR)
    middle = (begin + sailing.clock) / 2
    sailing.go(lon - 0.03, lat, 4.0)
    into_port(sailing, crew, random, spot * 2)
    return sailing, middle


def fishing_trip(crew: Crew, random: Random) -> Outcome:
    """Port, fishing ground, trawl, perhaps a second haul, and back."""
    ground = random.integers(0, len(world.grounds()), len(crew))
    port = np.argmin(np.abs(world.ports().lat[None, :] - world.grounds().lat[ground, None]), axis=1)
    sailing = from_port(crew, random, port)
    begin = sailing.clock.copy()
    wide, high = world.GROUND
    middle = begin
    for haul in range(2):
        lon = world.grounds().lon[ground] + random.uniform(-0.3, 0.3, len(crew)) * wide
        lat = world.grounds().lat[ground] + random.uniform(-0.3, 0.3, len(crew)) * high
        sailing.go(lon, lat, crew.speed)
        start = sailing.clock.copy()
        sailing.zigzag(
            random.uniform(1.0, 2.5, len(crew)) * HOUR,
            random.uniform(0, 360, len(crew)),
            random.uniform(2.5, 4.5, len(crew)),
            random.uniform(25, 50, len(crew)),
            random.uniform(8, 14, len(crew)) * MINUTE,
            random.uniform(40, 60, len(crew)) * MINUTE,
            FISHING_STATUS,
        )
        sailing.note("trawling", start)
        if haul == 0:
            middle = (start + sailing.clock) / 2
    # The trip is over when the vessel is back in its berth.
    into_port(sailing, crew, random, port, note=("fishingTrip", begin))
    return sailing, middle


def rescue(crew: Crew, random: Random) -> Outcome:
    """Out at full speed, search in zigzags, and back."""
    port = random_port(len(crew), random)
    sailing = from_port(crew, random, port)
    sailing.go(*offing(port, random, 0.2), crew.speed)
    # The way out looks like any fast trip; only the search is recognisable.
    begin = sailing.clock.copy()
    sailing.zigzag(
        random.uniform(1.0, 2.0, len(crew)) * HOUR,
        random.uniform(180, 360, len(crew)),
        random.uniform(11, 17, len(crew)),
        random.uniform(40, 60, len(crew)),
        random.uniform(4, 8, len(crew)) * MINUTE,
        random.uniform(20, 30, len(crew)) * MINUTE,
    )
    sailing.note("sar", begin)
    middle = (begin + sailing.clock) / 2
    into_port(sailing, crew, random, port)
    return sailing, middle


SINGLE: dict[str, Template] = {
    "transit": transit,
    "passage": passage,
    "silence": silence,
    "drifting": drifting,
    "loitering": loitering,
    "anchoring": anchoring,
    "fishing_trip": fishing_trip,
    "rescue": rescue,
}
