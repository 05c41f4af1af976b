// Lists of intervals as terms of rules, `[(S,E), ...]`, for predicates that work on them.
#pragma once

#include <optional>

#include "arithmetic.h"
#include "intervals.h"
#include "terms.h"

namespace holdsfor {

// An open end is the name `inf`; a start before all time is `-inf`.
Value spell(const Intervals& list, const Arithmetic& arithmetic, TermTable& terms);
// The intervals that a term lists, in order; those that overlap are one, those that touch stay apart. Nothing if it is
// no such list.
std::optional<Intervals> read_intervals(Value term, const Arithmetic& arithmetic, const TermTable& terms);

}  // namespace holdsfor
