// Manages the checkpoints of a key: where sweeps resume, and what can be dropped.
#include <algorithm>

#include "key_evaluator.h"

namespace holdsfor {
namespace {

// Log cells up to which a checkpoint is not worth its cost.
constexpr std::size_t kFewCells = 64;

// Minimum length of a segment of a long log: a number of cells, or a share of the log, which limits the number of
// checkpoints. Shorter segments do not make a late row cheaper, because moving rows and results then dominates.
constexpr std::size_t kCellsOfSegment = 2048;
constexpr std::size_t kMostSegments = 256;
// Minimum ratio of log cells in a segment to words of a checkpoint, so that checkpoints need little memory next to the
// log.
constexpr std::size_t kCellsForWord = 16;

}  // namespace

std::vector<std::uint64_t> KeyEvaluator::empty_checkpoint(const StageStore& stage) {
  world_.clear();
  world_.key.assign(stage.stage().key, Value::nothing());
  stage.load_nothing(world_, sweep_);
  Checkpoint empty{.time = world_.query, .words = {}};
  sweep_.run({.stage = stage.number(), .initial = {}, .from = nullptr, .saves = {&empty, 1}});
  return empty.words;
}

const World& KeyEvaluator::at_checkpoint(const StageStore& stage, Index slot, const Checkpoint& checkpoint) {
  world_.clear();
  const auto key = stage.keys().key(slot);
  world_.key.assign(key.begin(), key.end());
  world_.group = stage.group_of(slot);
  stage.load_nothing(world_, sweep_);
  sweep_.run({.stage = stage.number(), .initial = {}, .from = &checkpoint, .saves = {}});
  return world_;
}

World& KeyEvaluator::at_end(const StageStore& stage, std::span<const Value> key) {
  world_.clear();
  world_.key.assign(key.begin(), key.end());
  const Index slot = world_.group_of ? world_.group_of(key[0]) : stage.keys().find(key);
  world_.group = slot;
  const bool is_there = slot != kNone && slot < stage.slots();
  if (is_there) {
    stage.load(world_, sweep_, slot, widths_, events_);
  } else {
    stage.load_nothing(world_, sweep_);
  }
  const bool has_base = is_there && stage.state(slot).base.time != kNever;
  sweep_.run({.stage = stage.number(),
              .initial = is_there ? stage.initial(slot) : std::span<const GroundPair>{},
              .from = has_base ? &stage.state(slot).base : nullptr,
              .saves = {}});
  return world_;
}

void KeyEvaluator::settle_at(StageStore& stage, Index slot, Time time, Time query) {
  KeyState at_time;
  at_time.base.time = time;
  static_cast<void>(checkpoints_like(stage, slot, at_time, query));
}

// Whether the border has passed enough rows since the first checkpoint, or all rows.
bool KeyEvaluator::is_worth_compacting(const StageStore& stage, const StageStore::Work& work, KeyState& state) {
  if (border_ == kNever || border_ <= state.base.time || border_ > world_.query) return false;
  if (work.is_compacted) return true;
  const std::size_t cells = state.log.cells().size();
  std::size_t behind = 0;
  if (cells > 0 && state.log.first_time() <= border_) behind = state.log.find(border_ + 1, 0, widths_).at;
  const std::size_t interval_cells = state.intervals.cells().size();
  if (behind == cells) return true;
  return behind > std::max(kFewCells, cells / 2) ||
         interval_cells > std::size_t{2} * state.interval_cells + kFewCells ||
         state.intervals.cells_behind(border_, stage.keep()) > std::max(kFewCells, interval_cells / 2);
}

// Whether the border has passed the last checkpoint and all events.
bool KeyEvaluator::is_behind(const KeyState& state) const {
  return border_ != kNever && !state.later.empty() && state.later.back().checkpoint.time <= border_ &&
         (state.log.empty() || time_of(state.log.cells()[state.log.last_row()]) <= border_);
}

// Makes the last checkpoint that is valid and not after the border the first one. False if there is none.
bool KeyEvaluator::promote(const StageStore& stage, KeyState& state, Time first_change) {
  const auto is_final = [&](const LaterCheckpoint& one) {
    return one.checkpoint.time <= border_ && moved(one.checkpoint.time, world_.plan().settle) < first_change;
  };
  std::size_t count = 0;
  while (count < state.later.size() && is_final(state.later[count])) ++count;
  if (count == 0) return false;
  LaterCheckpoint& chosen = state.later[count - 1];
  state.base = std::move(chosen.checkpoint);
  const std::size_t results = chosen.results;
  state.later.erase(state.later.begin(), state.later.begin() + static_cast<std::ptrdiff_t>(count));
  settle(stage, state, results);
  return true;
}

// Whether an unchanged key has nothing after its first checkpoint except intervals without an end.
bool KeyEvaluator::is_quiet(const KeyState& state) const {
  const Time base = state.base.time;
  if (state.own_wake <= world_.query) return false;
  if (state.is_idle) return true;
  if (state.results.empty() || !state.later.empty()) return false;
  if (!state.log.empty() && time_of(state.log.cells()[state.log.last_row()]) > base) return false;
  const Time last_end = state.intervals.last_end();
  if (last_end > moved(base, 1) && last_end != kForever) return false;
  for (std::size_t at = 0; at < state.results.size(); at += result_head(&state.results[at]).width) {
    if (last_time(&state.results[at]) != kForever) return false;
  }
  return true;
}

KeyEvaluator::CheckpointPlan KeyEvaluator::plan_checkpoints(const StageStore& stage, const KeyState& state,
                                                            bool is_known, bool is_compacted) const {
  CheckpointPlan planned;
  if (is_compacted) planned.border = border_;
  // The first evaluation of a key may also be its last. So it creates no checkpoints, unless the window will pass the
  // key.
  const bool is_long = is_known && state.log.cells().size() > kFewCells;
  const bool is_wanted = border_ != kNever || is_long || world_.prepared.checkpoint_cells;
  planned.has_more = stage.can_resume() && !mode_.is_last && is_wanted;
  const Checkpoint& last = state.later.empty() ? state.base : state.later.back().checkpoint;
  planned.spacing = spacing(stage, state, last.words.size());
  return planned;
}

// The minimum length of a segment of a key, in cells of its log, for checkpoints of `words` words.
std::size_t KeyEvaluator::spacing(const StageStore& stage, const KeyState& state, std::size_t words) const {
  if (world_.prepared.checkpoint_cells) return *world_.prepared.checkpoint_cells;
  const std::size_t cells = state.log.cells().size();
  if (cells <= kCellsOfSegment) return kCellsOfSegment;
  // Each sweep merges all rows of the key's parts with its own rows, so segments would not help.
  if (stage.parts() != nullptr) return cells;
  const Time first = state.log.first_time();
  const Time last = time_of(state.log.cells()[state.log.last_row()]);
  const auto length = static_cast<double>(last) - static_cast<double>(first);
  // A sweep of a segment also reads rows before and after it, and all intervals.
  const Time beyond = moved(stage.event_keep(), world_.plan().settle);
  if (beyond == kForever || static_cast<double>(beyond) >= length) return cells;
  const double share = static_cast<double>(beyond) / length;
  return std::max({kCellsOfSegment, cells / kMostSegments, words * kCellsForWord, state.intervals.cells().size(),
                   static_cast<std::size_t>(share * static_cast<double>(cells))});
}

// The time of the last checkpoint, if earlier ones reach up to `known`: one time-point after the last row, when its
// effects are over. Without new rows, something has happened by itself.
std::optional<Time> KeyEvaluator::end_checkpoint(const KeyState& state, Time known) const {
  const Time latest = moved(world_.query, -world_.plan().settle);
  Time last = state.intervals.last_edge(latest);
  if (!state.log.empty()) last = std::max(last, time_of(state.log.cells()[state.log.last_row()]));
  last = std::min(moved(last, 1), latest);
  // Slices of rational time end with a point.
  if (world_.plan().is_rational) last &= ~Time{1};
  if (last <= known) last = latest;
  return last > known ? std::optional(last) : std::nullopt;
}

// Drops the checkpoints up to the border. The new checkpoint at the border becomes the first one.
void KeyEvaluator::drop_until(KeyState& state, Time border) {
  std::erase_if(state.later, [&](const LaterCheckpoint& one) { return one.checkpoint.time <= border; });
}

// Chooses those of `times_` that are far enough from each other and from the previous checkpoint. Always keeps the last
// one.
void KeyEvaluator::choose_spaced(KeyState& state, Time before, std::size_t spacing) {
  is_kept_.assign(times_.size(), false);
  is_kept_.back() = true;
  const auto place = [&](Time time) { return time == kNever ? 0 : state.log.find(moved(time, 1), 0, widths_).at; };
  std::size_t from = place(before);
  for (std::size_t i = 0; i + 1 < times_.size(); ++i) {
    if (place(times_[i + 1]) - from <= spacing) continue;
    is_kept_[i] = true;
    from = place(times_[i]);
  }
}

// Drops checkpoints after the log has grown, because longer segments suffice.
void KeyEvaluator::thin_out(KeyState& state, const CheckpointPlan& planned) {
  if (state.later.size() <= 2 * kMostSegments) return;
  times_.clear();
  for (const LaterCheckpoint& one : state.later) times_.push_back(one.checkpoint.time);
  choose_spaced(state, state.base.time, planned.spacing);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!is_kept_[i]) continue;
    if (kept != i) state.later[kept] = std::move(state.later[i]);
    ++kept;
  }
  state.later.resize(kept);
}

