"""`diff`: the effect of an edit of rules on their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from holdsfor.compiler.analysis.definitions import Definitions, Node, definitions, metric_definitions
from holdsfor.compiler.analysis.reach import Reach, reach
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.limits import DEPTH
from holdsfor.loading import Background, Reasoner
from holdsfor.metric import MetricReasoner
from holdsfor.metric.result import MetricResult
from holdsfor.recognition import EventsInput, MappingInput
from holdsfor.result import Result
from holdsfor.review.comparing import CHANGES, Difference, DifferenceKind, Differences
from holdsfor.review.history import History, Subject, changed_histories, histories, together
from holdsfor.review.programs import AnyReasoner, RulesInput, opened
from holdsfor.review.reasons import ClauseReason, Reason, causes, edited_places
from holdsfor.review.running import EventInput, Runs
from holdsfor.review.saving import save_form
from holdsfor.review.timeline_scale import FAR, TimeLine
from holdsfor.times import DurationInput, TimeInput

SCHEMA = "holdsfor.diff/1"
"""The name of the JSON format; fields may be added, never removed or changed."""
OLD, NEW = "old", "new"


@dataclass(frozen=True)
class DifferenceCounts:
    """Differences of a fluent with a value, of a derived event, or of an entity: how many of each kind, and how much time."""

    name: str
    value: str
    counts: dict[DifferenceKind, int]
    gained: int
    lost: int

    @property
    def differences(self) -> int:
        """The number of differences."""
        return sum(self.counts.values())


class Diff(Sequence[Difference]):
    """The differences between the results of two programs over the same events, the largest first."""

    def __init__(
        self,
        sides: tuple[AnyReasoner, AnyReasoner],
        found: tuple[Definitions, Definitions],
        reached: Reach,
        results: tuple[Result | MetricResult, Result | MetricResult] | None,
        wanted: Collection[Node],
    ) -> None:
        self.sides, self._definitions, self.reach, self._results = sides, found, reached, results
        self._wanted = wanted
        self.seconds: dict[str, float] = {}
        """The time for reading, evaluating and comparing."""
        if results is None:
            empty = np.zeros(0, np.int64)
            old = new = History([], empty, empty, empty)
            line = TimeLine(sides[1].time_scale)
        elif _share_words(results):
            line = TimeLine(results[0].time_scale)
            old, new = changed_histories(results[0], results[1], wanted)  # type: ignore[arg-type]
        else:
            (old, new), line = histories(results, wanted)
        self.line = line
        self.differences = Differences(old, new, line, _observed(results, old, new))

    def __len__(self) -> int:
        return len(self.differences)

    def __getitem__(self, place: int | slice) -> Any:
        return self.differences[place]

    def __bool__(self) -> bool:
        return len(self) > 0

    @cached_property
    def _histories(self) -> tuple[History, History]:
        """All that was found, on both sides."""
        assert self._results is not None
        (old, new), _ = histories(self._results, self._wanted)
        return old, new

    # The reach of the edit

    @property
    def changed(self) -> list[str]:
        """The fluents, events and predicates whose clauses differ."""
        return sorted({str(node) for node in self.reach.changed if node.name} | self._everything)

    @property
    def _everything(self) -> set[str]:
        return {"directives" for node in self.reach.changed if not node.name}

    @property
    def reached(self) -> list[str]:
        """The fluents and events whose answers can differ; they were evaluated."""
        return sorted(map(str, self._wanted))

    @property
    def not_affected(self) -> list[str]:
        """The fluents and events that the edit does not reach."""
        return sorted(map(str, self.reach.untouched))

    # Totals

    @cached_property
    def by_fluent(self) -> list[DifferenceCounts]:
        """Totals by fluent and value, or derived event."""
        return self._totals(lambda at: (self.differences.subjects[at].name, self.differences.subjects[at].value))

    @cached_property
    def by_entity(self) -> list[DifferenceCounts]:
        """Totals by entity, those with most difference first."""
        subjects = self.differences.subjects
        found = self._totals(lambda at: (subjects[at].shown_entity, ""))
        return sorted(found, key=lambda total: (-(total.gained + total.lost), -total.differences, total.name))

    def _totals(self, key: Callable[[int], tuple[str, str]]) -> list[DifferenceCounts]:
        found = self.differences
        groups: dict[tuple[str, str], int] = {}
        group_of = np.array([groups.setdefault(key(at), len(groups)) for at in range(len(found.subjects))], np.int64)
        of = group_of[found.key] if len(found) else np.zeros(0, np.int64)
        gained, lost = (np.bincount(of, column, minlength=len(groups)) for column in (found.gained, found.lost))
        counts = np.zeros((len(groups), len(CHANGES)), np.int64)
        np.add.at(counts, (of, found.change), 1)
        made = [
            DifferenceCounts(
                *name, dict(zip(CHANGES, counts[at].tolist(), strict=True)), int(gained[at]), int(lost[at])
            )
            for name, at in groups.items()
        ]
        return sorted((one for one in made if one.differences), key=lambda one: (one.name, one.value))

    # Reasons

    def why(self, number: int, *, depth: int | None = DEPTH) -> Reason:
        """Explain a difference by its number, from 1: why it holds in one program and not in the other."""
        if not 1 <= number <= len(self):
            raise HoldsforError(f"there is no difference {number}; there are {len(self)}")
        assert self._results is not None
        one: Difference = self.differences[number - 1]  # type: ignore[assignment]
        span = max(one.gained_spans or one.lost_spans, key=lambda span: min(span[1], FAR) - max(span[0], -FAR))
        at = self.line.inside(*span)
        holder, other = (1, 0) if one.gained_spans else (0, 1)
        time: Any = self.line.time(at)
        why = self._results[holder].why(str(one.subject), time, depth=depth)
        is_known = self._speaks_of(other, one.subject)
        why_not = self._results[other].why_not(str(one.subject), time, depth=depth) if is_known else None
        names = (OLD, NEW)
        places = dict(zip(names, edited_places(*self._definitions), strict=True))
        trees = {names[holder]: why.as_json()["root"]}
        if why_not is not None:
            trees[names[other]] = why_not.as_json()["root"]
        made = list(causes(trees, places))
        if why_not is None:
            made.append(ClauseReason(names[other], "", 0, "", f"no rule defines {one.subject.name}"))
        return Reason(self.line.time_text(at), names[holder], why, why_not, tuple(made))

    def _speaks_of(self, side: int, subject: Subject) -> bool:
        """Whether a program defines this name, so that it can explain it."""
        assert self._results is not None
        result = self._results[side]
        if isinstance(result, MetricResult):
            return subject.name in result.predicates
        return subject.name in (result.events if subject.is_event else result.fluents)

    # Forms

    def as_json(self, why: Collection[int] = ()) -> dict[str, Any]:
        """All differences as plain data, with the reasons of some, by their numbers."""
        from holdsfor.review.diff_data import diff_data

        return diff_data(self, why)

    def json(self, why: Collection[int] = ()) -> str:
        """The same as JSON text."""
        return json.dumps(self.as_json(why), indent=2, ensure_ascii=False)

    def text(self, limit: int = 20, why: Collection[int] = ()) -> str:
        """Totals and the largest differences, for a terminal; with the reasons of some."""
        from holdsfor.review.diff_text import diff_text

        return diff_text(self, limit, why)

    def markdown(self, limit: int = 20, why: Collection[int] = (), title: str = "What the rules would change") -> str:
        """The same for a comment on a pull request."""
        from holdsfor.review.diff_markdown import diff_markdown

        return diff_markdown(self, limit, why, title)

    def html(self, limit: int = 100, why: Collection[int] | None = None) -> str:
        """A self-contained page with a timeline that shows both; by default the five largest differences have reasons."""
        from holdsfor.review.diff_page import diff_page

        return diff_page(self, limit, range(1, min(5, len(self)) + 1) if why is None else why)

    def timeline(self, limit: int = 20) -> Any:
        """A timeline of what differs most, before and after, to be shown or saved."""
        from holdsfor.review.pictures import diff_timeline

        return diff_timeline(self, limit)

    def intervals_of(self, one: Difference) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """All intervals of the subject of a difference, before and after."""
        subjects, old, new = together(*self._histories)
        number = subjects.index(one.subject)
        return tuple(  # type: ignore[return-value]
            sorted(zip(part.start[rows].tolist(), part.end[rows].tolist(), strict=True))
            for part in (old, new)
            for rows in [np.flatnonzero(part.key == number)]
        )

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending determines the form: `.html`, `.json`, `.md`, `.txt`, or a timeline as `.svg`."""
        forms: dict[str, Callable[[], str]] = {
            ".html": self.html,
            ".json": self.json,
            ".md": self.markdown,
            ".txt": self.text,
            ".svg": lambda: self.timeline().svg(),
        }
        return save_form("diff", path, forms)

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        from holdsfor.review.diff_page import diff_fragment

        return diff_fragment(self, 20, ())


