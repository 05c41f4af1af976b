"""Duration filters that programs define by hand."""

from __future__ import annotations

import pytest

from holdsfor.ir import Algebra, Call, IntervalOperator
from holdsfor.syntax.terms import Const
from tests.unit.frontend.reading import I1, OUT, call, problems, read

USE = "\nholdsFor(f=v, I) :- holdsFor(g=v, I1), {goal}."
LONGER, SHORTER = IntervalOperator.LONGER, IntervalOperator.SHORTER
AT_LEAST, AT_MOST = IntervalOperator.AT_LEAST, IntervalOperator.AT_MOST


def used(definition: str, goal: str = "filter(I1, 5, I)") -> object:
    (rule,) = read(definition + USE.format(goal=goal)).intervals
    return rule.body[1]


def duration(operator: IntervalOperator) -> Algebra:
    return Algebra(operator, (I1,), OUT, bound=Const(5))


@pytest.mark.parametrize(
    ("test", "operator"),
    [
        ("E - S > D", LONGER),
        ("E - S >= D", AT_LEAST),
        ("E - S < D", SHORTER),
        ("E - S =< D", AT_MOST),
        ("D < E - S", LONGER),
        ("D >= E - S", AT_MOST),
        ("Length is E - S, Length > D", LONGER),
        ("Length is E - S, D =< Length", AT_LEAST),
        ("(E = inf -> queryTime(Q), Length is Q - S ; Length is E - S), Length > D", LONGER),
        ("(E = inf, queryTime(Q), Length is Q - S ; E \\= inf, Length is E - S), Length < D", SHORTER),
        ("(E == inf ; \\+ E = inf, E - S > D)", LONGER),
    ],
)
def test_the_usual_definition(test: str, operator: IntervalOperator) -> None:
    definition = f"filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), {test}), Os)."
    assert used(definition) == duration(operator)


def test_the_arguments_may_come_in_any_order() -> None:
    definition = "filter(D, Os, Is) :- findall((S,E), (member((S,E), Is), E - S > D), Os)."
    assert used(definition, "filter(5, I, I1)") == duration(LONGER)


def test_the_query_time_may_be_asked_first() -> None:
    definition = "filter(Is, D, Os) :- queryTime(Q), findall((S,E), (member((S,E), Is), E - S > D), Os)."
    assert used(definition) == duration(LONGER)


@pytest.mark.parametrize(
    "definition",
    [
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D, S > 100), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D, E - S < 100), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D, known(S)), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D), Os), known(D).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), S - E > D), Os).",
        "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > 10), Os).",
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
        "no bound",
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
    assert used(definition, "intDurGreater(I1, 5, I)") == duration(AT_LEAST)


def test_a_definition_may_stand_in_another_file_and_after_its_use() -> None:
    definition = "filter(Is, D, Os) :- findall((S,E), (member((S,E), Is), E - S > D), Os)."
    (rule,) = read(USE.format(goal="filter(I1, 5, I)") + "\n" + definition).intervals
    assert rule.body[1] == duration(LONGER)


def test_a_broken_definition_is_reported_once() -> None:
    (finding,) = problems("filter(Is, D, Os) :- findall((S,E), holdsAt(f, T), Os), member(D, Is).")
    assert finding.code == "HF110"
