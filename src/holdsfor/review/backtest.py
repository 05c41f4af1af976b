"""`backtest`: the results of rules, compared with labels."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.compiler.analysis.definitions import EVENT, Node
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.limits import DEPTH
from holdsfor.loading import Background
from holdsfor.metric import MetricReasoner
from holdsfor.metric.result import MetricResult
from holdsfor.recognition import EventsInput, MappingInput
from holdsfor.result import Result
from holdsfor.review.diff import defined
from holdsfor.review.history import History, Subject, history_of, metric_history_of, metric_scale
from holdsfor.review.labels import LabelledInterval, LabelsInput, label_history, label_scale, read_labels
from holdsfor.review.programs import RulesInput, opened
from holdsfor.review.running import EventInput, Runs
from holdsfor.review.saving import save_form
from holdsfor.review.scoring import Agreement, Episodes, Score, ScoringRules, agreement, score
from holdsfor.review.timeline_scale import FAR, TimeLine
from holdsfor.times import DurationInput, TimeInput, duration

SCHEMA = "holdsfor.backtest/1"
"""The name of the JSON format; fields may be added, never removed or changed."""


@dataclass(frozen=True)
class Mistake:
    """A found episode that does not agree with the labels (a false alarm), or a labelled one that was missed."""

    kind: str
    number: int
    """Its place among those of its kind, the worst first, from 1."""
    subject: Subject
    start: int
    end: int
    wrong: int
    """Ticks of it that the other side does not have."""


@dataclass(frozen=True)
class ScoreRow:
    """The score of one fluent, or of one entity, with the median lags of what was detected."""

    name: str
    score: Score
    start_lag: float
    end_lag: float


class Backtest:
    """The agreement of rules with labels: scores by fluent and entity, false alarms and misses, the worst first."""

    def __init__(
        self,
        result: Result | MetricResult,
        sides: tuple[History, History],
        line: TimeLine,
        span: tuple[int, int],
        rules: ScoringRules,
        *,
        points: frozenset[str],
        any_order: bool,
        notes: list[str],
    ) -> None:
        self._result, self._sides, self.line, self.span = result, sides, line, span
        self.rules, self._points, self.notes, self._any_order = rules, points, notes, any_order
        self.subjects, labels, found = _matched(*sides, any_order=any_order)
        self.agreement: Agreement = agreement(labels, found, span, line, rules)

    # Scores

    @cached_property
    def score(self) -> Score:
        """The score of everything together; by time only of what is labelled with intervals."""
        return score(self.agreement, points=bool(self._points))

    @cached_property
    def by_fluent(self) -> list[ScoreRow]:
        """Scores by fluent and value, or derived event."""
        return self._rows([f"{one.name}={one.value}" if one.value else one.name for one in self.subjects])

    @cached_property
    def by_entity(self) -> list[ScoreRow]:
        """Scores by entity, the worst first."""
        found = self._rows([one.shown_entity for one in self.subjects])
        return sorted(found, key=lambda row: (_wrong(row.score), row.name), reverse=True)

    def _rows(self, names: list[str]) -> list[ScoreRow]:
        groups: dict[str, int] = {}
        group = np.array([groups.setdefault(name, len(groups)) for name in names], np.int64)
        first = {name: next(at for at, other in enumerate(names) if other == name) for name in groups}
        lagging = self.agreement.labelled.key[self.agreement.lagging]
        made = []
        for name, number in groups.items():
            keys = group == number
            of = keys[lagging] if len(lagging) else np.zeros(0, np.bool_)
            points = self.subjects[first[name]].name in self._points
            made.append(
                ScoreRow(
                    name,
                    score(self.agreement, keys, points=points),
                    _median(self.agreement.start_lag[of]),
                    _median(self.agreement.end_lag[of]),
                )
            )
        return made

    @property
    def lags(self) -> tuple[float, float]:
        """The median of how much later what was detected begins, and ends, in ticks."""
        return _median(self.agreement.start_lag), _median(self.agreement.end_lag)

    # Mistakes

    @cached_property
    def false_alarms(self) -> list[Mistake]:
        """Found episodes that do not agree with the labels, those with most time that is wrong first."""
        return self._mistakes("false alarm", self.agreement.found)

    @cached_property
    def misses(self) -> list[Mistake]:
        """Labelled episodes that were not detected, the longest first."""
        return self._mistakes("miss", self.agreement.labelled)

    def _mistakes(self, kind: str, episodes: Episodes) -> list[Mistake]:
        rows = np.flatnonzero(~episodes.agrees)
        wrong = (episodes.length - episodes.shared)[rows]
        rows = rows[np.lexsort((episodes.start[rows], episodes.key[rows], -wrong))]
        return [
            Mistake(
                kind,
                place,
                self.subjects[int(episodes.key[row])],
                int(episodes.start[row]),
                int(episodes.end[row]),
                int(episodes.length[row] - episodes.shared[row]),
            )
            for place, row in enumerate(rows.tolist(), 1)
        ]

    def why(self, mistake: Mistake, *, depth: int | None = DEPTH) -> Explanation:
        """Why a false alarm was found, or why a miss was not, at the first time-point that is wrong."""
        at = self._first_wrong(mistake)
        question, time = str(self._subject_of_rules(mistake.subject)), self.line.time(at)
        if mistake.kind == "miss":
            return self._result.why_not(question, time, depth=depth)  # type: ignore[arg-type]
        return self._result.why(question, time, depth=depth)  # type: ignore[arg-type]

    def _subject_of_rules(self, subject: Subject) -> Subject:
        """The subject as the rules have it: labels may name the entities in another order."""
        return next((self._sides[1].subjects[at] for at in self._numbers(self._sides[1], subject)), subject)

    def _numbers(self, side: History, subject: Subject) -> list[int]:
        key = key_of(subject, any_order=self._any_order)
        return [at for at, one in enumerate(side.subjects) if key_of(one, any_order=self._any_order) == key]

    def _spans(self, side: History, subject: Subject) -> list[tuple[int, int]]:
        rows = np.flatnonzero(np.isin(side.key, self._numbers(side, subject)))
        return sorted(zip(side.start[rows].tolist(), side.end[rows].tolist(), strict=True))

    def _first_wrong(self, mistake: Mistake) -> int:
        """The first time-point of a mistake that the other side does not have."""
        at = mistake.start
        for start, end in self._spans(self._sides[0 if mistake.kind == "false alarm" else 1], mistake.subject):
            if start <= at < end:
                at = end
        return at if at < mistake.end else mistake.start

    # Forms

    def as_json(self, why: int = 0) -> dict[str, Any]:
        """The backtest as plain data; a given number of the worst mistakes of each kind have reasons."""
        from holdsfor.review.backtest_forms import backtest_data

        return backtest_data(self, why)

    def json(self, why: int = 0) -> str:
        """The same as JSON text."""
        return json.dumps(self.as_json(why), indent=2, ensure_ascii=False)

    def text(self, limit: int = 10, why: int = 0) -> str:
        """Scores and the worst mistakes, for a terminal."""
        from holdsfor.review.backtest_forms import backtest_text

        return backtest_text(self, limit, why)

    def markdown(self, limit: int = 10, why: int = 0) -> str:
        """The same as Markdown."""
        from holdsfor.review.backtest_forms import backtest_markdown

        return backtest_markdown(self, limit, why)

    def to_arrow(self) -> pa.Table:
        """Scores as a table: a row for all, for each fluent and each entity."""
        from holdsfor.review.backtest_forms import backtest_table

        return backtest_table(self)

    def csv(self) -> str:
        """The same as CSV."""
        from pyarrow import csv

        sink = pa.BufferOutputStream()
        csv.write_csv(self.to_arrow(), sink, csv.WriteOptions(quoting_style="needed"))
        return str(sink.getvalue().to_pybytes().decode())

    def html(self, limit: int = 50, why: int = 3) -> str:
        """A self-contained page."""
        from holdsfor.review.backtest_page import backtest_page

        return backtest_page(self, limit, why)

    def timeline(self, limit: int = 20) -> Any:
        """A timeline of labels and what was found, of the entities with the worst mistakes."""
        from holdsfor.review.pictures import two_sided

        groups: dict[str, Any] = {}
        for mistake in sorted([*self.false_alarms, *self.misses], key=lambda one: -one.wrong):
            if len(groups) == limit:
                break
            groups.setdefault(str(mistake.subject), tuple(self._spans(side, mistake.subject) for side in self._sides))
        kinds = ("both", "labels", "found")
        return two_sided(groups, self.line, title="Labels and what was found", names=("labels", "found"), kinds=kinds)

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending determines the form: `.html`, `.json`, `.md`, `.csv`, `.txt`."""
        forms: dict[str, Callable[[], str]] = {
            ".html": self.html,
            ".json": self.json,
            ".md": self.markdown,
            ".csv": self.csv,
            ".txt": self.text,
        }
        return save_form("backtest", path, forms)

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        from holdsfor.review.backtest_page import backtest_fragment

        return backtest_fragment(self, 20, 0)


