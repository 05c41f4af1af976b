// Rows of events and intervals on the way to the keys of a stage.
#pragma once

#include <span>
#include <vector>

#include "edits.h"
#include "interval_log.h"

namespace holdsfor {

// Rows of one table that begin or cease to count, in order of arrival.
struct Arrivals {
  Index table = 0;
  EventRows rows;
  Cause cause = kNoCause;           // of the first row; each following row has the next number
  std::vector<Cause> causes;        // used instead of `cause` if the numbers are not consecutive
  std::vector<bool> is_retraction;  // empty: no row is a retraction
  bool is_counted = true;           // count retractions of rows that do not exist

  [[nodiscard]] bool has_causes() const { return cause != kNoCause || !causes.empty(); }
  [[nodiscard]] Cause cause_of(std::size_t row) const {
    if (!causes.empty()) return causes[row];
    return cause == kNoCause ? kNoCause : cause + static_cast<Cause>(row);
  }
  [[nodiscard]] bool can_grow() const { return !rows.is_borrowed() && cause == kNoCause; }

  // Adds a row. Leaves out columns that carry no information.
  template <typename Args>
  void add(Time time, Args args, Cause its_cause, bool is_retracted) {
    const std::size_t before = rows.size();
    rows.add(time, args);
    if (is_retracted || !is_retraction.empty()) {
      is_retraction.resize(before);
      is_retraction.push_back(is_retracted);
    }
    if (its_cause != kNoCause || !causes.empty()) {
      causes.resize(before, kNoCause);
      causes.push_back(its_cause);
    }
  }
};

// Intervals of one table that begin or cease to count, as rows of an IntervalLog.
struct IntervalArrivals {
  Index table = 0;
  RowSet rows;
  std::vector<Cause> causes;  // of rows; empty: no row has a cause
  bool is_input = true;       // otherwise results of an earlier stage

  [[nodiscard]] Cause cause_of(std::size_t row) const { return causes.empty() ? kNoCause : causes[row]; }
  // Adds a row. `pair` is its value and arguments.
  void add(std::uint8_t flags, Time start, Time end, Time pushed_start, std::span<const Value> pair, Cause cause);
  // Adds a row of the same table unchanged.
  void add(const Value* row, Cause cause);
  // Adds rows of the same table. If none of them has a cause, `its_causes` is empty.
  void append(RowSet more, std::span<const Cause> its_causes);

 private:
  void add_cause(Cause cause);
};

// The effect of taking rows into the log of a key.
struct Taken {
  Time first = kForever;      // the first time-point at which rows were added or removed
  std::size_t unmatched = 0;  // retractions without a matching row, counted only at the home key
};

}  // namespace holdsfor
