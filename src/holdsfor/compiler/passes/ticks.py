"""Converts a program with a clock tick to numbers of ticks.

Engines count ticks, whereas rules use time: `T - T0 =< 200`, delays and durations. So a time-point used as a number
becomes the number of ticks times the tick, and a duration is divided by the tick.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from holdsfor import ir
from holdsfor.compiler.passes.rename import rename_fvp, rename_literal
from holdsfor.diagnostics import HoldsforError, Span
from holdsfor.logic.unify import substitute
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables

_TIMED = ir.Happens | ir.Boundary | ir.Holds | ir.Effect | ir.Instance
_NUMERIC = frozenset({"<", "=<", ">", ">=", "=:=", "=\\="})
_QUERY_TIME = "queryTime"


def in_ticks(program: ir.Program) -> ir.Program:
    """The program in ticks; raises HoldsforError for constructs that have no meaning there.

    >>> from holdsfor.syntax.terms import Const
    >>> fi = ir.DelayRule(ir.Fvp(Const("f"), Const(1)), ir.Fvp(Const("f"), Const(2)), Const(80))
    >>> in_ticks(ir.Program((fi,), clock_tick=40)).delays[0].delay
    Const(value=2)
    """
    tick = program.clock_tick
    if tick == 1:
        return program
    if program.metric.rules or program.metric.facts:
        raise HoldsforError("a clock tick is not for programs with metric rules: their time is not made of ticks")
    return replace(program, rules=tuple(_Rewriting(tick).rule(rule) for rule in program.rules))


@dataclass
class _Rewriting:
    """Rewrites one rule. `times` are its time-point variables, which become numbers of ticks.

    A variable that another condition binds to a number is not in `times`. As a time-point it must be a multiple of the
    tick, which is impossible for those in `never`.
    """

    tick: int
    times: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    _fresh: int = field(default=0, init=False)

    def rule(self, rule: ir.Rule) -> ir.Rule:
        if isinstance(rule, ir.EffectRule | ir.EventRule):
            self._sort_variables(rule.body, _names(rule.time))
            head: dict[str, Term] = {}
            body = self.body(rule.body, head)
            if isinstance(rule, ir.EventRule):
                event = self._in_time(rule.event, head)
                return replace(
                    rule, event=event, time=self._time(rule.time, rule.span), body=(*body, *self._links(head))
                )
            fvp = rename_fvp(rule.fvp, self._mapping(rule.fvp.fluent, rule.fvp.value, into=head))
            return replace(rule, fvp=fvp, time=self._time(rule.time, rule.span), body=(*body, *self._links(head)))
        if isinstance(rule, ir.DelayRule):
            return replace(rule, delay=self._delay(rule), body=self.body(rule.body))
        if not rule.body:
            return rule
        if isinstance(rule, ir.IntervalRule):
            _require_operators(rule)
        self._sort_variables(rule.body, set())
        return replace(rule, body=self.body(rule.body))

    def body(self, body: ir.Body, names: dict[str, Term] | None = None) -> ir.Body:
        """Rewrites a body. `names` maps time variables to numeric variables; the rewrite adds those that it needs."""
        inner: dict[str, Term] = {} if names is None else names
        found = tuple(one for literal in body for one in self._literal(literal, inner))
        return found if names is not None else (*found, *self._links(inner))

    def _literal(self, literal: ir.Literal, names: dict[str, Term]) -> Iterator[ir.Literal]:
        match literal:
            case ir.Happens() | ir.Boundary() | ir.Holds() | ir.Effect() if _names(literal.time) & self.never:
                yield ir.Compare("=:=", Const(0), Const(1), literal.span)
            case ir.Happens() | ir.Boundary() | ir.Holds() | ir.Effect() if _names(literal.time) - self.times:
                number, ticks = literal.time, self._variable("ticks", literal.span)
                yield ir.Compare("=:=", Compound("mod", (number, Const(self.tick))), Const(0), literal.span)
                yield ir.Assign(ticks, Compound("//", (number, Const(self.tick))), literal.span)
                yield from self._timed(literal, ticks, names)
            case ir.Happens() | ir.Boundary() | ir.Holds() | ir.Effect() | ir.Instance():
                yield from self._timed(literal, self._time(literal.time, literal.span), names)
            case ir.Assign(target=target, expression=expression, span=span):
                moved = self._moved(target, expression)
                if moved is not None:
                    yield ir.Assign(target, Compound("+", moved), span)
                else:
                    yield ir.Assign(self._in_time(target, names), self._arithmetic(expression), span)
            case ir.Compare():
                yield from self._compare(literal, names)
            case ir.Algebra(bound=bound, distance=distance):
                scaled = literal
                if bound is not None and literal.operator in ir.DURATIONS:
                    scaled = replace(scaled, bound=self._quotient(bound))
                if distance is not None:
                    scaled = replace(scaled, distance=self._distance(distance))
                yield scaled
            case ir.Call(atom=Compound(name=name, args=(query,)), span=span) if name == _QUERY_TIME:
                ticks = self._variable("query", span)
                yield replace(literal, atom=Compound(_QUERY_TIME, (ticks,), span))
                yield ir.Assign(query, self._product(ticks), span)
            case ir.Not() | ir.Or() | ir.IfThenElse():
                yield ir.with_bodies(literal, self.body)
            case ir.FindAll(template=template, body=body):
                local: dict[str, Term] = {}
                goals = self.body(body, local)
                shown = self._in_time(template, local)
                yield replace(literal, template=shown, body=(*goals, *self._links(local)))
            case _:
                yield rename_literal(literal, self._mapping(*_terms(literal), into=names))

    def _timed(
        self, literal: ir.Happens | ir.Boundary | ir.Holds | ir.Effect | ir.Instance, time: Term, names: dict[str, Term]
    ) -> Iterator[ir.Literal]:
        if isinstance(literal, ir.Happens):
            yield replace(literal, event=self._in_time(literal.event, names), time=time)
        else:
            mapping = self._mapping(literal.fvp.fluent, literal.fvp.value, into=names)
            yield replace(literal, fvp=rename_fvp(literal.fvp, mapping), time=time)

    def _sort_variables(self, body: ir.Body, head: set[str]) -> None:
        """Separates time-point variables bound by temporal conditions from those bound to numbers elsewhere."""
        timed = [literal for literal in ir.walk(body) if isinstance(literal, _TIMED)]
        timed_names = {name for literal in timed for name in _names(literal.time)}
        assigned = [literal for literal in ir.walk(body) if isinstance(literal, ir.Assign)]
        computed = {literal.target.name for literal in assigned if isinstance(literal.target, Var)}
        bound = {name for literal in timed if not isinstance(literal, ir.Holds) for name in _names(literal.time)}
        self.times = frozenset(bound - computed | head)
        for _ in assigned:
            moved = {name: by for name, by in self._all_moved(assigned) if name in timed_names and name not in head}
            self.times |= {name for name, by in moved.items() if by % self.tick == 0}
            self.never |= {name for name, by in moved.items() if by % self.tick}

    def _all_moved(self, assigned: list[ir.Assign]) -> Iterator[tuple[str, int]]:
        for literal in assigned:
            length = self._length(literal.expression)
            if isinstance(literal.target, Var) and length is not None:
                yield literal.target.name, length

    def _length(self, expression: Term) -> int | None:
        """The distance of `T + 80` from T; None for any other expression."""
        match expression:
            case Var(name=name) if name in self.times:
                return 0
            case Compound(name="+", args=(Var(name=name), Const(value=int() as length))) if name in self.times:
                return length
            case Compound(name="-", args=(Var(name=name), Const(value=int() as length))) if name in self.times:
                return -length
        return None

    def _moved(self, target: Term, expression: Term) -> tuple[Term, Term] | None:
        """A time-point, and the number of ticks to another one."""
        length = self._length(expression)
        if length is None or not isinstance(target, Var) or target.name not in self.times or length % self.tick:
            return None
        time = expression.args[0] if isinstance(expression, Compound) else expression
        return time, Const(length // self.tick)

    def _compare(self, literal: ir.Compare, names: dict[str, Term]) -> Iterator[ir.Literal]:
        left, right = literal.left, literal.right
        if literal.operator in _NUMERIC:
            yield replace(literal, left=self._arithmetic(left), right=self._arithmetic(right))
        elif _names(left) <= self.times and _names(right) <= self.times and not _constants(left, right):
            # Equality and order of two time-points do not depend on the unit.
            yield literal
        else:
            yield rename_literal(literal, self._mapping(left, right, into=names))

    # Terms

    def _time(self, term: Term, span: Span) -> Term:
        """A time-point of a condition or a head."""
        if not isinstance(term, Const):
            return term
        if not isinstance(term.value, int) or term.value % self.tick:
            raise HoldsforError(
                f"{span.location}: {print_term(term)} is not a time-point: it is not a multiple of the clock tick {self.tick}"
            )
        return Const(term.value // self.tick, term.span)

    def _delay(self, rule: ir.DelayRule) -> Term:
        delay = rule.delay
        if isinstance(delay, Const) and isinstance(delay.value, int) and delay.value % self.tick:
            raise HoldsforError(
                f"{rule.span.location}: the delay {delay.value} is not a multiple of the clock tick {self.tick}"
            )
        return self._quotient(delay)

    def _quotient(self, term: Term) -> Term:
        if isinstance(term, Const) and isinstance(term.value, int) and term.value % self.tick == 0:
            return Const(term.value // self.tick, term.span)
        return Compound("/", (term, Const(self.tick)), term.span)

    def _product(self, time: Term) -> Term:
        return Compound("*", (time, Const(self.tick)), time.span)

    def _distance(self, distance: ir.Distance) -> ir.Distance:
        """Both limits as numbers of ticks. Time between two time-points is left out."""
        low = -(-distance.low // self.tick)
        high = None if distance.high is None else distance.high // self.tick
        if high is not None and high < low:
            raise HoldsforError(
                f"no time-point lies between {distance.low} and {distance.high} away: the clock tick is {self.tick}"
            )
        return ir.Distance(low, high)

    def _arithmetic(self, expression: Term) -> Term:
        """An expression with time-points as numbers."""
        return substitute(expression, {name: self._product(Var(name)) for name in self.times & _names(expression)})

    def _in_time(self, term: Term, names: dict[str, Term]) -> Term:
        return substitute(term, self._mapping(term, into=names))

    def _mapping(self, *terms: Term, into: dict[str, Term]) -> dict[str, Term]:
        """Replaces time-point variables in terms that are not about time."""
        used = {name for term in terms for name in _names(term)} & self.times
        for name in sorted(used - set(into)):
            into[name] = self._variable(name, terms[0].span)
        return {name: into[name] for name in used}

    def _variable(self, name: str, span: Span) -> Var:
        self._fresh += 1
        return Var(f"{name}~{self._fresh}", span)

    def _links(self, names: dict[str, Term]) -> Iterator[ir.Literal]:
        """The definitions of the numeric variables."""
        for name, number in names.items():
            yield ir.Assign(number, self._product(Var(name)), number.span)


def _require_operators(rule: ir.IntervalRule) -> None:
    """Requires that only operators read interval lists, because these are in ticks."""
    lists = {
        name for lit in ir.walk(rule.body) if isinstance(lit, ir.Intervals | ir.Algebra) for name in _names(lit.out)
    }
    for literal in ir.walk(rule.body):
        if isinstance(literal, ir.Call | ir.FindAll) and lists & ir.variable_names((literal,)):
            raise HoldsforError(
                f"{literal.span.location}: with a clock tick, interval operators alone may look at lists of intervals"
            )


def _terms(literal: ir.Literal) -> tuple[Term, ...]:
    assert not ir.sub_bodies(literal)
    return ir.literal_terms(literal)


def _names(term: Term) -> set[str]:
    return {variable.name for variable in variables(term)}


def _constants(*terms: Term) -> bool:
    return any(not isinstance(term, Var) for term in terms)
