"""Evaluates the whole history, component by component, in dependency order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from itertools import count
from typing import Protocol

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.limits import MAX_DELAYED_EFFECTS
from holdsfor.logic.failures import Failures
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import Bindings, is_ground, resolve, substitute, unify
from holdsfor.reference.history import KnownInput
from holdsfor.reference.intervals import Interval
from holdsfor.reference.statics import Pair, StaticSolver
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables


class Running(Protocol):
    """The component that is being evaluated; it answers queries about its own pairs."""

    now: int
    """The present time-point."""

    def owns(self, pair: Pair) -> bool:
        """Whether the pair belongs to this component."""

    def holds(self, pair: Pair, time: int) -> bool:
        """Whether the pair holds at a time-point up to the present one."""

    def has(self, pair: Pair, time: int) -> bool:
        """Whether a pair has been initiated, regardless of groundings."""

    def holds_next(self, pair: Pair) -> bool:
        """Whether the pair holds just after the present time-point."""

    def pairs(self) -> list[Pair]:
        """The pairs that have held so far."""

    def static_coming(self, time: int) -> set[Pair]:
        """The statically determined pairs that hold just after a time-point, if it is the present one."""

    def edges(self) -> set[int]:
        """The time-points at which a pair of this component started or ended."""


class World(Solver):
    """Everything known at one query time, and the solver of conditions."""

    def __init__(
        self,
        analysis: Analysis,
        known: KnownInput,
        failures: Failures | None = None,
        max_delayed_effects: int = MAX_DELAYED_EFFECTS,
    ) -> None:
        super().__init__(analysis.background.filled(domain_facts(analysis, known)).rules)
        self.failures = Failures() if failures is None else failures
        self.analysis = analysis
        self.known = known
        self.max_delayed_effects = max_delayed_effects
        self.now = known.query_time
        self.tick = known.tick
        self.intervals: dict[Pair, list[Interval]] = {}
        self.events: dict[int, dict[Term, None]] = {
            t: dict.fromkeys(found) for t, found in known.events.items() if t <= self.now
        }
        self.effects: dict[tuple[ir.EffectKind, int], dict[Pair, None]] = {}
        self._numbers = count()
        """Numbers for fresh variable names."""
        self.scheduled: dict[int, dict[Pair, None]] = {}
        self.silences: dict[int, list[Pair]] = {}
        """The pairs that silence terminates, by time-point."""
        self.conflicts: set[tuple[Term, int]] = set()
        self.running: Running | None = None
        self._declared: dict[Pair, bool] = {}
        for pair, found in known.inputs.items():
            if self.is_declared(pair):
                self.intervals[pair] = found

    @cached_property
    def initial_pairs(self) -> dict[Pair, None]:
        """The pairs of `initially`."""
        return {
            (resolve(rule.fvp.fluent, answer), resolve(rule.fvp.value, answer)): None
            for rule in self.analysis.program.initially
            for answer in self.solve(self.analysis.body(rule), {})
        }

    def moments(self) -> list[int]:
        """The time-points with known events, up to the query time."""
        found = set(self.events) | {time for _, time in self.effects}
        found |= {
            int(t) - self.tick
            for listed in self.intervals.values()
            for ends in listed
            for t in ends
            if math.isfinite(t)
        }
        found |= self.running.edges() if self.running else set()
        return sorted(time for time in found if time <= self.now)

    def pairs(self) -> list[Pair]:
        """Every pair that has held so far."""
        return list(dict.fromkeys((*self.intervals, *(self.running.pairs() if self.running else ()))))

    def is_declared(self, pair: Pair) -> bool:
        """Whether a pair is among the groundings of its fluent; without groundings, every pair is."""
        if pair not in self._declared:
            entities = self.analysis.entities
            symbol = entities.pair(*pair)
            declarations = entities[symbol].groundings if symbol in entities.table else []
            self._declared[pair] = not declarations or any(
                self.provable(self.analysis.body(declaration), bound)
                for declaration in declarations
                for bound in bind({}, (declaration.args[0], Compound("=", pair)))
            )
        return self._declared[pair]

    def run_static(self, symbol: Symbol) -> None:
        """Evaluates a statically determined fluent from finished ones."""
        rules = [rule for rule in self.analysis.entities[symbol].rules if isinstance(rule, ir.IntervalRule)]
        solver = StaticSolver(
            self, lambda pair: self.intervals.get(pair, []), self.intervals, self.now, self.analysis, self.tick
        )
        for pair, found in solver.evaluate([(rule, self.analysis.body(rule)) for rule in rules]).items():
            if found and self.is_declared(pair):
                self.intervals[pair] = found

    # Conditions

    def temporal(self, literal: ir.Literal, bindings: Bindings) -> Iterator[Bindings]:
        """Conditions on events and fluents."""
        match literal:
            case ir.Happens(event=event, time=time):
                for moment in self._moments_of(time, bindings):
                    for happened in list(self.events.get(moment, ())):
                        yield from bind(bindings, (event, happened), (time, Const(moment)))
            case ir.Holds(fvp=fvp, time=time):
                for moment in self._moments_of(time, bindings):
                    yield from self._pairs_where(fvp, bindings, partial(self.holds, time=moment))
            case ir.Boundary(edge=edge, fvp=fvp, time=time):
                for moment in self._moments_of(time, bindings):
                    changes = partial(self._changes, edge=edge, time=moment)
                    coming = self.running.static_coming(moment) if self.running else ()
                    for found in bind(bindings, (time, Const(moment))):
                        yield from self._pairs_where(fvp, found, changes, coming)
            case ir.Instance(fvp=fvp, time=time):
                for pair in self._ending(resolve(time, bindings)):
                    for found in bind(bindings, (fvp.fluent, pair[0]), (fvp.value, pair[1])):
                        if self.analysis.entities.admits(fvp, *pair):
                            yield found
            case ir.Effect(kind=kind, fvp=fvp, time=time):
                for moment in self._moments_of(time, bindings):
                    for pair in list(self.effects.get((kind, moment), ())):
                        fluent, value = self._renamed(pair)
                        yield from bind(bindings, (fvp.fluent, fluent), (fvp.value, value), (time, Const(moment)))
            case _:
                yield from super().temporal(literal, bindings)

    def _renamed(self, pair: Pair) -> Pair:
        """A pair with its unbound variables renamed: a termination of any value terminates each of them."""
        names = {variable.name for term in pair for variable in variables(term)}
        if not names:
            return pair
        number = next(self._numbers)
        fresh: dict[str, Term] = {name: Var(f"{name}{number}") for name in names}
        return substitute(pair[0], fresh), substitute(pair[1], fresh)

    def _ending(self, time: Term) -> list[Pair]:
        """The pairs that can end at a time-point: those that hold, and those that are initiated at it."""
        assert isinstance(time, Const) and isinstance(time.value, int)
        assert self.running is not None
        holding = (pair for pair in self.pairs() if self.running.has(pair, time.value))
        return list(dict.fromkeys((*holding, *self.effects.get((ir.EffectKind.INITIATED, time.value), ()))))

    def _moments_of(self, time: Term, bindings: Bindings) -> list[int]:
        moment = resolve(time, bindings)
        if isinstance(moment, Const):
            # A time between two time-points is not a time-point: nothing happens or holds at it.
            return [moment.value] if isinstance(moment.value, int) and moment.value % self.tick == 0 else []
        return self.moments()

    def holds(self, pair: Pair, time: int) -> bool:
        """Whether a pair holds at a time-point up to the present one."""
        if self.running is not None and self.running.owns(pair):
            return self.running.holds(pair, time)
        return any(start <= time < end for start, end in self.intervals.get(pair, ()))

    def _changes(self, pair: Pair, edge: ir.Edge, time: int) -> bool:
        """Whether a pair starts or ends just after a time-point. The cut at the window is not a start."""
        now = self.holds(pair, time)
        if self.running is not None and self.running.owns(pair) and time >= self.running.now:
            then = self.running.holds_next(pair)
        else:
            then = self.holds(pair, time + self.tick)
        if edge is ir.Edge.END:
            return now and not then
        is_cut = (*pair, time + self.tick) in self.known.cut_starts
        return (
            then and not now and not is_cut and not (time == ir.INITIAL * self.tick and self._is_there_at_first(pair))
        )

    def _is_there_at_first(self, pair: Pair) -> bool:
        """Whether a pair that holds from 0 on does not start there, because no rule initiates it."""
        role = self.analysis.entities[self.analysis.entities.pair(*pair)].role
        return role is not Role.SIMPLE_FLUENT or pair in self.initial_pairs

    def _pairs_where(
        self, fvp: ir.Fvp, bindings: Bindings, accept: Callable[[Pair], bool], others: Iterable[Pair] = ()
    ) -> Iterator[Bindings]:
        """Solutions for the pairs that have held so far, and for `others`."""
        wanted = (resolve(fvp.fluent, bindings), resolve(fvp.value, bindings))
        admits = partial(self.analysis.entities.admits, fvp)
        if is_ground(wanted[0]) and is_ground(wanted[1]):
            if admits(*wanted) and accept(wanted):
                yield bindings
            return
        for pair in dict.fromkeys((*self.pairs(), *others)):
            for found in bind(bindings, (fvp.fluent, pair[0]), (fvp.value, pair[1])):
                if admits(*pair) and accept(pair):
                    yield found


def domain_facts(analysis: Analysis, known: KnownInput) -> Iterator[Term]:
    """The facts that the records that count at a query time put into domains."""
    for filling in analysis.fillings:
        for time, happened in known.events.items():
            if time <= known.query_time:
                for event in happened:
                    yield from filling.facts(event)
        for pair in known.inputs:
            yield from filling.facts(Compound("=", pair))


def bind(bindings: Bindings, *pairs: tuple[Term, Term]) -> Iterator[Bindings]:
    """The bindings extended to make all pairs of terms equal, if possible."""
    extended: Bindings | None = bindings
    for left, right in pairs:
        extended = None if extended is None else unify(left, right, extended)
    if extended is not None:
        yield extended
