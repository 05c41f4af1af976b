// A small cache of goal answers without a lock, one for each machine. Most lookups need neither the host nor the shared
// cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "value.h"

namespace holdsfor {

class RecentAnswers {
 public:
  struct Answers {
    std::size_t count = 0;
    std::vector<Value> values;  // of the outputs, answer after answer
  };
  // Goals with more inputs are not cached.
  static constexpr std::size_t kMostInputs = 3;

  // Null if the cache has no answers for this version of the background knowledge. `keep` then stores them.
  [[nodiscard]] const Answers* find(std::uint64_t version, std::uint32_t goal, std::span<const Value> inputs) {
    if (entries_.empty()) entries_.resize(kEntries);
    Entry& entry = entry_of(goal, inputs);
    const bool is_known = entry.is_used && entry.version == version && entry.goal == goal &&
                          std::equal(inputs.begin(), inputs.end(), entry.inputs.begin());
    return is_known ? &entry.answers : nullptr;
  }
  void keep(std::uint64_t version, std::uint32_t goal, std::span<const Value> inputs, const Answers& answers) {
    Entry& entry = entry_of(goal, inputs);
    entry.is_used = true;
    entry.version = version;
    entry.goal = goal;
    std::copy(inputs.begin(), inputs.end(), entry.inputs.begin());
    entry.answers = answers;
  }

 private:
  static constexpr std::size_t kEntries = 1024;

  struct Entry {
    bool is_used = false;
    std::uint32_t goal = 0;
    std::uint64_t version = 0;
    std::array<Value, kMostInputs> inputs;  // a goal has a fixed number of inputs
    Answers answers;
  };

  Entry& entry_of(std::uint32_t goal, std::span<const Value> inputs) {
    return entries_[mix(hash_of(inputs), goal) % kEntries];
  }

  std::vector<Entry> entries_;
};

}  // namespace holdsfor
