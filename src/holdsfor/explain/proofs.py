"""Proves why something holds by rules, rows and inertia, from the results of the engine.

A proof is never circular. `holdsAt` reads the past, so its premises are earlier. A goal of the same time-point that is
being proved is not used again below itself; another rule instance is tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from holdsfor import ir
from holdsfor.compiler.analysis.entities import Role
from holdsfor.core.trace import RuleTrace
from holdsfor.explain.delays import Attempts
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.lists import Lists
from holdsfor.explain.mixed import MetricProofs
from holdsfor.explain.nodes import (
    Conditional,
    Effected,
    Happening,
    Holding,
    Kind,
    Node,
    Pair,
    Row,
    RuleUse,
    moment,
    pair_of,
)
from holdsfor.explain.refutations import Refuter
from holdsfor.explain.sliding import Windows, body_text
from holdsfor.explain.wording import (
    done,
    ends,
    interval_text,
    intervals_text,
    literal_text,
    pair_text,
    point_text,
    span_text,
)
from holdsfor.ir.sliding import Sliding
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, functor

_MOST_ANSWERS = 200
"""The most rule instances that are tried for one step."""

Goal: TypeAlias = Holding | Effected | Happening


class Prover:
    """Proves that fluents hold, that they are initiated and terminated, and that events happen."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.program = evidence.analysis.program
        self.lists = Lists(self)
        self.attempts = Attempts(self)
        self.metric = MetricProofs(self)
        self.refuter = Refuter(self)
        self.windows = Windows(self)
        self._open: set[Goal] = set()
        self._proved: dict[Goal, tuple[int, Node]] = {}

    def holds(self, pair: Pair, time: int, depth: int) -> Node | None:
        """A proof that a pair holds at a time-point."""
        return self.proof(Holding(pair, time), depth)

    def initiation(self, pair: Pair, time: int, depth: int) -> Node | None:
        """A proof that a pair is initiated at a time-point."""
        return self.proof(Effected(ir.EffectKind.INITIATED, pair, time), depth)

    def proof(self, goal: Goal, depth: int) -> Node | None:
        """A proof of a claim; None if every proof is circular."""
        node = self._without_reasons(goal)
        if isinstance(goal, Happening) and self.evidence.is_given(goal.event, goal.time):
            return replace(node, kind=Kind.ROW, rows=(Row(node.text),))
        if goal in self._open:
            return None
        known = self._proved.get(goal)
        if known is not None and known[0] >= depth:
            return known[1]
        if depth <= 0:
            return replace(node, more=True)
        self._open.add(goal)
        try:
            found = self._proof(goal, node, depth - 1)
        finally:
            self._open.remove(goal)
        if found is not None:
            self._proved[goal] = depth, found
        return found

    def _without_reasons(self, goal: Goal) -> Node:
        """The step that makes a claim."""
        when = point_text(goal.time)
        match goal:
            case Happening(event=event):
                return Node(Kind.EVENT, f"{print_term(event)} happens at {when}", claim=goal)
            case Effected(kind=kind, pair=pair):
                what = Kind.INITIATED if kind is ir.EffectKind.INITIATED else Kind.TERMINATED
                return Node(what, f"{pair_text(pair)} is {done(kind)} at {when}", claim=goal)
            case Holding(pair=pair, time=time):
                around, text = self.evidence.around(pair, time), f"{pair_text(pair)} holds at {when}"
                if around is None:
                    return Node(Kind.HOLDS, text, claim=goal)
                claim, text = replace(goal, interval=around), f"{text}, on {interval_text(around)}"
                return Node(Kind.HOLDS, text, claim=claim, interval=ends(around))

    def _proof(self, goal: Goal, node: Node, depth: int) -> Node | None:
        if isinstance(goal, Holding):
            return self._holds(goal.pair, goal.time, node, depth)
        found = self._by_rules(goal, node, depth)
        if found is None and isinstance(goal, Effected):
            if goal.kind is ir.EffectKind.INITIATED and goal.time == ir.INITIAL:
                found = self._initially(goal.pair, node, depth)
            found = found or self.attempts.proof(goal, node, depth)
        return found

    def _holds(self, pair: Pair, time: int, node: Node, depth: int) -> Node | None:
        around = self.evidence.around(pair, time)
        if around is None:
            return None
        below: tuple[Node, ...] | None
        match self.evidence.entities[self.evidence.entities.pair(*pair)].role:
            case Role.INPUT_FLUENT:
                text = f"{pair_text(pair)} holds at {point_text(time)}: the input says so of {interval_text(around)}"
                return replace(node, kind=Kind.ROW, text=text, rows=(Row(pair_text(pair)),))
            case Role.STATIC_FLUENT:
                below = self.lists.proof(pair, time, depth)
            case Role.METRIC_FLUENT:
                below = self.metric.proof(pair, time, depth)
            case _:
                start = int(around[0]) - 1
                since = f"nothing breaks it {span_text(start, time - 1)}: it is not terminated and gets no other value"
                begun = self.initiation(pair, start, depth)
                below = None if begun is None else (begun, Node(Kind.NOTE, since))
        return None if below is None else replace(node, children=below)

    # Effects and events

    def _by_rules(self, goal: Effected | Happening, node: Node, depth: int) -> Node | None:
        for trace, head in self.evidence.traced(goal):
            for answer in trace.answers(head, [goal.time], most=_MOST_ANSWERS):
                below = self.conditions(trace, self.evidence.analysis.body(trace.rule), answer, depth)
                if below is not None:
                    return replace(node, use=RuleUse(trace.rule, answer), children=below)
        return None

    def _initially(self, pair: Pair, node: Node, depth: int) -> Node | None:
        for rule in self.evidence.entities[self.evidence.entities.pair(*pair)].rules:
            if isinstance(rule, ir.InitiallyRule):
                body = self.evidence.analysis.body(rule)
                starts = bind({}, (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1]))
                answer = next((one for start in starts for one in self.evidence.solver.solve(body, start)), None)
                if answer is not None:
                    below = self.conditions(None, body, answer, depth) or ()
                    text, use = f"{pair_text(pair)} holds initially", RuleUse(rule, answer)
                    return replace(node, kind=Kind.INITIALLY, text=text, use=use, children=below)
        return None

    # Conditions

    def conditions(
        self, trace: RuleTrace | None, body: ir.Body, bindings: Bindings, depth: int
    ) -> tuple[Node, ...] | None:
        """A proof of every condition of a body under the bindings of a solution."""
        found = []
        for literal in body:
            node = self.condition(trace, literal, bindings, depth)
            if node is None:
                return None
            found.append(node)
        return tuple(self.windows.arranged(found, body, bindings))

    def condition(self, trace: RuleTrace | None, literal: ir.Literal, bindings: Bindings, depth: int) -> Node | None:
        """A proof of one condition."""
        node = Node(Kind.CONDITION, literal_text(literal, bindings), claim=Conditional(literal, bindings))
        match literal:
            case ir.Happens(event=event, time=time):
                return self.proof(Happening(resolve(event, bindings), moment(time, bindings)), depth)
            case ir.Holds(fvp=fvp, time=time):
                return self.holds(pair_of(fvp, bindings), moment(time, bindings), depth)
            case ir.Effect(kind=kind, fvp=fvp, time=time):
                return self.proof(Effected(kind, pair_of(fvp, bindings), moment(time, bindings)), depth)
            case ir.Boundary():
                return self._boundary(literal, bindings, node, depth)
            case ir.Or(branches=branches):
                for number, branch in enumerate(branches):
                    for answer in self._inside(trace, literal, number, branch, bindings):
                        below = self.conditions(trace, branch, answer, depth)
                        if below is not None:
                            return replace(node, text="one of the alternatives", children=below)
                return None
            case ir.IfThenElse():
                return self._if_then_else(trace, literal, bindings, node, depth)
            case ir.Not(body=body):
                return self._not(trace, body, bindings, node)
            case ir.FindAll(sliding=Sliding()):
                return self.windows.node(trace, literal, bindings, depth)
            case ir.FindAll(body=body):
                count = sum(1 for _ in self._inside(trace, literal, 0, body, bindings, most=None))
                return replace(node, text=f"{node.text}: {count} found")
            case ir.Call(atom=atom):
                return self._call(resolve(atom, bindings), node)
            case ir.Instance(fvp=fvp):
                return replace(node, text=f"there is something to end: {pair_text(pair_of(fvp, bindings))}")
            case _:
                return node

    def _inside(
        self,
        trace: RuleTrace | None,
        literal: ir.Literal,
        block: int,
        body: ir.Body,
        bindings: Bindings,
        *,
        most: int | None = _MOST_ANSWERS,
    ) -> Iterable[Bindings]:
        """The solutions of the body inside a condition. Conditions without time belong to no key."""
        if trace is None:
            return islice(self.evidence.solver.solve(body, bindings), most)
        return trace.inside(literal, block, bindings, most=most)

    def _boundary(self, literal: ir.Boundary, bindings: Bindings, node: Node, depth: int) -> Node | None:
        pair, time = pair_of(literal.fvp, bindings), moment(literal.time, bindings)
        held, free = (time + 1, time) if literal.edge is ir.Edge.START else (time, time + 1)
        then = self.holds(pair, held, depth)
        text = f"{pair_text(pair)} does not hold at {point_text(free)}"
        absent = Node(Kind.ABSENT, text, holds=False, claim=Holding(pair, free))
        text = f"{literal.edge}({pair_text(pair)}) happens at {point_text(time)}"
        return None if then is None else replace(node, kind=Kind.BOUNDARY, text=text, children=(then, absent))

    def _if_then_else(
        self, trace: RuleTrace | None, literal: ir.IfThenElse, bindings: Bindings, node: Node, depth: int
    ) -> Node | None:
        tested = next(iter(self._inside(trace, literal, 0, literal.condition, bindings)), None)
        if tested is None:
            absent = ir.Not(literal.condition)
            test: tuple[Node, ...] | None = (self.condition(trace, absent, bindings, depth),)  # type: ignore[assignment]
            body, block, known = literal.otherwise or (), 2, bindings
        else:
            test = self.conditions(trace, literal.condition, tested, depth)
            body, block, known = literal.then, 1, tested
        for answer in self._inside(trace, literal, block, body, known):
            below = self.conditions(trace, body, answer, depth)
            if test is not None and below is not None:
                return replace(node, children=(*test, *below))
        return None

    def _not(self, trace: RuleTrace | None, body: ir.Body, bindings: Bindings, node: Node) -> Node:
        below = self.windows.aggregates(trace, body, bindings)
        match body:
            case (ir.Holds(fvp=fvp, time=time),) if all(map(is_ground, pair := pair_of(fvp, bindings))):
                held = intervals_text(self.evidence.intervals(pair), moment(time, bindings))
                text = f"{pair_text(pair)} never holds" if held == "never" else f"{pair_text(pair)} holds on {held}"
                below = (Node(Kind.NOTE, text, holds=False), *below)
        text = f"not {body_text(body, bindings)}: looked for and not found"
        return replace(node, kind=Kind.ABSENT, text=text, children=below)

    def _call(self, atom: Term, node: Node) -> Node:
        name = functor(atom)
        rules = self.evidence.background.get(name, ()) if name is not None else ()
        fitting = [rule for rule in rules if any(True for _ in bind({}, (rule.head, atom)))]
        # A fact comes before a rule.
        clause = min(fitting, key=lambda rule: bool(rule.body), default=None)
        use = None if clause is None else RuleUse(clause, {})
        return replace(node, kind=Kind.BACKGROUND, text=print_term(atom), use=use)
