"""Runs `preProcessing(QueryTime)`, with which an RTEC program computes input for itself.

The predicate is plain Prolog. It reads the input (`happensAtIE`, `holdsAtIE`, `holdsForIESI`) and asserts the intervals
of fluents, `iePList(Index, F=V, Intervals, [])`. RTEC calls it for each window. Here it is called once, with the whole
input. The time-points of what it asserts become input, each with its own time as arrival.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from holdsfor.columns.stream import from_records
from holdsfor.compiler.analysis.domains import Filling
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.builder import Reading
from holdsfor.io.preprocessing_rules import PREPROCESSING
from holdsfor.io.records import records
from holdsfor.ir import BackgroundRule
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.order import order_key
from holdsfor.logic.solver import Solver, describe
from holdsfor.logic.unify import Bindings, is_ground, resolve, unify
from holdsfor.reference.history import InputInterval, Occurrence, Record
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, arguments, conjuncts, functor, variables

_INPUT = ("happensAtIE", "holdsAtIE", "holdsForIESI")
_Answers = Iterator[Bindings]
_Name = tuple[str, int] | None
_Key = tuple[Term | None, Term | None]


@dataclass(frozen=True, slots=True)
class _Given:
    """A record of the input: the event or `F=V`, its time or interval, and its first argument as an index key."""

    recorded: Term
    when: Term
    first: Term | None


def preprocessed(plan: Plan, reading: Reading) -> Reading:
    """The input, with the results of `preProcessing`."""
    given = records(reading.stream, reading.dictionary)
    last = max((_time_of(one) for one in given), default=0)
    machine = _Machine(plan, given, last)
    made = list(_points(machine.computed(), plan.clock_tick))
    stream = from_records(made, plan.analysis.entities, reading.dictionary)
    joined = replace(reading.stream, fluents={**reading.stream.fluents, **stream.fluents})
    return replace(reading, stream=joined, rows=reading.rows + len(made))


def _time_of(record: Record) -> int:
    return record.time if isinstance(record, Occurrence) else record.start


def _points(asserted: Iterable[Term], tick: int) -> Iterator[InputInterval]:
    """The time-points of `iePList(Index, F=V, [(S,E), …], _)`."""
    for fact in asserted:
        _, pair, intervals, _ = arguments(fact)
        if not (isinstance(pair, Compound) and pair.name == "=" and isinstance(intervals, ListTerm)):
            raise HoldsforError("preProcessing asserted an iePList that is not iePList(Index, F=V, Intervals, [])")
        for interval in intervals.items:
            start, end = (getattr(bound, "value", None) for bound in arguments(interval))
            if not isinstance(start, int) or not isinstance(end, int):
                raise HoldsforError(
                    f"preProcessing asserted an interval without whole ends for {describe(pair.args[0])}"
                )
            for time in range(start, end, tick):
                yield InputInterval(pair.args[0], pair.args[1], time, time + 1, time, is_point=True)


class _Machine(Solver):
    """An interpreter for plain Prolog over the input: clauses as written, and facts that change."""

    def __init__(self, plan: Plan, given: list[Record], last: int) -> None:
        rules: dict[tuple[str, int], list[BackgroundRule]] = {}
        for rule in plan.analysis.resolved.background:
            name = functor(rule.head)
            assert name is not None
            rules.setdefault(name, []).append(rule)
        super().__init__(rules)
        self._last = last
        self._facts: dict[tuple[str, int], dict[Term, None]] = {}
        self._given: dict[tuple[str, _Name], list[_Given]] = {}
        self._indexes: dict[tuple[str, _Name, bool, bool], dict[_Key, list[_Given]]] = {}
        for record in given:
            self._take_in(record)
        self._fill(plan.analysis.fillings)
        self._handlers: dict[tuple[str, int], Callable[[tuple[Term, ...], Bindings], _Answers]] = {
            **{(predicate, 2): partial(self._input, predicate) for predicate in _INPUT},
            ("assert", 1): self._assertion,
            ("asserta", 1): self._assertion,
            ("assertz", 1): self._assertion,
            ("retract", 1): self._retraction,
            ("setof", 3): self._set_of,
            ("makeIntervalsFromAllPoints", 5): self._intervals_of_points,
            ("queryTime", 1): lambda args, bindings: _either(unify(args[0], Const(self._last), bindings)),
        }

    def computed(self) -> list[Term]:
        """The fluents that `preProcessing` asserts."""
        try:
            next(self.call(Compound(PREPROCESSING[0], (Const(self._last),)), {}), None)
        except EvaluationError as problem:
            raise HoldsforError(f"preProcessing failed: {problem}") from problem
        return list(self._facts.get(("iePList", 4), ()))

    def call(self, atom: Term, bindings: Bindings) -> _Answers:
        """All answers of an input predicate, a predicate that changes facts, or any other."""
        name = functor(atom)
        assert name is not None
        if name in self._handlers and name not in self.rules:
            yield from self._handlers[name](arguments(atom), bindings)
        elif name in self._facts or name == ("iePList", 4):
            for fact in list(self._facts.get(name, ())):
                yield from _either(unify(atom, fact, bindings))
        elif name in LIBRARY and name not in self.rules:
            yield from LIBRARY[name].solve(arguments(atom), bindings)
        elif name in self.rules:
            pattern = resolve(atom, bindings)
            for answer in self.answers(name, pattern):
                yield from _either(unify(pattern, answer, bindings))
        else:
            raise EvaluationError(f"it calls {describe(atom)}, which is not supported here")

    # Input

    def _take_in(self, record: Record) -> None:
        if isinstance(record, Occurrence):
            self._note("happensAtIE", record.event, record.event, Const(record.time))
            return
        pair = Compound("=", (record.fluent, record.value))
        if record.is_point:
            self._note("holdsAtIE", record.fluent, pair, Const(record.start))
        else:
            end = Const("inf") if record.end == math.inf else Const(int(record.end))
            self._note("holdsForIESI", record.fluent, pair, Compound(",", (Const(record.start), end)))

    def _note(self, predicate: str, term: Term, recorded: Term, when: Term) -> None:
        self._given.setdefault((predicate, functor(term)), []).append(_Given(recorded, when, _first(term)))

    def _fill(self, fillings: Iterable[Filling]) -> None:
        """Fills the dynamic domains. A filling reads only the records with its name."""
        for filling in fillings:
            name = functor(_entity(filling.pattern))
            same_name = chain.from_iterable(self._given.get((predicate, name), ()) for predicate in _INPUT)
            for fact in {fact for one in same_name for fact in filling.facts(one.recorded)}:
                self._assert(fact)

    def _input(self, predicate: str, args: tuple[Term, ...], bindings: Bindings) -> _Answers:
        recorded, when = resolve(args[0], bindings), resolve(args[1], bindings)
        for one in self._records_for(predicate, _entity(recorded), when):
            bound = unify(recorded, one.recorded, bindings)
            yield from _either(None if bound is None else unify(when, one.when, bound))

    def _records_for(self, predicate: str, term: Term, when: Term) -> Iterable[_Given]:
        """The records with the name, first argument and time of a call, as far as they are bound.

        Each combination of bound parts has its own index, which is created at the first such call.
        """
        name, first, time = functor(term), _first(term), when if isinstance(when, Const) else None
        shape = (predicate, name, first is not None, time is not None)
        index = self._indexes.get(shape)
        if index is None:
            index = self._indexes[shape] = {}
            for one in self._records_of(predicate, name):
                key = (one.first if first is not None else None, one.when if time is not None else None)
                index.setdefault(key, []).append(one)
        return index.get((first, time), ())

    def _records_of(self, predicate: str, name: _Name) -> Iterator[_Given]:
        """The records of a name, or of all names if the call leaves the name unbound."""
        if name is not None:
            yield from self._given.get((predicate, name), ())
            return
        for (kind, _), known in self._given.items():
            if kind == predicate:
                yield from known

    # Facts that change

    def _assert(self, fact: Term) -> None:
        name = functor(fact)
        if name is None or not is_ground(fact):
            raise EvaluationError("it asserts something that is not a fact without variables")
        self._facts.setdefault(name, {})[fact] = None

    def _assertion(self, args: tuple[Term, ...], bindings: Bindings) -> _Answers:
        self._assert(resolve(args[0], bindings))
        yield bindings

    def _retraction(self, args: tuple[Term, ...], bindings: Bindings) -> _Answers:
        name = functor(args[0])
        known = self._facts.get(name, {}) if name is not None else {}
        for fact in list(known):
            found = unify(args[0], fact, bindings)
            if found is not None:
                known.pop(fact, None)
                yield found

    # Built-in predicates

    def _set_of(self, args: tuple[Term, ...], bindings: Bindings) -> _Answers:
        template, goal, result = args
        goal = resolve(goal, bindings)
        inside = {variable.name for variable in variables(template)}
        if any(variable.name not in inside for variable in variables(goal)):
            raise EvaluationError("it calls setof with a variable of its own in the goal, which is not supported here")
        found = {resolve(template, answer): None for answer in self._goals(conjuncts(goal), bindings)}
        if found:
            yield from _either(unify(result, ListTerm(tuple(sorted(found, key=order_key))), bindings))

    def _goals(self, goals: tuple[Term, ...], bindings: Bindings) -> _Answers:
        if not goals:
            yield bindings
            return
        for found in self.call(goals[0], bindings):
            yield from self._goals(goals[1:], found)

    def _intervals_of_points(self, args: tuple[Term, ...], bindings: Bindings) -> _Answers:
        """`makeIntervalsFromAllPoints(Points, Distance, QueryTime, [], Intervals)` of the original."""
        points, distance = resolve(args[0], bindings), resolve(args[1], bindings)
        if not isinstance(points, ListTerm) or not isinstance(distance, Const) or not isinstance(distance.value, int):
            raise EvaluationError("makeIntervalsFromAllPoints takes a list of points and the distance of neighbours")
        tick, found = distance.value, list[tuple[int, int]]()
        for point in points.items:
            time = getattr(point, "value", None)
            if not isinstance(time, int):
                raise EvaluationError("makeIntervalsFromAllPoints takes whole numbers")
            after = time + tick - time % tick
            if found and time <= found[-1][1]:
                found[-1] = (found[-1][0], after)
            else:
                found.append((time, after))
        intervals = tuple(Compound(",", (Const(start), Const(end))) for start, end in found)
        yield from _either(unify(args[4], ListTerm(intervals), bindings))


def _entity(recorded: Term) -> Term:
    """The event, or the fluent of `F=V`."""
    return recorded.args[0] if isinstance(recorded, Compound) and recorded.name == "=" else recorded


def _first(term: Term) -> Term | None:
    """The first argument, if it exists and is ground."""
    return next((argument for argument in arguments(term)[:1] if is_ground(argument)), None)


def _either(result: Bindings | None) -> _Answers:
    if result is not None:
        yield result