def _share_words(results: tuple[Result | MetricResult, Result | MetricResult]) -> bool:
    old, new = results
    if not isinstance(old, Result) or not isinstance(new, Result):
        return False
    return old.texts.dictionary is new.texts.dictionary


def _observed(
    results: tuple[Result | MetricResult, Result | MetricResult] | None, old: History, new: History
) -> tuple[int, int]:
    """The time in which intervals without an end are measured: up to the last query time, or the last time there is."""
    times = np.concatenate([part for one in (old, new) for part in (one.start, one.end)])
    near = times[np.abs(times) < FAR]
    low, high = (int(near.min()), int(near.max())) if len(near) else (0, 0)
    queries = [one.query_times[-1] + 1 for one in results or () if isinstance(one, Result) and one.query_times]
    return low, max([low, *queries] if queries else [high])


def diff(
    old: RulesInput,
    new: RulesInput,
    events: EventsInput,
    *,
    fluents: str | Collection[str] | None = None,
    background: Background | None = None,
    mapping: MappingInput = None,
    unit: str | None = None,
    window: DurationInput | None = None,
    step: DurationInput | None = None,
    start: TimeInput | None = None,
    end: TimeInput | None = None,
    clock_tick: DurationInput | None = None,
    threads: int | None = None,
) -> Diff:
    """The differences between the results of two programs over the same events.

    `old` and `new` are loaded programs, files, folders of rule files, `REVISION:PATH` for git, or lists of these. Only
    the events and fluents that the edit affects are evaluated, and their dependencies. With windows, each time-point counts
    as of the last query time whose window contains it. `fluents` are the names to compare; all other arguments are as
    in `recognise`.

    >>> from holdsfor import loads
    >>> rules = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T)."
    >>> rest = "terminatedAt(open(D)=true, T) :- happensAt(lock(D), T)."
    >>> found = diff(loads(rules), loads(rules + rest), {"unlock": [(3, "front")], "lock": [(8, "front")]})
    >>> found[0].change, found[0].old, found[0].lost_spans == ((9, 2**62),)
    (<DifferenceKind.SHRINKS: 'shrinks'>, ((4, 4611686018427387904),), True)
    """
    runs = Runs(EventInput(events, mapping, unit, window, step, start, end, clock_tick, threads))
    names = {fluents} if isinstance(fluents, str) else None if fluents is None else set(fluents)
    return compared((opened(old, background), opened(new, background)), runs, names)