def _wrong(found: Score) -> tuple[int, int]:
    time = found.labelled_time - found.labelled_shared + found.found_time - found.found_shared
    return found.labelled - found.labelled_agreed + found.found - found.found_agreed, time


def _median(lags: Ints) -> float:
    return float(np.median(lags)) if len(lags) else math.nan


def key_of(subject: Subject, *, any_order: bool) -> tuple[Any, ...]:
    """The key by which two subjects are the same."""
    if not any_order:
        return subject.term, subject.value
    return subject.name, tuple(sorted(subject.entity)), subject.value


def _matched(
    labels: History, found: History, *, any_order: bool
) -> tuple[list[Subject], tuple[Ints, Ints, Ints], tuple[Ints, Ints, Ints]]:
    """Both sides with the same numbers for the same subjects."""
    numbers: dict[tuple[Any, ...], int] = {}
    subjects: list[Subject] = []
    sides = []
    for side in (labels, found):
        place = np.zeros(len(side.subjects), np.int64)
        for at, subject in enumerate(side.subjects):
            key = key_of(subject, any_order=any_order)
            if key not in numbers:
                numbers[key] = len(subjects)
                subjects.append(subject)
            place[at] = numbers[key]
        sides.append((place[side.key] if len(side) else side.key, side.start, side.end))
    return subjects, sides[0], sides[1]


