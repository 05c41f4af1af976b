// What the core asks of the program it is part of: the rare things that are not worth a second implementation here.
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

// How far clocks of a zone are ahead of UTC during a day of UTC, in seconds; `change` is when the offset changes, in
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

  // A function of numbers of which some do not fit into a word, or whose result does not.
  virtual std::optional<Value> apply(std::uint8_t function, std::span<const Value> args) = 0;
  // A term that stands where a number belongs: its value, if it is an expression.
  virtual std::optional<Value> evaluate(Value term) = 0;
  // A sliding aggregate of items that are not all small integers.
  virtual std::optional<Value> aggregate(std::uint8_t kind, std::span<const Value> items) = 0;
  // Less than zero, zero, or more, as `left` is less than, equal to, or greater than `right`.
  virtual int compare(Value left, Value right) = 0;
  // All answers of a goal: for each, the values of its outputs one after the other. Empty optional: it has no value.
  virtual std::vector<Value> solve(std::uint32_t goal, std::span<const Value> inputs, std::size_t& answers) = 0;
  // Another number whenever goals may have other answers than before.
  [[nodiscard]] virtual std::uint64_t answers_version() const { return 0; }
  // The same for a goal on lists of intervals at a query time.
  virtual std::vector<ListAnswer> solve_lists(std::uint32_t goal, std::span<const Value> inputs,
                                              std::span<const Intervals* const> lists, Time query) = 0;
  // The offsets of a zone, which is a name, on a day since 1970.
  virtual ZoneDay zone_day(Value zone, std::int64_t day) = 0;
  // Why a sliding aggregate of some items has no value: a number for `failed`.
  virtual std::uint32_t why(std::uint8_t kind, std::span<const Value> items) = 0;
  // A condition failed because something in it has no value. The reason is a number that `why` gave; 0 is what the
  // condition itself says.
  virtual void failed(std::uint32_t site, std::span<const Value> row, std::uint32_t reason) = 0;
};

}  // namespace holdsfor
