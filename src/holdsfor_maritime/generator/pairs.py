"""Voyages on which two vessels meet, generated together so that their tracks agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from holdsfor_maritime.generator import world
from holdsfor_maritime.generator.motion import DEGREE, Floats, distance
from holdsfor_maritime.generator.templates import (
    HOUR,
    MINUTE,
    Crew,
    Outcome,
    Random,
    from_port,
    into_port,
    offing,
    onward,
    open_sea,
    random_port,
    western_border,
)
from holdsfor_maritime.generator.voyages import Sailing

PairTemplate = Callable[[Crew, Crew, Random], tuple[Outcome, Outcome]]
"""Generates the voyages of two crews, with the times of their meetings."""

_APART = 60.0
"""Metres between vessels that are side by side."""


def _beside(lat: Floats) -> Floats:
    return lat + _APART / DEGREE


def rendezvous(one: Crew, other: Crew, random: Random) -> tuple[Outcome, Outcome]:
    """Two ships lie side by side in the open sea."""
    lon, lat = open_sea(len(one), random)
    lasting, bearing = random.uniform(1.0, 2.5, len(one)) * HOUR, random.uniform(0, 360, len(one))
    # Slow enough to count as stopped, or nearly.
    knots = random.uniform(0.6, 1.6, len(one))
    found = []
    for crew, place in ((one, lat), (other, _beside(lat))):
        sailing = Sailing(crew.vessel, *western_border(len(crew), random))
        sailing.go(lon - 0.05, place, crew.speed)
        sailing.go(lon, place, random.uniform(4.0, 4.8, len(crew)))
        meeting = sailing.clock.copy()
        sailing.steer(lasting, bearing, knots)
        if crew is one:
            sailing.note("rendezVous", meeting, other.vessel)
        sailing.go(sailing.lon + random.uniform(0.03, 0.05, len(crew)), sailing.lat, 4.5)
        onward(sailing, crew, random)
        found.append((sailing, meeting))
    return found[0], found[1]


def tugging(tug: Crew, ship: Crew, random: Random) -> tuple[Outcome, Outcome]:
    """A tug meets a ship in front of a port and brings it in, slowly."""
    port = random_port(len(tug), random)
    lon, lat = offing(port, random, 0.12)
    target_lon, target_lat = world.ports().lon[port] - 0.03, world.ports().lat[port]
    metres, _, _ = distance(lon, lat, target_lon, target_lat)
    knots = random.uniform(2.5, 4.5, len(tug))
    shared = replace(ship, speed=np.minimum(ship.speed, 12.0))
    pulling = from_port(tug, random, port)
    pulling.go(lon - 0.02, _beside(lat), tug.speed)
    pulled = Sailing(ship.vessel, *western_border(len(ship), random))
    pulled.go(lon - 0.08, lat, shared.speed)
    found = []
    for sailing, crew, aside in ((pulling, tug, _beside(lat) - lat), (pulled, ship, 0 * lat)):
        sailing.go(lon, lat + aside, 4.0)
        meeting = sailing.clock.copy()
        _, bearing, _ = distance(lon, lat, target_lon, target_lat)
        sailing.steer(metres / (knots * 0.514444), bearing, knots)
        if crew is tug:
            sailing.note("tugging", meeting, ship.vessel)
        into_port(sailing, replace(crew, speed=np.full(len(crew), 4.0)), random, port)
        found.append((sailing, meeting))
    return found[0], found[1]


def pilot_boarding(pilot: Crew, ship: Crew, random: Random) -> tuple[Outcome, Outcome]:
    """A pilot boat comes alongside a ship that slows down for it, and goes home again."""
    port = random_port(len(pilot), random)
    lon = world.ports().lon[port] - random.uniform(0.12, 0.2, len(pilot))
    lat = world.ports().lat[port] + random.uniform(-0.04, 0.04, len(pilot))
    lasting, knots = random.uniform(15, 25, len(pilot)) * MINUTE, random.uniform(3.0, 4.6, len(pilot))
    boat = from_port(pilot, random, port)
    boat.go(lon - 0.005, _beside(lat), pilot.speed)
    boarded = Sailing(ship.vessel, *western_border(len(ship), random))
    boarded.go(lon - 0.06, lat, ship.speed)
    found = []
    for sailing, crew, aside in ((boat, pilot, _beside(lat) - lat), (boarded, ship, 0 * lat)):
        sailing.go(lon, lat + aside, 4.6)
        meeting = sailing.clock.copy()
        sailing.steer(lasting, np.full(len(crew), 90.0), knots)
        if crew is pilot:
            sailing.note("pilotBoarding", meeting, ship.vessel)
        into_port(sailing, crew, random, port)
        found.append((sailing, meeting))
    return found[0], found[1]


PAIRS: dict[str, PairTemplate] = {
    "rendezvous": rendezvous,
    "tugging": tugging,
    "pilot_boarding": pilot_boarding,
}
