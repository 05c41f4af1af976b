// What sliding aggregates make of the items of a window.
#pragma once

#include <optional>
#include <span>

#include "arithmetic.h"

namespace holdsfor {

// In the order of the compiler's list.
enum class Aggregate : std::int8_t { kCount, kSum, kAverage, kLeast, kGreatest, kDistinct };

// The value for some items; nothing if there is none. Integers are added here, all other numbers by the host.
std::optional<Value> aggregate(Aggregate kind, std::span<const Value> items, const Arithmetic& arithmetic, Host& host);

}  // namespace holdsfor
