"""Bodies of rules as blocks of instructions, in the order in which the compiler has put their conditions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.analysis.lookback import reach, surroundings
from holdsfor.ir import (
    Algebra,
    Assign,
    Body,
    Boundary,
    Call,
    Compare,
    Cut,
    Edge,
    Effect,
    EffectKind,
    FindAll,
    Fvp,
    Guard,
    Happens,
    Holds,
    IfThenElse,
    Instance,
    Intervals,
    Literal,
    Not,
    Or,
)
from holdsfor.ir.sliding import SlidingKind
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.solver import Predicate
from holdsfor.logic.unify import is_ground
from holdsfor.physical import model
from holdsfor.physical.scope import Scope
from holdsfor.syntax.terms import Compound, Term, Var, arguments, functor


@dataclass
class Goal:
    """A condition that is solved outside of the core: the literal, and its variables by their registers' order."""

    literal: Literal
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    list_inputs: tuple[str, ...] = ()
    list_outputs: tuple[str, ...] = ()


@dataclass
class Knowledge:
    """What bodies refer to: tables by symbol, fact tables by predicate, goals in the order they are met."""

    analysis: Analysis
    tables: Mapping[Symbol, int]
    facts: dict[Predicate, int] = field(default_factory=dict)
    fact_tables: list[model.FactTable] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def add_goal(self, goal: Goal) -> int:
        """The number of a new goal."""
        self.goals.append(goal)
        return len(self.goals) - 1

    def event(self, term: Term) -> tuple[int, tuple[Term, ...]]:
        """The table of an event, and its columns."""
        symbol = self.analysis.entities.event(term)
        return self.tables[symbol], symbol.columns(term)

    def fluent(self, fvp: Fvp) -> tuple[int, tuple[Term, ...]]:
        """The table of a fluent, and its columns."""
        symbol = self.analysis.entities.fluent(fvp)
        return self.tables[symbol], symbol.columns(fvp.fluent)

    def fact_table(self, name: Predicate) -> int | None:
        """The table of a predicate that has ground facts only."""
        if name not in self.facts:
            background = self.analysis.background
            rules = background.rules.get(name)
            if rules is None or background.depends_on_input(Compound(*name_and_args(name))):
                return None
            if not all(not rule.body and is_ground(rule.head) for rule in rules):
                return None
            scope = Scope(occurrences=Counter())
            rows = dict.fromkeys(scope.patterns(arguments(rule.head)) for rule in rules)
            self.facts[name] = len(self.fact_tables)
            self.fact_tables.append(model.FactTable(f"{name[0]}/{name[1]}", name[1], tuple(rows)))
        return self.facts[name]


def name_and_args(name: Predicate) -> tuple[str, tuple[Term, ...]]:
    """A predicate as the parts of a term."""
    return name[0], tuple(Var(f"A{place}") for place in range(name[1]))


