"""Drives the core for programs of metric rules alone: facts go in and are taken back, time goes on, answers come out."""

from __future__ import annotations

import weakref
from fractions import Fraction
from math import lcm
from typing import Any, NoReturn

import numpy as np

from holdsfor.compiler.metric.checks.extremes import times_too_far
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.compiler.metric.stages import metric_stages
from holdsfor.core.compiled import compiled_core
from holdsfor.core.engine import available_threads
from holdsfor.core.host import FOREVER as CORE_FOREVER
from holdsfor.core.host import NEVER, Host
from holdsfor.core.vocabulary import NO_WORDS, Vocabulary, WordArray
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric.carried import NeverEnds
from holdsfor.engine.metric.facts import Facts, FactSet, Repeating, Signature, maximal
from holdsfor.engine.metric.profile import MetricProfile
from holdsfor.engine.metric.timeline import cells, columns_of, require_near, scale_of, together
from holdsfor.engine.tables import FOREVER
from holdsfor.ir.metric import Range
from holdsfor.physical.encode import Encoder
from holdsfor.physical.metric_program import MetricProgram, lower_program, read_relations
from holdsfor.physical.model import Site
from holdsfor.records import record
from holdsfor.syntax.terms import Term

_TOO_FAR, _NO_END = 2, 3
ALL_TIME = 2 * ((1 << 61) - 3) + 1
"""A query time after which nothing is told apart: everything is asked about."""


class MetricHost(Host):
    """What the core asks back; metric rules have no goals."""

    def __init__(self, plan: MetricPlan, sites: list[Site]) -> None:
        super().__init__((), sites, {})
        self._plan = plan

    def follow(self, sites: list[Site]) -> None:
        """Another plan from now on."""
        self.replace((), sites, {})

    def stopped(self, reason: int, site: int, row: list[int], time: int, limit: int) -> NoReturn:
        """A program without an end, and without a period that was found, is refused."""
        if reason == _NO_END:
            raise NeverEnds
        if reason == _TOO_FAR:
            raise ProgramError([times_too_far(tuple(dict.fromkeys(rule.origin for rule in self._plan.rules)))])
        super().stopped(reason, site, row, time, limit)


@record
class Encoded:
    """A program as the core takes it."""

    program: MetricProgram
    data: bytes
    sites: list[Site]


_ENCODED: dict[int, dict[tuple[int, bool], Encoded]] = {}
"""By the identity of a plan, for as long as that lives: by ticks to a unit of time, and whether it is for a stream."""


def encoded(plan: MetricPlan, scale: int, *, is_stream: bool) -> Encoded:
    """The physical plan of a program as bytes. It is made once."""
    if id(plan) not in _ENCODED:
        _ENCODED[id(plan)] = {}
        weakref.finalize(plan, _ENCODED.pop, id(plan), None)
    known = _ENCODED[id(plan)]
    if (scale, is_stream) not in known:
        program = lower_program(plan, scale, is_stream=is_stream)
        encoder = Encoder()
        known[scale, is_stream] = Encoded(program, encoder.encode(program.plan), encoder.sites)
    return known[scale, is_stream]


class MetricDriver:
    """A program and its changing facts, on a time-line of `scale` ticks to a unit of time."""

    def __init__(
        self, plan: MetricPlan, dictionary: Dictionary, scale: int, *, is_stream: bool, threads: int | None = None
    ) -> None:
        self._plan = plan
        made = encoded(plan, scale, is_stream=is_stream)
        self.program = made.program
        host = MetricHost(plan, made.sites)
        self.core: Any = compiled_core().Core(made.data, host, False)
        self._words_of = words = host.connect(self.core)
        self._host = host
        self._vocabulary = Vocabulary(dictionary, words)
        self._holds = words.of_value("true")
        self.threads = threads or available_threads()

    def measure(self) -> None:
        """Have it measured from now on how long strata take."""
        self.core.keep_profile()

    def measured(self, profile: MetricProfile) -> None:
        """Note what was measured."""
        profile.set(
            [stratum for stage in metric_stages(self._plan).stages for stratum in stage.strata], self.core.profile()
        )

    def refine(self, factor: int) -> None:
        """Have so many times the ticks to a unit of time."""
        made = encoded(self._plan, self.scale * factor, is_stream=True)
        self.program = made.program
        self.core.refine(factor, made.data)
        self._host.follow(made.sites)

    def save(self, note: Term) -> bytes:
        """The state as bytes, with what the caller wants back with it."""
        found: bytes = self.core.save(self._words_of.word(note))
        return found

    def load(self, state: bytes) -> Term:
        """Go on from a saved state; what was noted with it."""
        try:
            word = self.core.load(state)
        except ValueError as reason:
            raise HoldsforError(str(reason)) from None
        return self._words_of.term(word)

    @property
    def scale(self) -> int:
        """The ticks to a unit of time."""
        return self.program.scale

    def push(self, relation: Relation, facts: Facts) -> None:
        """Take in facts of a relation; no rule reads those of others."""
        for table in self.program.given.get(relation, ()):
            self.core.insert_intervals(table, *self._columns(facts), False, False)

    def retract(self, relation: Relation, facts: Facts) -> None:
        """Take facts back: the time that they say, whoever said it."""
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
        """Find all that follows, from one cell to another; None is without end."""
        self.core.begin_at(NEVER if start is None else start)
        self.core.advance(ALL_TIME if end is None else end, self.threads, True)

    def facts(self, relation: Relation) -> Facts:
        """What holds of an output: maximal intervals."""
        return self.found(relation)[0]

    def found(self, relation: Relation) -> tuple[Facts, Repeating | None]:
        """The same, and what repeats for ever, if something does."""
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


def materialise(
    plan: MetricPlan,
    facts: FactSet,
    dictionary: Dictionary,
    start: Fraction | None = None,
    end: Fraction | None = None,
    profile: MetricProfile | None = None,
) -> FactSet:
    """The maximal facts of all predicates that rules define, within the closed interval from start to end.

    Raises NeverEnds if there is no end to what can be derived, and none was given.
    """
    scale = lcm(scale_of(plan.rules, plan.facts), facts.scale, *(p.denominator for p in (start, end) if p is not None))
    require_near(start, scale, "the start")
    require_near(end, scale, "the end")
    driver = MetricDriver(plan, dictionary, scale, is_stream=False)
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
        if repeating is not None:
            repeats[signature] = repeating
            tables[signature] = maximal([tables[signature], repeating.facts.clipped(low, high)])
    return FactSet(scale, tables, repeats=repeats)
