// Conditions that failed because something in them has no value: of each, the rows for which they did.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "value.h"

namespace holdsfor {

// Threads note failures in any order; what is noted is a set of rows for each site, the same for any number of them.
class FailureLog {
 public:
  struct Row {
    std::vector<Value> values;
    std::uint32_t reason = 0;
    friend bool operator==(const Row&, const Row&) = default;
  };

  void add(std::uint32_t site, std::span<const Value> row, std::uint32_t reason);
  // All that was noted since the last call: for each site its rows.
  std::unordered_map<std::uint32_t, std::vector<Row>> take();

 private:
  // Of one site, more rows than these are not counted.
  static constexpr std::size_t kMostRows = 1'000'000;

  struct Hash {
    std::size_t operator()(const Row& row) const { return hash_of(row.values); }
  };
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::unordered_set<Row, Hash>> rows_;
};

}  // namespace holdsfor
