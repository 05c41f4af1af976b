// Evaluates keys one after the other: takes in the rows that they get, sweeps, and finds what is different from before.
#pragma once

#include <optional>
#include <vector>

#include "stage_store.h"

namespace holdsfor {

// What the evaluation of some keys of a stage has found, in the order of the keys.
struct StageOutput {
  // A key that was evaluated.
  struct Key {
    Index slot = 0;
    bool is_changed = false;
    Time wake = kForever;
    bool is_idle = false;
    std::uint32_t causes_to = 0;  // its causes end here, and begin where those of the key before end
  };
  // A result that is there no longer, or now.
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
  std::size_t time_points = 0;  // that sweeps have gone through
  std::int64_t conflicts = 0;   // how many more there are

  void clear();
};

// One for each thread.
class KeyEvaluator {
 public:
  KeyEvaluator(const Prepared& prepared, TermTable& terms, Host& host, const LogWidths& widths,
               const std::vector<RowConditions>& conditions);

  // What is left out, because nobody asks for it.
  struct Thrift {
    bool is_last = false;     // what is kept of keys for later query times is dropped
    bool no_changes = false;  // only results that go to other stages are compared with those before
  };
  // `watch` says whether evaluations are to stop.
  void begin(const StageStore& stage, const Window& window, Time query, const Watch& watch, Thrift thrift);
  // Up to here everything is final; kNever if nothing is.
  [[nodiscard]] Time border() const { return border_; }
  // What the checkpoint of a key without rows has, at any time.
  std::vector<std::uint64_t> empty_checkpoint(const StageStore& stage);
  // `is_wanted` by table: its results go to other stages.
  void evaluate(StageStore& stage, const StageStore::Work& work, const std::vector<bool>& is_wanted, StageOutput& out);
  // Joins the states of groups of keys that are tied from now on; they are as they were at a query time. The slot of
  // the one that the others are joined to.
  Index join_states(StageStore& stage, std::span<const Index> slots, Time query);
  // Makes the checkpoint of a key at a time, after its first one, the first: what lies before is dropped. All up to
  // there is final.
  void settle_at(StageStore& stage, Index slot, Time time, Time query);
  // The world as a checkpoint of a key leaves it, without the rows after it.
  const World& at_checkpoint(const StageStore& stage, Index slot, const Checkpoint& checkpoint);
  // The world after the evaluation of a key, from its rows alone; one that is not there has none.
  World& at_end(const StageStore& stage, std::span<const Value> key);
  [[nodiscard]] LogWriter& writer(Index stage) { return writers_[stage]; }
  // Whether rows of some key have been dropped behind its first checkpoint.
  [[nodiscard]] bool has_dropped() const { return has_dropped_; }
  [[nodiscard]] const std::vector<MetricProfile>& profile(const MetricComponent& metric) {
    return sweep_.profile(metric);
  }
  // The widths of the tables that slices of rational time leave to later ones.
  std::vector<Index> carried_widths(const StageStore& stage) {
    return sweep_.carried_widths(*stage.stage().components.front().metric);
  }

 private:
  // Which checkpoints an evaluation is to make, beside those that it finds again.
  struct Course {
    std::optional<Time> border;  // one that becomes the first
    bool has_more = false;       // others in segments that are long, and one at the end
    std::size_t spacing = 0;     // cells of the log between two of them, at least
  };
  // Some segments of a key, by number: from `first` up to `stop`, which is not one of them.
  struct Segments {
    std::size_t first = 0;
    std::size_t stop = 0;
  };

