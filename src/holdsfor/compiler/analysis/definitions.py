"""Finds the clauses that define every event, fluent and background predicate, and what each of them reads.

Rules are compared after normalisation: durations and calendar conditions are numbers, and variables are numbered by
their order. So layout, variable names and the position of a rule make no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple

from holdsfor import ir
from holdsfor.ir.literals import Instance
from holdsfor.ir.metric import Atom, MetricFact, MetricProgram, MetricRule
from holdsfor.ir.renaming import renamed
from holdsfor.syntax.terms import Compound, ListTerm, Term, Var, functor

EVENT, FLUENT, PREDICATE = "event", "fluent", "predicate"


class Node(NamedTuple):
    """An event, a fluent (or metric predicate) or a background predicate."""

    kind: str
    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


EVERYTHING = Node("program", "", 0)
"""The inputs of all nodes: the time unit, directives, and input that a rule reads under any name."""
GROUNDINGS = Node(PREDICATE, "grounding", 1)
"""Groundings as conditions read them."""


@dataclass
class Definitions:
    """The normalised clauses that define each node, and their reads."""

    clauses: dict[Node, Counter[Any]] = field(default_factory=dict)
    reads: dict[Node, set[Node]] = field(default_factory=dict)

    def add(self, node: Node, clause: Any, reads: Iterable[Node]) -> None:
        """Adds a clause to the definition of a node."""
        self.clauses.setdefault(node, Counter())[clause] += 1
        self.reads.setdefault(node, set()).update(reads)

    @property
    def outputs(self) -> set[Node]:
        """The events and fluents that rules define."""
        return {node for node in self.clauses if node.kind in (EVENT, FLUENT)}


def definitions(program: ir.Program) -> Definitions:
    """The definitions of a program of events and fluents, including its metric rules."""
    found = Definitions()
    has_domains = any(one.kind is ir.DeclarationKind.DYNAMIC_DOMAIN for one in program.declarations)
    for rule in program.rules:
        clause, reads = normalised(rule), set(read_nodes(rule.body))
        if isinstance(rule, ir.DelayRule):
            reads.update(defined_nodes(rule))
        for node in defined_nodes(rule):
            found.add(node, clause, reads)
        if isinstance(rule, ir.Declaration) and rule.kind is ir.DeclarationKind.GROUNDING:
            found.add(GROUNDINGS, clause, reads)
            # Input fills the domains in the body of its grounding.
            for node in reads if has_domains else ():
                found.add(node, clause, defined_nodes(rule))
    _add_metric(found, program.metric)
    has_groundings = any(map(declares_fluent, program.rules))
    found.add(EVERYTHING, (program.clock_tick, program.time_scale, has_groundings), ())
    return found


def metric_definitions(program: MetricProgram) -> Definitions:
    """The definitions of a metric program."""
    found = Definitions()
    _add_metric(found, program)
    found.add(EVERYTHING, program.time_scale, ())
    return found


def _add_metric(found: Definitions, program: MetricProgram) -> None:
    for rule in program.rules:
        found.add(Node(FLUENT, *rule.head.signature), normalised(rule), read_nodes((rule.body,)))
    for fact in program.facts:
        found.add(Node(FLUENT, fact.predicate, len(fact.args)), fact, ())


def defined_nodes(rule: ir.Rule) -> tuple[Node, ...]:
    """The nodes that a clause defines."""
    match rule:
        case ir.EventRule(event=event):
            return _node(EVENT, event)
        case ir.DelayRule(trigger=trigger, effect=effect):
            return (*_node(FLUENT, trigger.fluent), *(_node(FLUENT, effect.fluent) if effect else ()))
        case ir.BackgroundRule(head=head):
            return _node(PREDICATE, head)
        case ir.Declaration(kind=ir.DeclarationKind.GROUNDING, args=(pattern, *_)):
            return declared_node(pattern)
        case ir.Declaration():
            return (EVERYTHING,)
        case _:
            return _node(FLUENT, rule.fvp.fluent)


def declares_fluent(rule: ir.Rule) -> bool:
    """Whether a clause is the grounding of a fluent; programs with groundings leave out open rules about others."""
    if not isinstance(rule, ir.Declaration) or rule.kind is not ir.DeclarationKind.GROUNDING or not rule.args:
        return False
    return isinstance(rule.args[0], Compound) and rule.args[0].name == "="


def declared_node(pattern: Term) -> tuple[Node, ...]:
    """The node of a declaration: `F=V`, or an event."""
    if isinstance(pattern, Compound) and pattern.name == "=" and len(pattern.args) == 2:
        return _node(FLUENT, pattern.args[0])
    return _node(EVENT, pattern)


def _node(kind: str, term: Term) -> tuple[Node, ...]:
    name = functor(term)
    return (EVERYTHING,) if name is None else (Node(kind, *name),)


def read_nodes(value: Any) -> Iterator[Node]:
    """Everything that a body, a literal or a part of them reads."""
    match value:
        case ir.Happens(event=event):
            yield from _node(EVENT, event)
        case ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Effect(fvp=fvp) | ir.Intervals(fvp=fvp) | Instance(fvp=fvp):
            yield from _node(FLUENT, fvp.fluent)
        case ir.Fvp(fluent=fluent):
            yield from _node(FLUENT, fluent)
        case ir.Call(atom=atom):
            yield from _called(atom)
        case Atom(signature=signature):
            # A metric rule reads a fluent or an event, whichever exists.
            yield from (Node(FLUENT, *signature), Node(EVENT, *signature))
        case tuple() | frozenset() | list():
            for item in value:
                yield from read_nodes(item)
        case _ if is_dataclass(value) and not isinstance(value, type):
            for item in fields(value):
                if item.compare:
                    yield from read_nodes(getattr(value, item.name))


def _called(term: Term) -> Iterator[Node]:
    """A goal may be nested in another one, so all names in it count."""
    name = functor(term)
    if name is not None:
        yield Node(PREDICATE, *name)
    for inner in term.args if isinstance(term, Compound) else term.items if isinstance(term, ListTerm) else ():
        yield from _called(inner)


def normalised(rule: ir.Rule | MetricRule | MetricFact) -> Any:
    """A clause with variables numbered by their order, so that equal clauses mean the same."""
    names: dict[str, str] = {}
    for variable in _variables(rule):
        names.setdefault(variable.name, f"V{len(names)}")
    return renamed(rule, names)


def _variables(value: Any) -> Iterator[Var]:
    match value:
        case Var():
            yield value
        case tuple():
            for item in value:
                yield from _variables(item)
        case _ if is_dataclass(value) and not isinstance(value, type):
            for item in fields(value):
                if item.compare:
                    yield from _variables(getattr(value, item.name))
