"""`tune`: which constants make rules agree best with labels."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from holdsfor.columns.op import Op
from holdsfor.compiler.analysis.definitions import EVENT, FLUENT, Node, defined_nodes, definitions
from holdsfor.compiler.analysis.reach import needed, part_of
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.preprocessing_rules import has_preprocessing
from holdsfor.ir import Rule
from holdsfor.loading import Background, Reasoner, from_program
from holdsfor.metric import MetricReasoner
from holdsfor.metric.reasoner import from_metric_program
from holdsfor.metric.result import MetricResult
from holdsfor.recognition import EventsInput, MappingInput
from holdsfor.result import Result
from holdsfor.review.backtest import key_of, labelled_line, observed, tolerance_in, wanted_nodes, with_labelled_values
from holdsfor.review.books import Book
from holdsfor.review.breakpoints import (
    Choice,
    Cut,
    LengthTest,
    Uses,
    choices,
    length_cuts,
    length_probe,
    lengths_found,
    numbers_of,
    probe_symbol,
    row_cuts,
    thinned,
    uses_of,
    whole_numbers,
)
from holdsfor.review.diff import defined
from holdsfor.review.history import History, history_of, metric_history_of
from holdsfor.review.labels import Label, LabelsInput, label_history, read_labels, written_subject
from holdsfor.review.programs import AnyReasoner, RulesInput, opened
from holdsfor.review.running import Input, Runs
from holdsfor.review.saving import save_form
from holdsfor.review.scoring import Rules, Score
from holdsfor.review.sweeping import Sweep, flagged
from holdsfor.review.timeline_scale import FAR, Line
from holdsfor.review.varying import Parameter, read_parameter
from holdsfor.syntax.printer import print_constant
from holdsfor.times import DurationInput, TimeInput

SCHEMA = "holdsfor.tuning/1"
"""What the JSON form is called; fields may be added, never taken away or changed."""
Measure = Literal["episode", "time"]


@dataclass(frozen=True)
class Setting:
    """Values of the constants, and the scores they give: on the earlier part of the time, and on the later one."""

    values: tuple[Fraction, ...]
    fit: Score
    held: Score

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values as plain numbers."""
        return tuple(int(one) if one.denominator == 1 else float(one) for one in self.values)


def f1_of(score: Score, by: Measure) -> float:
    """What is made as large as possible; nothing at all counts as 0."""
    found = score.time_f1 if by == "time" else score.f1
    return 0.0 if math.isnan(found) else found


