"""What a profile of a run says."""

from __future__ import annotations

from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.profile import Profile
from holdsfor.engine.run import Run
from holdsfor.engine.stream import from_records
from holdsfor.engine.windows import WindowPlan
from holdsfor.reference import Occurrence
from holdsfor.syntax.terms import Compound, Const

RULES = """
    initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
    happensAt(opened(D), T) :- happensAt(start(open(D)=true), T).
"""


def test_time_and_rows_of_every_stratum() -> None:
    reasoner, dictionary, profile = loads(RULES), Dictionary(), Profile()
    records = [
        Occurrence(Compound("unlock", (Const(name),)), time, time) for time, name in ((3, "a"), (5, "a"), (15, "b"))
    ]
    stream = from_records(records, reasoner.analysis.entities, dictionary)
    run = Run(reasoner.plan, dictionary, stream, WindowPlan(10, 10, 0, 20), profile=profile)
    assert len(list(run)) == 2
    opening, opened = (profile.strata[stratum.number] for stratum in reasoner.plan.strata)
    assert opening.seconds > 0
    assert (opening.rows_in, opening.rows_out) == (3, 3)  # two occurrences, then one; one interval, then two
    assert (opened.rows_in, opened.rows_out) == (3, 2)
