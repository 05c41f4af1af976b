"""Planted bugs: facts, groundings, and domains that input fills. Programs about them find them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from holdsfor.engine import domains, folding, statics
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.frames import Frame, distinct, stack
from holdsfor.ir import Call
from holdsfor.logic.unify import unify
from holdsfor.syntax.terms import functor
from tests.mutation.planting import method, planted
from tests.strategies.domains import domain_scenario
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen


def _scenario(seed: int) -> Scenario | None:
    return domain_scenario(Pen(random.Random(seed).randint), dynamic=seed % 3 > 0, windowed=seed % 2 == 1, late=12)


@planted("folding", _scenario)
def a_fact_written_twice_hides_the_others(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def only_answer(self: folding.Folding, literal: Any) -> Any:
            name = functor(literal.atom) if isinstance(literal, Call) else None
            rules = self._background.rules.get(name, []) if name is not None else []
            heads = [rule.head for rule in rules[:2] if not rule.body]
            if name is not None and len(heads) == 2 and heads[0] == heads[1] and self._has_only_facts(name):
                return unify(literal.atom, heads[0], {})
            return original(self, literal)

        return only_answer

    method(patch, folding.Folding, "_only_answer", changed)


@planted("evaluation", _scenario)
def a_fact_with_a_variable_matches_nothing(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def answers(self: Evaluation, atom: Any, bindings: Any) -> Iterator[Any]:
            is_open = functor(atom) in self.analysis.background.needs.open_facts
            return iter(()) if is_open else original(self, atom, bindings)

        return answers

    method(patch, Evaluation, "answers", changed)


@planted("bodies", _scenario)
def any_value_belongs_to_a_domain(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def call(self: Bodies, literal: Call, frame: Frame) -> Frame:
            known: Any = self._known
            is_domain = functor(literal.atom) in known.analysis.background.domains
            found: Frame = frame if is_domain else original(self, literal, frame)
            return found

        return call

    method(patch, Bodies, "_call", changed)


@planted("domains", _scenario)
def a_domain_forgets_what_has_left_the_window(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def init(self: domains.Domains, prepared: Any, events: Any, intervals: Any) -> None:
            last = max([int(one.time.max(initial=0)) for one in events.values()], default=0)
            recent = {symbol: one.take(np.flatnonzero(one.time > last - 5)) for symbol, one in events.items()}
            original(self, prepared, recent, intervals)

        return init

    method(patch, domains.Domains, "__init__", changed)


@planted("domains", _scenario)
def input_fluents_fill_no_domains(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        return lambda self, prepared, events, _: original(self, prepared, events, {})

    method(patch, domains.Domains, "__init__", changed)


@planted("evaluation", _scenario)
def groundings_that_read_domains_do_not_narrow(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def declared(self: Evaluation, symbol: Any, table: Any) -> Any:
            is_filled = bool(self.analysis.fillings) and symbol in self.plan.domain_readers
            return None if is_filled else original(self, symbol, table)

        return declared

    method(patch, Evaluation, "_declared", changed)


@planted("statics", _scenario)
def groundings_are_not_the_domain_of_unions_and_complements(patch: pytest.MonkeyPatch) -> None:
    def domain(self: Any, name: str) -> Frame:
        asked = self._way.domain(name)
        if not asked:
            return distinct(self._given.only([name]))
        return distinct(stack([self._evaluation.leaves.instances(one).only([name]) for one in asked], [name]))

    method(patch, statics._Expression, "_domain", lambda _: domain)
