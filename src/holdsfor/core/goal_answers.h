// GoalAnswers of goals that the host solved, so that it solves each of them once.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "value.h"

namespace holdsfor {

// Threads may ask and keep at the same time.
class GoalAnswers {
 public:
  // The values of the outputs of every answer, one after the other.
  struct Rows {
    std::size_t count = 0;
    std::vector<Value> values;
  };

  [[nodiscard]] std::shared_ptr<const Rows> find(std::uint32_t goal, std::span<const Value> inputs) const;
  void keep(std::uint32_t goal, std::span<const Value> inputs, Rows rows);
  void forget();

 private:
  // When there are so many, all are forgotten: keys that are gone must not stay here.
  static constexpr std::size_t kMost = 65536;

  struct Hash {
    std::size_t operator()(const std::vector<Value>& question) const { return hash_of(question); }
  };
  static std::vector<Value> question(std::uint32_t goal, std::span<const Value> inputs);

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::vector<Value>, std::shared_ptr<const Rows>, Hash> known_;
};

}  // namespace holdsfor
