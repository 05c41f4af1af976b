"""Random programs of the IR, within what rule text can say.

Not every IR value has a text of its own, and those that have none are not made here: `true` goals, a negated
guard (a guard itself), an `IfThenElse` without an else branch anywhere in an `Or` but at its end (Prolog reads
`C -> A ; B` as one), an `Or` at the end of an `Or`, and literals where their rule has no use for them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from hypothesis import strategies as st

from holdsfor.diagnostics import Span
from holdsfor.ir import (
    DURATIONS,
    METRIC,
    Algebra,
    AllenMode,
    AllenRelation,
    Assign,
    BackgroundRule,
    Body,
    Boundary,
    Call,
    Compare,
    Cut,
    Declaration,
    DeclarationKind,
    DelayRule,
    Distance,
    Edge,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    FindAll,
    Fvp,
    Guard,
    Happens,
    Holds,
    IfThenElse,
    InitiallyRule,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Literal,
    Not,
    Or,
    PostponeRule,
    Program,
    Rule,
)
from holdsfor.syntax.operators import INFIX
from holdsfor.syntax.terms import EMPTY_LIST, Compound, ListTerm, Term, Var, functor
from tests.strategies.terms import callable_terms, named_variables, small_terms

COMPARISONS = "= \\= == \\== @< @> @=< @>= =:= =\\= < > =< >=".split()
CONDITIONS = frozenset(
    "happensAt holdsAt holdsFor initiatedAt terminatedAt findall union_all intersect_all complement_all "
    "relative_complement_all seq allen is \\+ ; -> ,".split()
)
HEADS = frozenset(
    "initiatedAt terminatedAt initiates terminates initially holdsFor happensAt fi ft p holdsAt "
    ":- -> ; , = \\+ is findall union_all intersect_all relative_complement_all complement_all".split()
) | {kind.value for kind in DeclarationKind}


class Place(StrEnum):
    """Whose body it is."""

    POINT = "about a time-point"
    INTERVAL = "about intervals"
    BACKGROUND = "background knowledge"
    TIMELESS = "for all time"


# Terms of literals

_fluents = callable_terms().filter(
    lambda term: not (isinstance(term, Compound) and term.name in INFIX and len(term.args) == 2)
)
_fvps = st.builds(Fvp, _fluents, small_terms())
_events = _fluents.filter(lambda term: functor(term) not in (("start", 1), ("end", 1)))
_heads = callable_terms().filter(
    lambda term: (
        not isinstance(term, Compound) or not (term.name in HEADS or (term.name in COMPARISONS and len(term.args) == 2))
    )
)
_times = named_variables | small_terms()
_lists = named_variables | small_terms()


def _is_call(term: Term, place: Place) -> bool:
    """Whether a goal means a background predicate, and nothing built in."""
    name = functor(term)
    if name in (("true", 0), ("!", 0)) or name is None:
        return False
    if name[1] == 0:
        return True
    is_duration = name[0] in set(DURATIONS) and name[1] == 3
    return not (
        name[0] in CONDITIONS
        or (name[0] in COMPARISONS and name[1] == 2)
        or (name[0] in set(AllenRelation) and name[1] == 4)
        or (name[0], name[1] - 2) in {(operator.value, lists) for operator, lists in METRIC.items()}
        or is_duration
    )


def _is_comparison(literal: Compare, place: Place) -> bool:
    """Among intervals, `I = []` is a guard and `I = I1` an alias."""
    if place is not Place.INTERVAL or literal.operator not in ("=", "\\=", "==", "\\=="):
        return True
    sides = (literal.left, literal.right)
    return not any(isinstance(side, Var) for side in sides) or all(
        not isinstance(side, Var) and side != EMPTY_LIST for side in sides
    )


# Interval operators


def _inputs(lists: list[Term], rest: Var | None) -> tuple[Term, ...]:
    """The inputs of a list operator; a variable for (the rest of) the list is kept as `[|L]`."""
    return (*lists, *(() if rest is None else (ListTerm((), rest),)))


_open_inputs = st.builds(_inputs, st.lists(_lists, max_size=3), st.none() | named_variables)


def _list_operators() -> st.SearchStrategy[Algebra]:
    unary = st.sampled_from([IntervalOperator.UNION, IntervalOperator.INTERSECTION, IntervalOperator.COMPLEMENT])
    return st.builds(Algebra, unary, _open_inputs, _lists) | st.builds(
        lambda first, rest, out: Algebra(IntervalOperator.RELATIVE_COMPLEMENT, (first, *rest), out),
        _lists,
        _open_inputs,
        _lists,
    )


def _pair_operators() -> st.SearchStrategy[Algebra]:
    pairs = st.tuples(_lists, _lists)
    relations, modes = st.sampled_from(AllenRelation), st.sampled_from(AllenMode)
    return st.builds(Algebra, st.just(IntervalOperator.SEQUENCE), pairs, _lists) | st.builds(
        Algebra, st.just(IntervalOperator.ALLEN), pairs, _lists, st.none(), relations, modes
    )


def _metric(operator: IntervalOperator, low: int, more: int | None, lists: list[Term], out: Term) -> Algebra:
    distance = Distance(low, None if more is None else low + more)
    return Algebra(operator, tuple(lists[: METRIC[operator]]), out, distance=distance)


_numbers = st.integers(0, 9)
_metrics = st.builds(
    _metric,
    st.sampled_from(sorted(METRIC)),
    _numbers,
    st.none() | _numbers,
    st.lists(_lists, min_size=2, max_size=2),
    _lists,
)
_durations = st.builds(Algebra, st.sampled_from(sorted(DURATIONS)), st.tuples(_lists), _lists, small_terms())


# Literals and bodies

_temporal = st.one_of(
    st.builds(Happens, _events, _times),
    st.builds(Boundary, st.sampled_from(Edge), _fvps, _times),
    st.builds(Holds, _fvps, _times),
    st.builds(Effect, st.sampled_from(EffectKind), _fvps, _times),
)
_interval = st.one_of(st.builds(Intervals, _fvps, _lists), _list_operators(), _pair_operators(), _metrics)
_special: dict[Place, tuple[st.SearchStrategy[Literal], ...]] = {
    Place.POINT: (_temporal, _temporal),
    Place.INTERVAL: (_interval, _interval, _durations, st.builds(Guard, named_variables, st.booleans())),
    Place.BACKGROUND: (_temporal, _interval),
    Place.TIMELESS: (),
}


@st.composite
def literals(draw: st.DrawFn, place: Place, depth: int = 2) -> Literal:
    """Any literal that a body at this place can have, nested ones included."""
    return draw(_literals(place, depth))


@cache
def _literals(place: Place, depth: int) -> st.SearchStrategy[Literal]:
    flat: list[st.SearchStrategy[Literal]] = [
        *_special[place],
        st.builds(Compare, st.sampled_from(COMPARISONS), small_terms(), small_terms()).filter(
            lambda literal: _is_comparison(literal, place)
        ),
        st.builds(Assign, small_terms(), small_terms()),
        callable_terms().filter(lambda term: _is_call(term, place)).map(Call),
        st.just(Cut()),
    ]
    return st.one_of(*flat, *(_nested(place, depth - 1) if depth else ()))


def _nested(place: Place, depth: int) -> list[st.SearchStrategy[Literal]]:
    inner = bodies(place, depth)
    return [
        inner.filter(lambda body: not (len(body) == 1 and isinstance(body[0], Guard))).map(Not),
        st.lists(inner, min_size=2, max_size=3).map(tuple).filter(_is_disjunction).map(Or),
        st.builds(IfThenElse, inner, inner, st.none() | inner),
        st.builds(FindAll, small_terms(), inner, small_terms()),
    ]


def _is_disjunction(branches: tuple[Body, ...]) -> bool:
    single = [branch[0] if len(branch) == 1 else None for branch in branches]
    has_early_arrow = any(isinstance(one, IfThenElse) and one.otherwise is None for one in single[:-1])
    return not has_early_arrow and not isinstance(single[-1], Or)


@st.composite
def bodies(draw: st.DrawFn, place: Place, depth: int = 2) -> Body:
    """A conjunction, perhaps the empty one."""
    return tuple(draw(st.lists(literals(place, depth), max_size=3)))


# Rules

_point, _spans, _background, _timeless = (bodies(place) for place in Place)
_paired = st.builds(lambda fvp: Compound("=", (fvp.fluent, fvp.value)), _fvps)


def _declarations() -> st.SearchStrategy[Declaration]:
    fixed = (DeclarationKind.DIRECTIVE, DeclarationKind.POINTS, DeclarationKind.FORGET)
    free = [kind for kind in DeclarationKind if kind not in fixed]
    args = st.lists(small_terms(), min_size=1, max_size=2).map(tuple)
    goals = st.lists(small_terms().filter(lambda term: functor(term) is None or functor(term)[0] != ","), min_size=1)
    return st.one_of(
        st.builds(Declaration, st.sampled_from(free), args, _timeless),
        st.builds(Declaration, st.just(DeclarationKind.GROUNDING), st.tuples(_paired), _timeless),
        st.builds(Declaration, st.just(DeclarationKind.POINTS), st.tuples(_paired), _timeless),
        st.builds(Declaration, st.just(DeclarationKind.DIRECTIVE), goals.map(tuple)),
    )


RULES: dict[type, st.SearchStrategy[Rule]] = {
    EffectRule: st.builds(EffectRule, st.sampled_from(EffectKind), _fvps, _times, _point),
    InitiallyRule: st.builds(InitiallyRule, _fvps, _timeless),
    IntervalRule: st.builds(IntervalRule, _fvps, _lists, _spans),
    EventRule: st.builds(EventRule, _events, _times, _point),
    DelayRule: st.builds(DelayRule, _fvps, st.none() | _fvps, small_terms(), _timeless),
    PostponeRule: st.builds(PostponeRule, _fvps, _timeless),
    BackgroundRule: st.builds(BackgroundRule, _heads, _background),
    Declaration: _declarations(),
}


def numbered(rule: Rule) -> Rule:
    """The rule with each anonymous variable numbered by its place in the printed clause."""
    numbers = itertools.count(1)
    return _numbered(rule, numbers)


def _numbered(value: Any, numbers: Iterator[int]) -> Any:
    if isinstance(value, Var):
        return Var(f"_#{next(numbers)}") if value.is_anonymous else value
    if isinstance(value, Span):
        return value
    if isinstance(value, tuple):
        return tuple(_numbered(item, numbers) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        order = [item.name for item in fields(value)]
        if isinstance(value, Algebra):
            # The bound of a duration is written before the result.
            order.remove("bound")
            order.insert(order.index("out"), "bound")
        return replace(value, **{name: _numbered(getattr(value, name), numbers) for name in order})
    return value


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """A rule of any kind."""
    return numbered(draw(st.one_of(*RULES.values())))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A few rules."""
    return Program(tuple(draw(st.lists(rules(), max_size=4))))


def term_numbered(term: Compound) -> Compound:
    """A term with each anonymous variable numbered in reading order."""
    return _numbered(term, itertools.count(1))
