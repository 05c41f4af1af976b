"""Explains statically determined fluents: which lists of a rule contain a time-point, and why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.trace import RuleTrace
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.nodes import Kind, Listed, Node, Pair, RuleUse
from holdsfor.explain.operators import Operators
from holdsfor.explain.wording import intervals_text, pair_text, point_text
from holdsfor.ir import Algebra, IntervalRule, Intervals, variable_names, walk
from holdsfor.logic.interval_lists import decode
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.reference.intervals import Interval
from holdsfor.syntax.terms import ListTerm, Term, Var

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover

_MOST_SHOWN = 3


class Lists:
    """Proofs and refutations by the interval lists of `holdsFor` rules."""

    def __init__(self, prover: Prover) -> None:
        self.prover = prover
        self.evidence: Evidence = prover.evidence

    def ways(self, pair: Pair, time: int) -> tuple[IntervalRule, list[Bindings]] | None:
        """The rule that counts for a pair, which is the first that succeeds, and all its solutions.

        On a cycle, which is evaluated pointwise, only the instances known at the time count.
        """
        for rule in self.rules(pair):
            found = [answer for answer in self.ways_of(rule, pair) if self._is_known(rule, answer, time)]
            if found:
                return rule, found
        return None

    def _is_known(self, rule: IntervalRule, answer: Bindings, time: int) -> bool:
        """Whether the instances of a solution of a rule exist at a time-point."""
        analysis = self.evidence.analysis
        together = analysis.graph.component_of[self.evidence.entities.fluent(rule.fvp)]
        if len(together) == 1 or time > self.evidence.now + 1:
            return True
        body = analysis.body(rule)
        leaves = [one for one in walk(body) if isinstance(one, Intervals)]
        given = variable_names(tuple(one for one in body if not isinstance(one, Intervals | Algebra)))
        places = [(one, name) for one in leaves for name in variable_names((one,)) - given if name in plain(answer)]
        return all(
            any(self._occurs(leaf, name, answer, time, together) for leaf, other in places if other == name)
            for name in {name for _, name in places}
        )

    def _occurs(self, leaf: Intervals, name: str, answer: Bindings, time: int, together: tuple[Symbol, ...]) -> bool:
        """Whether a variable has its value in some instance that exists at a time-point."""
        symbol = self.evidence.entities.fluent(leaf.fvp)
        bound = {name: answer[name]}
        pattern = [resolve(term, bound) for term in (*symbol.columns(leaf.fvp.fluent), leaf.fvp.value)]
        table = self.evidence.fluents(symbol)
        rows = table.matching(pattern)
        return bool(len(rows) > 0 if symbol not in together else (table.start[rows] <= time).any())

    def ways_of(self, rule: IntervalRule, pair: Pair) -> list[Bindings]:
        """All solutions of a rule for a pair."""
        trace = self._trace(rule, pair)
        heads = bind({}, (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1]))
        found: list[Bindings] = []
        for answer in (answer for head in heads for answer in trace.answers(head)):
            if answer not in found and self._is_of_its_parts(rule, answer):
                found.append(answer)
        return found

    def _is_of_its_parts(self, rule: IntervalRule, answer: Bindings) -> bool:
        """Whether lists that can come from several parts of a fluent belong to the part with the value."""
        makers: dict[Term, list[Intervals]] = {}
        for literal in walk(self.evidence.analysis.body(rule)):
            if isinstance(literal, Intervals):
                makers.setdefault(literal.out, []).append(literal)
        return all(
            len(some) < 2
            or not isinstance(resolve(out, answer), ListTerm)
            or any(self._gives(one, answer) for one in some)
            for out, some in makers.items()
        )

    def _gives(self, literal: Intervals, answer: Bindings) -> bool:
        pair = resolve(literal.fvp.fluent, answer), resolve(literal.fvp.value, answer)
        if not (is_ground(pair[0]) and is_ground(pair[1]) and self.evidence.entities.admits(literal.fvp, *pair)):
            return False
        return self.evidence.intervals(pair) == decoded(literal.out, answer)

    def _trace(self, rule: IntervalRule, pair: Pair) -> RuleTrace:
        return self.evidence.rule(rule, self.evidence.entities.pair(*pair), pair[0])

    def rules(self, pair: Pair) -> list[IntervalRule]:
        """The rules of a statically determined fluent whose head a pair matches."""
        entity = self.evidence.entities[self.evidence.entities.pair(*pair)]
        return [
            rule
            for rule in entity.rules
            if isinstance(rule, IntervalRule)
            and any(True for _ in bind({}, (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1])))
        ]

    def proof(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...] | None:
        """Proof steps for a pair that holds at a time-point."""
        found = self.ways(pair, time)
        if found is None:
            return None
        rule, answers = found
        for answer in answers:
            if _has(decoded(rule.out, answer), time):
                below = self.listed(rule, rule.out, answer, time, depth)
                if below is not None:
                    text = f"{pair_text(pair)} by intervals, at {point_text(time)}"
                    claim = Listed(rule.out, time, answer)
                    return (Node(Kind.RULE, text, claim=claim, use=RuleUse(rule, plain(answer)), children=(below,)),)
        return None

    def refutation(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        """Steps that show why a pair does not hold at a time-point."""
        found = self.ways(pair, time)
        if found is None:
            return self.prover.refuter.no_way(self.rules(pair), pair, time, depth)
        rule, answers = found
        nodes = []
        for answer in self._closest(rule, answers, time)[:_MOST_SHOWN]:
            below = self.listed(rule, rule.out, answer, time, depth, holds=False)
            text = f"the intervals of {pair_text(pair)} by this rule: {intervals_text(decoded(rule.out, answer), time)}"
            claim = Listed(rule.out, time, answer)
            use = RuleUse(rule, plain(answer))
            children = () if below is None else (below,)
            nodes.append(Node(Kind.NEAR, text, holds=False, claim=claim, use=use, children=children))
        if len(answers) > _MOST_SHOWN:
            nodes.append(Node(Kind.NOTE, f"and {len(answers) - _MOST_SHOWN} more ways through the rule", holds=False))
        return tuple(nodes)

    def _closest(self, rule: IntervalRule, answers: list[Bindings], time: int) -> list[Bindings]:
        def distance(answer: Bindings) -> float:
            ends = [abs(end - time) for interval in decoded(rule.out, answer) for end in interval]
            return min(ends, default=math.inf)

        return sorted(answers, key=distance)

    # Lists

    def listed(
        self, rule: IntervalRule, out: Term, answer: Bindings, time: int, depth: int, *, holds: bool = True
    ) -> Node | None:
        """The reason why an interval list of a rule contains a time-point, or not."""
        literal = self._definition(rule, out, answer)
        if isinstance(literal, Intervals):
            pair = resolve(literal.fvp.fluent, answer), resolve(literal.fvp.value, answer)
            if holds:
                return self.prover.holds(pair, time, depth)
            return self.prover.refuter.absent(pair, time, depth)
        if literal is None:
            is_in = "has" if holds else "does not have"
            text = f"the list {intervals_text(decoded(out, answer), time)} {is_in} {point_text(time)}"
            return Node(Kind.CONDITION, text, holds=holds, claim=Listed(out, time, answer))
        return Operators(self, rule, literal, answer, depth).at(time, holds=holds)

    def _definition(self, rule: IntervalRule, out: Term, answer: Bindings) -> Intervals | Algebra | None:
        """The condition that gave a list its value; of alternatives, one with this value."""
        if not isinstance(out, Var):
            return None
        body = self.evidence.analysis.body(rule)
        makers = [one for one in walk(body) if isinstance(one, Intervals | Algebra) and one.out == out]
        if any(one not in body for one in makers):
            # The result shows which alternative was used.
            trace = self._trace(rule, (resolve(rule.fvp.fluent, answer), resolve(rule.fvp.value, answer)))
            others = {name: term for name, term in answer.items() if name != out.name}
            made = [(one, trace.one(one, others)) for one in makers]
            makers = [one for one, found in made if found is not None and found.get(out.name) == answer[out.name]]
        return makers[0] if makers else None


def decoded(out: Term, answer: Bindings) -> list[Interval]:
    """The intervals of a variable of a rule."""
    found = resolve(out, answer)
    return decode(found) if isinstance(found, ListTerm) else []


def plain(answer: Bindings) -> Bindings:
    """Bindings without interval lists."""
    return {name: value for name, term in answer.items() if not isinstance(value := resolve(term, answer), ListTerm)}


def _has(intervals: list[Interval], time: int) -> bool:
    return any(start <= time < end for start, end in intervals)
