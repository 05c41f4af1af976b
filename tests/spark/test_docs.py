"""Pages about Spark do what they say, and the pages on the language hold on Spark too."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdsfor.testing import Engine, run_checks
from tests.docs.on_spark import followed_in, own_checkpoints
from tests.docs.pages import DOCS, Page, blocks
from tests.spark.merged import Tables


@pytest.fixture(autouse=True)
def folder(spark: Any, tmp_path: Path) -> Iterator[None]:
    with followed_in(spark, tmp_path):
        yield


def test_batches() -> None:
    Page(DOCS / "spark.md").follow()


def test_explanations(spark: Any) -> None:
    speeds = spark.createDataFrame([(10, "tern", 3), (12, "gull", 4)], "time bigint, vessel string, speed bigint")
    pairs = spark.createDataFrame([(14, 50, "tern", "gull")], "start bigint, end bigint, one string, other string")
    page = Page(DOCS / "explain.md", {"speeds": speeds, "pairs": pairs})
    page.follow()
    shown = page.names["explain"]("harbour.prolog", {"speed": speeds, "near": pairs}, "meeting(tern,gull)=true", at=20)
    assert shown.holds


def test_streams(spark: Any) -> None:
    Path("rules.prolog").write_text("initiatedAt(stopped(V)=true, T) :- happensAt(stop(V), T).")
    Path("mapping.toml").write_text('name = "name"\ntime = "time"\n[event.stop]\nargs = ["vessel"]')
    stops = spark.createDataFrame(
        [("stop", 10, "tern"), ("stop", 9000, "gull")], "name string, time bigint, vessel string"
    )
    stops.write.parquet("incoming")
    Path("rules.dmtl").write_text("Hot(X) :- Boxminus[0,2] Temp(X)\nNear(X,Y) :- Hot(X), Link(X,Y)")
    spark.createDataFrame([(0.0, 5.0, "a")], "start double, end double, name string").write.parquet("temperatures")
    spark.createDataFrame([(9.0, "a", "b")], "time double, one string, other string").write.parquet("links")
    facts = {
        "temperatures": spark.readStream.schema("start double, end double, name string").parquet("temperatures"),
        "links": spark.readStream.schema("time double, one string, other string").parquet("links"),
    }
    Page(DOCS / "streaming.md", {"spark": spark, **facts}, rewritten=own_checkpoints()).follow()
    assert list(Path("changes").rglob("*.parquet"))


def test_lakehouses(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page = DOCS / "howto/lakehouse.md"
    tables = Tables(spark, monkeypatch)
    for block in blocks(page):
        if block.language == "sql":
            tables.create(block.text)
    rows = [("stop_start", 5, "tern"), ("stop_end", 15, "tern"), ("stop_start", 31, "gull"), ("stop_end", 99, "gull")]
    spark.createDataFrame(rows, "kind string, at bigint, vessel string").write.parquet("incoming")
    Page(page, {"spark": spark}, rewritten=own_checkpoints()).follow()
    found = [row[1:5] for row in tables.rows("stops_now")]
    assert sorted(found) == [("stopped(gull)", "true", 32, None), ("stopped(tern)", "true", 6, 16)]
    assert {row[2] for row in tables.rows("stops_log")} == {"stopped(gull)", "stopped(tern)"}


def test_several_sources(spark: Any) -> None:
    rows = [
        ("stop_start", 5, "tern", "coast"),
        ("stop_end", 4000, "tern", "coast"),
        ("stop_start", 4300, "gull", "satellite"),
    ]
    spark.createDataFrame(rows, "kind string, at bigint, vessel string, provider string").write.parquet("incoming")
    checkpointed = own_checkpoints()

    def ending(text: str) -> str:
        # A stream with `idle` gets a beat every second, so that it never has read all there is.
        return checkpointed(text.replace('    idle="10 minutes",\n', ""))

    Page(DOCS / "howto/several-sources.md", {"spark": spark}, rewritten=ending).follow()
    found = spark.read.parquet("changes").select("fluent", "query_time").collect()
    assert [tuple(row) for row in found] == [("stopped(tern)", 604)]


def test_signals(spark: Any, tmp_path: Path) -> None:
    from holdsfor_maritime.generator import generate

    checkpointed = own_checkpoints()

    def small(text: str) -> str:
        # The workers of a session that was started elsewhere have another folder.
        text = text.replace('"brest"', f'"{tmp_path}/brest"').replace('"signals"', f'"{tmp_path}/signals"')
        return checkpointed(text.replace("vessels=5000, hours=720", "vessels=12, hours=2"))

    generate("here", vessels=8, hours=2)
    shutil.copy("here/areas.geojson", ".")
    Path("incoming").mkdir()
    shutil.copy("here/nari_dynamic.csv", "incoming")
    page = Page(DOCS / "maritime_signals.md", {"spark": spark}, rewritten=small)
    page.follow()
    assert page.done == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*:UserWarning")  # some examples are about one thing that has no arguments
@pytest.mark.parametrize("name", ["language.md", "testing.md"])
def test_examples_of_the_language_hold_on_spark(name: str, spark: Any) -> None:
    failed = [outcome.render() for outcome in run_checks(DOCS / name, [Engine.SPARK], spark) if not outcome.passed]
    assert not failed, "\n\n".join(failed)
