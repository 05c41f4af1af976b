"""Local variables of negations and `findall`s: the same name may stand for another variable in the next one."""

import pytest

from holdsfor import ProgramError, loads
from holdsfor.compiler.passes.local_names import rename_local_variables
from holdsfor.diagnostics import Source
from holdsfor.frontend.rtec import parse_program
from holdsfor.ir import rule_variables


def names(body: str, head: str = "happensAt(found(X), T)") -> list[str]:
    """The names of the variables of a rule's body, in reading order, after the pass."""
    program = parse_program([Source("rules.prolog", f"{head} :- {body}.")])
    head_count = len(list(rule_variables(parse_program([Source("", f"{head} :- true.")]).rules[0])))
    return [variable.name for variable in rule_variables(rename_local_variables(program).rules[0])][head_count:]


def test_each_negation_has_its_own() -> None:
    assert names("happensAt(e(X),T), \\+ p(X,V), \\+ q(X,V)") == ["X", "T", "X", "V", "X", "V#2"]


def test_each_findall_has_its_own() -> None:
    found = names("happensAt(e(X),T), findall(V,p(V),L), findall(V,q(V),M), length(L,N), length(M,N)")
    assert found == ["X", "T", "V", "L", "V", "V#2", "M", "V#2", "L", "N", "M", "N"]


def test_what_is_named_outside_is_shared() -> None:
    assert names("happensAt(e(X,V),T), \\+ p(X,V), \\+ q(X,V)") == ["X", "V", "T", "X", "V", "X", "V"]
    assert names("happensAt(e(X),T), findall(X,p(X),L), \\+ q(X), L = []") == ["X", "T", "X", "L", "X", "X", "L"]


def test_what_one_branch_names_is_shared_with_conditions_outside() -> None:
    assert names("happensAt(e(X),T), (p(V) ; q(V)), \\+ r(V), \\+ s(V)") == ["X", "T", "V", "V", "V", "V"]


def test_branches_share_nothing() -> None:
    assert names("happensAt(e(X),T), (\\+ p(V), \\+ q(V) ; r(V))") == ["X", "T", "V", "V#2", "V"]


def test_inside_of_each_other() -> None:
    assert names("happensAt(e(X),T), \\+ (p(V), \\+ q(V,W), \\+ r(V,W)), \\+ p(V)") == [
        *("X", "T"),
        *("V", "V", "W", "V", "W#2"),
        "V#2",
    ]


def test_a_result_belongs_to_what_is_around() -> None:
    found = names("happensAt(e(X),T), \\+ (findall(V,p(V),L), length(L,N), N > 1), findall(V,q(V),M), M = []")
    assert found == ["X", "T", "V", "L", "V", "L", "N", "N", "V#2", "M", "V#2", "M"]


@pytest.mark.parametrize(
    "body",
    [
        "happensAt(e(X),T), \\+ (happensAt(f(X),T0), T0 < T, T-T0 < 5), \\+ (happensAt(g(X),T0), T0 < T, T-T0 < 5)",
        "happensAt(e(X),T), findall(V,happensAt(f(V),T),L), findall(V,happensAt(g(V),T),M), length(L,N), length(M,N)",
        "happensAt(e(X),T), findall(V,happensAt(f(V),T),L), \\+ happensAt(g(V),T), length(L,1)",
        "happensAt(e(X),T), (\\+ happensAt(f(V),T), \\+ happensAt(g(V),T) ; happensAt(g(V),T))",
    ],
)
def test_such_programs_are_accepted(body: str) -> None:
    loads(f"happensAt(found(X), T) :- {body}.")


def test_background_rules_too() -> None:
    text = "lonely(X) :- thing(X), \\+ link(X,Y), \\+ link(Y,X). thing(a). thing(b). thing(c). link(a,b)."
    result = loads(f"{text} initiatedAt(alone(X)=true,T) :- happensAt(ask,T), lonely(X).").recognise({"ask": [(1,)]})
    assert [row.fluent for row in result] == ["alone(c)"]


def test_findings_name_what_was_written() -> None:
    body = "happensAt(e(X),T), \\+ p(V), \\+ (happensAt(f(V),T), V > W)"
    with pytest.raises(ProgramError) as caught:
        loads(f"p(a). happensAt(found(X), T) :- {body}.")
    assert "W" in str(caught.value) and "#" not in str(caught.value)


def test_a_helper_cannot_take_a_name_of_its_caller() -> None:
    text = """
    far(X, T) :- happensAt(seen(X, Y), T), Y > 5.
    initiatedAt(lost(X)=Y_1, T) :- happensAt(ask(X, Y_1), T), far(X, T).
    """
    result = loads(text).recognise({"ask": [(3, "a", 1)], "seen": [(3, "a", 9)]})
    assert [(row.fluent, row.value) for row in result] == [("lost(a)", "1")]
