// Sliding aggregates, worked out from the last answer: what leaves the window is taken away, what enters is added.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "aggregates.h"
#include "exact_sum.h"
#include "function_ref.h"
#include "tables.h"

namespace holdsfor {

// The items of a window, as one of the aggregates needs them.
class SlidingItems {
 public:
  void add(Aggregate kind, std::size_t place, Value item, const Arithmetic& arithmetic, const TermTable& terms);
  void take_away(Aggregate kind, std::size_t place, Value item, const TermTable& terms);
  void clear();
  // Nothing if the items themselves are needed: some have no value, or do not fit into words.
  [[nodiscard]] std::optional<Value> value(Aggregate kind, const Arithmetic& arithmetic, TermTable& terms) const;
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
  std::size_t others_ = 0;  // items that are no numbers
  ExactSum sum_;
  std::unordered_map<std::uint64_t, std::size_t> times_;  // how often each item is there
  std::deque<std::pair<std::size_t, Value>> extremes_;    // the best item first, then the best after it, and so on
};

// The events with the same known columns, in time order, and those of them that are in the window.
struct SlidingWindow {
  std::vector<std::size_t> rows;
  std::vector<Value> items;  // of the rows so far; nothing for one that does not match
  std::size_t from = 0;
  std::size_t to = 0;
  SlidingItems inside;
};

// The windows of one aggregate in one key. They go by the rows of a table, to which rows are added at the end.
class SlidingWindows {
 public:
  // The window of some known columns, which are at `places` of the table.
  SlidingWindow& window(const EventTable& table, std::span<const Index> places, std::span<const Value> known);

 private:
  struct Hash {
    std::size_t operator()(const std::vector<Value>& values) const { return hash_of(values); }
  };
  std::unordered_map<std::vector<Value>, SlidingWindow, Hash> windows_;
  const EventTable* table_ = nullptr;
  std::uint64_t version_ = 0;
  std::size_t rows_ = 0;
  std::vector<Value> key_;
};

}  // namespace holdsfor
