"""Lowers RTEC clauses to IR rules, by the predicate in the head."""

from __future__ import annotations

from collections.abc import Callable

from holdsfor import ir
from holdsfor.frontend.rtec.bodies import COMPARISONS, BodyReader, Context
from holdsfor.frontend.rtec.problems import Problems
from holdsfor.frontend.rtec.wording import about_arity, about_head, about_name, about_order
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Clause, Compound, Const, Var, conjuncts, functor

HEAD_USAGE = {
    "initiatedAt": "initiatedAt(Fluent=Value, T) :- …",
    "terminatedAt": "terminatedAt(Fluent=Value, T) :- …",
    "initiates": "initiates(Event, Fluent=Value, T) :- …",
    "terminates": "terminates(Event, Fluent=Value, T) :- …",
    "initially": "initially(Fluent=Value).",
    "holdsFor": "holdsFor(Fluent=Value, I) :- …",
    "happensAt": "happensAt(Event, T) :- …",
    "fi": "fi(Fluent=Value, Fluent=OtherValue, Delay).",
    "ft": "ft(Fluent=Value, Delay).",
    "p": "p(Fluent=Value).",
    "forget": "forget(Event, Duration).",
}
_DECLARATIONS = {kind.value: kind for kind in ir.DeclarationKind if kind is not ir.DeclarationKind.DIRECTIVE}
_UNDEFINABLE = frozenset(
    "holdsAt :- -> ; , = \\+ is findall union_all intersect_all relative_complement_all complement_all".split()
)


_BEFORE_TIME = Const(-1)
"""The time-point before the first: a value initiated then holds from the beginning."""
_RANGE_TESTS = frozenset({"<", "=<", ">", ">="})


class HeadReader:
    """Lowers the clauses of one source."""

    def __init__(self, problems: Problems, bodies: BodyReader) -> None:
        self._problems = problems
        self._bodies = bodies
        self._handlers: dict[str, Callable[[Compound, Clause], ir.Rule]] = {
            "initiatedAt": self._effect,
            "terminatedAt": self._effect,
            "initiates": self._effect_of_event,
            "terminates": self._effect_of_event,
            "initially": self._initially,
            "holdsFor": self._intervals,
            "happensAt": self._event,
            "fi": self._delay,
            "ft": self._delay,
            "p": self._postpone,
            **dict.fromkeys(_DECLARATIONS, self._declaration),
        }

    def rule(self, clause: Clause) -> ir.Rule:
        """The rule that a clause stands for."""
        if clause.head is None:
            return ir.Declaration(ir.DeclarationKind.DIRECTIVE, conjuncts(clause.body), (), clause.span)
        head = clause.head
        name = functor(head)
        if name is None:
            raise self._problems.error(
                "HF111",
                f"{print_term(head)} cannot be the head of a rule",
                head.span,
                "a head is a predicate with its arguments",
            )
        if isinstance(head, Compound) and head.name in self._handlers and self._is_built_in(head):
            return self._handlers[head.name](head, clause)
        if isinstance(head, Compound) and (head.name in _UNDEFINABLE or (head.name in COMPARISONS and name[1] == 2)):
            hint = about_head(head.name, is_fact=clause.body is None)
            raise self._problems.error("HF111", f"a rule cannot define {head.name}", head.span, hint)
        return ir.BackgroundRule(head, self._bodies.body(clause.body, Context.BACKGROUND), clause.span)

    @staticmethod
    def _is_built_in(head: Compound) -> bool:
        """Whether a head is built in; `p(X)`, `fi(a)` and similar forms are background knowledge."""
        pairs = [isinstance(arg, Compound) and arg.name == "=" for arg in head.args]
        if head.name in ("fi", "ft"):
            return any(pairs)
        if head.name == "forget":
            return not all(isinstance(arg, Const) and isinstance(arg.value, str) for arg in head.args)
        return pairs == [True] if head.name in ("p", "points") else True

    def _effect(self, head: Compound, clause: Clause) -> ir.Rule:
        self._require_arity(head, 2, 4)
        self._bodies.require_order(head)
        time, kind, pair = self._bodies.time_argument(head), ir.EffectKind(head.name), self._bodies.fvp(head.args[0])
        if len(head.args) == 4 and kind is ir.EffectKind.INITIATED and time == _BEFORE_TIME:
            body = _without_range(self._bodies.body(clause.body, Context.TIMELESS), head)
            return ir.InitiallyRule(pair, body, clause.span)
        body = _without_range(self._bodies.body(clause.body, Context.EFFECT), head)
        return ir.EffectRule(kind, pair, time, body, clause.span)

    def _effect_of_event(self, head: Compound, clause: Clause) -> ir.Rule:
        self._require_arity(head, 3)
        event, pair, time = head.args
        kind = ir.EffectKind.INITIATED if head.name == "initiates" else ir.EffectKind.TERMINATED
        trigger = self._bodies.body(Compound("happensAt", (event, time), head.span), Context.EFFECT)
        body = self._bodies.body(clause.body, Context.EFFECT)
        return ir.EffectRule(kind, self._bodies.fvp(pair), time, (*trigger, *body), clause.span)

    def _initially(self, head: Compound, clause: Clause) -> ir.Rule:
        self._require_arity(head, 1)
        body = self._bodies.body(clause.body, Context.TIMELESS)
        return ir.InitiallyRule(self._bodies.fvp(head.args[0]), body, clause.span)

    def _intervals(self, head: Compound, clause: Clause) -> ir.Rule:
        self._require_arity(head, 2)
        self._bodies.require_order(head)
        body = _resolve_aliases(self._bodies.body(clause.body, Context.INTERVAL))
        return ir.IntervalRule(self._bodies.fvp(head.args[0]), head.args[1], body, clause.span)

    def _event(self, head: Compound, clause: Clause) -> ir.Rule:
        self._require_arity(head, 2)
        event, time = head.args
        wrong = about_order(head, "the event") or about_name(event, "an event")
        if wrong is not None:
            raise self._problems.error("HF110", wrong.message, event.span, wrong.hint, wrong.fix)
        if functor(event) in (("start", 1), ("end", 1)):
            raise self._problems.error(
                "HF111",
                f"a rule cannot define the event {print_term(event)}",
                event.span,
                "start and end of a fluent happen by themselves; give the event a name of its own",
            )
        body = self._bodies.body(clause.body, Context.EFFECT)
        return ir.EventRule(event, time, body, clause.span)

    def _delay(self, head: Compound, clause: Clause) -> ir.Rule:
        self._require_arity(head, 3 if head.name == "fi" else 2)
        trigger = self._bodies.fvp(head.args[0])
        effect = self._bodies.fvp(head.args[1]) if head.name == "fi" else None
        body = self._bodies.body(clause.body, Context.TIMELESS)
        return ir.DelayRule(trigger, effect, head.args[-1], body, clause.span)

    def _postpone(self, head: Compound, clause: Clause) -> ir.Rule:
        body = self._bodies.body(clause.body, Context.TIMELESS)
        return ir.PostponeRule(self._bodies.fvp(head.args[0]), body, clause.span)

    def _declaration(self, head: Compound, clause: Clause) -> ir.Rule:
        if head.name == "forget":
            self._require_arity(head, 2)
        body = self._bodies.body(clause.body, Context.TIMELESS)
        return ir.Declaration(_DECLARATIONS[head.name], head.args, body, clause.span)

    def _require_arity(self, head: Compound, *allowed: int) -> None:
        if len(head.args) not in allowed:
            wrong = about_arity(head, allowed[0], HEAD_USAGE[head.name])
            raise self._problems.error("HF102", wrong.message, head.span, wrong.hint)


