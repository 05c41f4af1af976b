"""Windows that overlap, and events that come late: one engine that goes on, against one from scratch at every query time.

`python -m benchmarks.engines.overlaps voyages|uniform|fleet [--quick]` prints figures as JSON.
"""

from __future__ import annotations

import json
import sys

from benchmarks.suite.data.late_streams import SETTINGS
from benchmarks.suite.data.overlaps import measured

DELAYED = 5
TIMED = 6


def figures(kind: str, quick: bool) -> dict[str, float]:
    """Milliseconds of a query time by the number of steps in a window, and what follows from them."""
    setting = SETTINGS[kind](1_000, 300) if quick else SETTINGS[kind]()
    found: dict[str, float] = {}
    sizes = (1, setting.sizes[-1])
    for size in sizes:
        scratch, changed = measured(setting, DELAYED, size, TIMED).least()
        found |= {
            f"changed_{size}_ms": changed,
            f"scratch_{size}_ms": scratch,
            f"times_scratch_{size}": scratch / changed,
        }
    first, last = sizes
    return found | {"growth": found[f"changed_{last}_ms"] / found[f"changed_{first}_ms"]}


if __name__ == "__main__":
    print(json.dumps(figures(sys.argv[1], "--quick" in sys.argv)))
