// Evaluates keys one after the other: takes in the rows that they get, sweeps, and finds what is different from before.
#pragma once

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
  std::int64_t conflicts = 0;  // how many more there are

  void clear();
};

// One for each thread.
class KeyEvaluator {
 public:
  KeyEvaluator(const Prepared& prepared, TermTable& terms, Host& host, const LogWidths& widths,
               const std::vector<RowConditions>& conditions);

  // `watch` says whether evaluations are to stop.
  void begin(const StageStore& stage, const Window& window, Time query, const Watch& watch);
  // Up to here everything is final; kNever if nothing is.
  [[nodiscard]] Time border() const { return border_; }
  // What the checkpoint of a key without rows has, at any time.
  std::vector<std::uint64_t> empty_checkpoint(const StageStore& stage);
  // `is_wanted` by table: its results go to other stages.
  void evaluate(StageStore& stage, const StageStore::Work& work, const std::vector<bool>& is_wanted, StageOutput& out);
  // The world as the checkpoint of a key leaves it, without the rows after it.
  const World& at_checkpoint(const StageStore& stage, Index slot);
  [[nodiscard]] LogWriter& writer(Index stage) { return writers_[stage]; }

 private:
  void take_in(StageStore& stage, const StageStore::Work& work, KeyState& state, StageOutput& out);
  void note_difference(const KeyState& state, const std::vector<bool>& is_wanted, StageOutput& out);
  static void put(const Value* row, bool is_removed, StageOutput& out);
  [[nodiscard]] bool is_worth_compacting(const StageStore::Work& work, KeyState& state);
  void compact(const StageStore& stage, KeyState& state);
  [[nodiscard]] Time next_wake(const StageStore& stage, const KeyState& state) const;

  World world_;
  Sweep sweep_;
  std::vector<LogWriter> writers_;  // by stage
  std::vector<Value> events_;       // of a key and its parts
  Results found_;
  ResultsDiff diff_;
  const LogWidths& widths_;
  Window window_;
  Time first_ = kNever;   // that the window sees
  Time border_ = kNever;  // up to here everything is final
  Checkpoint saved_;
  bool is_stable_ = false;  // the last compaction has kept the same as the one before
};

}  // namespace holdsfor
