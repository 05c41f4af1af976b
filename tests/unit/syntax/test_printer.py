"""The printer: canonical text of terms and clauses."""

from __future__ import annotations

import pytest

from holdsfor.diagnostics import Source
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_clause, print_constant, print_term
from holdsfor.syntax.terms import Clause, Compound, Const, ListTerm, Term, Var

a, b, c = (Const(name) for name in "abc")
X = Var("X")


def op(name: str, *args: Term) -> Compound:
    return Compound(name, args)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ("camelCase_1", "camelCase_1"),
        ("été", "été"),
        ("!", "!"),
        ("", "''"),
        ("Upper", "'Upper'"),
        ("_x", "'_x'"),
        ("9lives", "'9lives'"),
        ("two words", "'two words'"),
        ("[]", "'[]'"),
        ("mod", "'mod'"),
        ("not", "'not'"),
        ("-", "'-'"),
        ("it's", "'it\\'s'"),
        ("a\nb\tc\rd\\", "'a\\nb\\tc\\rd\\\\'"),
        (7, "7"),
        (-7, "-7"),
        (2.5, "2.5"),
        (1e20, "1.0e+20"),
        (1.5e-7, "1.5e-07"),
    ],
)
def test_constants(value: str | float, text: str) -> None:
    assert print_constant(value) == text
    assert parse(Source("", f"p({text}).")).clauses == (Clause(op("p", Const(value)), None),)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (X, "X"),
        (Var("_#3"), "_"),
        (ListTerm(()), "[]"),
        (ListTerm((a, X), Var("T")), "[a,X|T]"),
        (ListTerm((op(",", a, b),)), "[(a,b)]"),
        (op("f", a, op("g", X)), "f(a,g(X))"),
        (op("Odd name", a), "'Odd name'(a)"),
        (op("=", op("f", X), Const("true")), "f(X)=true"),
        (op("=", X, Const(-1)), "X = -1"),
        (op("-", op("-", a, b), c), "a - b - c"),
        (op("-", a, op("-", b, c)), "a - (b - c)"),
        (op("*", op("+", a, b), c), "(a + b) * c"),
        (op("/", a, Const(2)), "a/2"),
        (op(":", a, Const(-2)), "a : -2"),
        (op("=", X, op("+", a)), "X = + a"),
        (op("^", a, op("^", b, c)), "a^b^c"),
        (op("^", op("^", a, b), c), "(a^b)^c"),
        (op("-", Const(1)), "- 1"),
        (op("-", Const(-1)), "- -1"),
        (op("-", a, Const(-1)), "a - -1"),
        (op("**", op("-", a), b), "(- a)**b"),
        (op("-", a, b, c), "'-'(a,b,c)"),
        (op("mod", X, Const(2)), "X mod 2"),
        (op("mod", X), "'mod'(X)"),
        (op("\\+", op(",", a, b)), "\\+ (a,b)"),
        (op("\\+", op("=", a, b)), "\\+ a=b"),
        (op("=", X, op("\\+", a)), "X=(\\+ a)"),
        (op("not", a), "'not'(a)"),
        (op("|", a, b), "'|'(a,b)"),
        (op(":-", a), "':-'(a)"),
        (op("f", op(":-", a, b)), "f((a :- b))"),
        (op("f", op(",", a, b), c), "f((a,b),c)"),
        (op(",", a, b, c), "a,b,c"),
        (op(",", a), "','(a)"),
        (op(";", a, op("->", b, c)), "a ; b -> c"),
        (op(";", op(";", a, b), c), "(a ; b) ; c"),
        (op(";", a), "';'(a)"),
        (op("dynamic", op("/", a, Const(1))), "dynamic a/1"),
    ],
)
def test_terms(term: Term, text: str) -> None:
    assert print_term(term) == text
    parsed = parse(Source("", f"p(({text}))."))
    assert parsed.diagnostics == ()
    assert isinstance(parsed.clauses[0].head, Compound)
    read = parsed.clauses[0].head.args[0]
    assert read == term or term == Var("_#3")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a.", "a."),
        ("p(X,f(Y,Z)) .", "p(X, f(Y,Z))."),
        ("a:-b.", "a :-\n    b."),
        ("a:-b(X,[1,2]),\\+c(X),X>1.", "a :-\n    b(X, [1,2]),\n    \\+ c(X),\n    X > 1."),
        (":-dynamic a/1.", ":- dynamic a/1."),
        (":- a, b.", ":- a,b."),
        ("a :- (b;c->d).", "a :-\n    (b ; c -> d)."),
        ("a :- not (b,c(X,Y)).", "a :-\n    \\+ (b, c(X, Y))."),
        ("a :- ';'(b).", "a :-\n    ';'(b)."),
        ("f(X)=true.", "f(X)=true."),
        ("a, b.", "a, b."),
    ],
)
def test_clauses(source: str, text: str) -> None:
    (clause,) = parse(Source("", source)).clauses
    assert print_clause(clause) == text


def test_long_disjunctions_are_broken_up() -> None:
    branches = [f"condition_number_{n}(Vessel, Area, Time), another(X{n})" for n in range(3)]
    (clause,) = parse(Source("", f"a :- ({' ; '.join(branches)}), b.")).clauses
    assert print_clause(clause) == (
        "a :-\n"
        "    (   condition_number_0(Vessel, Area, Time),\n"
        "        another(X0)\n"
        "    ;   condition_number_1(Vessel, Area, Time),\n"
        "        another(X1)\n"
        "    ;   condition_number_2(Vessel, Area, Time),\n"
        "        another(X2)\n"
        "    ),\n"
        "    b."
    )
    assert parse(Source("", print_clause(clause))).clauses == (clause,)


def test_long_goals_inside_a_broken_disjunction_keep_their_indentation() -> None:
    inner = " ; ".join(f"inner_condition_{n}(Vessel, Another, Third)" for n in range(4))
    (clause,) = parse(Source("", f"a :- (b, ({inner}) ; c).")).clauses
    lines = print_clause(clause).split("\n")
    assert lines[1:4] == [
        "    (   b,",
        "        (   inner_condition_0(Vessel, Another, Third)",
        "        ;   inner_condition_1(Vessel, Another, Third)",
    ]
    assert lines[-2:] == ["    ;   c", "    )."]
    assert parse(Source("", print_clause(clause))).clauses == (clause,)
