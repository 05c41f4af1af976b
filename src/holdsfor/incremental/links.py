"""Which keys of a stage have to do with what it reads by a part of a key.

A stage of pairs may read a fluent of one of the two (`Delivery.matches`). Rows of it are kept by that part, once for all
pairs that have it; the input that pairs are made of says which these are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.frames import ranges
from holdsfor.engine.kernels import Ints
from holdsfor.engine.retention import Retention
from holdsfor.incremental.heap import FIRST, KEY, Heap, different, padded
from holdsfor.incremental.keys import FIRST_PART, keys_of, part_keys
from holdsfor.spreading.exchange import Match
from holdsfor.spreading.stages import Stage


class Links:
    """Parts and keys, both ways. What is linked stays so: a key too many is worked out, to no effect."""

    def __init__(self, stage: Stage, kept: Retention) -> None:
        self.places: dict[Symbol, int] = {}
        """The argument that is the part, for everything that is read by a part."""
        self._sources: dict[Symbol, set[Match]] = {}
        for delivery in stage.deliveries:
            # What has a past that is kept in the state of a border is there for all keys.
            if delivery.spreading is None and delivery.matches and not _leaves_state(delivery.symbol, kept):
                self.places[delivery.symbol] = delivery.matches[0].place
                for match in delivery.matches:
                    self._sources.setdefault(match.source, set()).add(match)
        self._by_part, self._by_key = Heap(FIRST + 1), Heap(FIRST + 1)

    def add(self, symbol: Symbol, args: Sequence[Ints], rows: int) -> None:
        """Take in rows of the stream; most symbols link nothing."""
        for match in self._sources.get(symbol, ()):
            keys, parts = keys_of(args, match.key, rows), part_keys(args[match.at])
            self._by_part.add(padded((keys,), parts, 0, FIRST + 1))
            self._by_key.add(padded((parts,), keys, 0, FIRST + 1))

    def parts(self, keys: Ints) -> Ints:
        """The parts of some keys, in order."""
        return different(self._by_key.of(keys)[:, FIRST])

    def reached(self, keys: Ints) -> tuple[Ints, Ints]:
        """The keys that rows with some keys come to, and the place of each among the latter: parts come to all keys that
        have them.
        """
        is_part = keys <= FIRST_PART
        if not is_part.any():
            return np.arange(len(keys)), keys
        whole, places = np.flatnonzero(~is_part), np.flatnonzero(is_part)
        links = self._by_part.of(different(keys[places]))
        first = links[:, KEY].searchsorted(keys[places], side="left")
        count = links[:, KEY].searchsorted(keys[places], side="right") - first
        rows = np.concatenate((whole, np.repeat(places, count)))
        return rows, np.concatenate((keys[whole], links[ranges(first, count), FIRST]))


def _leaves_state(symbol: Symbol, kept: Retention) -> bool:
    return kept.keeps_past(symbol) or symbol in kept.reach or symbol in kept.unsettled or symbol in kept.derivable
