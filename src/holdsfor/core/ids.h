// The ids of intervals: a hash of fluent, value, and the start and query time with which one was first seen.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "value.h"

namespace holdsfor {

inline constexpr std::size_t kIdDigits = 32;
using IntervalId = std::array<char, kIdDigits>;

// What an id has of a text.
using TextHash = std::array<std::uint64_t, 2>;
TextHash text_hash(std::string_view text);

// Two words, written as hexadecimal digits.
IntervalId interval_id(const TextHash& fluent, const TextHash& value, Time start, Time query);

// A start before all time has a number of its own in ids.
inline Time start_in_id(Time ticks, Time tick) { return ticks == kNever ? -(Time{1} << 62U) : ticks * tick; }

}  // namespace holdsfor
