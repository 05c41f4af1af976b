// The doubled time-line of metric rules. The point t is the even cell 2t, the gap after it the odd cell 2t + 1. So
// every interval, open or closed at either end, is half-open over cells.
#pragma once

#include <optional>

#include "intervals.h"

namespace holdsfor {

// The ends of unbounded intervals, in cells. All cells lie between them.
inline constexpr Time kEndless = Time{1} << 62U;
inline constexpr Interval kAllTime{-kEndless, kEndless};
// Limit for distinguishable cells. `kBeyond` represents every finite cell further from 0.
inline constexpr Time kMostCells = 2 * ((Time{1} << 61U) - 3) + 1;
inline constexpr Time kBeyond = kEndless - 2;

// An interval of distances in ticks. A missing bound is infinite.
struct Offsets {
  std::optional<Time> low;
  std::optional<Time> high;
  bool low_open = false;
  bool high_open = false;
};

[[nodiscard]] inline bool is_infinite(Time cell) { return cell >= kEndless || cell <= -kEndless; }

// The points of an interval, shifted by all offsets.
Interval reached(Interval one, const Offsets& offsets);
// The points for which all offsets lie in the interval. May be empty.
Interval eroded(Interval one, const Offsets& offsets);
// The topological closure: the interval with its end-points.
Interval closed(Interval one);
// The intersection of two intervals. May be empty.
[[nodiscard]] inline Interval common(Interval one, Interval other) {
  return {one.start > other.start ? one.start : other.start, one.end < other.end ? one.end : other.end};
}
[[nodiscard]] inline bool is_empty(Interval one) { return one.start >= one.end; }
// A cell after a time unit gets `factor` times as many ticks. Throws std::overflow_error if the result is not
// distinguishable.
Time finer(Time cell, Time factor);

// Adds an interval to a list. Adds to `fresh` the parts that were not in the list.
void add_interval(Intervals& list, Interval added, Intervals& fresh);
// The first interval of a list that ends after a cell.
Intervals::const_iterator first_after(const Intervals& list, Time cell);
// The intersection of two lists.
void intersect(const Intervals& one, const Intervals& other, Intervals& out);
// The difference of two lists.
void subtract(const Intervals& base, const Intervals& other, Intervals& out);

}  // namespace holdsfor
