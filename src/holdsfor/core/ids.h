// The ids of intervals: a hash of fluent, value, and the start and query time with which one was first seen.
#pragma once

#include <array>
#include <string_view>

#include "value.h"

namespace holdsfor {

inline constexpr std::size_t kIdDigits = 32;

// Two words, written as hexadecimal digits.
std::array<char, kIdDigits> interval_id(std::string_view fluent, std::string_view value, Time start, Time query);

}  // namespace holdsfor
