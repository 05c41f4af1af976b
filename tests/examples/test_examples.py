"""Every example gives the intervals that its folder says, on every engine."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import holdsfor
from tests.examples.catalogue import CATALOGUE, EXAMPLES, FOLDERS, Example, When


def tried_on(engine: str) -> list[Any]:
    """The examples that an engine is tried on, those that take long marked as such."""
    found = []
    for example in CATALOGUE:
        when = When.ALWAYS if engine == "local" else getattr(example, engine)
        if when is not When.NEVER:
            marks = [pytest.mark.slow] if when is When.SLOW else []
            found.append(pytest.param(example, id=example.name, marks=marks))
    return found


@pytest.mark.parametrize("example", tried_on("local"))
def test_the_engine(example: Example) -> None:
    assert example.run() == example.wanted()


@pytest.mark.parametrize("example", tried_on("reference"))
def test_the_reference_evaluator(example: Example) -> None:
    assert example.run("--engine", "reference") == example.wanted()


@pytest.mark.parametrize("example", tried_on("spark"))
def test_spark(example: Example, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(spark), "stop", lambda _: None)  # the session is shared by all tests
    assert example.run("--engine", "spark", "--master", "local[2]", "--partitions", "2") == example.wanted()


def files_of(*endings: str) -> Iterator[Path]:
    for folder in FOLDERS:
        for ending in endings:
            yield from folder.glob(f"*.{ending}")


def test_every_rule_file_is_run() -> None:
    run = {example.path(file) for example in CATALOGUE for file in example.rules}
    assert run == set(files_of("prolog", "dmtl"))


def test_every_stream_and_every_answer_is_used() -> None:
    read = {example.path(file) for example in CATALOGUE for file in (*example.events, example.expected)}
    read |= {example.path(table.partition("=")[2]) for example in CATALOGUE for table in example.background}
    assert {path for path in files_of("csv", "csv.gz", "jsonl", "txt", "txt.gz") if path.name != "truth.csv"} <= read


@pytest.mark.parametrize(("folder", "picture"), [("abandoned_carts", "carts.svg"), ("plant_alarms", "alarms.svg")])
def test_pictures_show_what_comes_out(folder: str, picture: str, tmp_path: Path) -> None:
    example = next(one for one in CATALOGUE if one.folder == folder)
    example.run("--timeline", str(tmp_path / picture))
    assert (tmp_path / picture).read_text("utf-8") == example.path(picture).read_text("utf-8")


def test_windows_know_the_same_of_a_plant() -> None:
    """The last of the windows that the page of plant_alarms speaks of has what the whole run has of these two hours."""
    folder = EXAMPLES / "plant_alarms"
    reasoner = holdsfor.load(folder / "rules.prolog", background={"sensor": str(folder / "sensors.csv")})
    begin, end = (int(datetime.fromisoformat(f"2026-03-27T{hour}:00+01:00").timestamp()) for hour in (15, 20))

    def known(**windows: Any) -> set[tuple[object, ...]]:
        files = [folder / "readings.csv", folder / "actions.jsonl"]
        result = reasoner.recognise(files, mapping=folder / "mapping.toml", end=end, **windows)
        first = end - 7200 + 1
        return {
            (row.fluent, row.value, max(row.start, first), row.end)
            for row in result
            if row.query_time == end and (row.end is None or row.end > first)
        }

    whole = known()
    assert len(whole) > 20
    assert known(window="2h", step="10min", start=begin) == whole
