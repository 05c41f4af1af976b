"""The settings that `tune` tries, and their agreement with labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.compiler.analysis.definitions import EVENT, FLUENT, Node, defined_nodes, definitions, read_nodes
from holdsfor.compiler.analysis.reach import needed, part_of
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.preprocessing_rules import has_preprocessing
from holdsfor.ir import Program, Rule
from holdsfor.loading import Reasoner, from_program
from holdsfor.metric import MetricReasoner
from holdsfor.metric.reasoner import from_metric_program
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result
from holdsfor.review.backtest import (
    key_of,
    labelled_line,
    labelled_rows,
    observed,
    tolerance_in,
    wanted_nodes,
    with_labelled_values,
)
from holdsfor.review.breakpoints import (
    Breakpoint,
    ConstantRange,
    LengthTest,
    Uses,
    constant_ranges,
    filtered_list,
    length_cuts,
    length_probe,
    lengths_found,
    numbers_of,
    row_cuts,
    thinned,
    uses_of,
    whole_numbers,
)
from holdsfor.review.diff import defined
from holdsfor.review.history import History, history_of, metric_history_of, only_one_has
from holdsfor.review.incremental_scores import IncrementalScores, IntervalEdits
from holdsfor.review.labels import LabelledInterval, label_history
from holdsfor.review.programs import AnyReasoner
from holdsfor.review.reached import split
from holdsfor.review.running import Runs
from holdsfor.review.scoring import Score, ScoringRules
from holdsfor.review.setting_runs import SettingRuns
from holdsfor.review.timeline_scale import TimeLine
from holdsfor.review.varying import Parameter
from holdsfor.session.swap_plan import node_of
from holdsfor.times import DurationInput


class Trials:
    """The state of a tuning."""

    def __init__(
        self,
        reasoner: AnyReasoner,
        program: Any,
        runs: Runs,
        labels: list[LabelledInterval],
        parameters: Sequence[Parameter],
        most: int,
        *,
        any_order: bool,
    ) -> None:
        self.program, self.runs, self.labels, self.parameters = program, runs, labels, parameters
        self.most, self.any_order = most, any_order
        self.definitions = defined(reasoner)
        self.wanted = wanted_nodes(labels, self.definitions.outputs)
        self.notes: list[str] = []
        self.reasoner = reasoner
        self.is_metric = isinstance(reasoner, MetricReasoner)
        self.uses: list[Uses] = []
        if isinstance(reasoner, Reasoner):
            runs.reading(reasoner)
            self.uses = [uses_of(one, program, reasoner) for one in parameters]

    # Settings

    def constant_ranges(self) -> list[list[ConstantRange]]:
        """The values of each constant that are tried."""
        found = [self._choices(place) for place in range(len(self.parameters))]
        total = math.prod(map(len, found))
        if total <= self.most:
            return found
        each = max(2, int(self.most ** (1 / len(found))))
        fewer = [thinned(one, each) for one in found]
        # Settings that one constant does not need are left to the others.
        for place, one in enumerate(found):
            others = math.prod(len(other) for at, other in enumerate(fewer) if at != place)
            fewer[place] = thinned(one, max(2, self.most // others))
        self.notes.append(
            f"{total:,} settings have answers of their own; {math.prod(map(len, fewer)):,} of them are tried"
        )
        return fewer

    def _choices(self, place: int) -> list[ConstantRange]:
        parameter = self.parameters[place]
        unknown = self._unknown(place)
        if unknown:
            found = whole_numbers(parameter.low, parameter.high)
            self.notes.append(f"{parameter.name}: {len(found):,} numbers are tried, as {unknown}")
            return found
        return constant_ranges(parameter.low, parameter.high, self._cuts(place))

    def _unknown(self, place: int) -> str:
        """The reason why the breakpoints of the answer are unknown; empty if they are known."""
        if self.is_metric:
            return "breakpoints of metric rules are not looked for"
        uses = self.uses[place]
        if uses.unknown or not uses.lengths:
            return uses.unknown
        readers: set[Node] = set()
        for other in self.uses:
            rules: list[Rule] = [*(test.rule for test in other.rows), *(test.rule for test in other.lengths)]
            readers.update(node for rule in rules for node in defined_nodes(rule))
        if any(other.unknown for other in self.uses):
            return "the lengths of intervals may depend on another constant"
        for filtered in uses.lengths:
            given = filtered_list(filtered.rule, filtered.algebra).body
            is_second = any(test.algebra in given for other in self.uses for test in other.lengths)
            if is_second or needed(self.definitions, read_nodes(given)) & readers:
                return "the lengths of intervals depend on another constant"
        return ""

    def _cuts(self, place: int) -> Iterator[Breakpoint]:
        assert isinstance(self.reasoner, Reasoner)
        reading = self.runs.reading(self.reasoner)
        parameter, uses = self.parameters[place], self.uses[place]
        low, high = float(parameter.low), float(parameter.high)
        for test in uses.rows:
            numbers = np.unique(numbers_of(reading, test.symbol, test.argument))
            inside = numbers[(numbers >= low) & (numbers <= high)]
            yield from row_cuts(test, (int(one) if one == int(one) else one for one in inside.tolist()))
        for filtered in uses.lengths:
            lengths = np.unique(self._lengths(filtered))
            yield from length_cuts(lengths[(lengths >= low) & (lengths <= high)].tolist())

    def _lengths(self, test: LengthTest) -> Any:
        """The lengths of the intervals that a filter by duration gets."""
        assert isinstance(self.reasoner, Reasoner)
        probed, probe = length_probe(self.program, test)
        found = definitions(probed)
        part = from_program(part_of(probed, found, needed(found, [probe])))
        result = self.runs.recognised(part, self.runs.reading(self.reasoner))
        lengths = [
            lengths_found(table.start, table.end, answer.query_time)
            for answer in result.answers
            for symbol, table in answer.fluents.items()
            if node_of(symbol) == probe
        ]
        return np.concatenate([np.zeros(0, np.int64), *lengths])

    # Scores

    def scored(self, tried: list[list[ConstantRange]], fit: float, how: tuple[DurationInput, float]) -> Scored:
        """All settings, and the present one, with their scores."""
        current = tuple(parameter.current for parameter in self.parameters)
        values = [tuple(choice.value for choice in one) for one in _combinations(tried)]
        result, line = self._run(current)
        span = observed(result, self.runs, self._found(result, line))
        cut = span[0] + round((span[1] - span[0]) * fit)
        cut -= cut % 2 if line.is_metric else 0
        if not span[0] < cut < span[1]:
            raise HoldsforError("the events cover too little time to hold some of it out")
        known, points = label_history(self.labels, line, self._events())
        rules = ScoringRules(tolerance_in(how[0], line), how[1])
        numbers = _Numbers(known, any_order=self.any_order)
        columns = numbers.columns(known)
        running_scores = IncrementalScores(columns, [(span[0], cut), (cut, span[1])], line, rules, points=bool(points))
        settings = list(dict.fromkeys((*values, current)))
        runs = self._setting_runs(line)
        found = self._rerun(settings, line, numbers) if runs is None else _edits_of(runs, settings, numbers)
        scores = [one for count, edits in found for one in running_scores.scores(count, edits)]
        return Scored(values, dict(zip(settings, scores, strict=True)), line.time_text(cut))

    def _events(self) -> frozenset[str]:
        return frozenset(node.name for node in self.wanted if node.kind == EVENT)

    def _part(self, values: Sequence[Fraction]) -> AnyReasoner:
        program = self.program
        for parameter, value in zip(self.parameters, values, strict=True):
            program = parameter.put(program, value)
        kept = needed(self.definitions, self.wanted)
        if isinstance(self.reasoner, MetricReasoner):
            rules = tuple(rule for rule in program.rules if Node(FLUENT, *rule.head.signature) in kept)
            return from_metric_program(replace(program, rules=rules))
        return self._loaded(part_of(program, self.definitions, kept))

    def _loaded(self, program: Program) -> Reasoner:
        assert isinstance(self.reasoner, Reasoner)
        part = from_program(program)
        part.require_no_errors()
        return part.limited(max_delayed_effects=self.reasoner.max_delayed_effects)

    def _run(self, values: Sequence[Fraction]) -> tuple[Result | MetricResult, TimeLine]:
        part = self._part(values)
        result: Result | MetricResult
        if isinstance(part, MetricReasoner):
            result = self.runs.materialised(part)
        else:
            assert isinstance(self.reasoner, Reasoner)
            result = self.runs.recognised(part, self.runs.reading(self.reasoner))
        return result, labelled_line(result, self.labels)

    def _found(self, result: Result | MetricResult, line: TimeLine) -> History:
        if isinstance(result, Result):
            return history_of(result, self.wanted)
        return metric_history_of(result, line.scale, self.wanted)

    def _rerun(
        self, settings: Sequence[tuple[Fraction, ...]], line: TimeLine, numbers: _Numbers
    ) -> Iterator[tuple[int, IntervalEdits]]:
        """A run of the required part of the program for each setting."""
        before = [EMPTY, EMPTY, EMPTY]
        for one in settings:
            result, mine = self._run(one)
            if mine != line:
                raise HoldsforError(
                    f"the setting {', '.join(map(number_text, one))} has times that are no multiples of 1/{line.scale}; "
                    "vary it in steps that are"
                )
            now = list(numbers.columns(with_labelled_values(self._found(result, line), numbers.labels)))
            removed, added = only_one_has(before, now)
            key, start, end = (np.concatenate((old[removed], new[added])) for old, new in zip(before, now, strict=True))
            rows = np.arange(len(key))
            yield 1, IntervalEdits(np.zeros(len(rows), np.int64), key, start, end, rows >= len(removed))
            before = now

    def _setting_runs(self, line: TimeLine) -> SettingRuns | None:
        """The evaluation of all settings in one engine, if the uses of all constants are known; otherwise None."""
        if not isinstance(self.reasoner, Reasoner) or line.is_metric or self._events():
            return None
        given = self.runs.given
        has_windows = any(one is not None for one in (given.window, given.step, given.start, given.end))
        plan = self.reasoner.plan
        if has_windows or plan.has_metric_rules or plan.clock_tick != 1 or has_preprocessing(plan):
            return None
        parts = split(self.program, self.uses, self.wanted)
        if parts is None or any(map(self._unknown, range(len(self.parameters)))):
            return None
        plans = self._loaded(parts.fixed).plan, self._loaded(parts.reached).plan
        return SettingRuns(parts, plans, self.runs.reading(self.reasoner), given.threads)


@dataclass(frozen=True)
class Scored:
    """The settings that are tried, scores by setting, and the start of the later part of the time."""

    values: list[tuple[Fraction, ...]]
    scores: dict[tuple[Fraction, ...], list[Score]]
    cut: str


def _edits_of(
    runs: SettingRuns, settings: Sequence[tuple[Fraction, ...]], numbers: _Numbers
) -> Iterator[tuple[int, IntervalEdits]]:
    """The intervals that each setting adds to and removes from those of the setting before."""
    constant = list(runs.constant_results())
    for count, changes in runs.changes(settings, _CHANGES):
        parts = []
        for change in (*constant, *changes):
            rows = labelled_rows(change.found, numbers.labels)
            parts.append((change.setting[rows], *numbers.columns(change.found.take(rows)), change.is_added[rows]))
        constant = []
        none = (EMPTY, EMPTY, EMPTY, EMPTY, np.zeros(0, np.bool_))
        yield count, IntervalEdits(*(np.concatenate(columns) for columns in zip(none, *parts, strict=True)))


_CHANGES = 1 << 20
"""The number of changed intervals after which scores are counted anew."""


def _combinations(tried: Sequence[Sequence[ConstantRange]]) -> Iterator[tuple[ConstantRange, ...]]:
    """All combinations, in an order in which each differs from the one before by one step of one constant."""
    if not tried:
        yield ()
        return
    *rest, last = tried
    for place, before in enumerate(_combinations(rest)):
        for choice in last if place % 2 == 0 else reversed(last):
            yield (*before, choice)


class _Numbers:
    """A number for every subject, in the order of first mention."""

    def __init__(self, labels: History, *, any_order: bool) -> None:
        self.labels, self._any_order = labels, any_order
        self._known: dict[Any, int] = {}

    def columns(self, found: History) -> tuple[Ints, Ints, Ints]:
        """Keys, starts and ends."""
        known, any_order = self._known, self._any_order
        place = np.array(
            [known.setdefault(key_of(one, any_order=any_order), len(known)) for one in found.subjects], np.int64
        )
        return (place[found.key] if len(found) else found.key), found.start, found.end
