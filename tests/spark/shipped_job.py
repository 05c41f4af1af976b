"""A job that is submitted: `… FOLDER ANSWER.json`. It reads rules and events in a folder of the driver, and says what was
found, and where workers have their Python and their holdsfor.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from holdsfor.spark import recognise


def main(folder: Path, answer: Path) -> None:
    def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import holdsfor

        found = {"python": [sys.executable], "package": [holdsfor.__file__], "seen": [(folder / "events.csv").exists()]}
        for batch in batches:
            if batch.num_rows:
                yield pa.record_batch({name: pa.array(value) for name, value in found.items()})

    spark = SparkSession.builder.getOrCreate()
    with (folder / "events.csv").open() as file:
        names, *rows = list(csv.reader(file))
    events = spark.createDataFrame([[cell or None for cell in row] for row in rows], [f"{name}" for name in names])
    found = recognise(
        str(folder / "rules.prolog"), events, mapping=str(folder / "mapping.toml"), untyped=True, partitions=4
    )
    places = spark.range(0, 4, 1, 4).mapInArrow(look, "python string, package string, seen boolean")
    told = {"rows": [list(row) for row in found.collect()], "places": [row.asDict() for row in places.collect()]}
    answer.write_text(json.dumps(told))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
