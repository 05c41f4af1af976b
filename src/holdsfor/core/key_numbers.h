// Numbers for keys, which are rows of values. A number is free again when its key is forgotten.
#pragma once

#include <span>
#include <vector>

#include "plan.h"
#include "value.h"

namespace holdsfor {

class KeyNumbers {
 public:
  explicit KeyNumbers(std::size_t width) : width_(width) {}

  // The number of a key, a new one if it is not known: the smallest that was never used, or one that is free again.
  Index number(std::span<const Value> key);
  // The number of a key, or kNone.
  [[nodiscard]] Index find(std::span<const Value> key) const;
  // The numbers of the keys of many rows: key i has its values at `places` behind `rows + i * stride`.
  void numbers(const Value* rows, std::size_t stride, std::span<const Index> places, std::span<Index> found);
  void forget(Index number);

  // Numbers are smaller than this.
  [[nodiscard]] std::size_t size() const { return used_; }
  // How many keys there are.
  [[nodiscard]] std::size_t count() const { return used_ - free_.size(); }
  [[nodiscard]] std::span<const Value> key(Index number) const { return {keys_.data() + number * width_, width_}; }

 private:
  // The hash decides where a key is looked for first; empty slots have the number kNone.
  struct Slot {
    std::uint32_t hash = 0;
    Index number = UINT32_MAX;
  };

  static std::uint32_t hash(std::span<const Value> key) { return static_cast<std::uint32_t>(hash_of(key)); }
  Index resolve(std::span<const Value> key, std::uint32_t hash);
  [[nodiscard]] bool is(Index number, std::span<const Value> key) const;
  void grow();

  std::size_t width_;
  std::size_t used_ = 0;
  std::vector<Value> keys_;
  std::vector<Slot> slots_;
  std::vector<Index> free_;
};

}  // namespace holdsfor
