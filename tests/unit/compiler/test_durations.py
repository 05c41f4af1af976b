"""Durations as numbers of time-points, and conditions about the calendar, as the whole program says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import holdsfor
from holdsfor import loads
from holdsfor.diagnostics import Diagnostic, ProgramError, Source
from holdsfor.ir import Algebra, Distance, walk
from holdsfor.ir.metric import Unary
from holdsfor.loading import from_sources
from holdsfor.metric import loads_metric
from holdsfor.syntax.terms import Const

CART = """initiatedAt(cart(U)=active, T) :- happensAt(add(U), T).
fi(cart(U)=active, cart(U)=abandoned, 30 min).
"""
UNIT = ":- time_unit(s).\n"


def findings(*texts: str) -> list[Diagnostic]:
    sources = [Source(f"{number}.{'dmtl' if 'Alarm' in text else 'prolog'}", text) for number, text in enumerate(texts)]
    return list(from_sources(sources).diagnostics)


@pytest.mark.parametrize(("unit", "points"), [("s", 1800), ("ms", 1_800_000), ("min", 30)])
def test_a_delay_counts_in_the_unit(unit: str, points: int) -> None:
    reasoner = loads(f":- time_unit({unit}).\n{CART}")
    assert reasoner.program.delays[0].delay == Const(points)
    assert reasoner.analysis.written.delays[0].delay != Const(points)


def test_the_unit_may_stand_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "unit.prolog").write_text(UNIT)
    (tmp_path / "facts.prolog").write_text("limit(cart, 1 h).\n")
    rules = "fi(cart(U)=a, cart(U)=b, L) :- limit(cart, L).\ninitiatedAt(cart(U)=a, T) :- happensAt(add(U), T).\n"
    (tmp_path / "rules.prolog").write_text(rules)
    found = holdsfor.load(tmp_path / "rules.prolog", background=[tmp_path / "unit.prolog", tmp_path / "facts.prolog"])
    rows = {
        (row.value, row.start, row.end)
        for row in found.recognise(
            {
                "add": [(0, "ann")],
            },
            end=7200,
        )
    }
    assert rows == {("a", 1, 3601), ("b", 3601, float("inf"))}


def test_background_knows_the_unit_of_the_rules() -> None:
    rules = f"{UNIT}fi(cart(U)=a, cart(U)=b, L) :- limit(U, L).\ninitiatedAt(cart(U)=a, T) :- happensAt(add(U), T).\n"
    reasoner = loads(f"{rules}limit(bob, 5).").with_background({"limit": [("ann", 60)]})
    assert not [one for one in reasoner.diagnostics if one.severity == "error"]


def test_distances_and_filters() -> None:
    text = "holdsFor(r(X)=true, I) :- holdsFor(s(X)=true, I1), diamond_minus(I1, [10 s,5 min], I2), intDurGreater(I2, 1 h, I)."
    [rule] = loads(UNIT + text).program.intervals
    operators = [literal for literal in walk(rule.body) if isinstance(literal, Algebra)]
    assert operators[0].distance == Distance(10, 300) and operators[0].bound is None
    assert operators[1].bound == Const(3600)


def test_one_error_for_the_whole_program() -> None:
    found = findings(
        CART, "happensAt(x, T) :- happensAt(add(_), T), hour(T, 9).", "Q(X) :- Diamondminus[0,5 min] Alarm(X)"
    )
    assert [one.code for one in found] == ["HF116"]
    assert found[0].fix is not None
    assert (found[0].fix.span.start, found[0].fix.replacement) == (0, ":- time_unit(s).\n")


def test_a_wrong_unit_is_said_once() -> None:
    assert [one.code for one in findings(f":- time_unit(sec0nds).\n{CART}")] == ["HF114"]


def test_metric_rules_of_an_event_description_share_its_unit() -> None:
    assert not findings(UNIT + CART, "Q(X) :- Diamondminus[0,5 min] Alarm(X)")


def test_metric_durations_may_be_fractions() -> None:
    rule = loads_metric(":- time_unit(h).\nQ(X) :- Diamondminus[0,5 min] P(X)").program.rules[0]
    atom = rule.body[0].atom  # type: ignore[union-attr]
    assert isinstance(atom, Unary) and atom.range.high == Fraction(1, 12)


def test_metric_rules_with_durations_run() -> None:
    rules = loads_metric(":- time_unit(min).\nRecent(X) :- Diamondminus[0,90 s] Alarm(X), Age(X,N), N >= 1 h")
    found = rules.materialise({"Alarm": [(3, "pump")], "Age": [(3, "pump", 60), (4, "pump", 61)]})
    assert len(found) == 2


OWN = """happensAt(shown(X, H), T) :- happensAt(go(X), T), hour(T, H).
"""


def test_a_predicate_of_the_program_keeps_its_meaning() -> None:
    for rules in (f"{OWN}hour(7, late).", f"{UNIT}{OWN}hour(T, late) :- T > 5."):
        reasoner = loads(rules)
        assert not any("#hour" in str(rule) for rule in reasoner.program.rules)
    reasoner = loads(UNIT + OWN)
    assert any("#hour" in str(rule) for rule in reasoner.program.rules)
    own = reasoner.with_background({"hour": [(7, "late")]})
    assert not any("#hour" in str(rule) for rule in own.program.rules)


def test_durations_that_are_no_whole_number() -> None:
    with pytest.raises(ProgramError, match="HF117"):
        loads(f":- time_unit(h).\n{CART}")
