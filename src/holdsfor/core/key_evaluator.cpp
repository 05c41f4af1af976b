#include "key_evaluator.h"

#include <algorithm>

#include "interval_editor.h"

namespace holdsfor {

void StageOutput::clear() {
  keys.clear();
  rows.clear();
  cells.clear();
  causes.clear();
  unmatched = 0;
  time_points = 0;
  conflicts = 0;
}

KeyEvaluator::KeyEvaluator(const Prepared& prepared, TermTable& terms, Host& host, const LogWidths& widths,
                           const std::vector<RowConditions>& conditions)
    : world_(prepared, terms, host), sweep_(world_), widths_(widths) {
  writers_.reserve(conditions.size());
  for (const RowConditions& one : conditions) writers_.emplace_back(widths, one, terms);
}

void KeyEvaluator::begin(const StageStore& stage, const Window& window, Time query, const Watch& watch, Mode mode) {
  mode_ = mode;
  world_.watch = watch;
  stage.prepare(world_, query);
  window_ = window;
  world_.origin = window.origin;
  first_ = window.first(query);
  const Time low = window.low(query);
  const Time settle = world_.plan().settle;
  border_ = low == kNever || settle == kForever ? kNever : moved(low, -settle);
}

void KeyEvaluator::evaluate(StageStore& stage, const StageStore::Work& work, const std::vector<bool>& is_wanted,
                            StageOutput& out) {
  KeyState& state = stage.state(work.slot);
  state.is_idle = false;
  is_stable_ = false;
  const bool is_known = !state.log.empty() || !state.results.empty() || state.base.time != kNever;
  // New rows are after the border. If all present rows are behind it, they can be dropped at once.
  bool is_promoted = is_behind(state) && promote(stage, state, kForever);
  const Time first_change = std::min({take_in(stage, work, state, out), work.first_change, stage.first_change()});
  if (mode_.is_last && mode_.no_changes && !is_known) {
    evaluate_once(stage, work, state, is_wanted, out);
    return;
  }
  // Everything has changed, perhaps even the rules.
  if (first_change == kNever) state.later.clear();
  bool is_compacted = !is_promoted && is_worth_compacting(stage, work, state);
  bool is_done = false;
  is_promoted = is_promoted || (is_compacted && promote(stage, state, first_change));
  if (is_promoted) {
    is_done = !work.is_compacted && first_change == kForever && is_quiet(state);
    is_compacted = !is_done && is_worth_compacting(stage, work, state);
    is_stable_ = is_done && state.log.empty() && stage.longest_keep() == 0;
  }
  StageOutput::Key& outcome = out.keys.emplace_back();
  outcome.slot = work.slot;
  outcome.causes_to = static_cast<std::uint32_t>(out.causes.size());
  if (!is_done) {
    state.is_idle = false;
    CheckpointPlan planned = plan_checkpoints(stage, state, is_known, is_compacted);
    const std::uint32_t steps = sweep_.steps();
    if (planned.border) drop_until(state, *planned.border);
    find_dirty(stage, work, state, first_change);
    outcome.is_changed = evaluate_dirty(stage, work, state, planned, is_wanted, out);
    out.time_points += sweep_.steps() - steps;
    state.own_wake = std::min(sweep_.wake(), state.intervals.wake(world_.query));
  }
  outcome.is_idle = state.is_idle;
  outcome.wake = next_wake(stage, state);
  if (mode_.is_last) state.drop_input();
}

Time KeyEvaluator::take_in(StageStore& stage, const StageStore::Work& work, KeyState& state, StageOutput& out) {
  Time first = kForever;
  if (work.group != kNone) {
    const Taken taken = writer(stage.number()).take_in(stage.intake(), work.group, state.log, &out.causes);
    out.unmatched += taken.unmatched;
    first = taken.first;
  }
  if (work.interval_group != kNone) {
    const Taken taken = holdsfor::take_in(stage.intervals(), work.interval_group, first_, state.intervals, &out.causes,
                                          writer(stage.number()).lost());
    out.unmatched += taken.unmatched;
    first = std::min(first, taken.first);
  }
  for (const StageStore::EffectItem& item : stage.effects(work)) {
    take_effect(state, *item.arrivals, item.row);
    first = std::min(first, time_of(*item.arrivals->rows.row(item.row)));
    const Cause cause = item.arrivals->causes[item.row];
    if (cause != kNoCause) out.causes.push_back(cause);
  }
  for (const StageStore::PartItem& item : stage.parts(work)) {
    const auto causes = stage.causes(item);
    out.causes.insert(out.causes.end(), causes.begin(), causes.end());
  }
  return first;
}

void KeyEvaluator::evaluate_once(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                 const std::vector<bool>& is_wanted, StageOutput& out) {
  StageOutput::Key& outcome = out.keys.emplace_back();
  outcome.slot = work.slot;
  outcome.causes_to = static_cast<std::uint32_t>(out.causes.size());
  const std::uint32_t steps = sweep_.steps();
  found_.clear();
  sweep(stage, work, state, nullptr, {}, kForever);
  out.time_points += sweep_.steps() - steps;
  out.conflicts += static_cast<std::int64_t>(sweep_.conflicts().size());
  for (std::size_t at = 0; at < found_.size();) {
    const ResultHead head = result_head(&found_[at]);
    if (is_wanted[head.table] && head.kind != ResultKind::kConflict) put(&found_[at], false, out);
    at += head.width;
  }
  state.results.assign(found_.begin(), found_.end());
  state.drop_input();
}

void KeyEvaluator::note_difference(const std::vector<bool>& is_wanted, StageOutput& out) const {
  out.conflicts += diff_.more_conflicts();
  const auto is_passed_on = [&](const Value* row) {
    const ResultHead head = result_head(row);
    return is_wanted[head.table] && head.kind != ResultKind::kConflict;
  };
  for (const Value* row : diff_.removed()) {
    if (is_passed_on(row)) put(row, true, out);
  }
  for (const Value* row : diff_.added()) {
    if (is_passed_on(row)) put(row, false, out);
  }
}

void KeyEvaluator::put(const Value* row, bool is_removed, StageOutput& out) {
  out.rows.push_back({.key = static_cast<Index>(out.keys.size() - 1),
                      .is_removed = is_removed,
                      .at = static_cast<std::uint32_t>(out.cells.size())});
  out.cells.insert(out.cells.end(), row, row + result_head(row).width);
}

}  // namespace holdsfor
