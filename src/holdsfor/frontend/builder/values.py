"""Variables, terms and arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from difflib import get_close_matches
from typing import NoReturn

from holdsfor.frontend.builder.conditions import Comparison, Condition
from holdsfor.frontend.builder.errors import BuilderError, UnknownName, arguments
from holdsfor.frontend.builder.terms import Termed, TermLike, apply, to_length, to_number, to_term, to_terms
from holdsfor.logic.arithmetic import FUNCTIONS
from holdsfor.syntax.operators import INFIX
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, ListTerm, Term, Var

_VARIABLE = re.compile(r"[^\W\d]\w*\Z")
COMPARISONS = frozenset("= \\= == \\== @< @> @=< @>= =:= =\\= < > =< >=".split())


class Value(Termed):
    """A variable, a term, or an expression over them.

    `+ - * / // % **`, `abs`, `round`, `math.floor`, `math.ceil` and `math.trunc` give expressions; `< <= > >=`
    compare numbers. `==` and `!=` compare numbers when one side is an expression, and unify otherwise.

    >>> X, Y = variables("X Y")
    >>> X + 1, X == Y, X == Y + 1, X // 2 <= abs(Y)
    (X + 1, X=Y, X =:= Y + 1, X div 2 =< abs(Y))
    """

    def __init__(self, term: Term, *, is_expression: bool = False) -> None:
        self._wrapped = term
        self._is_expression = is_expression

    def _term(self) -> Term:
        return self._wrapped

    def _advice(self) -> str:
        return f"{self!r} is a value, not a condition: compare it, or use it as an argument"

    def __repr__(self) -> str:
        return print_term(self._wrapped)

    __hash__ = object.__hash__

    # Comparisons

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        return self._compare("=:=" if self._is_numeric(other) else "=", other)

    def __ne__(self, other: object) -> Comparison:  # type: ignore[override]
        return self._compare("=\\=" if self._is_numeric(other) else "\\=", other)

    def __lt__(self, other: TermLike) -> Comparison:
        return self._compare("<", other, of_numbers=True)

    def __le__(self, other: TermLike) -> Comparison:
        return self._compare("=<", other, of_numbers=True)

    def __gt__(self, other: TermLike) -> Comparison:
        return self._compare(">", other, of_numbers=True)

    def __ge__(self, other: TermLike) -> Comparison:
        return self._compare(">=", other, of_numbers=True)

    def _is_numeric(self, other: object) -> bool:
        return self._is_expression or (isinstance(other, Value) and other._is_expression)

    def _compare(self, operator: str, other: object, *, of_numbers: bool = False) -> Comparison:
        return Comparison(operator, self._wrapped, (to_number if of_numbers else to_term)(other))  # type: ignore[arg-type]

    # Arithmetic

    def __add__(self, other: TermLike) -> Value:
        return self._combine("+", other)

    def __radd__(self, other: TermLike) -> Value:
        return self._combine("+", other, swap=True)

    def __sub__(self, other: TermLike) -> Value:
        return self._combine("-", other)

    def __rsub__(self, other: TermLike) -> Value:
        return self._combine("-", other, swap=True)

    def __mul__(self, other: TermLike) -> Value:
        return self._combine("*", other)

    def __rmul__(self, other: TermLike) -> Value:
        return self._combine("*", other, swap=True)

    def __truediv__(self, other: TermLike) -> Value:
        return self._combine("/", other)

    def __rtruediv__(self, other: TermLike) -> Value:
        return self._combine("/", other, swap=True)

    # As in Python, // rounds down: that is `div` in rule text, where `//` rounds towards zero.
    def __floordiv__(self, other: TermLike) -> Value:
        return self._combine("div", other)

    def __rfloordiv__(self, other: TermLike) -> Value:
        return self._combine("div", other, swap=True)

    def __mod__(self, other: TermLike) -> Value:
        return self._combine("mod", other)

    def __rmod__(self, other: TermLike) -> Value:
        return self._combine("mod", other, swap=True)

    def __pow__(self, other: TermLike) -> Value:
        return self._combine("**", other)

    def __rpow__(self, other: TermLike) -> Value:
        return self._combine("**", other, swap=True)

    def __neg__(self) -> Value:
        return expression("-", self._wrapped)

    def __pos__(self) -> Value:
        return expression("+", self._wrapped)

    def __abs__(self) -> Value:
        return expression("abs", self._wrapped)

    def __round__(self) -> Value:
        return expression("round", self._wrapped)

    def __floor__(self) -> Value:
        return expression("floor", self._wrapped)

    def __ceil__(self) -> Value:
        return expression("ceiling", self._wrapped)

    def __trunc__(self) -> Value:
        return expression("truncate", self._wrapped)

    def _combine(self, operator: str, other: TermLike, *, swap: bool = False) -> Value:
        if isinstance(other, Condition):
            raise BuilderError(_forgotten(self, operator))
        term = to_number(other)
        return expression(operator, *((term, self._wrapped) if swap else (self._wrapped, term)))

    # The usual sign of forgotten parentheses: a(X) == Y & b(X) == Z.

    def __and__(self, other: object) -> NoReturn:
        raise BuilderError(_forgotten(self, "&"))

    def __or__(self, other: object) -> NoReturn:
        raise BuilderError(_forgotten(self, "|"))


def _forgotten(value: Value, operator: str) -> str:
    return (
        f"{value!r} cannot stand beside {operator}. Python applies {operator} before ==, so put each side in "
        f"parentheses: (a(X) == {value!r}) {operator} (b(X) == 2)"
    )


def expression(operator: str, *args: Term) -> Value:
    """An arithmetic expression."""
    return Value(Compound(operator, args), is_expression=True)


ANY = Value(Var(ANONYMOUS_PREFIX))
"""Any value; each use is another variable."""

T = Value(Var("T"))
"""The time-point of the rule."""


def var(name: str) -> Value:
    """A variable; its name starts with a capital letter or `_`.

    >>> var("Vessel")
    Vessel
    """
    if not isinstance(name, str) or not _VARIABLE.match(name) or not (name[0] == "_" or name[0].isupper()):
        hint = f", as in var({name.capitalize()!r})" if isinstance(name, str) and name.isidentifier() else ""
        raise BuilderError(f"{name!r} cannot name a variable: start with a capital letter or _{hint}")
    return ANY if name == "_" else Value(Var(name))


def variables(names: str) -> tuple[Value, ...]:
    """Several variables, separated by blanks or commas.

    >>> variables("Vessel Area")
    (Vessel, Area)
    """
    return tuple(var(name) for name in names.replace(",", " ").split())


def term(name: str) -> Callable[..., Value]:
    """A function symbol: `term("point")(X, Y)` is `point(X,Y)`. Without arguments it gives the name itself.

    >>> X, Y = variables("X Y")
    >>> term("point")(X, Y), term("//")(X, 2), term("go")()
    (point(X,Y), X // 2, go)
    """
    if not isinstance(name, str):
        raise BuilderError(f"{name!r} cannot name a term: give its name as text")

    def applied(*args: TermLike) -> Value:
        return Value(apply(name, to_terms(args)), is_expression=(name, len(args)) in FUNCTIONS and name in INFIX)

    return applied


def duration(length: str | timedelta) -> Value:
    """A length of time, for places such as facts, where text is a name.

    >>> duration("30 min"), T - duration(timedelta(hours=2))
    (30 min, T - 2 h)
    """
    return Value(to_length(length, "duration(…)"), is_expression=True)


def items(*first: TermLike, rest: Value | None = None) -> Value:
    """A list, open at its end if `rest` is given.

    >>> X, Rest = variables("X Rest")
    >>> items(X, 2), items(X, rest=Rest)
    ([X,2], [X|Rest])
    """
    tail = None if rest is None else to_term(rest)
    if tail is not None and not first:
        return Value(tail)
    if isinstance(tail, ListTerm):
        return Value(ListTerm((*to_terms(first), *tail.items), tail.tail))
    return Value(ListTerm(to_terms(first), tail))


def compare(operator: str, left: TermLike, right: TermLike) -> Comparison:
    """A comparison by its name in rule text, such as `@<` (order of terms) or `==` (already the same).

    >>> compare("@<", *variables("X Y"))
    X @< Y
    """
    if operator not in COMPARISONS:
        raise BuilderError(f"{operator!r} is not a comparison; the comparisons are {' '.join(sorted(COMPARISONS))}")
    return Comparison(operator, to_term(left), to_term(right))


class Functions:
    """Arithmetic functions by name: `fn.sqrt(X)`, `fn.max(X, Y)`."""

    def __getattr__(self, name: str) -> Callable[..., Value]:
        known = {function for function, _ in FUNCTIONS if function.isidentifier()}
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"did you mean fn.{close[0]}?" if close else f"there are {', '.join(sorted(known))}"
            raise UnknownName(f"there is no function {name}: {hint}")

        def applied(*args: TermLike) -> Value:
            if (name, len(args)) not in FUNCTIONS:
                takes = " or ".join(arguments(arity) for function, arity in FUNCTIONS if function == name)
                raise BuilderError(f"fn.{name} takes {takes}, not {len(args)}")
            return expression(name, *to_terms(args))

        return applied


fn = Functions()
