"""The rules that a stream had before an edit, from which its checkpoint can continue with the new ones."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from holdsfor.columns.fingerprint import fingerprint
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.session.swapping import require_same_time
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.frames import Sources, Streams
from holdsfor.spark.streaming.rows import BACK, BACK_COPY, travelling_schema
from holdsfor.spark.streaming.swapping import RuleSwap
from holdsfor.spark.streaming.work import Work
from holdsfor.times import TimeScale


@dataclass(frozen=True)
class EarlierRules:
    """The earlier rules of a stream, and their work."""

    work: Work
    history: Streams | None = None
    """All rows from the beginning, as DataFrames of the same columns as the streams: a backfill."""

    @classmethod
    def of(
        cls,
        plan: Plan,
        now: Plan,
        events: Streams,
        sources: Sources,
        windows: Windows,
        scale: TimeScale | None,
        history: Streams | None = None,
    ) -> EarlierRules:
        """The earlier rules, for the streams of the new ones."""
        require_same_time(plan, now)
        with warnings.catch_warnings():
            # They have been said about this stream before.
            warnings.simplefilter("ignore")
            return cls(Work.of(plan, sources.together(events), sources, windows, 1, None, scale), history)

    @property
    def rules(self) -> str:
        """The fingerprint of the rules."""
        return fingerprint(self.work.plan)

    def swap(
        self, before: Commit, now: Work, settings: Mapping[str, Any], *, with_rows: bool = True
    ) -> RuleSwap | None:
        """The swap of the rules of a commit, with the rows of a backfill; None if it has other rules, such as the new
        ones.
        """
        reported = before.settings.get("fluents")
        job = self.work.for_buckets(before.settings.get("buckets", 1), derived_events=False).job
        job = replace(job, fluents=None if reported is None else frozenset(reported))
        swap = RuleSwap(job, now.job, self.rules, now.windows, now.sources.retracted is not None)
        if not swap.is_due(before, settings["rules"]):
            return None
        swap.require_possible(before)
        _require_same_reports(self.work.plan, now.plan, reported, settings["fluents"])
        if settings.get("derived events") and now.windows.step == 1:
            raise HoldsforError(
                "a stream with query times at every time-point that reports derived events (events, --derived-events) cannot "
                "change its rules: begin with a new checkpoint, and the old input as history"
            )
        if self.history is None:
            return swap
        schema = travelling_schema(now.job.wire)
        return replace(swap, history=_fetched(now, self.history) if with_rows else schema.empty_table())


def _fetched(work: Work, history: Streams) -> pa.Table:
    """The valid rows of a history, once for each stage."""
    work = work.for_buckets(1, derived_events=False)
    frame = work.sources.together(history)
    found = reduce(DataFrame.unionAll, [one.travelling(one.sorted_out(frame)) for one in work.sortings]).toArrow()
    if pc.any(pc.is_in(found["retracted"], pa.array([BACK, BACK_COPY], pa.int8()))).as_py():
        raise HoldsforError(
            "the history of a swap (swap_history) has retractions: leave them out, with what they retract"
        )
    return found.cast(travelling_schema(work.job.wire))


def _require_same_reports(earlier: Plan, now: Plan, before: Sequence[str] | None, after: Sequence[str] | None) -> None:
    """Reports a fluent of both programs that only one of them reports."""
    fluents = [{one.name for one in plan.outputs if one.kind is EntityKind.FLUENT} for plan in (earlier, now)]
    both = fluents[0] & fluents[1]
    reported = [both if names is None else both & set(names) for names in (before, after)]
    for name in sorted(reported[0] ^ reported[1]):
        was = "reported" if name in reported[0] else "not reported"
        raise HoldsforError(
            f"{name} was {was} so far, and a swap of rules does not change which fluents are reported: report the same, "
            "or begin with a new checkpoint"
        )
