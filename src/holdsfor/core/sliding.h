// Sliding aggregates, updated incrementally: items that leave the window are subtracted, items that enter are added.
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

// The items of a window, in the form that one of the aggregates needs.
class SlidingItems {
 public:
  void add(Aggregate kind, std::size_t place, Value item, const Arithmetic& arithmetic, const TermTable& terms);
  void take_away(Aggregate kind, std::size_t place, Value item, const TermTable& terms);
  void clear();
  // Nothing if the value needs the items themselves: some have no value, or do not fit into words.
  [[nodiscard]] std::optional<Value> value(Aggregate kind, const Arithmetic& arithmetic, TermTable& terms) const;
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
  std::size_t others_ = 0;  // items that are not numbers
  ExactSum sum_;
  std::unordered_map<std::uint64_t, std::size_t> times_;  // number of occurrences of each item
  std::deque<std::pair<std::size_t, Value>> extremes_;    // the best item, then the best item after it, and so on
};

// The events with the same known columns, in time order, and the range of them in the window.
struct SlidingWindow {
  std::vector<std::size_t> rows;
  std::vector<Value> items;  // of the rows so far; nothing for a row that does not match
  std::size_t from = 0;
  std::size_t to = 0;
  SlidingItems inside;
};

// The windows of one aggregate for one key, over the rows of a table. Rows are appended to the table.
class SlidingWindows {
 public:
  // The window for known values of the columns `places`.
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
