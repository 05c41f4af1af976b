// The window: which rows count at a query time, and which results are visible.
#pragma once

#include <optional>

#include "value.h"

namespace holdsfor {

// The window has the time-points after `low`, up to the query time. Without a size it has all time-points.
struct Window {
  std::optional<Time> size;
  // Events at or before this time never count.
  Time start = kNever;
  // The beginning of time, before which no metric predicate holds: 0, or earlier if the input or the rules mention an
  // earlier time.
  Time origin = 0;

  // The border at a query time: everything up to it is final.
  [[nodiscard]] Time low(Time query) const {
    if (!size) return kNever;
    return query < kNever + *size ? kNever : query - *size;
  }
  // The first time-point in the window.
  [[nodiscard]] Time first(Time query) const {
    const Time border = low(query);
    return border == kNever ? kNever : border + 1;
  }
};

// Whether an interval with this end reaches into the window that begins after `low`.
inline bool reaches_into_window(Time end, Time low) { return low == kNever || end == kForever || end > low + 1; }

}  // namespace holdsfor
