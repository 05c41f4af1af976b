"""Numbers on Spark: which bucket they belong to, and that large ones are what they are locally."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Observation

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.io.columns import encode, text_cells
from holdsfor.io.typed import argument_cells
from holdsfor.spark import recognise
from holdsfor.spark.columns import argument, key_part
from holdsfor.spark.keys import parts
from tests.conformance.rtec_cases import CASES
from tests.spark.test_batch import _check

pytestmark = pytest.mark.filterwarnings("ignore")
NUMBERS = ("01-float-sums", "02-", "03-big", "14-integers", "27-floor", "28-largest", "30-large")
TEXTS = [
    *("7", "-7", "+7", "007", " 7 ", "2.5", "-2.5", ".5", "5.", "1e3", "1e17", "1.0e+17", "-1e300", "1e999", "-1e999"),
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809"),
    *("00000000000000000000009007199254740993", "12345678901234567890", "-12345678901234567890", "9" * 20_000),
    *("9" * 5_000 + "a", "0x1f", "12a", "inf", "-inf", "nan", "abc", "", "1.2.3", "--1", "1e", "pi"),
]


def _parts(cells: Any) -> list[int]:
    dictionary = Dictionary()
    codes = encode([cells], dictionary)
    return [int(part) for part in parts(dictionary.values_of(codes))]


def test_text_of_numbers_has_the_same_part_in_sql(spark: Any) -> None:
    texts = [text for text in TEXTS if text]
    frame = spark.createDataFrame([(place, text) for place, text in enumerate(texts)], "place int, x string")
    sql = key_part(argument("x", frame.schema["x"].dataType, untyped=True))
    found = [row[0] for row in frame.orderBy("place").selectExpr(f"cast({sql} as bigint)").collect()]
    assert dict(zip(texts, found, strict=True)) == dict(zip(texts, _parts(text_cells(pa.array(texts))), strict=True))


def test_floats_have_the_same_part_in_sql(spark: Any) -> None:
    numbers = [0.0, -0.0, 2.5, -2.5, 1e17, 2.0**53, 9.3e18, -9.3e18, 1e300, -1e300, float("inf"), float("-inf")]
    frame = spark.createDataFrame([(place, number) for place, number in enumerate(numbers)], "place int, x double")
    sql = key_part(argument("x", frame.schema["x"].dataType, untyped=False))
    found = [row[0] for row in frame.orderBy("place").selectExpr(f"cast({sql} as bigint)").collect()]
    assert found == _parts(argument_cells(pa.array(numbers), "x", is_text=False))


@pytest.mark.parametrize("folder", [c for c in CASES if c.name.startswith(NUMBERS)], ids=lambda path: path.name)
def test_case(spark: Any, folder: Path) -> None:
    _check(spark, folder, 3)


RULES = """
initiatedAt(on(K)=V, T) :- happensAt(go(K, V), T).
initiatedAt(far(K)=true, T) :- happensAt(go(K, V), T), V > 12345678901234567890.
"""


def test_keys_of_twenty_digits(spark: Any, tmp_path: Path) -> None:
    lines = [f"{time},{12345678901234567880 + time % 7},{12345678901234567889 + time}" for time in range(20)]
    (tmp_path / "go.csv").write_text("\n".join(["time,k,v", *lines]) + "\n")
    frame = spark.read.csv(str(tmp_path / "go.csv"), header=True)
    rules = loads(RULES)
    found = recognise(rules, {"go": frame}, untyped=True, partitions=3).toPandas()
    rows = [(time, int(k), int(v)) for time, k, v in (map(int, line.split(",")) for line in lines)]
    local = rules.recognise({"go": rows}).to_pandas()
    columns = ["fluent", "value", "start"]
    assert sorted(map(tuple, found[columns].values)) == sorted(map(tuple, local[columns].values))
    assert "on(12345678901234567880)" in set(found["fluent"])


def test_conditions_without_a_value_are_counted(spark: Any) -> None:
    rules = loads("initiatedAt(share(X)=V, T) :- happensAt(go(X, N), T), V is 8 / N.")
    frame = spark.createDataFrame([(1, "x", 2), (4, "x", 0), (7, "y", 0)], "time bigint, x string, n bigint")
    observation = Observation()
    found = recognise(rules, {"go": frame}, partitions=2, observation=observation).collect()
    assert [(row.fluent, row.value) for row in found] == [("share(x)", "4")]
    assert observation.get["without_value"] == 2
    assert "V is 8 / N in initiatedAt(share(X)=V, T): 8/0 has no value" in observation.get["first_without_value"]
