// Rows of events on their way to the keys of a stage.
#pragma once

#include <vector>

#include "edits.h"

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

}  // namespace holdsfor