class BodyLowering:
    """Lowers one body. `now` is the variable of the rule's time-point, if it has one."""

    def __init__(self, known: Knowledge, scope: Scope, now: str | None, whole: Body) -> None:
        self._known = known
        self._scope = scope
        self._now = now
        self._whole = whole

    def block(self, body: Body) -> model.Block:
        """The instructions of a conjunction."""
        return tuple(one for literal in body for one in self._literal(literal))

    def _literal(self, literal: Literal) -> Sequence[model.Instruction]:
        scope = self._scope
        match literal:
            case Happens(event=event, time=time):
                table, columns = self._known.event(event)
                instant = self._instant(literal, time)
                return (model.Events(table, scope.patterns(columns), instant),)
            case Holds(fvp=fvp, time=time):
                return (self._of_pair(fvp, lambda t, c, v: model.Holding(t, c, v, self._instant(literal, time))),)
            case Boundary(edge=edge, fvp=fvp, time=time):
                kind = model.EdgeKind.START if edge is Edge.START else model.EdgeKind.END
                instant = self._instant(literal, time)
                return (self._of_pair(fvp, lambda t, c, v: model.Edges(t, kind, c, v, instant)),)
            case Effect(kind=effect, fvp=fvp, time=time):
                which = model.EdgeKind.INITIATED if effect is EffectKind.INITIATED else model.EdgeKind.TERMINATED
                instant = self._instant(literal, time)
                return (self._of_pair(fvp, lambda t, c, v: model.Edges(t, which, c, v, instant)),)
            case Instance(fvp=fvp):
                return (self._of_pair(fvp, model.Endable),)
            case Compare():
                return (self._compare(literal),)
            case Assign(target=target, expression=expression):
                site = scope.site(literal.span, literal)
                value = scope.expression(expression)
                return (model.Assign(scope.pattern(target), value, site),)
            case Call(atom=atom):
                return (self._call(literal, atom),)
            case Cut():
                return ()
            case Not() | Or() | IfThenElse() | FindAll():
                return (self._nested(literal),)
            case Intervals() | Algebra() | Guard():
                return self._list_condition(literal)

    def _of_pair(
        self, fvp: Fvp, make: Callable[[int, tuple[model.Shape, ...], model.Shape], model.Instruction]
    ) -> model.Instruction:
        table, columns = self._known.fluent(fvp)
        shapes = self._scope.patterns(columns)
        return make(table, shapes, self._scope.pattern(fvp.value))

    def _instant(self, literal: Literal, time: Term) -> model.Instant:
        assert isinstance(time, Var)
        binds = time.name not in self._scope.bound
        least = most = None
        if self._now is not None and time.name != self._now:
            found = reach(surroundings(self._whole, literal), self._now, time.name)
            least = int(found.least) if math.isfinite(found.least) else None
            most = int(found.most) if math.isfinite(found.most) else None
        register = self._scope.bind(time.name) if binds else self._scope.register(time.name)
        return model.Instant(register, binds, least, most)

    def _compare(self, literal: Compare) -> model.Instruction:
        scope = self._scope
        if literal.operator in ARITHMETIC_COMPARISONS:
            site = scope.site(literal.span, literal)
            return model.Compare(
                literal.operator, scope.expression(literal.left), scope.expression(literal.right), site
            )
        if literal.operator == "=":
            ground, other = literal.left, literal.right
            if not names(ground) <= scope.bound:
                ground, other = other, ground
            shape = scope.pattern(ground)
            return model.Equal(shape, scope.pattern(other))
        if literal.operator in ("\\=", "\\=="):
            return model.Equal(scope.pattern(literal.left), scope.pattern(literal.right), negated=True)
        if literal.operator == "==":
            return model.Equal(scope.pattern(literal.left), scope.pattern(literal.right))
        return self._goal(literal, names(literal.left) | names(literal.right))

    def _call(self, literal: Call, atom: Term) -> model.Instruction:
        name = functor(atom)
        assert name is not None
        if name not in LIBRARY or name in self._known.analysis.background.rules:
            table = self._known.fact_table(name)
            if table is not None:
                return model.Facts(table, self._scope.patterns(arguments(atom)))
        return self._goal(literal, names(atom))

    def _goal(self, literal: Literal, mentioned: set[str]) -> model.Instruction:
        scope = self._scope
        inputs = tuple(sorted(mentioned & scope.bound))
        outputs = tuple(sorted(name for name in mentioned - scope.bound if not scope.is_idle(name)))
        site = scope.site(literal.span, literal)
        number = self._known.add_goal(Goal(literal, inputs, outputs))
        given = tuple(scope.register(name) for name in inputs)
        return model.Call(number, given, tuple(scope.bind(name) for name in outputs), site)

    def _nested(self, literal: Not | Or | IfThenElse | FindAll) -> model.Instruction:
        scope = self._scope
        match literal:
            case Not(body=body):
                with scope.inner():
                    return model.Negate(self.block(body))
            case FindAll(template=template, body=body, result=result, sliding=sliding):
                with scope.inner():
                    inside = self.block(body)
                    collected = scope.pattern(template)
                aggregate = -1 if sliding is None else list(SlidingKind).index(sliding.kind)
                site = scope.site(literal.span, literal)
                return model.Collect(collected, inside, scope.pattern(result), aggregate, site)
            case Or(branches=branches):
                blocks = []
                bound: list[set[str]] = []
                for branch in branches:
                    with scope.inner():
                        blocks.append(self.block(branch))
                        bound.append(set(scope.bound))
                scope.bound |= set.intersection(*bound)
                return model.Choose(tuple(blocks))
            case IfThenElse(condition=condition, then=then, otherwise=otherwise):
                with scope.inner():
                    tested = self.block(condition)
                    chosen = self.block(then)
                    after = set(scope.bound)
                rest: model.Block | None = None
                if otherwise is not None:
                    with scope.inner():
                        rest = self.block(otherwise)
                        after &= scope.bound
                scope.bound |= after
                return model.Branch(tested, chosen, rest)

    def _list_condition(self, literal: Literal) -> Sequence[model.Instruction]:
        raise NotImplementedError(type(literal).__name__)
