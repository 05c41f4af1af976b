"""Lowers body goals of RTEC clauses to IR literals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import TypeVar

from holdsfor import ir
from holdsfor.diagnostics import Span
from holdsfor.frontend.rtec.distances import read_distance
from holdsfor.frontend.rtec.durations import BUILT_IN
from holdsfor.frontend.rtec.problems import MalformedClause, Problems
from holdsfor.frontend.rtec.sliding import SlidingReader, is_sliding_goal
from holdsfor.frontend.rtec.wording import Wording, about_arity, about_choice, about_name, about_order, about_pair
from holdsfor.ir.sliding import SLIDING_USAGE, TOP, TOP_USAGE
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, conjuncts, functor

COMPARISONS = frozenset("= \\= == \\== @< @> @=< @>= =:= =\\= < > =< >=".split())
USAGE = {
    "happensAt": "happensAt(Event, T)",
    "holdsAt": "holdsAt(Fluent=Value, T)",
    "holdsFor": "holdsFor(Fluent=Value, I)",
    "initiatedAt": "initiatedAt(Fluent=Value, T)",
    "terminatedAt": "terminatedAt(Fluent=Value, T)",
    "union_all": "union_all([I1, I2], I)",
    "intersect_all": "intersect_all([I1, I2], I)",
    "relative_complement_all": "relative_complement_all(I1, [I2, I3], I)",
    "complement_all": "complement_all([I1, I2], I)",
    "seq": "seq(I1, I2, I)",
    "allen": "allen(Relation, Source, Target, Mode, I)",
    **{operator.value: f"{operator.value}(I1, Duration, I)" for operator in ir.DURATIONS},
    **{
        operator.value: f"{operator.value}({'I1, I2' if lists == 2 else 'I1'}, [From, To], I)"
        for operator, lists in ir.METRIC.items()
    },
    "findall": "findall(Template, Goal, List)",
    **SLIDING_USAGE,
    TOP[0]: TOP_USAGE,
    "is": "Result is Expression",
    "\\+": "\\+ (Condition, Condition)",
    "->": "(If -> Then ; Else)",
}
_METRIC_NAMES = {(operator.value, lists + 2): operator for operator, lists in ir.METRIC.items()}
_ALLEN_NAMES = {relation.value: relation for relation in ir.AllenRelation}
_MODES = {
    **{mode.value: mode for mode in ir.AllenMode},
    "lhs": ir.AllenMode.SOURCE,
    "rhs": ir.AllenMode.TARGET,
    "intersect": ir.AllenMode.INTERSECTION,
    "complement": ir.AllenMode.RELATIVE_COMPLEMENT,
    "complement_inv": ir.AllenMode.RELATIVE_COMPLEMENT_INVERSE,
}


_T = TypeVar("_T")


class Context(Enum):
    """The kind of rule that contains a body, which determines the meaning of interval goals."""

    EFFECT = auto()
    INTERVAL = auto()
    BACKGROUND = auto()
    TIMELESS = auto()


class BodyReader:
    """Lowers the goals of one source."""

    def __init__(
        self,
        problems: Problems,
        defined: frozenset[tuple[str, int]],
    ) -> None:
        self._problems = problems
        self._defined = defined
        self._sliding = SlidingReader(problems)
        self._handlers: dict[str, Callable[[Compound, Context], ir.Literal]] = {
            "happensAt": self._happens,
            "holdsAt": self._holds,
            "holdsFor": self._holds_for,
            "initiatedAt": self._effect,
            "terminatedAt": self._effect,
            "findall": self._findall,
            "union_all": self._list_operator,
            "intersect_all": self._list_operator,
            "complement_all": self._list_operator,
            "relative_complement_all": self._relative_complement,
            "seq": self._sequence,
            "allen": self._allen,
            "is": self._assign,
            "\\+": self._negation,
            ";": self._disjunction,
            "->": self._if_then,
        }

    def body(self, term: Term | None, context: Context) -> ir.Body:
        """The literals of a body; `true` is removed."""
        goals = (goal for goal in conjuncts(term) if goal != Const("true"))
        literals: list[ir.Literal] = []
        for goal in goals:
            if isinstance(goal, Compound) and goal.name == ",":
                literals.extend(self.body(goal, context))
            else:
                literals.append(self._goal(goal, context))
        return tuple(literals)

    def fvp(self, term: Term) -> ir.Fvp:
        """`F=V`; otherwise an error."""
        if not (isinstance(term, Compound) and term.name == "=" and len(term.args) == 2):
            raise self._malformed("HF110", about_pair(term), term.span)
        fluent, value = term.args
        wrong = about_name(fluent, "a fluent")
        if wrong is not None:
            raise self._malformed("HF110", wrong, fluent.span)
        return ir.Fvp(fluent, value, term.span)

    def time_argument(self, goal: Compound) -> Term:
        """The time-point of a two- or four-argument temporal predicate."""
        self._require_arity(goal, 2, 4)
        return goal.args[1] if len(goal.args) == 2 else goal.args[2]

    def _goal(self, goal: Term, context: Context) -> ir.Literal:
        if goal == Const("!"):
            return ir.Cut(goal.span)
        name = functor(goal)
        if name is None:
            raise self._problems.error(
                "HF111",
                f"{print_term(goal)} cannot be a condition",
                goal.span,
                "a condition is a predicate or a comparison",
            )
        if not isinstance(goal, Compound):
            return ir.Call(goal, goal.span)
        if name in BUILT_IN and name not in self._defined:
            self._require_interval_context(goal, context)
            return self._duration(goal, BUILT_IN[name])
        if goal.name in self._handlers:
            return self._handlers[goal.name](goal, context)
        if goal.name in COMPARISONS and len(goal.args) == 2:
            return self._comparison(goal, context)
        if goal.name in _ALLEN_NAMES and len(goal.args) == 4 and name not in self._defined:
            return self._allen(Compound("allen", (Const(goal.name, goal.span), *goal.args), goal.span), context)
        if name in _METRIC_NAMES and name not in self._defined:
            return self._metric(goal, _METRIC_NAMES[name], context)
        if is_sliding_goal(goal) and name not in self._defined:
            raise self._sliding.goal_error(goal)
        if name == TOP and name not in self._defined:
            in_background = context is Context.BACKGROUND
            self._sliding.check_top(goal, self._at_time_points(context), in_background=in_background)
        return ir.Call(goal, goal.span)

    # Temporal conditions

    def _happens(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 2)
        self._require_time_context(goal, context)
        event, time = goal.args
        name = functor(event)
        wrong = about_order(goal, "the event") or about_name(event, "an event")
        if wrong is not None:
            raise self._malformed("HF110", wrong, event.span)
        if name in (("start", 1), ("end", 1)) and isinstance(event, Compound):
            return ir.Boundary(ir.Edge(event.name), self.fvp(event.args[0]), time, goal.span)
        return ir.Happens(event, time, goal.span)

    def _holds(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 2)
        self._require_time_context(goal, context)
        self.require_order(goal)
        return ir.Holds(self.fvp(goal.args[0]), goal.args[1], goal.span)

    def _effect(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_time_context(goal, context)
        self._require_arity(goal, 2, 4)
        self.require_order(goal)
        return ir.Effect(ir.EffectKind(goal.name), self.fvp(goal.args[0]), self.time_argument(goal), goal.span)

    # Interval lists

    def _holds_for(self, goal: Compound, context: Context) -> ir.Literal:
        if len(goal.args) == 3 and functor(goal.args[1]) == ("=", 2):
            # The index of the fluent comes first and is ignored.
            goal = Compound(goal.name, goal.args[1:], goal.span)
        self._require_arity(goal, 2)
        self._require_interval_context(goal, context)
        self.require_order(goal)
        return ir.Intervals(self.fvp(goal.args[0]), goal.args[1], goal.span)

    def _list_operator(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 2)
        self._require_interval_context(goal, context)
        return ir.Algebra(
            ir.IntervalOperator(goal.name), self._interval_lists(goal.args[0]), goal.args[1], span=goal.span
        )

    def _relative_complement(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 3)
        self._require_interval_context(goal, context)
        first, rest, out = goal.args
        inputs = (first, *self._interval_lists(rest))
        return ir.Algebra(ir.IntervalOperator.RELATIVE_COMPLEMENT, inputs, out, span=goal.span)

    def _sequence(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 3)
        self._require_interval_context(goal, context)
        return ir.Algebra(ir.IntervalOperator.SEQUENCE, goal.args[:2], goal.args[2], span=goal.span)

    def _duration(self, goal: Compound, operator: ir.IntervalOperator) -> ir.Literal:
        intervals, bound, out = goal.args
        return ir.Algebra(operator, (intervals,), out, bound=bound, span=goal.span)

    def _allen(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 5)
        self._require_interval_context(goal, context)
        relation, source, target, mode, out = goal.args
        return ir.Algebra(
            ir.IntervalOperator.ALLEN,
            (source, target),
            out,
            relation=self._named(relation, _ALLEN_NAMES, "an Allen relation"),
            mode=self._named(mode, _MODES, "an output mode"),
            span=goal.span,
        )

    def _metric(self, goal: Compound, operator: ir.IntervalOperator, context: Context) -> ir.Literal:
        self._require_interval_context(goal, context)
        first, distance, *others, out = goal.args
        found = read_distance(distance, operator, self._problems)
        # The number of time-points of a duration depends on the unit, which another file may declare.
        bound = distance if found is None else None
        return ir.Algebra(operator, (first, *others), out, bound=bound, distance=found, span=goal.span)

    def _interval_lists(self, term: Term) -> tuple[Term, ...]:
        """The items of `[I1, I2]`; a list variable L is represented as `[|L]`."""
        if isinstance(term, ListTerm):
            return (*term.items, ListTerm((), term.tail, term.span)) if term.tail else term.items
        if isinstance(term, Var):
            return (ListTerm((), term, term.span),)
        raise self._problems.error(
            "HF112", f"expected a list of interval lists, found {print_term(term)}", term.span, "write [I1, I2]"
        )

    def _named(self, term: Term, table: Mapping[str, _T], what: str) -> _T:
        value = term.value if isinstance(term, Const) else None
        if isinstance(value, str) and value in table:
            return table[value]
        shown = [name for name, meaning in table.items() if name == str(meaning)]
        raise self._malformed("HF113", about_choice(term, what, table, shown), term.span)

    # Control and comparison

    def _comparison(self, goal: Compound, context: Context) -> ir.Literal:
        left, right = goal.args
        self._sliding.check_expression(goal, self._at_time_points(context))
        if context is Context.INTERVAL and goal.name in ("=", "\\=", "==", "\\=="):
            is_equality = goal.name in ("=", "==")
            for one, other in ((left, right), (right, left)):
                if other == ListTerm(()) and isinstance(one, Var):
                    return ir.Guard(one, empty=is_equality, span=goal.span)
        return ir.Compare(goal.name, left, right, goal.span)

    def _assign(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 2)
        self._sliding.check_expression(goal, self._at_time_points(context))
        return ir.Assign(goal.args[0], goal.args[1], goal.span)

    def _findall(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 3)
        template, inner, result = goal.args
        return ir.FindAll(template, self.body(inner, context), result, goal.span)

    def _negation(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 1)
        body = self.body(goal.args[0], context)
        if len(body) == 1 and isinstance(body[0], ir.Guard):
            return ir.Guard(body[0].intervals, not body[0].empty, goal.span)
        return ir.Not(body, goal.span)

    def _disjunction(self, goal: Compound, context: Context) -> ir.Literal:
        first, rest = goal.args[0], goal.args[1:]
        if isinstance(first, Compound) and first.name == "->" and len(first.args) == 2:
            remaining = rest[0] if len(rest) == 1 else Compound(";", rest, goal.span)
            condition, then = first.args
            return ir.IfThenElse(
                self.body(condition, context), self.body(then, context), self.body(remaining, context), goal.span
            )
        split = next((i for i, term in enumerate(rest, 1) if isinstance(term, Compound) and term.name == "->"), None)
        if split is not None:
            # `A ; C -> B ; D` reads as `A ; (C -> B ; D)`.
            tail = Compound(";", goal.args[split:], goal.span) if split < len(rest) else goal.args[split]
            return ir.Or(
                (*(self.body(term, context) for term in goal.args[:split]), self.body(tail, context)), goal.span
            )
        return ir.Or(tuple(self.body(term, context) for term in goal.args), goal.span)

    def _if_then(self, goal: Compound, context: Context) -> ir.Literal:
        self._require_arity(goal, 2)
        condition, then = goal.args
        return ir.IfThenElse(self.body(condition, context), self.body(then, context), None, goal.span)

    # Checks

    def _require_arity(self, goal: Compound, *allowed: int) -> None:
        if len(goal.args) not in allowed:
            words = about_arity(goal, allowed[0], USAGE.get(goal.name, goal.name))
            raise self._malformed("HF102", words, goal.span)

    def require_order(self, goal: Compound) -> None:
        """Checks that a fluent precedes the time or the intervals."""
        wrong = about_order(goal, "the fluent")
        if wrong is not None:
            raise self._malformed("HF110", wrong, goal.args[0].span)

    def _malformed(self, code: str, words: Wording, span: Span) -> MalformedClause:
        return self._problems.error(code, words.message, span, words.hint, words.fix)

    def _require_interval_context(self, goal: Compound, context: Context) -> None:
        if context in (Context.EFFECT, Context.TIMELESS):
            raise self._problems.error(
                "HF111",
                f"{goal.name} works on intervals, and this rule is not about intervals",
                goal.span,
                "use holdsAt here, or define the situation with a holdsFor rule",
            )

    def _at_time_points(self, context: Context) -> Callable[[Compound], None]:
        return lambda goal: self._require_time_context(goal, context)

    def _require_time_context(self, goal: Compound, context: Context) -> None:
        if context is Context.INTERVAL:
            raise self._problems.error(
                "HF111",
                f"{goal.name} is about a time-point, and this rule is about intervals",
                goal.span,
                "use holdsFor and interval operators here, or define a simple fluent with initiatedAt",
            )
        if context is Context.TIMELESS:
            raise self._problems.error(
                "HF111",
                f"{goal.name} cannot be a condition here: this rule is about all of time",
                goal.span,
                "use background facts, arithmetic and comparisons only",
            )
