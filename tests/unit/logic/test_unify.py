"""Unification and resolution."""

from __future__ import annotations

import pytest

from holdsfor.logic.unify import deref, is_ground, resolve, unify
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, ListTerm, Var
from tests.unit.logic.reading import term


@pytest.mark.parametrize(
    ("left", "right", "bound"),
    [
        ("a", "a", {}),
        ("1", "1.0", {}),
        ("X", "a", {"X": "a"}),
        ("a", "X", {"X": "a"}),
        ("X", "Y", {"X": "Y"}),
        ("X", "X", {}),
        ("f(X, b)", "f(a, Y)", {"X": "a", "Y": "b"}),
        ("f(X, X)", "f(a, Y)", {"X": "a", "Y": "a"}),
        ("f(X, Y)", "f(Y, a)", {"X": "a", "Y": "a"}),
        ("f(g(X))", "f(Y)", {"Y": "g(X)"}),
        ("[]", "[]", {}),
        ("[a, X]", "[Y, b]", {"X": "b", "Y": "a"}),
        ("[X|T]", "[a, b, c]", {"X": "a", "T": "[b,c]"}),
        ("[X|T]", "[a]", {"X": "a", "T": "[]"}),
        ("[a|T]", "[a, b|U]", {"T": "[b|U]"}),
        ("[a, b|T]", "[X|U]", {"X": "a", "U": "[b|T]"}),
        ("[X|T]", "[a|c]", {"X": "a", "T": "c"}),
        ("[X, Y|X]", "[[a], b, a]", {"X": "[a]", "Y": "b"}),
        ("f(T, [a|T])", "f([b, c], X)", {"T": "[b,c]", "X": "[a,b,c]"}),
    ],
)
def test_unify(left: str, right: str, bound: dict[str, str]) -> None:
    found = unify(term(left), term(right), {})
    assert found is not None
    assert {name: print_term(resolve(Var(name), found)) for name in found} == bound
    assert resolve(term(left), found) == resolve(term(right), found)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a", "b"),
        ("a", "1"),
        ("1", "2"),
        ("'1'", "1"),
        ("a", "f(a)"),
        ("f(a)", "g(a)"),
        ("f(a)", "f(a, b)"),
        ("f(X, X)", "f(a, b)"),
        ("[]", "[a]"),
        ("[a]", "[a, b]"),
        ("[a, b]", "[a]"),
        ("[a|T]", "[]"),
        ("[a, b|T]", "[a]"),
        ("[a|b]", "[a]"),
        ("[]", "'[]'"),
        ("[a]", "f(a)"),
        ("X", "f(X)"),
        ("f(X, Y)", "f(g(Y), g(X))"),
        ("[X|T]", "T"),
        ("X", "[a|X]"),
    ],
)
def test_no_unifier(left: str, right: str) -> None:
    assert unify(term(left), term(right), {}) is None
    assert unify(term(right), term(left), {}) is None


def test_bindings_are_extended_not_changed() -> None:
    before = {"X": term("a")}
    assert unify(term("f(X, Y)"), term("f(a, X)"), before) == {"X": Const("a"), "Y": Const("a")}
    assert before == {"X": Const("a")}
    assert unify(term("X"), term("b"), before) is None
    assert before == {"X": Const("a")}


def test_lists_that_were_not_joined_yet() -> None:
    split = ListTerm((Const("a"),), ListTerm((Const("b"),)))
    assert unify(split, term("[a, b]"), {}) == {}
    assert unify(split, term("[a, c]"), {}) is None
    assert resolve(split, {}) == term("[a, b]")


def test_resolve_follows_variables_into_terms_and_tails() -> None:
    bindings = {"X": term("f(Y)"), "Y": term("Z"), "T": term("[b|U]"), "U": term("[c]")}
    assert resolve(term("p(X, Y, [a|T])"), bindings) == term("p(f(Z), Z, [a, b, c])")
    assert deref(term("Y"), bindings) == Var("Z")
    assert deref(term("X"), bindings) == term("f(Y)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", True),
        ("1.5", True),
        ("f(a, [b, 1])", True),
        ("[]", True),
        ("X", False),
        ("f(a, g(X))", False),
        ("[a, X]", False),
        ("[a|T]", False),
        ("[a|b]", True),
    ],
)
def test_is_ground(text: str, expected: bool) -> None:
    assert is_ground(term(text)) is expected
