"""Functions of the facts that hold at the same time: a value for every stretch during which it does not change."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.frames import row_keys
from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric.facts import Facts
from holdsfor.engine.numbers import Array, lacks_values, no_value
from holdsfor.engine.stabbing import containing
from holdsfor.engine.totals import reduced
from holdsfor.ir.metric import AggregateFunction


def total(function: AggregateFunction, facts: Facts, groups: int, dictionary: Dictionary) -> tuple[Facts, Ints]:
    """The stretches of each group, and the code of the value during each.

    The first columns of the maximal facts are those of the group, the next is the one that counts.
    """
    if function is not AggregateFunction.COUNT:
        facts = _numeric(facts, groups, dictionary)
    if not facts.rows:
        return Facts(facts.args[:groups], facts.start, facts.end), facts.start
    _, first, group = (
        np.unique(row_keys(facts.args[:groups]), return_index=True, return_inverse=True)
        if groups
        else (None, np.zeros(1, np.int64), np.zeros(facts.rows, np.int64))
    )
    stretch_group, start, end = _stretches(group, facts)
    stretch, row = containing((stretch_group, group), start, facts.start, facts.end)
    # Stretches of a group during which nothing holds are in no fact.
    held, begins = np.unique(stretch, return_index=True)
    if function is AggregateFunction.COUNT:
        values: Array = np.diff(np.append(begins, len(stretch)))
    else:
        values = reduced(function.value, dictionary.numbers(facts.args[groups][row]), begins)
    if lacks_values(values):
        # Such as the sum of inf and -inf.
        known = ~no_value(values)
        held, values = held[known], values[known]
    representative = first[stretch_group[held]]
    args = tuple(column[representative] for column in facts.args[:groups])
    return Facts(args, start[held], end[held]), dictionary.encode_numbers(values)


def _numeric(facts: Facts, place: int, dictionary: Dictionary) -> Facts:
    """Words have no sum, and are neither the least nor the greatest number."""
    is_word = dictionary.are_words(facts.args[place])
    return facts.take(~is_word) if is_word.any() else facts


def _stretches(group: Ints, facts: Facts) -> tuple[Ints, Ints, Ints]:
    """The stretches between all points at which something of a group begins or ends."""
    groups = np.concatenate((group, group))
    points = np.concatenate((facts.start, facts.end))
    order = np.lexsort((points, groups))
    groups, points = groups[order], points[order]
    keep = np.flatnonzero((groups[1:] == groups[:-1]) & (points[1:] > points[:-1]))
    return groups[keep], points[keep], points[keep + 1]
