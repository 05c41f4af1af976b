"""A maritime-like description with eleven outputs, and random events of many vessels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from benchmarks.suite.data.maritime_rules import HOURS, MIX, RULES

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.frames import Codes, Numbers, codes_of
from holdsfor.columns.stream import EventColumns, FluentColumns, Stream
from holdsfor.columns.tables import Events, Intervals
from holdsfor.compiler.analysis.entities import EntityKind, Symbol


@dataclass
class Inputs:
    """Events and intervals as encoded columns."""

    events: dict[Symbol, Events] = field(default_factory=dict)
    intervals: dict[Symbol, Intervals] = field(default_factory=dict)


def stream(dictionary: Dictionary, events: int, vessels: int, seed: int = 1, decimals: int = 1) -> Inputs:
    """Random events of all kinds, and proximity intervals of random pairs, as encoded columns."""
    random = np.random.default_rng(seed)
    vessel_codes = dictionary.encode(range(1_000_000, 1_000_000 + vessels))
    area_codes = dictionary.encode(["a0", "a1", "a2", "a3"])
    inputs = Inputs()
    for name, share in MIX.items():
        count = events * share // 100
        vessel = Codes(vessel_codes[random.integers(0, vessels, count)])
        moment = random.integers(0, HOURS * 3600, count)
        columns: tuple[Codes | Numbers, ...] = (vessel,)
        if name == "velocity":
            columns = (vessel, Numbers(np.round(random.gamma(2.0, 4.0, count), decimals)))
        elif name.endswith("Area"):
            columns = (vessel, Codes(area_codes[random.integers(0, 4, count)]))
        inputs.events[Symbol(EntityKind.EVENT, name, len(columns))] = Events(columns, moment)
    pairs = max(1, vessels // 3)
    one, other = np.unique(vessel_codes[random.integers(0, vessels, (2, pairs))], axis=1)
    start = random.integers(0, HOURS * 3600 - 4000, len(one))
    true = np.full(len(one), dictionary.code("true"))
    inputs.intervals[Symbol(EntityKind.FLUENT, "proximity", 2)] = Intervals(
        (one, other), true, start, start + 3600, single_valued=False
    )
    return inputs


def input_bytes(inputs: Inputs) -> int:
    """The size of the input columns."""
    columns = [column for table in inputs.events.values() for column in (*(arg.data for arg in table.args), table.time)]
    for table in inputs.intervals.values():
        columns += [*table.args, table.value, table.start, table.end]
    return sum(column.nbytes for column in columns)


def without_delay(rules: str) -> str:
    """The rules with the delayed effect left out; its fluent stays."""
    return "\n".join(line for line in rules.split("\n") if not line.startswith(("fi(", "p(")))


FLUENTS = "withinArea gap stopped lowSpeed movingSpeed underWay trawlSpeed trawlingMovement trawling rendezVous".split()


def copies(count: int) -> str:
    """The rules so many times, each time with fluents of their own."""
    rules, facts = RULES.split("areaType(a0")
    names = re.compile(rf"\b({'|'.join(FLUENTS)})\(")
    found = [names.sub(rf"\g<1>{number}(", rules) for number in range(count)]
    return "\n".join([*found, f"areaType(a0{facts}"])


def whole_stream(dictionary: Dictionary, events: int, vessels: int, decimals: int = 1) -> Stream:
    """The same with arrival times, in order of time as streams come."""
    inputs = stream(dictionary, events, vessels, decimals=decimals)
    found = Stream()
    for symbol, table in inputs.events.items():
        order = np.argsort(table.time, kind="stable")
        args = tuple(codes_of(column, dictionary)[order] for column in table.args)
        found.events[symbol] = EventColumns(args, table.time[order], table.time[order])
    for symbol, held in inputs.intervals.items():
        is_point = np.zeros(len(held), np.bool_)
        found.fluents[symbol] = FluentColumns(held.args, held.value, held.start, held.end, held.start, is_point)
    return found
