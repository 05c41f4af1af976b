"""Alerts as lines of JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from holdsfor.alerts.alert import Alert


class JsonLines:
    """Writes each alert as a line to a stream, by default to standard output, and flushes it."""

    def __init__(self, into: TextIO | None = None) -> None:
        self._into = into

    def __call__(self, alerts: Iterable[Alert]) -> None:
        """Write alerts."""
        into = sys.stdout if self._into is None else self._into
        for alert in alerts:
            into.write(f"{alert.json()}\n")
        into.flush()
