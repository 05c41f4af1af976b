"""All bugs to plant in the engine, one at a time; `README.md` lists them with the result of a run."""

from __future__ import annotations

from tests.mutation import (
    bugs_of_bodies,
    bugs_of_domains,
    bugs_of_numbers,
    bugs_of_rules,
    bugs_of_sliding,
    bugs_of_state,
    bugs_of_terms,
    bugs_of_time,
)
from tests.mutation.planting import PLANTED, Planted

__all__ = [
    "PLANTED",
    "Planted",
    "bugs_of_bodies",
    "bugs_of_domains",
    "bugs_of_numbers",
    "bugs_of_rules",
    "bugs_of_sliding",
    "bugs_of_state",
    "bugs_of_terms",
    "bugs_of_time",
]
