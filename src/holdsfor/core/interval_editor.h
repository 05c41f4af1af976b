// Brings the intervals of a key up to date with many rows at once.
#pragma once

#include <cstdint>
#include <vector>

#include "interval_log.h"

namespace holdsfor {

// Rows take effect in their order. After a few retractions, the rows of a pair are found by hash instead of one by one.
// `finish` must be called in the end.
class IntervalEditor {
 public:
  explicit IntervalEditor(IntervalLog& log) : log_(log) {}

  // As IntervalLog::take.
  bool take(const Value* row, Time first);
  void finish();

 private:
  static constexpr std::size_t kFewRetractions = 4;
  static constexpr std::uint32_t kNoRow = UINT32_MAX;

  // A row of the log in the list of those with the same hash.
  struct Entry {
    std::uint32_t at = 0;
    std::uint32_t next = kNoRow;
  };

  void add(std::uint32_t at);
  void index(std::uint32_t entry);
  void build();
  bool retract(const Value* row, Time first);

  IntervalLog& log_;
  std::size_t retractions_ = 0;
  bool has_gone_ = false;
  std::vector<std::uint32_t> slots_;  // the last entry of a hash; empty: there is no index
  std::vector<Entry> entries_;
};

}  // namespace holdsfor
