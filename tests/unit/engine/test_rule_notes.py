"""What is worked out once for a plan: facts put into bodies, rules that begin alike, numbers without codes."""

from __future__ import annotations

import numpy as np

from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.frames import Codes, Frame, Numbers
from holdsfor.engine.patterns import ONCE
from holdsfor.engine.prefixes import NOT_SHARED
from holdsfor.engine.relations import Lookup, join
from holdsfor.engine.report import event_rows
from holdsfor.engine.rule_notes import rule_notes
from holdsfor.engine.run import run
from holdsfor.engine.stream import from_records
from holdsfor.ir import Call, Compare, EffectRule, Happens
from holdsfor.reference.history import Occurrence
from holdsfor.syntax.terms import Compound, Const

RULES = """
limit(slow, 5).
limit(fast, 20).
kind(a, boat).
kind(b, ship).
kind(c, ship).
initiatedAt(moving(V, Kind)=true, T) :-
    happensAt(speed(V, S, _Course), T), limit(slow, L), S > L, kind(V, Kind).
initiatedAt(racing(Boat)=Least, Now) :-
    happensAt(speed(Boat, Knots, _), Now), limit(fast, Least), Knots > Least.
happensAt(twice(V, D), T) :- happensAt(speed(V, S, _Course), T), D is 2.5 * S.
initiatedAt(quick(V)=true, T) :- happensAt(twice(V, D), T), D >= 30.
"""


def test_facts_with_one_answer_are_put_in() -> None:
    plan = loads(RULES).plan
    notes = rule_notes(plan)
    moving, racing, _ = (rule for rule in plan.analysis.program.rules if isinstance(rule, EffectRule))
    body = notes.body(moving)
    assert [type(literal) for literal in body] == [Happens, Compare, Call]
    assert isinstance(body[1], Compare) and body[1].right == Const(5)
    # What the head asks for is still given to it.
    assert Compare("=", notes.head(racing).terms[-1], Const(20)) in notes.body(racing)


def test_variables_that_occur_once_have_no_column() -> None:
    plan = loads(RULES).plan
    rule = next(rule for rule in plan.analysis.program.rules if isinstance(rule, EffectRule))
    happens = rule_notes(plan).body(rule)[0]
    assert isinstance(happens, Happens)
    asked = rule_notes(plan).asked(happens)
    assert sum(name.startswith(ONCE) for name in asked.pattern.names) == 1
    columns = [Codes(np.arange(2)), Numbers(np.arange(2)), Codes(np.arange(2)), Numbers(np.arange(2))]
    assert len(asked.pattern.match(columns, 2, Dictionary()).columns) == 3


def test_rules_that_begin_alike_share_stages() -> None:
    plan = loads(RULES).plan
    notes = rule_notes(plan)
    moving, racing, quick = (rule for rule in plan.analysis.program.rules if isinstance(rule, EffectRule))
    assert notes.path(moving)[0][0] == notes.path(racing)[0][0] != NOT_SHARED
    assert notes.path(quick)[0][0] == NOT_SHARED


def test_computed_numbers_get_no_codes() -> None:
    reasoner, dictionary = loads(RULES), Dictionary()
    speeds = (Const(vessel) for vessel in "abc" * 30)
    records = [
        Occurrence(Compound("speed", (vessel, Const(time / 3), Const(0))), time, time)
        for time, vessel in enumerate(speeds)
    ]
    stream = from_records(records, reasoner.analysis.entities, dictionary)
    codes = len(dictionary)
    (answer,) = run(reasoner.plan, dictionary, stream)
    events, fluents = list(answer.events.values()), {symbol.name: table for symbol, table in answer.fluents.items()}
    assert len(events[0]) == 90 and isinstance(events[0].args[1], Numbers)
    # Constants of the rules are added, no products.
    assert len(dictionary) < codes + 12
    assert fluents["quick"].start.tolist() == [37, 38, 39]
    assert "twice(b,0.8333333333333333)" in [row.event for row in event_rows([answer], dictionary)]


def test_a_lookup_joins_like_a_join() -> None:
    dictionary = Dictionary()
    codes = dictionary.encode(list("abcdef"))
    for keys in (codes[[3, 1, 4]], codes[[3, 1, 3, 5, 1]]):
        facts = Frame(len(keys), {"K": Codes(keys), "V": Codes(codes[: len(keys)])})
        frame = Frame(6, {"K": Codes(codes), "N": Numbers(np.arange(6))})
        one, other = Lookup(facts, dictionary).join(frame), join(frame, facts, dictionary)
        assert one.rows == other.rows
        for name in "KVN":
            assert _data(one, name) == _data(other, name)


def _data(frame: Frame, name: str) -> list[int]:
    column = frame.columns[name]
    assert isinstance(column, Codes | Numbers)
    found: list[int] = column.data.tolist()
    return found
