#include "key_evaluator.h"

namespace holdsfor {

void StageOutput::clear() {
  keys.clear();
  rows.clear();
  cells.clear();
  causes.clear();
  unmatched = 0;
  conflicts = 0;
}

KeyEvaluator::KeyEvaluator(const Prepared& prepared, TermTable& terms, Host& host, const LogWidths& widths,
                           const std::vector<RowConditions>& conditions)
    : world_(prepared, terms, host), sweep_(world_) {
  writers_.reserve(conditions.size());
  for (const RowConditions& one : conditions) writers_.emplace_back(widths, one, terms);
}

void KeyEvaluator::begin(const StageStore& stage, const Window& window, Time query) {
  stage.prepare(world_, query);
  first_ = window.first(query);
}

void KeyEvaluator::evaluate(StageStore& stage, const StageStore::Work& work, const std::vector<bool>& is_wanted,
                            StageOutput& out) {
  KeyState& state = stage.state(work.slot);
  take_in(stage, work, state, out);
  world_.clear();
  const auto key = stage.keys().key(work.slot);
  world_.key.assign(key.begin(), key.end());
  stage.load(world_, sweep_, state);
  const bool has_base = state.base.time != kNever;
  sweep_.run({.stage = stage.number(),
              .initial = stage.initial(work.slot),
              .from = has_base ? &state.base : nullptr,
              .save_after = kForever,
              .into = nullptr});
  found_.clear();
  extract_results(world_, sweep_, stage.stage(), state.base.time, found_);
  diff_.compare(state.results, found_);
  StageOutput::Key& outcome = out.keys.emplace_back();
  outcome.slot = work.slot;
  outcome.is_changed = !diff_.is_empty();
  outcome.wake = std::min(sweep_.wake(), state.intervals.wake(world_.query));
  outcome.causes_to = static_cast<std::uint32_t>(out.causes.size());
  if (!outcome.is_changed) return;
  note_difference(state, is_wanted, out);
  state.results.assign(found_.begin(), found_.end());
}

void KeyEvaluator::take_in(StageStore& stage, const StageStore::Work& work, KeyState& state, StageOutput& out) {
  if (work.group != kNone) {
    const Taken taken = writer(stage.number()).take_in(stage.intake(), work.group, state.log, &out.causes);
    out.unmatched += taken.unmatched;
  }
  for (const StageStore::IntervalItem& item : stage.intervals(work)) {
    if (take_interval(state, item.row, item.is_input ? first_ : kNever)) {
      if (item.cause != kNoCause) out.causes.push_back(item.cause);
    } else if (item.is_counted) {
      ++out.unmatched;
    }
  }
  for (const StageStore::EffectItem& item : stage.effects(work)) {
    take_effect(state, *item.arrivals, item.row);
    const Cause cause = item.arrivals->causes[item.row];
    if (cause != kNoCause) out.causes.push_back(cause);
  }
}

void KeyEvaluator::note_difference(const KeyState& state, const std::vector<bool>& is_wanted, StageOutput& out) {
  out.conflicts -= static_cast<std::int64_t>(count_conflicts(state.results));
  out.conflicts += static_cast<std::int64_t>(count_conflicts(found_));
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
