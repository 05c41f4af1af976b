"""Metric programs to text and back; any text is read without a crash."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.compiler.metric.checks import check_metric, streaming_findings
from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import format_metric, metric_text, parse_metric
from holdsfor.frontend.dmtl.words import RESERVED
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricFact, MetricLiteral, MetricProgram, MetricRule
from holdsfor.syntax.terms import Compound, Const, Term, Var

# Text in quotes is read back exactly unless it has line breaks of unusual kinds or lone surrogates in it.
words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=8)
names = st.sampled_from(["P", "Q", "ub:Person", "not_closed", "größe", "two words", "Since", *RESERVED]) | words
numbers = st.integers(-(10**15) + 1, 10**15 - 1) | st.floats(allow_nan=False, allow_infinity=False)
constants = st.builds(
    Const, words | numbers | st.sampled_from(["1", "007", "1.50", "it's", "X", "_", "a b", "a,b", ""])
)
variables = st.builds(Var, st.sampled_from(["X", "Y", "Élan", "N1"]))
rationals = st.builds(Fraction, st.integers(0, 10**6), st.sampled_from([1, 2, 3, 7, 10, 1000]))


@st.composite
def ranges(draw: st.DrawFn, *, negative: bool = False) -> metric.Range:
    low, high = sorted([draw(rationals), draw(rationals)])
    if negative:
        low, high = low - 10**5, high - 10**5
    if low == high:
        return metric.Range(low, high)
    closed_low = metric.Range(low, high, draw(st.booleans()), draw(st.booleans()))
    no_end = metric.Range(low, None, closed_low.low_open, high_open=True)
    no_beginning = metric.Range(None, high, True, closed_low.high_open)
    endless = metric.Range(None, None, low_open=True, high_open=True)
    return draw(st.sampled_from([closed_low, no_end, no_beginning, endless] if negative else [closed_low, no_end]))


atoms = st.builds(metric.Atom, names, st.lists(constants | variables, max_size=3).map(tuple))
metric_atoms: st.SearchStrategy[MetricAtom] = st.recursive(
    atoms | st.just(metric.Truth()),
    lambda inner: (
        st.builds(metric.Unary, st.sampled_from(metric.UnaryOperator), ranges(), inner)
        | st.builds(metric.Binary, st.sampled_from(metric.BinaryOperator), ranges(), inner, inner)
    ),
    max_leaves=4,
)
expressions: st.SearchStrategy[Term] = st.recursive(
    constants | variables,
    lambda inner: (
        st.builds(lambda name, left, right: Compound(name, (left, right)), st.sampled_from("+-*/"), inner, inner)
        | st.builds(lambda var: Compound("-", (var,)), variables)
    ),
    max_leaves=5,
)
literals: st.SearchStrategy[MetricLiteral] = (
    st.builds(metric.Condition, metric_atoms, st.booleans())
    | st.builds(metric.Comparison, st.sampled_from(metric.Comparator), expressions, expressions)
    | st.builds(
        metric.Aggregate,
        st.sampled_from(metric.AggregateFunction),
        variables,
        st.lists(variables, min_size=1, max_size=2).map(tuple),
        metric_atoms,
    )
)
boxes = st.tuples(st.sampled_from([metric.UnaryOperator.BOX_PLUS, metric.UnaryOperator.BOX_MINUS]), ranges())
rules = st.builds(
    MetricRule, st.lists(boxes, max_size=2).map(tuple), atoms, st.lists(literals, min_size=1, max_size=3).map(tuple)
)
facts = st.builds(MetricFact, names, st.lists(constants, max_size=3).map(tuple), ranges(negative=True))
programs = st.builds(MetricProgram, st.lists(rules, max_size=3).map(tuple), st.lists(facts, max_size=3).map(tuple))


@given(programs)
def test_text_reads_back_as_the_same_program(program: MetricProgram) -> None:
    text = metric_text(program)
    found = parse_metric([Source("rules.dmtl", text)])
    assert found.diagnostics == ()
    assert found == program


@given(programs)
def test_formatting_changes_nothing_and_is_done_once(program: MetricProgram) -> None:
    once = format_metric(Source("rules.dmtl", metric_text(program)))
    assert parse_metric([Source("rules.dmtl", once)]) == program
    assert format_metric(Source("rules.dmtl", once)) == once


pieces = st.sampled_from(
    "P(X) Q(a,'b c') :- , . @ [0,1] (0,inf) [2 1/3 Since[1,2] Until not Diamondminus[0,1] <-> [-] Top Bottom | || ' # % "
    "\n ( ) < = != X + - * / count(Y : _ 3. 0.5 : ALWAYS[-1,2] ; ] é".split(" ")
)


@given(st.lists(pieces, max_size=25), st.sampled_from(["", " "]))
def test_any_text_is_read_with_findings_that_have_a_place(parts: list[str], between: str) -> None:
    source = Source("rules.dmtl", between.join(parts))
    program = parse_metric([source])
    for item in (*program.diagnostics, *check_metric(program), *streaming_findings(program)):
        assert 0 <= item.span.start <= item.span.end <= len(source.text)
        assert item.hint
        assert item.render()
    assert program.diagnostics or parse_metric([Source("", metric_text(program))]) == program
