"""Generated data: the same for everyone, of the right form, and true to what it says happens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shapely
from pyarrow import csv

from holdsfor.diagnostics import HoldsforError
from holdsfor_maritime.columns import COLUMNS
from holdsfor_maritime.generator import generate, world
from holdsfor_maritime.generator.fleet import TYPES
from holdsfor_maritime.generator.plan import plan
from holdsfor_maritime.generator.reports import reports
from holdsfor_maritime.signals.local import critical_events
from holdsfor_maritime.signals.signals import Signals

SITUATIONS = {
    "anchoredOrMoored",
    "drifting",
    "fishingTrip",
    "gap",
    "loitering",
    "pilotBoarding",
    "rendezVous",
    "sar",
    "trawling",
    "tugging",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ais")
    generate(made, vessels=120, hours=24, seed=5)
    return made


@pytest.fixture(scope="module")
def signals(folder: Path) -> Signals[pa.Table]:
    return critical_events(folder)


def test_files_and_columns(folder: Path) -> None:
    rows = csv.read_csv(folder / "nari_dynamic.csv")
    assert tuple(rows.column_names) == COLUMNS
    assert {"sourcemmsi", "shiptype", "shipname", "draught", "t"} <= set(
        csv.read_csv(folder / "nari_static.csv").column_names
    )
    truth = csv.read_csv(folder / "truth.csv")
    assert truth.column_names == ["situation", "vessel", "vessel2", "start", "end"]
    assert set(truth["situation"].to_pylist()) == SITUATIONS
    times = rows["t"].to_numpy()
    assert (np.diff(times) < 0).any()
    assert times.max() - times.min() < 24 * 3600


def test_the_same_seed_gives_the_same_rows(tmp_path: Path) -> None:
    for name in ("one", "again", "other"):
        generate(tmp_path / name, vessels=30, hours=2, seed=8 if name == "other" else 7)
    for file in ("nari_dynamic.csv", "nari_static.csv", "truth.csv", "areas.geojson", "land.geojson"):
        one = (tmp_path / "one" / file).read_bytes()
        assert one == (tmp_path / "again" / file).read_bytes()
        assert (one == (tmp_path / "other" / file).read_bytes()) == file.endswith(".geojson")


def test_a_report_does_not_depend_on_who_makes_it() -> None:
    made = plan(90, 6.0, 3)
    whole = reports(made, 0, 90, 3)
    parts = pa.concat_tables([reports(made, 0, 31, 3), reports(made, 31, 90, 3)])
    order = [(name, "ascending") for name in COLUMNS]
    assert whole.sort_by(order) == parts.sort_by(order)


def test_all_types_sail(folder: Path, signals: Signals[pa.Table]) -> None:
    assert set(signals.vessels["type"].to_pylist()) == set(TYPES)
    assert len(signals.vessels) == 120


def test_density() -> None:
    made = plan(60, 12.0, 2)
    thin, thick = (len(reports(made, 0, 60, 2, density)) for density in (1.0, 4.0))
    assert 3.5 < thick / thin < 4.5


def test_sizes() -> None:
    assert len(reports(plan(50, 1.0, 1), 0, 50, 1)) > 500
    # A fleet of a month: six hundred reports a vessel, as in the public set.
    made = plan(5_000, 720.0, 1)
    assert 400 < len(reports(made, 0, 500, 1)) / 500 < 800


def test_noise_is_found(signals: Signals[pa.Table]) -> None:
    counts = signals.counts()
    for reason in ("duplicate", "impossible jump", "out of range"):
        assert 0 < counts[reason] < counts["read"] / 50
    # Legs follow each other without a jump, so nothing is left out but what was meant to be.
    assert counts["impossible jump"] < counts["read"] / 500


def during(folder: Path, frame: pa.Table, situation: str) -> list[tuple[dict[str, object], pa.Table]]:
    """The rows of vessels while they are in a situation, well inside of it."""
    truth = csv.read_csv(folder / "truth.csv").filter(pc.field("situation") == situation).to_pylist()
    found = []
    for one in truth:
        inside = (pc.field("time") >= one["start"] + 200) & (pc.field("time") <= one["end"] - 200)
        found.append((one, frame.filter((pc.field("vessel") == one["vessel"]) & inside)))
    return found


@pytest.mark.parametrize(
    ("situation", "slowest", "fastest"),
    [
        ("anchoredOrMoored", 0.0, 0.5),
        ("trawling", 1.0, 9.0),
        ("rendezVous", 0.3, 5.0),
        ("tugging", 1.2, 15.0),
        ("drifting", 1.0, 5.0),
        ("loitering", 0.8, 5.0),
        ("sar", 9.0, 30.0),
    ],
)
def test_speeds(folder: Path, signals: Signals[pa.Table], situation: str, slowest: float, fastest: float) -> None:
    found = during(folder, signals.frames["velocity"], situation)
    assert found
    speeds = np.concatenate([rows["speed"].to_numpy() for _, rows in found])
    assert len(speeds) > 10
    assert np.mean((speeds >= slowest) & (speeds <= fastest)) > 0.98


def test_drifting_vessels_point_elsewhere(folder: Path, signals: Signals[pa.Table]) -> None:
    for _, rows in during(folder, signals.frames["velocity"], "drifting"):
        known = rows.filter(pc.field("heading") < 511)
        off = np.abs((known["heading"].to_numpy() - known["course"].to_numpy() + 180) % 360 - 180)
        assert len(known) > len(rows) / 2
        assert (off > 30).all()


@pytest.mark.parametrize("situation", ["rendezVous", "tugging", "pilotBoarding"])
def test_pairs_are_near_each_other(folder: Path, signals: Signals[pa.Table], situation: str) -> None:
    truth = csv.read_csv(folder / "truth.csv").filter(pc.field("situation") == situation).to_pylist()
    assert truth
    near = signals.frames["proximity"].to_pylist()
    for one in truth:
        assert one["vessel"] < one["vessel2"]
        shared = sum(
            max(0, min(one["end"], each["end"]) - max(one["start"], each["start"]))
            for each in near
            if (each["vessel"], each["other"]) == (one["vessel"], one["vessel2"])
        )
        assert shared > 0.6 * (one["end"] - one["start"]) - 400


def test_trawlers_are_on_fishing_grounds(folder: Path, signals: Signals[pa.Table]) -> None:
    grounds = shapely.union_all([polygon for _, kind, polygon in world.areas() if kind == "fishing"])
    for _, rows in during(folder, signals.tracks, "trawling"):
        inside = shapely.contains_xy(grounds, rows["lon"].to_numpy(), rows["lat"].to_numpy())
        assert not len(rows) or inside.mean() > 0.9


def test_nothing_is_heard_in_a_gap(folder: Path, signals: Signals[pa.Table]) -> None:
    found = during(folder, signals.tracks, "gap")
    assert found
    assert not any(len(rows) for _, rows in found)


def test_one_vessel_alone(tmp_path: Path) -> None:
    assert generate(tmp_path, vessels=1, hours=2) > 10


def test_a_fleet_has_someone_and_some_time(tmp_path: Path) -> None:
    for vessels, hours in ((0, 5.0), (5, 0.0)):
        with pytest.raises(HoldsforError, match="at least one vessel, some time"):
            generate(tmp_path, vessels=vessels, hours=hours)
