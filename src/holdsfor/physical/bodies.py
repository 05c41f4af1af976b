"""Lowers rule bodies to blocks of instructions, in the order that the compiler chose for the conditions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names, schedule
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.analysis.lookback import reach, surroundings
from holdsfor.ir.sliding import SlidingKind
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.solver import Predicate
from holdsfor.logic.unify import is_ground
from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.open_ends import openly_ended
from holdsfor.physical.reads import registers
from holdsfor.physical.scope import RegisterScope
from holdsfor.syntax.terms import Compound, Term, Var, arguments, functor

if TYPE_CHECKING:
    from holdsfor.physical.origins import ProgramOrigin

_FARTHEST = 2**62


@dataclass
class Goal:
    """A condition that is solved outside the core: the literal, and its variables in the order of their registers."""

    literal: ir.Literal
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    list_inputs: tuple[str, ...] = ()
    list_outputs: tuple[str, ...] = ()


@dataclass
class Knowledge:
    """The references of bodies: tables by symbol, fact tables by predicate, goals in the order in which they occur."""

    analysis: Analysis
    tables: Mapping[Symbol, int]
    facts: dict[Predicate, int] = field(default_factory=dict)
    fact_tables: list[model.FactTable] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    origins: dict[int, ProgramOrigin] | None = None
    """The origins of programs, by identity; None unless origins are recorded."""

    def scope(self, occurrences: Counter[str]) -> RegisterScope:
        """Creates the register scope of a new program."""
        return RegisterScope(occurrences, steps=None if self.origins is None else [])

    def note(self, rule: ir.Rule, program: model.Program, scope: RegisterScope) -> model.Program:
        """Records the origin of a lowered program."""
        if self.origins is not None and scope.steps is not None:
            from holdsfor.physical.origins import ProgramOrigin

            steps = tuple(scope.steps)
            self.origins[id(program)] = ProgramOrigin(rule, program, scope.registers, scope.lists, steps)
        return program

    def add_goal(self, goal: Goal) -> int:
        """Adds a goal and returns its number."""
        self.goals.append(goal)
        return len(self.goals) - 1

    def event(self, term: Term) -> tuple[int, tuple[Term, ...]]:
        """The table of an event, and its columns."""
        symbol = self.analysis.entities.event(term)
        return self.tables[symbol], symbol.columns(term)

    def fluent(self, fvp: ir.Fvp) -> tuple[int, tuple[Term, ...]]:
        """The table of a fluent, and its columns."""
        symbol = self.analysis.entities.fluent(fvp)
        return self.tables[symbol], symbol.columns(fvp.fluent)

    def is_ended_openly(self, fvp: ir.Fvp) -> bool:
        """Whether a rule terminates a fluent and leaves an argument or the value open."""
        return self.analysis.entities.fluent(fvp) in self._openly_ended

    @cached_property
    def _openly_ended(self) -> frozenset[Symbol]:
        return openly_ended(self.analysis)

    def fact_table(self, name: Predicate) -> int | None:
        """The table of a predicate that is defined by ground facts only."""
        if name not in self.facts:
            background = self.analysis.background
            rules = background.rules.get(name)
            if rules is None or background.depends_on_input(Compound(*name_and_args(name))):
                return None
            if not all(not rule.body and is_ground(rule.head) for rule in rules):
                return None
            scope = RegisterScope(occurrences=Counter())
            rows = dict.fromkeys(scope.patterns(arguments(rule.head)) for rule in rules)
            self.facts[name] = len(self.fact_tables)
            self.fact_tables.append(model.FactTable(f"{name[0]}/{name[1]}", name[1], tuple(rows)))
        return self.facts[name]


def name_and_args(name: Predicate) -> tuple[str, tuple[Term, ...]]:
    """A predicate as the parts of a term."""
    return name[0], tuple(Var(f"A{place}") for place in range(name[1]))


class BodyLowering:
    """Lowers one body. `now` is the variable of the rule's time-point, if it has one."""

    def __init__(self, known: Knowledge, scope: RegisterScope, now: str | None, whole: ir.Body) -> None:
        self._known = known
        self._scope = scope
        self._now = now
        self._whole = whole

    def block(self, body: ir.Body) -> code.Block:
        """The instructions of a conjunction."""
        found: list[code.Instruction] = []
        for literal in self.with_late_ends(body):
            made = self._literal(literal)
            found += made
            self._scope.note(literal, made)
        return tuple(found)

    def with_late_ends(self, body: ir.Body) -> ir.Body:
        """Moves `terminatedAt` conditions late in a body if their fluent may be terminated for all instances.

        Such a termination does not bind the instance. So the conditions that do bind it come first.
        """
        ends = tuple(literal for literal in body if self._may_stay_open(literal))
        if not ends:
            return body
        others = tuple(literal for literal in body if literal not in ends)
        needs = self._known.analysis.background.needs
        first = schedule(others, set(self._scope.bound), needs, frozenset(ir.variable_names(ends)))
        return (*first.body, *ends, *first.stuck)

    def _may_stay_open(self, literal: ir.Literal) -> bool:
        if not isinstance(literal, ir.Effect) or literal.kind is not ir.EffectKind.TERMINATED:
            return False
        variables = names(literal.fvp.fluent) | names(literal.fvp.value)
        return not variables <= self._scope.bound and self._known.is_ended_openly(literal.fvp)

    def _literal(self, literal: ir.Literal) -> Sequence[code.Instruction]:
        scope = self._scope
        match literal:
            case ir.Happens(event=event, time=time):
                table, columns = self._known.event(event)
                instant = self._instant(literal, time)
                return (code.Events(table, scope.patterns(columns), instant),)
            case ir.Holds(fvp=fvp, time=time):
                return (self._of_pair(fvp, lambda t, c, v: code.Holding(t, c, v, self._instant(literal, time))),)
            case ir.Boundary(edge=edge, fvp=fvp, time=time):
                kind = code.EdgeKind.START if edge is ir.Edge.START else code.EdgeKind.END
                instant = self._instant(literal, time)
                return (self._of_pair(fvp, lambda t, c, v: code.Edges(t, kind, c, v, instant)),)
            case ir.Effect(kind=effect, fvp=fvp, time=time):
                which = code.EdgeKind.INITIATED if effect is ir.EffectKind.INITIATED else code.EdgeKind.TERMINATED
                instant = self._instant(literal, time)
                return (self._of_pair(fvp, lambda t, c, v: code.Edges(t, which, c, v, instant)),)
            case ir.Instance(fvp=fvp):
                return (self._of_pair(fvp, code.Endable),)
            case ir.Compare():
                return (self._compare(literal),)
            case ir.Assign(target=target, expression=expression):
                site = scope.site(literal.span, literal)
                value = scope.expression(expression)
                return (code.Assign(scope.pattern(target), value, site),)
            case ir.Call(atom=atom):
                return (self._call(literal, atom),)
            case ir.Cut():
                return ()
            case ir.Not() | ir.Or() | ir.IfThenElse() | ir.FindAll():
                return (self._nested(literal),)
            case ir.Intervals() | ir.Algebra() | ir.Guard():
                return self._list_condition(literal)

    def _of_pair(
        self, fvp: ir.Fvp, make: Callable[[int, tuple[code.Shape, ...], code.Shape], code.Instruction]
    ) -> code.Instruction:
        table, columns = self._known.fluent(fvp)
        shapes = self._scope.patterns(columns)
        return make(table, shapes, self._scope.pattern(fvp.value))

    def _instant(self, literal: ir.Literal, time: Term) -> code.Instant:
        assert isinstance(time, Var)
        binds = time.name not in self._scope.bound
        least = most = None
        if self._now is not None and time.name != self._now:
            found = reach(surroundings(self._whole, literal), self._now, time.name)
            # Two time-points are at most _FARTHEST apart, and the future is unknown. The conditions themselves are more
            # precise.
            least = int(max(0, min(found.least, _FARTHEST))) if math.isfinite(found.least) else None
            most = int(max(0, found.most)) if found.most <= _FARTHEST else None
        register = self._scope.bind(time.name) if binds else self._scope.register(time.name)
        return code.Instant(register, binds, least, most)

    def _compare(self, literal: ir.Compare) -> code.Instruction:
        scope = self._scope
        if literal.operator in ARITHMETIC_COMPARISONS:
            site = scope.site(literal.span, literal)
            return code.Compare(literal.operator, scope.expression(literal.left), scope.expression(literal.right), site)
        if literal.operator == "=":
            ground, other = literal.left, literal.right
            if not names(ground) <= scope.bound:
                ground, other = other, ground
            shape = scope.pattern(ground)
            return code.Equal(shape, scope.pattern(other))
        if literal.operator in ("\\=", "\\=="):
            return code.Equal(scope.pattern(literal.left), scope.pattern(literal.right), negated=True)
        if literal.operator == "==":
            return code.Equal(scope.pattern(literal.left), scope.pattern(literal.right))
        return self._goal(literal, names(literal.left) | names(literal.right))

    def _call(self, literal: ir.Call, atom: Term) -> code.Instruction:
        name = functor(atom)
        assert name is not None
        if name not in LIBRARY or name in self._known.analysis.background.rules:
            table = self._known.fact_table(name)
            if table is not None:
                return code.Facts(table, self._scope.patterns(arguments(atom)))
        return self._goal(literal, names(atom))

    def _goal(self, literal: ir.Literal, mentioned: set[str]) -> code.Instruction:
        scope = self._scope
        inputs = tuple(sorted(mentioned & scope.bound))
        outputs = tuple(sorted(name for name in mentioned - scope.bound if not scope.is_idle(name)))
        site = scope.site(literal.span, literal)
        number = self._known.add_goal(Goal(literal, inputs, outputs))
        given = tuple(scope.register(name) for name in inputs)
        return code.Call(number, given, tuple(scope.bind(name) for name in outputs), site)

    def _nested(self, literal: ir.Not | ir.Or | ir.IfThenElse | ir.FindAll) -> code.Instruction:
        scope = self._scope
        match literal:
            case ir.Not(body=body):
                with scope.inner():
                    return code.Negate(self.block(body))
            case ir.FindAll(template=template, body=body, result=result, sliding=sliding):
                with scope.inner():
                    inside = self.block(body)
                    collected = scope.pattern(template)
                    window = None if sliding is None else self._window(literal, inside, sliding.kind)
                aggregate = -1 if sliding is None else list(SlidingKind).index(sliding.kind)
                site = scope.site(literal.span, literal)
                return code.Collect(collected, inside, scope.pattern(result), aggregate, site, window)
            case ir.Or(branches=branches):
                blocks = []
                bound: list[set[str]] = []
                for branch in branches:
                    with scope.inner():
                        blocks.append(self.block(branch))
                        bound.append(set(scope.bound))
                scope.bound |= set.intersection(*bound)
                return code.Choose(tuple(blocks))
            case ir.IfThenElse(condition=condition, then=then, otherwise=otherwise):
                with scope.inner():
                    tested = self.block(condition)
                    chosen = self.block(then)
                    after = set(scope.bound)
                rest: code.Block | None = None
                if otherwise is not None:
                    with scope.inner():
                        rest = self.block(otherwise)
                        after &= scope.bound
                scope.bound |= after
                return code.Branch(tested, chosen, rest)

    def _window(self, literal: ir.FindAll, block: code.Block, kind: SlidingKind) -> code.Window | None:
        """The window of a sliding aggregate. Its block consists of the events and the limits of the window."""
        match literal.body:
            case (
                ir.Happens(event=event, time=Var(name=then)),
                ir.Compare(operator="=<", left=Var(name=earlier), right=Var(name=later)),
                ir.Compare(operator="<", left=Compound(name="-", args=(Var(name=end), Var(name=begin))), right=length),
            ) if earlier == begin == then and later == end == self._now:
                pass
            case _:
                return None
        scope = self._scope
        first = block[0]
        assert isinstance(first, code.Events)
        given = set(registers(*first.columns, bound_here=True))
        known = tuple(
            place
            for place, shape in enumerate(first.columns)
            if isinstance(shape, code.Constant) or (isinstance(shape, code.Register) and shape.number not in given)
        )
        here = {scope.register(name) for name in names(event)}
        if any(scope.register(name) not in here for name in names(literal.template)):
            return None
        if any(scope.register(name) in given for name in names(length)) or then in names(length):
            return None
        numbers = kind not in (SlidingKind.COUNT, SlidingKind.DISTINCT)
        return code.Window(scope.expression(length), scope.expression(literal.template) if numbers else None, known)

    def _list_condition(self, literal: ir.Literal) -> Sequence[code.Instruction]:
        raise NotImplementedError(type(literal).__name__)
