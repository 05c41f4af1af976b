"""Rule text to IR, for the tests of this folder."""

from __future__ import annotations

from holdsfor.diagnostics import Diagnostic, Source
from holdsfor.frontend.rtec import parse_program
from holdsfor.ir import Body, Fvp, Literal, Program, Rule
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var


def read(text: str) -> Program:
    """A program without findings."""
    program = parse_program([Source("test", text)])
    assert [item.render() for item in program.diagnostics] == []
    return program


def rule(text: str) -> Rule:
    """The only rule of a text."""
    (found,) = read(text).rules
    return found


def problems(text: str) -> list[Diagnostic]:
    """What the front end says of a text."""
    return list(parse_program([Source("test", text)]).diagnostics)


def effect_body(goals: str) -> Body:
    """The body of a rule about a time-point."""
    return rule(f"initiatedAt(f=v, T) :- {goals}.").body


def interval_body(goals: str) -> Body:
    """The body of a rule about intervals."""
    return rule(f"holdsFor(f=v, I) :- {goals}.").body


def background_body(goals: str) -> Body:
    """The body of a background rule."""
    return rule(f"helper :- {goals}.").body


def only(body: Body) -> Literal:
    """The only literal of a body."""
    (literal,) = body
    return literal


def make(value: str | int) -> Term:
    """A variable if it looks like one, else a constant."""
    return Var(value) if isinstance(value, str) and (value[0].isupper() or value[0] == "_") else Const(value)


def call(name: str, *args: Term | str | int) -> Compound:
    """A compound from terms and short texts."""
    return Compound(name, tuple(make(arg) if isinstance(arg, str | int) else arg for arg in args))


def items(*args: Term | str | int, tail: Term | None = None) -> ListTerm:
    """A list from terms and short texts."""
    return ListTerm(call("list", *args).args, tail)


def pair(fluent: Term | str, value: Term | str | int = "true") -> Fvp:
    """A fluent-value pair."""
    return Fvp(*call("=", fluent, value).args)


T, OUT, I1, I2, L, X, Y = (Var(name) for name in "T I I1 I2 L X Y".split())
