"""Drives the core for metric programs: facts are pushed and retracted, time advances, answers are read."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any, NoReturn

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.endless import NeverEnds
from holdsfor.columns.metric.facts import Facts, FactSet, Repeating, Signature, maximal
from holdsfor.columns.metric.profile import MetricProfile
from holdsfor.columns.metric.timeline import cells, columns_of, require_near, scale_of, together
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.checks.extremes import times_too_far
from holdsfor.compiler.metric.demand import TimeDemand
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.reach import reach
from holdsfor.compiler.metric.rules import Relation
from holdsfor.compiler.metric.stages import MetricStage, MetricStages
from holdsfor.core.compiled import compiled_core
from holdsfor.core.engine import available_threads
from holdsfor.core.host import FOREVER as CORE_FOREVER
from holdsfor.core.host import NEVER, Host
from holdsfor.core.vocabulary import NO_WORDS, Vocabulary, WordArray
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.ir.metric import Range
from holdsfor.physical.encode import Encoder
from holdsfor.physical.instructions import Site
from holdsfor.physical.metric_program import (
    Arrival,
    LoweredMetricProgram,
    lower_program,
    program_stages,
    read_relations,
)
from holdsfor.records import record
from holdsfor.syntax.terms import Term

_TOO_FAR, _NO_END = 2, 3
_OPENED, _RETRACTED = 0, 4
"""Kinds of changes, see changes.h."""
ALL_TIME = 2 * ((1 << 61) - 3) + 1
"""A query time beyond all distinguishable times, for complete answers."""


class MetricHost(Host):
    """Answers the calls of the core; metric rules have no goals."""

    def __init__(self, plan: MetricPlan, sites: list[Site]) -> None:
        super().__init__((), sites, {})
        self._plan = plan

    def follow(self, sites: list[Site]) -> None:
        """Replaces the plan."""
        self.replace((), sites, {})

    def stopped(self, reason: int, site: int, row: list[int], time: int, limit: int) -> NoReturn:
        """Raises an error for a program that derives facts for ever without a known period."""
        moving = [stratum for stratum in self._plan.strata if stratum.is_recursive and stratum.stride is not None]
        if reason == _NO_END and reach(self._plan) < FURTHEST >> 6:
            raise NeverEnds(relations=[relation for stratum in moving for relation in stratum.relations])
        if reason in (_NO_END, _TOO_FAR):
            raise ProgramError([times_too_far(tuple(dict.fromkeys(rule.origin for rule in self._plan.rules)))])
        super().stopped(reason, site, row, time, limit)


@record
class Encoded:
    """A program in encoded form."""

    program: LoweredMetricProgram
    data: bytes
    sites: list[Site]


_ENCODED: dict[int, dict[tuple[int, Arrival], Encoded]] = {}
"""By the identity of a living plan: the encoded plans by ticks per time unit and arrival of facts."""


def encoded(plan: MetricPlan, scale: int, arrival: Arrival, whole: MetricPlan | None = None) -> Encoded:
    """The encoded physical plan of a program, or of a part of the program `whole`; cached."""
    if id(plan) not in _ENCODED:
        _ENCODED[id(plan)] = {}
        weakref.finalize(plan, _ENCODED.pop, id(plan), None)
    known = _ENCODED[id(plan)]
    if (scale, arrival) not in known:
        program = lower_program(plan, scale, arrival, whole)
        encoder = Encoder()
        known[scale, arrival] = Encoded(program, encoder.encode(program.plan), encoder.sites)
    return known[scale, arrival]


class MetricDriver:
    """A program and its changing facts, on a time-line with `scale` ticks per time unit."""

    def __init__(
        self,
        plan: MetricPlan,
        dictionary: Dictionary,
        scale: int,
        arrival: Arrival,
        *,
        whole: MetricPlan | None = None,
        threads: int | None = None,
    ) -> None:
        """`whole` is the plan that determines the needed times of strata, if this plan is a part of it."""
        self._plan, self._arrival = plan, arrival
        made = encoded(plan, scale, arrival, whole)
        self.program = made.program
        host = MetricHost(plan, made.sites)
        self.core: Any = compiled_core().Core(made.data, host, False)
        self._words_of = words = host.connect(self.core)
        self._host = host
        self._vocabulary = Vocabulary(dictionary, words)
        self._holds = words.of_value("true")
        self.threads = threads or available_threads()
        self.keeps_changes = False

    def measure(self) -> None:
        """Starts to measure the evaluation times of strata."""
        self.core.keep_profile()

    def measured(self, profile: MetricProfile) -> None:
        """Stores the measurements in a profile."""
        stages = program_stages(self._plan, self._arrival).stages
        profile.set([stratum for stage in stages for stratum in stage.strata], self.core.profile())

    def keep_changes(self, is_wanted: bool) -> None:
        """Whether the core compares results, for `changed`."""
        self.keeps_changes = is_wanted
        self.core.keep_changes(is_wanted)
        outputs = set(self.program.outputs.values())
        self.core.report_only([number in outputs for number in range(len(self.program.plan.tables))])

    def refine(self, factor: int) -> None:
        """Multiplies the ticks per time unit by a factor. The core cannot compare results of different ticks, so that it
        keeps no changes any more.
        """
        self.keep_changes(False)
        made = encoded(self._plan, self.scale * factor, self._arrival)
        try:
            self.core.refine(factor, made.data)
        except (OverflowError, TypeError):
            raise HoldsforError(
                f"times this far apart cannot be distinguished by 1/{factor} of a tick: they would not fit 64-bit integers"
            ) from None
        self.program = made.program
        self._host.follow(made.sites)

    def save(self, note: Term) -> bytes:
        """The state as bytes, with a note of the caller."""
        found: bytes = self.core.save(self._words_of.word(note))
        return found

    def load(self, state: bytes) -> Term:
        """Continues from a saved state; returns the saved note."""
        try:
            word = self.core.load(state)
        except ValueError as reason:
            raise HoldsforError(str(reason)) from None
        return self._words_of.term(word)

    @property
    def scale(self) -> int:
        """The number of ticks per time unit."""
        return self.program.scale

    def push(self, relation: Relation, facts: Facts) -> None:
        """Pushes facts of a relation; facts without a reader are ignored."""
        for table in self.program.given.get(relation, ()):
            self.core.insert_intervals(table, *self._columns(facts), False, False)

    def push_final(self, relation: Relation, facts: Facts) -> int:
        """Pushes facts of a stream in time order; returns how many began before the reached time."""
        words, late = self._words(facts), 0
        for table in self.program.given.get(relation, ()):
            late += self.core.push_facts(table, facts.start, facts.end, words)
        return late

    def retract(self, relation: Relation, facts: Facts) -> None:
        """Retracts the given times of facts, regardless of their source."""
        for table in self.program.given.get(relation, ()):
            self.core.retract_intervals(table, *self._columns(facts), False, False)

    def _columns(self, facts: Facts) -> tuple[Any, ...]:
        start = np.where(facts.start <= -FOREVER, NEVER, facts.start)
        end = np.where(facts.end >= FOREVER, CORE_FOREVER, facts.end)
        value = np.full(facts.rows, self._holds, np.uint64)
        return start, end, value, self._words(facts), np.zeros(facts.rows, np.bool_)

    def _words(self, facts: Facts) -> WordArray:
        if len(facts.args) == 1:
            return self._vocabulary.words(facts.args[0])
        if not facts.args or not facts.rows:
            return NO_WORDS
        found = np.empty((facts.rows, len(facts.args)), np.uint64)
        for place, column in enumerate(facts.args):
            found[:, place] = self._vocabulary.words(column)
        return found.reshape(-1)

    def everything(self, start: int | None, end: int | None) -> None:
        """Derives everything between two cells; None is without limit."""
        self.core.begin_at(NEVER if start is None else start)
        self.core.advance(ALL_TIME if end is None else end, self.threads, True)

    def facts(self, relation: Relation, after: int | None = None) -> Facts:
        """The maximal intervals of an output on a stream, or those that end after a cell."""
        start, end, _, words = self.core.answers(self.program.outputs[relation], self.threads)
        if after is not None:
            rows = np.flatnonzero(end > after)
            start, end, words = start[rows], end[rows], _rows_of(words, relation.arity, rows)
        return self._made(relation.arity, start, end, words)

    def changed(self) -> dict[Relation, tuple[Facts, Facts]]:
        """The intervals of outputs that differ since the last call: as they were, and as they are."""
        columns = self.core.changes(0).columns()
        table, op, first = columns["table"], columns["op"], columns["offsets"][:-1]
        found = {}
        for relation, number in self.program.outputs.items():
            both = []
            for absent, side in ((_OPENED, "prev_"), (_RETRACTED, "")):
                rows = np.flatnonzero((table == number) & (op != absent))
                places = first[rows, None] + np.arange(relation.arity)
                words = columns["columns"][places.reshape(-1)]
                both.append(
                    self._made(relation.arity, columns[f"{side}start"][rows], columns[f"{side}end"][rows], words)
                )
            found[relation] = (both[0], both[1])
        return found

    def found(self, relation: Relation) -> tuple[Facts, Repeating | None]:
        """The intervals of an output, and its repeating facts, if any."""
        start, end, value, words = self.core.answers(self.program.outputs[relation], self.threads)
        found = self._made(relation.arity, start, end, words)
        repeats = value != self._holds
        if not np.logical_or.reduce(repeats):
            return found, None
        rows = np.flatnonzero(repeats)
        return found.take(np.flatnonzero(~repeats)), Repeating(found.take(rows), value[rows].view(np.int64) >> 2)

    def _made(self, arity: int, start: Ints, end: Ints, words: WordArray) -> Facts:
        np.maximum(start, -FOREVER, out=start)
        np.minimum(end, FOREVER, out=end)
        return Facts(tuple(self._vocabulary.columns(words, arity)), start, end)


def _rows_of(words: WordArray, width: int, rows: Ints) -> WordArray:
    """Some rows of words in row-major order."""
    found: WordArray = words.reshape(-1, width)[rows].reshape(-1) if width else words
    return found


def materialise(
    plan: MetricPlan,
    facts: FactSet,
    dictionary: Dictionary,
    start: Fraction | None = None,
    end: Fraction | None = None,
    profile: MetricProfile | None = None,
) -> FactSet:
    """The maximal facts of all predicates that rules define, within the closed interval from start to end.

    Raises NeverEnds if infinitely many facts can be derived and no limit was given.
    """
    scale = lcm(scale_of(plan.rules, plan.facts), facts.scale, *(p.denominator for p in (start, end) if p is not None))
    require_near(start, scale, "the start")
    require_near(end, scale, "the end")
    driver = MetricDriver(plan, dictionary, scale, Arrival.TOGETHER)
    if profile is not None:
        driver.measure()
    known = together([facts, columns_of(plan.facts, scale, dictionary)], scale, read_relations(plan))
    for relation, table in known.items():
        driver.push(relation, table)
    low, high = cells(Range(start, end), scale)
    driver.everything(None if start is None else low, None if end is None else high - 1)
    if profile is not None:
        driver.measured(profile)
    tables: dict[Signature, Facts] = {}
    repeats: dict[Signature, Repeating] = {}
    for relation in plan.outputs:
        signature = (relation.name, relation.arity)
        found, repeating = driver.found(relation)
        tables[signature] = found.clipped(low, high)
        if repeating is None:
            continue
        pieces = [tables[signature]]
        spelled_out, endless = repeating.spelled_out(low, high)
        pieces.append(spelled_out)
        if endless is not None:
            repeats[signature] = endless
            pieces.append(endless.facts.clipped(low, high))
        tables[signature] = maximal(pieces)
    return FactSet(scale, tables, repeats=repeats)


def materialise_stage(
    plan: MetricPlan,
    stages: MetricStages,
    stage: MetricStage,
    given: Mapping[Relation, Facts],
    scale: int,
    dictionary: Dictionary,
    start: Fraction | None = None,
    end: Fraction | None = None,
) -> dict[Relation, Facts]:
    """The maximal facts of the outputs of one stage of a program, as far as the outputs of the program `plan` need them
    from start to end; `given` are the input facts of the stage.

    Raises NeverEnds, also if facts repeat for ever and later stages need all of them.
    """
    driver = MetricDriver(plan, dictionary, scale, Arrival.TOGETHER, whole=stages.plan, threads=1)
    for relation, facts in given.items():
        driver.push(relation, facts)
    for point in (start, end):
        require_near(point, scale, "the time")
    low, high = cells(Range(start, end), scale)
    driver.everything(None if start is None else low, None if end is None else high - 1)
    tables: dict[Relation, Facts] = {}
    for relation in plan.outputs:
        tables[relation], repeating = driver.found(relation)
        if repeating is None:
            continue
        is_read = any(
            (one.relation, one.made_in) == (relation, stage.number)
            for other in stages.stages
            for one in other.deliveries
        )
        first, last = TimeDemand(stages.plan, start, end).of_relation(relation) if is_read else (start, end)
        spelled_out, endless = repeating.spelled_out(*cells(Range(first, last), scale))
        if endless is not None:
            raise _never_ends(relation, endless, scale)
        tables[relation] = maximal([tables[relation], spelled_out])
    return tables


def _never_ends(relation: Relation, repeating: Repeating, scale: int) -> NeverEnds:
    """The start and period of facts that repeat for ever; those into the future take precedence."""
    leads_on = repeating.period > 0
    forward = bool(leads_on.any())
    facts = repeating.facts.take(np.flatnonzero(leads_on == forward))
    since = int(facts.start.min() if forward else facts.end.max())
    period = abs(int(repeating.period[leads_on == forward][0]))
    return NeverEnds(Fraction(since >> 1, scale), Fraction(period >> 1, scale), (relation,))
