// Assigns numbers to keys, which are rows of values. A forgotten key frees its number.
#pragma once

#include <span>
#include <vector>

#include "plan.h"
#include "value.h"

namespace holdsfor {

class KeyNumbers {
 public:
  explicit KeyNumbers(std::size_t width) : width_(width) {}

  // The number of a key. An unknown key gets a free number, or the smallest number never used.
  Index number(std::span<const Value> key);
  // The number of a key, or kNone.
  [[nodiscard]] Index find(std::span<const Value> key) const;
  // The numbers of the keys of many rows. Key i has its words at `places` of the row at `rows + i * stride`.
  void numbers(const std::uint64_t* rows, std::size_t stride, std::span<const Index> places, std::span<Index> found);
  void forget(Index number);

  // The number of values of a key.
  [[nodiscard]] std::size_t width() const { return width_; }
  // Upper bound of the numbers.
  [[nodiscard]] std::size_t size() const { return used_; }
  // The number of keys.
  [[nodiscard]] std::size_t count() const { return used_ - free_.size(); }
  [[nodiscard]] std::span<const Value> key(Index number) const { return {keys_.data() + number * width_, width_}; }

 private:
  // An empty slot has the number kNone. The tag of a key is its word if the key has one column, otherwise its hash.
  struct Slot {
    std::uint64_t tag = 0;
    Index number = UINT32_MAX;
  };

  [[nodiscard]] std::uint64_t tag_of(std::span<const Value> key) const {
    return width_ == 1 ? key[0].word() : hash_of(key);
  }
  // The first slot to probe. Multiplicative hashing: the upper bits of the product differ even for close words.
  [[nodiscard]] std::size_t home(std::uint64_t tag) const { return (tag * 0x9E3779B97F4A7C15U) >> shift_; }
  [[nodiscard]] bool is(const Slot& slot, std::uint64_t tag, std::span<const Value> key) const;
  // Whether the key is the code of a term that `of_code_` covers.
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
  std::vector<Index> of_code_;  // by code, for keys that are terms; most codes are small
  std::vector<Slot> slots_;     // of all other keys; the size is a power of two
  std::size_t hashed_ = 0;      // number of keys in the slots
  unsigned shift_ = 64;
  std::vector<Index> free_;
};

}  // namespace holdsfor