def compared(sides: tuple[AnyReasoner, AnyReasoner], runs: Runs, names: Collection[str] | None = None) -> Diff:
    """The differences between the results of two programs over the same input."""
    if isinstance(sides[0], MetricReasoner) != isinstance(sides[1], MetricReasoner):
        raise HoldsforError("one of the programs is metric alone, the other one is not: their times cannot be compared")
    found = defined(sides[0]), defined(sides[1])
    everywhere = reach(*found)
    _require_known(names, everywhere)
    wanted = {node for node in everywhere.reached if names is None or node.name in names}
    if not wanted:
        return Diff(sides, found, everywhere, None, wanted)
    runs.share(sides)
    begin = perf_counter()
    if isinstance(sides[0], Reasoner):
        runs.reading(sides[0])
    read = perf_counter()
    results = runs.result(sides[0], found[0], wanted), runs.result(sides[1], found[1], wanted)
    evaluated = perf_counter()
    made = Diff(sides, found, everywhere, results, wanted)
    made.seconds = {
        "reading": read - begin,
        "evaluating": evaluated - read,
        "comparing": perf_counter() - evaluated,
    }
    return made


def defined(reasoner: AnyReasoner) -> Definitions:
    """The clauses that define each event and fluent of a program."""
    if isinstance(reasoner, MetricReasoner):
        return metric_definitions(reasoner.program)
    return definitions(reasoner.analysis.resolved)


def _require_known(names: Collection[str] | None, found: Reach) -> None:
    known = {node.name for node in found.reached | found.untouched}
    for name in names or ():
        if name not in known:
            close = suggest(name, known)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(sorted(known)) or 'none'}"
            raise HoldsforError(f"no rule defines {name}; {hint}")
