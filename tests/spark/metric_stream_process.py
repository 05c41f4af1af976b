"""A stream of facts in a process of its own, to be killed: `python -m tests.spark.metric_stream_process FOLDER`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from holdsfor.diagnostics import Source
from holdsfor.metric import from_metric_sources
from holdsfor.spark import materialise_stream
from tests.spark.stream_process import run_to_the_end, small_session

RULES = """
Hot(X) :- Boxminus[0,2] High(X)
High(X) :- Diamondminus[0,1/2] Temp(X,N), N > 20
Pair(X,Y) :- Hot(X), Hot(Y), X < Y
Any :- Pair(X,Y)
"""


def main(folder: Path) -> None:
    """Follow the files in a folder until there are no more."""
    stream = small_session().readStream.option("maxFilesPerTrigger", 1).text(str(folder / "in"))
    made = materialise_stream(from_metric_sources([Source("rules.dmtl", RULES)]), stream, buckets=2)
    run_to_the_end(made, folder)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
