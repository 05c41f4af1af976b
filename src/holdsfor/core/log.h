// The log of a key: its input events in one array, ordered by time, then table.
//
// A row is its time, a head and its arguments.
#pragma once

#include <bit>
#include <cstdint>

#include "value.h"

namespace holdsfor {

// One bit for each rule, see RowHead.
using Passes = std::uint32_t;

// Flags of rows on the way to a log.
enum ArrivalFlag : std::uint8_t {
  kTakesBack = 1,  // the row is a retraction
  kIsCounted = 2,  // a retraction without a matching row is counted here
};

struct RowHead {
  // Bit i: the row passes the row conditions of the rule of its table with Rule::row_bit i. The last bit means that the
  // conditions were not evaluated; then all bits are set.
  static constexpr Passes kUnknown = ~Passes{0};
  static constexpr Passes kUnknownBit = Passes{1} << 31U;

  std::uint16_t table = 0;
  std::uint8_t is_there = 1;  // 0 only while rows are taken in: the row was retracted
  std::uint8_t flags = 0;     // ArrivalFlags, only for rows on the way to a log
  Passes passes = kUnknown;

  [[nodiscard]] Value word() const { return Value::from_word(std::bit_cast<std::uint64_t>(*this)); }
  static RowHead from(Value word) { return std::bit_cast<RowHead>(word.word()); }
};

// Cells of a row before its arguments.
inline constexpr std::size_t kLogHead = 2;

}  // namespace holdsfor