def _without_range(body: ir.Body, head: Compound) -> ir.Body:
    """A body without the range tests of the four-argument form, which only say that the time is in the range."""
    if len(head.args) != 4:
        return body
    ends = {term.name for term in (head.args[1], head.args[3]) if isinstance(term, Var)}
    return tuple(literal for literal in body if not _tests_range(literal, ends))


def _tests_range(literal: ir.Literal, ends: set[str]) -> bool:
    if not isinstance(literal, ir.Compare) or literal.operator not in _RANGE_TESTS:
        return False
    return any(isinstance(side, Var) and side.name in ends for side in (literal.left, literal.right))


def _resolve_aliases(body: ir.Body) -> ir.Body:
    """Replaces `I = I1` between interval lists by a union of one list; aliases may be chained."""
    defined = {lit.out.name for lit in body if isinstance(lit, ir.Intervals | ir.Algebra) and isinstance(lit.out, Var)}
    resolved = list(body)
    for _ in body:
        for index, literal in enumerate(resolved):
            found = _resolve_alias(literal, defined)
            if found is not None:
                resolved[index], target = found
                defined.add(target)
                break
        else:
            break
    return tuple(resolved)


def _resolve_alias(literal: ir.Literal, defined: set[str]) -> tuple[ir.Literal, str] | None:
    if not isinstance(literal, ir.Compare) or literal.operator != "=":
        return None
    for target, origin in ((literal.left, literal.right), (literal.right, literal.left)):
        if not (isinstance(target, Var) and isinstance(origin, Var)):
            continue
        if origin.name in defined and target.name not in defined:
            return ir.Algebra(ir.IntervalOperator.UNION, (origin,), target, span=literal.span), target.name
    return None
