"""The contents of a report: results, run and data set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from holdsfor.diagnostics import HoldsforError
from holdsfor.viz.map_areas import LAND
from holdsfor_maritime.report.quality import SituationScore, read_truth, scores
from holdsfor_maritime.rules import SITUATIONS
from holdsfor_maritime.signals.cleaning import REASONS
from holdsfor_maritime.signals.derive import SCHEMAS

INTERVALS, RUN, REPORT, VESSELS, SIGNALS = "intervals", "run.json", "report.html", "vessels.parquet", "signals"
"""The names of the files of a run."""
TRACKS = "tracks"
"""The folder of plausible reports, among the signals."""

QUIET = frozenset({"anchoredOrMoored"})
"""Situations that are not notable: most vessels are in them most of the time."""


@dataclass(frozen=True)
class Count:
    """The number and duration of the intervals of a situation."""

    situation: str
    title: str
    meaning: str
    intervals: int
    vessels: int
    hours: float
    median_minutes: float


@dataclass(frozen=True)
class Busy:
    """A vessel and how many situations of each kind it was in."""

    vessel: int
    name: str
    type: str
    total: int
    kinds: Mapping[str, int]


@dataclass(frozen=True)
class Findings:
    """The result of a run: intervals as `rows.ROWS`, vessels as `vessel, name, type`, and the record of the run."""

    dataset: Path
    out: Path
    rows: pa.Table
    vessels: pa.Table
    run: Mapping[str, Any]
    truth: pa.Table | None

    def tracks(self, vessels: Sequence[int]) -> pa.Table:
        """The positions of vessels: `vessel, time, lon, lat`, in order of vessel and time."""
        wanted = pc.field("vessel").isin(pa.array(vessels, pa.int64()))
        found = pq.read_table(self.out / SIGNALS / TRACKS, filters=wanted)
        return found.sort_by([("vessel", "ascending"), ("time", "ascending")])

    @property
    def areas(self) -> dict[str, Any]:
        """The areas of the rules (`areas.geojson`) and land (`land.geojson`), if the files exist."""
        areas, land = (_features(self.dataset / f"{name}.geojson") for name in ("areas", "land"))
        for feature in land:
            feature["properties"] = {**(feature.get("properties") or {}), "kind": LAND}
        return {"type": "FeatureCollection", "features": [*land, *areas]}

    @property
    def reports(self) -> int:
        """The number of position reports."""
        return int(self.run["counts"]["read"])

    @property
    def dropped(self) -> dict[str, int]:
        """The number of reports that were set aside, by reason."""
        return {reason: int(self.run["counts"].get(reason, 0)) for reason in REASONS}

    @property
    def signals(self) -> dict[str, int]:
        """The number of events of each kind."""
        return {name: int(self.run["counts"].get(name, 0)) for name in (*SCHEMAS, "proximity")}

    @property
    def seconds(self) -> dict[str, float]:
        """The duration of each stage."""
        return dict(self.run["seconds"])

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last time of a report, in seconds since 1970."""
        first, last = self.run["span"]
        return int(first), int(last)

    @cached_property
    def known(self) -> pa.Table:
        """The intervals of reported situations; open ones end with the last report."""
        wanted = [one for one in SITUATIONS if one.name in self.found_names]
        keep = pc.is_in(_named(self.rows), pa.array([f"{one.name}={one.value}" for one in wanted], pa.string()))
        kept = self.rows.filter(keep)
        ends = kept["end"].fill_null(self.span[1])
        return kept.set_column(kept.schema.get_field_index("end"), "end", pc.max_element_wise(ends, kept["start"]))

    @cached_property
    def found_names(self) -> set[str]:
        """The names of all fluents that hold at least once."""
        return set(pc.unique(self.rows["situation"]).to_pylist())

    @cached_property
    def sides(self) -> pa.Table:
        """Situations by vessel: those of a pair twice, with the other vessel as `vessel2`."""
        table = self.known.select(["situation", "vessel", "vessel2", "start", "end"])
        pairs = table.filter(table["vessel2"].is_valid())
        turned = pairs.rename_columns(["situation", "vessel2", "vessel", "start", "end"])
        return pa.concat_tables([table, turned.select(table.column_names)])

    @cached_property
    def counts(self) -> list[Count]:
        """A row per situation, in the order of the rules."""
        found = []
        for one in SITUATIONS:
            rows = self.known.filter(pc.equal(self.known["situation"], one.name))
            seconds = (rows["end"].to_numpy() - rows["start"].to_numpy()).astype(np.float64)
            people = np.concatenate([rows["vessel"].to_numpy(), rows["vessel2"].drop_null().to_numpy()])
            median = float(np.median(seconds)) / 60 if len(seconds) else 0.0
            found.append(
                Count(one.name, one.title, one.meaning, len(rows), len(np.unique(people)), seconds.sum() / 3600, median)
            )
        return found

    @cached_property
    def _numbers(self) -> pa.Table:
        """The number of notable situations of each vessel: `vessel, situation, count_all`."""
        sides = self.sides.filter(pc.invert(pc.is_in(self.sides["situation"], pa.array(sorted(QUIET)))))
        return sides.group_by(["vessel", "situation"]).aggregate([([], "count_all")])

    def busiest(self, limit: int) -> list[Busy]:
        """The vessels with most notable situations."""
        totals = self._numbers.group_by("vessel").aggregate([("count_all", "sum")])
        order = totals.sort_by([("count_all_sum", "descending"), ("vessel", "ascending")])
        return self._busy(order["vessel"].to_pylist()[:limit])

    def varied(self, limit: int) -> list[Busy]:
        """Vessels with notable situations: for each situation the one with most of it, then the next ones."""
        order = [("situation", "ascending"), ("count_all", "descending"), ("vessel", "ascending")]
        numbers = self._numbers.sort_by(order)
        kinds = numbers["situation"].combine_chunks().dictionary_encode().indices.to_numpy()
        rank = np.arange(len(kinds)) - np.searchsorted(kinds, kinds)
        vessels = numbers["vessel"].to_numpy()[np.argsort(rank, kind="stable")]
        return self._busy(list(dict.fromkeys(vessels.tolist()))[:limit])

    def _busy(self, vessels: list[int]) -> list[Busy]:
        found: dict[int, dict[str, int]] = {vessel: {} for vessel in vessels}
        for row in self._numbers.filter(pc.is_in(self._numbers["vessel"], pa.array(vessels, pa.int64()))).to_pylist():
            found[row["vessel"]][row["situation"]] = row["count_all"]
        names = self.names(vessels)
        return [Busy(vessel, *names[vessel], sum(kinds.values()), kinds) for vessel, kinds in found.items()]

    def names(self, wanted: list[int]) -> dict[int, tuple[str, str]]:
        """Name and type of vessels."""
        table = self.vessels.filter(pc.is_in(self.vessels["vessel"], pa.array(wanted, pa.int64())))
        known = {row["vessel"]: (row["name"] or "", row["type"] or "other") for row in table.to_pylist()}
        return {vessel: known.get(vessel, ("", "other")) for vessel in wanted}

    @cached_property
    def scores(self) -> list[SituationScore]:
        """The agreement with the ground truth, if there is one."""
        if self.truth is None:
            return []
        return scores(self.truth, self.rows, {one.name: one.value for one in SITUATIONS}, self.span)


