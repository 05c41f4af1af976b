"""The families of random programs, as lowered plans."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from holdsfor.diagnostics import ProgramError
from tests.strategies.calendar_programs import calendar_scenario
from tests.strategies.domains import domain_scenario
from tests.strategies.engine_runs import Scenario, scenario
from tests.strategies.families import family_scenario
from tests.strategies.filter_programs import filter_program
from tests.strategies.pairs import pair_scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.sliding_programs import sliding_program
from tests.strategies.value_programs import value_program

Writer = Callable[[Pen], Scenario | None]

FAMILIES: dict[str, Writer] = {
    "everything": lambda pen: scenario(pen, windowed=True, late=12),
    "values": lambda pen: family_scenario(pen, value_program, windowed=True, late=12),
    "filters": lambda pen: family_scenario(pen, filter_program, windowed=True, late=12),
    "domains": lambda pen: domain_scenario(pen, dynamic=True, windowed=True, late=12),
    "pairs": pair_scenario,
    "sliding aggregates": lambda pen: family_scenario(pen, sliding_program, windowed=True, late=12),
    "calendar": lambda pen: calendar_scenario(pen, windowed=True, late=12),
}


def scenarios(family: str, seeds: range) -> Iterator[Scenario]:
    """The scenarios of some seeds."""
    for seed in seeds:
        try:
            found = FAMILIES[family](Pen(random.Random(seed).randint))
        except ProgramError:
            continue
        if found is not None:
            yield found
