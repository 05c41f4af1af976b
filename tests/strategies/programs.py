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

from holdsfor import ir
from holdsfor.diagnostics import Span
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
) | {kind.value for kind in ir.DeclarationKind}


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
_fvps = st.builds(ir.Fvp, _fluents, small_terms())
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
    is_duration = name[0] in set(ir.DURATIONS) and name[1] == 3
    return not (
        name[0] in CONDITIONS
        or (name[0] in COMPARISONS and name[1] == 2)
        or (name[0] in set(ir.AllenRelation) and name[1] == 4)
        or (name[0], name[1] - 2) in {(operator.value, lists) for operator, lists in ir.METRIC.items()}
        or is_duration
    )


def _is_comparison(literal: ir.Compare, place: Place) -> bool:
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


def _list_operators() -> st.SearchStrategy[ir.Algebra]:
    unary = st.sampled_from(
        [ir.IntervalOperator.UNION, ir.IntervalOperator.INTERSECTION, ir.IntervalOperator.COMPLEMENT]
    )
    return st.builds(ir.Algebra, unary, _open_inputs, _lists) | st.builds(
        lambda first, rest, out: ir.Algebra(ir.IntervalOperator.RELATIVE_COMPLEMENT, (first, *rest), out),
        _lists,
        _open_inputs,
        _lists,
    )


def _pair_operators() -> st.SearchStrategy[ir.Algebra]:
    pairs = st.tuples(_lists, _lists)
    relations, modes = st.sampled_from(ir.AllenRelation), st.sampled_from(ir.AllenMode)
    return st.builds(ir.Algebra, st.just(ir.IntervalOperator.SEQUENCE), pairs, _lists) | st.builds(
        ir.Algebra, st.just(ir.IntervalOperator.ALLEN), pairs, _lists, st.none(), relations, modes
    )


def _metric(operator: ir.IntervalOperator, low: int, more: int | None, lists: list[Term], out: Term) -> ir.Algebra:
    distance = ir.Distance(low, None if more is None else low + more)
    return ir.Algebra(operator, tuple(lists[: ir.METRIC[operator]]), out, distance=distance)


_numbers = st.integers(0, 9)
_metrics = st.builds(
    _metric,
    st.sampled_from(sorted(ir.METRIC)),
    _numbers,
    st.none() | _numbers,
    st.lists(_lists, min_size=2, max_size=2),
    _lists,
)
_durations = st.builds(ir.Algebra, st.sampled_from(sorted(ir.DURATIONS)), st.tuples(_lists), _lists, small_terms())


# Literals and bodies

_temporal = st.one_of(
    st.builds(ir.Happens, _events, _times),
    st.builds(ir.Boundary, st.sampled_from(ir.Edge), _fvps, _times),
    st.builds(ir.Holds, _fvps, _times),
    st.builds(ir.Effect, st.sampled_from(ir.EffectKind), _fvps, _times),
)
_interval = st.one_of(st.builds(ir.Intervals, _fvps, _lists), _list_operators(), _pair_operators(), _metrics)
_special: dict[Place, tuple[st.SearchStrategy[ir.Literal], ...]] = {
    Place.POINT: (_temporal, _temporal),
    Place.INTERVAL: (_interval, _interval, _durations, st.builds(ir.Guard, named_variables, st.booleans())),
    Place.BACKGROUND: (_temporal, _interval),
    Place.TIMELESS: (),
}


@st.composite
def literals(draw: st.DrawFn, place: Place, depth: int = 2) -> ir.Literal:
    """Any literal that a body at this place can have, nested ones included."""
    return draw(_literals(place, depth))


@cache
def _literals(place: Place, depth: int) -> st.SearchStrategy[ir.Literal]:
    flat: list[st.SearchStrategy[ir.Literal]] = [
        *_special[place],
        st.builds(ir.Compare, st.sampled_from(COMPARISONS), small_terms(), small_terms()).filter(
            lambda literal: _is_comparison(literal, place)
        ),
        st.builds(ir.Assign, small_terms(), small_terms()),
        callable_terms().filter(lambda term: _is_call(term, place)).map(ir.Call),
        st.just(ir.Cut()),
    ]
    return st.one_of(*flat, *(_nested(place, depth - 1) if depth else ()))


