"""Orders the conditions of bodies so that every condition has its variables bound when it is evaluated.

Rules may list their conditions in any order. Generators (events, fluents, facts) bind variables; tests need bound
variables. A greedy schedule runs tests as soon as possible and cheap generators first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdsfor import ir
from holdsfor.logic.library import LIBRARY
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor, variables

Predicate = tuple[str, int]


@dataclass(frozen=True)
class Needs:
    """The arguments that calls of background predicates need bound.

    `positions` must be bound before a predicate is called. `open_facts` are facts with variables, such as `price(_,
    10)`: a call binds such a variable only if another argument gives its value, as in `same(X, X)`.
    """

    positions: Mapping[Predicate, tuple[int, ...]] = field(default_factory=dict)
    open_facts: Mapping[Predicate, Sequence[Term]] = field(default_factory=dict)

    def __call__(self, name: Predicate) -> tuple[int, ...]:
        """The arguments that must be bound before a predicate is called."""
        return self.positions.get(name, ())

    def left_open(self, atom: Term, known: set[str] | frozenset[str]) -> set[str]:
        """The variables of a call that facts may leave unbound."""
        facts = self.open_facts.get(functor(atom) or ("", 0), ())
        return {name for fact in facts for name in names(atom) - _given_by(fact, atom, known)}


def is_conjunction(atom: Term) -> bool:
    """Whether an atom is a conjunction of calls that are solved together."""
    return isinstance(atom, Compound) and atom.name == ","


def _given_by(fact: Term, atom: Term, known: set[str] | frozenset[str]) -> set[str]:
    """The variables of a call that are bound after it has matched a fact."""
    given, inside, size = set(known), set[str](), -1
    while len(given) + len(inside) > size:
        size = len(given) + len(inside)
        for arg, column in zip(arguments(atom), arguments(fact), strict=True):
            if names(arg) <= given:
                inside |= names(column)
            if names(column) <= inside:
                given |= names(arg)
    return given


_TEST, _EVENT, _BOUNDARY, _FACTS, _FLUENT, _NESTED, _LAST = range(7)


NO_NEEDS = Needs()
"""Every background predicate can be enumerated."""


@record
class Schedule:
    """An executable order, the variables bound at its end, and the literals that cannot run."""

    body: ir.Body
    bound: frozenset[str]
    stuck: ir.Body


def names(term: Term) -> set[str]:
    """The variable names of a term."""
    if isinstance(term, Var):
        return {term.name}
    if isinstance(term, Const):
        return set()
    return {variable.name for variable in variables(term)}


def schedule(
    body: ir.Body, bound: set[str] | frozenset[str], needs: Needs = NO_NEEDS, outside: frozenset[str] = frozenset()
) -> Schedule:
    """Orders a body. `bound` is bound in advance, `outside` occurs elsewhere in the rule.

    A body with a cut keeps its order, because the cut gives the order a meaning.
    """
    scheduler = _Scheduler(needs)
    known = set(bound)
    if any(isinstance(literal, ir.Cut) for literal in body):
        return _as_written(scheduler, body, known, outside)
    ordered: list[ir.Literal] = []
    waiting = list(body)
    while waiting:
        chosen = scheduler.choose(waiting, known, outside)
        if chosen is None:
            together = scheduler.joined(waiting, known, outside)
            if together is None:
                break
            waiting = [literal for literal in waiting if literal not in together]
            ordered.append(ir.Call(Compound(",", tuple(literal.atom for literal in together)), together[0].span))
            continue
        position, literal, binds = chosen
        del waiting[position]
        ordered.append(literal)
        known |= binds
    return Schedule(tuple(ordered), frozenset(known), tuple(waiting))


def _as_written(scheduler: _Scheduler, body: ir.Body, known: set[str], outside: frozenset[str]) -> Schedule:
    ordered: list[ir.Literal] = []
    stuck: list[ir.Literal] = []
    for index, literal in enumerate(body):
        rest = ir.variable_names(body[:index] + body[index + 1 :]) | outside
        ready = scheduler.ready(literal, known, rest)
        if ready is None:
            stuck.append(literal)
        else:
            ordered.append(ready[0])
            known |= ready[1]
    return Schedule(tuple(ordered), frozenset(known), tuple(stuck))


class _Scheduler:
    def __init__(self, needs: Needs) -> None:
        self._needs = needs

    def choose(
        self, waiting: list[ir.Literal], known: set[str], outside: frozenset[str]
    ) -> tuple[int, ir.Literal, set[str]] | None:
        """The literal to run next. Nested literals come last, because testing all of them is expensive."""
        best: tuple[tuple[int, int, int], int, ir.Literal, set[str]] | None = None
        for position, literal in enumerate(waiting):
            ready = None if _is_nested(literal) else self.ready(literal, known, self._rest(waiting, position, outside))
            if ready is None:
                continue
            fresh = len(ready[1] - known)
            rank = (_TEST if fresh == 0 else _rank(literal), fresh, position)
            if best is None or rank < best[0]:
                best = (rank, position, *ready)
        if best is not None and best[0][0] != _LAST:
            return best[1:]
        return self._nested_choice(waiting, known, outside) or (best[1:] if best else None)

    def _rest(self, waiting: list[ir.Literal], position: int, outside: frozenset[str]) -> set[str] | frozenset[str]:
        """The variables elsewhere in the rule, for calls that may leave variables unbound."""
        literal = waiting[position]
        may_leave_open = isinstance(literal, ir.Call) and (
            functor(literal.atom) in self._needs.open_facts or is_conjunction(literal.atom)
        )
        if not may_leave_open:
            return frozenset()
        return ir.variable_names(tuple(waiting[:position] + waiting[position + 1 :])) | outside

    def joined(self, waiting: list[ir.Literal], known: set[str], outside: frozenset[str]) -> list[ir.Call] | None:
        """Calls that block each other through a variable that the facts of both leave open and that occurs nowhere
        else.

        `decrypt(G, Key, D), meets(D, Wanted)` with the facts `decrypt(_, _, _)` and `meets(_, _)` are solved together.
        """
        for first in waiting:
            group: list[ir.Literal] = [first]
            private: set[str] = set()
            while len(private) < len(private := ir.variable_names(tuple(group)) - known):
                group = [literal for literal in waiting if ir.variable_names((literal,)) & private]
            calls = [literal for literal in group if isinstance(literal, ir.Call)]
            if (
                len(calls) == len(group) > 1
                and not private & outside
                and all(self._can_be_called(c, known) for c in calls)
            ):
                return calls
        return None

    def _can_be_called(self, literal: ir.Call, known: set[str]) -> bool:
        name, args = functor(literal.atom), arguments(literal.atom)
        assert name is not None
        return name in self._needs.open_facts and all(names(args[place]) <= known for place in self._needs(name))

    def _nested_choice(
        self, waiting: list[ir.Literal], known: set[str], outside: frozenset[str]
    ) -> tuple[int, ir.Literal, set[str]] | None:
        for position, literal in enumerate(waiting):
            if _is_nested(literal):
                rest = ir.variable_names(tuple(waiting[:position] + waiting[position + 1 :])) | outside
                ready = self.ready(literal, known, rest)
                if ready is not None:
                    return position, *ready
        return None

    def ready(
        self, literal: ir.Literal, known: set[str], rest: set[str] | frozenset[str]
    ) -> tuple[ir.Literal, set[str]] | None:
        """The literal (its inside ordered) and the variables it binds; None if it cannot run yet."""
        match literal:
            case ir.Happens() | ir.Boundary() | ir.Effect() | ir.Intervals():
                return literal, {v.name for v in ir.literal_variables(literal)}
            case ir.Holds(fvp=fvp, time=time) | ir.Instance(fvp=fvp, time=time):
                ready = names(time) <= known
                return (literal, names(fvp.fluent) | names(fvp.value)) if ready else None
            case ir.Algebra():
                return self._algebra(literal, known)
            case ir.Guard(intervals=intervals, empty=empty):
                # `I = []` also binds an interval list that nothing else computes.
                return (literal, names(intervals)) if empty or names(intervals) <= known else None
            case ir.Compare():
                return _ready_comparison(literal, known)
            case ir.Assign(target=target, expression=expression):
                return (literal, names(target)) if names(expression) <= known else None
            case ir.Call(atom=atom):
                return self._call(literal, atom, known, rest)
            case ir.Not() | ir.FindAll() | ir.Or() | ir.IfThenElse():
                return self._nested(literal, known, rest)
            case ir.Cut():
                return literal, set()

    def _algebra(self, literal: ir.Algebra, known: set[str]) -> tuple[ir.Literal, set[str]] | None:
        needed = {name for term in literal.inputs for name in names(term)}
        needed |= names(literal.bound) if literal.bound is not None else set()
        return (literal, names(literal.out)) if needed <= known else None

    def _call(
        self, literal: ir.Call, atom: Term, known: set[str], rest: set[str] | frozenset[str]
    ) -> tuple[ir.Literal, set[str]] | None:
        if is_conjunction(atom):
            return (literal, set()) if names(atom) & rest <= known else None
        name, args = functor(atom), arguments(atom)
        assert name is not None
        needed = LIBRARY[name].needs if name in LIBRARY else self._needs(name)
        if not all(names(args[position]) <= known for position in needed):
            return None
        left_open = self._needs.left_open(atom, known)
        return None if left_open & rest else (literal, names(atom) - left_open)

    def _nested(
        self, literal: ir.Not | ir.FindAll | ir.Or | ir.IfThenElse, known: set[str], rest: set[str] | frozenset[str]
    ) -> tuple[ir.Literal, set[str]] | None:
        # Only variables that occur elsewhere in the rule must be bound; other variables are local.
        shared = frozenset(rest | known)
        match literal:
            case ir.Not(body=body, span=span):
                inner = schedule(body, known, self._needs, shared)
                open_shared = (ir.variable_names(body) & rest) - known
                return None if inner.stuck or open_shared else (ir.Not(inner.body, span), set())
            case ir.FindAll(template=template, body=body, result=result):
                inner = schedule(body, known, self._needs, shared | names(template))
                open_shared = ((ir.variable_names(body) | names(template)) & rest) - known - names(result)
                done = not inner.stuck and not open_shared
                return (replace(literal, body=inner.body), names(result)) if done else None
            case ir.Or(branches=branches, span=span):
                inners = [schedule(branch, known, self._needs, shared) for branch in branches]
                binds = set.intersection(*(set(inner.bound) for inner in inners))
                stuck = any(inner.stuck for inner in inners) or _binds_sometimes(inners, rest)
                return None if stuck else (ir.Or(tuple(inner.body for inner in inners), span), binds)
            case ir.IfThenElse():
                return self._conditional(literal, known, rest, shared)

    def _conditional(
        self, literal: ir.IfThenElse, known: set[str], rest: set[str] | frozenset[str], shared: frozenset[str]
    ) -> tuple[ir.Literal, set[str]] | None:
        condition = schedule(literal.condition, known, self._needs, shared)
        if condition.stuck or (ir.variable_names(literal.condition) & rest) - known:
            return None
        then = schedule(literal.then, condition.bound, self._needs, shared)
        if then.stuck:
            return None
        if literal.otherwise is None:
            return ir.IfThenElse(condition.body, then.body, None, literal.span), set(then.bound)
        otherwise = schedule(literal.otherwise, known, self._needs, shared)
        if otherwise.stuck or _binds_sometimes([then, otherwise], rest):
            return None
        ordered = ir.IfThenElse(condition.body, then.body, otherwise.body, literal.span)
        return ordered, set(then.bound & otherwise.bound)


def _binds_sometimes(branches: list[Schedule], rest: set[str] | frozenset[str]) -> bool:
    """Whether only some branches bind a variable that the rest of the rule uses."""
    bound = [branch.bound for branch in branches]
    return any(name not in known for name in frozenset().union(*bound) & rest for known in bound)


def _ready_comparison(literal: ir.Compare, known: set[str]) -> tuple[ir.Literal, set[str]] | None:
    left, right = names(literal.left), names(literal.right)
    if literal.operator == "=" and (left <= known or right <= known):
        return literal, left | right
    return (literal, set()) if left | right <= known else None


def _is_nested(literal: ir.Literal) -> bool:
    return isinstance(literal, ir.Not | ir.FindAll | ir.Or | ir.IfThenElse)


def _rank(literal: ir.Literal) -> int:
    match literal:
        case ir.Compare() | ir.Assign() | ir.Cut() | ir.Algebra():
            return _TEST
        case ir.Happens() | ir.Effect():
            return _EVENT
        case ir.Boundary() | ir.Intervals():
            return _BOUNDARY
        case ir.Call():
            return _FACTS
        case ir.Holds() | ir.Instance():
            return _FLUENT
        case ir.Guard():
            return _LAST
        case _:
            return _NESTED


def unbound_in(literal: ir.Literal, known: frozenset[str] | set[str]) -> list[str]:
    """The variables of a literal that are not bound, in reading order."""
    return list(dict.fromkeys(v.name for v in ir.literal_variables(literal) if v.name not in known))


def background_needs(rules: Mapping[Predicate, list[tuple[Term, ir.Body]]]) -> Needs:
    """The needs of calls of background predicates: a fixpoint that starts from no needs."""
    found: dict[Predicate, tuple[int, ...]] = dict.fromkeys(rules, ())
    open_facts = {
        name: tuple(head for head, body in clauses if not body and names(head)) for name, clauses in rules.items()
    }
    needs = Needs(found, {name: heads for name, heads in open_facts.items() if heads})
    pending = {name for name, clauses in rules.items() if any(body for _, body in clauses)}
    changed = True
    while changed:
        changed = False
        for name in pending:
            needed = set(found[name])
            for head, body in rules[name]:
                needed |= _needed_positions(head, body, frozenset(needed), needs) if body else set()
            if needed != set(found[name]):
                found[name] = tuple(sorted(needed))
                changed = True
    return needs


def _blocking(literal: ir.Literal, bound: frozenset[str], needs: Needs) -> set[str]:
    """The variables that keep a literal from running, except those that it computes itself."""
    match literal:
        case ir.Assign(expression=expression):
            return names(expression) - bound
        case ir.Call(atom=atom):
            name, args = functor(atom), arguments(atom)
            assert name is not None
            needed = LIBRARY[name].needs if name in LIBRARY else needs(name)
            return {found for position in needed for found in names(args[position])} - bound or needs.left_open(
                atom, bound
            )
        case ir.FindAll(body=body, result=result):
            return _blocking_inside((body,), bound, needs) or set(unbound_in(literal, bound)) - names(result)
        case ir.Or(branches=branches):
            return _blocking_inside(branches, bound, needs) or set(unbound_in(literal, bound))
        case ir.IfThenElse(condition=condition, then=then, otherwise=otherwise):
            bodies = ((*condition, *then), otherwise or ())
            return _blocking_inside(bodies, bound, needs) or set(unbound_in(literal, bound))
        case _:
            return set(unbound_in(literal, bound))


def _blocking_inside(bodies: Iterable[ir.Body], bound: frozenset[str], needs: Needs) -> set[str]:
    """The variables that keep the conditions of some bodies from running."""
    results = [schedule(body, bound, needs) for body in bodies]
    return {name for one in results for inner in one.stuck for name in _blocking(inner, one.bound, needs)}


def _needed_positions(head: Term, body: ir.Body, given: frozenset[int], needs: Needs) -> set[int]:
    args = arguments(head)
    bound = {name for position in given for name in names(args[position])}
    outside = frozenset(names(head))
    result = schedule(body, bound, needs, outside)
    if not result.stuck:
        return _first_places(args, set(outside) - result.bound)
    # One condition at a time, starting with computations: the others may only wait for their results.
    for literal in sorted(result.stuck, key=lambda literal: isinstance(literal, ir.Compare)):
        found = _first_places(args, _blocking(literal, result.bound, needs))
        if found:
            return found
    return set()


def _first_places(args: Sequence[Term], wanted: set[str]) -> set[int]:
    """The first argument that contains each of some variables."""
    return {next(place for place, arg in enumerate(args) if name in names(arg)) for name in wanted & _all_names(args)}


def _all_names(terms: Sequence[Term]) -> set[str]:
    return {name for term in terms for name in names(term)}
