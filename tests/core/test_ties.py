"""Keys that rows and facts tie: groups are evaluated as one key, others for themselves, and groups fall apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.core.engine import Engine
from holdsfor.core.program import encoded
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.explain.asking import Explainer
from holdsfor.loading import Reasoner
from holdsfor.physical.describe import plan_text
from holdsfor.reference import Occurrence
from holdsfor.reference.history import event_term

RULES = """
initiatedAt(ill(X)=true, T) :- happensAt(infect(X), T).
initiatedAt(ill(X)=true, T) :- happensAt(meet(X, Y), T), holdsAt(ill(Y)=true, T).
terminatedAt(ill(X)=true, T) :- happensAt(cure(X), T).
"""


class Run:
    """An engine that is given events by name."""

    def __init__(self, reasoner: Reasoner, window: int | None = None) -> None:
        self.reasoner = reasoner
        self.engine = Engine(reasoner.plan, window, threads=1)
        self.vocabulary = Vocabulary(Dictionary(), self.engine.words)

    def push(self, *happened: tuple[int, str]) -> None:
        records = []
        for time, text in happened:
            name, _, rest = text.rstrip(")").partition("(")
            records.append(Occurrence(event_term(name, rest.split(",")), time, time))
        stream = from_records(records, self.reasoner.analysis.entities, self.vocabulary.dictionary)
        for rows, _ in self.engine.rows_of(stream, self.vocabulary):
            self.engine.push(rows)

    def advance(self, query: int) -> int:
        """How many keys are evaluated."""
        before = self.engine.core.evaluated
        self.engine.advance(query)
        return int(self.engine.core.evaluated - before)


def test_the_plan_says_what_ties_keys() -> None:
    shown = plan_text(encoded(loads(RULES).plan).lowered.plan)
    assert "stage 1: key of 1 column, tied\n  because the rule at <rules>:3 reads its own cycle" in shown
    assert "  keys tied by meet/2, columns 1 and 2\n" in shown


TYING = [
    "happensAt(meet(X,Z), T), happensAt(meet(Z,Y), T)",
    "happensAt(infect(Y), T), kin(Y,X)",
    "happensAt(cure(X), T), holdsAt(bond(X,Y)=true, T)",
]
NOT_TYING = ["happensAt(cure(X), T), happensAt(infect(Y), T)", "happensAt(cure(X), T), \\+ happensAt(meet(X,Y), T)"]


@pytest.mark.parametrize("conditions", [*TYING, *NOT_TYING])
def test_which_conditions_tie(conditions: str) -> None:
    rules = f"""
    initiatedAt(ill(X)=true, T) :- happensAt(infect(X), T).
    initiatedAt(ill(X)=true, T) :- {conditions}, holdsAt(ill(Y)=true, T).
    initiatedAt(bond(X,Y)=true, T) :- happensAt(meet(X,Y), T).
    kin(a,b).
    """
    stages = encoded(loads(rules).plan).lowered.plan.stages
    assert any(one.is_tied for one in stages) is (conditions in TYING)
    assert any(not one.key for one in stages) is (conditions not in TYING)


def test_only_the_group_is_evaluated() -> None:
    run = Run(loads(RULES))
    run.push(*((1, f"infect(p{number})") for number in range(100)))
    assert run.advance(1) == 100
    run.push((2, "meet(p1,p2)"), (2, "meet(p3,p2)"), (2, "cure(p9)"))
    assert run.advance(2) == 2
    run.push((3, "cure(p3)"))
    assert run.advance(3) == 1


def test_groups_fall_apart_and_keys_are_forgotten() -> None:
    run = Run(loads(RULES), window=10)
    counts = []
    for step in range(40):
        now = 20 * step
        people = [f"p{now + number}" for number in range(8)]
        run.push((now + 1, f"infect({people[0]})"))
        run.push(*((now + 2 + place, f"meet({other},{one})") for place, (one, other) in enumerate(pairwise(people))))
        # Everyone is tied to those before by one who stays.
        run.push((now + 11, f"meet(stays,{people[0]})"), (now + 12, "cure(stays)"))
        run.push(*((now + 13, f"cure({one})") for one in people))
        run.advance(now + 19)
        counts.append((run.engine.core.keys, run.engine.core.rows))
    assert max(counts[20:]) <= max(counts[:20])
    assert max(keys for keys, _ in counts) <= 20


def test_a_group_of_which_some_goes_on_falls_apart() -> None:
    run = Run(loads(RULES), window=5)
    run.push((1, "infect(a)"), (2, "meet(b,a)"), (3, "meet(c,b)"))
    run.advance(3)
    assert run.engine.core.keys == 3
    for now in range(10, 60, 5):
        run.push((now, "infect(z)"), (now, "meet(a,z)"))
        run.advance(now)
    # All are still ill, but only two are tied: two other groups are not evaluated when something happens to them.
    run.push((60, "cure(a)"))
    assert run.advance(60) == 1
    run.push((61, "cure(b)"), (62, "cure(c)"))
    assert run.advance(62) == 2


def test_facts_tie() -> None:
    rules = (
        "initiatedAt(ill(X)=true, T) :- happensAt(infect(X), T)."
        "initiatedAt(ill(X)=true, T) :- happensAt(infect(Y), T), kin(Y,X), holdsAt(ill(Y)=true, T)."
        "kin(a,b). kin(b,c). kin(d,e)."
    )
    run = Run(loads(rules))
    run.push(*((1, f"infect({one})") for one in "acde"))
    assert run.advance(1) == 2


def test_explanations_look_at_the_whole_group() -> None:
    """Of a key in a group, and of one that no row mentions: facts tie it."""
    rules = (
        RULES + "initiatedAt(ill(X)=true, T) :- happensAt(infect(Y), T), kin(Y,X), holdsAt(ill(Y)=true, T). kin(a,x)."
    )
    records = [("infect", "a", 1), ("infect", "a", 2), ("meet", "b,a", 3), ("meet", "c,b", 4)]
    stream = [Occurrence(event_term(name, args.split(",")), time, time) for name, args, time in records]
    reasoner = loads(rules)
    dictionary = Dictionary()
    asked = Explainer(reasoner.plan, from_records(stream, reasoner.analysis.entities, dictionary), dictionary)
    for who, at in (("c", 6), ("x", 4)):
        assert str(asked.explain(f"ill({who})=true", at)).startswith(f"ill({who})=true holds at {at}")


def test_the_last_query_time() -> None:
    """Only results are left of a group then: nothing is looked at that could fall apart."""
    run = Run(loads(RULES), window=5)
    run.push((1, "infect(a)"), (2, "meet(b,a)"), (3, "meet(c,b)"))
    run.advance(3)
    run.push((20, "meet(d,c)"))
    run.engine.advance(20, is_last=True)
    ((table,),) = [[some for symbol, some in run.engine.answer(run.vocabulary).fluents.items() if symbol.name == "ill"]]
    assert len(table) == 4
