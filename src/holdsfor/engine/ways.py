"""The ways through `holdsFor` rules with everything that follows from the rules alone, worked out once for a plan.

`statics`, `aligned` and `unsettled` look at the data of a window; what they ask about names, terms and the order of
conditions is answered here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import Schedule, schedule
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.analysis.variants import Variant
from holdsfor.engine.asked import AskedPair
from holdsfor.engine.distances import Offset, offsets
from holdsfor.ir import (
    DURATIONS,
    METRIC,
    Algebra,
    Body,
    IntervalOperator,
    IntervalRule,
    Intervals,
    variable_names,
    walk,
)
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Const, Term, Var, variables

_ALIGNED = frozenset(
    {
        IntervalOperator.UNION,
        IntervalOperator.INTERSECTION,
        IntervalOperator.RELATIVE_COMPLEMENT,
        IntervalOperator.SEQUENCE,
        IntervalOperator.ALLEN,
        *METRIC,
    }
)
"""Operators that need nothing but the packed lists of all groups; so do durations with a constant for a limit."""


class Way:
    """One way through the body of a rule; `rule` has the body as it is run."""

    def __init__(
        self, rule: IntervalRule, variant: Variant, analysis: Analysis, asked: Callable[[Intervals], AskedPair]
    ) -> None:
        self.rule = rule
        self.variant = variant
        self.nodes = variant.nodes
        self.out = rule.out
        self.symbol: Symbol = analysis.entities.fluent(rule.fvp)
        self.head: tuple[Term, ...] = (*self.symbol.columns(rule.fvp.fluent), rule.fvp.value)
        self.asked = {name: asked(node) for name, node in self.nodes.items() if isinstance(node, Intervals)}
        """What the literals on fluents ask for, by the name of their list."""
        self._asked = asked
        self._background = analysis.background
        self._schedules: dict[tuple[int, frozenset[str]], tuple[Body, Schedule]] = {}
        self._offsets: dict[str, dict[str, Offset]] = {}
        self._domains: dict[str, list[AskedPair]] = {}

    @cached_property
    def head_names(self) -> frozenset[str]:
        """The variables of the head."""
        return frozenset(variable.name for term in self.head for variable in variables(term))

    @cached_property
    def leaf_names(self) -> tuple[str, ...]:
        """The variables of the fluents that are read."""
        return tuple(dict.fromkeys(name for asked in self.asked.values() for name in _named(asked)))

    @cached_property
    def all_names(self) -> frozenset[str]:
        """All variables but those of interval lists."""
        return self.head_names.union(self.leaf_names, variable_names(self.variant.conditions))

    def below(self, term: Term) -> frozenset[str]:
        """The variables of the fluents that a list is made of."""
        if not isinstance(term, Var) or term.name not in self.nodes:
            return frozenset()
        node = self.nodes[term.name]
        if isinstance(node, Intervals):
            return frozenset(_named(self.asked[term.name]))
        return frozenset(name for item in node.inputs for name in self.below(item))

    def domain(self, name: str) -> list[AskedPair]:
        """The literals of the rule that say which values a variable can have."""
        if name not in self._domains:
            leaves = [self._asked(node) for node in walk(self.rule.body) if isinstance(node, Intervals)]
            self._domains[name] = [asked for asked in leaves if name in _named(asked)]
        return self._domains[name]

    # Conditions

    @cached_property
    def _outside(self) -> frozenset[str]:
        """Variables that are not local to a condition, whatever that condition is."""
        return self.head_names.union(self.leaf_names)

    def ordered(self, conditions: Body, bound: frozenset[str]) -> Schedule:
        """Conditions in an order in which they can be asked."""
        found = self._schedules.get((id(conditions), bound))
        if found is None:
            made = schedule(conditions, bound, self._background.needs, self._outside)
            found = self._schedules[id(conditions), bound] = conditions, made
        return found[1]

    # Lists

    def offsets(self, out: Term) -> dict[str, Offset]:
        """How far from the result the lists below one of them are read."""
        assert isinstance(out, Var)
        if out.name not in self._offsets:
            self._offsets[out.name] = offsets(self.variant, out)
        return self._offsets[out.name]

    @cached_property
    def aligned_order(self) -> list[str] | None:
        """The names of the head's arguments if all parts have the same, and nothing else is asked; else None."""
        order = _variable_names(self.head[:-1])
        variant = self.variant
        if not order or variant.conditions or variant.steps or not is_ground(self.head[-1]):
            return None
        return order if all(self._lines_up(name, order) for name in self.nodes) else None

    def _lines_up(self, name: str, order: list[str]) -> bool:
        node = self.nodes[name]
        if isinstance(node, Algebra):
            is_known = node.operator in _ALIGNED or (node.operator in DURATIONS and _is_number(node.bound))
            return is_known and all(isinstance(item, Var) for item in node.inputs)
        asked = self.asked[name]
        # Other arguments than the head's must be constants.
        return asked.is_plain and asked.value_is_fixed and sorted(asked.names) == sorted(order)


def _is_number(term: Term | None) -> bool:
    return isinstance(term, Const) and not isinstance(term.value, str)


def _named(asked: AskedPair) -> tuple[str, ...]:
    """The variables of a literal on a fluent."""
    return asked.pattern.names[:-1]


def _variable_names(terms: tuple[Term, ...]) -> list[str] | None:
    """The names of terms that are all different variables, else None."""
    names = [term.name for term in terms if isinstance(term, Var)]
    return names if len(names) == len(terms) == len(set(names)) else None
