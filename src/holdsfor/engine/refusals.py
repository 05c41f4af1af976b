"""What Spark and `explain` refuse of a program, found before they run, so that `check` says what they would (HF590).

They still use the columnar engine. All of it has a meaning: runs and sessions are evaluated by the core, which has no such
limits. The limits stand where they are met, as `NotSupported`; here
everything that can meet one is tried on the rules alone, or foreseen. Without limits this file goes as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.variants import NotSupported, variants
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import NOWHERE, Diagnostic, Severity
from holdsfor.engine.cyclic.component import Component
from holdsfor.engine.rule_notes import RuleNotes, rule_notes
from holdsfor.ir import (
    Call,
    Effect,
    EffectKind,
    EffectRule,
    FindAll,
    IntervalRule,
    Literal,
    Rule,
    rule_variables,
    variable_names,
    walk,
)
from holdsfor.logic.library import LIBRARY
from holdsfor.syntax.terms import EMPTY_LIST, Var, arguments, functor, variables

_ON_COLLECTED = frozenset("member memberchk length sum_list sumlist max_list min_list sort list_to_set msort".split())
"""The library predicates that work on the results of `findall`."""
_LISTS_OF_LISTS = frozenset(("sort", "list_to_set", "msort"))
_AS_VALUE = "a list that findall collects, used as a value"
_HINT = "holdsfor run, windows and sessions can do it"


def refusals(plan: Plan) -> list[Diagnostic]:
    """One finding for each thing that Spark and `explain` refuse."""
    notes = rule_notes(plan)
    found: dict[tuple[str, int], NotSupported] = {}
    for problem in (*_lists(plan), *_collected(plan), *_open_terminations(plan, notes), *_components(plan, notes)):
        found.setdefault((problem.what, (problem.span or NOWHERE).start), problem)
    return [
        Diagnostic("HF590", Severity.NOTE, f"Spark and explain cannot do this: {one.what}", one.span or NOWHERE, _HINT)
        for one in found.values()
    ]


def _lists(plan: Plan) -> Iterator[NotSupported]:
    for rule in plan.analysis.program.intervals:
        try:
            variants(replace(rule, body=plan.analysis.body(rule)))
        except NotSupported as problem:
            yield problem


def _collected(plan: Plan) -> Iterator[NotSupported]:
    """What rules about time-points do with the results of `findall`."""
    rules: tuple[Rule, ...] = (*plan.analysis.program.effects, *plan.analysis.program.events)
    for rule in rules:
        literals = list(walk(rule.body))
        lists = _list_names(literals)
        for literal in literals:
            if isinstance(literal, FindAll):
                if not isinstance(literal.result, Var) and literal.result != EMPTY_LIST:
                    yield NotSupported("a result of findall that is neither a variable nor []", literal.span)
                continue
            name = functor(literal.atom) if isinstance(literal, Call) else None
            used = lists & variable_names((literal,)) if lists else set()
            if used and (name is None or name not in LIBRARY or not _reads_list(literal, used)):
                what = f"{name[0]}/{name[1]} on the result of findall" if name in LIBRARY and name else _AS_VALUE
                yield NotSupported(what, literal.span)
        if lists & {variable.name for variable in rule_variables(replace(rule, body=()))}:
            yield NotSupported(_AS_VALUE, rule.span)


def _list_names(literals: Sequence[Literal]) -> set[str]:
    """The variables that stand for lists which `findall` collects, sorted ones too."""
    lists = {
        one.result.name
        for one in literals
        if isinstance(one, FindAll) and isinstance(one.result, Var) and not one.sliding
    }
    for _ in literals if lists else ():
        for one in literals:
            name = functor(one.atom) if isinstance(one, Call) else None
            if name is not None and name[0] in _LISTS_OF_LISTS and isinstance(one, Call):
                given, made = arguments(one.atom)[:2]
                if isinstance(given, Var) and given.name in lists and isinstance(made, Var):
                    lists.add(made.name)
    return lists


def _reads_list(literal: Literal, lists: set[str]) -> bool:
    """Whether a call uses lists in the places where the engine takes them."""
    assert isinstance(literal, Call)
    name, args = functor(literal.atom), arguments(literal.atom)
    assert name is not None
    if name[0] not in _ON_COLLECTED:
        return False
    place = 1 if name[0] in ("member", "memberchk") else 0
    others = [arg for at, arg in enumerate(args) if at != place]
    if name[0] in _LISTS_OF_LISTS:
        return isinstance(args[0], Var) and isinstance(args[1], Var)
    return isinstance(args[place], Var) and not any(v.name in lists for arg in others for v in variables(arg))


def _open_terminations(plan: Plan, notes: RuleNotes) -> Iterator[NotSupported]:
    """`terminatedAt` as a condition on a fluent that a rule ends for all its instances at once."""
    entities = plan.analysis.entities
    for rule in plan.analysis.program.rules:
        for literal in walk(rule.body):
            if isinstance(literal, Effect) and literal.kind is EffectKind.TERMINATED:
                symbol = entities.fluent(literal.fvp)
                if symbol in notes.openly_ended and not isinstance(rule, IntervalRule):
                    what = f"terminatedAt as a condition on {symbol}, which a rule ends for all its instances at once"
                    yield NotSupported(what, literal.span)


def _components(plan: Plan, notes: RuleNotes) -> Iterator[NotSupported]:
    for stratum in plan.strata:
        if notes.is_swept(stratum):
            try:
                component = notes.component(stratum)
            except NotSupported as problem:
                yield problem
                continue
            yield from _growing_delays(plan, component)
            yield from _growing_patterns(component)


def _growing_delays(plan: Plan, component: Component) -> Iterator[NotSupported]:
    """Delayed effects that depend on a value that grows."""
    entities = plan.analysis.entities
    for rule in component.delays:
        symbol, value = entities.fluent(rule.trigger), rule.trigger.value
        free = names(value)
        if symbol not in component.growing or not free:
            continue
        used = {name for term in (rule.delay, rule.trigger.fluent) for name in names(term)} | variable_names(rule.body)
        is_kept = rule.effect is None or rule.effect.value == value or not free & names(rule.effect.value)
        if not isinstance(value, Var) or free & used or not is_kept:
            what = f"a delayed effect that depends on a value of {symbol}, which takes ever new values in a cycle"
            yield NotSupported(what, rule.span)
        postponed = [one.fvp.value for one in component.postpones if entities.fluent(one.fvp) == symbol]
        if len(set(postponed)) > 1 and not any(isinstance(one, Var) for one in postponed):
            what = "a delayed effect of any value that only some values postpone; write one rule per value"
            yield NotSupported(what, rule.span)


def _growing_patterns(component: Component) -> Iterator[NotSupported]:
    for way in component.ways:
        rule = way.rule
        if not isinstance(rule, EffectRule) or rule.kind is not EffectKind.TERMINATED:
            continue
        is_pattern = not isinstance(rule.fvp.value, Var) and names(rule.fvp.value) - variable_names(rule.body)
        if is_pattern and way.symbol in component.growing:
            yield NotSupported("a pattern for a value that grows in its own cycle", rule.span)
