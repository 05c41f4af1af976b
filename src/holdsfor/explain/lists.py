"""Explains statically determined fluents: which lists of a rule contain a time-point, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.trace import RuleTrace
from holdsfor.explain.nodes import Holding, Kind, Listed, Node, Pair, RuleUse, pair_of
from holdsfor.explain.operators import Operators, decoded
from holdsfor.explain.wording import intervals_text, pair_text, point_text
from holdsfor.ir import Algebra, IntervalRule, Intervals, variable_names, walk
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.syntax.terms import ListTerm, Term, Var

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover

_MOST_SHOWN = 3


class Lists:
    """Proofs and refutations by the interval lists of `holdsFor` rules."""

    def __init__(self, prover: Prover) -> None:
        self._prover, self.evidence = prover, prover.evidence

    def proof(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...] | None:
        """Proof steps for a pair that holds at a time-point."""
        for trace, out, answer in self._solutions(pair, time):
            if any(start <= time < end for start, end in decoded(out, answer)):
                below = self.listed(trace, out, answer, time, depth)
                if below is not None:
                    text = f"{pair_text(pair)} by intervals, at {point_text(time)}"
                    claim, use = Listed(out, time, answer), RuleUse(trace.rule, _plain(answer))
                    return (Node(Kind.RULE, text, claim=claim, use=use, children=(below,)),)
        return None

    def refutation(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        """Steps that show why a pair does not hold at a time-point."""

        def distance(way: tuple[RuleTrace, Term, Bindings]) -> float:
            return min((abs(end - time) for one in decoded(*way[1:]) for end in one), default=math.inf)

        nodes = []
        solutions = sorted(self._solutions(pair, time), key=distance)
        for trace, out, answer in solutions[:_MOST_SHOWN]:
            below = self.listed(trace, out, answer, time, depth, holds=False)
            text = f"the intervals of {pair_text(pair)} by this rule: {intervals_text(decoded(out, answer), time)}"
            claim, use = Listed(out, time, answer), RuleUse(trace.rule, _plain(answer))
            children = () if below is None else (below,)
            nodes.append(Node(Kind.NEAR, text, holds=False, claim=claim, use=use, children=children))
        if len(solutions) > _MOST_SHOWN:
            nodes.append(Node(Kind.NOTE, f"and {len(solutions) - _MOST_SHOWN} more ways through the rule", holds=False))
        return tuple(nodes) or self._no_way(pair, time, depth)

    def _no_way(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        """The reason why no rule applies to a pair."""
        nodes = []
        for trace, head in self.evidence.traced(Holding(pair, time)):
            body = walk(self.evidence.analysis.body(trace.rule))
            read = dict.fromkeys(pair_of(one.fvp, head) for one in body if isinstance(one, Intervals))
            known = [one for one in read if all(map(is_ground, one)) and not self.evidence.intervals(one)]
            below = tuple(self._prover.refuter.absent(one, time, depth) for one in known)
            use = RuleUse(trace.rule, head)
            nodes.append(Node(Kind.NEAR, "the rule has no instance for it", holds=False, use=use, children=below))
        return tuple(nodes) or (Node(Kind.NOTE, f"no rule is about {pair_text(pair)}", holds=False),)

    # Solutions

    def _solutions(self, pair: Pair, time: int) -> list[tuple[RuleTrace, Term, Bindings]]:
        """The list and all solutions of the rule that counts for a pair, which is the first that succeeds.

        On a cycle, which is evaluated pointwise, only the instances known at the time count.
        """
        for trace, head in self.evidence.traced(Holding(pair, time)):
            rule, found = trace.rule, list[Bindings]()
            assert isinstance(rule, IntervalRule)
            for answer in trace.answers(head):
                if answer not in found and self._is_of_its_parts(rule, answer) and self._is_known(rule, answer, time):
                    found.append(answer)
            if found:
                return [(trace, rule.out, answer) for answer in found]
        return []

    def _is_known(self, rule: IntervalRule, answer: Bindings, time: int) -> bool:
        """Whether the instances of a solution of a rule exist at a time-point."""
        analysis = self.evidence.analysis
        together = analysis.graph.component_of[self.evidence.entities.fluent(rule.fvp)]
        if len(together) == 1 or time > self.evidence.now + 1:
            return True
        body = analysis.body(rule)
        leaves = [one for one in walk(body) if isinstance(one, Intervals)]
        given = variable_names(tuple(one for one in body if not isinstance(one, Intervals | Algebra)))
        places = [(one, name) for one in leaves for name in variable_names((one,)) - given if name in _plain(answer)]
        return all(
            any(self._occurs(leaf, name, answer, time, together) for leaf, other in places if other == name)
            for name in {name for _, name in places}
        )

    def _occurs(self, leaf: Intervals, name: str, answer: Bindings, time: int, together: tuple[Symbol, ...]) -> bool:
        """Whether a variable has its value in some instance that exists at a time-point."""
        symbol = self.evidence.entities.fluent(leaf.fvp)
        bound = {name: answer[name]}
        pattern = [resolve(term, bound) for term in (*symbol.columns(leaf.fvp.fluent), leaf.fvp.value)]
        table = self.evidence.table(symbol)
        rows = table.matching(pattern)
        return bool(len(rows) > 0 if symbol not in together else (table.start[rows] <= time).any())

    def _is_of_its_parts(self, rule: IntervalRule, answer: Bindings) -> bool:
        """Whether lists that can come from several parts of a fluent belong to the part with the value."""
        makers: dict[Term, list[Intervals]] = {}
        for literal in walk(self.evidence.analysis.body(rule)):
            if isinstance(literal, Intervals):
                makers.setdefault(literal.out, []).append(literal)
        shared = (some for out, some in makers.items() if isinstance(resolve(out, answer), ListTerm) and len(some) > 1)
        return all(any(self._gives(one, answer) for one in some) for some in shared)

    def _gives(self, literal: Intervals, answer: Bindings) -> bool:
        pair = pair_of(literal.fvp, answer)
        is_meant = all(map(is_ground, pair)) and self.evidence.entities.admits(literal.fvp, *pair)
        return is_meant and self.evidence.intervals(pair) == decoded(literal.out, answer)

    # Lists

    def listed(
        self, trace: RuleTrace, out: Term, answer: Bindings, time: int, depth: int, *, holds: bool = True
    ) -> Node | None:
        """The reason why an interval list of a rule contains a time-point, or not."""
        literal = next(self._definitions(trace, out, answer), None)
        if isinstance(literal, Intervals):
            explain = self._prover.holds if holds else self._prover.refuter.absent
            return explain(pair_of(literal.fvp, answer), time, depth)
        if literal is not None:
            return Operators(self, trace, literal, answer, depth).at(time, holds=holds)
        is_in = "has" if holds else "does not have"
        text = f"the list {intervals_text(decoded(out, answer), time)} {is_in} {point_text(time)}"
        return Node(Kind.CONDITION, text, holds=holds, claim=Listed(out, time, answer))

    def _definitions(self, trace: RuleTrace, out: Term, answer: Bindings) -> Iterator[Intervals | Algebra]:
        """The conditions that gave a list its value; of alternatives, those with this value."""
        if not isinstance(out, Var):
            return
        body = self.evidence.analysis.body(trace.rule)
        makers = [one for one in walk(body) if isinstance(one, Intervals | Algebra) and one.out == out]
        others = {name: term for name, term in answer.items() if name != out.name}
        for one in makers:
            # The result shows which alternative was used.
            made = answer if all(maker in body for maker in makers) else trace.one(one, others)
            if made is not None and made.get(out.name) == answer.get(out.name):
                yield one


def _plain(answer: Bindings) -> Bindings:
    """Bindings without interval lists."""
    return {name: value for name, term in answer.items() if not isinstance(value := resolve(term, answer), ListTerm)}
