"""Stage 2: the rules that turn critical events into situations, and the descriptions of situations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdsfor.loading import Reasoner, load

_HERE = Path(__file__).parent
RULES = (_HERE / "maritime.prolog", _HERE / "trawling_stages.prolog")
LIMITS = _HERE / "limits.prolog"


@dataclass(frozen=True)
class ReportedSituation:
    """A situation of the report: a fluent and its value, a title, and a description."""

    name: str
    title: str
    meaning: str
    value: str = "true"
    is_pair: bool = False


SITUATIONS = (
    ReportedSituation("trawling", "Trawling", "slow, with turn after turn, on fishing grounds"),
    ReportedSituation("illegalFishing", "Fishing in a protected area", "trawling inside a Natura 2000 area"),
    ReportedSituation("fishingTrip", "Fishing trip", "left its berth, trawled, and came back to a berth"),
    ReportedSituation("rendezVous", "Rendezvous", "two vessels side by side, idle, out at sea", is_pair=True),
    ReportedSituation("tugging", "Tugging", "a tug and another vessel together at the pace of a tow", is_pair=True),
    ReportedSituation("pilotBoarding", "Pilot boarding", "a pilot boat alongside a slow vessel", is_pair=True),
    ReportedSituation("gap", "Gap far from ports", "no signal, last heard out at sea", value="farFromPorts"),
    ReportedSituation("drifting", "Drifting", "moving, but not where the bow points"),
    ReportedSituation("loitering", "Loitering", "idle at sea for long, for no visible reason"),
    ReportedSituation("anchoredOrMoored", "Anchored or moored", "lying still in port or on an anchorage"),
    ReportedSituation("sar", "Search and rescue", "a rescue vessel, fast, with many changes of course or speed"),
    ReportedSituation("highSpeedNearCoast", "High speed near the coast", "faster than allowed close to the shore"),
)
"""The situations that are reported unless all fluents are requested."""


def situation_rules(background: Mapping[str, Any], limits: Sequence[str | Path] = ()) -> Reasoner:
    """The rules over a data set: `background` has its tables `vesselType` and `areaType`.

    `limits` are files with thresholds that replace those of the package.
    """
    made = load(*RULES, *(limits or (LIMITS,)), background=background)
    assert isinstance(made, Reasoner)
    return made
