"""Answers a question with an explanation: selects input, runs the engine, builds the proof."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import Stream
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.demand import demand_of
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.forgotten import everything, window_notes
from holdsfor.explain.frame import Frame
from holdsfor.explain.known import Recording
from holdsfor.explain.limits import DEPTH, MOST_DEPTH
from holdsfor.explain.nodes import Kind, Node
from holdsfor.explain.proofs import Prover
from holdsfor.explain.questions import Question, read_question
from holdsfor.explain.sources import Sources, with_rows
from holdsfor.explain.strangers import strangers
from holdsfor.explain.wording import point_text, times_in
from holdsfor.times import TimeScale


class Asked:
    """A stream about which questions can be asked."""

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
        asked = read_question(question, self._plan.analysis.entities)
        query = self._query_time(int(at), query_time)
        case = self.case(asked, query)
        with times_in(self._time_scale):
            return self._explained(case, asked, int(at), MOST_DEPTH if depth is None else min(depth, MOST_DEPTH))

    def why(self, question: str, at: int, *, query_time: int | None = None, depth: int | None = DEPTH) -> Explanation:
        """Explains why something holds at a time-point; raises HoldsforError if it does not."""
        found = self.explain(question, at, query_time=query_time, depth=depth)
        if not found.holds:
            raise HoldsforError(f"{found.headline}; ask why_not")
        return found

    def why_not(
        self, question: str, at: int, *, query_time: int | None = None, depth: int | None = DEPTH
    ) -> Explanation:
        """Explains why something does not hold at a time-point; raises HoldsforError if it does."""
        found = self.explain(question, at, query_time=query_time, depth=depth)
        if found.holds:
            raise HoldsforError(f"{found.headline}; ask why")
        return found

    def _query_time(self, at: int, given: int | None) -> int:
        if given is None:
            return self._frame.query_for(at)
        queries = self._frame.windows.query_times
        if given not in queries:
            with times_in(self._time_scale):
                asked, first, last = map(point_text, (given, queries[0], queries[-1]))
            raise HoldsforError(f"{asked} is not a query time of these windows; they run from {first} to {last}")
        return given

    def case(self, asked: Question, query: int) -> Case:
        """The case of a question: the input that it needs, and the results."""
        narrowed = demand_of(self._plan, asked.symbol, asked.term).narrowed(self.stream, self._dictionary)
        given = frozenset((*self.stream.events, *self.stream.fluents))
        return Case(self._plan, narrowed, self._dictionary, self._frame, query, given)

    def _explained(self, case: Case, asked: Question, at: int, depth: int) -> Explanation:
        evidence = case.evidence
        prover = Prover(evidence)
        notes = [*strangers(asked, self._dictionary), *case.notes(asked, at)]
        if asked.value is None:
            holds = evidence.happens(asked.term, at)
            root = prover.event(asked.term, at, depth) if holds else prover.refuter.no_event(asked.term, at, depth)
        else:
            pair = asked.term, asked.value
            holds = evidence.holds(pair, at)
            root = prover.holds(pair, at, depth) if holds else prover.refuter.absent(pair, at, depth)
        if root is None:
            root = Node(Kind.NOTE, f"{asked.shown} holds at {point_text(at)}, but no rule was found that says so")
        root = with_rows(root, self._sources, self._plan)
        windowed = None if self._frame.windows.size is None else case.query
        return Explanation(
            asked.shown, point_text(at), holds, root, windowed, tuple(notes), time_scale=self._time_scale, basis=case
        )


class Case:
    """The rows that a question needs, as known at a query time, and their results."""

    def __init__(
        self,
        plan: Plan,
        stream: Stream,
        dictionary: Dictionary,
        frame: Frame,
        query: int,
        given: frozenset[Symbol],
    ) -> None:
        self.plan, self.stream, self.dictionary = plan, stream, dictionary
        self.frame, self.query = frame, query
        self._recording = Recording(plan, dictionary, stream, given)
        self.evidence = self._evidence(frame.windows)

    def with_all_rows(self) -> Evidence:
        """The results without forgetting by windows."""
        return self._evidence(everything(self.query, self.frame.windows))

    def _evidence(self, windows: WindowPlan) -> Evidence:
        return self._recording.evidence(windows, self.query, self.frame.origin)

    def notes(self, asked: Question, at: int) -> list[str]:
        """Notes about the influence of windows on the answer."""
        return window_notes(self, asked, at)
