"""Planted bugs: conditions of rules, operators on intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from holdsfor.engine import allen, kernels, operators, statics
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.frames import Frame, Numbers, distinct
from holdsfor.ir import AllenMode, AllenRelation, Call, IfThenElse, Or
from holdsfor.syntax.terms import Const, variables
from tests.mutation.planting import everywhere, method, planted

_NEVER = (Call(Const("fail")),)

# Conditions of rules


@planted("bodies")
def a_negation_is_a_condition(patch: pytest.MonkeyPatch) -> None:
    def inverted(self: Bodies, body: Any, frame: Frame) -> Frame:
        numbered = frame.with_columns({"#mine": Numbers(np.arange(frame.rows))})
        kept: Any = self.solve(body, numbered).columns["#mine"]
        return frame.take(np.unique(kept.data.astype(np.int64)))

    method(patch, Bodies, "_negation", lambda _: inverted)


@planted("bodies")
def a_negation_of_several_conditions_looks_at_the_first_alone(patch: pytest.MonkeyPatch) -> None:
    method(
        patch, Bodies, "_negation", lambda original: lambda self, body, frame: original(self, tuple(body[:1]), frame)
    )


@planted("bodies")
def a_conditional_tries_its_other_branch_as_well(patch: pytest.MonkeyPatch) -> None:
    def conditional(self: Bodies, literal: IfThenElse, frame: Frame) -> Frame:
        return self.apply(Or(((*literal.condition, *literal.then), literal.otherwise or _NEVER)), frame)

    method(patch, Bodies, "_conditional", lambda _: conditional)


@planted("bodies")
def findall_collects_equal_answers_once(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def find_all(self: Bodies, literal: Any, frame: Frame) -> Frame:
            solve = self.solve
            names = {variable.name for variable in variables(literal.template)}
            self.solve = lambda body, rows: distinct(solve(body, rows).only([*names, "#row"]))  # type: ignore[method-assign, assignment]
            try:
                return original(self, literal, frame)  # type: ignore[no-any-return]
            finally:
                del self.solve

        return find_all

    method(patch, Bodies, "_find_all", changed)


# Operators on intervals


@planted("kernels")
def a_sequence_skips_an_interval_in_between(patch: pytest.MonkeyPatch) -> None:
    def sequence(first: Any, second: Any, bits: int) -> Any:
        following = np.searchsorted(second[0], first[1], side="left")
        found = np.flatnonzero(following < len(second[0]))
        partner = following[found]
        same = np.flatnonzero(first[0][found] >> bits == second[0][partner] >> bits)
        return first[0][found[same]], second[1][partner[same]]

    everywhere(patch, kernels, "sequence", lambda _: sequence)


@planted("operators")
def set_operators_do_not_join_sequences_that_touch(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, operators, "as_points", lambda _: lambda _node, found, _nodes: found)


@planted("kernels")
def a_relative_complement_forgets_its_last_list(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, kernels, "difference", lambda original: lambda base, others: original(base, others[:-1]))


@planted("kernels")
def a_union_does_not_join_intervals_that_touch(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def union(lists: Any) -> Any:
            starts, ends = original(lists)
            if not len(starts):
                return starts, ends
            met = np.intersect1d(np.concatenate([s for s, _ in lists]), np.concatenate([e for _, e in lists]))
            inner = np.setdiff1d(met[kernels.contains((starts, ends), met)], starts)
            return np.sort(np.concatenate((starts, inner))), np.sort(np.concatenate((ends, inner)))

        return union

    everywhere(patch, kernels, "union", changed)


@planted("allen")
def source_and_target_are_swapped(patch: pytest.MonkeyPatch) -> None:
    other = {AllenMode.SOURCE: AllenMode.TARGET, AllenMode.TARGET: AllenMode.SOURCE}
    everywhere(
        patch,
        allen,
        "allen",
        lambda original: lambda relation, mode, *rest: original(relation, other.get(mode, mode), *rest),
    )


@planted("allen")
def during_takes_in_finishes(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def paired(relation: AllenRelation, *rest: Any) -> Any:
            found = original(relation, *rest)
            if relation is not AllenRelation.DURING:
                return found
            more = original(AllenRelation.FINISHES, *rest)
            return found[0] | more[0], found[1] | more[1]

        return paired

    everywhere(patch, allen, "_paired", changed)


@planted("statics")
def an_open_interval_is_one_time_point_short(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        return lambda node, spans, bound, space, now: original(node, spans, bound, space, now - 1)

    everywhere(patch, operators, "of_duration", changed)


@planted("statics")
def all_rules_of_a_pair_count_not_the_first_that_succeeds(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, statics, "_succeeds", lambda _: lambda *given: np.zeros(len(given[-1]), np.bool_))


@planted("statics")
def guards_are_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    method(patch, statics._Expression, "_guarded", lambda _: lambda _self, frame: frame)
