"""Traces: rules that are run again in a key that has been evaluated, whole and in part."""

from __future__ import annotations

import pytest

import holdsfor
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.core.engine import Engine
from holdsfor.core.feed import Feed
from holdsfor.core.trace import RuleTrace, Traces
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.ir import EffectRule, EventRule, IntervalRule, Rule
from holdsfor.reference.history import Occurrence, Record
from holdsfor.syntax.terms import Compound, Const, Term

RULES = r"""
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), limit(low, L), S < L, \+ happensAt(moored(V), T).
terminatedAt(slow(V)=true, T) :- (happensAt(speed(V,S), T), S >= 5 ; happensAt(gone(V), T)).
terminatedAt(slow(_)=true, T) :- happensAt(closed, T).
happensAt(twice(V), T) :- happensAt(speed(V,S), T), findall(T0, (happensAt(speed(V,_), T0), T0 < T), L), length(L, 2).
holdsFor(both(V,W)=true, I) :- holdsFor(slow(V)=true, I1), holdsFor(slow(W)=true, I2), intersect_all([I1,I2], I), V \= W.
limit(low, 5).
"""
ROWS = "speed(a,3)@1 speed(b,4)@2 speed(a,9)@5 speed(a,2)@7 moored(b)@8 speed(b,1)@8 closed@9"


def parse_term(text: str) -> Term:
    """`speed(a,3)`."""
    name, _, rest = text.rstrip(")").partition("(")
    args = tuple(Const(int(arg) if arg.isdigit() else arg) for arg in rest.split(",") if arg)
    return Compound(name, args) if args else Const(name)


class Ship:
    """The rules above, evaluated."""

    def __init__(self, rules: str = RULES, rows: str = ROWS) -> None:
        reasoner = holdsfor.loads(rules)
        self.plan = reasoner.plan
        records: list[Record] = []
        for row in rows.split():
            event, time = row.split("@")
            records.append(Occurrence(parse_term(event), int(time), int(time)))
        dictionary = Dictionary()
        stream = from_records(records, self.plan.analysis.entities, dictionary)
        self.engine = Engine(self.plan, threads=1, is_traced=True)
        Feed(self.engine, self.engine.rows_of(stream, Vocabulary(dictionary, self.engine.words)), None).push(0)
        self.engine.advance(20)
        self.traces = Traces(self.engine)

    def rule(self, number: int, term: str) -> RuleTrace:
        """A rule by its number in the text, in the key of an instance."""
        entities = self.plan.analysis.entities
        rule: Rule = [one for one in self.plan.analysis.program.rules if one.span.text][number]
        about = parse_term(term)
        match rule:
            case EventRule():
                symbol = entities.event(about)
            case EffectRule(fvp=fvp) | IntervalRule(fvp=fvp):
                symbol = entities.fluent(fvp)
            case _:
                raise AssertionError(rule)
        return self.traces.of(rule, symbol, symbol.columns(about))


@pytest.fixture(scope="module")
def ship() -> Ship:
    return Ship()


def value(name: str | int) -> Term:
    return Const(name)


def test_a_rule_that_fires_says_with_which_values(ship: Ship) -> None:
    (found,) = ship.rule(0, "slow(a)").answers({"V": value("a")}, [1])
    assert {name: found[name] for name in "VSLT"} == {"V": value("a"), "S": value(3), "L": value(5), "T": value(1)}
    assert ship.rule(0, "slow(a)").answers({"V": value("a")}, [5]) == []


def test_times_are_tried_in_order_until_enough_is_found(ship: Ship) -> None:
    rule = ship.rule(0, "slow(a)")
    assert [one["T"] for one in rule.answers({}, [7, 5, 1])] == [value(7), value(1)]
    assert [one["T"] for one in rule.answers({}, [7, 5, 1], most=1)] == [value(7)]


def test_the_conditions_that_are_met_before_one_fails(ship: Ship) -> None:
    rule = ship.rule(0, "slow(b)")
    met = [len(rule.met(rule.body[:place], {"V": value("b")}, [8], most=3)) for place in range(len(rule.body) + 1)]
    assert met == [1, 1, 1, 1, 0]
    (inside,) = rule.inside(rule.body[3], 0, {"V": value("b"), "T": value(8)})
    assert inside["V"] == value("b")


def test_alternatives_are_run_one_by_one(ship: Ship) -> None:
    rule = ship.rule(1, "slow(a)")
    (found,) = rule.answers({"V": value("a")}, [5])
    first, second = (rule.inside(rule.body[0], number, found) for number in (0, 1))
    assert [one["S"] for one in first] == [value(9)]
    assert second == []


def test_an_end_for_all_instances_is_found_in_each_key(ship: Ship) -> None:
    assert len(ship.rule(2, "slow(b)").answers({}, [9])) == 1
    assert len(ship.rule(2, "slow(nobody)").answers({}, [9])) == 1


def test_a_key_without_rows_has_nothing(ship: Ship) -> None:
    rule = ship.rule(0, "slow(nobody)")
    assert rule.answers({"V": value("nobody")}, [1, 2, 5, 7]) == []
    assert rule.met(rule.body[:1], {"V": value("nobody")}, [1], most=1) == []


def test_what_is_collected(ship: Ship) -> None:
    rule = ship.rule(3, "twice(a)")
    (found,) = rule.answers({"V": value("a")}, [7])
    collected = rule.inside(rule.body[1], 0, {name: found[name] for name in ("V", "T")})
    assert [one["T0"] for one in collected] == [value(1), value(5)]
    assert rule.one(rule.body[1], {"V": value("a"), "T": value(5)}) is not None


def test_lists_of_intervals(ship: Ship) -> None:
    (found,) = ship.rule(4, "both(a,b)").answers({"V": value("a"), "W": value("b")})
    shown = {name: str(found[name]) for name in ("I1", "I2", "I")}
    assert shown["I1"] != shown["I2"]
    assert "Const(value=3)" in shown["I"] and "Const(value=6)" in shown["I"]
    assert ship.rule(4, "both(a,b)").answers({"V": value("a"), "W": value("a")}) == []


def test_keys_that_are_tied_are_one() -> None:
    rules = "initiatedAt(ill(X)=true, T) :- happensAt(meet(X,Y), T), holdsAt(ill(Y)=true, T).\ninitially(ill(a)=true)."
    found = Ship(rules, "meet(b,a)@1 meet(c,b)@3")
    for one, other, time in (("b", "a", 1), ("c", "b", 3)):
        (answer,) = found.rule(0, f"ill({one})").answers({"X": value(one)}, [time])
        assert answer["Y"] == value(other)
    assert found.rule(0, "ill(a)").answers({"X": value("a")}, [1, 3]) == []


def test_what_there_is_not_is_refused(ship: Ship) -> None:
    trace = ship.engine.core.trace(0, [ship.engine.words.word(value("a"))])
    for program, path, given, lists in (
        (99, [], [], []),
        (0, [0, 7], [], []),
        (0, [], [(99, 1)], []),
        (0, [], [], [(5, [])]),
    ):
        with pytest.raises(IndexError):
            trace.solve(program, path, 0, None, [1], 1, given, lists, [])
    with pytest.raises(IndexError):
        ship.engine.core.trace(99, [])
