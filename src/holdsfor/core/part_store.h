// Rows that rules read by a partial key, kept by the value of that part.
//
// A key reads its own rows and the rows of the values of its parts. Rows of a value are kept even if no key has the
// value, so that a later key finds them.
#pragma once

#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "deliveries.h"
#include "interval_intake.h"
#include "log_writer.h"
#include "prefetch.h"
#include "state_io.h"
#include "tables.h"
#include "window.h"

namespace holdsfor {

class PartStore {
 public:
  // For a stage with routes by parts.
  explicit PartStore(const Stage& stage);
  PartStore(const PartStore&) = delete;
  PartStore& operator=(const PartStore&) = delete;
  PartStore(PartStore&&) = delete;
  PartStore& operator=(PartStore&&) = delete;
  ~PartStore() = default;

  [[nodiscard]] static bool is_needed(const Stage& stage);

  // A value with changes for its keys.
  struct Touched {
    Index value = 0;
    Time first_change = kForever;  // the first time-point at which rows were added or removed
    bool is_changed = false;       // its keys are dirty
    bool is_compacted = false;  // its keys must have a checkpoint at the border, because rows before it will be dropped
    std::uint32_t causes_from = 0, causes_to = 0;
  };
  struct Moment {
    const Window& window;
    Time query = 0;
    Time border = kNever;        // everything up to it is final
    std::span<const Time> keep;  // how long rows are kept behind the border, by table
  };
  // Takes in the rows that go to parts, and finds the touched values: those with new rows, and those that are due.
  // `is_home` by table: retractions of its rows are counted here.
  void deliver(const Deliveries& deliveries, const Moment& moment, LogWriter& writer, const LogWidths& widths,
               const std::vector<bool>& is_home);
  [[nodiscard]] std::span<const Touched> touched() const { return touched_; }
  [[nodiscard]] std::span<const Cause> causes(const Touched& one) const {
    return std::span(causes_).subspan(one.causes_from, one.causes_to - one.causes_from);
  }
  // Calls `use` with the slots of the keys that have a value. A key that has the value at two parts appears twice.
  template <typename Use>
  void for_keys(Index value, const Use& use) const {
    for (const std::uint32_t link : values_[value].links) use(static_cast<Index>(link / width_));
  }
  // Drops rows of compacted values. Call after their keys have got a checkpoint.
  void finish_compaction(const Moment& moment, Time longest_keep, const LogWidths& widths);

  // Adds and removes keys.
  void place(Index slot, std::span<const Value> key);
  void remove(Index slot);

  // The events of a key: its own and those of its values. Several sources are merged in `scratch`.
  std::span<const Value> events(Index slot, std::span<const Value> own, const LogWidths& widths,
                                std::vector<Value>& scratch) const;
  // Prefetches the rows of a key that is evaluated soon.
  void fetch(Index slot) const {
    for_values(slot, [](const Rows& rows) {
      const auto& cells = rows.intervals.cells();
      prefetch(cells.data(), cells.size() * sizeof(Value));
    });
  }
  // Calls `use` with the interval logs of its values.
  template <typename Use>
  void for_intervals(Index slot, const Use& use) const {
    for_values(slot, [&](const Rows& rows) { use(rows.intervals); });
  }

  // Calls `use` with all rows, by value number.
  template <typename Use>
  void for_rows(const Use& use) const {
    for (Index value = 0; value < values_.size(); ++value) {
      if (values_[value].has_rows()) use(value, values_[value].log, values_[value].intervals);
    }
  }

  // Upper bound of the value numbers.
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  // Marks the numbers of the values that a key has.
  void mark_values(std::span<const Value> key, std::vector<bool>& is_marked) const;
  // Writes the rows of the wanted values; `is_wanted` gets the number and the value.
  using IsWanted = std::function<bool(Index, std::span<const Value>)>;
  void write(StateWriter& into, const LogWidths& widths, const IsWanted& is_wanted) const;
  void read(StateReader& from, const Plan& plan);
  // The next time at which rows of a value have an effect by themselves.
  [[nodiscard]] Time next_wake();
  // Takes over values that are unknown here.
  void absorb(PartStore& other);

  [[nodiscard]] std::size_t unmatched() const { return unmatched_; }
  [[nodiscard]] std::size_t rows(const LogWidths& widths) const;
  void forget_conditions(const LogWidths& widths);
  void mark_terms(TermMarks& marks) const;

 private:
  // The state of a value.
  struct Rows {
    Log log;
    IntervalLog intervals;
    Time wake = kForever;
    std::uint32_t interval_cells = 0;  // after the last compaction
    Index touched = kNone;             // index in `touched_` during delivery
    bool is_free = false;              // the number is free
    std::vector<std::uint32_t> links;  // keys that have it: slot times width, plus part

    [[nodiscard]] bool has_rows() const { return !log.empty() || !intervals.empty(); }
  };

  template <typename Use>
  void for_values(Index slot, const Use& use) const {
    if (!is_placed(slot)) return;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Index value = value_of_[slot * width_ + parts_[i]];
      bool is_known = false;
      for (std::size_t j = 0; j < i; ++j) is_known = is_known || value_of_[slot * width_ + parts_[j]] == value;
      if (!is_known) use(values_[value]);
    }
  }
  [[nodiscard]] bool is_placed(Index slot) const {
    return (slot + std::size_t{1}) * width_ <= value_of_.size() && value_of_[slot * width_ + parts_[0]] != kNone;
  }
  Touched& touch(Index value);
  [[nodiscard]] static bool is_worth_compacting(Rows& rows, const Moment& moment, const LogWidths& widths);
  void set_wake(Index value, Time time);
  void forget_if_empty(Index value);

  std::size_t width_;         // of keys
  std::vector<Index> parts_;  // the parts of the key with values here
  Stage by_value_;            // routes of the tables, with the value as the key
  Intake intake_;
  IntervalIntake intervals_;
  KeyNumbers numbers_{1};
  std::vector<Rows> values_;
  std::vector<Index> value_of_;          // by slot and part; kNone: the key is not placed
  std::vector<std::uint32_t> place_of_;  // by slot and part: index in the links of its value
  std::vector<Touched> touched_;
  std::vector<Cause> causes_;
  std::size_t unmatched_ = 0;

  using Waking = std::pair<Time, Index>;
  std::priority_queue<Waking, std::vector<Waking>, std::greater<>> waking_;
};

}  // namespace holdsfor
