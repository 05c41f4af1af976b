"""Whoever watches a run is told how it gets on where one query time takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[int, int], None]
"""Is told how many delayed effects there were since it was last told, and the time-point that is reached."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher | None) -> Iterator[None]:
    """Tell a watcher of what is done meanwhile."""
    before = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(before)


def note_delayed_effects(count: int, time: int) -> None:
    """Tell the watcher, if there is one."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(count, time)
