"""Processes the pieces of a file on all processors; NumPy and Arrow release the GIL while they compute."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

_A = TypeVar("_A")
_B = TypeVar("_B")


def in_order(work: Callable[[_A], _B], items: Iterable[_A]) -> Iterator[_B]:
    """Results in the order of the items, of which only a limited number is processed at the same time.

    >>> list(in_order(len, ["a", "bb", ""]))
    [1, 2, 0]
    """
    rest = iter(items)
    begin = list(islice(rest, 2))
    if len(begin) < 2:
        yield from map(work, begin)
        return
    # Imported here because most files are one piece.
    from concurrent.futures import ThreadPoolExecutor

    workers = min(8, os.cpu_count() or 1)
    waiting: deque[Future[_B]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for item in chain(begin, rest):
            waiting.append(pool.submit(work, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