def backtest(
    rules: RulesInput,
    events: EventsInput,
    labels: LabelsInput,
    *,
    tolerance: DurationInput = 0,
    overlap: float = 0.0,
    any_order: bool = False,
    background: Background | None = None,
    mapping: MappingInput = None,
    unit: str | None = None,
    window: DurationInput | None = None,
    step: DurationInput | None = None,
    start: TimeInput | None = None,
    end: TimeInput | None = None,
    clock_tick: DurationInput | None = None,
    threads: int | None = None,
) -> Backtest:
    """Compare the results of rules with labels.

    `labels` are a file (CSV, Parquet, JSON lines) or a table with a column `fluent` and `start` and `end`, or `time` for
    points, as `run` writes them; or rows `("gap(v1)=true", start, end)`. Fluents with labels are scored, within the
    time of the events. Intervals of the other side are extended by `tolerance` before the comparison. An episode agrees
    if it shares a time-point, and at least the fraction `overlap` of its own. With `any_order`, `near(a,b)` and
    `near(b,a)` are the same. All other arguments are as in `recognise`.

    >>> from holdsfor import loads
    >>> rules = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T). initiatedAt(open(D)=false, T) :- happensAt(lock(D), T)."
    >>> found = backtest(loads(rules), {"unlock": [(3, "a")], "lock": [(8, "a")]}, [("open(a)=true", 4, 7)])
    >>> found.score.recall, found.score.time_precision
    (1.0, 0.6)
    """
    reasoner = opened(rules, background)
    runs = Runs(EventInput(events, mapping, unit, window, step, start, end, clock_tick, threads))
    is_metric = isinstance(reasoner, MetricReasoner)
    listed = read_labels(labels, metric=is_metric)
    if not listed:
        raise HoldsforError("there are no labels; each needs a fluent, a start and an end")
    if not 0 <= overlap <= 1:
        raise HoldsforError(f"overlap is a part between 0 and 1, not {overlap}")
    wanted = wanted_nodes(listed, defined(reasoner).outputs)
    result = runs.result(reasoner, defined(reasoner), wanted)
    names = {node.name for node in wanted if node.kind == EVENT}
    line = labelled_line(result, listed)
    found = history_of(result, wanted) if isinstance(result, Result) else metric_history_of(result, line.scale, wanted)
    known, points = label_history(listed, line, frozenset(names))
    found = with_labelled_values(found, known)
    span = observed(result, runs, found)
    counted = ScoringRules(tolerance_in(tolerance, line), overlap)
    notes = _outside(known, span)
    return Backtest(result, (known, found), line, span, counted, points=points, any_order=any_order, notes=notes)


