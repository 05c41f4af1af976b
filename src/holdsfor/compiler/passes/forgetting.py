"""Lowers `forget(E, D)` to ordinary rules: the fluents of an entity end when no input has mentioned it for D.

A hidden fluent holds for an entity for D after each mention, and every mention postpones its end. When it ends, the
fluents of the entity are terminated. So windows, late rows, keys and states need no special case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, permutations

from holdsfor import ir
from holdsfor.compiler.analysis.names import defined_predicates
from holdsfor.compiler.analysis.tied_places import Name, Path, Place, TermKind, TiedPlaces, leaves, mentioned
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, ListTerm, Term, Var, arguments, functor, marked

_TRUE = Const("true")
_MOST_VALUES = 4
"""Up to this number of values, each value has its own terminating rule, which explanations name; beyond, one for
all.
"""
_TIME = Var(marked("T", "forget"))


def lower_forgetting(program: ir.Program) -> ir.Program:
    """The program with rules in place of its `forget`s, and the meanings of the `forget`s."""
    declared = program.forgets
    others = tuple(rule for rule in program.rules if rule not in declared)
    found = tuple(Meaning(replace(program, rules=others), declared).of(declared))
    rules = (rule for one in found for rule in _rules(one))
    return replace(program, rules=(*others, *rules), forgettings=found)


class Meaning:
    """Determines the subjects of the `forget`s of a program from its other rules."""

    def __init__(self, program: ir.Program, declared: Iterable[ir.Declaration]) -> None:
        self._tied = TiedPlaces(program)
        self._predicates = defined_predicates(program)
        self._numbers = count(1)
        self._hidden: Counter[str] = Counter()
        seen = [one for rule in program.rules for one in mentioned(rule)]
        self._shapes: dict[Name, dict[Term, None]] = {}
        """Each event and fluent with the term shapes in which rules use it."""
        for kind, term, _ in seen:
            if kind is not TermKind.PREDICATE and (name := functor(term)) is not None:
                self._shapes.setdefault((kind, *name), {}).setdefault(_opened(term))
        self._events = {functor(rule.event) for rule in program.events}
        begun = [fvp for rule in program.rules for fvp in _begun(rule)]
        self._written = [fvp.fluent for fvp in begun]
        self.simple = {functor(fvp.fluent) for fvp in (*begun, *(rule.fvp for rule in program.effects))}
        """The simple fluents, which events initiate or terminate."""
        self._begun: dict[Name, dict[Term, None]] = {}
        self._values: dict[Name, dict[Term, None]] = {}
        for fvp in begun:
            if (name := functor(fvp.fluent)) is not None:
                self._begun.setdefault((TermKind.FLUENT, *name), {}).setdefault(_opened(fvp.fluent))
                is_constant = isinstance(fvp.value, Const)
                self._values.setdefault((TermKind.FLUENT, *name), {}).setdefault(fvp.value if is_constant else Var("_"))
        self.static = {functor(rule.fvp.fluent) for rule in program.intervals}
        metric = {rule.head.signature for rule in program.metric.rules}
        metric |= {(fact.predicate, len(fact.args)) for fact in program.metric.facts}
        self._not_input = self.simple | self.static | metric
        for declaration in declared:
            self._tie(declaration)

    def _tie(self, declaration: ir.Declaration) -> None:
        """Ties the places that a `forget` names with one variable, whether or not another rule ties them."""
        places: dict[str, Place] = {}
        for pattern, _ in patterns_of(declaration):
            name = self.name_of(pattern)
            if name is not None:
                for path, variable in entity_of(pattern):
                    self._tied.tie(places.setdefault(variable.name, (name, path)), (name, path))

    def of(self, declared: Iterable[ir.Declaration]) -> Iterator[ir.Forgetting]:
        """The meanings of declarations; an unintelligible declaration has none."""
        for declaration in declared:
            if len(declaration.args) != 2:
                continue
            term = declaration.args[0]
            if isinstance(term, Var):
                for shape, place in self._firsts():
                    yield self._forgetting(declaration, shape, (place,), None)
                continue
            patterns = patterns_of(declaration)
            names = [self.name_of(pattern) for pattern, _ in patterns]
            entity = entity_of(patterns[0][0]) if patterns else []
            if not entity or names[0] is None or None in names:
                continue
            pairs = None
            if all(self.is_simple(pattern) for pattern, _ in patterns):
                pairs = tuple(ir.Fvp(pattern, value or self._anything()) for pattern, value in patterns)
            yield self._forgetting(declaration, patterns[0][0], tuple((names[0], path) for path, _ in entity), pairs)

    def is_simple(self, pattern: Term) -> bool:
        """Whether a pattern is about a simple fluent."""
        name = self.name_of(pattern)
        return name is not None and name[0] is TermKind.FLUENT and name[1:] in self.simple

    def name_of(self, pattern: Term) -> Name | None:
        """The subject of a pattern: a simple fluent, an event, another fluent, a predicate, or nothing."""
        name = functor(pattern)
        if name is None:
            return None
        for kind in (TermKind.EVENT, TermKind.FLUENT):
            if (kind, *name) in self._shapes and (kind is TermKind.FLUENT or name not in self.simple):
                return (kind, *name)
        return (TermKind.PREDICATE, *name) if name in self._predicates else None

    def begun(self) -> list[Term]:
        """The fluents that rules initiate, as written."""
        return self._written

    def names(self) -> list[tuple[str, int]]:
        """All events, fluents and predicates that have arguments."""
        found = [(name, arity) for _, name, arity in self._shapes] + sorted(self._predicates)
        return [one for one in dict.fromkeys(found) if one[1]]

    def inputs(self) -> Iterator[Name]:
        """The input events and fluents."""
        for name in self._shapes:
            rules = self._events if name[0] is TermKind.EVENT else self._not_input
            if name[1:] not in rules:
                yield name

    def _firsts(self) -> Iterator[tuple[Term, Place]]:
        """The first arguments of input, one per kind of entity."""
        seen = set()
        for name in self.inputs():
            for shape in self._shapes[name]:
                first = next(iter(leaves(shape)), None)
                if first is not None and first[0][0] == 0 and self._is_tied_to_fluent((name, first[0])):
                    kind = self._tied.kind((name, first[0]))
                    if kind not in seen:
                        seen.add(kind)
                        yield self._filled(shape, {first[0]: Var("X")}), (name, first[0])

    def _is_tied_to_fluent(self, place: Place) -> bool:
        return any(
            self._tied.are_tied((name, path), place)
            for name, shapes in self._begun.items()
            for shape in shapes
            for path, _ in leaves(shape)
        )

    def _forgetting(
        self, declaration: ir.Declaration, pattern: Term, places: tuple[Place, ...], pairs: tuple[ir.Fvp, ...] | None
    ) -> ir.Forgetting:
        by_path = dict(leaves(pattern))
        entity = tuple(by_path[path] for _, path in places)
        hidden = f"heard of {print_term(pattern)}"
        self._hidden[hidden] += 1
        again = self._hidden[hidden]
        trigger = ir.Fvp(Compound(hidden if again == 1 else f"{hidden} ({again})", entity), _TRUE)
        deadline = ir.DelayRule(trigger, None, declaration.args[1], declaration.body, declaration.span)
        ends = tuple(self._ends(entity, places)) if pairs is None else pairs
        return ir.Forgetting(entity, _TIME, tuple(self._mentions(entity, places)), ends, deadline, declaration)

    def _mentions(self, entity: tuple[Var, ...], places: tuple[Place, ...]) -> Iterator[ir.Happens | ir.Holds]:
        for name in self.inputs():
            for term in self._terms(name, self._shapes[name], entity, places):
                if name[0] is TermKind.EVENT:
                    yield ir.Happens(term, _TIME)
                else:
                    yield ir.Holds(ir.Fvp(term, self._anything()), _TIME)

    def _ends(self, entity: tuple[Var, ...], places: tuple[Place, ...]) -> Iterator[ir.Fvp]:
        for name, shapes in self._begun.items():
            values = self._values[name]
            is_open = any(isinstance(value, Var) for value in values) or len(values) > _MOST_VALUES
            for term in self._terms(name, shapes, entity, places):
                yield from (ir.Fvp(term, value) for value in ([self._anything()] if is_open else values))

    def _terms(
        self, name: Name, shapes: Iterable[Term], entity: tuple[Var, ...], places: tuple[Place, ...]
    ) -> Iterator[Term]:
        """A term for each position at which an event or fluent can have an entity among its arguments."""
        for shape in shapes:
            paths = [path for path, _ in leaves(shape)]
            for chosen in permutations(paths, len(entity)):
                if all(self._tied.are_tied((name, path), place) for path, place in zip(chosen, places, strict=True)):
                    yield self._filled(shape, dict(zip(chosen, entity, strict=True)))

    def _filled(self, shape: Term, entity: dict[Path, Var], above: Path = ()) -> Term:
        """A shape with entity variables at some places, and other variables elsewhere."""
        if not isinstance(shape, Compound):
            return shape
        args: list[Term] = []
        for number, argument in enumerate(shape.args):
            path = (*above, number)
            if isinstance(argument, Compound):
                args.append(self._filled(argument, entity, (*path, argument.name, len(argument.args))))
            else:
                args.append(entity.get(path) or self._anything())
        return Compound(shape.name, tuple(args))

    def _anything(self) -> Var:
        return Var(f"{ANONYMOUS_PREFIX}any{next(self._numbers)}")


def patterns_of(declaration: ir.Declaration) -> list[tuple[Term, Term | None]]:
    """The patterns that a `forget` names: terms, with their values if they have one."""
    term = declaration.args[0]
    return [_pattern(one) for one in (term.items if isinstance(term, ListTerm) else (term,))]


def _pattern(term: Term) -> tuple[Term, Term | None]:
    if isinstance(term, Compound) and term.name == "=" and len(term.args) == 2:
        return term.args[0], term.args[1]
    return term, None


def entity_of(pattern: Term) -> list[tuple[Path, Var]]:
    """The named variables of a pattern, each at its first place."""
    found: dict[str, tuple[Path, Var]] = {}
    for path, variable in leaves(pattern):
        if not variable.name.startswith("_"):
            found.setdefault(variable.name, (path, variable))
    return list(found.values())


def _begun(rule: ir.Rule) -> Iterator[ir.Fvp]:
    match rule:
        case ir.EffectRule(kind=ir.EffectKind.INITIATED, fvp=fvp) | ir.InitiallyRule(fvp=fvp):
            yield fvp
        case ir.DelayRule(trigger=trigger, effect=effect):
            yield trigger
            if effect is not None:
                yield effect


def _opened(term: Term) -> Term:
    """A term with its atomic parts replaced by variables, numbered from left to right."""
    numbers = count(1)

    def opened(inner: Term) -> Term:
        if isinstance(inner, Compound) and functor(inner) is not None:
            return Compound(inner.name, tuple(opened(argument) for argument in inner.args))
        return Var(f"{ANONYMOUS_PREFIX}{next(numbers)}")

    args = arguments(term)
    name = functor(term)
    assert name is not None
    return Compound(name[0], tuple(opened(argument) for argument in args)) if args else Const(name[0])


def _rules(one: ir.Forgetting) -> Iterator[ir.Rule]:
    mentioned, span = one.deadline.trigger, one.declaration.span
    if not one.mentions or not one.ends:
        return
    for mention in one.mentions:
        if isinstance(mention, ir.Holds):
            # Continuing input is not silence; its last time-point is the last mention.
            mention = ir.Boundary(ir.Edge.END, mention.fvp, one.time)  # noqa: PLW2901
        yield ir.EffectRule(ir.EffectKind.INITIATED, mentioned, one.time, (mention,), span)
    yield one.deadline
    yield ir.PostponeRule(mentioned, (), span)
    ended: ir.Body = (ir.Boundary(ir.Edge.END, mentioned, one.time, span),)
    not_mentioned = tuple(ir.Not((mention,), span) for mention in one.mentions if isinstance(mention, ir.Holds))
    for pair in one.ends:
        yield ir.EffectRule(ir.EffectKind.TERMINATED, pair, one.time, (*ended, *not_mentioned), span)
