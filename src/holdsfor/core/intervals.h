// Lists of intervals [start, end), sorted and disjoint. Touching intervals are joined unless stated otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "plan.h"
#include "value.h"

namespace holdsfor {

struct Interval {
  Time start = 0;
  Time end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

using Intervals = std::vector<Interval>;

// A time shifted by a distance; saturates at kNever and kForever.
inline Time moved(Time time, Time distance) {
  if (time == kForever || time == kNever) return time;
  if (distance == kForever || distance == kNever) return distance;
  Time found = 0;
  if (__builtin_add_overflow(time, distance, &found)) return distance > 0 ? kForever : kNever;
  return found;
}

// Sorts intervals and joins those that overlap or touch, in place.
void make_maximal(Intervals& list);
// The index of the first entry that starts after `time`, among entries sorted by start. `near` has the last result;
// queries in time order are fastest.
template <typename Entries>
std::size_t first_after(const Entries& entries, Time time, std::uint32_t& near) {
  // Entries examined one by one before switching to binary search.
  constexpr std::size_t kFewSteps = 8;
  const auto comes_before = [](Time wanted, const auto& one) { return wanted < one.start; };
  std::size_t from = std::min<std::size_t>(near, entries.size());
  std::size_t to = entries.size();
  if (from > 0 && entries[from - 1].start > time) {
    to = from - 1;
    from = 0;
  } else {
    const std::size_t last = std::min(from + kFewSteps, to);
    while (from < last && entries[from].start <= time) ++from;
    if (from < last) to = from;
  }
  const auto first = entries.begin();
  const auto found = std::upper_bound(first + static_cast<std::ptrdiff_t>(from),
                                      first + static_cast<std::ptrdiff_t>(to), time, comes_before);
  near = static_cast<std::uint32_t>(found - first);
  return near;
}

// Whether a time-point is in a list.
bool contains(const Intervals& list, Time time);
inline bool contains(const Intervals& list, Time time, std::uint32_t& near) {
  const std::size_t after = first_after(list, time, near);
  return after > 0 && time < list[after - 1].end;
}

// The last lookup positions of lists that are queried repeatedly, by a number that identifies the list. Collisions cost
// only time.
class Nearby {
 public:
  std::uint32_t& of(std::size_t number) { return places_[number % places_.size()]; }

 private:
  std::array<std::uint32_t, 64> places_{};
};

// Each operator has its own file. `out` must not be one of the inputs.
void unite(std::span<const Intervals* const> inputs, Intervals& out);
void intersect(std::span<const Intervals* const> inputs, Intervals& out);
void complement(std::span<const Intervals* const> inputs, Intervals& out);
void subtract(const Intervals& base, std::span<const Intervals* const> others, Intervals& out);
// Adjacent pairs of intervals of the two lists. Overlapping results are joined, touching ones stay separate.
void sequence(const Intervals& first, const Intervals& second, Intervals& out);
// `relation` and `mode` have the numbers of the compiler.
void allen(std::int64_t relation, std::int64_t mode, const Intervals& sources, const Intervals& targets,
           Intervals& out);
// Metric operators; a negative `high` means no upper bound.
void metric(IntervalOperator op, std::span<const Intervals* const> inputs, Time low, Time high, Intervals& out);

}  // namespace holdsfor
