"""An edit of the maritime description, and a threshold of it that is tuned, over a stream that is in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.suite.data import maritime, maritime_rules

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import Texts
from holdsfor.columns.tables import FOREVER
from holdsfor.io.builder import Reading
from holdsfor.io.rejects import Rejects
from holdsfor.loading import Reasoner
from holdsfor.recognition import Recognition
from holdsfor.review.diff import Diff, compared
from holdsfor.review.labels import LabelledInterval
from holdsfor.review.running import EventInput, Runs
from holdsfor.review.trials import Trials
from holdsfor.review.tuning import Tuning, tuning_of
from holdsfor.review.varying import read_parameter

TUNED = maritime_rules.RULES.replace(
    "initiatedAt(trawlSpeed(V)=true, T) :- happensAt(velocity(V,S), T), S >= 1, S =< 9,",
    "fastest(9).\ninitiatedAt(trawlSpeed(V)=true, T) :- happensAt(velocity(V,S), T), S >= 1, fastest(L), S =< L,",
).replace("happensAt(velocity(V,S), T), S > 9.", "happensAt(velocity(V,S), T), fastest(L), S > L.")
"""The description with the speed up to which vessels trawl as a fact."""


class InMemory(Runs):
    """Runs over a stream that has been read."""

    def __init__(self, events: int, vessels: int, decimals: int = 1) -> None:
        super().__init__(EventInput({}))
        dictionary = Dictionary()
        stream = maritime.whole_stream(dictionary, events, vessels, decimals)
        self.read = Reading(stream, dictionary, events, {}, set(), Rejects())
        self._readings = [(None, self.read)]  # type: ignore[list-item]

    def reading(self, reasoner: Reasoner) -> Reading:
        """The stream."""
        del reasoner
        return self.read


def run(runs: InMemory, reasoner: Reasoner) -> Any:
    """All eleven outputs, once."""
    return list(Recognition(reasoner.plan, runs.read))


def diff(runs: InMemory, old: str, new: str) -> Diff:
    """An edit of one rule; the stream is in memory, all else is worked out."""
    return compared((loads(old), loads(new)), runs)


def labels(runs: InMemory) -> list[LabelledInterval]:
    """What the description finds is labelled, with ends that are somewhat off."""
    from holdsfor.result import Result
    from holdsfor.review.history import history_of

    reasoner = loads(TUNED)
    recognition = Recognition(reasoner.plan, runs.read)
    found = history_of(Result(list(recognition), Texts(runs.read.dictionary), recognition.summary))
    random = np.random.default_rng(2)
    rows = [place for place in range(len(found)) if found.subjects[found.key[place]].name == "trawling"]
    return [
        LabelledInterval(
            found.subjects[found.key[place]],
            int(found.start[place]) + int(random.integers(0, 60)),
            int(found.end[place]),
        )
        for place in rows
        if 60 < found.end[place] - found.start[place] < FOREVER // 2
    ]


def tuned(runs: InMemory, listed: list[LabelledInterval], vary: str, most: int) -> Tuning:
    """A threshold in a range of values."""
    reasoner = loads(TUNED)
    program = reasoner.analysis.resolved
    work = Trials(reasoner, program, runs, listed, [read_parameter(vary, program)], most, any_order=False)
    return tuning_of(work, work.choices(), "time", 0.7, (0, 0.0))
