"""The parser: operators and precedence, flat chains, spans, depth."""

from __future__ import annotations

import pytest

from holdsfor.diagnostics import Source
from holdsfor.syntax.numbers import number_text
from holdsfor.syntax.parser import MAX_DEPTH, Parsed, parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Clause, Compound, Const, ListTerm, Term, Var, variables

a, b, c, d = (Const(name) for name in "abcd")
X, Y = Var("X"), Var("Y")


def read(text: str) -> Parsed:
    return parse(Source("test", text))


def term(text: str) -> Term:
    parsed = read(f"t(({text})).")
    assert [item.render() for item in parsed.diagnostics] == []
    (clause,) = parsed.clauses
    assert clause.body is None
    assert isinstance(clause.head, Compound)
    return clause.head.args[0]


def op(name: str, *args: Term) -> Compound:
    return Compound(name, args)


# Clauses


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("a.", Clause(a, None)),
        ("a :- b.", Clause(a, b)),
        ("a :- b, c.", Clause(a, op(",", b, c))),
        (":- a.", Clause(None, a)),
        (":- dynamic a/1, b/2.", Clause(None, op("dynamic", op(",", op("/", a, Const(1)), op("/", b, Const(2)))))),
        ("':-'(a, b).", Clause(a, b)),
        ("':-'(a, b, c).", Clause(op(":-", a, b, c), None)),
        ("a --> b.", Clause(op("-->", a, b), None)),
    ],
)
def test_clauses(text: str, clause: Clause) -> None:
    parsed = read(text)
    assert parsed.diagnostics == ()
    assert parsed.clauses == (clause,)


def test_several_clauses_and_comments() -> None:
    parsed = read("a. % one\nb :- c. /* two */ d.")
    assert parsed.clauses == (Clause(a, None), Clause(b, c), Clause(d, None))
    assert [comment.text for comment in parsed.comments] == ["% one", "/* two */"]
    assert [clause.span.text for clause in parsed.clauses] == ["a.", "b :- c.", "d."]


# Constants, variables, lists, calls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", a),
        ("'a'", a),
        ('"a"', a),
        ("'A b'", Const("A b")),
        ("12", Const(12)),
        ("007", Const(7)),
        ("2.50", Const(2.5)),
        ("1e3", Const(1000.0)),
        ("-3", Const(-3)),
        ("+3", Const(3)),
        ("-2.5e-1", Const(-0.25)),
        ("9223372036854775807", Const(2**63 - 1)),
        ("-9223372036854775808", Const(-(2**63))),
        ("000000000000000000000000000001", Const(1)),
        ("1e300", Const(1e300)),
        ("X", X),
        ("_Y", Var("_Y")),
        ("[]", ListTerm(())),
        ("[a, X]", ListTerm((a, X))),
        ("[a|X]", ListTerm((a,), X)),
        ("[a, b|[c]]", ListTerm((a, b, c))),
        ("[a|[b|X]]", ListTerm((a, b), X)),
        ("[(a, b)]", ListTerm((op(",", a, b),))),
        ("f(a, g(X))", op("f", a, op("g", X))),
        ("'F g'(a)", op("F g", a)),
        ("f((a, b), c)", op("f", op(",", a, b), c)),
        ("-(a)", op("-", a)),
        ("-(a, b)", op("-", a, b)),
        ("mod(X, Y)", op("mod", X, Y)),
        ("mod", Const("mod")),
        ("dynamic", Const("dynamic")),
        ("!", Const("!")),
    ],
)
def test_primary_terms(text: str, expected: Term) -> None:
    assert term(text) == expected


def test_each_underscore_is_a_variable_of_its_own() -> None:
    parsed = read("p(_, X, _). q(_).")
    found = [[v.name for v in variables(clause.head)] for clause in parsed.clauses if clause.head]
    assert found == [["_#1", "X", "_#2"], ["_#1"]]


