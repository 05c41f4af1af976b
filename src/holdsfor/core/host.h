// The interface of the core to its host program: rare operations that do not justify a second implementation in C++.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "intervals.h"
#include "value.h"

namespace holdsfor {

struct ListAnswer {
  std::vector<Value> values;
  std::vector<Intervals> lists;
};

// The UTC offsets of a time zone during one UTC day, in seconds. `change` is the time when the offset changes, in
// seconds since 1970.
struct ZoneDay {
  std::int64_t before = 0;
  std::int64_t change = 0;
  std::int64_t after = 0;
};

class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  Host(Host&&) = delete;
  Host& operator=(Host&&) = delete;
  virtual ~Host() = default;

  // A function of numbers where an operand or the result does not fit into a word.
  virtual std::optional<Value> apply(std::uint8_t function, std::span<const Value> args) = 0;
  // The value of a term in the place of a number, if it is an expression.
  virtual std::optional<Value> evaluate(Value term) = 0;
  // A sliding aggregate of items that are not all small integers.
  virtual std::optional<Value> aggregate(std::uint8_t kind, std::span<const Value> items) = 0;
  // Negative, zero or positive, as `left` is less than, equal to or greater than `right`.
  virtual int compare(Value left, Value right) = 0;
  // All answers of a goal: the output values of each answer, one answer after the other. Sets `answers` to their
  // number.
  virtual std::vector<Value> solve(std::uint32_t goal, std::span<const Value> inputs, std::size_t& answers) = 0;
  // A version number that changes whenever answers of goals may change.
  [[nodiscard]] virtual std::uint64_t answers_version() const { return 0; }
  // Solves a goal on interval lists at a query time.
  virtual std::vector<ListAnswer> solve_lists(std::uint32_t goal, std::span<const Value> inputs,
                                              std::span<const Intervals* const> lists, Time query) = 0;
  // The offsets of a zone, given by name, on a day counted from 1970.
  virtual ZoneDay zone_day(Value zone, std::int64_t day) = 0;
  // Why a sliding aggregate of some items has no value: a reason number for `failed`.
  virtual std::uint32_t why(std::uint8_t kind, std::span<const Value> items) = 0;
  // Reports a condition that failed because an operand has no value. `reason` is a number from `why`; 0: the condition
  // itself is the reason.
  virtual void failed(std::uint32_t site, std::span<const Value> row, std::uint32_t reason) = 0;
};

}  // namespace holdsfor
