// Rows of events and of intervals on their way to the keys of a stage.
#pragma once

#include <span>
#include <vector>

#include "edits.h"
#include "interval_log.h"

namespace holdsfor {

// Rows of one table that count from now on, or cease to count, in the order in which they came.
struct Arrivals {
  Index table = 0;
  EventRows rows;
  Cause cause = kNoCause;           // of the first row; the next one has the next number
  std::vector<Cause> causes;        // instead, if they are not in order; empty: see `cause`
  std::vector<bool> is_retraction;  // empty: none is
  bool is_counted = true;           // retractions of rows that are not there are counted

  [[nodiscard]] bool has_causes() const { return cause != kNoCause || !causes.empty(); }
  [[nodiscard]] Cause cause_of(std::size_t row) const {
    if (!causes.empty()) return causes[row];
    return cause == kNoCause ? kNoCause : cause + static_cast<Cause>(row);
  }
  [[nodiscard]] bool can_grow() const { return !rows.is_borrowed() && cause == kNoCause; }

  // Adds a row. Columns that would say nothing are left out.
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

// Intervals of one table that count from now on, or cease to count, as rows of an IntervalLog.
struct IntervalArrivals {
  Index table = 0;
  RowSet rows;
  std::vector<Cause> causes;  // of rows; empty: none has any
  bool is_input = true;       // else they are results of an earlier stage

  [[nodiscard]] Cause cause_of(std::size_t row) const { return causes.empty() ? kNoCause : causes[row]; }
  // Adds a row. `pair` is its value and arguments.
  void add(std::uint8_t flags, Time start, Time end, Time pushed_start, std::span<const Value> pair, Cause cause);
  // Adds a row of the same table as it is.
  void add(const Value* row, Cause cause);
  // Adds rows of the same table; if none of them has a cause, there are no causes.
  void append(RowSet more, std::span<const Cause> its_causes);

 private:
  void add_cause(Cause cause);
};

// What a log of a key has got.
struct Taken {
  Time first = kForever;      // the first time-point at which rows came or went
  std::size_t unmatched = 0;  // retractions of rows that were not there, counted where they are at home
};

}  // namespace holdsfor
