// Evaluates keys one after the other: takes in their rows, sweeps, and compares the results with the previous ones.
#pragma once

#include <optional>
#include <vector>

#include "stage_store.h"

namespace holdsfor {

// The output of evaluating some keys of a stage, in the order of the keys.
struct StageOutput {
  // An evaluated key.
  struct Key {
    Index slot = 0;
    bool is_changed = false;
    Time wake = kForever;
    bool is_idle = false;
    std::uint32_t causes_to = 0;  // end of its causes; they begin at the end of those of the previous key
  };
  // A result that was removed or added.
  struct Row {
    Index key = 0;  // in `keys`
    bool is_removed = false;
    std::uint32_t at = 0;  // in `cells`
  };

  std::vector<Key> keys;
  std::vector<Row> rows;
  std::vector<Value> cells;
  std::vector<Cause> causes;
  std::size_t unmatched = 0;
  std::size_t time_points = 0;  // that sweeps processed
  std::int64_t conflicts = 0;   // the difference to the previous number

  void clear();
};

// Each thread has its own.
class KeyEvaluator {
 public:
  KeyEvaluator(const Prepared& prepared, TermTable& terms, Host& host, const LogWidths& widths,
               const std::vector<RowConditions>& conditions);

  // Work to skip because nobody needs its result.
  struct Mode {
    bool is_last = false;     // drop the state that keys keep for later query times
    bool no_changes = false;  // compare only results that go to other stages
  };
  // `watch` tells whether to stop the evaluation.
  void begin(const StageStore& stage, const Window& window, Time query, const Watch& watch, Mode mode);
  // The border: everything up to it is final. kNever if nothing is.
  [[nodiscard]] Time border() const { return border_; }
  // The words of the checkpoint of a key without rows, at any time.
  std::vector<std::uint64_t> empty_checkpoint(const StageStore& stage);
  // `is_wanted` by table: its results go to other stages.
  void evaluate(StageStore& stage, const StageStore::Work& work, const std::vector<bool>& is_wanted, StageOutput& out);
  // Joins the states of groups that have become tied, as of a query time. Returns the slot of the group that the others
  // join.
  Index join_states(StageStore& stage, std::span<const Index> slots, Time query);
  // Creates a checkpoint of a key at `time`, after its first checkpoint, and makes it the first one. Drops everything
  // before it. Everything up to `time` is final.
  void settle_at(StageStore& stage, Index slot, Time time, Time query);
  // The world at a checkpoint of a key, without the rows after it.
  const World& at_checkpoint(const StageStore& stage, Index slot, const Checkpoint& checkpoint);
  // The world after an evaluation of a key from its rows alone. An unknown key has no rows.
  World& at_end(const StageStore& stage, std::span<const Value> key);
  [[nodiscard]] LogWriter& writer(Index stage) { return writers_[stage]; }
  // Whether rows of any key were dropped behind its first checkpoint.
  [[nodiscard]] bool has_dropped() const { return has_dropped_; }
  [[nodiscard]] const std::vector<MetricProfile>& profile(const MetricComponent& metric) {
    return sweep_.profile(metric);
  }
  // The widths of the tables that slices of rational time carry over to later slices.
  std::vector<Index> carried_widths(const StageStore& stage) {
    return sweep_.carried_widths(*stage.stage().components.front().metric);
  }

 private:
  // The checkpoints that an evaluation creates, in addition to the existing ones, which it saves again.
  struct CheckpointPlan {
    std::optional<Time> border;  // time of a checkpoint that becomes the first one
    bool has_more = false;       // also within long segments, and one at the end
    std::size_t spacing = 0;     // minimum distance of checkpoints, in cells of the log
  };
  // Segments of a key, by number: [first, stop).
  struct Segments {
    std::size_t first = 0;
    std::size_t stop = 0;
  };

