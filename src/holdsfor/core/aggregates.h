// What sliding aggregates make of the items of their window.
#pragma once

#include <optional>
#include <span>

#include "arithmetic.h"

namespace holdsfor {

enum class Aggregate : std::uint8_t { kCount, kSum, kAverage, kLeast, kGreatest, kDistinct };

// The value for some items; nothing if one of them has none. Means and extremes need an item.
std::optional<Value> aggregate(Aggregate kind, std::span<const Value> items, const Arithmetic& arithmetic,
                               TermTable& terms, Host& host);
// Whether one number is nearer than another to the extreme that an aggregate looks for.
bool is_better(Aggregate kind, Value one, Value other, const Arithmetic& arithmetic);
std::optional<Value> mean(Value sum, std::size_t count, const Arithmetic& arithmetic);

}  // namespace holdsfor
