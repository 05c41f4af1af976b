"""Results of metric programs: tables for data tools, rows with exact times for Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet, maximal
from holdsfor.columns.metric.report import Row, exact_table, rounded_table, rows
from holdsfor.columns.metric.timeline import cells
from holdsfor.compiler.analysis.argument_names import first_variables, named_columns
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.limits import DEPTH
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.arguments import typed_column
from holdsfor.io.metric_scaled import texts_table, timestamps_table
from holdsfor.io.rejects import Malformed
from holdsfor.ir.metric import Range
from holdsfor.metric.times import Time, exact
from holdsfor.result_tables import as_pandas, counted, frame_library, shown_html, shown_text
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    from holdsfor.viz.timeline import Timeline

if TYPE_CHECKING:
    from holdsfor.explain.asking import MetricExplainer
    from holdsfor.explain.explanation import Explanation


@dataclass
class MetricSummary:
    """The counts of a run: facts that were read, and intervals.

    `read` facts are valid, `unknown` ones have names that no rule uses, `malformed` ones could not be read. On a stream,
    `late` ones lay before the time that had been reached, and `most_kept` is the largest number of facts that were kept
    between two steps.
    """

    read: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    malformed: int = 0
    first_malformed: list[Malformed] = field(default_factory=list)
    late: int = 0
    steps: int = 0
    most_kept: int = 0
    intervals: int = 0


@dataclass(frozen=True)
class Repetition:
    """A fact that holds again after each period, for ever; a negative period leads to the past."""

    row: Row
    period: Fraction


class MetricResult:
    """The maximal intervals over which facts hold, and what was read for them (`summary`).

    Iterating gives rows with exact times (`fractions.Fraction`); None is infinite. Tables of one predicate (`result["P"]`)
    have a column for each argument, named after the variables of the rules.
    """

    def __init__(
        self,
        facts: FactSet,
        dictionary: Dictionary,
        summary: MetricSummary | None = None,
        variables: Mapping[tuple[str, int], tuple[str | None, ...]] | None = None,
        *,
        predicate: str | None = None,
        time_scale: TimeScale | None = None,
    ) -> None:
        self.time_scale = time_scale
        """The time unit and zone, if the rules, the input or the caller declare them."""
        self.facts = facts
        self.dictionary = dictionary
        self._variables, self._predicate = variables or {}, predicate
        self.summary = MetricSummary(intervals=len(self)) if summary is None else summary
        self._explainer: Callable[[], MetricExplainer] | None = None

    def with_explainer(self, explainer: Callable[[], MetricExplainer]) -> MetricResult:
        """The same result with its input, for explanations."""
        self._explainer = explainer
        return self

    @property
    def unit(self) -> str | None:
        """The time unit."""
        return None if self.time_scale is None else self.time_scale.unit

    @property
    def predicates(self) -> list[str]:
        """The names of all predicates that rules can derive."""
        return sorted({name for name, _ in self.facts.tables})

    def __len__(self) -> int:
        return sum(table.rows for table in self.facts.tables.values())

    def __iter__(self) -> Iterator[Row]:
        return rows(self.facts, self.dictionary)

    @overload
    def __getitem__(self, key: str) -> MetricResult: ...

    @overload
    def __getitem__(self, key: SupportsIndex) -> Row: ...

    @overload
    def __getitem__(self, key: slice) -> list[Row]: ...

    def __getitem__(self, key: str | SupportsIndex | slice) -> MetricResult | Row | list[Row]:
        """The facts of one predicate by its name, a row by its number, or the rows of a slice."""
        if isinstance(key, str):
            return self._of_predicate(key)
        places = range(len(self))[key] if isinstance(key, slice | SupportsIndex) else None
        if places is None:
            raise HoldsforError(
                f'a result takes the name of a predicate (result["name"]), the number of a row or a slice, not {key!r}'
            )
        if isinstance(places, int):
            return next(islice(self, places, None))
        listed = list(self)
        return [listed[place] for place in places]

    def _of_predicate(self, predicate: str) -> MetricResult:
        if predicate not in self.predicates:
            close = suggest(predicate, self.predicates)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(self.predicates) or 'none'}"
            raise HoldsforError(f"no predicate is called {predicate!r}; {hint}")
        tables = {signature: table for signature, table in self.facts.tables.items() if signature[0] == predicate}
        repeats = {signature: one for signature, one in self.facts.repeats.items() if signature[0] == predicate}
        return self._with(FactSet(self.facts.scale, tables, repeats=repeats), predicate)

    def holds_at(self, time: Time) -> MetricResult:
        """The facts that hold at a point of time."""
        point = exact(time, unit=self.unit)
        cell, _ = cells(Range(point, point), self.facts.scale)
        tables = {}
        for signature, table in self.facts.tables.items():
            found = table.take(np.flatnonzero((table.start <= cell) & (cell < table.end)))
            if signature in self.facts.repeats:
                found = maximal([found, self.facts.repeats[signature].during(cell, cell + 1)])
            tables[signature] = found
        return self._with(FactSet(self.facts.scale, tables), self._predicate)

    def between(self, start: Time, end: Time) -> MetricResult:
        """The facts in the closed interval between two times, however far away, including repeating facts."""
        during = Range(exact(start, "start", self.unit), exact(end, "end", self.unit))
        scale = self.facts.scale
        for bound in (during.low, during.high):
            if bound is not None and (bound * scale).denominator != 1:
                raise HoldsforError(
                    f"{number_text(bound)} is not a multiple of 1/{scale}, as all times of this result are"
                )
        return self._with(self.facts.during(*cells(during, scale)), self._predicate)

    @property
    def repeating(self) -> tuple[Repetition, ...]:
        """Endless derivations: each of these facts holds again after each period."""
        scale = self.facts.scale
        return tuple(
            Repetition(row, Fraction(period >> 1, scale))
            for signature, one in self.facts.repeats.items()
            for period in np.unique(one.period).tolist()
            for row in rows(FactSet(scale, {signature: one.facts.take(one.period == period)}), self.dictionary)
        )

    def repetition_texts(self) -> list[str]:
        """The repeating facts, as text."""
        found: dict[tuple[str, Fraction], list[Fraction]] = {}
        for one in self.repeating:
            bound = one.row.start if one.period > 0 else one.row.end
            assert bound is not None
            found.setdefault((one.row.predicate, one.period), []).append(bound)
        lines = []
        for (predicate, period), bounds in sorted(found.items()):
            where = f"from {number_text(min(bounds))} on" if period > 0 else f"before {number_text(max(bounds))}"
            lines.append(f"… and so on every {number_text(abs(period))}: {predicate} {where}")
        return lines

    def _with(self, facts: FactSet, predicate: str | None) -> MetricResult:
        found = MetricResult(
            facts,
            self.dictionary,
            self.summary,
            self._variables,
            predicate=predicate,
            time_scale=self.time_scale,
        )
        found._explainer = self._explainer
        return found

    # Questions

    def why(self, question: str, at: Time, *, depth: int | None = DEPTH) -> Explanation:
        """Why a fact holds at a time: `result.why("Recent(pump)", at=3.25)`; raises HoldsforError if it does not."""
        return self.explain(question, at, depth=depth).required(holds=True)

    def why_not(self, question: str, at: Time, *, depth: int | None = DEPTH) -> Explanation:
        """Why a fact does not hold at a time; raises HoldsforError if it does."""
        return self.explain(question, at, depth=depth).required(holds=False)

    def explain(self, question: str, at: Time, *, depth: int | None = DEPTH) -> Explanation:
        """Why a fact holds at a time, or why it does not."""
        return self.given_input().explain(question, exact(at, "at", self.unit), depth=depth)

    def given_input(self) -> MetricExplainer:
        """An explainer for the facts and rules of this result."""
        if self._explainer is None:
            raise HoldsforError("this result does not keep its facts; use the reasoner: reasoner.why(…, facts=…)")
        return self._explainer()

    # Tables

    def to_arrow(self, *, exact: bool = False, split: bool = False, points: bool = False) -> pa.Table:
        """All facts: `predicate, args, start, start_closed, end, end_closed`, with `args` joined by `|`.

        Times are floating-point numbers, or with `exact` text (`0.25`, `1/3`); one that is null is infinite. If the
        time unit is known, they are timestamps with a zone, or text in ISO 8601; with `points` they are numbers. The
        facts of one predicate (`result["P"]`) also have a column for each argument, named after the variables of the
        rules: `Vessel` becomes `vessel`. With `split`, these columns replace `args`.
        """
        table = self._plain_table(None if points else self.time_scale, exact=exact)
        if split:
            return self._split(table)
        if self._predicate is None:
            return table
        for name, column in self._argument_columns(table.column_names).items():
            table = table.append_column(name, column)
        return table

    def _plain_table(self, scale: TimeScale | None, *, exact: bool) -> pa.Table:
        if scale is None:
            return (exact_table if exact else rounded_table)(self.facts, self.dictionary)
        return (texts_table if exact else timestamps_table)(self.facts, self.dictionary, scale)

    def to_pandas(self, *, exact: bool = False, split: bool = False, points: bool = False) -> Any:
        """The same as a pandas data frame."""
        return as_pandas(self.to_arrow(exact=exact, split=split, points=points))

    def to_polars(self, *, exact: bool = False, split: bool = False, points: bool = False) -> Any:
        """The same as a polars data frame."""
        table = self.to_arrow(exact=exact, split=split, points=points)
        return frame_library("polars", "to_polars()").from_arrow(table)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The same for every library that speaks Arrow: `polars.DataFrame(result)`, DuckDB, …"""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _split(self, table: pa.Table) -> pa.Table:
        if len(self.facts.tables) != 1:
            raise HoldsforError(
                f"only one predicate can be split into its arguments, not {', '.join(self.predicates)}; "
                "choose one: result[name]"
            )
        times = {name: table[name] for name in table.column_names if name != "args"}
        predicate = times.pop("predicate")
        return pa.table({"predicate": predicate, **self._argument_columns(["predicate", *times]), **times})

    def _argument_columns(self, reserved: Sequence[str]) -> dict[str, Any]:
        """The arguments of one predicate, in the order of the table; null where one of its arities has fewer."""
        arity = max((arity for _, arity in self.facts.tables), default=0)
        name = next(iter(self.facts.tables), ("", 0))[0]
        titles = named_columns(first_variables(self._variables, name, arity), reserved)
        columns = list(zip_longest(*(row.args for row in self)))
        columns += [(None,) * len(self)] * (arity - len(columns))
        return {title: typed_column(column) for title, column in zip(titles, columns, strict=True)}

    # For people

    def timeline(
        self,
        *,
        predicates: str | Collection[str] | None = None,
        entities: Collection[Any] | None = None,
        between: tuple[Any, Any] | None = None,
        limit: int | None = None,
        unit: str | None = None,
        zone: str | None = None,
        title: str | None = None,
    ) -> Timeline:
        """A timeline with open and closed ends: `result.timeline().save("timeline.html")`.

        `predicates` are names, `entities` arguments, `between` is two times, and `limit` is the maximal number of
        lanes. The axis has local dates if the time unit is known; `unit` (`s`, `ms`, …) sets it for results without
        one, and `zone`, such as `Europe/Athens`, selects another zone.
        """
        from holdsfor.viz.timeline import Timeline
        from holdsfor.viz.timeline_collect import ResultSelection
        from holdsfor.viz.timeline_dates import shown_scale
        from holdsfor.viz.timeline_facts import facts_chart

        shown = shown_scale(self.time_scale, unit, zone)
        choice = ResultSelection([predicates] if isinstance(predicates, str) else predicates, entities, between, shown)
        named = title if title is not None else self._title()
        return Timeline(facts_chart(self.facts, self.dictionary, choice, named), limit)

    def __repr__(self) -> str:
        shown = shown_text(self._title(), self._plain_table(self.time_scale, exact=True), len(self))
        return "\n".join([shown, *self.repetition_texts()])

    def _repr_html_(self) -> str:
        return shown_html(self._title(), self._plain_table(self.time_scale, exact=True), len(self))

    def _title(self) -> str:
        malformed = self.summary.malformed
        skipped = f" ({counted(malformed, 'malformed row')} skipped)" if malformed else ""
        return f"{counted(len(self), 'interval')} of {counted(len(self.predicates), 'predicate')}{skipped}"
