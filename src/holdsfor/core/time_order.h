// Sorts incoming rows by time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value.h"

namespace holdsfor {

// An incoming row.
struct TimedRow {
  Time time = 0;
  const Value* row = nullptr;
};

// Reusable: keeps its memory. Each thread has its own.
class TimeOrder {
 public:
  // The indexes of rows in time order; stable. Empty if all rows are in order.
  std::span<const std::uint64_t> of(std::span<const TimedRow> rows);
  // Whether two of the last rows may have the same time.
  [[nodiscard]] bool may_have_ties() const { return may_have_ties_; }

 private:
  // Rows up to which they are sorted by rank, in quadratic time.
  static constexpr std::size_t kFewRows = 96;

  void sort_few(std::span<const TimedRow> rows, Time first, Time last);
  void sort_words();

  std::vector<std::uint64_t> order_;
  std::vector<std::uint64_t> spare_;
  std::vector<std::size_t> runs_;
  bool may_have_ties_ = false;
};

}  // namespace holdsfor
