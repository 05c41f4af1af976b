// Records conditions that failed because an operand has no value, with the rows for which they failed.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "value.h"

namespace holdsfor {

// Threads add failures in any order. The set of rows for each site is the same for any number of threads.
class FailureLog {
 public:
  struct Row {
    std::vector<Value> values;
    std::uint32_t reason = 0;
    friend bool operator==(const Row&, const Row&) = default;
  };

  void add(std::uint32_t site, std::span<const Value> row, std::uint32_t reason);
  // Moves out everything added since the last call: the rows of each site.
  std::unordered_map<std::uint32_t, std::vector<Row>> take();

 private:
  // Rows recorded for one site, to bound memory. Further rows are dropped.
  static constexpr std::size_t kMostRows = 1'000'000;

  struct Hash {
    std::size_t operator()(const Row& row) const { return hash_of(row.values); }
  };
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::unordered_set<Row, Hash>> rows_;
};

}  // namespace holdsfor
