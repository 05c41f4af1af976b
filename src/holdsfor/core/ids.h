// The ids of intervals: a hash of fluent, value, start, and the query time of the first report.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "value.h"

namespace holdsfor {

// Hexadecimal digits of an id, which has 128 bits.
inline constexpr std::size_t kIdDigits = 32;
using IntervalId = std::array<char, kIdDigits>;

// The contribution of a text to an id.
using TextHash = std::array<std::uint64_t, 2>;
TextHash text_hash(std::string_view text);

// Two words in hexadecimal digits.
IntervalId interval_id(const TextHash& fluent, const TextHash& value, Time start, Time query);

// An unbounded start has a reserved number in ids.
inline Time start_in_id(Time ticks, Time tick) { return ticks == kNever ? -(Time{1} << 62U) : ticks * tick; }

}  // namespace holdsfor