  // Returns the first time-point at which rows were added or removed.
  Time take_in(StageStore& stage, const StageStore::Work& work, KeyState& state, StageOutput& out);
  [[nodiscard]] bool is_worth_compacting(const StageStore& stage, const StageStore::Work& work, KeyState& state);
  [[nodiscard]] bool is_behind(const KeyState& state) const;
  [[nodiscard]] bool promote(const StageStore& stage, KeyState& state, Time first_change);
  [[nodiscard]] bool is_quiet(const KeyState& state) const;
  [[nodiscard]] CheckpointPlan plan_checkpoints(const StageStore& stage, const KeyState& state, bool is_known,
                                                bool is_compacted) const;
  [[nodiscard]] std::size_t spacing(const StageStore& stage, const KeyState& state, std::size_t words) const;
  [[nodiscard]] std::optional<Time> end_checkpoint(const KeyState& state, Time known) const;
  static void drop_until(KeyState& state, Time border);
  void choose_spaced(KeyState& state, Time before, std::size_t spacing);
  void thin_out(KeyState& state, const CheckpointPlan& planned);

  // Groups of keys, see key_groups.cpp
  [[nodiscard]] std::vector<Checkpoint> checkpoints_like(StageStore& stage, Index slot, const KeyState& like,
                                                         Time query);
  [[nodiscard]] Time settled_at(const Value* row) const;
  [[nodiscard]] std::size_t move_settled(KeyState& state) const;
  void join_checkpoints_of(const StageStore& stage, KeyState& into,
                           const std::vector<std::vector<Checkpoint>>& others) const;
  void join_results(KeyState& into, std::span<const KeyState* const> others) const;

  // Checkpoints that a sweep saves, at most, so that its tables stay short.
  static constexpr std::size_t kSavesAtOnce = 8;

  // Segments, see key_segments.cpp
  void find_dirty(const StageStore& stage, const StageStore::Work& work, const KeyState& state, Time first_change);
  void mark_dirty(const KeyState& state, Time first, Time last);
  [[nodiscard]] bool evaluate_dirty(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                    CheckpointPlan& planned, const std::vector<bool>& is_wanted, StageOutput& out);
  [[nodiscard]] std::size_t evaluate_run(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                         const CheckpointPlan& planned, std::size_t first, std::size_t was);
  void evaluate_segments(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                         const CheckpointPlan& planned, Segments segments, const Checkpoint* from);
  void plan_saves(KeyState& state, const CheckpointPlan& planned, Segments segments, Time from);
  void plan_more(KeyState& state, Time from, Time until, std::size_t spacing);
  void sweep(const StageStore& stage, const StageStore::Work& work, KeyState& state, const Checkpoint* from,
             Segments saves, Time until);
  [[nodiscard]] std::size_t take_over(const StageStore& stage, KeyState& state, CheckpointPlan& planned,
                                      Segments segments, bool is_changed);
  [[nodiscard]] bool thin_saved(const StageStore& stage, KeyState& state, CheckpointPlan& planned, std::size_t first);
  // Evaluates a key without previous state for the last time: nothing to compare with, nothing to keep.
  void evaluate_once(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                     const std::vector<bool>& is_wanted, StageOutput& out);
  void note_difference(const std::vector<bool>& is_wanted, StageOutput& out) const;
  static void put(const Value* row, bool is_removed, StageOutput& out);
  void settle(const StageStore& stage, KeyState& state, std::size_t results);
  [[nodiscard]] Time next_wake(const StageStore& stage, const KeyState& state) const;

  World world_;
  Sweep sweep_;
  std::vector<LogWriter> writers_;  // by stage
  std::vector<Value> events_;       // of a key and of the values of its parts
  Results found_;
  ResultsDiff diff_;
  const LogWidths& widths_;
  Window window_;
  Time first_ = kNever;                 // the first time-point in the window
  Time border_ = kNever;                // everything up to it is final
  std::vector<std::uint8_t> is_dirty_;  // by segment, numbered as before the evaluation
  // Checkpoints saved since `found_` was empty, and for each the index of the first result that it does not settle.
  // Entries from `saves_` on are unused, and keep their memory.
  std::vector<Checkpoint> saved_;
  std::vector<std::size_t> saved_results_;
  std::size_t saves_ = 0;
  std::vector<Time> times_;    // of checkpoints
  std::vector<bool> is_kept_;  // which of them stay
  Results unreported_;
  Mode mode_;
  bool has_dropped_ = false;
  bool is_stable_ = false;  // the last compaction kept the same as the one before
};

}  // namespace holdsfor
