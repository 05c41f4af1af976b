"""The fingerprint of random programs changes when, and only when, what they mean does."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings

from holdsfor.diagnostics import Source
from holdsfor.loading import loads
from holdsfor.physical.encode import fingerprint, from_bytes, to_bytes
from holdsfor.physical.instructions import Site
from holdsfor.physical.lower import lower
from holdsfor.physical.model import PhysicalPlan
from holdsfor.syntax.parser import parse
from holdsfor.syntax.terms import Clause, functor
from tests.physical.families import FAMILIES
from tests.physical.families import scenarios as of_family
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import WINDOWED


def _plan(text: str) -> PhysicalPlan:
    return lower(loads(text).plan).plan


def _fingerprint(text: str) -> bytes:
    return fingerprint(_plan(text))


@settings(max_examples=25)
@given(scenarios(WINDOWED, windowed=False))
def test_names_of_variables_comments_and_layout(one: Scenario) -> None:
    renamed = re.sub(r"\b([A-Z]\w*)", r"Other\1", one.text)
    spread = "% A comment.\n\n" + renamed.replace(" :- ", "\n  :-\n    ").replace(".\n", ". % another\n\n")
    assert _fingerprint(spread) == _fingerprint(one.text)


def _keeps_its_place(clause: Clause) -> bool:
    """Whether the order of such clauses means something: answers come in that of facts, lists in that of `holdsFor` rules."""
    name = None if clause.head is None else functor(clause.head)
    moves = {"initiatedAt", "terminatedAt", "happensAt", "initially", "fi", "ft", "p", "grounding"}
    return name is not None and name[0] not in moves


def _shuffled(text: str, chance: random.Random) -> str:
    """The clauses of a program in another order that means the same."""
    clauses = parse(Source("", text)).clauses
    fixed = iter([one for one in clauses if _keeps_its_place(one)])
    order = [next(fixed) if _keeps_its_place(one) else one for one in chance.sample(clauses, len(clauses))]
    return "\n".join(text[one.span.start : one.span.end] for one in order)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_order_of_clauses(family: str) -> None:
    chance = random.Random(family)
    for one in of_family(family, range(500, 515)):
        assert _fingerprint(_shuffled(one.text, chance)) == _fingerprint(one.text)


@settings(max_examples=25)
@given(scenarios(WINDOWED, windowed=False))
def test_what_a_rule_says(one: Scenario) -> None:
    more = one.text + "initiatedAt(fresh(X)=true, T) :- happensAt(news(X, N), T), N > 3.\n"
    assert len({_fingerprint(text) for text in (one.text, more, more.replace("N > 3", "N > 4"))}) == 3


def _changed(part: Any) -> Iterator[Any]:
    """A part of a plan with one thing in it changed, for everything in it that has a meaning."""
    if is_dataclass(part) and not isinstance(part, type | Site):
        for field in fields(part):
            if field.compare:
                for other in _changed(getattr(part, field.name)):
                    yield replace(part, **{field.name: other})
    elif isinstance(part, tuple):
        is_pair = any(isinstance(item, int) for item in part) and not all(isinstance(item, int) for item in part)
        for place, item in enumerate(part):
            if not is_pair:
                yield (*part[:place], *part[place + 1 :])
            for other in _changed(item):
                yield (*part[:place], other, *part[place + 1 :])
    elif isinstance(part, bool):
        yield not part
    elif isinstance(part, str):
        yield part + "x"
    elif type(part) in (int, float):
        yield part - 1


@pytest.mark.parametrize("family", FAMILIES)
def test_every_change_of_a_plan(family: str) -> None:
    chance = random.Random(family)
    for one in of_family(family, range(600, 606)):
        plan = _plan(one.text)
        others = list(_changed(plan))
        found = [fingerprint(other) for other in chance.sample(others, min(60, len(others)))]
        assert fingerprint(plan) not in found
        assert from_bytes(to_bytes(plan)) == plan
