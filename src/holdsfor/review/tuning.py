"""`tune`: which constants make rules agree best with labels."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from holdsfor.diagnostics import HoldsforError
from holdsfor.loading import Background
from holdsfor.metric import MetricReasoner
from holdsfor.recognition import EventsInput, MappingInput
from holdsfor.review.breakpoints import (
    ConstantRange,
)
from holdsfor.review.labels import LabelsInput, read_labels
from holdsfor.review.programs import RulesInput, opened
from holdsfor.review.running import EventInput, Runs
from holdsfor.review.saving import save_form
from holdsfor.review.scoring import Score
from holdsfor.review.trials import Trials
from holdsfor.review.varying import Parameter, read_parameter
from holdsfor.times import DurationInput, TimeInput

SCHEMA = "holdsfor.tuning/1"
"""The name of the JSON format; fields may be added, never removed or changed."""
Measure = Literal["episode", "time"]


@dataclass(frozen=True)
class TunedSetting:
    """Values of the constants, and the scores they give: on the earlier part of the time, and on the later one."""

    values: tuple[Fraction, ...]
    fit: Score
    held: Score

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values as plain numbers."""
        return tuple(int(one) if one.denominator == 1 else float(one) for one in self.values)


def f1_of(score: Score, by: Measure) -> float:
    """The score to maximise; 0 if it is undefined."""
    found = score.time_f1 if by == "time" else score.f1
    return 0.0 if math.isnan(found) else found


@dataclass
class Tuning:
    """All settings that were tried, the best of them on the earlier part, and how good that is on the later part."""

    parameters: Sequence[Parameter]
    choices: Sequence[Sequence[ConstantRange]]
    settings: list[TunedSetting]
    current: TunedSetting
    by: Measure
    cut: str
    """From when on is the later part."""
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def best(self) -> TunedSetting:
        """The setting with the highest F1 on the earlier part; of several, the one nearest to the present one."""
        return max(self.settings, key=lambda one: (f1_of(one.fit, self.by), -self._distance(one)))

    def _distance(self, one: TunedSetting) -> float:
        widths = [float(parameter.high - parameter.low) for parameter in self.parameters]
        pairs = zip(one.values, self.current.values, widths, strict=True)
        return sum(abs(float(a - b)) / width for a, b, width in pairs)

    def setting_of(self, *values: float | Fraction) -> TunedSetting:
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
        """A self-contained page."""
        from holdsfor.review.tuning_page import tuning_page

        return tuning_page(self)

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending determines the form: `.html`, `.svg`, `.json`, `.csv`, `.md`, `.txt`."""
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
    runs = Runs(EventInput(events, mapping, unit, window, step, start, end, None, threads))
    work = Trials(reasoner, program, runs, listed, parameters, settings, any_order=any_order)
    prepared = perf_counter()
    tried = work.constant_ranges()
    chosen = perf_counter()
    made = tuning_of(work, tried, by, fit, (tolerance, overlap))
    made.seconds = {
        "preparing": prepared - begin,
        "breakpoints": chosen - prepared,
        "settings": perf_counter() - chosen,
    }
    return made


def tuning_of(
    work: Trials, tried: list[list[ConstantRange]], by: Measure, fit: float, how: tuple[DurationInput, float]
) -> Tuning:
    """All settings that are tried, with their scores."""
    found = work.scored(tried, fit, how)
    current = tuple(parameter.current for parameter in work.parameters)
    made = [TunedSetting(one, *found.scores[one]) for one in found.values]
    return Tuning(
        work.parameters, tried, made, TunedSetting(current, *found.scores[current]), by, found.cut, work.notes
    )