def wanted_nodes(labels: list[LabelledInterval], outputs: Collection[Node]) -> set[Node]:
    """The fluents and events that labels are about; a name that no rule defines is an error."""
    names = {label.subject.name for label in labels}
    for name in sorted(names):
        if not any(node.name == name for node in outputs):
            close = suggest(name, {node.name for node in outputs})
            hint = f"did you mean {close}?" if close else f"there are {', '.join(sorted({n.name for n in outputs}))}"
            raise HoldsforError(f"labels name {name}, which no rule defines; {hint}")
    return {node for node in outputs if node.name in names}


def labelled_line(result: Result | MetricResult, labels: list[LabelledInterval]) -> TimeLine:
    """The time-line of a result and labels."""
    if isinstance(result, Result):
        return TimeLine(result.time_scale)
    ticks = math.lcm(metric_scale([result]), label_scale(labels, result.time_scale))
    return TimeLine(result.time_scale, ticks)


def tolerance_in(given: DurationInput, line: TimeLine) -> int:
    """A tolerance as a number of the time-line."""
    unit = None if line.time_scale is None else line.time_scale.unit
    found = duration(given, unit, "tolerance")
    if found < 0:
        raise HoldsforError(f"the tolerance must not be negative, and it is {given}")
    return found * 2 * line.scale if line.is_metric else found


def with_labelled_values(found: History, labels: History) -> History:
    """Of a fluent with several values, only those are scored that have labels."""
    return found.take(labelled_rows(found, labels))


def labelled_rows(found: History, labels: History) -> Ints:
    """The intervals of fluents and values that have labels."""
    values = {(one.name, one.value) for one in labels.subjects}
    keep = np.array([(one.name, one.value) in values for one in found.subjects], np.bool_)
    return np.flatnonzero(keep[found.key]) if len(found) else EMPTY


def observed(result: Result | MetricResult, runs: Runs, found: History) -> tuple[int, int]:
    """The time that is scored: from the first to the last time-point of the input, or of what was found."""
    if isinstance(result, Result):
        low, high = runs.moments()
        return low, max(high, *(query for query in result.query_times[-1:])) + 1
    times = np.concatenate((found.start, found.end))
    near = times[np.abs(times) < FAR]
    return (int(near.min()), int(near.max()) + 1) if len(near) else (0, 1)


def _outside(labels: History, span: tuple[int, int]) -> list[str]:
    low, high = span
    outside = int(np.count_nonzero((labels.end <= low) | (labels.start >= high)))
    return [f"{outside} of {len(labels)} labels lie outside of the time that the events cover"] if outside else []
