"""The sweep on its own: attempts under way when it begins."""

import sys

import numpy as np
import pytest

from holdsfor.engine.cyclic.memory import Memory
from holdsfor.engine.cyclic.rows import Batch
from holdsfor.engine.cyclic.sheet import assembled
from holdsfor.engine.cyclic.sweep import Start, _can_compile, _Meter, sweep
from holdsfor.engine.cyclic.sweep_loop import ON_TRIGGER, STARTED
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints
from holdsfor.engine.tables import FOREVER

ON, OFF, DELAY = 5, 6, 10
DEADLINE = np.array([-1, ON, DELAY, ON_TRIGGER, OFF, 0, 0, 0])
"""Ten time-points after its initiation, on turns to off, for all slots."""


@pytest.mark.parametrize("compiled", [False, True])
def test_instances_that_go_on_from_different_times(compiled: bool) -> None:
    """What a slot begins early is due before what another slot, which goes on from later, had begun."""

    def one(number: int) -> Ints:
        return np.array([number])

    pending = (one(110), one(100), one(0), one(0), one(ON))
    start = Start(np.array([0, 0]), np.array([1, 1]), [], one(0), one(ON), one(101), pending)
    sheet = assembled([Batch(np.array([3, 50]), STARTED, np.array([1, 1]), ON, 0)], DEADLINE)
    found = sweep(sheet, start, (200, 200), Memory(Dictionary()), wants_log=False, compiled=compiled)
    spans = sorted(
        zip(*(c.tolist() for c in (found.spans.slot, found.spans.value, found.spans.time, found.end)), strict=True)
    )
    assert spans == [
        (0, ON, 101, 111),
        (0, OFF, 111, FOREVER),
        (1, ON, 4, 14),
        (1, ON, 51, 61),
        (1, OFF, 14, 51),
        (1, OFF, 61, FOREVER),
    ]


def test_without_numba_the_plain_loop_is_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    _can_compile.cache_clear()
    try:
        meter = _Meter()
        assert not meter.pays(10**9)
        assert not meter.has_paid(10**9)
    finally:
        _can_compile.cache_clear()
