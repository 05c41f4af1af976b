"""Duration filters that programs define by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdsfor.compiler.passes.filters import replace_filters
from holdsfor.ir import Algebra, Call, IntervalOperator, OpenLength
from holdsfor.syntax.terms import Const
from tests.unit.frontend.reading import I1, OUT, call, problems, read

USE = "\nholdsFor(f=v, I) :- holdsFor(g=v, I1), {goal}."
LONGER, SHORTER = IntervalOperator.LONGER, IntervalOperator.SHORTER
AT_LEAST, AT_MOST = IntervalOperator.AT_LEAST, IntervalOperator.AT_MOST
ENDLESS, TO_QUERY, KEPT, LEFT_OUT = OpenLength.ENDLESS, OpenLength.TO_QUERY, OpenLength.KEPT, OpenLength.LEFT_OUT


def used(definition: str, goal: str = "filter(I1, 5, I)") -> object:
    (rule,) = replace_filters(read(definition + USE.format(goal=goal))).intervals
    found = rule.body[1]
    return replace(found, written=None) if isinstance(found, Algebra) else found


def duration(operator: IntervalOperator, open_length: OpenLength = OpenLength.SO_FAR, bound: int = 5) -> Algebra:
    return Algebra(operator, (I1,), OUT, bound=Const(bound), open_length=open_length)


@pytest.mark.parametrize(
    ("test", "operator", "open_length"),
    [
        ("E - S > D", LONGER, ENDLESS),
        ("E - S >= D", AT_LEAST, ENDLESS),
        ("E - S < D", SHORTER, ENDLESS),
        ("E - S =< D", AT_MOST, ENDLESS),
        ("D < E - S", LONGER, ENDLESS),
        ("D >= E - S", AT_MOST, ENDLESS),
        ("Length is E - S, Length > D", LONGER, ENDLESS),
        ("Length is E - S, D =< Length", AT_LEAST, ENDLESS),
        ("(E = inf -> queryTime(Q), Length is Q - S ; Length is E - S), Length > D", LONGER, TO_QUERY),
        ("(E = inf, queryTime(Q), Length is Q - S ; E \\= inf, Length is E - S), Length < D", SHORTER, TO_QUERY),
        ("(E \\= inf -> E - S > D ; queryTime(Q), Length is Q - S + 1, Length > D)", LONGER, OpenLength.SO_FAR),
        ("(E == inf ; \\+ E = inf, E - S > D)", LONGER, KEPT),
        ("E \\= inf, E - S < D", SHORTER, LEFT_OUT),
        ("\\+ E == inf, Length is E - S, Length > D", LONGER, LEFT_OUT),
    ],
)
def test_the_usual_definition(test: str, operator: IntervalOperator, open_length: OpenLength) -> None:
    definition = f"filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), {test}), Os)."
    assert used(definition) == duration(operator, open_length)


def test_a_filter_may_stand_in_the_rule_itself() -> None:
    goal = "findall((S,E), (member((S,E), I1), E \\= inf, E - S > 3), I)"
    assert used("", goal) == duration(LONGER, LEFT_OUT, 3)


def test_the_condition_of_the_program_is_kept() -> None:
    definition = "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D), Os)."
    (rule,) = replace_filters(read(definition + USE.format(goal="filter(I1, 5, I)"))).intervals
    assert isinstance(rule.body[1], Algebra)
    assert rule.body[1].written == Call(call("filter", "I1", 5, "I"))


def test_the_arguments_may_come_in_any_order() -> None:
    definition = "filter(D, Os, Is) :- findall((S,E), (member((S,E), Is), E - S > D), Os)."
    assert used(definition, "filter(5, I, I1)") == duration(LONGER, ENDLESS)


@pytest.mark.parametrize(
    "definition",
    [
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D, S > 100), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D, E - S < 100), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D, known(S)), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D), Os), known(D).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), S - E > D), Os).",
        "filter(Is, D, Os) :- queryTime(Q), findall((S,E), (member((S,E), Is), E - S > D), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), (E \\= inf -> E - S > D ; queryTime(Q), Q - S < D)), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D), Os). filter(Is, 0, Is).",
        "filter(Is, D, Os) :- findall((E,S), (member((S,E), Is), E - S > D), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S =:= D), Os).",
        "filter(Is, D, Is) :- findall((S,E), (member((S,E), Is), E - S > D), Is).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), member((S,E), D), E - S > D), Os).",
        "filter(Is, D, Os) :- combine(Is, D, Os). combine(a, b, c).",
    ],
    ids=[
        "start",
        "two bounds",
        "fact",
        "outside",
        "backwards",
        "asked before",
        "other comparison",
        "two clauses",
        "swapped",
        "equal",
        "same",
        "lists",
        "other",
    ],
)
def test_definitions_that_do_more_or_less_are_left_alone(definition: str) -> None:
    assert used(definition) == Call(call("filter", "I1", 5, "I"))


def test_the_built_in_names_need_no_definition() -> None:
    assert used("", "intDurGreater(I1, 5, I)") == duration(LONGER)


def test_a_definition_of_a_built_in_name_says_what_it_means() -> None:
    definition = "intDurGreater(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S >= D), Os)."
    assert used(definition, "intDurGreater(I1, 5, I)") == duration(AT_LEAST, ENDLESS)


def test_a_definition_of_a_built_in_name_that_does_more_is_no_built_in() -> None:
    definition = "intDurGreater(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D, S > 9), Os)."
    assert used(definition, "intDurGreater(I1, 5, I)") == Call(call("intDurGreater", "I1", 5, "I"))


def test_a_definition_may_stand_in_another_file_and_after_its_use() -> None:
    definition = "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D), Os)."
    (rule,) = replace_filters(read(USE.format(goal="filter(I1, 5, I)") + "\n" + definition)).intervals
    assert isinstance(rule.body[1], Algebra)


def test_a_broken_definition_is_reported_once() -> None:
    (finding,) = problems("filter(Is, D, Os) :- findall((S,E), holdsAt(f, T), Os), member(D, Is).")
    assert finding.code == "HF110"
