"""Proves why something holds by rules, rows and inertia, from the results of the engine.

A proof is never circular. `holdsAt` reads the past, so its premises are earlier. A goal of the same time-point that is
being proved is not used again below itself; another rule instance is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.core.trace import RuleTrace
from holdsfor.explain.delays import Attempts
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.lists import Lists
from holdsfor.explain.mixed import MetricProofs
from holdsfor.explain.nodes import Conditional, Effected, Happening, Holding, Kind, Node, Pair, Row, RuleUse
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
from holdsfor.ir import (
    INITIAL,
    Boundary,
    Call,
    Cut,
    Edge,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    FindAll,
    Happens,
    Holds,
    IfThenElse,
    InitiallyRule,
    Instance,
    Literal,
    Not,
    Or,
)
from holdsfor.ir.literals import Body, Fvp
from holdsfor.ir.sliding import Sliding
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, functor

_MOST_ANSWERS = 200
"""The most rule instances that are tried for one step."""

Goal = tuple[object, ...]


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
        """A proof that a pair holds at a time-point; None if every proof is circular."""
        return self._goal(
            ("holds", pair, time), depth, lambda left: self._holds(pair, time, left), self._stub(pair, time)
        )

    def effect(self, kind: EffectKind, pair: Pair, time: int, depth: int) -> Node | None:
        """A proof that a pair is initiated or terminated at a time-point."""
        what = Kind.INITIATED if kind is EffectKind.INITIATED else Kind.TERMINATED
        stub = Node(
            what,
            f"{pair_text(pair)} is {done(kind)} at {point_text(time)}",
            claim=Effected(kind, pair, time),
            more=True,
        )
        return self._goal(("effect", kind, pair, time), depth, lambda left: self._effect(kind, pair, time, left), stub)

    def event(self, event: Term, time: int, depth: int) -> Node | None:
        """A proof that an event happens at a time-point."""
        claim = Happening(event, time)
        if self.evidence.is_given(event, time):
            text = f"{print_term(event)} happens at {point_text(time)}"
            return Node(Kind.ROW, text, claim=claim, rows=(Row(text),))
        stub = Node(Kind.EVENT, f"{print_term(event)} happens at {point_text(time)}", claim=claim, more=True)
        return self._goal(("event", event, time), depth, lambda left: self._event(event, time, left), stub)

    def _goal(self, goal: Goal, depth: int, prove: Callable[[int], Node | None], stub: Node) -> Node | None:
        if goal in self._open:
            return None
        known = self._proved.get(goal)
        if known is not None and known[0] >= depth:
            return known[1]
        if depth <= 0:
            return stub
        self._open.add(goal)
        try:
            found = prove(depth - 1)
        finally:
            self._open.remove(goal)
        if found is not None:
            self._proved[goal] = depth, found
        return found

    # Fluents

    def _stub(self, pair: Pair, time: int) -> Node:
        around = self.around(pair, time)
        return Node(
            Kind.HOLDS,
            f"{pair_text(pair)} holds at {point_text(time)}" + (f", on {interval_text(around)}" if around else ""),
            claim=Holding(pair, time, around),
            interval=ends(around) if around else None,
            more=True,
        )

    def around(self, pair: Pair, time: int) -> tuple[float, float] | None:
        """The interval of a pair that contains a time-point."""
        return next((one for one in self.evidence.intervals(pair) if one[0] <= time < one[1]), None)

    def _holds(self, pair: Pair, time: int, depth: int) -> Node | None:
        around = self.around(pair, time)
        if around is None:
            return None
        match self.evidence.entities[self.evidence.entities.pair(*pair)].role:
            case Role.INPUT_FLUENT:
                text = f"{pair_text(pair)} holds at {point_text(time)}: the input says so of {interval_text(around)}"
                claim = Holding(pair, time, around)
                return Node(Kind.ROW, text, claim=claim, rows=(Row(pair_text(pair)),), interval=ends(around))
            case Role.STATIC_FLUENT:
                below = self.lists.proof(pair, time, depth)
            case Role.METRIC_FLUENT:
                below = self.metric.proof(pair, time, depth)
            case _:
                below = self._by_inertia(pair, time, int(around[0]), depth)
        if below is None:
            return None
        text = f"{pair_text(pair)} holds at {point_text(time)}, on {interval_text(around)}"
        return Node(Kind.HOLDS, text, claim=Holding(pair, time, around), interval=ends(around), children=below)

    def _by_inertia(self, pair: Pair, time: int, start: int, depth: int) -> tuple[Node, ...] | None:
        begun = self.effect(EffectKind.INITIATED, pair, start - 1, depth)
        if begun is None:
            return None
        since = span_text(start - 1, time - 1)
        return begun, Node(Kind.NOTE, f"nothing breaks it {since}: it is not terminated and gets no other value")

    # Effects and events

    def _effect(self, kind: EffectKind, pair: Pair, time: int, depth: int) -> Node | None:
        found = self._by_rules(kind, pair, time, depth)
        if found is None and kind is EffectKind.INITIATED and time == INITIAL:
            found = self._initially(pair, time, depth)
        return found or self.attempts.proof(kind, pair, time, depth)

    def _by_rules(self, kind: EffectKind, pair: Pair, time: int, depth: int) -> Node | None:
        what = Kind.INITIATED if kind is EffectKind.INITIATED else Kind.TERMINATED
        symbol = self.evidence.entities.pair(*pair)
        for rule in self.evidence.entities[symbol].rules:
            if isinstance(rule, EffectRule) and rule.kind is kind:
                heads = (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1]), (rule.time, Const(time))
                for answer, below in self._instances(rule, (symbol, pair[0]), heads, time, depth):
                    text = f"{pair_text(pair)} is {done(kind)} at {point_text(time)}"
                    return Node(what, text, claim=Effected(kind, pair, time), use=RuleUse(rule, answer), children=below)
        return None

    def _initially(self, pair: Pair, time: int, depth: int) -> Node | None:
        for rule in self.evidence.entities[self.evidence.entities.pair(*pair)].rules:
            if isinstance(rule, InitiallyRule):
                heads = (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1])
                body = self.evidence.analysis.body(rule)
                answers = (one for start in bind({}, *heads) for one in self.evidence.solver.solve(body, start))
                for answer in islice(answers, 1):
                    below = self.conditions(None, body, answer, depth)
                    claim = Effected(EffectKind.INITIATED, pair, time)
                    text = f"{pair_text(pair)} holds initially"
                    return Node(Kind.INITIALLY, text, claim=claim, use=RuleUse(rule, answer), children=below or ())
        return None

    def _event(self, event: Term, time: int, depth: int) -> Node | None:
        symbol = self.evidence.entities.event(event)
        for rule in self.evidence.entities[symbol].rules:
            if isinstance(rule, EventRule):
                heads = (rule.event, event), (rule.time, Const(time))
                for answer, below in self._instances(rule, (symbol, event), heads, time, depth):
                    text = f"{print_term(event)} happens at {point_text(time)}"
                    return Node(
                        Kind.EVENT, text, claim=Happening(event, time), use=RuleUse(rule, answer), children=below
                    )
        return None

    def _instances(
        self,
        rule: EffectRule | EventRule,
        about: tuple[Symbol, Term],
        heads: tuple[tuple[Term, Term], ...],
        time: int,
        depth: int,
    ) -> Iterator[tuple[Bindings, tuple[Node, ...]]]:
        """The solutions of a rule for an instance, with a proof of every condition."""
        for head in bind({}, *heads):
            trace = self.evidence.rule(rule, *about)
            for answer in trace.answers(head, [time], most=_MOST_ANSWERS):
                below = self.conditions(trace, self.evidence.analysis.body(rule), answer, depth)
                if below is not None:
                    yield answer, below

    def inside(
        self,
        trace: RuleTrace | None,
        literal: Literal,
        block: int,
        body: Body,
        bindings: Bindings,
        *,
        most: int | None = _MOST_ANSWERS,
    ) -> Iterable[Bindings]:
        """The solutions of the body inside a condition. Conditions without time belong to no key."""
        if trace is None:
            return islice(self.evidence.solver.solve(body, bindings), most)
        return trace.inside(literal, block, bindings, most=most)

    # Conditions

    def conditions(
        self, trace: RuleTrace | None, body: Body, bindings: Bindings, depth: int
    ) -> tuple[Node, ...] | None:
        """A proof of every condition of a body under the bindings of a solution."""
        found = []
        for literal in body:
            node = self.condition(trace, literal, bindings, depth)
            if node is None:
                return None
            found.append(node)
        return tuple(self.windows.arranged(found, body, bindings))

    def condition(self, trace: RuleTrace | None, literal: Literal, bindings: Bindings, depth: int) -> Node | None:
        """A proof of one condition."""
        match literal:
            case Happens(event=event, time=time):
                return self.event(resolve(event, bindings), moment(time, bindings), depth)
            case Holds(fvp=fvp, time=time):
                return self.holds(pair_of(fvp, bindings), moment(time, bindings), depth)
            case Effect(kind=kind, fvp=fvp, time=time):
                return self.effect(kind, pair_of(fvp, bindings), moment(time, bindings), depth)
            case Boundary():
                return self._boundary(literal, bindings, depth)
            case Or(branches=branches):
                for number, branch in enumerate(branches):
                    for answer in self.inside(trace, literal, number, branch, bindings):
                        below = self.conditions(trace, branch, answer, depth)
                        if below is not None:
                            return self._met(literal, bindings, below)
                return None
            case IfThenElse():
                return self._if_then_else(trace, literal, bindings, depth)
            case Not(body=body):
                return self._not(trace, literal, body, bindings)
            case FindAll(sliding=Sliding()):
                return self.windows.node(trace, literal, bindings, depth)
            case FindAll(body=body):
                count = sum(1 for _ in self.inside(trace, literal, 0, body, bindings, most=None))
                text = f"{literal_text(literal, bindings)}: {count} found"
                return Node(Kind.CONDITION, text, claim=Conditional(literal, bindings))
            case Call(atom=atom):
                return self._call(literal, resolve(atom, bindings), bindings)
            case Instance(fvp=fvp, time=time):
                text = f"there is something to end: {pair_text(pair_of(fvp, bindings))}"
                return Node(Kind.CONDITION, text, claim=Conditional(literal, bindings))
            case Cut():
                return Node(Kind.CONDITION, "!", claim=Conditional(literal, bindings))
            case _:
                return self._met(literal, bindings, ())

    def _met(self, literal: Literal, bindings: Bindings, below: tuple[Node, ...]) -> Node:
        claim = Conditional(literal, bindings)
        text = "one of the alternatives" if isinstance(literal, Or) else literal_text(literal, bindings)
        return Node(Kind.CONDITION, text, claim=claim, children=below)

    def _boundary(self, literal: Boundary, bindings: Bindings, depth: int) -> Node | None:
        pair, time = pair_of(literal.fvp, bindings), moment(literal.time, bindings)
        text = f"{literal.edge}({pair_text(pair)}) happens at {point_text(time)}"
        claim = Conditional(literal, bindings)
        if literal.edge is Edge.START:
            then = self.holds(pair, time + 1, depth)
            other = f"{pair_text(pair)} does not hold at {point_text(time)}"
            absent = Node(Kind.ABSENT, other, holds=False, claim=Holding(pair, time))
        else:
            then = self.holds(pair, time, depth)
            other = f"{pair_text(pair)} does not hold at {point_text(time + 1)}"
            absent = Node(Kind.ABSENT, other, holds=False, claim=Holding(pair, time + 1))
        return None if then is None else Node(Kind.BOUNDARY, text, claim=claim, children=(then, absent))

    def _if_then_else(
        self, trace: RuleTrace | None, literal: IfThenElse, bindings: Bindings, depth: int
    ) -> Node | None:
        tested = next(iter(self.inside(trace, literal, 0, literal.condition, bindings)), None)
        test: tuple[Node, ...] | None = ()
        body = literal.then
        if tested is None:
            body = literal.otherwise or ()
            test = (self._not(trace, Not(literal.condition), literal.condition, bindings),)
        else:
            test = self.conditions(trace, literal.condition, tested, depth)
        known = bindings if tested is None else tested
        for answer in self.inside(trace, literal, 2 if tested is None else 1, body, known):
            below = self.conditions(trace, body, answer, depth)
            if test is not None and below is not None:
                return self._met(literal, bindings, (*test, *below))
        return None

    def _not(self, trace: RuleTrace | None, literal: Not, body: Body, bindings: Bindings) -> Node:
        claim = Conditional(literal, bindings)
        sought = body_text(body, bindings)
        below = tuple(self._whereabouts(inner, bindings) for inner in body if len(body) == 1)
        below = tuple(node for node in below if node.text) + self.windows.asked(trace, body, bindings)
        return Node(Kind.ABSENT, f"not {sought}: looked for and not found", claim=claim, children=below)

    def _whereabouts(self, literal: Literal, bindings: Bindings) -> Node:
        """Where a missing thing can be found instead."""
        text = ""
        if isinstance(literal, Holds):
            pair, time = pair_of(literal.fvp, bindings), moment(literal.time, bindings)
            text = self.whereabouts(pair, time)
        return Node(Kind.NOTE, text, holds=False)

    def whereabouts(self, pair: Pair, time: int) -> str:
        """The intervals of a pair that does not hold at a time-point."""
        if not (is_ground(pair[0]) and is_ground(pair[1])):
            return ""
        return f"{pair_text(pair)} holds on {intervals_text(self.evidence.intervals(pair), time)}".replace(
            "holds on never", "never holds"
        )

    def _call(self, literal: Call, atom: Term, bindings: Bindings) -> Node:
        name = functor(atom)
        rules = self.evidence.background.get(name, ()) if name is not None else ()
        fact = next((rule for rule in rules if not rule.body and any(True for _ in bind({}, (rule.head, atom)))), None)
        clause = fact or next((rule for rule in rules if any(True for _ in bind({}, (rule.head, atom)))), None)
        use = None if clause is None else RuleUse(clause, {})
        return Node(Kind.BACKGROUND, print_term(atom), claim=Conditional(literal, bindings), use=use)


def pair_of(fvp: Fvp, bindings: Bindings) -> Pair:
    """A pair with its variables replaced."""
    return resolve(fvp.fluent, bindings), resolve(fvp.value, bindings)


def moment(time: Term, bindings: Bindings) -> int:
    """The time-point of a term."""
    found = resolve(time, bindings)
    assert isinstance(found, Const) and isinstance(found.value, int), found
    return found.value
