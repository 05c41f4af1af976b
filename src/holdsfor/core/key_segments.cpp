// Evaluates a key segment by segment, and only where something has changed.
//
// The checkpoints of a key divide its time into segments. A segment begins after a checkpoint and ends with the next
// one; the last segment continues to the query time. Dirty segments are evaluated, and then the segments after them
// until a checkpoint has the same words as before, so that the state is unchanged. The last segment is always
// evaluated.
#include <algorithm>

#include "key_evaluator.h"

namespace holdsfor {
namespace {

// Interval rows whose extent is computed one by one. With more rows, all later segments are dirty.
constexpr std::size_t kFewIntervals = 8;
// Limit for separate runs of dirty segments, because each run moves results.
constexpr std::size_t kMostRuns = 16;

// The end of the maximal interval that a row of its pair extends, before or after the change.
Time end_with_neighbours(const IntervalLog& log, const Value* row) {
  Time end = time_of(row[2]);
  const std::size_t width = interval_head(row).width;
  Intervals after;
  for (std::size_t at = 0; at < log.cells().size();) {
    const Value* other = &log.cells()[at];
    const IntervalHead head = interval_head(other);
    at += head.width;
    if (head.table != interval_head(row).table || time_of(other[2]) <= end) continue;
    if (std::equal(row + 4, row + width, other + 4)) after.push_back({time_of(other[1]), time_of(other[2])});
  }
  std::sort(after.begin(), after.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  for (const Interval& one : after) {
    if (one.start <= end) end = std::max(end, one.end);
  }
  return end;
}

}  // namespace

// Changes

// Marks segments for a change of rows from `first` on that affects nothing from `last` on, unless the state there
// differs. Checkpoints depend on rows up to Plan::settle after them.
void KeyEvaluator::mark_dirty(const KeyState& state, Time first, Time last) {
  const auto& later = state.later;
  const auto from = std::partition_point(later.begin(), later.end(), [&](const LaterCheckpoint& one) {
    return moved(one.checkpoint.time, world_.plan().settle) < first;
  });
  const auto to =
      std::partition_point(from, later.end(), [&](const LaterCheckpoint& one) { return one.checkpoint.time < last; });
  std::fill(is_dirty_.begin() + (from - later.begin()), is_dirty_.begin() + (to - later.begin()) + 1, 1);
}

void KeyEvaluator::find_dirty(const StageStore& stage, const StageStore::Work& work, const KeyState& state,
                              Time first_change) {
  is_dirty_.assign(state.later.size() + 1, 0);
  is_dirty_.back() = 1;
  if (state.later.empty() || first_change == kForever) return;
  const Time from_others = std::min(work.first_change, stage.first_change());
  if (state.later.size() == 1) {
    const Time decided = moved(state.later[0].checkpoint.time, world_.plan().settle);
    if (decided >= first_change) is_dirty_[0] = 1;
    return;
  }
  if (from_others <= first_change) {
    mark_dirty(state, first_change, kForever);
    return;
  }
  if (from_others != kForever) mark_dirty(state, from_others, kForever);
  // Checkpoints do not contain the rows that rules look back to.
  const auto keep = stage.keep();
  if (work.group != kNone) {
    const std::span<const Value> rows = stage.intake().rows(work.group);
    const auto more = static_cast<std::size_t>(stage.intake().has_causes());
    const Time last = moved(state.later.back().checkpoint.time, world_.plan().settle);
    for (std::size_t at = 0; at < rows.size();) {
      const Time time = time_of(rows[at]);
      const std::uint16_t table = RowHead::from(rows[at + 1]).table;
      if (time >= first_change && time <= last) mark_dirty(state, time, moved(time, keep[table]));
      at += widths_[table] + more;
    }
  }
  if (work.interval_group != kNone) {
    std::size_t count = 0;
    const auto for_rows = [&](const auto& use) { stage.intervals().for_rows(work.interval_group, use); };
    for_rows([&](const Value*, Time) { ++count; });
    for_rows([&](const Value* row, Time its_change) {
      if (its_change < first_change) return;
      const Time end = count <= kFewIntervals ? end_with_neighbours(state.intervals, row) : kForever;
      mark_dirty(state, its_change, moved(end, keep[interval_head(row).table]));
    });
  }
  for (const StageStore::EffectItem& item : stage.effects(work)) {
    const Time time = time_of(*item.arrivals->rows.row(item.row));
    mark_dirty(state, time, moved(time, keep[item.arrivals->table]));
  }
  std::size_t runs = 0;
  for (std::size_t i = 0; i + 1 < is_dirty_.size(); ++i)
    runs += static_cast<std::size_t>(is_dirty_[i] < is_dirty_[i + 1]);
  if (runs > kMostRuns) std::fill(std::find(is_dirty_.begin(), is_dirty_.end(), 1), is_dirty_.end(), 1);
}

// Evaluation

// Returns whether results have changed.
bool KeyEvaluator::evaluate_dirty(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                  CheckpointPlan& planned, const std::vector<bool>& is_wanted, StageOutput& out) {
  if (planned.border) is_dirty_[0] = 1;
  bool is_changed = false;
  std::size_t next = 0;
  // The number of the next segment before the evaluation.
  for (std::size_t was = 0; next <= state.later.size();) {
    if (is_dirty_[was] == 0) {
      ++was;
      ++next;
      continue;
    }
    const Segments run{next, evaluate_run(stage, work, state, planned, next, was)};
    const std::size_t from = next == 0 ? 0 : state.later[next - 1].results;
    const std::size_t to = run.stop > state.later.size() ? state.results.size() : state.later[run.stop - 1].results;
    const auto before = std::span<const Value>(state.results).subspan(from, to - from);
    diff_.compare(before, found_, mode_.no_changes ? &is_wanted : nullptr);
    const bool is_other = mode_.no_changes || !diff_.is_empty();
    note_difference(is_wanted, out);
    is_changed = is_changed || is_other;
    next = take_over(stage, state, planned, run, is_other);
    was += run.stop - run.first;
  }
  thin_out(state, planned);
  return is_changed;
}

// Evaluates segments from a dirty one on until the state is unchanged. `found_` gets their results, `saved_` their
// checkpoints. Returns the segment after the last evaluated one.
std::size_t KeyEvaluator::evaluate_run(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                       const CheckpointPlan& planned, std::size_t first, std::size_t was) {
  found_.clear();
  saves_ = 0;
  const std::size_t count = state.later.size();
  std::size_t next = first;
  // Double the number of segments that are evaluated together.
  for (std::size_t width = 1; next <= count; width *= 2) {
    std::size_t stop = std::min(next + width, count + 1);
    while (stop <= count && is_dirty_[was + stop - first] != 0) ++stop;
    const Checkpoint* from = nullptr;
    if (saves_ > 0) {
      from = &saved_[saves_ - 1];
    } else if (first > 0) {
      from = &state.later[first - 1].checkpoint;
    } else if (state.base.time != kNever) {
      from = &state.base;
    }
    evaluate_segments(stage, work, state, planned, {next, stop}, from);
    next = stop;
    if (next <= count && saved_[saves_ - 1].words == state.later[next - 1].checkpoint.words) break;
  }
  return next;
}

// Evaluates segments together, in as many sweeps as their checkpoints require.
void KeyEvaluator::evaluate_segments(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                     const CheckpointPlan& planned, Segments segments, const Checkpoint* from) {
  plan_saves(state, planned, segments, from == nullptr ? kNever : from->time);
  const bool is_saved = saves_ > 0;
  const std::size_t last = saves_ + times_.size();
  if (saved_.size() < last) {
    saved_.resize(last);
    saved_results_.resize(last);
    if (is_saved) from = &saved_[saves_ - 1];
  }
  for (std::size_t i = 0; i < times_.size(); ++i) saved_[saves_ + i].time = times_[i];
  do {
    const Segments saves{saves_, std::min(saves_ + kSavesAtOnce, last)};
    const bool is_end = segments.stop > state.later.size() && saves.stop == last;
    sweep(stage, work, state, from, saves, is_end ? kForever : saved_[saves.stop - 1].time);
    saves_ = saves.stop;
    if (saves_ > 0) from = &saved_[saves_ - 1];
  } while (saves_ < last);
}

// Chooses the checkpoint times in some segments after a time: existing ones (unless the log is short), one at the
// border, more in long segments, and one at the end.
void KeyEvaluator::plan_saves(KeyState& state, const CheckpointPlan& planned, Segments segments, Time from) {
  const bool has_end = segments.stop > state.later.size();
  const bool is_short = state.log.cells().size() <= planned.spacing;
  times_.clear();
  for (std::size_t i = segments.first; i < segments.stop && i < state.later.size(); ++i) {
    if (!has_end || !is_short) times_.push_back(state.later[i].checkpoint.time);
  }
  Time known = from;
  if (planned.border && segments.first == 0) times_.insert(times_.begin(), known = *planned.border);
  if (!planned.has_more) return;
  if (!is_short) {
    const std::size_t count = times_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (times_[i] <= known) continue;
      plan_more(state, known, times_[i], planned.spacing);
      known = times_[i];
    }
    if (has_end) plan_more(state, known, kForever, planned.spacing);
    std::sort(times_.begin(), times_.end());
  }
  if (!has_end) return;
  const auto end = end_checkpoint(state, times_.empty() ? from : times_.back());
  if (end) times_.push_back(*end);
}

// Adds checkpoint times between two times, if the rows between them are too many for one segment.
void KeyEvaluator::plan_more(KeyState& state, Time from, Time until, std::size_t spacing) {
  const auto place = [&](Time time) { return state.log.find(time, 0, widths_).at; };
  const std::size_t last = until == kForever ? state.log.cells().size() : place(until);
  const Time latest = moved(world_.query, -world_.plan().settle);
  for (std::size_t cell = (from == kNever ? 0 : place(moved(from, 1))) + spacing; cell + spacing <= last;
       cell += spacing) {
    const Time time = state.log.time_at(cell, widths_);
    if (time >= until || time > latest) return;
    if (time > from) times_.push_back(time);
    from = time;
  }
}

// Loads the rows of a key into the world, evaluates those after a checkpoint, and appends the results to `found_`. With
// `until`, leaves out results after it; rows up to Plan::settle after `until` still matter for results before it.
void KeyEvaluator::sweep(const StageStore& stage, const StageStore::Work& work, KeyState& state, const Checkpoint* from,
                         Segments saves, Time until) {
  world_.clear();
  const auto key = stage.keys().key(work.slot);
  world_.key.assign(key.begin(), key.end());
  world_.group = stage.group_of(work.slot);
  stage.load(world_, sweep_, work.slot, widths_, events_);
  const Time query = world_.query;
  const bool is_whole = until == kForever;
  if (!is_whole) world_.query = moved(until, world_.plan().settle);
  if (world_.log.data() == state.log.cells().data()) {
    if (!is_whole) world_.log = world_.log.first(state.log.find(moved(world_.query, 1), 0, widths_).at);
    // The checkpoint contains everything further back.
    if (from != nullptr && stage.event_keep() != kForever) {
      const Time first = moved(moved(from->time, -stage.event_keep()), 1);
      world_.log = world_.log.subspan(state.log.find(first, 0, widths_).at);
    }
  }
  sweep_.run({.stage = stage.number(),
              .initial = stage.initial(work.slot),
              .from = from,
              .saves = std::span(saved_).subspan(saves.first, saves.stop - saves.first)});
  world_.query = query;
  Time settled = from == nullptr ? kNever : from->time;
  for (std::size_t i = saves.first; i < saves.stop; ++i) {
    extract_results(world_, sweep_, stage.number(), settled, saved_[i].time, found_);
    settled = saved_[i].time;
    saved_results_[i] = found_.size();
  }
  if (is_whole) extract_results(world_, sweep_, stage.number(), settled, kForever, found_);
}

// Replaces the results and checkpoints of some segments of the key by the new ones. Returns the number of the segment
// after them.
std::size_t KeyEvaluator::take_over(const StageStore& stage, KeyState& state, CheckpointPlan& planned,
                                    Segments segments, bool is_changed) {
  auto& later = state.later;
  const bool has_end = segments.stop > later.size();
  const std::size_t last = std::min(segments.stop, later.size());
  const std::size_t from = segments.first == 0 ? 0 : later[segments.first - 1].results;
  const std::size_t to = has_end ? state.results.size() : later[last - 1].results;
  const auto result = [&](std::size_t at) { return state.results.begin() + static_cast<std::ptrdiff_t>(at); };
  if (is_changed || saves_ > 0) {
    const std::size_t in_place = std::min(to - from, found_.size());
    const auto found = [&](std::size_t at) { return found_.begin() + static_cast<std::ptrdiff_t>(at); };
    std::copy(found(diff_.common()), found(in_place), result(from + diff_.common()));
    if (in_place < found_.size()) {
      state.results.insert(result(to), found(in_place), found_.end());
    } else {
      state.results.erase(result(from + in_place), result(to));
    }
  }
  // The checkpoint at the border becomes the first one.
  std::size_t settled = 0;
  const bool has_border = planned.border.has_value();
  if (has_border) {
    planned.border.reset();
    is_stable_ = state.base.words == saved_[0].words;
    state.base = saved_[0];
    settled = saved_results_[0];
    --saves_;
    for (std::size_t i = 0; i < saves_; ++i) {
      std::swap(saved_[i], saved_[i + 1]);
      saved_results_[i] = saved_results_[i + 1];
    }
  }
  const std::size_t first =
      segments.first - static_cast<std::size_t>(thin_saved(stage, state, planned, segments.first));
  // Checkpoints that stay in place keep their memory.
  const auto place = [&](std::size_t at) { return later.begin() + static_cast<std::ptrdiff_t>(at); };
  if (first + saves_ > last) {
    later.insert(place(last), first + saves_ - last, {});
  } else {
    later.erase(place(first + saves_), place(last));
  }
  for (std::size_t i = 0; i < saves_; ++i) {
    later[first + i].checkpoint = saved_[i];
    later[first + i].results = from + saved_results_[i];
  }
  for (std::size_t i = first + saves_; i < later.size(); ++i) later[i].results += found_.size() - (to - from);
  if (has_border) settle(stage, state, settled);
  return first + saves_ + static_cast<std::size_t>(has_end);
}

// Drops new checkpoints from a segment on that are too close to each other. Returns whether the checkpoint before them
// is also too close.
bool KeyEvaluator::thin_saved(const StageStore& stage, KeyState& state, CheckpointPlan& planned, std::size_t first) {
  if (saves_ == 0) return false;
  planned.spacing = spacing(stage, state, saved_[saves_ - 1].words.size());
  const bool has_before = first > 0;
  const bool is_short = state.log.cells().size() <= planned.spacing;
  if (!is_short) {
    times_.clear();
    if (has_before) times_.push_back(state.later[first - 1].checkpoint.time);
    for (std::size_t i = 0; i < saves_; ++i) times_.push_back(saved_[i].time);
    choose_spaced(state, first > 1 ? state.later[first - 2].checkpoint.time : state.base.time, planned.spacing);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < saves_; ++i) {
    if (is_short ? i + 1 < saves_ : !is_kept_[i + static_cast<std::size_t>(has_before)]) continue;
    if (kept != i) std::swap(saved_[kept], saved_[i]);
    saved_results_[kept++] = saved_results_[i];
  }
  saves_ = kept;
  return has_before && (is_short || !is_kept_[0]);
}

}  // namespace holdsfor
