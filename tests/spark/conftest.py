"""One Spark session for all tests: two cores, few partitions, no web page."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdsfor.spark.java import JavaMissing, require_java


@pytest.fixture(scope="session")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder behind `viewfs://cl/data`, which only Spark can open by that name."""
    return tmp_path_factory.mktemp("mounted")


@pytest.fixture(scope="session")
def spark(mounted: Path) -> Iterator[Any]:
    """A classic session."""
    pytest.importorskip("pyspark")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    from pyspark.sql import SparkSession

    from holdsfor.spark.session import worker_python

    worker_python()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "3")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.hadoop.fs.viewfs.mounttable.cl.link./data", mounted.as_uri())
            # Small data: compiling costs more than it saves.
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .getOrCreate()
        )
        made.sparkContext.setLogLevel("ERROR")
        yield made
        made.stop()


@pytest.fixture
def one_session(spark: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Commands use the session of all tests, and leave it running."""
    import holdsfor.cli.spark_metric  # noqa: F401 -- it has a name of its own for the function

    for module in ("spark", "spark_metric"):
        monkeypatch.setattr(f"holdsfor.cli.{module}.spark_session", lambda _: spark)
    monkeypatch.setattr(spark, "stop", lambda: None)
    return spark
