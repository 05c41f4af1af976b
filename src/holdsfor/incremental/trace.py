"""Which input reached which keys, from stage to stage: what a change is because of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdsfor.engine.frames import ranges
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.incremental.sections import EVERYWHERE

if TYPE_CHECKING:
    from holdsfor.incremental.stage import StageRun

_FEW = 64
"""So many pairs are kept one by one."""


class Trace:
    """Pairs of a key and the number of an input, for every stage: few of them in dictionaries, many in columns."""

    def __init__(self) -> None:
        self._few: dict[int, dict[int, list[int]]] = {}
        self._pairs: dict[int, list[tuple[Ints, Ints]]] = {}
        self._in_order: dict[int, tuple[Ints, Ints]] = {}

    def reach(self, stage: StageRun, keys: Ints, inputs: Ints) -> None:
        """Input comes to keys of a stage, perhaps to several for each."""
        inputs = inputs if len(keys) == len(inputs) else np.resize(inputs, len(keys))
        if stage.links.places:
            rows, keys = stage.links.reached(keys)
            inputs = inputs[rows]
        self._reach(stage, keys, inputs)

    def _reach(self, stage: StageRun, keys: Ints, inputs: Ints) -> None:
        if len(keys) <= _FEW:
            known = self._few.setdefault(stage.stage.number, {})
            for key, number in zip(keys.tolist(), inputs.tolist(), strict=True):
                known.setdefault(key, []).append(number)
        else:
            self._pairs.setdefault(stage.stage.number, []).append((keys, inputs))

    def follow(self, stage: StageRun, later: StageRun, keys: Ints, others: Ints) -> None:
        """What is said of keys of one stage comes to other keys in a later one, perhaps to several for each."""
        repeated = np.tile(keys, len(others) // len(keys)) if len(others) > len(keys) else keys
        if later.links.places:
            rows, others = later.links.reached(others)
            repeated = repeated[rows]
        if len(others) <= _FEW:
            known = self._few.setdefault(later.stage.number, {})
            for key, other in zip(repeated.tolist(), others.tolist(), strict=True):
                known.setdefault(other, []).extend(self._of(stage, key))
        else:
            self._settle(stage.stage.number)
            rows, inputs = self._of_keys(stage.stage.number, repeated)
            if len(rows):
                self._reach(later, others[rows], inputs)
        if stage.sections.has_shared:
            shared = self._of(stage, EVERYWHERE)
            self._few.setdefault(later.stage.number, {}).setdefault(EVERYWHERE, []).extend(shared)

    def of(self, stage: StageRun, key: int) -> list[int]:
        """The inputs that came to a key, in order."""
        shared = self._of(stage, EVERYWHERE) if stage.sections.has_shared else []
        return sorted({*self._of(stage, key), *shared})

    def _of(self, stage: StageRun, key: int) -> list[int]:
        number = stage.stage.number
        few = self._few.get(number, {}).get(key, [])
        if number in self._pairs or number in self._in_order:
            return [*few, *self._of_keys(number, np.array([key]))[1].tolist()]
        return few

    def _settle(self, number: int) -> None:
        """Put the few to the many."""
        few = self._few.pop(number, {})
        if few:
            keys = np.repeat(np.array(list(few)), [len(found) for found in few.values()])
            inputs = np.array([one for found in few.values() for one in found], np.int64)
            self._pairs.setdefault(number, []).append((keys, inputs))

    def _of_keys(self, number: int, keys: Ints) -> tuple[Ints, Ints]:
        """The inputs that came to keys, each with the place of its key."""
        known = self._known(number)
        if known is None:
            return EMPTY, EMPTY
        theirs, inputs = known
        first = theirs.searchsorted(keys, side="left")
        count = theirs.searchsorted(keys, side="right") - first
        return np.repeat(np.arange(len(keys)), count), inputs[ranges(first, count)]

    def _known(self, stage: int) -> tuple[Ints, Ints] | None:
        """The pairs of a stage in order of their keys, each once."""
        pairs = self._pairs.pop(stage, None)
        known = self._in_order.get(stage)
        if pairs is None:
            return known
        if known is not None:
            pairs.append(known)
        keys, inputs = (np.concatenate([pair[part] for pair in pairs]) for part in (0, 1))
        if len(keys) > 1:
            order = np.lexsort((inputs, keys))
            keys, inputs = keys[order], inputs[order]
            fresh = np.ones(len(keys), np.bool_)
            fresh[1:] = (keys[1:] != keys[:-1]) | (inputs[1:] != inputs[:-1])
            keys, inputs = keys[fresh], inputs[fresh]
        self._in_order[stage] = keys, inputs
        return keys, inputs
