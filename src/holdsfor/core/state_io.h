// The state of an engine as bytes: a header, terms, and words. Terms in the words are numbered as in the file.
//
// The bytes are untrusted. Malformed bytes are refused with std::invalid_argument and a reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "terms.h"
#include "value.h"

namespace holdsfor {

// The version of the format; increase it with every change.
inline constexpr std::uint64_t kStateVersion = 5;

// A hash of bytes.
std::uint64_t checksum(std::span<const std::byte> bytes);

class StateWriter {
 public:
  explicit StateWriter(const TermTable& terms) : terms_(terms) {}

  void put(std::uint64_t word) { words_.push_back(word); }
  void put_time(Time time) { words_.push_back(static_cast<std::uint64_t>(time)); }
  void put_value(Value value) { words_.push_back(number_of(value)); }
  void put_values(std::span<const Value> values) {
    for (const Value value : values) put_value(value);
  }
  // The bytes, for a plan with this fingerprint.
  [[nodiscard]] std::string finish(std::uint64_t fingerprint) const;

 private:
  // The word of a value in the file. Terms are numbered by first use.
  std::uint64_t number_of(Value value);

  const TermTable& terms_;
  std::unordered_map<std::uint32_t, std::uint64_t> numbers_;  // by code
  std::vector<std::uint64_t> term_words_;                     // kind, functor, number, size, and text or items
  std::size_t term_count_ = 0;
  std::vector<std::uint64_t> words_;
};

class StateReader {
 public:
  StateReader(std::span<const std::byte> bytes, std::uint64_t fingerprint, TermTable& terms);

  std::uint64_t get();
  Time get_time() { return static_cast<Time>(get()); }
  // An input number, or kNoCause.
  std::int64_t get_cause();
  Value get_value();
  void get_values(std::size_t count, std::vector<Value>& into);
  // A number below `limit`.
  std::uint64_t get_below(std::uint64_t limit);
  // The number of items that follow, each of at least `words_each` words.
  std::size_t get_count(std::size_t words_each);
  [[nodiscard]] bool is_at_end() const { return at_ == words_.size(); }
  // Throws with a reason.
  [[noreturn]] static void refuse(const std::string& reason);

 private:
  static std::span<const std::byte> checked_payload(std::span<const std::byte> bytes, std::uint64_t fingerprint);
  void read_terms(TermTable& terms);

  std::vector<std::uint64_t> words_;
  std::size_t at_ = 0;
  std::vector<Value> terms_;  // by number in the file
};

}  // namespace holdsfor
