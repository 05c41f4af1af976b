"""Metric rules in the core: facts go in and come out as columns of a dictionary's codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np

from holdsfor.compiler.metric.plan import MetricStratum
from holdsfor.compiler.metric.rules import Relation
from holdsfor.core.compiled import compiled_core
from holdsfor.core.host import Host
from holdsfor.core.vocabulary import NO_WORDS, Vocabulary, WordArray
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric.facts import Facts
from holdsfor.engine.tables import FOREVER
from holdsfor.physical.encode import to_bytes
from holdsfor.physical.metric_lower import LoweredMetric, lower_metric

ENDLESS = int(FOREVER)


@lru_cache(maxsize=64)
def _lowered(strata: tuple[MetricStratum, ...], outside: tuple[Relation, ...]) -> tuple[LoweredMetric, bytes]:
    lowered = lower_metric(strata, outside)
    return lowered, to_bytes(lowered.plan)


class _Terms:
    """A core for the constants of a dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        host = Host((), [], {})
        self.core = compiled_core().Core(_lowered((), ())[1], host)
        self.vocabulary = Vocabulary(dictionary, host.connect(self.core))


def _terms(dictionary: Dictionary) -> _Terms:
    """The core of a dictionary; there is one for all programs that share it."""
    if not isinstance(dictionary.companion, _Terms):
        dictionary.companion = _Terms(dictionary)
    return dictionary.companion


class MetricTables:
    """The relations of some strata in the core, on a time-line of `scale` ticks to a unit of time."""

    def __init__(
        self, strata: Sequence[MetricStratum], outside: Iterable[Relation], dictionary: Dictionary, scale: int = 1
    ) -> None:
        """`outside` are relations that may be given or asked for though no rule mentions them."""
        lowered, data = _lowered(tuple(strata), tuple(dict.fromkeys(outside)))
        terms = _terms(dictionary)
        self._vocabulary = terms.vocabulary
        self.core: Any = terms.core.metric(data)
        self.relations = lowered.relations
        self.numbers = {relation: number for number, relation in enumerate(lowered.relations)}
        self._base = lowered.scale
        self.refine(scale)

    @property
    def scale(self) -> int:
        """The ticks to a unit of time."""
        return self._base * int(self.core.factor)

    def refine(self, scale: int) -> None:
        """A finer time-line, if a scale needs one."""
        factor = lcm(self.scale, scale) // self.scale
        try:
            self.core.refine(factor)
        except (OverflowError, TypeError):
            raise HoldsforError(
                f"times this far apart cannot be told apart by 1/{factor} of a tick: they would not fit 64-bit integers"
            ) from None

    def push(self, relation: Relation, facts: Facts) -> int:
        """Take in facts on this time-line. How many of them began before the time that was reached."""
        late: int = self.core.push(self.numbers[relation], *self._columns(facts))
        return late

    def replace(self, relation: Relation, facts: Facts) -> None:
        """Put facts into the place of what a relation holds."""
        self.core.replace(self.numbers[relation], *self._columns(facts))

    def _columns(self, facts: Facts) -> tuple[Ints, Ints, WordArray]:
        return np.ascontiguousarray(facts.start), np.ascontiguousarray(facts.end), self._words(facts)

    def _words(self, facts: Facts) -> WordArray:
        if len(facts.args) == 1:
            return self._vocabulary.words(facts.args[0])
        if not facts.args or not facts.rows:
            return NO_WORDS
        found = np.empty((facts.rows, len(facts.args)), np.uint64)
        for place, column in enumerate(facts.args):
            found[:, place] = self._vocabulary.words(column)
        return found.reshape(-1)

    def facts(self, relation: Relation) -> Facts:
        """What a relation holds: maximal intervals, those of one tuple after those of another."""
        return self.made(relation.arity, *self.core.columns(self.numbers[relation]))

    def made(self, arity: int, start: Ints, end: Ints, words: WordArray) -> Facts:
        """Facts of columns from the core."""
        return Facts(tuple(self._vocabulary.columns(words, arity)), start, end)

    def put_part(self, kind: str, stratum: int, number: int, facts: Facts) -> None:
        """Put a part of a state back to where it was."""
        self.core.put_part(kind, stratum, number, *self._columns(facts))