def _features(path: Path) -> list[dict[str, Any]]:
    """The features of a GeoJSON file; none if it does not exist."""
    if not path.exists():
        return []
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["features"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise HoldsforError(
            f"{path} is not a GeoJSON FeatureCollection: {type(problem).__name__} {problem}"
        ) from problem
    return list(found)


def _named(rows: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(rows["situation"], rows["value"], "=")


def load_findings(dataset: Path, out: Path) -> Findings:
    """The results of a run over a data set."""
    if not (out / RUN).exists():
        raise HoldsforError(f"there is no run in {out}: holdsfor maritime run {dataset} --out {out}")
    truth = dataset / "truth.csv"
    return Findings(
        dataset=dataset,
        out=out,
        rows=pq.read_table(out / INTERVALS),
        vessels=pq.read_table(out / VESSELS),
        run=json.loads((out / RUN).read_text(encoding="utf-8")),
        truth=read_truth(truth) if truth.exists() else None,
    )


def named_vessels(dataset: Path, types: pa.Table) -> pa.Table:
    """Vessels with their types and last names: `vessel, type, name`."""
    path = dataset / "nari_static.csv"
    if not path.exists():
        return types.append_column("name", pa.nulls(len(types), pa.string()))
    text = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(invalid_row_handler=lambda _row: "skip"),
        convert_options=csv.ConvertOptions(
            include_columns=["sourcemmsi", "shipname"],
            column_types={"sourcemmsi": pa.string(), "shipname": pa.string()},
        ),
    )
    named = text.filter(
        pc.and_(pc.match_substring_regex(text["sourcemmsi"], r"^\d{1,9}$"), pc.not_equal(text["shipname"], ""))
    )
    table = pa.table({"vessel": named["sourcemmsi"].cast(pa.int64()), "name": named["shipname"]})
    last = table.group_by("vessel", use_threads=False).aggregate([("name", "last")]).rename_columns(["vessel", "name"])
    return types.join(last, "vessel")
