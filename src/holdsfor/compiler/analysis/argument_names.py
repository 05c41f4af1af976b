"""Names the arguments of fluents, events and predicates in tables, after the variables in rule heads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.mixing import as_term
from holdsfor.ir import DelayRule, EffectRule, EventRule, InitiallyRule, IntervalRule, PostponeRule, Program, Rule
from holdsfor.ir.metric import MetricProgram
from holdsfor.syntax.terms import Term, Var, arguments, functor

_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def argument_columns(
    program: Program | None, kind: EntityKind, name: str, arity: int, reserved: Collection[str]
) -> list[str]:
    """Column names for the arguments of a fluent or derived event, none of them in `reserved`."""
    return column_names([arguments(term) for term in _heads(program, kind, name)], arity, reserved)


def flat_columns(program: Program | None, symbol: Symbol, reserved: Collection[str]) -> list[str]:
    """The same with one column per part of arguments that are always compound."""
    opened = {place: (name, arity) for place, name, arity in symbol.inner}
    heads = [
        symbol.columns(term)
        for term in _heads(program, symbol.kind, symbol.name)
        if len(arguments(term)) == symbol.arity
        and all(functor(arguments(term)[place]) == inner for place, inner in opened.items())
    ]
    width = symbol.arity - len(opened) + sum(arity for _, arity in opened.values())
    return column_names(heads, width, reserved)


def head_variables(program: MetricProgram) -> dict[tuple[str, int], tuple[str | None, ...]]:
    """The variables at the arguments of every predicate that metric rules derive; None where no rule has a variable."""
    heads = [rule.head for rule in program.rules]
    return {
        signature: _variables([head.args for head in heads if head.signature == signature], signature[1])
        for signature in dict.fromkeys(head.signature for head in heads)
    }


def first_variables(
    variables: Mapping[tuple[str, int], Sequence[str | None]], predicate: str, arity: int
) -> list[str | None]:
    """The variables at the arguments of a predicate, over all its arities up to a given one.

    >>> first_variables({("P", 1): ["X"], ("P", 2): ["Y", "Z"]}, "P", 2)
    ['X', 'Z']
    """
    found: list[str | None] = [None] * arity
    for size in range(1, arity + 1):
        for place, variable in enumerate(variables.get((predicate, size), ())):
            found[place] = found[place] or variable
    return found


def column_names(heads: Iterable[Sequence[Term]], arity: int, reserved: Collection[str]) -> list[str]:
    """The column names of arguments, given the arguments of heads in rule order.

    >>> column_names([(Var("UserId"), Var("_")), (Var("U"), Var("Kind"))], 2, ())
    ['user_id', 'kind']
    """
    return named_columns(_variables(heads, arity), reserved)


def named_columns(variables: Sequence[str | None], reserved: Collection[str]) -> list[str]:
    """Columns named after variables. One without a variable is `arg1`, …; a name that is in use gets a number.

    >>> named_columns(["Value", None, "X", "X"], {"start", "value"})
    ['value_2', 'arg2', 'x', 'x_2']
    """
    used = set(reserved)
    found = []
    for place, variable in enumerate(variables, 1):
        plain = f"arg{place}" if variable is None else snake_case(variable)
        name, count = plain, 1
        while name in used:
            count += 1
            name = f"{plain}_{count}"
        used.add(name)
        found.append(name)
    return found


def snake_case(variable: str) -> str:
    """The name of a variable in the style of column names.

    >>> [snake_case(name) for name in ("Vessel", "UserId", "MMSI", "HTTPCode", "V1", "_Area", "New_Area")]
    ['vessel', 'user_id', 'mmsi', 'http_code', 'v1', 'area', 'new_area']
    """
    parted = _WORD_BEGINS.sub("_", variable.strip("_"))
    return re.sub("_+", "_", parted).lower() or "arg"


def _variables(heads: Iterable[Sequence[Term]], arity: int) -> tuple[str | None, ...]:
    """The first variable at each place of a head."""
    found: list[str | None] = [None] * arity
    for head in heads:
        for place, arg in enumerate(head[:arity]):
            if found[place] is None and isinstance(arg, Var) and arg.written.strip("_"):
                found[place] = None if arg.is_anonymous else arg.written
    return tuple(found)


def _heads(program: Program | None, kind: EntityKind, name: str) -> Iterator[Term]:
    """The fluents, or the events, with a name that rules define."""
    if program is None:
        return
    terms = [term for rule in program.rules for term in _defined(rule, kind)]
    yield from (term for term in terms if (functor(term) or ("", 0))[0] == name)
    if kind is EntityKind.FLUENT:
        yield from (as_term(rule.head) for rule in program.metric.rules if rule.head.predicate == name)


def _defined(rule: Rule, kind: EntityKind) -> Iterator[Term]:
    """The fluents, or the events, that a rule defines."""
    if kind is EntityKind.EVENT:
        if isinstance(rule, EventRule):
            yield rule.event
        return
    match rule:
        case EffectRule(fvp=fvp) | InitiallyRule(fvp=fvp) | IntervalRule(fvp=fvp) | PostponeRule(fvp=fvp):
            yield fvp.fluent
        case DelayRule(trigger=trigger, effect=effect):
            yield from (trigger.fluent, *(() if effect is None else (effect.fluent,)))
