"""Sequences a1; a2; …; aN over generated activities.

python examples/abstract_sequence/generate.py --length 6 --activities 10000 --rules long.prolog --output long.csv

The rules have a fluent for the whole sequence and one for each shorter one inside it, `a1_to_a2`, `a2_to_a3`, …, so that
every definition is made of a smaller one. Activities of one id never overlap, and come in order, as far as they come:
what `seq` requires of its parts then holds for all of them.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

RULE = """holdsFor({head}(Id)=true, I) :-
    holdsFor({left}(Id)=true, Left),
    holdsFor({right}(Id)=true, Right),
    seq(Left, Right, I).
"""


def name(first: int, last: int) -> str:
    """What the sequence from one activity to another is called."""
    return f"a{first}" if first == last else f"a{first}_to_a{last}"


def rules(length: int) -> str:
    """A definition of every part of the sequence: a part and one activity more."""
    pairs = [(first, last) for width in range(1, length) for first, last in _parts(width, length)]
    texts = [RULE.format(head=name(*pair), left=name(pair[0], pair[1] - 1), right=f"a{pair[1]}") for pair in pairs]
    return "\n".join(texts)


def _parts(width: int, length: int) -> list[tuple[int, int]]:
    return [(first, first + width) for first in range(1, length - width + 1)]


def rows(length: int, activities: int, ids: int, disorder: float, seed: int) -> list[str]:
    """Intervals of activities, one after the other for each id. A round is a1, a2, … and may stop on the way to aN."""
    random = np.random.default_rng(seed)
    reached = np.minimum(random.geometric(0.1, activities), length)
    reached = reached[: np.searchsorted(np.cumsum(reached), activities) + 1]
    kind = np.concatenate([np.arange(1, last + 1) for last in reached.tolist()])[:activities]
    mixed = random.random(activities) < disorder
    kind = np.where(mixed, random.integers(1, length + 1, activities), kind)
    ident = np.repeat(np.sort(random.integers(0, ids, len(reached))), reached)[:activities]
    lasts, waits = random.integers(1, 6, activities), random.integers(1, 5, activities)
    passed = np.cumsum(lasts + waits)
    first_of_id = np.concatenate(([True], ident[1:] != ident[:-1]))
    began = np.maximum.accumulate(np.where(first_of_id, passed - lasts - waits, 0))
    ends = passed - began
    starts = ends - lasts
    order = np.argsort(starts, kind="stable")
    columns = zip(*(column[order].tolist() for column in (kind, starts, ends, ident)), strict=True)
    return [f"a{a}|{start}|{start}|{end}|true|id{number}" for a, start, end, number in columns]


def main() -> None:
    """Write rules and a stream."""
    options = argparse.ArgumentParser(description="Sequences a1; a2; …; aN over generated activities.")
    options.add_argument("--length", type=int, default=3, help="N")
    options.add_argument("--activities", type=int, default=10_000)
    options.add_argument("--ids", type=int, default=500)
    options.add_argument("--disorder", type=float, default=0.0, help="the share of activities that come out of order")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--rules", type=Path, required=True)
    options.add_argument("--output", type=Path, required=True)
    given = options.parse_args()
    given.rules.write_text(rules(given.length), encoding="utf-8")
    stream = rows(given.length, given.activities, given.ids, given.disorder, given.seed)
    given.output.write_text("\n".join(stream) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
