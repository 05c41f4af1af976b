"""A simple solver: goals from left to right, all answers, no optimisation.

A goal with an expression that has no value fails; in a run, `failures` records it. Outside of a run, an expression with
an unbound variable is an error: the goal may have a value when it is called with that variable bound. Bodies must be in
an executable order (see `compiler.analysis.binding`). Subclasses solve temporal literals.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdsfor import ir
from holdsfor.ir.sliding import Sliding
from holdsfor.logic.arithmetic import (
    ARITHMETIC_COMPARISONS,
    EvaluationError,
    NoValue,
    Unbound,
    compare_numbers,
    evaluate,
    number_term,
)
from holdsfor.logic.failures import Failures
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.order import ORDER_COMPARISONS
from holdsfor.logic.sliding import aggregate
from holdsfor.logic.unify import Bindings, is_ground, resolve, unify
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, arguments, functor

Predicate = tuple[str, int]
_MAX_SIZE = 10_000
_MAX_DEPTH = 100
_TOO_DEEP = "background rules call each other too deeply; is there a base case?"
_Index = tuple[dict[Term, list[ir.BackgroundRule]], list[ir.BackgroundRule]]
"""Rules by the constant at one argument, and rules with another term there."""


class Solver:
    """Answers goals over background facts and rules."""

    def __init__(self, rules: Mapping[Predicate, Iterable[ir.BackgroundRule]]) -> None:
        self.rules: dict[Predicate, Sequence[ir.BackgroundRule]] = {name: tuple(found) for name, found in rules.items()}
        self._index: dict[tuple[Predicate, int], _Index] = {}
        self._depth = 0
        self._calls = itertools.count(1)
        self.failures: Failures | None = None

    def solve(self, body: ir.Body, bindings: Bindings) -> Iterator[Bindings]:
        """All bindings that make a body true."""
        if not body:
            yield bindings
            return
        # One open choice per literal instead of nested calls, so that long bodies do not exhaust the stack.
        try:
            choices = [self.literal(body[0], bindings)]
            while choices:
                found = next(choices[-1], None)
                if found is None:
                    choices.pop()
                elif len(choices) == len(body):
                    yield found
                else:
                    choices.append(self.literal(body[len(choices)], found))
        except RecursionError:
            raise EvaluationError(_TOO_DEEP) from None

    def provable(self, body: ir.Body, bindings: Bindings) -> bool:
        """Whether a body has at least one answer."""
        return next(self.solve(body, bindings), None) is not None

    def literal(self, literal: ir.Literal, bindings: Bindings) -> Iterator[Bindings]:
        """All bindings that make one literal true."""
        match literal:
            case ir.Call() | ir.Compare() | ir.Assign():
                return self._valued(literal, bindings)
            case ir.Not(body=body):
                return iter(()) if self.provable(body, bindings) else iter((bindings,))
            case ir.Or(branches=branches):
                return itertools.chain.from_iterable(self.solve(branch, bindings) for branch in branches)
            case ir.IfThenElse():
                return self._if_then_else(literal, bindings)
            case ir.FindAll(template=template, body=body, result=result):
                found = tuple(resolve(template, answer) for answer in self.solve(body, bindings))
                if literal.sliding is not None:
                    return self._sliding(literal, literal.sliding, found, bindings)
                return _either(unify(result, ListTerm(found), bindings))
            case ir.Cut():
                return iter((bindings,))
            case _:
                return self.temporal(literal, bindings)

    def _valued(self, literal: ir.Call | ir.Compare | ir.Assign, bindings: Bindings) -> Iterator[Bindings]:
        """Solves a goal with expressions; it has no answer if one of them has no value."""
        try:
            match literal:
                case ir.Call(atom=atom):
                    yield from self.call(atom, bindings)
                case ir.Compare():
                    yield from self._compare(literal, bindings)
                case ir.Assign(target=target, expression=expression):
                    yield from _either(unify(target, number_term(evaluate(expression, bindings)), bindings))
        except NoValue as problem:
            self.failed(literal, problem, bindings)

    def _sliding(
        self, literal: ir.FindAll, sliding: Sliding, found: tuple[Term, ...], bindings: Bindings
    ) -> Iterator[Bindings]:
        """The value of a sliding aggregate over the items of its window; there may be none."""
        try:
            value = aggregate(sliding.kind, found)
        except NoValue as problem:
            self.failed(literal, problem, bindings)
            return
        if value is not None:
            yield from _either(unify(literal.result, number_term(value), bindings))

    def failed(self, literal: ir.Literal, problem: NoValue, bindings: Bindings) -> None:
        """Records that a goal failed because an expression has no value."""
        if self.failures is not None:
            self.failures.add(literal, str(problem), bindings)
        elif isinstance(problem, Unbound):
            raise problem

    def temporal(self, literal: ir.Literal, bindings: Bindings) -> Iterator[Bindings]:
        """Solves a temporal literal; background knowledge has none."""
        del bindings
        raise EvaluationError(f"{type(literal).__name__} cannot be used in background knowledge")

    def call(self, atom: Term, bindings: Bindings) -> Iterator[Bindings]:
        """All answers of a library or background predicate."""
        if isinstance(atom, Compound) and atom.name == ",":
            yield from self.solve(tuple(ir.Call(goal) for goal in atom.args), bindings)
            return
        name = functor(atom)
        assert name is not None
        if name in LIBRARY and name not in self.rules:
            yield from LIBRARY[name].solve(arguments(atom), bindings)
            return
        pattern = resolve(atom, bindings)
        if _is_larger(pattern, _MAX_SIZE):
            raise EvaluationError(f"the arguments of {describe(atom)} grow without end")
        for answer in self.answers(name, pattern):
            yield from _either(unify(pattern, answer, bindings))

    def answers(self, name: Predicate, pattern: Term) -> Iterator[Term]:
        """The distinct instances of a background predicate that match a pattern."""
        # Variables of the pattern and of the rule must not be confused.
        apart = _rename(pattern, "^")
        seen: set[Term] = set()
        for rule in self._candidates(name, apart):
            bindings = unify(apart, rule.head, {})
            if bindings is None:
                continue
            proofs, is_committed = self._proofs(rule.body, bindings)
            for found in proofs:
                answer = resolve(rule.head, found)
                if answer not in seen:
                    seen.add(answer)
                    yield self._fresh(answer)
            if is_committed:
                return

    def _fresh(self, answer: Term) -> Term:
        """An answer with its open variables renamed apart."""
        return answer if is_ground(answer) else _rename(answer, f"~{next(self._calls)}~")

    def _proofs(self, body: ir.Body, bindings: Bindings) -> tuple[Iterator[Bindings], bool]:
        """All proofs of a clause body, and whether a cut in it was reached."""
        if not body:
            return iter((bindings,)), False
        cut = next((index for index, literal in enumerate(body) if isinstance(literal, ir.Cut)), None)
        if cut is None:
            return self._clause(body, bindings), False
        first = next(self._clause(body[:cut], bindings), None)
        if first is None:
            return iter(()), False
        return self._proofs(body[cut + 1 :], first)[0], True

    def _clause(self, body: ir.Body, bindings: Bindings) -> Iterator[Bindings]:
        self._depth += 1
        try:
            if self._depth > _MAX_DEPTH:
                raise EvaluationError(_TOO_DEEP)
            yield from self.solve(body, bindings)
        finally:
            self._depth -= 1

    def _candidates(self, name: Predicate, pattern: Term) -> Iterable[ir.BackgroundRule]:
        rules = self.rules.get(name, ())
        if len(rules) < 8:
            return rules
        for position, arg in enumerate(arguments(pattern)):
            if isinstance(arg, Const):
                named, others = self._indexed(name, position, rules)
                return named.get(arg, others)
        return rules

    def _indexed(self, name: Predicate, position: int, rules: Sequence[ir.BackgroundRule]) -> _Index:
        key = (name, position)
        if key not in self._index:
            column = [arguments(rule.head)[position] for rule in rules]
            constants = {arg for arg in column if isinstance(arg, Const)}
            named: dict[Term, list[ir.BackgroundRule]] = {constant: [] for constant in constants}
            others: list[ir.BackgroundRule] = []
            for rule, arg in zip(rules, column, strict=True):
                if isinstance(arg, Const):
                    named[arg].append(rule)
                    continue
                others.append(rule)
                for listed in named.values():
                    listed.append(rule)
            self._index[key] = (named, others)
        return self._index[key]

    def _compare(self, literal: ir.Compare, bindings: Bindings) -> Iterator[Bindings]:
        operator = literal.operator
        if operator == "=":
            return _either(unify(literal.left, literal.right, bindings))
        if operator == "\\=":
            return iter((bindings,)) if unify(literal.left, literal.right, bindings) is None else iter(())
        if operator in ARITHMETIC_COMPARISONS:
            holds = compare_numbers(operator, evaluate(literal.left, bindings), evaluate(literal.right, bindings))
        else:
            holds = ORDER_COMPARISONS[operator](resolve(literal.left, bindings), resolve(literal.right, bindings))
        return iter((bindings,)) if holds else iter(())

    def _if_then_else(self, literal: ir.IfThenElse, bindings: Bindings) -> Iterator[Bindings]:
        first = next(self.solve(literal.condition, bindings), None)
        if first is not None:
            return self.solve(literal.then, first)
        return self.solve(literal.otherwise, bindings) if literal.otherwise is not None else iter(())


def _is_larger(term: Term, size: int) -> bool:
    """Whether a term has more than `size` parts; examines at most that many."""
    waiting = [term]
    while waiting and size >= 0:
        size -= 1
        part = waiting.pop()
        if isinstance(part, Compound):
            waiting.extend(part.args)
        elif isinstance(part, ListTerm):
            waiting.extend(part.items)
    return size < 0


def _rename(term: Term, prefix: str) -> Term:
    match term:
        case Var(name=name):
            return Var(prefix + name)
        case Compound(name=name, args=args):
            return Compound(name, tuple(_rename(arg, prefix) for arg in args))
        case ListTerm(items=items, tail=tail):
            return ListTerm(
                tuple(_rename(item, prefix) for item in items), None if tail is None else _rename(tail, prefix)
            )
        case _:
            return term


def _either(result: Bindings | None) -> Iterator[Bindings]:
    if result is not None:
        yield result


def describe(atom: Term) -> str:
    """A predicate with its arity.

    >>> describe(Compound("edge", (Const(1), Const(2))))
    'edge/2'
    """
    name = functor(atom)
    return f"{name[0]}/{name[1]}" if name else print_term(atom)
