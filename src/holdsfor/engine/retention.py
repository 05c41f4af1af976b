"""What of the past must outlive its window: decided once per plan.

A statically determined fluent whose operators look at one time-point at a time needs nothing of the past but since
when it has held at the border. Sequences, Allen relations, durations, emptiness tests and complements look at whole
intervals, or at instances that are long gone, and get the history of what they read. Conditions with a time-point of
their own get as much of it as they can still see.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.lookback import reach
from holdsfor.compiler.plan import Plan
from holdsfor.engine.tables import FOREVER
from holdsfor.engine.variants import Variant, variants
from holdsfor.ir import Algebra, EffectRule, EventRule, IntervalOperator, IntervalRule, Intervals, walk
from holdsfor.syntax.terms import Term, Var, variables


@dataclass(frozen=True)
class Retention:
    """Fluents whose ended intervals are kept, and how far back before the border events and boundaries are."""

    whole: frozenset[Symbol]
    reach: dict[Symbol, int]
    derivable: frozenset[Symbol]
    """Statically determined fluents that are worked out from whole histories, and so need no state of their own."""

    def looks_back(self) -> bool:
        """Whether any rule reads a time-point other than its own."""
        return bool(self.reach)


def retention(plan: Plan) -> Retention:
    """What a plan must keep."""
    entities = plan.analysis.entities
    whole: set[Symbol] = set()
    derivable: set[Symbol] = set()
    far: dict[Symbol, int] = {}
    for symbol in (symbol for stratum in plan.strata for symbol in stratum.members):
        rules = [rule for rule in entities[symbol].rules if isinstance(rule, IntervalRule)]
        read = {condition.symbol for rule in rules for condition in conditions(rule.body, entities)}
        # What is read may change long after: whoever reads such a fluent is such a fluent itself.
        if rules and (read & derivable or not _looks_at_points(rules)):
            derivable.add(symbol)
            whole |= read
    for rule in plan.analysis.program.rules:
        if isinstance(rule, EffectRule | EventRule) and isinstance(rule.time, Var):
            for symbol, distance in _looks_back(plan, rule, rule.time.name):
                far[symbol] = max(distance, far.get(symbol, 0))
                if symbol.kind is EntityKind.FLUENT:
                    whole.add(symbol)
    return Retention(frozenset(whole), far, frozenset(derivable))


def _looks_back(plan: Plan, rule: EffectRule | EventRule, now: str) -> list[tuple[Symbol, int]]:
    found = []
    for condition in conditions(rule.body, plan.analysis.entities):
        literal = condition.literal
        if not isinstance(literal, Intervals) and isinstance(literal.time, Var) and literal.time.name != now:
            most = reach(rule.body, now, literal.time.name).most
            found.append((condition.symbol, int(min(most, float(FOREVER)))))
    return found


def _looks_at_points(rules: list[IntervalRule]) -> bool:
    return len(rules) == 1 and all(_is_pointwise(variant, rules[0]) for variant in variants(rules[0]))


def _is_pointwise(variant: Variant, rule: IntervalRule) -> bool:
    """Whether the result at a time-point follows from the fluents at that time-point, for instances in sight."""
    decided = _variables(rule.out, variant)
    leaves = (literal for literal in walk(rule.body) if isinstance(literal, Intervals))
    ranging = {v.name for leaf in leaves for part in (leaf.fvp.fluent, leaf.fvp.value) for v in variables(part)}
    return not variant.guards and decided is not None and ranging <= decided


def _variables(term: Term, variant: Variant) -> frozenset[str] | None:
    """The variables that make a list non-empty, or None if the list is not decided point by point."""
    node = variant.nodes.get(term.name) if isinstance(term, Var) else None
    if node is None:
        return frozenset()
    if isinstance(node, Intervals):
        return frozenset(v.name for part in (node.fvp.fluent, node.fvp.value) for v in variables(part))
    below = [_variables(item, variant) for item in node.inputs]
    if any(found is None for found in below):
        return None
    return _combined(node, [found for found in below if found is not None])


def _combined(node: Algebra, below: list[frozenset[str]]) -> frozenset[str] | None:
    match node.operator:
        case IntervalOperator.INTERSECTION:
            return frozenset().union(*below)
        case IntervalOperator.UNION if all(found == below[0] for found in below):
            return below[0] if below else frozenset()
        case IntervalOperator.RELATIVE_COMPLEMENT if all(found <= below[0] for found in below[1:]):
            return below[0]
        case _:
            return None
