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
  // The numbers of the keys of many rows: key i has its words at `places` behind `rows + i * stride`.
  void numbers(const std::uint64_t* rows, std::size_t stride, std::span<const Index> places, std::span<Index> found);
  void forget(Index number);

  // How many values a key has.
  [[nodiscard]] std::size_t width() const { return width_; }
  // Numbers are smaller than this.
  [[nodiscard]] std::size_t size() const { return used_; }
  // How many keys there are.
  [[nodiscard]] std::size_t count() const { return used_ - free_.size(); }
  [[nodiscard]] std::span<const Value> key(Index number) const { return {keys_.data() + number * width_, width_}; }

 private:
  // Empty slots have the number kNone. The tag of a key is its word, if it has one; else it is its hash.
  struct Slot {
    std::uint64_t tag = 0;
    Index number = UINT32_MAX;
  };

  [[nodiscard]] std::uint64_t tag_of(std::span<const Value> key) const {
    return width_ == 1 ? key[0].word() : hash_of(key);
  }
  // Where a key is looked for first: the upper bits of a product differ where words are close to one another.
  [[nodiscard]] std::size_t home(std::uint64_t tag) const { return (tag * 0x9E3779B97F4A7C15U) >> shift_; }
  [[nodiscard]] bool is(const Slot& slot, std::uint64_t tag, std::span<const Value> key) const;
  // Whether the key is the code of a term, and stands in the place of that.
  [[nodiscard]] bool has_place(std::uint64_t tag) const {
    return width_ == 1 && Value::from_word(tag).is_code() && Value::from_word(tag).as_code() < of_code_.size();
  }
  Index resolve(std::span<const Value> key, std::uint64_t tag);
  void number_words(const std::uint64_t* words, std::size_t stride, std::span<Index> found);
  Index add(std::span<const Value> key);
  void make_room(std::size_t more);
  void fill_slots(std::size_t count);

  std::size_t width_;
  std::size_t used_ = 0;
  std::vector<Value> keys_;
  std::vector<Index> of_code_;  // numbers of keys that are codes of terms: most of them are small
  std::vector<Slot> slots_;     // of all other keys; a power of two
  std::size_t hashed_ = 0;      // how many of them there are
  unsigned shift_ = 64;
  std::vector<Index> free_;
};

}  // namespace holdsfor
