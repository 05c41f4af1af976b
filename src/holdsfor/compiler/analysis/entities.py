"""Collects the events and fluents of a program: names, definitions, and values.

There are no declarations: an event or fluent without a defining rule is input. Fluents such as `per(close_ballot(C,M))`
and `per(vote(V,M))` count as two if every rule names the inner term, so that their dependencies stay separate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from holdsfor import ir
from holdsfor.compiler.analysis.mixing import TRUE, Signature, as_happens, as_holds, as_term, read_atoms
from holdsfor.diagnostics import Span
from holdsfor.ir.metric import Atom, MetricFact, MetricProgram, MetricRule
from holdsfor.logic.unify import may_equal
from holdsfor.syntax.printer import print_constant, print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, arguments, functor

FluentParts = Mapping["Symbol", Mapping[str, Sequence[Term]]]
"""For fluents whose values are evaluated separately: the parts of each, with the values of the rule heads in each."""


class EntityKind(StrEnum):
    """Instantaneous or durative."""

    EVENT = "event"
    FLUENT = "fluent"


class Role(StrEnum):
    """The source of the instances of an entity."""

    INPUT_EVENT = "input event"
    DERIVED_EVENT = "derived event"
    INPUT_FLUENT = "input fluent"
    SIMPLE_FLUENT = "simple fluent"
    STATIC_FLUENT = "statically determined fluent"
    METRIC_FLUENT = "metric predicate"


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """A kind of event or fluent: name, arity, and the functors of arguments that are always compound.

    If the values of a fluent are evaluated separately, `part` identifies some of them (see `analysis.fluent_parts`).
    """

    kind: EntityKind
    name: str
    arity: int
    inner: tuple[tuple[int, str, int], ...] = ()
    part: str = ""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Symbols key every table of the compiler. Computing the hash each time would take a third of its time.
        object.__setattr__(self, "_hash", hash((self.kind, self.name, self.arity, self.inner, self.part)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def width(self) -> int:
        """The number of columns, including those of inner terms."""
        return self.arity - len(self.inner) + sum(width for _, _, width in self.inner)

    @property
    def label(self) -> str:
        """Short name for people.

        >>> Symbol(EntityKind.FLUENT, "per", 1, ((0, "vote", 2),)).label
        'per(vote)'
        """
        name = print_constant(self.name)
        return f"{name}({','.join(print_constant(inner) for _, inner, _ in self.inner)})" if self.inner else name

    def __str__(self) -> str:
        return f"{self.signature}={self.part}" if self.part else self.signature

    @property
    def signature(self) -> str:
        """The identity of an event or fluent without the part of its values."""
        name = print_constant(self.name)
        if not self.inner:
            return f"{name}/{self.arity}"
        inner = {position: f"{print_constant(functor)}/{arity}" for position, functor, arity in self.inner}
        return f"{name}({','.join(inner.get(position, '_') for position in range(self.arity))})"

    def columns(self, term: Term) -> tuple[Term, ...]:
        """The arguments of a term of this symbol, with inner arguments flattened."""
        if not self.inner:
            return arguments(term)
        opened = {position for position, _, _ in self.inner}
        flat: list[Term] = []
        for position, arg in enumerate(arguments(term)):
            flat.extend(arguments(arg) if position in opened else (arg,))
        return tuple(flat)


@dataclass
class Entity:
    """All that a program states about one symbol."""

    symbol: Symbol
    rules: list[ir.Rule] = field(default_factory=list)
    uses: list[ir.Literal] = field(default_factory=list)
    values: list[Const | Compound | ListTerm] = field(default_factory=list)
    has_variable_value: bool = False
    groundings: list[ir.Declaration] = field(default_factory=list)
    declared_input: ir.Declaration | None = None
    first_seen: Span | None = None
    metric: list[MetricRule | MetricFact] = field(default_factory=list)

    @property
    def role(self) -> Role:
        """INPUT unless a rule defines the entity."""
        if self.symbol.kind is EntityKind.EVENT:
            return Role.DERIVED_EVENT if self.rules else Role.INPUT_EVENT
        for rule in self.rules:
            if isinstance(rule, ir.IntervalRule):
                return Role.STATIC_FLUENT
        if self.rules:
            return Role.SIMPLE_FLUENT
        return Role.METRIC_FLUENT if self.metric else Role.INPUT_FLUENT


class Entities:
    """The symbol table of a program."""

    def __init__(self, program: ir.Program, parts: FluentParts | None = None) -> None:
        self._parts = parts or {}
        self._split: dict[tuple[EntityKind, str, int], frozenset[int]] = {}
        self._plain: dict[tuple[EntityKind, str, int], Symbol] = {}
        self._find_splits(_occurrences(program))
        self.table: dict[Symbol, Entity] = {}
        for rule in program.rules:
            self._add_rule(rule)
        self._meant: dict[Signature, tuple[Symbol, ...]] = {}
        self._add_metric(program.metric)

    def event(self, term: Term) -> Symbol:
        """The symbol of an event term."""
        return self._symbol(EntityKind.EVENT, term)

    def fluent(self, fvp: ir.Fvp) -> Symbol:
        """The symbol of a fluent-value pair in a rule."""
        whole = self._symbol(EntityKind.FLUENT, fvp.fluent)
        if whole not in self._parts:
            return whole
        return replace(whole, part=self._part(whole, fvp.value) if fvp.part is None else fvp.part)

    def pair(self, fluent: Term, value: Term) -> Symbol:
        """The symbol of a ground fluent with its value."""
        return self.fluent(ir.Fvp(fluent, value))

    def admits(self, fvp: ir.Fvp, fluent: Term, value: Term) -> bool:
        """Whether a ground pair belongs to the part of its fluent that a pair in a rule refers to."""
        return not self._parts or self.pair(fluent, value) == self.fluent(replace(fvp, fluent=fluent))

    def by_events(self, fluent: Term) -> Symbol:
        """The symbol for the values that events initiate, if intervals define the other values."""
        return self._symbol(EntityKind.FLUENT, fluent)

    def _part(self, whole: Symbol, value: Term) -> str:
        """The part that a value belongs to; a variable in a head belongs to the values that events initiate."""
        if isinstance(value, Var):
            return ""
        parts = self._parts[whole]
        return next((part for part, values in parts.items() if any(may_equal(value, one) for one in values)), "")

    def metric_fluent(self, signature: Signature) -> Symbol:
        """The symbol of a predicate that metric rules or facts define, or of a boolean fluent that they read."""
        whole = Symbol(EntityKind.FLUENT, *signature)
        return replace(whole, part=self._part(whole, TRUE)) if whole in self._parts else whole

    def meant(self, signature: Signature) -> tuple[Symbol, ...]:
        """The symbol of a predicate that a metric rule reads: a fluent if there is one, otherwise an event."""
        return self._meant[signature]

    @property
    def of_either_kind(self) -> frozenset[Symbol]:
        """Input that only metric rules mention."""
        return frozenset(symbol for found in self._meant.values() if len(found) > 1 for symbol in found)

    def __getitem__(self, symbol: Symbol) -> Entity:
        return self.table[symbol]

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.table.values())

    def with_role(self, *roles: Role) -> list[Entity]:
        """The entities with one of the roles, in order of first appearance."""
        return [entity for entity in self if entity.role in roles]

    def _find_splits(self, terms: Iterable[tuple[EntityKind, Term]]) -> None:
        for kind, term in terms:
            name = functor(term)
            if name is None:
                continue
            compound = {
                position
                for position, arg in enumerate(arguments(term))
                if isinstance(arg, Compound) and arg.name not in _OPERATORS
            }
            key = (kind, *name)
            self._split[key] = self._split.get(key, frozenset(compound)) & compound

    def _symbol(self, kind: EntityKind, term: Term) -> Symbol:
        name = functor(term)
        assert name is not None
        plain = self._plain.get((kind, *name))
        if plain is not None:
            return plain
        inner = []
        for position in sorted(self._split.get((kind, *name), ())):
            # In rules this is always a compound term. Data and queries may have any term, such as a number.
            arg = arguments(term)[position]
            inner.append((position, *(functor(arg) or (print_term(arg), 0))))
        symbol = Symbol(kind, *name, tuple(inner))
        if not inner:
            self._plain[kind, *name] = symbol
        return symbol

    def _entity(self, symbol: Symbol, span: Span) -> Entity:
        if symbol not in self.table:
            self.table[symbol] = Entity(symbol, first_seen=span)
        return self.table[symbol]

    def _add_rule(self, rule: ir.Rule) -> None:
        match rule:
            case ir.EffectRule(kind=kind, fvp=fvp):
                entity = self._define(fvp, rule)
                if kind is ir.EffectKind.INITIATED:
                    _add_value(entity, fvp)
            case ir.InitiallyRule(fvp=fvp) | ir.IntervalRule(fvp=fvp):
                _add_value(self._define(fvp, rule), fvp)
            case ir.EventRule(event=event):
                self._entity(self.event(event), rule.span).rules.append(rule)
            case ir.DelayRule(trigger=trigger, effect=effect):
                self._define(trigger, rule)
                if effect is not None and effect.fluent != trigger.fluent:
                    self._define(effect, rule)
                if effect is not None:
                    _add_value(self[self.fluent(effect)], effect)
            case ir.PostponeRule(fvp=fvp):
                self._entity(self.fluent(fvp), rule.span)
            case ir.Declaration():
                self._add_declaration(rule)
                return
            case _:
                pass
        for literal in ir.walk(rule.body):
            self._add_use(literal)

    def _define(self, fvp: ir.Fvp, rule: ir.Rule) -> Entity:
        entity = self._entity(self.fluent(fvp), rule.span)
        if not entity.rules or entity.rules[-1] is not rule:
            entity.rules.append(rule)
        return entity

    def _add_use(self, literal: ir.Literal) -> None:
        match literal:
            case ir.Happens(event=event):
                self._entity(self.event(event), literal.span).uses.append(literal)
            case ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Effect(fvp=fvp) | ir.Intervals(fvp=fvp):
                self._entity(self.fluent(fvp), literal.span).uses.append(literal)
            case _:
                pass

    def _add_metric(self, metric: MetricProgram) -> None:
        for rule in metric.rules:
            self._define_metric(rule.head.signature, rule, rule.head.span)
        for fact in metric.facts:
            self._define_metric((fact.predicate, len(fact.args)), fact, fact.span)
        for rule in metric.rules:
            for atom in read_atoms(rule):
                if atom.signature not in self._meant:
                    self._meant[atom.signature] = self._candidates(atom)
                for symbol in self._meant[atom.signature]:
                    use = as_holds(atom) if symbol.kind is EntityKind.FLUENT else as_happens(atom)
                    self._entity(symbol, atom.span).uses.append(use)

    def _define_metric(self, signature: Signature, defining: MetricRule | MetricFact, span: Span) -> None:
        entity = self._entity(self.metric_fluent(signature), span)
        entity.metric.append(defining)
        if TRUE not in entity.values:
            entity.values.append(TRUE)

    def _candidates(self, atom: Atom) -> tuple[Symbol, ...]:
        both = (self.metric_fluent(atom.signature), Symbol(EntityKind.EVENT, *atom.signature))
        known = [symbol for symbol in both if symbol in self.table]
        return tuple(known[:1]) or both

    def _add_declaration(self, rule: ir.Declaration) -> None:
        # A grounding of one value also determines the instances of the others.
        found = (self._symbol(kind, term) for kind, term, _ in _declared(rule))
        for symbol in [replace(whole, part=part) for whole in found for part in self._parts.get(whole, ("",))]:
            if rule.kind is ir.DeclarationKind.GROUNDING:
                self._entity(symbol, rule.span).groundings.append(rule)
            else:
                self._entity(symbol, rule.span).declared_input = rule


_OPERATORS = frozenset({"=", "-", "+", "*", "/", ","})
_INPUT_DECLARATIONS = frozenset(
    {ir.DeclarationKind.COLLECT_INTERVALS, ir.DeclarationKind.BUILD_FROM_POINTS, ir.DeclarationKind.POINTS}
)


def _add_value(entity: Entity, fvp: ir.Fvp) -> None:
    if isinstance(fvp.value, Var):
        entity.has_variable_value = True
    elif fvp.value not in entity.values:
        entity.values.append(fvp.value)


def _declared(rule: ir.Declaration) -> Iterator[tuple[EntityKind, Term, Term | None]]:
    """The subject of a declaration: `F=V` is a fluent, anything else an event."""
    is_grounding = rule.kind is ir.DeclarationKind.GROUNDING
    if not rule.args or not (is_grounding or rule.kind in _INPUT_DECLARATIONS):
        return
    term = rule.args[0]
    if isinstance(term, Compound) and term.name == "=" and functor(term.args[0]) is not None:
        yield EntityKind.FLUENT, term.args[0], term.args[1]
    elif is_grounding and functor(term) is not None:
        yield EntityKind.EVENT, term, None


def _occurrences(program: ir.Program) -> Iterator[tuple[EntityKind, Term]]:
    for rule in program.rules:
        yield from _in_head(rule)
        if isinstance(rule, ir.Declaration):
            continue
        for literal in ir.walk(rule.body):
            match literal:
                case ir.Happens(event=event):
                    yield EntityKind.EVENT, event
                case ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Effect(fvp=fvp) | ir.Intervals(fvp=fvp):
                    yield EntityKind.FLUENT, fvp.fluent
                case _:
                    pass
    for metric in program.metric.rules:
        # The arguments of metric predicates are flat, so nested terms cannot tell terms of the same name apart.
        for atom in (metric.head, *read_atoms(metric)):
            yield EntityKind.FLUENT, as_term(atom)
            yield EntityKind.EVENT, as_term(atom)


def _in_head(rule: ir.Rule) -> Iterator[tuple[EntityKind, Term]]:
    match rule:
        case ir.EffectRule(fvp=fvp) | ir.InitiallyRule(fvp=fvp) | ir.IntervalRule(fvp=fvp) | ir.PostponeRule(fvp=fvp):
            yield EntityKind.FLUENT, fvp.fluent
        case ir.DelayRule(trigger=trigger, effect=effect):
            yield EntityKind.FLUENT, trigger.fluent
            if effect is not None:
                yield EntityKind.FLUENT, effect.fluent
        case ir.EventRule(event=event):
            yield EntityKind.EVENT, event
        case ir.Declaration():
            yield from ((kind, term) for kind, term, _ in _declared(rule))
        case _:
            return


def show_fvp(fvp: ir.Fvp) -> str:
    """A fluent-value pair as text."""
    return f"{print_term(fvp.fluent)}={print_term(fvp.value)}"
