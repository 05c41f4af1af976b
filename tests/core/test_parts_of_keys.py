"""Rows that rules read by a part of the key: they reach the keys that have its value there, and are kept by value."""

from __future__ import annotations

import random
from collections import Counter

from holdsfor import loads
from holdsfor.physical.lower import lower
from holdsfor.physical.model import Role
from tests.core.driving import Driven
from tests.strategies.parts import part_scenario
from tests.strategies.scenario_words import Pen

NEAR = """
    initiatedAt(slow(V)=true, T) :- happensAt(brake(V), T).
    terminatedAt(slow(V)=true, T) :- happensAt(speed_up(V), T).
    initiatedAt(near(V,W)=true, T) :- happensAt(meets(V,W), T), holdsAt(slow(V)=true, T), holdsAt(slow(W)=true, T).
    terminatedAt(near(V,_)=true, T) :- happensAt(leaves(V), T).
    terminatedAt(near(_,W)=true, T) :- happensAt(leaves(W), T).
"""


def routes(rules: str) -> dict[str, object]:
    """How the inputs of the last stage reach its keys."""
    plan = lower(loads(rules).plan).plan
    stage = plan.stages[-1]
    return {plan.tables[one.table].label: one.parts or one.places or None for one in stage.inputs}


def test_what_has_a_part_of_the_key_goes_by_it() -> None:
    assert routes(NEAR) == {"meets/2": ((0, 1),), "slow/1": ((0, 1),), "leaves/1": ((0, 1),)}


def test_terminations_that_rules_read_need_the_whole_key() -> None:
    read = NEAR + "happensAt(parted(V,W), T) :- happensAt(meets(V,W), T), terminatedAt(near(V,W)=true, T)."
    plan = lower(loads(read).plan).plan
    assert [(stage.key, stage.why) for stage in plan.stages] == [
        (1, ""),
        (0, "the rule at <rules>:5 reads nothing that has the key"),
        (2, ""),
    ]
    assert routes(read)["near/2"] is None


def test_only_keys_with_the_value_are_evaluated() -> None:
    near = Driven(NEAR)
    for number in range(100):
        near.push((1, f"brake(v{number})"), (2, f"meets(v{number}, v{number + 1})"))
    near.at(5)
    before = near.core.evaluated
    near.push((6, "leaves(v50)"))
    near.at(7)
    # Two pairs; `leaves` has no part in the stage before.
    assert near.core.evaluated - before == 2
    assert "near(v50,v51)=true [3, 7)" in near.at(8)


def test_a_key_that_comes_later_finds_what_is_known() -> None:
    near = Driven(NEAR, window=100)
    near.push((1, "brake(ann)"), (2, "brake(bob)"))
    near.at(3)
    near.push((9, "meets(ann, bob)"))
    assert "near(ann,bob)=true [10, inf)" in near.at(10)
    near.retract((2, "brake(bob)"))
    assert "near(ann,bob)=true [10, inf)" not in near.at(11)


def test_a_key_may_have_a_value_twice() -> None:
    near = Driven(NEAR)
    near.push((1, "brake(ann)"), (2, "meets(ann, ann)"), (4, "leaves(ann)"))
    assert "near(ann,ann)=true [3, 5)" in near.at(5)


def test_changes_name_inputs_of_parts() -> None:
    near = Driven(NEAR)
    near.push((1, "brake(ann)"), (2, "brake(bob)"), (3, "meets(ann, bob)"))
    near.at(4)
    near.changes()
    near.push((6, "leaves(bob)"))
    near.at(7)
    assert near.core.changes().columns()["causes"].tolist() == [3]


def test_a_retraction_of_what_is_not_there_is_counted_once() -> None:
    near = Driven(NEAR)
    near.push((1, "brake(ann)"), (2, "meets(ann, bob)"), (3, "leaves(ann)"))
    near.at(4)
    near.retract((3, "leaves(ann)"), (3, "leaves(bob)"), (3, "leaves(cy)"))
    near.at(5)
    assert near.core.unmatched == 2


def test_parts_of_a_state_have_the_values_that_they_need() -> None:
    near = Driven(NEAR, window=50)
    for number in range(20):
        near.push((1, f"brake(v{number})"))
    for number in range(10):
        near.push((2, f"meets(v{number}, v{number + 10})"))
    near.at(5)
    parts = near.core.split(3)
    other = Driven(NEAR, window=50)
    for part in parts:
        other.core.merge(part)
    for one in (near, other):
        one.push((7, "leaves(v13)"), (8, "meets(v1, v2)"))
    assert other.at(9) == near.at(9)
    assert other.core.rows == near.core.rows


def test_values_that_come_and_go_are_forgotten() -> None:
    near = Driven(NEAR, window=10)
    near.core.keep_changes(False)
    seen = []
    for batch in range(60):
        time = batch * 5
        for number in range(10):
            one, other = f"v{batch}_{number}", f"w{batch}_{number}"
            near.push((time + 1, f"brake({one})"), (time + 1, f"brake({other})"), (time + 2, f"meets({one}, {other})"))
            near.push((time + 3, f"leaves({one})"), (time + 4, f"speed_up({one})"), (time + 4, f"speed_up({other})"))
        near.core.advance(time + 5, 1)
        seen.append((near.core.keys, near.core.rows))
    assert max(keys for keys, _ in seen[30:]) == max(keys for keys, _ in seen[5:30])
    assert max(rows for _, rows in seen[30:]) == max(rows for _, rows in seen[5:30])


def test_what_holds_for_one_does_not_keep_pairs() -> None:
    near = Driven(NEAR, window=10)
    near.core.keep_changes(False)
    near.push((1, "brake(ann)"), (1, "brake(bob)"), (2, "meets(ann, bob)"), (4, "leaves(ann)"))
    assert near.at(5) == ["near(ann,bob)=true [3, 5)", "slow(ann)=true [2, inf)", "slow(bob)=true [2, inf)"]
    near.at(50)
    near.at(100)
    # Two vessels are still slow; there is no pair.
    assert near.core.keys == 2
    near.push((105, "meets(ann, bob)"))
    assert "near(ann,bob)=true [106, inf)" in near.at(110)


def test_random_programs_have_such_routes() -> None:
    """The family `parts of keys` would be worth nothing without them."""
    seen: Counter[str] = Counter()
    for seed in range(60):
        one = part_scenario(Pen(random.Random(seed).randint))
        if one is None:
            continue
        seen["programs"] += 1
        plan = lower(one.reasoner.plan).plan
        routes = [(route, plan.tables[route.table]) for stage in plan.stages for route in stage.inputs if route.parts]
        seen["fluents"] += any(table.role in (Role.SIMPLE_FLUENT, Role.INPUT_FLUENT) for _, table in routes)
        seen["events"] += any(table.role is Role.INPUT_EVENT for _, table in routes)
        seen["several columns"] += any(len(route.places) > 1 for route, _ in routes)
        seen["several parts"] += any(len(parts) > 1 for route, _ in routes for parts in route.parts)
    assert seen["programs"] >= 57
    assert min(seen["fluents"], seen["events"], seen["several parts"]) >= 30
    assert seen["several columns"] >= 5