// Drops the rows that the first checkpoint replaces, and the first `results` results, which it settles.
void KeyEvaluator::settle(const StageStore& stage, KeyState& state, std::size_t results) {
  const Time time = state.base.time;
  state.may_fall_apart = true;
  has_dropped_ = true;
  state.log.drop_until(time, stage.keep(), widths_);
  state.intervals.settle(time, stage.keep());
  state.interval_cells = static_cast<std::uint32_t>(state.intervals.cells().size());
  if (state.effects) state.effects->drop_until(time, stage.keep());
  if (!state.reported.empty()) {
    unreported_.clear();
    save_unreported(std::span(state.results).first(results), state.reported, unreported_);
    if (!unreported_.empty() && !state.unreported) state.unreported = std::make_unique<Results>();
    if (!unreported_.empty()) {
      state.unreported->insert(state.unreported->end(), unreported_.begin(), unreported_.end());
    }
  }
  state.results.erase(state.results.begin(), state.results.begin() + static_cast<std::ptrdiff_t>(results));
  for (LaterCheckpoint& later : state.later) later.results -= results;
  const bool has_effects = state.effects && !state.effects->empty();
  state.is_idle = state.log.empty() && state.intervals.empty() && !has_effects && state.results.empty() &&
                  state.later.empty() && state.base.words == stage.empty_checkpoint();
}

// The next time at which something happens by itself, or at which rows can be dropped.
Time KeyEvaluator::next_wake(const StageStore& stage, const KeyState& state) const {
  const Time next = state.own_wake;
  if (border_ == kNever || state.is_idle) return next;
  Time last = state.intervals.last_end();
  if (!state.log.empty()) last = std::max(last, time_of(state.log.cells()[state.log.last_row()]));
  if (!state.later.empty()) last = std::max(last, state.later.back().checkpoint.time);
  // On rational time, windows are as long as steps: the next window leaves behind everything in this one.
  if (world_.plan().is_rational && !is_stable_) return std::min(next, std::max(moved(world_.query, 1), last));
  if (last > border_) return std::min(next, moved(last, world_.query - border_));
  // All rows are behind the border, and rows kept for look-back will be, too. If the last compaction dropped nothing,
  // the next one will drop nothing either.
  if (is_stable_ && state.log.empty()) return next;
  return std::min(next, moved(world_.query, moved(*window_.size, stage.longest_keep())));
}

}  // namespace holdsfor
