// The doubled time-line of metric rules. The point t is the even cell 2t, the gap after it the odd cell that follows:
// every interval, open or closed at either end, is half-open over cells.
#pragma once

#include <optional>

#include "intervals.h"

namespace holdsfor {

// Infinite starts and ends of intervals of cells are these; nothing lies beyond them.
inline constexpr Time kEndless = Time{1} << 62U;
inline constexpr Interval kAllTime{-kEndless, kEndless};
// Cells further from 0 are not told apart: `kBeyond` stands for every finite time there.
inline constexpr Time kMostCells = 2 * ((Time{1} << 61U) - 3) + 1;
inline constexpr Time kBeyond = kEndless - 2;

// An interval of distances in ticks; what is missing is infinite.
struct Offsets {
  std::optional<Time> low;
  std::optional<Time> high;
  bool low_open = false;
  bool high_open = false;
};

[[nodiscard]] inline bool is_infinite(Time cell) { return cell >= kEndless || cell <= -kEndless; }

// Each point plus the offsets.
Interval reached(Interval one, const Offsets& offsets);
// The points whose distances all lie in the interval; it may be empty.
Interval eroded(Interval one, const Offsets& offsets);
// The interval with its end-points.
Interval closed(Interval one);
// What two intervals have in common; it may be empty.
[[nodiscard]] inline Interval common(Interval one, Interval other) {
  return {one.start > other.start ? one.start : other.start, one.end < other.end ? one.end : other.end};
}
[[nodiscard]] inline bool is_empty(Interval one) { return one.start >= one.end; }
// The cell with so many times the ticks to a unit of time; throws std::overflow_error where cells are not told apart.
Time finer(Time cell, Time factor);

// Adds an interval to a list, and to `fresh` the parts of it that were not in the list.
void add_interval(Intervals& list, Interval added, Intervals& fresh);
// The first interval of a list that ends after a cell.
Intervals::const_iterator first_after(const Intervals& list, Time cell);
// What two lists have in common.
void intersect(const Intervals& one, const Intervals& other, Intervals& out);
// What one list has and another does not.
void subtract(const Intervals& base, const Intervals& other, Intervals& out);

}  // namespace holdsfor
