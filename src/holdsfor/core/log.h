// The log of a key: its input events in one array, in the order of time, and of table at equal times.
//
// A row is its time, a head and the arguments of its table.
#pragma once

#include <bit>
#include <cstdint>

#include "value.h"

namespace holdsfor {

// A bit for each rule, see RowHead.
using Passes = std::uint32_t;

// Of rows on their way.
enum ArrivalFlag : std::uint8_t {
  kTakesBack = 1,  // the row is to be removed
  kIsCounted = 2,  // and is counted here if it is not there
};

struct RowHead {
  // Bit i: the row passes the row conditions of the rule of its table whose Rule::row_bit is i. The last bit says that
  // nobody has found out; the others are set then, too.
  static constexpr Passes kUnknown = ~Passes{0};
  static constexpr Passes kUnknownBit = Passes{1} << 31U;

  std::uint16_t table = 0;
  std::uint8_t is_there = 1;  // 0 only while rows are taken in: it was taken back
  std::uint8_t flags = 0;     // only of rows that are on their way into a log
  Passes passes = kUnknown;

  [[nodiscard]] Value word() const { return Value::from_word(std::bit_cast<std::uint64_t>(*this)); }
  static RowHead from(Value word) { return std::bit_cast<RowHead>(word.word()); }
};

// Cells of a row before its arguments.
inline constexpr std::size_t kLogHead = 2;

}  // namespace holdsfor
