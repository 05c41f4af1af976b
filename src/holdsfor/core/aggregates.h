// Sliding aggregates: computes the value for the items in a window.
#pragma once

#include <optional>
#include <span>

#include "arithmetic.h"

namespace holdsfor {

enum class Aggregate : std::uint8_t { kCount, kSum, kAverage, kLeast, kGreatest, kDistinct };

// The value for some items. No value if an item has none, or if a mean or an extreme has no items.
std::optional<Value> aggregate(Aggregate kind, std::span<const Value> items, const Arithmetic& arithmetic,
                               TermTable& terms, Host& host);
// Whether `one` is nearer than `other` to the extreme that an aggregate looks for.
bool is_better(Aggregate kind, Value one, Value other, const Arithmetic& arithmetic);
std::optional<Value> mean(Value sum, std::size_t count, const Arithmetic& arithmetic);

}  // namespace holdsfor
