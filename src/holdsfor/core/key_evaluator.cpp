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
    : world_(prepared, terms, host), sweep_(world_), widths_(widths) {
  writers_.reserve(conditions.size());
  for (const RowConditions& one : conditions) writers_.emplace_back(widths, one, terms);
}

void KeyEvaluator::begin(const StageStore& stage, const Window& window, Time query, const Watch& watch) {
  world_.watch = watch;
  stage.prepare(world_, query);
  window_ = window;
  first_ = window.first(query);
  const Time low = window.low(query);
  const Time settle = world_.plan().settle;
  border_ = low == kNever || settle == kForever ? kNever : moved(low, -settle);
}

void KeyEvaluator::evaluate(StageStore& stage, const StageStore::Work& work, const std::vector<bool>& is_wanted,
                            StageOutput& out) {
  KeyState& state = stage.state(work.slot);
  state.is_idle = false;
  take_in(stage, work, state, out);
  world_.clear();
  const auto key = stage.keys().key(work.slot);
  world_.key.assign(key.begin(), key.end());
  stage.load(world_, sweep_, work.slot, widths_, events_);
  const bool has_base = state.base.time != kNever;
  const bool is_compacted = is_worth_compacting(work, state);
  is_stable_ = false;
  sweep_.run({.stage = stage.number(),
              .initial = stage.initial(work.slot),
              .from = has_base ? &state.base : nullptr,
              .save_after = is_compacted ? border_ : kForever,
              .into = is_compacted ? &saved_ : nullptr});
  found_.clear();
  extract_results(world_, sweep_, stage.stage(), state.base.time, found_);
  diff_.compare(state.results, found_);
  StageOutput::Key& outcome = out.keys.emplace_back();
  outcome.slot = work.slot;
  outcome.is_changed = !diff_.is_empty();
  outcome.causes_to = static_cast<std::uint32_t>(out.causes.size());
  if (outcome.is_changed) {
    note_difference(state, is_wanted, out);
    state.results.assign(found_.begin(), found_.end());
  }
  if (is_compacted) compact(stage, state);
  outcome.is_idle = state.is_idle;
  outcome.wake = next_wake(stage, state);
}

// Compaction

namespace {

// So many cells of a log behind the border are not worth a checkpoint.
constexpr std::size_t kFewCells = 64;

}  // namespace

std::vector<std::uint64_t> KeyEvaluator::empty_checkpoint(const StageStore& stage) {
  world_.clear();
  world_.key.assign(stage.stage().key, Value::nothing());
  stage.load_nothing(world_, sweep_);
  saved_.time = kNever;
  sweep_.run({.stage = stage.number(), .initial = {}, .from = nullptr, .save_after = world_.query, .into = &saved_});
  return saved_.words;
}

const World& KeyEvaluator::at_checkpoint(const StageStore& stage, Index slot) {
  world_.clear();
  const auto key = stage.keys().key(slot);
  world_.key.assign(key.begin(), key.end());
  stage.load_nothing(world_, sweep_);
  const Checkpoint& base = stage.state(slot).base;
  sweep_.run({.stage = stage.number(), .initial = {}, .from = &base, .save_after = kForever, .into = nullptr});
  return world_;
}

// Whether the border has passed enough rows since the last checkpoint, or all.
bool KeyEvaluator::is_worth_compacting(const StageStore::Work& work, KeyState& state) {
  if (border_ == kNever || border_ <= state.base.time || border_ > world_.query) return false;
  if (work.is_compacted) return true;
  const std::size_t cells = state.log.cells().size();
  const std::size_t behind = cells == 0 ? 0 : state.log.find(border_ + 1, 0, widths_).at;
  const std::size_t interval_cells = state.intervals.cells().size();
  if (behind == cells) return true;
  return behind > std::max(kFewCells, cells / 2) || interval_cells > std::size_t{2} * state.interval_cells + kFewCells;
}

// Drops what the checkpoint stands for.
void KeyEvaluator::compact(const StageStore& stage, KeyState& state) {
  if (saved_.time == kNever) return;
  is_stable_ = state.base.words == saved_.words;
  state.base = saved_;
  state.log.drop_until(border_, stage.keep(), widths_);
  state.intervals.settle(border_, stage.keep());
  state.interval_cells = static_cast<std::uint32_t>(state.intervals.cells().size());
  if (state.effects) state.effects->drop_until(border_, stage.keep());
  if (!state.reported.empty()) {
    found_.clear();
    save_unreported(state.results, border_, state.reported, found_);
    if (!found_.empty() && !state.unreported) state.unreported = std::make_unique<Results>();
    if (!found_.empty()) state.unreported->insert(state.unreported->end(), found_.begin(), found_.end());
  }
  drop_settled(state.results, border_);
  const bool has_effects = state.effects && !state.effects->empty();
  state.is_idle = state.log.empty() && state.intervals.empty() && !has_effects && state.results.empty() &&
                  state.base.words == stage.empty_checkpoint();
}

// When something happens by itself, or there may be less to keep.
Time KeyEvaluator::next_wake(const StageStore& stage, const KeyState& state) const {
  const Time next = std::min(sweep_.wake(), state.intervals.wake(world_.query));
  if (border_ == kNever || state.is_idle) return next;
  Time last = state.intervals.last_end();
  if (!state.log.empty()) last = std::max(last, time_of(state.log.cells()[state.log.last_row()]));
  if (last > border_) return std::min(next, moved(last, world_.query - border_));
  // All rows are behind the border, and what is kept of them for rules that look back will be, too. If nothing has gone
  // since the last time, nothing will.
  const bool is_settled = state.base.time == border_ && is_stable_ && state.log.empty();
  return is_settled ? next : std::min(next, moved(world_.query, moved(*window_.size, stage.longest_keep())));
}

void KeyEvaluator::take_in(StageStore& stage, const StageStore::Work& work, KeyState& state, StageOutput& out) {
  if (work.group != kNone) {
    const Taken taken = writer(stage.number()).take_in(stage.intake(), work.group, state.log, &out.causes);
    out.unmatched += taken.unmatched;
  }
  for (const StageStore::IntervalItem& item : stage.intervals(work)) {
    if (state.intervals.take(item.row, item.is_input ? first_ : kNever)) {
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
  for (const StageStore::PartItem& item : stage.parts(work)) {
    const auto causes = stage.causes(item);
    out.causes.insert(out.causes.end(), causes.begin(), causes.end());
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
