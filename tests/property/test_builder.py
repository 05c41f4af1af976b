"""What is built in Python prints as text that reads back equal, and whatever text can say can be built."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from holdsfor.diagnostics import Source
from holdsfor.frontend import builder as b
from holdsfor.frontend.rtec import parse_program, print_program
from holdsfor.ir import DURATIONS, AllenMode, AllenRelation, Program
from holdsfor.syntax.terms import functor
from tests.strategies.programs import programs
from tests.strategies.texts import real_programs
from tests.unit.builder.rebuilding import rebuild


def read(text: str) -> Program:
    program = parse_program([Source("test", text)])
    assert [item.render() for item in program.diagnostics] == [], text
    return program


# Everything can be built


@settings(max_examples=80)
@given(programs())
def test_a_random_program_can_be_built(program: Program) -> None:
    try:
        built = rebuild(program)
    except b.BuilderError as refusal:
        assert is_stricter_than_text(refusal, program)
        reject()
    assert built == program


def is_stricter_than_text(refusal: b.BuilderError, program: Program) -> bool:
    """Names must not be empty, `not` is no predicate, text is no length of time unless it is a duration, and no fact may
    define a predicate of the language."""
    if "takes a number of time-points" in str(refusal):
        return True
    defined = {functor(rule.head) for rule in program.background}
    taken = {"not", *DURATIONS, *(name[0] for name in defined if name)}
    return "'' cannot name" in str(refusal) or any(f"{name} is part of the language" in str(refusal) for name in taken)


@pytest.mark.parametrize("text", real_programs(), ids=lambda text: text.split("\n", 1)[0][:40])
def test_a_real_program_can_be_built(text: str) -> None:
    program = read(text)
    assert rebuild(program) == program


# What was built can be printed

ARGUMENTS = st.recursive(
    st.sampled_from(
        [*b.variables("X Y Vessel I I1 I2 T _Price"), b.ANY, True, False, "fishing", "Two words", 7, -1, 2.5]
    )
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.tuples(inner, inner) | st.builds(b.term("f"), inner),
    max_leaves=3,
)
NUMBERS = st.recursive(
    st.sampled_from([*b.variables("X Y"), b.T, b.var("X") + 1, abs(b.var("Y"))]),
    lambda inner: (
        st.builds(
            lambda op, left, right: op(left, right),
            st.sampled_from(
                [
                    operator.add,
                    operator.sub,
                    operator.mul,
                    operator.truediv,
                    operator.floordiv,
                    operator.mod,
                    operator.pow,
                ]
            ),
            inner,
            inner | st.integers(-5, 5),
        )
        | st.builds(operator.neg, inner)
        | st.builds(b.fn.max, inner, inner)
        | st.builds(b.fn.sqrt, inner)
    ),
    max_leaves=4,
)


def applied(make: Any, names: str) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda name, args: make(name)(*args), st.sampled_from(names.split()), st.lists(ARGUMENTS, max_size=2)
    )


EVENTS = applied(b.event, "enters leaves go")
FACTS = applied(b.fact, "area type before p")
FLUENTS = applied(b.fluent, "within speed")
PAIRS = st.builds(lambda fluent, value: fluent == value, FLUENTS, ARGUMENTS) | FLUENTS
COMPARISONS = st.builds(
    lambda op, left, right: op(left, right),
    st.sampled_from([operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]),
    NUMBERS,
    NUMBERS | ARGUMENTS,
)
STATES = st.recursive(
    PAIRS,
    lambda inner: (
        st.builds(
            lambda op, left, right: op(left, right),
            st.sampled_from([operator.and_, operator.or_, operator.sub]),
            inner,
            inner,
        )
        | st.builds(operator.invert, inner)
    ),
    max_leaves=4,
)
FREE = FACTS | COMPARISONS | st.builds(b.let, st.sampled_from(b.variables("X Y")), NUMBERS) | st.just(b.CUT)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        st.builds(operator.and_, inner, inner),
        st.builds(operator.or_, inner, inner),
        st.builds(operator.invert, inner),
        several.map(lambda parts: b.not_(*parts)),
        several.map(lambda parts: b.either(*parts)),
        st.builds(lambda test, yes, no: b.if_(test, then=yes, otherwise=no), several, several, st.none() | several),
        st.builds(lambda one, parts: b.find_all(one, *parts, into=b.var("L")), ARGUMENTS, several),
    )


TIMELESS = st.recursive(FREE, nested, max_leaves=3)
MOMENTS = st.one_of(STATES, EVENTS, *(PAIRS.map(make) for make in (b.start, b.end, b.initiated, b.terminated)))
CONDITIONS = st.recursive(
    FREE | MOMENTS | st.builds(lambda one, time: one.at(time), MOMENTS, NUMBERS | st.just(b.ANY)), nested, max_leaves=4
)
NAMES = st.sampled_from(["I", "I1", "I2", "Slow"]).map(b.named)


def combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several, rest = st.lists(inner, min_size=1, max_size=3), st.none() | st.just(b.var("Ls"))
    return st.one_of(
        st.builds(operator.and_, inner, inner),
        st.builds(operator.or_, inner, inner),
        st.builds(operator.sub, inner, inner),
        st.builds(operator.invert, inner),
        st.builds(
            lambda make, parts, rest: make(*parts, rest=rest),
            st.sampled_from([b.union, b.intersection, b.complement]),
            several,
            rest,
        ),
        st.builds(lambda first, parts, rest: b.without(first, *parts, rest=rest), inner, several, rest),
        st.builds(lambda first, parts: b.seq(first, *parts), inner, several),
        st.builds(
            lambda one, two, relation, mode: one.allen(relation, two, give=mode),
            inner,
            inner,
            st.sampled_from(AllenRelation),
            st.sampled_from(AllenMode),
        ),
        st.builds(
            lambda one, name, bound: getattr(one, name)(bound),
            inner,
            st.sampled_from(["longer_than", "shorter_than", "at_least", "at_most"]),
            NUMBERS | st.integers(0, 9),
        ),
        st.builds(
            lambda one, name, low, more: getattr(one, name)(low, low + more),
            inner,
            st.sampled_from(["sometime_in_last", "always_in_last", "sometime_in_next", "always_in_next"]),
            st.integers(0, 9),
            st.integers(0, 9) | st.just(math.inf),
        ),
        st.builds(
            lambda one, two, name, low: getattr(one, name)(two, low, low + 3),
            inner,
            inner,
            st.sampled_from(["since", "until"]),
            st.integers(0, 9),
        ),
    )


SITUATIONS = st.recursive(STATES | NAMES | st.just(b.NEVER) | st.just(b.spans((1, 5), (7, 9))), combined, max_leaves=5)
STEPS = st.recursive(
    FREE | st.builds(b.let, NAMES, SITUATIONS) | SITUATIONS.map(b.empty) | SITUATIONS.map(b.nonempty),
    nested,
    max_leaves=3,
)
CHOICES = st.builds(
    lambda test, yes, no: b.if_(test, then=yes, otherwise=no), STEPS, SITUATIONS, st.none() | SITUATIONS
)


@st.composite
def built(draw: st.DrawFn) -> b.Rules:
    rules = b.Rules()
    several, timeless = st.lists(CONDITIONS, min_size=1, max_size=3), st.lists(TIMELESS, min_size=1, max_size=2)
    kind = draw(
        st.sampled_from(
            [
                "initiate",
                "terminate",
                "happens",
                "holds",
                "initially",
                "after",
                "ends_after",
                "postpone",
                "fact",
                "define",
                "ground",
            ]
        )
    )
    match kind:
        case "initiate" | "terminate":
            getattr(rules, kind)(draw(PAIRS)).when(*draw(several))
        case "happens":
            rules.happens(draw(EVENTS)).when(*draw(several))
        case "holds":
            steps = [
                *draw(st.lists(STEPS, max_size=2)),
                draw(SITUATIONS | CHOICES),
                *draw(st.lists(SITUATIONS, max_size=1)),
            ]
            rules.holds(draw(PAIRS)).during(*steps)
        case "initially" | "postpone":
            getattr(rules, kind)(draw(PAIRS)).when(*draw(timeless))
        case "after":
            rules.after(draw(st.integers(0, 99)), draw(PAIRS), becomes=draw(PAIRS)).when(*draw(timeless))
        case "ends_after":
            rules.ends_after(draw(st.integers(0, 99)), draw(PAIRS))
        case "fact":
            rules.fact(draw(FACTS))
        case "define":
            rules.define(draw(FACTS)).when(*draw(timeless))
        case "ground":
            rules.ground(draw(PAIRS | EVENTS)).when(*draw(timeless))
    return rules


@settings(max_examples=100)
@given(st.lists(built(), min_size=1, max_size=3))
def test_a_built_program_prints_as_text_that_reads_back_equal(parts: list[b.Rules]) -> None:
    rules = b.Rules()
    for part in parts:
        rules.include(part)
    program = rules.program()
    assert read(print_program(program)) == program
