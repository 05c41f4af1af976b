// Joins the states of keys that rows have tied.
//
// The state of each key is valid, because nothing has tied them so far. So their rows, results and checkpoints are
// combined. The rows that tie them then change the state of the group like any other rows.
#include <algorithm>

#include "checkpoint_parts.h"
#include "key_evaluator.h"

namespace holdsfor {
namespace {

// Merges the rows of several logs, ordered by time and table.
void join_logs(Log& into, std::span<const KeyState* const> others, const LogWidths& widths) {
  struct Row {
    Time time;
    std::uint16_t table;
    const Value* cells;
  };
  std::vector<Row> rows;
  for (const KeyState* other : others) {
    const auto cells = other->log.cells();
    for (std::size_t at = 0; at < cells.size(); at += widths.of(&cells[at])) {
      rows.push_back({time_of(cells[at]), RowHead::from(cells[at + 1]).table, &cells[at]});
    }
  }
  if (rows.empty()) return;
  const auto comes_before = [](const Row& a, const Row& b) {
    return a.time != b.time ? a.time < b.time : a.table < b.table;
  };
  std::stable_sort(rows.begin(), rows.end(), comes_before);
  std::vector<Value> joined;
  std::size_t last = 0;
  const auto put = [&](const Value* row) {
    last = joined.size();
    joined.insert(joined.end(), row, row + widths.of(row));
  };
  const auto cells = into.cells();
  auto next = rows.begin();
  for (std::size_t at = 0; at < cells.size(); at += widths.of(&cells[at])) {
    const Row known{time_of(cells[at]), RowHead::from(cells[at + 1]).table, &cells[at]};
    for (; next != rows.end() && comes_before(*next, known); ++next) put(next->cells);
    put(known.cells);
  }
  for (; next != rows.end(); ++next) put(next->cells);
  into.replace(0, cells.size(), joined, last);
}

void join_rows(KeyState& into, KeyState& other) {
  const auto& intervals = other.intervals.cells();
  for (std::size_t at = 0; at < intervals.size();) {
    const std::size_t width = interval_head(&intervals[at]).width;
    into.intervals.insert(std::span(intervals).subspan(at, width));
    at += width;
  }
  into.interval_cells += other.interval_cells;
  if (other.effects) {
    if (!into.effects) into.effects = std::make_unique<EffectLog>();
    for (const EffectLog::Entry& entry : other.effects->entries()) {
      for (std::size_t row = 0; row < entry.rows.size(); ++row) {
        into.effects->insert(entry.table, entry.is_termination, {entry.rows.row(row), entry.rows.width});
      }
    }
  }
  into.reported.insert(into.reported.end(), other.reported.begin(), other.reported.end());
  if (other.unreported) {
    if (!into.unreported) into.unreported = std::make_unique<Results>();
    into.unreported->insert(into.unreported->end(), other.unreported->begin(), other.unreported->end());
  }
  into.own_wake = std::min(into.own_wake, other.own_wake);
}

}  // namespace

// Joins the states of groups. Returns the slot of the group that the others join.
Index KeyEvaluator::join_states(StageStore& stage, std::span<const Index> slots, Time query) {
  for (const Index slot : slots) {
    if (is_behind(stage.state(slot))) static_cast<void>(promote(stage, stage.state(slot), kForever));
  }
  // The other groups get checkpoints at the times of the chosen group.
  const Index chosen = *std::max_element(slots.begin(), slots.end(), [&](Index a, Index b) {
    const KeyState& one = stage.state(a);
    const KeyState& other = stage.state(b);
    if (one.base.time != other.base.time) return one.base.time < other.base.time;
    return one.log.cells().size() < other.log.cells().size();
  });
  KeyState& into = stage.state(chosen);
  std::vector<const KeyState*> others;
  std::vector<std::vector<Checkpoint>> checkpoints;  // of the other groups
  for (const Index slot : slots) {
    if (slot == chosen) continue;
    checkpoints.push_back(checkpoints_like(stage, slot, into, query));
    others.push_back(&stage.state(slot));
  }
  join_checkpoints_of(stage, into, checkpoints);
  join_results(into, others);
  join_logs(into.log, others, widths_);
  for (const Index slot : slots) {
    if (slot != chosen) join_rows(into, stage.state(slot));
  }
  into.is_idle = false;
  return chosen;
}

// The checkpoints of a key at the checkpoint times of another key. Drops its rows before the first of them.
std::vector<Checkpoint> KeyEvaluator::checkpoints_like(StageStore& stage, Index slot, const KeyState& like,
                                                       Time query) {
  KeyState& state = stage.state(slot);
  std::vector<Checkpoint> found;
  if (like.base.time != kNever) found.push_back({.time = like.base.time, .words = {}});
  for (const LaterCheckpoint& later : like.later) found.push_back({.time = later.checkpoint.time, .words = {}});
  state.later.clear();
  std::size_t next = 0;
  if (like.base.time != kNever && state.base.time == like.base.time) found[next++] = state.base;
  const Time now = world_.query;
  world_.query = query;
  const Checkpoint* from = next > 0 ? found.data() : state.base.time == kNever ? nullptr : &state.base;
  const StageStore::Work work{.slot = slot};
  while (next < found.size()) {
    const std::size_t some = std::min(kSavesAtOnce, found.size() - next);
    if (saved_.size() < some) {
      saved_.resize(some);
      saved_results_.resize(some);
    }
    for (std::size_t i = 0; i < some; ++i) saved_[i].time = found[next + i].time;
    found_.clear();
    sweep(stage, work, state, from, {0, some}, found[next + some - 1].time);
    for (std::size_t i = 0; i < some; ++i) found[next + i] = saved_[i];
    next += some;
    from = &found[next - 1];
  }
  world_.query = now;
  if (like.base.time != kNever && state.base.time != like.base.time) {
    state.base = found[0];
    settle(stage, state, move_settled(state));
  }
  return found;
}

// The earliest checkpoint time that settles a result.
Time KeyEvaluator::settled_at(const Value* row) const {
  const ResultHead head = result_head(row);
  const Time last = last_time(row);
  const bool is_static = head.kind == ResultKind::kInterval &&
                         world_.prepared.phases[world_.prepared.phase_of[head.table]].kind == PhaseKind::kStatic;
  return is_static ? moved(last, 1) : last;
}

// Moves the results that the first checkpoint settles to the front. Returns where they end.
std::size_t KeyEvaluator::move_settled(KeyState& state) const {
  Results settled;
  Results rest;
  for (std::size_t at = 0; at < state.results.size();) {
    const Value* row = &state.results[at];
    const std::size_t width = result_head(row).width;
    Results& into = settled_at(row) <= state.base.time ? settled : rest;
    into.insert(into.end(), row, row + width);
    at += width;
  }
  const std::size_t end = settled.size();
  settled.insert(settled.end(), rest.begin(), rest.end());
  state.results = std::move(settled);
  return end;
}

void KeyEvaluator::join_checkpoints_of(const StageStore& stage, KeyState& into,
                                       const std::vector<std::vector<Checkpoint>>& others) const {
  const std::size_t first = into.base.time != kNever ? 1 : 0;
  std::vector<const Checkpoint*> parts;
  for (std::size_t i = 0; i < first + into.later.size(); ++i) {
    Checkpoint& own = i < first ? into.base : into.later[i - first].checkpoint;
    parts.assign(1, &own);
    for (const auto& other : others) parts.push_back(&other[i]);
    own = join_checkpoints(world_.prepared, stage.number(), parts);
  }
}

// Adds the results of other keys to the segments of this key.
void KeyEvaluator::join_results(KeyState& into, std::span<const KeyState* const> others) const {
  std::vector<Results> segments(into.later.size() + 1);
  for (const KeyState* other : others) {
    for (std::size_t at = 0; at < other->results.size();) {
      const Value* row = &other->results[at];
      const std::size_t width = result_head(row).width;
      const Time settled = settled_at(row);
      const auto end = std::partition_point(into.later.begin(), into.later.end(),
                                            [&](const LaterCheckpoint& one) { return one.checkpoint.time < settled; });
      Results& segment = segments[static_cast<std::size_t>(end - into.later.begin())];
      segment.insert(segment.end(), row, row + width);
      at += width;
    }
  }
  Results joined;
  std::size_t from = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t to = i < into.later.size() ? into.later[i].results : into.results.size();
    joined.insert(joined.end(), into.results.begin() + static_cast<std::ptrdiff_t>(from),
                  into.results.begin() + static_cast<std::ptrdiff_t>(to));
    joined.insert(joined.end(), segments[i].begin(), segments[i].end());
    if (i < into.later.size()) into.later[i].results = joined.size();
    from = to;
  }
  into.results = std::move(joined);
}

}  // namespace holdsfor
