"""Bugs of the core and of what lowers programs to plans, each found by the law of the driver (`core_search.py`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from holdsfor.core import engine
from tests.mutation.core_planting import CoreBug

INTERVALS = [
    CoreBug(
        "a union does not join intervals that touch",
        "intervals.cpp",
        "if (kept > 0 && «one.start <= list[kept - 1].end»)",
        "one.start < list[kept - 1].end",
    ),
    CoreBug(
        "the last point of an interval is not in it",
        "intervals.cpp",
        "return after != list.begin() && «time < std::prev(after)->end»",
        "time + 1 < std::prev(after)->end",
    ),
    CoreBug(
        "an intersection forgets its second list",
        "intervals.cpp",
        "intersect_two(*inputs[0], «*inputs[1]», out);",
        "inputs.size() > 2 ? *inputs[2] : *inputs[1]",
    ),
    CoreBug(
        "a complement ends with the last interval",
        "intervals.cpp",
        "if («start < kForever») out.push_back",
        "start < kForever && out.empty()",
    ),
    CoreBug(
        "a sequence skips an interval in between",
        "sequence.cpp",
        "const bool is_overtaken = «i + 1 < first.size() && first[i + 1].end <= b.start»",
        "false",
    ),
    CoreBug("during takes in finishes", "allen.cpp", "return «s > t && f < g»;", "s > t && f <= g"),
    CoreBug(
        "before looks at the first target alone",
        "allen.cpp",
        "related(relation, a, «targets.back()»)",
        "targets.front()",
    ),
    CoreBug(
        "all rules of a pair count, not the first that succeeds",
        "statics.cpp",
        "if («pair.defined_by != number») return false;",
        "false",
    ),
]
NUMBERS = [
    CoreBug(
        "whole numbers are divided without a rest",
        "arithmetic.cpp",
        "if («left % right == 0») return terms_.integer(left / right);",
        "true",
    ),
    CoreBug(
        "equal items of a window are different",
        "sliding.cpp",
        "return Value::integer(static_cast<std::int64_t>(«times_.size()»));",
        "count_",
    ),
]
CHANGES = [
    CoreBug("what ended early was closed", "changes.cpp", "last.end == kForever && «now.end > before»", "true"),
    CoreBug(
        "what has grown together is not taken back",
        "changes.cpp",
        "if («is_met || is_in_sight(last[i], times.low)») changes.push_back",
        "false",
    ),
    CoreBug(
        "what is split off has the same id",
        "changes.cpp",
        "const std::size_t place = «is_shared ? first + 1 : first»",
        "first",
    ),
    CoreBug(
        "what the window has left behind is told again",
        "changes.cpp",
        "if (is_same || «!(is_in_sight(one, times.low) || is_in_sight(partner, times.low))») continue;",
        "false",
    ),
]
ROWS = [
    CoreBug("the border counts", "window.h", "return border == kNever ? kNever : «border + 1»;", "border"),
    CoreBug("what ends at the border is shown", "window.h", "end == kForever || «end > low + 1»", "end > low"),
    CoreBug(
        "an event before the start counts", "admission.cpp", "if (time < first || «time <= window.start»)", "false"
    ),
    CoreBug(
        "what was announced counts at the border",
        "admission.cpp",
        "      if («time >= first»)",
        "time + 1 >= first",
    ),
    CoreBug(
        "a retraction reaches behind the border",
        "admission.cpp",
        "} else if («time < first») {\n      count_lost(",
        "false",
    ),
    CoreBug(
        "an interval cut by the window has a start",
        "admission.cpp",
        "«head.flags |= kIsCut;»",
        "head.flags |= 0;",
    ),
    CoreBug(
        "time-points behind the border are taken back",
        "interval_log.cpp",
        "const Time from = «std::max(time_of(row[1]), first)»;",
        "time_of(row[1])",
    ),
    CoreBug(
        "what is left behind retracted time-points is lost",
        "interval_log.cpp",
        "if («from >= time_of(known[2])») return;",
        "true",
    ),
    CoreBug("an event that is retracted stays", "log_writer.cpp", "  «head.is_there = 0;»", ""),
    CoreBug(
        "a point at the query time does not wake its key",
        "interval_log.cpp",
        "if (!interval_head(&cells[at]).has(kIsPoint) || «start < query») continue;",
        "start <= query",
    ),
    CoreBug(
        "rows of equal time stand in the order of arrival",
        "key_log.cpp",
        "return own < time || («own == time && RowHead::from(row[1]).table < table»);",
        "own == time",
    ),
    CoreBug(
        "a limit belongs to what lies below it",
        "row_tester.cpp",
        "static_cast<std::uint32_t>(«number >= limit»)",
        "number > limit",
    ),
]
STORE = [
    CoreBug(
        "a key does not read the events of its parts",
        "part_store.cpp",
        "if («!rows.log.empty()») logs.push_back",
        "false",
    ),
    CoreBug(
        "events of a part do not reach keys that are there",
        "part_store.cpp",
        "one.is_changed = «taken.first != kForever»;",
        "false",
    ),
    CoreBug(
        "an interval of a part reaches new keys alone",
        "part_store.cpp",
        "writer.lost());\n    unmatched_ += taken.unmatched;\n    one.is_changed = «one.is_changed || taken.first != kForever»;",
        "one.is_changed",
    ),
    CoreBug(
        "rows of a part are dropped up to the query time",
        "part_store.cpp",
        "rows.log.drop_until(«moment.border», keep, widths);",
        "moment.query",
    ),
    CoreBug(
        "a key with delayed effects does not wake",
        "key_evaluator.cpp",
        "state.own_wake = std::min(«sweep_.wake()», state.intervals.wake(world_.query));",
        "kForever",
    ),
    CoreBug(
        "a checkpoint stays although rows before it have changed",
        "key_segments.cpp",
        "return «moved(one.checkpoint.time, world_.plan().settle) < first»;",
        "first > kNever",
    ),
    CoreBug(
        "results after a checkpoint are kept where it goes on",
        "key_segments.cpp",
        "later[first + i].results = from + «saved_results_[i]»;",
        "found_.size()",
    ),
    CoreBug(
        "states of the same size are the same",
        "key_segments.cpp",
        "if (next <= count && «saved_[saves_ - 1].words == state.later[next - 1].checkpoint.words») break;",
        "saved_[saves_ - 1].words.size() == state.later[next - 1].checkpoint.words.size()",
    ),
    CoreBug(
        "a segment is evaluated without the rows that decide its end",
        "key_segments.cpp",
        "world_.query = moved(until, «world_.plan().settle»);",
        "0",
    ),
    CoreBug(
        "what rules look back to does not count as changed",
        "key_segments.cpp",
        "mark_dirty(state, time, «moved(time, keep[table])»);",
        "time",
    ),
    CoreBug(
        "results after segments that have changed stay where they were",
        "key_segments.cpp",
        "later[i].results += «found_.size() - (to - from)»;",
        "0",
    ),
    CoreBug(
        "a checkpoint after the border becomes the first one",
        "key_checkpoints.cpp",
        "return «one.checkpoint.time <= border_» && moved(one.checkpoint.time, world_.plan().settle) < first_change;",
        "one.checkpoint.time <= world_.query",
    ),
    CoreBug(
        "a key that is left behind misses what happens by itself",
        "key_checkpoints.cpp",
        "if («state.own_wake <= world_.query») return false;",
        "false",
    ),
    CoreBug(
        "what is gone is not handed on",
        "key_evaluator.cpp",
        "for (const Value* row : diff_.removed()) {\n    if («is_passed_on(row)») put(row, true, out);",
        "false",
    ),
    CoreBug(
        "results are compared by their beginnings",
        "results.cpp",
        "return a[0] == b[0] && «std::equal(a, a + result_head(a).width, b)»;",
        "a[1] == b[1]",
    ),
]
SWEEP = [
    CoreBug("an interval starts at its initiation", "row_pass.cpp", "pair.since = «world_.now + 1»;", "world_.now"),
    CoreBug(
        "an initiation that has no effect begins all the same",
        "row_pass.cpp",
        "if («fluent.is_broken(instance.initiated, world_.now)») {",
        "false",
    ),
    CoreBug(
        "an open termination ends what was touched alone",
        "row_pass.cpp",
        "if («instance.stamp != world_.now && instance.current != kNone») touched_.emplace_back(table, number);",
        "false",
    ),
    CoreBug(
        "two values initiated together do not break each other",
        "sweep.h",
        "instance.is_contested = «instance.initiated != kNone»;",
        "false",
    ),
    CoreBug(
        "another value breaks no packed pair",
        "packed_pass.cpp",
        "broken |= «phase_->packed[static_cast<std::size_t>(std::countr_zero(left))].rivals»;",
        "PairBits{0}",
    ),
    CoreBug(
        "rows that end a mirrored pair are passed over",
        "packed_pass.cpp",
        "if ((rule.initiates | («rule.ends & holding_bits_»)) != 0) return false;",
        "PairBits{0}",
    ),
    CoreBug(
        "what holds without bits is not looked at",
        "packed_pass.cpp",
        "if («holds») uses_bits_ = false;",
        "false",
    ),
    CoreBug(
        "an end of what does not hold breaks nothing",
        "packed_pass.cpp",
        "PairBits broken = «ended_bits_»;",
        "ended_bits_ & holding_bits_",
    ),
    CoreBug(
        "what is not declared counts for plain rules",
        "packed_pass.cpp",
        "(holding_bits_ & «declared_bits_» & rule.asks) != rule.wants",
        "~PairBits{0}",
    ),
    CoreBug("an event that is derived twice happens twice", "effects.cpp", "events.row(row).begin())) «return;»", ""),
    CoreBug(
        "a delayed effect comes although its trigger was broken",
        "delays.cpp",
        "return «is_unbroken» && !(attempt.is_postponable && is_renewed);",
        "true",
    ),
    CoreBug(
        "a new initiation does not postpone",
        "delays.cpp",
        "const bool is_renewed = «trigger.last_initiated == world_.now || trigger.last_effective > attempt.initiated»;",
        "false",
    ),
    CoreBug(
        "a delayed effect comes late",
        "delays.cpp",
        ".due = moved(world_.now, «delay->as_integer()»)",
        "delay->as_integer() + 1",
    ),
    CoreBug(
        "groundings do not narrow",
        "sweep.cpp",
        "return «groundings.empty()» || std::any_of(groundings.begin()",
        "true",
    ),
]


def _no_postponing(patch: pytest.MonkeyPatch) -> None:
    _replan(patch, lambda plan: replace(plan, postpones=()))


def _no_initial_values(patch: pytest.MonkeyPatch) -> None:
    _replan(patch, lambda plan: replace(plan, initially=()))


def _nothing_is_shared(patch: pytest.MonkeyPatch) -> None:
    def alone(stage: Any) -> Any:
        routes = (route for route in stage.inputs if not route.is_shared)
        return replace(stage, inputs=tuple(routes))

    _replan(patch, lambda plan: replace(plan, stages=tuple(map(alone, plan.stages))))


def _one_key_too_few(patch: pytest.MonkeyPatch) -> None:
    def first(stage: Any) -> Any:
        routes = (replace(route, places=route.places[:1]) for route in stage.inputs)
        return replace(stage, inputs=tuple(routes))

    _replan(patch, lambda plan: replace(plan, stages=tuple(map(first, plan.stages))))


def _rules_run_once(patch: pytest.MonkeyPatch) -> None:
    def once(component: Any) -> Any:
        return replace(component, groups=tuple(replace(group, repeats=False) for group in component.groups))

    def stage(one: Any) -> Any:
        return replace(one, components=tuple(map(once, one.components)))

    _replan(patch, lambda plan: replace(plan, stages=tuple(map(stage, plan.stages))))


def _replan(patch: pytest.MonkeyPatch, change: Any) -> None:
    """Change the plans that programs are lowered to."""
    original = engine.lower

    def changed(plan: Any) -> Any:
        found = original(plan)
        return replace(found, plan=change(found.plan))

    patch.setattr(engine, "lower", changed)


LOWERING = [
    CoreBug("effects are never postponed", "physical/lower.py", patch=_no_postponing),
    CoreBug("initial values are forgotten", "physical/lower.py", patch=_no_initial_values),
    CoreBug("rows for all keys reach none", "physical/keys.py", patch=_nothing_is_shared),
    CoreBug("a row reaches the first of its keys alone", "physical/keys.py", patch=_one_key_too_few),
    CoreBug("groups of rules run once", "physical/lower.py", patch=_rules_run_once),
]
BUGS: list[CoreBug] = [*INTERVALS, *NUMBERS, *CHANGES, *ROWS, *STORE, *SWEEP, *LOWERING]