@pytest.mark.parametrize("text", ["1e309", "-1e309"])
def test_numbers_beyond_64_bits(text: str) -> None:
    (finding,) = read(f"p({text}).").diagnostics
    assert (finding.code, finding.message) == ("HF001", "this number is too large")
    assert finding.span.text == text.lstrip("-")


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**17, pytest.param((10**20000 - 1) // 9, id="long")])
def test_integers_of_any_length(number: int) -> None:
    (clause,) = read(f"p({number_text(number)}).").clauses
    assert clause.head == Compound("p", (Const(number),))


# Operators


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X - a - b", op("-", op("-", X, a), b)),
        ("X - (a - b)", op("-", X, op("-", a, b))),
        ("X + a * b", op("+", X, op("*", a, b))),
        ("(X + a) * b", op("*", op("+", X, a), b)),
        ("a ^ b ^ c", op("^", a, op("^", b, c))),
        ("a * b / c // d", op("//", op("/", op("*", a, b), c), d)),
        ("a mod b rem c", op("rem", op("mod", a, b), c)),
        ("X is a + b", op("is", X, op("+", a, b))),
        ("X = f(Y)", op("=", X, op("f", Y))),
        ("a:b:c", op(":", a, op(":", b, c))),
        ("X =.. Y", op("=..", X, Y)),
        ("a -> b", op("->", a, b)),
        ("a -> b -> c", op("->", a, op("->", b, c))),
        ("a -> b ; c", op(";", op("->", a, b), c)),
        ("a , b ; c", op(";", op(",", a, b), c)),
        ("\\+ a, b", op(",", op("\\+", a), b)),
        ("\\+ X = a", op("\\+", op("=", X, a))),
        ("\\+ \\+ a", op("\\+", op("\\+", a))),
        ("not a", op("\\+", a)),
        ("not(a)", op("\\+", a)),
        ("not (a, b)", op("\\+", op(",", a, b))),
        ("\\+(a, b)", op("\\+", op(",", a, b))),
        ("'not'(a)", op("not", a)),
    ],
)
def test_precedence_and_associativity(text: str, expected: Term) -> None:
    assert term(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X -1", op("-", X, Const(1))),
        ("X - 1", op("-", X, Const(1))),
        ("X-1", op("-", X, Const(1))),
        ("X - -1", op("-", X, Const(-1))),
        ("- 1", op("-", Const(1))),
        ("- X", op("-", X)),
        ("- - 1", op("-", op("-", Const(1)))),
        ("-X + a", op("+", op("-", X), a)),
        ("- X * a", op("*", op("-", X), a)),
        ("- a ^ b", op("-", op("^", a, b))),
        ("-1 ^ a", op("^", Const(-1), a)),
        ("a ** - X + b", op("+", op("**", a, op("-", X)), b)),
        ("a ** -1", op("**", a, Const(-1))),
        ("[-1, - 1, -X]", ListTerm((Const(-1), op("-", Const(1)), op("-", X)))),
        ("f(-)", None),
    ],
)
def test_minus(text: str, expected: Term | None) -> None:
    if expected is None:
        assert [item.code for item in read(f"t({text}).").diagnostics] == ["HF001"]
    else:
        assert term(text) == expected


def test_a_prefix_operator_takes_no_more_than_its_place_allows() -> None:
    assert term("X = \\+ a") == op("=", X, op("\\+", a))
    (finding,) = read("t :- X = \\+ a = b.").diagnostics
    assert finding.message == "unexpected = after a complete term"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, b, c, d", op(",", a, b, c, d)),
        ("(a, b), (c, d)", op(",", a, b, c, d)),
        ("a ; b ; c", op(";", a, b, c)),
        ("a ; (b ; c)", op(";", a, b, c)),
        ("(a ; b) ; c", op(";", op(";", a, b), c)),
        ("a ; (b ; c) ; d", op(";", a, op(";", b, c), d)),
        ("a | b", op(";", a, b)),
        ("a ; b | c", op(";", a, b, c)),
        ("a | b ; c", op(";", a, b, c)),
        ("','(a, ','(b, c))", op(",", a, b, c)),
        ("';'(a, ';'(b, c))", op(";", a, b, c)),
        ("';'(';'(a, b), c)", op(";", op(";", a, b), c)),
        ("(a -> b ; c) ; d", op(";", op(";", op("->", a, b), c), d)),
    ],
)
def test_chains_are_flat(text: str, expected: Term) -> None:
    assert term(text) == expected


def test_a_chain_of_ten_thousand_goals() -> None:
    parsed = read("a :- " + ", ".join(["b"] * 10_000) + ".")
    assert parsed.diagnostics == ()
    assert parsed.clauses[0].body == op(",", *[b] * 10_000)


# Spans


@pytest.mark.parametrize(
    ("text", "path", "covered"),
    [
        ("p(X, f(a)).", (1,), "f(a)"),
        ("p(X, f(a)).", (1, 0), "a"),
        ("p(a - b * c).", (0,), "a - b * c"),
        ("p(-12).", (0,), "-12"),
        ("p(\\+ a).", (0,), "\\+ a"),
        ("p((a, b)).", (0,), "(a, b)"),
        ("p(( a ; b )).", (0,), "( a ; b )"),
        ("p((a) - (b)).", (0,), "(a) - (b)"),
        ("p('q r').", (0,), "'q r'"),
        ("p([a, b|X]).", (0,), "[a, b|X]"),
    ],
)
def test_spans(text: str, path: tuple[int, ...], covered: str) -> None:
    found = read(text).clauses[0].head
    for position in path:
        assert isinstance(found, Compound)
        found = found.args[position]
    assert found is not None
    assert found.span.text == covered


# Depth


@pytest.mark.parametrize(("opening", "closing"), [("f(", ")"), ("(", ")"), ("[", "]"), ("\\+ ", ""), ("- ", "")])
def test_nesting_is_limited(opening: str, closing: str) -> None:
    levels = MAX_DEPTH - 2
    assert read(f"p({opening * levels}a{closing * levels}).").diagnostics == ()
    (finding,) = read(f"p({opening * 5000}a{closing * 5000}).\nq.").diagnostics
    assert (finding.code, finding.message) == ("HF005", "nested too deeply")
    assert finding.hint == "split the rule into smaller ones"


def test_long_chains_of_an_operator_nest_too() -> None:
    short = read(f"p :- X is {' + '.join('1' * 90)}.")
    assert short.diagnostics == ()
    assert print_term(short.clauses[0].body or a).count("+") == 89
    long = read(f"p :- X is {' + '.join('1' * 5000)}.\nq.")
    assert [(item.code, item.span.text) for item in long.diagnostics] == [("HF005", "p")]
    assert long.clauses == (Clause(Const("q"), None),)


def test_many_comparisons_are_not_deep() -> None:
    assert read("p :- " + ", ".join(f"X{n} < {n}" for n in range(500)) + ".").diagnostics == ()
