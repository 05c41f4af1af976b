"""Library predicates that bodies may call: lists, ranges, type tests.

`needs` lists the arguments that must be bound before the call; the others are computed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

from holdsfor.logic import arithmetic
from holdsfor.logic.order import order_key
from holdsfor.logic.unify import Bindings, is_ground, resolve, unify
from holdsfor.records import record
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, is_number


@record
class LibraryPredicate:
    """A built-in predicate: the arguments it needs and how it is solved."""

    needs: tuple[int, ...]
    solve: Callable[[tuple[Term, ...], Bindings], Iterator[Bindings]]


def _items(term: Term) -> tuple[Term, ...]:
    if isinstance(term, ListTerm) and term.tail is None:
        return term.items
    is_open = isinstance(term, Var | ListTerm)
    raise (arithmetic.Unbound if is_open else arithmetic.NoValue)(f"{print_term(term)} is not a list")


def _numbers(term: Term) -> list[arithmetic.Number]:
    return [arithmetic.evaluate(item, {}) for item in _items(term)]


def _either(result: Bindings | None) -> Iterator[Bindings]:
    if result is not None:
        yield result


def _function(compute: Callable[[Term], Term]) -> LibraryPredicate:
    """A predicate whose second argument is computed from its first."""

    def solve(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
        return _either(unify(args[1], compute(resolve(args[0], bindings)), bindings))

    return LibraryPredicate((0,), solve)


def _test(accept: Callable[[Term], bool]) -> LibraryPredicate:
    def solve(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
        if accept(resolve(args[0], bindings)):
            yield bindings

    return LibraryPredicate((0,), solve)


def _member(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    for item in _items(resolve(args[1], bindings)):
        yield from _either(unify(args[0], item, bindings))


def _memberchk(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    yield from itertools.islice(_member(args, bindings), 1)


def _nth(base: int) -> LibraryPredicate:
    def solve(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
        for index, item in enumerate(_items(resolve(args[1], bindings)), base):
            found = unify(args[0], Const(index), bindings)
            yield from _either(None if found is None else unify(args[2], item, found))

    return LibraryPredicate((1,), solve)


def _append(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    first, second = (_items(resolve(arg, bindings)) for arg in args[:2])
    return _either(unify(args[2], ListTerm(first + second), bindings))


def _between(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    low, high = (arithmetic.evaluate(arg, bindings) for arg in args[:2])
    value = resolve(args[2], bindings)
    if isinstance(value, Const):
        if isinstance(value.value, int) and low <= value.value <= high:
            yield bindings
        return
    if math.isinf(high) or math.isinf(low):
        raise arithmetic.EvaluationError(f"between({low}, {high}, X) has too many answers")
    if not (isinstance(low, int) and isinstance(high, int)):
        raise arithmetic.NoValue(f"between({low}, {high}, X) needs whole numbers")
    if high - low > 10_000_000:
        raise arithmetic.EvaluationError(f"between({low}, {high}, X) has too many answers")
    for number in range(low, high + 1):
        yield from _either(unify(args[2], Const(number), bindings))


def _is_atom(term: Term) -> bool:
    return isinstance(term, Const) and isinstance(term.value, str)


def _extreme(choose: Callable[[list[arithmetic.Number]], arithmetic.Number]) -> LibraryPredicate:
    def solve(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
        numbers = _numbers(resolve(args[0], bindings))
        return _either(unify(args[1], arithmetic.number_term(choose(numbers)), bindings) if numbers else None)

    return LibraryPredicate((0,), solve)


def _sorted_unique(term: Term) -> Term:
    unique = {order_key(item): item for item in _items(term)}
    return ListTerm(tuple(unique[key] for key in sorted(unique)))


def _last(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    items = _items(resolve(args[0], bindings))
    return _either(unify(args[1], items[-1], bindings) if items else None)


def _always(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    del args
    yield bindings


def _never(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    del args, bindings
    return iter(())


def _at_a_query(args: tuple[Term, ...], bindings: Bindings) -> Iterator[Bindings]:
    del args, bindings
    raise arithmetic.EvaluationError("queryTime/1 has a value in holdsFor rules only")


LIBRARY: dict[tuple[str, int], LibraryPredicate] = {
    ("queryTime", 1): LibraryPredicate((), _at_a_query),
    ("true", 0): LibraryPredicate((), _always),
    ("fail", 0): LibraryPredicate((), _never),
    ("false", 0): LibraryPredicate((), _never),
    ("member", 2): LibraryPredicate((1,), _member),
    ("memberchk", 2): LibraryPredicate((1,), _memberchk),
    ("length", 2): _function(lambda items: Const(len(_items(items)))),
    ("sum_list", 2): _function(lambda items: arithmetic.number_term(arithmetic.exact_sum(_numbers(items)))),
    ("sumlist", 2): _function(lambda items: arithmetic.number_term(arithmetic.exact_sum(_numbers(items)))),
    ("max_list", 2): _extreme(arithmetic.greatest),
    ("min_list", 2): _extreme(arithmetic.least),
    ("sort", 2): _function(_sorted_unique),
    ("list_to_set", 2): _function(lambda items: ListTerm(tuple(dict.fromkeys(_items(items))))),
    ("msort", 2): _function(lambda items: ListTerm(tuple(sorted(_items(items), key=order_key)))),
    ("reverse", 2): _function(lambda items: ListTerm(_items(items)[::-1])),
    ("last", 2): LibraryPredicate((0,), _last),
    ("nth0", 3): _nth(0),
    ("nth1", 3): _nth(1),
    ("append", 3): LibraryPredicate((0, 1), _append),
    ("between", 3): LibraryPredicate((0, 1), _between),
    ("number", 1): _test(is_number),
    ("atom", 1): _test(_is_atom),
    ("integer", 1): _test(lambda term: isinstance(term, Const) and isinstance(term.value, int)),
    ("float", 1): _test(lambda term: isinstance(term, Const) and isinstance(term.value, float)),
    ("atomic", 1): _test(lambda term: isinstance(term, Const)),
    ("compound", 1): _test(
        lambda term: isinstance(term, Compound) or (isinstance(term, ListTerm) and bool(term.items))
    ),
    ("is_list", 1): _test(lambda term: isinstance(term, ListTerm) and term.tail is None),
    ("ground", 1): _test(is_ground),
    ("nonvar", 1): _test(lambda term: not isinstance(term, Var)),
}
