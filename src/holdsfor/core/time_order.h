// Puts rows that come into the order of their times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value.h"

namespace holdsfor {

// A row that comes.
struct TimedRow {
  Time time = 0;
  const Value* row = nullptr;
};

// One for each thread: what it needs is kept.
class TimeOrder {
 public:
  // The places of rows in the order of their times; those of one time stay in order. Empty if all are in order.
  std::span<const std::uint64_t> of(std::span<const TimedRow> rows);
  // Whether two of these rows may have the same time.
  [[nodiscard]] bool may_have_ties() const { return may_have_ties_; }

 private:
  static constexpr std::size_t kFewRows = 96;

  void sort_few(std::span<const TimedRow> rows, Time first, Time last);
  void sort_words();

  std::vector<std::uint64_t> order_;
  std::vector<std::uint64_t> spare_;
  std::vector<std::size_t> runs_;
  bool may_have_ties_ = false;
};

}  // namespace holdsfor
