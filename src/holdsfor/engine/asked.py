"""What the conditions of bodies ask for, worked out once for a plan: a literal as the engine applies it.

`Asked` is what is known of a literal before any data is there: the symbol it is about, and its terms as a `Pattern`
over the columns of that symbol's table. `stages` puts comparisons that follow each other together, so that rows are
taken once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from holdsfor.compiler.analysis.entities import Entities, Symbol
from holdsfor.engine.expressions import Test
from holdsfor.engine.patterns import ONCE, Pattern
from holdsfor.ir import Body, Boundary, Compare, Effect, Happens, Holds, Instance, Intervals, Literal
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Compound, Term, Var

START, END, ROW = "#start", "#end", "#row"


@dataclass(frozen=True)
class Asked:
    """The symbol of a literal, and its terms as they stand over the columns of a table."""

    symbol: Symbol
    pattern: Pattern


@dataclass(frozen=True)
class AskedPair(Asked):
    """A fluent-value pair at a time-point, or its intervals.

    `variables` are the places of arguments that are variables, `names` the names of those; `is_plain` says that the
    other arguments are constants. `fixed` selects the rows with those constants, the value among them if it is one.
    """

    fixed: Pattern
    variables: tuple[int, ...]
    names: tuple[str, ...]
    arity: int
    is_plain: bool
    value: Term
    value_is_fixed: bool

    @property
    def value_name(self) -> str | None:
        """The name of the variable that the value is."""
        return self.value.name if isinstance(self.value, Var) else None


def asked_of(literal: Literal, entities: Entities) -> Asked | None:
    """What a literal asks for, if that is a table of events, points or intervals."""
    match literal:
        case Happens(event=event, time=time):
            symbol = entities.event(event)
            return Asked(symbol, Pattern((*symbol.columns(event), time)))
        case Boundary(fvp=fvp, time=time) | Effect(fvp=fvp, time=time):
            symbol = entities.fluent(fvp)
            return Asked(symbol, Pattern((*symbol.columns(fvp.fluent), fvp.value, time)))
        case Instance(fvp=fvp):
            symbol = entities.fluent(fvp)
            return Asked(symbol, Pattern((*symbol.columns(fvp.fluent), fvp.value)))
        case Holds(fvp=fvp):
            symbol = entities.fluent(fvp)
            return _pair(symbol, symbol.columns(fvp.fluent), fvp.value, (Var(START), Var(END)))
        case Intervals(fvp=fvp):
            symbol = entities.fluent(fvp)
            return _pair(symbol, symbol.columns(fvp.fluent), fvp.value, (Var(ROW),))
        case _:
            return None


def _pair(symbol: Symbol, terms: Sequence[Term], value: Term, more: tuple[Term, ...]) -> AskedPair:
    places = tuple(place for place, term in enumerate(terms) if isinstance(term, Var))
    names = tuple(term.name for term in terms if isinstance(term, Var))
    fixed = [term if is_ground(term) else Var(f"{ONCE}{place}") for place, term in enumerate((*terms, value))]
    return AskedPair(
        symbol,
        Pattern((*terms, value, *more)),
        fixed=Pattern((*fixed, Var(ROW))),
        variables=places,
        names=names,
        arity=len(terms),
        is_plain=all(isinstance(term, Var) or is_ground(term) for term in terms),
        value=value,
        value_is_fixed=is_ground(value),
    )


def is_pattern(term: Term) -> bool:
    """Whether a term is a compound with variables inside."""
    return isinstance(term, Compound) and not is_ground(term)


Stage = tuple[Test, ...] | Literal
"""Arithmetic comparisons that follow each other, or another literal."""


def stages(body: Body) -> tuple[Stage, ...]:
    """A body with arithmetic comparisons that follow each other put together."""
    return tuple(_stage(part) for part in literals_of_stages(body))


def literals_of_stages(body: Body) -> list[Body]:
    """The same as literals."""
    return [
        part
        for is_test, run in groupby(body, _is_test)
        for part in ([tuple(run)] if is_test else [(literal,) for literal in run])
    ]


def _is_test(literal: Literal) -> bool:
    return isinstance(literal, Compare) and literal.operator in ARITHMETIC_COMPARISONS


def _stage(part: Body) -> Stage:
    tests = tuple(Test(one) for one in part if isinstance(one, Compare) and _is_test(one))
    return tests or part[0]
