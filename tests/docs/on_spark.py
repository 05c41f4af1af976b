"""What pages need that are followed on Spark: a folder, and an end of the streams that they leave running."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def followed_in(spark: Any, folder: Path) -> Iterator[None]:
    """Have the session take names of files as those of a folder; streams are stopped at the end."""
    files = spark._jvm.org.apache.hadoop.fs.FileSystem.get(spark._jsc.hadoopConfiguration())
    before = files.getWorkingDirectory()
    files.setWorkingDirectory(spark._jvm.org.apache.hadoop.fs.Path(str(folder)))
    try:
        with contextlib.chdir(folder):
            yield
            finish(spark)
    finally:
        for query in spark.streams.active:
            query.stop()
        files.setWorkingDirectory(before)


def finish(spark: Any) -> None:
    """Let all streams work on what there is; raises what goes wrong in them."""
    for query in spark.streams.active:
        query.processAllAvailable()


def own_checkpoints() -> Callable[[str], str]:
    """Pages call every checkpoint the same; each query has one of its own here, and does not go on for ever."""
    numbers = count()

    def rewritten(text: str) -> str:
        text = text.replace('"checkpoint"', f'"{Path.cwd()}/checkpoint{next(numbers)}"')
        return text.replace("query.awaitTermination()", "query.processAllAvailable()")

    return rewritten
