"""Metric programs and facts in the spellings that people use: exponents, fractions, aliases, odd constants."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from holdsfor.diagnostics import Span
from holdsfor.frontend.dmtl.constants import constant_text
from holdsfor.frontend.dmtl.numbers import number_text, range_text
from holdsfor.frontend.dmtl.unparse import atom_text, name_text
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricFact, MetricProgram, MetricRule
from holdsfor.syntax.durations import duration_term, is_sensible, negated
from holdsfor.syntax.terms import Compound, Const, Var
from holdsfor.times import DURATION_WORDS, UNITS, exact_length

ODD = (
    "a|b",
    "b|c",
    "it's",
    '"',
    "'",
    "a, b",
    "(",
    "New York",
    "7",
    "1e5",
    "",
    " ",
    "|",
    "é∞",
    "X",
    "_",
    "#",
    "a@3",
    "\\",
)
"""Constants that need quotes somewhere, or look like something else."""
constants = st.builds(Const, st.sampled_from([*ODD, "a", "b", 7, 2.5, -1]))

_SIGNS = {
    metric.UnaryOperator.DIAMOND_MINUS: "<->",
    metric.UnaryOperator.DIAMOND_PLUS: "<+>",
    metric.UnaryOperator.BOX_MINUS: "[-]",
    metric.UnaryOperator.BOX_PLUS: "[+]",
}
_SIGNED = {
    metric.UnaryOperator.DIAMOND_MINUS: ("SOMETIME", True),
    metric.UnaryOperator.DIAMOND_PLUS: ("SOMETIME", False),
    metric.UnaryOperator.BOX_MINUS: ("ALWAYS", True),
    metric.UnaryOperator.BOX_PLUS: ("ALWAYS", False),
    metric.BinaryOperator.SINCE: ("UNTIL", True),
    metric.BinaryOperator.UNTIL: ("UNTIL", False),
}


@st.composite
def facts(draw: Any) -> tuple[MetricFact, ...]:
    """Facts of P/2 with odd constants, at times that can be spelled in several ways."""
    found = []
    for _ in range(draw(st.integers(1, 6))):
        args = (draw(constants), draw(constants))
        low = draw(times())
        length = draw(st.sampled_from((0, 0, 1, 2500, Fraction(1, 4))))
        found.append(MetricFact("P", args, metric.Range(low, low + length)))
    return tuple(found)


def times() -> st.SearchStrategy[Fraction]:
    """Times with few digits that matter."""
    return st.builds(
        lambda digits, exponent: digits * Fraction(10) ** exponent, st.integers(-99, 99), st.integers(-3, 12)
    )


@st.composite
def number_spelling(draw: Any, number: Fraction) -> str:
    """A text of a number."""
    kind = draw(st.sampled_from(("plain", "exponent", "Exponent", "fraction")))
    if kind == "fraction":
        return f"{number.numerator}/{number.denominator}"
    below, digits = number.denominator, 0
    while below % 10 == 0 or below in (2, 4, 5, 8):
        below, digits = below // 10 if below % 10 == 0 else 1, digits + (1 if below % 10 == 0 else 3)
    if kind == "plain" or below != 1:
        return number_text(number)
    moved = draw(st.integers(-2, 4)) + digits
    mantissa = number_text(number * 10**moved if moved >= 0 else number / 10**-moved)
    return f"{mantissa}{'e' if kind == 'exponent' else 'E'}{draw(st.sampled_from(('', '+'))) if moved <= 0 else ''}{-moved}"


@st.composite
def fact_line(draw: Any, fact: MetricFact) -> str:
    """A fact as a line of a file."""
    low, high = fact.during.low, fact.during.high
    assert low is not None and high is not None
    args = ", ".join(constant_text(arg.value) for arg in fact.args)
    first = draw(number_spelling(low))
    if low == high and draw(st.booleans()):
        return f"{name_text(fact.predicate)}({args})@{first}"
    return f"{name_text(fact.predicate)}({args})@[{first}, {draw(number_spelling(high))}]"


@st.composite
def spelled(draw: Any, program: MetricProgram) -> str:
    """A program with its operators in any of their spellings; comparisons and aggregates as they are."""
    from holdsfor.frontend.dmtl.unparse import head_text, literal_text

    lines = []
    for rule in program.rules:
        body = [
            f"{'not ' * literal.negated}{_inside(draw, literal.atom, literal.negated)}"
            if isinstance(literal, metric.Condition)
            else literal_text(literal)
            for literal in rule.body
        ]
        lines.append(f"{head_text(rule)} :- {', '.join(body)}\n")
    return "".join(lines)


def _inside(draw: Any, atom: MetricAtom, in_brackets: bool) -> str:
    match atom:
        case metric.Unary():
            return f"{_operator(draw, atom.operator, atom.range)} {_inside(draw, atom.operand, True)}"
        case metric.Binary():
            left, right = (_inside(draw, side, True) for side in (atom.left, atom.right))
            text = f"{left} {_operator(draw, atom.operator, atom.range)} {right}"
            return f"({text})" if in_brackets else text
        case _:
            return atom_text(atom)


def _operator(draw: Any, operator: metric.UnaryOperator | metric.BinaryOperator, during: metric.Range) -> str:
    kind = draw(st.sampled_from(("name", "sign", "signed")))
    # Zero has no sign: which of the two operators is meant makes no difference, but reads back as another one.
    if kind == "signed" and during.high != 0:
        word, is_past = _SIGNED[operator]
        return word + range_text(_negative(during) if is_past else during)
    if kind == "sign" and isinstance(operator, metric.UnaryOperator):
        return _SIGNS[operator] + range_text(during)
    return operator.value + range_text(during)


def _negative(during: metric.Range) -> metric.Range:
    low, high = (None if bound is None else -bound for bound in (during.high, during.low))
    far, near = (None if one is None else negated(one) for one in during.durations)
    return metric.Range(low, high, during.high_open, during.low_open, durations=(near, far))


@st.composite
def with_durations(draw: Any, program: MetricProgram, unit: str) -> MetricProgram:
    """The same program with durations for some of the bounds of its operators, in all units."""

    def length(bound: Fraction | None) -> Compound | None:
        word = draw(st.sampled_from((None, *sorted(DURATION_WORDS))))
        if bound is None or word is None:
            return None
        text = number_text(bound * UNITS[unit] / exact_length("1", word))
        return duration_term([(text, word)]) if is_sensible(text) else None

    def changed(value: Any) -> Any:
        match value:
            case metric.Range():
                low = length(value.low)
                return replace(value, durations=(low, low if value.is_punctual else length(value.high)))
            case Span():
                return value
            case tuple():
                return tuple(map(changed, value))
            case metric.Unary() | metric.Binary() | metric.Condition() | metric.Aggregate() | MetricRule():
                return replace(value, **{one.name: changed(getattr(value, one.name)) for one in fields(value)})
            case _:
                return value

    return replace(program, rules=changed(program.rules))


def copying() -> MetricProgram:
    """A program that hands on what it reads."""
    args = Var("X"), Var("Y")
    return MetricProgram((MetricRule((), metric.Atom("Q", args), (metric.Condition(metric.Atom("P", args)),)),))


def without_places(program: MetricProgram) -> MetricProgram:
    """A program to compare: nothing but rules and facts."""
    return replace(program, diagnostics=())
