"""Guesses the column that distinguishes kinds of events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.kernels import Ints
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.mapmaking.sample import Sample
from holdsfor.io.mapmaking.wanted import RequiredInput, matched
from holdsfor.io.mapmaking.words import kinship, words

_NAMES = {"event", "type", "kind", "action", "activity", "operation", "verb", "eventtype", "eventname"}
_MOST, _MOST_BY_NAME, _MOST_BY_NUMBER, _ROWS_OF_EACH = 500, 60, 12, 5
_WORD = re.compile(r"[A-Za-z][\w .:/-]{0,40}")


@dataclass(frozen=True)
class KindGuess:
    """The rows of each kind: of each value of a column, or all rows without such a column."""

    path: str | None
    rows: Mapping[str, Ints]
    others: tuple[str, ...] = ()
    """Other columns with few distinct values that could be meant."""


def guess_kind(sample: Sample, time: str, wanted: Sequence[RequiredInput], chosen: str | None) -> KindGuess:
    """The column with the kind of a row; `chosen` overrides the guess."""
    found = {path: texts for path in sample.paths if path != time and (texts := sample.texts(path, _MOST))}
    if chosen is not None:
        if chosen not in found:
            raise HoldsforError(
                f"{chosen} of {sample.name} cannot distinguish events: it has to be a column of text without gaps, and with up to "
                f"{_MOST} different values; there are {', '.join(found) or 'none'}"
            )
        return _guess(chosen, found[chosen], ())
    by_rules = {path: _known(set(texts), wanted) for path, texts in found.items()}
    best = max(by_rules, key=lambda path: by_rules[path], default=None)
    if best is not None and by_rules[best]:
        return _guess(best, found[best], ())
    named = [
        path
        for path, texts in found.items()
        if words(path) and (words(path)[-1] in _NAMES or set(words(path)) & {"event", "eventtype", "eventname"})
        if len(set(texts)) <= min(_MOST_BY_NAME, max(2, len(texts) // 2)) or len(set(texts)) <= 3
    ]
    candidates = [path for path, texts in found.items() if _has_few_values(texts)]
    explaining = {path: _explained(sample, found[path]) for path in dict.fromkeys([*named, *candidates])}
    likely = [path for path in explaining if explaining[path] and explaining[path] == max(explaining.values())]
    chosen_one = next(iter([*named[:1], *likely[:1], *(candidates if len(candidates) == 1 else [])]), None)
    others = tuple(path for path in candidates if path != chosen_one)
    if chosen_one is None:
        return KindGuess(None, {"": np.arange(sample.rows)}, others)
    return _guess(chosen_one, found[chosen_one], others)


def _guess(path: str, texts: Sequence[str], others: tuple[str, ...]) -> KindGuess:
    column = np.array(texts, dtype=object)
    counted = Counter(texts)
    return KindGuess(path, {kind: np.flatnonzero(column == kind) for kind, _ in counted.most_common()}, others)


def _known(values: set[str], wanted: Sequence[RequiredInput]) -> int:
    """The similarity of the values to the names that the rules read."""
    return sum(kinship(one.name, value) for value, one in matched(values, wanted).items())


def _has_few_values(texts: Sequence[str]) -> bool:
    counted = Counter(texts)
    return (
        2 <= len(counted) <= _MOST_BY_NUMBER
        and len(counted) * _ROWS_OF_EACH <= len(texts)
        and all(_WORD.fullmatch(text) for text in counted)
    )


def _explained(sample: Sample, texts: Sequence[str]) -> int:
    """The number of columns that are empty for some values of a column and never for the others."""
    column = np.array(texts, dtype=object)
    masks = [column == kind for kind in set(texts)]
    found = 0
    for other in sample.paths:
        gaps = sample.gaps(other)
        if gaps.any() and not gaps.all():
            found += all(gaps[mask].all() or not gaps[mask].any() for mask in masks)
    return found
