// A cache of goal answers, so that the host solves each goal once for each input.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "value.h"

namespace holdsfor {

// Thread-safe.
class GoalAnswers {
 public:
  // The output values of all answers, one answer after the other.
  struct Rows {
    std::size_t count = 0;
    std::vector<Value> values;
  };

  [[nodiscard]] std::shared_ptr<const Rows> find(std::uint32_t goal, std::span<const Value> inputs) const;
  void keep(std::uint32_t goal, std::span<const Value> inputs, Rows rows);
  void forget();

 private:
  // Entries of a full cache. Then the cache is cleared, so that entries of forgotten keys do not accumulate.
  static constexpr std::size_t kMost = 65536;

  struct Hash {
    std::size_t operator()(const std::vector<Value>& question) const { return hash_of(question); }
  };
  static std::vector<Value> question(std::uint32_t goal, std::span<const Value> inputs);

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::vector<Value>, std::shared_ptr<const Rows>, Hash> known_;
};

}  // namespace holdsfor
