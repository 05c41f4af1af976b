"""Answers a question with an explanation: selects input, runs the engine, builds the proof."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.stream import Stream
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.analysis.mixing import read_atoms
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.demand import demand_of, narrowed_facts
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.forgotten import window_notes
from holdsfor.explain.known import Case, Frame
from holdsfor.explain.limits import DEPTH, MOST_DEPTH, MOST_STEPS
from holdsfor.explain.metric_proofs import MetricProver
from holdsfor.explain.metric_refutations import MetricRefuter
from holdsfor.explain.metric_world import MetricWorld
from holdsfor.explain.nodes import Deriving, Happening, Kind, Node
from holdsfor.explain.proofs import Prover
from holdsfor.explain.questions import Question, read_metric_question, read_question, strangers
from holdsfor.explain.sources import Sources, with_rows
from holdsfor.explain.wording import moment_text, point_text, ranges_text, times_in
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import Atom, MetricProgram
from holdsfor.reference.metric.evaluator import atom_times
from holdsfor.times import TimeScale


class Explainer:
    """Explains the results of event rules over a stream."""

    def __init__(
        self,
        plan: Plan,
        stream: Stream,
        dictionary: Dictionary,
        windows: WindowPlan | None = None,
        *,
        frame: Frame | None = None,
        sources: Sources | None = None,
        time_scale: TimeScale | None = None,
    ) -> None:
        if plan.clock_tick != 1:
            raise HoldsforError("explanations are only for a clock tick of 1")
        self._plan, self.stream, self._dictionary = plan, stream, dictionary
        self._frame = frame or Frame.of(stream, windows)
        self._sources = sources or Sources()
        self._time_scale = time_scale

    def explain(
        self, question: str, at: int, *, query_time: int | None = None, depth: int | None = DEPTH
    ) -> Explanation:
        """Explains why something holds at a time-point, or why not."""
        if isinstance(at, bool) or not isinstance(at, int | np.integer):
            raise HoldsforError(f"a time-point is a whole number, not {at!r}")
        parsed = read_question(question, self._plan.analysis.entities)
        with times_in(self._time_scale):
            query = self._query_time(int(at), query_time)
            return self._explained(self.case(parsed, query), parsed, int(at), _levels(depth))

    def _query_time(self, at: int, given: int | None) -> int:
        queries = self._frame.windows.query_times
        if given is not None and given not in queries:
            wanted, first, last = map(point_text, (given, queries[0], queries[-1]))
            raise HoldsforError(f"{wanted} is not a query time of these windows; they run from {first} to {last}")
        return self._frame.query_for(at) if given is None else given

    def case(self, question: Question, query: int) -> Case:
        """The case of a question: the input that it needs, and the results."""
        needed = demand_of(self._plan, question.symbol, question.term).narrowed(self.stream, self._dictionary)
        given = frozenset((*self.stream.events, *self.stream.fluents))
        return Case(self._plan, needed, self._dictionary, self._frame, query, given)

    def _explained(self, case: Case, question: Question, at: int, depth: int) -> Explanation:
        prover = Prover(case.evidence)
        notes = (*strangers(question, self._dictionary), *window_notes(case, question, at))
        holds = question.holds(case.evidence, at)
        root: Node | None
        if question.value is None:
            root = (
                prover.proof(Happening(question.term, at), depth)
                if holds
                else prover.refuter.no_event(question.term, at, depth)
            )
        else:
            pair = question.term, question.value
            root = prover.holds(pair, at, depth) if holds else prover.refuter.absent(pair, at, depth)
        if root is None:
            root = Node(Kind.NOTE, f"{question.shown} holds at {point_text(at)}, but no rule was found that says so")
        root = with_rows(root, self._sources, self._plan)
        windowed = None if self._frame.windows.size is None else case.query
        return Explanation(question.shown, point_text(at), holds, root, windowed, notes, self._time_scale, case)


@dataclass(frozen=True)
class MetricExplainer:
    """Explains the results of metric rules over facts, within a start and an end; None is all of time."""

    program: MetricProgram
    facts: FactSet
    dictionary: Dictionary
    within: tuple[Fraction | None, Fraction | None] = (None, None)
    notes: tuple[str, ...] = ()
    time_scale: TimeScale | None = None

    def explain(self, question: str, at: Fraction, *, depth: int | None = DEPTH) -> Explanation:
        """Explains why a fact holds at a time, or why not."""
        read = {atom.signature for rule in self.program.rules for atom in read_atoms(rule)}
        parsed = read_metric_question(
            question, read | {rule.head.signature for rule in self.program.rules} | set(self.facts.tables)
        )
        low, high = self.within
        with times_in(self.time_scale):
            if (low is not None and at < low) or (high is not None and at > high):
                first, last = ("…" if end is None else moment_text(end) for end in self.within)
                raise HoldsforError(f"the run is about the time from {first} to {last}, not about {moment_text(at)}")
            return self._explained(parsed, at, _levels(depth))

    def _explained(self, atom: Atom, at: Fraction, depth: int) -> Explanation:
        program, facts = narrowed_facts(self.program, self.facts, self.dictionary, atom)
        world = MetricWorld(program, facts, self.dictionary, at, self.within)
        prover, refuter = MetricProver(world), MetricRefuter(world)
        held, notes = atom_times(atom, {}, world), self.notes
        if at in held:
            root, notes = prover.atom(atom, {}, at, world, depth), ()
        else:
            text = f"{metric_text(atom)} does not hold at {moment_text(at)}"
            text += f"; it holds on {ranges_text(held.ranges(), at)}" if held else ""
            below = refuter.refutation(atom, at, depth)
            root = Node(Kind.ABSENT, text, holds=False, claim=Deriving(atom, {}, at), children=below)
        if prover.is_cut or refuter.is_cut:
            notes += (f"what needs more than {MOST_STEPS} steps is left out: ask about one of the last steps to go on",)
        shown = metric_text(atom), moment_text(at)
        return Explanation(*shown, at in held, root, None, notes, self.time_scale, world)


def _levels(depth: int | None) -> int:
    return MOST_DEPTH if depth is None else min(depth, MOST_DEPTH)
