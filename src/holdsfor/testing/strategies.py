"""Random streams for the input of a program, for property tests of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from holdsfor.compiler.analysis.entities import Entity, EntityKind, Role
from holdsfor.diagnostics import HoldsforError
from holdsfor.loading import Reasoner

Choices = Sequence[Any] | st.SearchStrategy[Any]
_INPUT = (Role.INPUT_EVENT, Role.INPUT_FLUENT)


def streams(
    reasoner: Reasoner,
    arguments: Mapping[str, Sequence[Choices]] | None = None,
    *,
    values: Choices = ("true",),
    times: tuple[int, int] = (0, 50),
    most: int = 10,
    late: int = 0,
) -> st.SearchStrategy[dict[str, list[dict[str, Any]]]]:
    """Tables by name for every event and input fluent of the rules, as `recognise` and sessions accept them.

    `arguments` has, by name, the values of each argument: a list of constants or a strategy. The default is `a`, `b`
    and `c`. There are up to `most` rows of each, at `times`, that arrive up to `late` time-points later.

    >>> from holdsfor import loads
    >>> rules = loads("initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).")
    >>> doors = streams(rules, {"unlock": [["front", "back"]]})
    """
    arguments = arguments or {}
    inputs = [entity for entity in reasoner.analysis.entities if entity.role in _INPUT]
    unknown = arguments.keys() - {entity.symbol.name for entity in inputs}
    if unknown:
        raise HoldsforError(f"the rules read no input with the name {', '.join(sorted(unknown))}")
    rows = {
        entity.symbol.name: st.lists(
            _row(entity, arguments.get(entity.symbol.name), _one_of(values), times, late), max_size=most
        )
        for entity in inputs
    }
    return st.fixed_dictionaries(rows)


def _row(
    entity: Entity,
    arguments: Sequence[Choices] | None,
    value: st.SearchStrategy[Any],
    times: tuple[int, int],
    late: int,
) -> st.SearchStrategy[dict[str, Any]]:
    arity = entity.symbol.arity
    given = arguments if arguments is not None else [("a", "b", "c")] * arity
    if len(given) != arity:
        raise HoldsforError(f"{entity.symbol} has {arity} arguments, but there are choices for {len(given)}")
    args = {f"arg{place}": _one_of(choices) for place, choices in enumerate(given, 1)}
    points = st.integers(*times)
    if entity.symbol.kind is EntityKind.EVENT:
        row = st.fixed_dictionaries({"time": points, **args})
        return row if not late else st.builds(_arriving, row, st.integers(0, late))
    spans = st.tuples(points, points).map(lambda span: {"start": min(span), "end": max(span) + 1})
    return st.builds(lambda span, rest: {**span, **rest}, spans, st.fixed_dictionaries({"value": value, **args}))


def _arriving(row: dict[str, Any], delay: int) -> dict[str, Any]:
    return {"arrival": row["time"] + delay, **row}


def _one_of(choices: Choices) -> st.SearchStrategy[Any]:
    return choices if isinstance(choices, st.SearchStrategy) else st.sampled_from(list(choices))
