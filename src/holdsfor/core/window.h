// Which rows count at a query time, and what is shown at it: a window of some size ends there.
#pragma once

#include <optional>

#include "value.h"

namespace holdsfor {

// A window sees the time-points after `low`, up to the query time. Without a size it sees everything.
struct Window {
  std::optional<Time> size;
  // Events of this time and before do not count, whatever the window.
  Time start = kNever;
  // The beginning of time, before which metric predicates hold of nothing: 0, or earlier if something speaks of it.
  Time origin = 0;

  // The border at a query time: what lies there or before is settled.
  [[nodiscard]] Time low(Time query) const {
    if (!size) return kNever;
    return query < kNever + *size ? kNever : query - *size;
  }
  // The first time-point that a query sees.
  [[nodiscard]] Time first(Time query) const {
    const Time border = low(query);
    return border == kNever ? kNever : border + 1;
  }
};

// Whether an interval that ends there reaches into the window that begins after `low`.
inline bool reaches_into_window(Time end, Time low) { return low == kNever || end == kForever || end > low + 1; }

}  // namespace holdsfor
