"""Background knowledge at compile time: what each predicate needs bound, and recursive ones worked out.

A recursive predicate whose answers are ground is evaluated bottom-up to a table of facts once, so that cycles in
the data and left recursion do no harm. Everything else stays a rule.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.compiler.analysis.binding import Needs, background_needs, names, schedule
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.ir import BackgroundRule, Call, DeclarationKind, Not, Program, walk
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.solver import Predicate, Solver
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.syntax.terms import Compound, Term, Var, arguments, functor

MAX_FACTS = 1_000_000


class Background:
    """The background facts and rules of a program, ready to be called."""

    def __init__(self, program: Program) -> None:
        self.rules: dict[Predicate, list[BackgroundRule]] = {}
        for rule in program.background:
            name = functor(rule.head)
            assert name is not None
            self.rules.setdefault(name, []).append(rule)
        self.open_domains = frozenset(_open_domains(program))
        for name in self.open_domains:
            self.rules.setdefault(name, []).append(_anything(name))
        self._needs = background_needs(
            {name: [(rule.head, rule.body) for rule in rules] for name, rules in self.rules.items()}
        )
        self.evaluated: dict[Predicate, int] = {}
        self.problems: list[tuple[BackgroundRule, str]] = []
        self._order_bodies()
        for component in self._recursive_components():
            self._evaluate(component)

    @property
    def needs(self) -> Needs:
        """Which arguments of a predicate must be bound before it is called."""
        return lambda name: self._needs.get(name, ())

    def defines(self, name: Predicate) -> bool:
        """Whether a predicate has facts or rules."""
        return name in self.rules

    def solver(self) -> Solver:
        """A solver over this knowledge."""
        return Solver(self.rules)

    def _order_bodies(self) -> None:
        for name, rules in self.rules.items():
            self.rules[name] = [self._ordered(rule, self._needs[name]) if rule.body else rule for rule in rules]

    def _ordered(self, rule: BackgroundRule, needed: tuple[int, ...]) -> BackgroundRule:
        args = arguments(rule.head)
        given = {found for position in needed for found in names(args[position])}
        result = schedule(rule.body, given, self.needs, frozenset(names(rule.head)))
        return BackgroundRule(rule.head, result.body + result.stuck, rule.span)

    def _recursive_components(self) -> Iterable[tuple[Predicate, ...]]:
        calls = {name: _called(rules) & self.rules.keys() for name, rules in self.rules.items()}
        for component in strong_components(calls):
            if len(component) > 1 or component[0] in calls[component[0]]:
                yield component

    def _evaluate(self, component: tuple[Predicate, ...]) -> None:
        rules = [rule for name in component for rule in self.rules[name]]
        negated = self._negates_itself(component, rules)
        if negated is not None:
            self.problems.append((negated, "recursion"))
            return
        facts: dict[Term, BackgroundRule] = {}
        try:
            while self._round(component, rules, facts):
                if len(facts) > MAX_FACTS:
                    self.problems.append((rules[0], "infinite"))
                    return
        except _NotEnumerable:
            return
        for name in component:
            found = [fact for head, fact in facts.items() if functor(head) == name]
            self.rules[name] = found
            self.evaluated[name] = len(found)

    def _round(
        self, component: tuple[Predicate, ...], rules: list[BackgroundRule], facts: dict[Term, BackgroundRule]
    ) -> bool:
        """One naive round over the facts found so far; says whether it found more."""
        known = {name: rules for name, rules in self.rules.items() if name not in component}
        for name in component:
            known[name] = [fact for head, fact in facts.items() if functor(head) == name]
        solver = Solver(known)
        before = len(facts)
        for rule in rules:
            try:
                heads = [resolve(rule.head, answer) for answer in solver.solve(rule.body, {})]
            except EvaluationError as problem:
                raise _NotEnumerable from problem
            for head in heads:
                if not is_ground(head):
                    raise _NotEnumerable
                facts.setdefault(head, BackgroundRule(head, (), rule.span))
        return len(facts) > before

    @staticmethod
    def _negates_itself(component: tuple[Predicate, ...], rules: list[BackgroundRule]) -> BackgroundRule | None:
        for rule in rules:
            for literal in walk(rule.body):
                if isinstance(literal, Not) and any(
                    isinstance(inner, Call) and functor(inner.atom) in component for inner in walk(literal.body)
                ):
                    return rule
        return None


class _NotEnumerable(Exception):
    """Recursion over terms, such as lists: it must be called with its arguments bound."""


def _called(rules: Iterable[BackgroundRule]) -> set[Predicate]:
    atoms = (literal.atom for rule in rules for literal in walk(rule.body) if isinstance(literal, Call))
    return {name for atom in atoms if (name := functor(atom)) is not None}


def _open_domains(program: Program) -> Iterable[Predicate]:
    """Domains that the stream brings along (`dynamicDomain`): any value may belong to them."""
    for declaration in program.declarations:
        if declaration.kind is DeclarationKind.DYNAMIC_DOMAIN:
            for arg in declaration.args:
                name = functor(arg)
                if name is not None:
                    yield name


def _anything(name: Predicate) -> BackgroundRule:
    return BackgroundRule(Compound(name[0], tuple(Var(f"_Any{index}") for index in range(name[1]))))
