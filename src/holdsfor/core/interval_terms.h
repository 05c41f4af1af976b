// Converts lists of intervals to terms of rules, `[(S,E), ...]`, and back, for predicates that work on such terms.
#pragma once

#include <optional>

#include "arithmetic.h"
#include "intervals.h"
#include "terms.h"

namespace holdsfor {

// An open end becomes the name `inf`, an unbounded start `-inf`.
Value spell(const Intervals& list, const Arithmetic& arithmetic, TermTable& terms);
// The intervals that a term lists, sorted. Overlapping intervals are joined, touching ones stay separate. Nothing if
// the term is not a list of intervals.
std::optional<Intervals> read_intervals(Value term, const Arithmetic& arithmetic, const TermTable& terms);

}  // namespace holdsfor
