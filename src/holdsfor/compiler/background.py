"""Prepares background knowledge: which arguments each predicate needs bound, and facts of recursive predicates.

A recursive predicate with ground answers is evaluated bottom-up to a table of facts once, so that cycles in the data
and left recursion terminate. Everything else stays a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy

from holdsfor import ir
from holdsfor.compiler.analysis.binding import Needs, background_needs, names, schedule
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.failures import Failures
from holdsfor.logic.solver import Predicate, Solver, describe
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, conjuncts, functor

MAX_FACTS = 20_000
"""The number of facts after which recursion with new numbers or terms counts as infinite."""


class Background:
    """The background facts and rules of a program, ready to be called.

    `domains` are the relations that input fills (`dynamicDomain`). They contain the facts written in the program, and
    `filled` adds more. `dependent` are all predicates whose answers depend on domains.
    """

    def __init__(self, program: ir.Program) -> None:
        self.rules: dict[Predicate, list[ir.BackgroundRule]] = {}
        for rule in program.background:
            name = functor(rule.head)
            assert name is not None
            self.rules.setdefault(name, []).append(rule)
        self.domains = frozenset(_domains(program))
        for name in self.domains:
            self.rules.setdefault(name, [])
        self.needs: Needs = background_needs(
            {name: [(rule.head, rule.body) for rule in rules] for name, rules in self.rules.items()}
        )
        """The arguments of each predicate that must be bound before a call."""
        self.evaluated: dict[Predicate, int] = {}
        self.problems: list[tuple[ir.BackgroundRule, str]] = []
        self._order_bodies()
        calls = {name: _called(rules) & self.rules.keys() for name, rules in self.rules.items()}
        self.dependent = frozenset(_reaching(self.domains, calls))
        self._waiting: list[tuple[Predicate, ...]] = []
        # Callees first: the callees of a predicate are complete when the predicate is evaluated.
        for component in reversed(strong_components(calls)):
            if len(component) == 1 and component[0] not in calls[component[0]]:
                continue
            if self.dependent.isdisjoint(component):
                self.evaluate_component(component)
            else:
                # Its facts come with the input (see `filled`), but whether it may negate itself is already known.
                self._waiting.append(component)
                negated = self._negates_itself(component, [rule for name in component for rule in self.rules[name]])
                if negated is not None:
                    self.problems.append((negated, "recursion"))

    def defines(self, name: Predicate) -> bool:
        """Whether a predicate has facts or rules."""
        return name in self.rules

    def depends_on_input(self, atom: Term) -> bool:
        """Whether the answers of a call depend on domains that input fills."""
        return any(functor(goal) in self.dependent for goal in conjuncts(atom))

    def solver(self, failures: Failures | None = None) -> Solver:
        """A solver over this knowledge. `failures` records conditions that failed because of a missing value."""
        found = Solver(self.rules)
        found.failures = failures
        return found

    def filled(self, facts: Iterable[Term]) -> Background:
        """The same knowledge with additional facts from input."""
        found = copy(self)
        found.rules, found.evaluated, found.problems = dict(self.rules), dict(self.evaluated), []
        for fact in facts:
            name = _name(fact)
            if found.rules[name] is self.rules[name]:
                found.rules[name] = list(self.rules[name])
            found.rules[name].append(ir.BackgroundRule(fact))
        for component in self._waiting:
            found.evaluate_component(component)
        for rule, problem in found.problems:
            if problem == "infinite":
                raise EvaluationError(f"{describe(rule.head)} has no end of answers ({rule.span.location})")
        return found

    def _order_bodies(self) -> None:
        for name, rules in self.rules.items():
            self.rules[name] = [self._ordered(rule, self.needs(name)) if rule.body else rule for rule in rules]

    def _ordered(self, rule: ir.BackgroundRule, needed: tuple[int, ...]) -> ir.BackgroundRule:
        args = arguments(rule.head)
        given = {found for position in needed for found in names(args[position])}
        result = schedule(rule.body, given, self.needs, frozenset(names(rule.head)))
        return ir.BackgroundRule(rule.head, result.body + result.stuck, rule.span)

    def evaluate_component(self, component: tuple[Predicate, ...]) -> None:
        """Computes all answers of mutually recursive predicates if they are finite."""
        rules = [rule for name in component for rule in self.rules[name]]
        if any(_builds_terms(rule.head) for rule in rules):
            # Recursion over lists and similar terms terminates if its arguments are bound, but not when enumerated.
            return
        negated = self._negates_itself(component, rules)
        if negated is not None:
            self.problems.append((negated, "recursion"))
            return
        growing = next((rule for rule in rules if _makes_new_terms(rule)), None)
        known = {name: found for name, found in self.rules.items() if name not in component}
        tables = _Tables(known, component, rules)
        try:
            while tables.grow():
                if growing is not None and len(tables.facts) > MAX_FACTS:
                    self.problems.append((growing, "infinite"))
                    return
        except _NotEnumerable:
            return
        for name in component:
            found = [fact for head, fact in tables.facts.items() if functor(head) == name]
            self.rules[name] = found
            self.evaluated[name] = len(found)

    @staticmethod
    def _negates_itself(component: tuple[Predicate, ...], rules: list[ir.BackgroundRule]) -> ir.BackgroundRule | None:
        for rule in rules:
            for literal in ir.walk(rule.body):
                if any(
                    isinstance(inner, ir.Call) and functor(inner.atom) in component
                    for body in _not_monotone(literal)
                    for inner in ir.walk(body)
                ):
                    return rule
        return None


class _Tables(Solver):
    """The facts of mutually recursive predicates, in rounds; each derivation uses a fact of the round before."""

    def __init__(
        self,
        known: dict[Predicate, list[ir.BackgroundRule]],
        component: tuple[Predicate, ...],
        rules: list[ir.BackgroundRule],
    ) -> None:
        super().__init__(known)
        self._component = component
        self._clauses = rules
        self._variants = [(rule, body) for rule in rules for body in _with_fresh_facts(rule.body, component)]
        self._found: dict[Predicate, list[ir.BackgroundRule]] = {name: [] for name in component}
        self._fresh_facts: dict[Predicate, list[ir.BackgroundRule]] | None = None
        self.facts: dict[Term, ir.BackgroundRule] = {}

    def grow(self) -> bool:
        """Evaluates one round and returns whether it found new facts."""
        is_first = self._fresh_facts is None
        for name in self._component:
            self._replace(name, self._found[name])
            fresh_facts = (self._fresh_facts or {}).get(name, [])
            self._replace(_fresh_name(name), [ir.BackgroundRule(_as_fresh(fact.head)) for fact in fresh_facts])
        clauses = [(rule, rule.body) for rule in self._clauses] if is_first else self._variants
        fresh: dict[Predicate, list[ir.BackgroundRule]] = {name: [] for name in self._component}
        for rule, body in clauses:
            for head in self._heads(rule, body):
                if head not in self.facts:
                    self.facts[head] = fact = ir.BackgroundRule(head, (), rule.span)
                    fresh[_name(head)].append(fact)
        for name, found in fresh.items():
            self._found[name].extend(found)
        self._fresh_facts = fresh
        return any(fresh.values())

    def _replace(self, name: Predicate, rules: list[ir.BackgroundRule]) -> None:
        # Not a copy, which would take quadratic time: the list grows only between rounds.
        self.rules[name] = rules
        self._index = {key: found for key, found in self._index.items() if key[0] != name}

    def _heads(self, rule: ir.BackgroundRule, body: ir.Body) -> list[Term]:
        try:
            heads = [resolve(rule.head, answer) for answer in self.solve(body, {})]
        except EvaluationError as problem:
            raise _NotEnumerable from problem
        if not all(is_ground(head) for head in heads):
            raise _NotEnumerable
        return heads


def _with_fresh_facts(body: ir.Body, component: tuple[Predicate, ...]) -> Iterable[ir.Body]:
    """The body once per recursive call, with that call restricted to the facts of the round before."""
    direct = [(index, literal) for index, literal in enumerate(body) if _is_call_to(literal, component)]
    if sum(_is_call_to(literal, component) for literal in ir.walk(body)) > len(direct):
        yield body
        return
    for index, literal in direct:
        assert isinstance(literal, ir.Call)
        yield (ir.Call(_as_fresh(literal.atom), literal.span), *body[:index], *body[index + 1 :])


def _is_call_to(literal: ir.Literal, component: tuple[Predicate, ...]) -> bool:
    return isinstance(literal, ir.Call) and functor(literal.atom) in component


def _as_fresh(atom: Term) -> Term:
    name, args = _fresh_name(_name(atom)), arguments(atom)
    return Compound(name[0], args) if args else Const(name[0])


def _name(atom: Term) -> Predicate:
    name = functor(atom)
    assert name is not None
    return name


def _fresh_name(name: Predicate) -> Predicate:
    return f"{name[0]}\0", name[1]


class _NotEnumerable(Exception):
    """Recursion over terms, such as lists; its arguments must be bound."""


def _makes_new_terms(rule: ir.BackgroundRule) -> bool:
    """Whether a rule can create values that no fact contains. Other recursion always terminates."""
    computes = any(isinstance(literal, ir.Assign) for literal in ir.walk(rule.body))
    return computes or any(not isinstance(arg, Var | Const) for arg in arguments(rule.head) if rule.body)


def _called(rules: Iterable[ir.BackgroundRule]) -> set[Predicate]:
    calls = (literal for rule in rules for literal in ir.walk(rule.body) if isinstance(literal, ir.Call))
    return {name for call in calls for atom in conjuncts(call.atom) if (name := functor(atom)) is not None}


def _domains(program: ir.Program) -> Iterable[Predicate]:
    """Relations that input fills."""
    for declaration in program.declarations:
        if declaration.kind is ir.DeclarationKind.DYNAMIC_DOMAIN:
            for arg in declaration.args:
                name = functor(arg)
                if name is not None:
                    yield name


def _reaching(targets: Iterable[Predicate], calls: Mapping[Predicate, set[Predicate]]) -> set[Predicate]:
    """The predicates that call a target directly or indirectly, and the targets."""
    found = set(targets)
    size = -1
    while len(found) > size:
        size = len(found)
        found |= {name for name, called in calls.items() if called & found}
    return found


def _not_monotone(literal: ir.Literal) -> tuple[ir.Body, ...]:
    """The parts of a literal that may become false when more facts are known."""
    match literal:
        case ir.Not(body=body) | ir.FindAll(body=body):
            return (body,)
        case ir.IfThenElse(condition=condition):
            return (condition,)
        case _:
            return ()


def _builds_terms(head: Term) -> bool:
    """Whether a head has arguments that are built from variables."""
    return any(not isinstance(arg, Var) and not is_ground(arg) for arg in arguments(head))
