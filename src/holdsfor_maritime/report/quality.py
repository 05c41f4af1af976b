"""The agreement of the situations that were found with the true ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from holdsfor.review.scoring import ScoringRules, agreement, score
from holdsfor.review.timeline_scale import TimeLine

Ints = npt.NDArray[np.int64]

TRUTH = pa.schema(
    [
        ("situation", pa.string()),
        ("vessel", pa.int64()),
        ("vessel2", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)
ENOUGH = 0.5
"""An interval counts as found if at least this part of it is in the other list."""


@dataclass(frozen=True)
class SituationScore:
    """The agreement of one situation with the truth, in intervals and in seconds."""

    situation: str
    happened: int
    found: int
    happened_agreed: int
    found_agreed: int
    happened_seconds: int
    found_seconds: int
    shared_seconds: int
    start_lag: float
    """Median of how much later it was found to begin than it began, in seconds; of those found at all."""
    end_lag: float
    missed: int
    """Intervals of which nothing was found."""
    missed_longest: int
    """The seconds of the longest one."""
    spurious: int
    """Found intervals in which nothing of the kind happened."""

    @property
    def recall(self) -> float:
        """The part of the intervals that happened of which at least half was found."""
        return _part(self.happened_agreed, self.happened)

    @property
    def precision(self) -> float:
        """The part of the intervals found of which at least half happened."""
        return _part(self.found_agreed, self.found)

    @property
    def time_recall(self) -> float:
        """The part of the time in which it happened that was found."""
        return _part(self.shared_seconds, self.happened_seconds)

    @property
    def time_precision(self) -> float:
        """The part of the time found in which it happened."""
        return _part(self.shared_seconds, self.found_seconds)


def read_truth(path: Path) -> pa.Table:
    """The file `truth.csv` of a generated data set."""
    options = csv.ConvertOptions(column_types=TRUTH, include_columns=TRUTH.names)
    return csv.read_csv(path, convert_options=options)


def scores(truth: pa.Table, rows: pa.Table, values: Mapping[str, str], span: tuple[int, int]) -> list[SituationScore]:
    """A score for every situation of the truth, within the time that is observed.

    `rows` are situations as they are stored; `values` says which value of a fluent is meant.
    """
    named = pc.unique(truth["situation"]).to_pylist()
    return [
        _score(
            name,
            truth.filter(pc.equal(truth["situation"], name)),
            rows.filter(pc.and_(pc.equal(rows["situation"], name), pc.equal(rows["value"], values.get(name, "true")))),
            span,
        )
        for name in sorted(named)
    ]


def _score(name: str, truth: pa.Table, rows: pa.Table, span: tuple[int, int]) -> SituationScore:
    keys = _keys(truth, rows)
    happened, found = (
        (of, table["start"].to_numpy(), table["end"].fill_null(span[1]).to_numpy())
        for table, of in ((truth, keys[: len(truth)]), (rows, keys[len(truth) :]))
    )
    agreed = agreement(happened, found, span, TimeLine(), ScoringRules(overlap=ENOUGH))
    counts = score(agreed)
    unseen = agreed.labelled.length[agreed.labelled.shared == 0]
    return SituationScore(
        situation=name,
        happened=counts.labelled,
        found=counts.found,
        happened_agreed=counts.labelled_agreed,
        found_agreed=counts.found_agreed,
        happened_seconds=counts.labelled_time,
        found_seconds=counts.found_time,
        shared_seconds=counts.labelled_shared,
        start_lag=float(np.median(agreed.start_lag)) if len(agreed.start_lag) else 0.0,
        end_lag=float(np.median(agreed.end_lag)) if len(agreed.end_lag) else 0.0,
        missed=len(unseen),
        missed_longest=int(unseen.max()) if len(unseen) else 0,
        spurious=int(np.count_nonzero(agreed.found.shared == 0)),
    )


def _keys(truth: pa.Table, rows: pa.Table) -> Ints:
    """A number for each vessel or pair of vessels, in any order."""
    first, second = (
        np.concatenate([table[name].fill_null(-1).to_numpy() for table in (truth, rows)])
        for name in ("vessel", "vessel2")
    )
    pairs = np.stack([np.minimum(first, second), np.maximum(first, second)], axis=1)
    _, numbers = np.unique(pairs, axis=0, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64)


def _part(some: int, of: int) -> float:
    """A part of a whole; of nothing, no number."""
    return some / of if of else math.nan
