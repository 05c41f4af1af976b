"""Which input reached which keys, from stage to stage: what a change is because of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdsfor.engine.frames import ranges
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.incremental.sections import EVERYWHERE

if TYPE_CHECKING:
    from holdsfor.incremental.stage import StageRun

_ALL = np.array([EVERYWHERE])


class Trace:
    """Pairs of a key and the number of an input, for every stage."""

    def __init__(self) -> None:
        self._pairs: dict[int, list[tuple[Ints, Ints]]] = {}
        self._in_order: dict[int, tuple[Ints, Ints]] = {}

    def reach(self, stage: StageRun, keys: Ints, inputs: Ints) -> None:
        """Input comes to keys of a stage."""
        self._pairs.setdefault(stage.stage.number, []).append((keys, inputs))

    def follow(self, stage: StageRun, later: StageRun, keys: Ints, others: Ints) -> None:
        """What is said of keys of one stage comes to other keys in a later one, perhaps to several for each."""
        rows, inputs = self._of_keys(stage, np.tile(keys, len(others) // len(keys)))
        if len(rows):
            self.reach(later, others[rows], inputs)
        shared = self.everywhere(stage)
        if len(shared):
            self.reach(later, np.full(len(shared), EVERYWHERE), shared)

    def of(self, stage: StageRun, key: int) -> list[int]:
        """The inputs that came to a key."""
        own = self._of_keys(stage, np.array([key]))[1]
        return sorted({*own.tolist(), *self.everywhere(stage).tolist()})

    def everywhere(self, stage: StageRun) -> Ints:
        """The inputs that came to all keys."""
        return self._of_keys(stage, _ALL)[1] if stage.sections.has_shared else EMPTY

    def _of_keys(self, stage: StageRun, keys: Ints) -> tuple[Ints, Ints]:
        """The inputs that came to keys, each with the place of its key."""
        known = self._known(stage.stage.number)
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