  // The first time-point at which rows came or went.
  Time take_in(StageStore& stage, const StageStore::Work& work, KeyState& state, StageOutput& out);
  [[nodiscard]] bool is_worth_compacting(const StageStore& stage, const StageStore::Work& work, KeyState& state);
  [[nodiscard]] bool is_behind(const KeyState& state) const;
  [[nodiscard]] bool promote(const StageStore& stage, KeyState& state, Time first_change);
  [[nodiscard]] bool is_quiet(const KeyState& state) const;
  [[nodiscard]] Course plot(const StageStore& stage, const KeyState& state, bool is_known, bool is_compacted) const;
  [[nodiscard]] std::size_t spacing(const StageStore& stage, const KeyState& state, std::size_t words) const;
  [[nodiscard]] std::optional<Time> end_checkpoint(const KeyState& state, Time known) const;
  static void drop_until(KeyState& state, Time border);
  void choose_spaced(KeyState& state, Time before, std::size_t spacing);
  void thin_out(KeyState& state, const Course& course);

  // Groups of keys, see key_groups.cpp
  [[nodiscard]] std::vector<Checkpoint> checkpoints_like(StageStore& stage, Index slot, const KeyState& like,
                                                         Time query);
  [[nodiscard]] Time settled_at(const Value* row) const;
  [[nodiscard]] std::size_t move_settled(KeyState& state) const;
  void join_checkpoints_of(const StageStore& stage, KeyState& into,
                           const std::vector<std::vector<Checkpoint>>& others) const;
  void join_results(KeyState& into, std::span<const KeyState* const> others) const;

  // A sweep saves so many checkpoints, so that its tables stay short.
  static constexpr std::size_t kSavesAtOnce = 8;

  // Segments, see key_segments.cpp
  void find_dirty(const StageStore& stage, const StageStore::Work& work, const KeyState& state, Time first_change);
  void mark_dirty(const KeyState& state, Time first, Time last);
  [[nodiscard]] bool evaluate_dirty(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                    Course& course, const std::vector<bool>& is_wanted, StageOutput& out);
  [[nodiscard]] std::size_t evaluate_run(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                                         const Course& course, std::size_t first, std::size_t was);
  void evaluate_segments(const StageStore& stage, const StageStore::Work& work, KeyState& state, const Course& course,
                         Segments segments, const Checkpoint* from);
  void plan_saves(KeyState& state, const Course& course, Segments segments, Time from);
  void plan_more(KeyState& state, Time from, Time until, std::size_t spacing);
  void sweep(const StageStore& stage, const StageStore::Work& work, KeyState& state, const Checkpoint* from,
             Segments saves, Time until);
  [[nodiscard]] std::size_t take_over(const StageStore& stage, KeyState& state, Course& course, Segments segments,
                                      bool is_changed);
  [[nodiscard]] bool thin_saved(const StageStore& stage, KeyState& state, Course& course, std::size_t first);
  // Evaluates a key of which nothing is known, for the last time: there is nothing to compare with, or to keep.
  void evaluate_once(const StageStore& stage, const StageStore::Work& work, KeyState& state,
                     const std::vector<bool>& is_wanted, StageOutput& out);
  void note_difference(const std::vector<bool>& is_wanted, StageOutput& out) const;
  static void put(const Value* row, bool is_removed, StageOutput& out);
  void settle(const StageStore& stage, KeyState& state, std::size_t results);
  [[nodiscard]] Time next_wake(const StageStore& stage, const KeyState& state) const;

  World world_;
  Sweep sweep_;
  std::vector<LogWriter> writers_;  // by stage
  std::vector<Value> events_;       // of a key and its parts
  Results found_;
  ResultsDiff diff_;
  const LogWidths& widths_;
  Window window_;
  Time first_ = kNever;                 // that the window sees
  Time border_ = kNever;                // up to here everything is final
  std::vector<std::uint8_t> is_dirty_;  // by segment, as they were before the evaluation
  // Checkpoints that were saved since `found_` was empty, and where the results begin there that each does not settle.
  // Those from `saves_` on keep their memory.
  std::vector<Checkpoint> saved_;
  std::vector<std::size_t> saved_results_;
  std::size_t saves_ = 0;
  std::vector<Time> times_;    // of checkpoints
  std::vector<bool> is_kept_;  // which of them are to stay
  Results unreported_;
  Thrift thrift_;
  bool has_dropped_ = false;
  bool is_stable_ = false;  // the last compaction has kept the same as the one before
};

}  // namespace holdsfor