def _nested(place: Place, depth: int) -> list[st.SearchStrategy[ir.Literal]]:
    inner = bodies(place, depth)
    return [
        inner.filter(lambda body: not (len(body) == 1 and isinstance(body[0], ir.Guard))).map(ir.Not),
        st.lists(inner, min_size=2, max_size=3).map(tuple).filter(_is_disjunction).map(ir.Or),
        st.builds(ir.IfThenElse, inner, inner, st.none() | inner),
        st.builds(ir.FindAll, small_terms(), inner, small_terms()),
    ]


def _is_disjunction(branches: tuple[ir.Body, ...]) -> bool:
    single = [branch[0] if len(branch) == 1 else None for branch in branches]
    has_early_arrow = any(isinstance(one, ir.IfThenElse) and one.otherwise is None for one in single[:-1])
    return not has_early_arrow and not isinstance(single[-1], ir.Or)


@st.composite
def bodies(draw: st.DrawFn, place: Place, depth: int = 2) -> ir.Body:
    """A conjunction, perhaps the empty one."""
    return tuple(draw(st.lists(literals(place, depth), max_size=3)))


# Rules

_point, _spans, _background, _timeless = (bodies(place) for place in Place)
_paired = st.builds(lambda fvp: Compound("=", (fvp.fluent, fvp.value)), _fvps)


def _declarations() -> st.SearchStrategy[ir.Declaration]:
    fixed = (ir.DeclarationKind.DIRECTIVE, ir.DeclarationKind.POINTS, ir.DeclarationKind.FORGET)
    free = [kind for kind in ir.DeclarationKind if kind not in fixed]
    args = st.lists(small_terms(), min_size=1, max_size=2).map(tuple)
    goals = st.lists(small_terms().filter(lambda term: functor(term) is None or functor(term)[0] != ","), min_size=1)
    return st.one_of(
        st.builds(ir.Declaration, st.sampled_from(free), args, _timeless),
        st.builds(ir.Declaration, st.just(ir.DeclarationKind.GROUNDING), st.tuples(_paired), _timeless),
        st.builds(ir.Declaration, st.just(ir.DeclarationKind.POINTS), st.tuples(_paired), _timeless),
        st.builds(ir.Declaration, st.just(ir.DeclarationKind.DIRECTIVE), goals.map(tuple)),
    )


RULES: dict[type, st.SearchStrategy[ir.Rule]] = {
    ir.EffectRule: st.builds(ir.EffectRule, st.sampled_from(ir.EffectKind), _fvps, _times, _point),
    ir.InitiallyRule: st.builds(ir.InitiallyRule, _fvps, _timeless),
    ir.IntervalRule: st.builds(ir.IntervalRule, _fvps, _lists, _spans),
    ir.EventRule: st.builds(ir.EventRule, _events, _times, _point),
    ir.DelayRule: st.builds(ir.DelayRule, _fvps, st.none() | _fvps, small_terms(), _timeless),
    ir.PostponeRule: st.builds(ir.PostponeRule, _fvps, _timeless),
    ir.BackgroundRule: st.builds(ir.BackgroundRule, _heads, _background),
    ir.Declaration: _declarations(),
}


def numbered(rule: ir.Rule) -> ir.Rule:
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
        if isinstance(value, ir.Algebra):
            # The bound of a duration is written before the result.
            order.remove("bound")
            order.insert(order.index("out"), "bound")
        return replace(value, **{name: _numbered(getattr(value, name), numbers) for name in order})
    return value


@st.composite
def rules(draw: st.DrawFn) -> ir.Rule:
    """A rule of any kind."""
    return numbered(draw(st.one_of(*RULES.values())))


@st.composite
def programs(draw: st.DrawFn) -> ir.Program:
    """A few rules."""
    return ir.Program(tuple(draw(st.lists(rules(), max_size=4))))


def term_numbered(term: Compound) -> Compound:
    """A term with each anonymous variable numbered in reading order."""
    return _numbered(term, itertools.count(1))