@dataclass
class Tuning:
    """All settings that were tried, the best of them on the earlier part, and how good that is on the later part."""

    parameters: Sequence[Parameter]
    choices: Sequence[Sequence[Choice]]
    settings: list[Setting]
    current: Setting
    by: Measure
    cut: str
    """From when on is the later part."""
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def best(self) -> Setting:
        """The setting with the highest F1 on the earlier part; of several, the one nearest to the present one."""
        return max(self.settings, key=lambda one: (f1_of(one.fit, self.by), -self._distance(one)))

    def _distance(self, one: Setting) -> float:
        widths = [float(parameter.high - parameter.low) for parameter in self.parameters]
        pairs = zip(one.values, self.current.values, widths, strict=True)
        return sum(abs(float(a - b)) / width for a, b, width in pairs)

    def setting_of(self, *values: float | Fraction) -> Setting:
        """The setting that has the same answer as some values."""
        exact = [Fraction(str(value)) for value in values]
        tried = {setting.values: setting for setting in self.settings}
        for combination in product(*self.choices):
            if all(value in choice for value, choice in zip(exact, combination, strict=True)):
                return tried[tuple(choice.value for choice in combination)]
        raise HoldsforError(f"{', '.join(map(str, values))} lies outside of what was tried")

    # Forms

    def as_json(self) -> dict[str, Any]:
        """Everything as plain data."""
        from holdsfor.review.tuning_forms import tuning_data

        return tuning_data(self)

    def json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.as_json(), indent=2, ensure_ascii=False)

    def text(self, limit: int = 10) -> str:
        """The best settings, for a terminal."""
        from holdsfor.review.tuning_forms import tuning_text

        return tuning_text(self, limit)

    def markdown(self, limit: int = 10) -> str:
        """The same as Markdown."""
        from holdsfor.review.tuning_forms import tuning_markdown

        return tuning_markdown(self, limit)

    def csv(self) -> str:
        """All settings as CSV."""
        from holdsfor.review.tuning_forms import tuning_csv

        return tuning_csv(self)

    def svg(self) -> str:
        """The curve of precision against recall."""
        from holdsfor.review.tuning_page import curve_svg

        return curve_svg(self)

    def html(self) -> str:
        """A page of its own."""
        from holdsfor.review.tuning_page import tuning_page

        return tuning_page(self)

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says what: `.html`, `.svg`, `.json`, `.csv`, `.md`, `.txt`."""
        forms: dict[str, Callable[[], str]] = {
            ".html": self.html,
            ".svg": self.svg,
            ".json": self.json,
            ".csv": self.csv,
            ".md": self.markdown,
            ".txt": self.text,
        }
        return save_form("tuning", path, forms)

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        from holdsfor.review.tuning_page import tuning_fragment

        return tuning_fragment(self)


def tune(
    rules: RulesInput,
    events: EventsInput,
    labels: LabelsInput,
    vary: str | Sequence[str],
    *,
    by: Measure = "episode",
    fit: float = 0.7,
    settings: int = 1000,
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
    threads: int | None = None,
) -> Tuning:
    """Vary constants of rules, and see which of their values agree best with labels.

    `vary` names constants with their ranges: `"limit(3..8)"` is an argument of a fact, `"fi(alarm(_)=raised, alarm(_)=off, 10..60)"`
    a delay, `"rules.prolog:12:600(300..900)"` a number on a line. The answer changes only at numbers that events and intervals
    have, so one setting between two of them is tried, and `settings` at most. The best setting is the one with the highest
    F1 `by` episode or time on the first part `fit` of the time; its score on the rest says how good it is. All other
    arguments are as in `backtest`.

    >>> from holdsfor import loads
    >>> rules = "initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), limit(L), S < L. " \\
    ...     "terminatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), limit(L), S >= L. limit(9)."
    >>> speeds = [(t, "tern", s) for t, s in ((1, 8), (5, 3), (9, 7), (15, 2), (20, 8))]
    >>> labels = [("slow(tern)=true", 6, 10), ("slow(tern)=true", 16, 21)]
    >>> found = tune(loads(rules), {"speed": speeds}, labels, "limit(1..9)", by="time")
    >>> found.best.numbers, found.best.fit.f1
    ((5,), 1.0)
    """
    begin = perf_counter()
    reasoner = opened(rules, background)
    texts = [vary] if isinstance(vary, str) else list(vary)
    if not texts:
        raise HoldsforError("say what to vary: limit(3..8)")
    if not 0 < fit < 1:
        raise HoldsforError(f"fit is the part of the time that settings are chosen on, between 0 and 1, not {fit}")
    program = reasoner.program if isinstance(reasoner, MetricReasoner) else reasoner.analysis.resolved
    parameters = [read_parameter(text, program) for text in texts]
    listed = read_labels(labels, metric=isinstance(reasoner, MetricReasoner))
    if not listed:
        raise HoldsforError("there are no labels; each needs a fluent, a start and an end")
    runs = Runs(Input(events, mapping, unit, window, step, start, end, None, threads))
    work = _Work(reasoner, program, runs, listed, parameters, settings, any_order=any_order)
    prepared = perf_counter()
    tried = work.choices()
    chosen = perf_counter()
    made = work.scored(tried, by, fit, (tolerance, overlap))
    made.seconds = {
        "preparing": prepared - begin,
        "breakpoints": chosen - prepared,
        "settings": perf_counter() - chosen,
    }
    return made


class _Work:
    """What is known while settings are tried."""

    def __init__(
        self,
        reasoner: AnyReasoner,
        program: Any,
        runs: Runs,
        labels: list[Label],
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

    def choices(self) -> list[list[Choice]]:
        """The values of each constant that are tried."""
        found = [self._choices(place) for place in range(len(self.parameters))]
        total = math.prod(map(len, found))
        if total <= self.most:
            return found
        each = max(2, int(self.most ** (1 / len(found))))
        fewer = [thinned(one, each) for one in found]
        # What one constant does not need is left to the others.
        for place, one in enumerate(found):
            others = math.prod(len(other) for at, other in enumerate(fewer) if at != place)
            fewer[place] = thinned(one, max(2, self.most // others))
        self.notes.append(
            f"{total:,} settings have answers of their own; {math.prod(map(len, fewer)):,} of them are tried"
        )
        return fewer

    def _choices(self, place: int) -> list[Choice]:
        parameter = self.parameters[place]
        unknown = self._unknown(place)
        if unknown:
            found = whole_numbers(parameter.low, parameter.high)
            self.notes.append(f"{parameter.name}: {len(found):,} numbers are tried, as {unknown}")
            return found
        return choices(parameter.low, parameter.high, self._cuts(place))

    def _unknown(self, place: int) -> str:
        """Why it is not known where the answer changes; nothing if it is."""
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
            own = set(defined_nodes(filtered.rule))
            below = needed(self.definitions, own) - own
            if below & readers:
                return "the lengths of intervals depend on another constant"
        return ""

    def _cuts(self, place: int) -> Iterator[Cut]:
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
        """How long the intervals are that a filter by duration is given."""
        assert isinstance(self.reasoner, Reasoner)
        probed = length_probe(self.program, test, 1)
        found = definitions(probed)
        probe = {node for node in found.clauses if node.name == "lengths 1"}
        part = from_program(part_of(probed, found, needed(found, probe)))
        result = self.runs.recognised(part, self.runs.reading(self.reasoner))
        symbol = probe_symbol(1, part)
        lengths = [
            lengths_found(table.start, table.end, answer.query_time)
            for answer in result.answers
            for key, table in answer.fluents.items()
            if key == symbol
        ]
        return np.concatenate([np.zeros(0, np.int64), *lengths])

    # Scores

    def scored(self, tried: list[list[Choice]], by: Measure, fit: float, how: tuple[DurationInput, float]) -> Tuning:
        """All settings with their scores."""
        current = tuple(parameter.current for parameter in self.parameters)
        values = [tuple(choice.value for choice in one) for one in _snake(tried)]
        result, line = self._run(current)
        first = self._found(result, line)
        span = observed(result, self.runs, first)
        cut = span[0] + round((span[1] - span[0]) * fit)
        cut -= cut % 2 if line.is_metric else 0
        if not span[0] < cut < span[1]:
            raise HoldsforError("the events cover too little time to hold some of it out")
        known, points = label_history(self.labels, line, self._events())
        spans = [(span[0], cut), (cut, span[1])]
        rules = Rules(tolerance_in(how[0], line), how[1])
        numbers = _Numbers(self.any_order)
        columns = numbers.columns(known)
        book = Book(columns, spans, line, rules, points=bool(points))
        names = {(one.name, one.value) for one in known.subjects}
        scores = dict(
            self._swept(values, current, book, numbers, names, line)
            or self._rerun(values, current, book, numbers, line)
        )
        made = [Setting(one, *scores[one]) for one in values]
        return Tuning(
            self.parameters, tried, made, Setting(current, *scores[current]), by, line.time_text(cut), self.notes
        )

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
        part = from_program(part_of(program, self.definitions, kept))
        return part.limited(max_delayed_effects=self.reasoner.max_delayed_effects)

    def _run(self, values: Sequence[Fraction]) -> tuple[Any, Line]:
        part = self._part(values)
        result: Result | MetricResult
        if isinstance(part, MetricReasoner):
            result = self.runs.materialised(part)
        else:
            assert isinstance(self.reasoner, Reasoner)
            part.require_no_errors()
            result = self.runs.recognised(part, self.runs.reading(self.reasoner))
        return result, labelled_line(result, self.labels)

    def _found(self, result: Any, line: Line) -> History:
        if isinstance(result, Result):
            return history_of(result, self.wanted)
        return metric_history_of(result, line.scale, self.wanted)

    def _rerun(
        self,
        values: Sequence[tuple[Fraction, ...]],
        current: tuple[Fraction, ...],
        book: Book,
        numbers: _Numbers,
        line: Line,
    ) -> Iterator[tuple[tuple[Fraction, ...], list[Score]]]:
        """A run of the part that matters for each setting."""
        known, _ = label_history(self.labels, line, self._events())
        for one in dict.fromkeys((*values, current)):
            result, mine = self._run(one)
            if mine != line:
                raise HoldsforError(
                    f"the setting {', '.join(map(number_text, one))} has times that are no multiples of 1/{line.scale}; "
                    "vary it in steps that are"
                )
            found = with_labelled_values(self._found(result, line), known)
            columns = numbers.columns(found)
            book.update(len(numbers), None, columns)
            yield one, book.scores()

    def _swept(
        self,
        values: Sequence[tuple[Fraction, ...]],
        current: tuple[Fraction, ...],
        book: Book,
        numbers: _Numbers,
        names: set[tuple[str, str]],
        line: Line,
    ) -> Iterator[tuple[tuple[Fraction, ...], list[Score]]] | None:
        """All settings in one engine, if constants are thresholds of input events; else None."""
        if not isinstance(self.reasoner, Reasoner) or line.is_metric or self._events():
            return None
        given = self.runs.given
        has_windows = any(one is not None for one in (given.window, given.step, given.start, given.end))
        plain = all(one.rows and not one.lengths and not one.unknown for one in self.uses)
        plan = self.reasoner.plan
        if not plain or has_windows or plan.has_metric_rules or plan.clock_tick != 1 or has_preprocessing(plan):
            return None
        program, flags = flagged(self.program, self.uses)
        found = definitions(program)
        part = from_program(part_of(program, found, needed(found, self.wanted)))
        part.require_no_errors()
        fluents = {name for name, _ in names}
        sweep = Sweep(part.plan, self.runs.reading(self.reasoner), flags, fluents, given.threads)
        return self._steps(sweep, values, current, book, numbers, names)

    def _steps(
        self,
        sweep: Sweep,
        values: Sequence[tuple[Fraction, ...]],
        current: tuple[Fraction, ...],
        book: Book,
        numbers: _Numbers,
        names: set[tuple[str, str]],
    ) -> Iterator[tuple[tuple[Fraction, ...], list[Score]]]:
        held: dict[int, set[tuple[int, int]]] = {}
        for one in dict.fromkeys((*values, current)):
            changed: set[int] = set()
            for op, fluent, value, start, end, old_start, old_end in sweep.to(one):
                key = numbers.of_text(fluent, value, names)
                if key is None:
                    continue
                changed.add(key)
                mine = held.setdefault(key, set())
                if op == _RETRACT:
                    mine.discard(_span(start, end))
                    continue
                if op != _OPEN:
                    mine.discard(_span(old_start, old_end))
                mine.add(_span(start, end))
            rows = [(key, *span) for key in changed for span in held[key]]
            columns = np.array(rows, np.int64).reshape(-1, 3).T
            book.update(len(numbers), changed, (columns[0], columns[1], columns[2]))
            yield one, book.scores()


_OPEN, _RETRACT = Op.OPEN.value, Op.RETRACT.value


def _span(start: int | None, end: int | None) -> tuple[int, int]:
    return -FAR if start is None else start, FAR if end is None else end


def _snake(tried: Sequence[Sequence[Choice]]) -> Iterator[tuple[Choice, ...]]:
    """All combinations, each but one step of one constant away from the one before."""
    if not tried:
        yield ()
        return
    *rest, last = tried
    for place, before in enumerate(_snake(rest)):
        for choice in last if place % 2 == 0 else reversed(last):
            yield (*before, choice)


class _Numbers:
    """A number for every subject, whoever names it first."""

    def __init__(self, any_order: bool) -> None:
        self._any_order = any_order
        self._known: dict[Any, int] = {}
        self._texts: dict[tuple[str, str], int | None] = {}

    def __len__(self) -> int:
        return len(self._known)

    def columns(self, found: History) -> tuple[Any, Any, Any]:
        """Keys, starts and ends."""
        place = np.array(
            [
                self._known.setdefault(key_of(one, any_order=self._any_order), len(self._known))
                for one in found.subjects
            ],
            np.int64,
        )
        return (place[found.key] if len(found) else found.key), found.start, found.end

    def of_text(self, fluent: str, value: str, names: set[tuple[str, str]]) -> int | None:
        """The number of a fluent as changes spell it; None if it has no labels."""
        key = fluent, value
        if key not in self._texts:
            written = fluent.partition("(")[0]
            if not any(print_constant(name) == written and value == other for name, other in names):
                self._texts[key] = None
            else:
                is_plain = not self._any_order
                mine = key if is_plain else key_of(written_subject(f"({fluent})=({value})"), any_order=True)
                self._texts[key] = self._known.setdefault(mine, len(self._known))
        return self._texts[key]
