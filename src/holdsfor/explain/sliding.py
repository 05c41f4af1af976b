"""Explains sliding aggregates: the call with its value, and the events in its window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from holdsfor.core.trace import RuleTrace
from holdsfor.explain.nodes import Conditional, Kind, Node, moment
from holdsfor.explain.wording import literal_text
from holdsfor.ir import Assign, Body, Boundary, Compare, FindAll, Happens, Literal, literal_terms
from holdsfor.ir.sliding import TOP, is_implied
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor, variables

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover

_MOST_EVENTS = 20
"""The most events of a window that are shown."""
_FLIPPED = {"<": ">", ">": "<", "=<": ">=", ">=": "=<"}


@dataclass(frozen=True)
class Judged:
    """A sliding aggregate in a comparison."""

    aggregate: FindAll
    operator: str
    other: Term


class Windows:
    """Describes the contents of the windows of a rule."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover

    def node(self, trace: RuleTrace | None, literal: FindAll, bindings: Bindings, depth: int) -> Node:
        """A sliding aggregate with its value, bound or not, and its events."""
        assert trace is not None
        found = trace.one(literal, bindings)
        claim = Conditional(literal, bindings)
        below = self._events(trace, literal, bindings, depth)
        text = text_of(literal, bindings if found is None else found)
        return Node(Kind.WINDOW, text, holds=found is not None, claim=claim, children=below)

    def aggregates(self, trace: RuleTrace | None, body: Body, bindings: Bindings) -> tuple[Node, ...]:
        """The sliding aggregates of a body that is not met."""
        found = [one for one in _aggregates(body) if not _is_top(one)]
        return tuple(replace(self.node(trace, one, bindings, 0), claim=None) for one in found)

    def failing(self, trace: RuleTrace, failed: Literal, body: Body, bindings: Bindings, depth: int) -> Node | None:
        """A condition on a sliding aggregate that fails; None if it is no such condition."""
        comparison = judged(failed, body)
        if comparison is not None:
            below = self.node(trace, comparison.aggregate, bindings, depth).children
            text = f"fails: {judgement(comparison, bindings, holds=False)}"
            return Node(Kind.WINDOW, text, holds=False, children=below)
        if isinstance(failed, FindAll) and failed.sliding is not None:
            found = self.node(trace, failed, bindings, depth)
            below = found.children or (Node(Kind.NOTE, "nothing is in its window", holds=False),)
            return replace(found, text=f"fails: {found.text}", claim=None, children=below)
        return None

    def _events(self, trace: RuleTrace, literal: FindAll, bindings: Bindings, depth: int) -> tuple[Node, ...]:
        """The events in a window, in time order."""
        event = next(one for one in literal.body if isinstance(one, Happens | Boundary))
        open_result = {name: term for name, term in bindings.items() if Var(name) != literal.result}
        answers = trace.inside(literal, 0, open_result)
        answers.sort(key=lambda answer: moment(event.time, answer))
        nodes = (self._prover.condition(trace, event, answer, depth) for answer in islice(answers, _MOST_EVENTS))
        below = [node for node in nodes if node is not None]
        if len(answers) > _MOST_EVENTS:
            below.append(Node(Kind.NOTE, f"and {len(answers) - _MOST_EVENTS} more"))
        return tuple(below)

    def arranged(self, nodes: Sequence[Node], body: Body, bindings: Mapping[str, Term]) -> list[Node]:
        """The steps of a body, with those merged or hidden that belong to one condition in the text."""
        found = {id(literal): node for literal, node in zip(body, nodes, strict=False)}
        arranged = []
        for literal, node in zip(body, nodes, strict=False):
            comparison = judged(literal, body)
            if is_hidden(literal, body):
                arranged.append(replace(node, hidden=True))
            elif comparison is not None and id(comparison.aggregate) in found:
                text = judgement(comparison, bindings, holds=True)
                below = found[id(comparison.aggregate)].children
                arranged.append(replace(node, kind=Kind.WINDOW, text=text, children=below))
            else:
                arranged.append(node)
        return arranged


def judged(literal: Literal, body: Body) -> Judged | None:
    """The only sliding aggregate in a comparison of a body."""
    if not isinstance(literal, Compare):
        return None
    aggregates = {one.result: one for one in _aggregates(body)}
    for one, other, operator in (
        (literal.left, literal.right, literal.operator),
        (literal.right, literal.left, _FLIPPED.get(literal.operator, literal.operator)),
    ):
        if one in aggregates and not any(variable in aggregates for variable in variables(other)):
            return Judged(aggregates[one], operator, other)
    return None


def is_hidden(literal: Literal, body: Body) -> bool:
    """Whether a condition only belongs to a window, or is described at its comparison."""
    if isinstance(literal, FindAll) and literal.sliding is not None:
        return any((found := judged(one, body)) is not None and found.aggregate is literal for one in body)
    if judged(literal, body) is not None:
        return False
    return isinstance(literal, Compare | Assign) and any(
        is_implied(variable.name) for term in literal_terms(literal) for variable in variables(term)
    )


def judgement(comparison: Judged, bindings: Mapping[str, Term], *, holds: bool) -> str:
    """`count_within(failed(ann),10) is 2, not >= 3`."""
    if _is_top(comparison.aggregate):
        return text_of(comparison.aggregate, bindings)
    other = print_term(resolve(comparison.other, bindings))
    return f"{text_of(comparison.aggregate, bindings)}, {'' if holds else 'not '}{comparison.operator} {other}"


def text_of(literal: FindAll, bindings: Mapping[str, Term]) -> str:
    """A sliding aggregate with its value."""
    value, shown = resolve(literal.result, bindings), print_term(resolve(_call(literal), bindings))
    if _is_top(literal):
        return f"{shown}: {'none' if value == Const(0) else print_term(value)} in the window ranks higher"
    return f"{shown} has no value" if isinstance(value, Var) else f"{shown} is {print_term(value)}"


def body_text(body: Body, bindings: Mapping[str, Term]) -> str:
    """Some conditions as written, with the values of their variables."""
    aggregates = _aggregates(body)
    calls = {one.result.name: _call(one) for one in aggregates if isinstance(one.result, Var)}
    shown = []
    for one in body:
        comparison = judged(one, body)
        if comparison is not None and _is_top(comparison.aggregate):
            shown.append(print_term(resolve(_call(comparison.aggregate), bindings)))
        elif not is_hidden(one, body) and one not in aggregates:
            shown.append(literal_text(one, {**bindings, **calls}))
    return ", ".join(shown)


def _aggregates(body: Body) -> list[FindAll]:
    """The sliding aggregates of a body."""
    return [one for one in body if isinstance(one, FindAll) and one.sliding is not None]


def _call(literal: FindAll) -> Term:
    """A sliding aggregate as written, without its time, which is that of the step."""
    assert literal.sliding is not None
    *args, duration, _ = arguments(literal.sliding.call)
    written = duration.span.text if isinstance(duration, Const) else ""
    name = functor(literal.sliding.call)
    assert name is not None
    return Compound(name[0], (*args, Var(written) if written else duration))


def _is_top(literal: FindAll) -> bool:
    return literal.sliding is not None and functor(literal.sliding.call) == TOP
