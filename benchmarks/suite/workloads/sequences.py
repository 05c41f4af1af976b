"""Sequences a1; a2; …; aN over abstract activities: one pattern, and one with all its sub-patterns."""

from __future__ import annotations

from functools import partial

from benchmarks.suite.reasoning import Application, from_rows, ready
from benchmarks.suite.workload import Ready, Workload, example

from holdsfor import loads

IDS = 500


def one_pattern(length: int) -> str:
    """A rule for the whole sequence alone."""
    conditions = [f"holdsFor(a{number}(Id)=true, I{number})" for number in range(1, length + 1)]
    left = "I1"
    for number in range(2, length + 1):
        until = "I" if number == length else f"J{number}"
        conditions.append(f"seq({left}, I{number}, {until})")
        left = until
    return f"holdsFor(all(Id)=true, I) :-\n    {', '.join(conditions)}.\n"


def sequence(length: int, activities: int, every: bool) -> Application:
    """Rules for the whole sequence, or for every part of it too, over activities of 500 ids."""
    generate = example("abstract_sequence")
    rules = generate.rules(length) if every else one_pattern(length)
    return from_rows(loads(rules).plan, generate.rows(length, activities, IDS, 0.0, 1))


def _ready(length: int, activities: int, every: bool, quick: bool) -> Ready:
    return ready(sequence(length, activities // 10 if quick else activities, every), repeat=15)


WORKLOADS = [
    *(
        Workload(
            f"sequence-{length}-{thousands}k",
            f"sequence of {length}, {thousands},000 activities",
            partial(_ready, length, 1000 * thousands, False),
        )
        for thousands in (10, 50)
        for length in (3, 6, 12)
    ),
    *(
        Workload(
            f"sequences-{length}-{thousands}k",
            f"sequence of {length} and all parts, {thousands},000 activities",
            partial(_ready, length, 1000 * thousands, True),
        )
        for thousands in (10, 50)
        for length in (3, 6, 12)
    ),
]
