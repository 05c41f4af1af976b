"""Short stops by MeTeoR, everything at once; with or without reading the facts."""

from __future__ import annotations

import gzip
from typing import Any

from meteor_reasoner.materialization.coalesce import coalescing_d
from meteor_reasoner.materialization.materialize import materialize
from meteor_reasoner.utils.loader import load_dataset, load_program


def answer(facts: str, program: str) -> Any:
    """All that follows."""
    return derived(read(facts, program))


def read(facts: str, program: str) -> tuple[Any, Any]:
    """Facts and rules."""
    with gzip.open(facts, "rt") as file:
        dataset = load_dataset([line.strip() for line in file if line.strip()])
    with open(program, encoding="utf-8") as file:  # noqa: PTH123 -- as its documentation has it
        rules = load_program([line.strip() for line in file if line.strip()])
    return dataset, rules


def derived(given: tuple[Any, Any]) -> Any:
    """All that follows from what was read, which it changes."""
    dataset, rules = given
    coalescing_d(dataset)
    materialize(dataset, rules, K=10)
    return dataset


def rows(found: Any) -> list[tuple[str, int]]:
    """Vehicle and time-point of every short stop."""
    return [
        (entity[0].name, moment)
        for entity, intervals in found["ShortStop"].items()
        for interval in intervals
        for moment in range(int(interval.left_value), int(interval.right_value) + 1)
    ]
