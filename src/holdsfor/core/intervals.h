// Lists of intervals [start, end), sorted and disjoint. Unless it says otherwise, intervals that touch are joined.
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

// A time some distance away; beyond the ends of time there is nothing.
inline Time moved(Time time, Time distance) {
  if (time == kForever || time == kNever) return time;
  if (distance == kForever || distance == kNever) return distance;
  Time found = 0;
  if (__builtin_add_overflow(time, distance, &found)) return distance > 0 ? kForever : kNever;
  return found;
}

// Sorts and joins intervals that overlap or touch, in place.
void make_maximal(Intervals& list);
// Where the first of some sorted by their starts is that starts after a time. `near` is where the last answer was:
// questions in the order of time are answered quickest.
template <typename Entries>
std::size_t first_after(const Entries& entries, Time time, std::uint32_t& near) {
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

// Where lists that somebody asks about again and again were last looked at, by any number that tells them apart.
class Nearby {
 public:
  std::uint32_t& of(std::size_t number) { return places_[number % places_.size()]; }

 private:
  std::array<std::uint32_t, 64> places_{};
};

// Each operator has its own file. What is made is none of the lists it is made of.
void unite(std::span<const Intervals* const> inputs, Intervals& out);
void intersect(std::span<const Intervals* const> inputs, Intervals& out);
void complement(std::span<const Intervals* const> inputs, Intervals& out);
void subtract(const Intervals& base, std::span<const Intervals* const> others, Intervals& out);
// Adjacent pairs of one list and another; those that overlap are joined, those that touch stay apart.
void sequence(const Intervals& first, const Intervals& second, Intervals& out);
// `relation` and `mode` as the compiler numbers them.
void allen(std::int64_t relation, std::int64_t mode, const Intervals& sources, const Intervals& targets,
           Intervals& out);
// Metric operators; `high` less than zero is without limit.
void metric(IntervalOperator op, std::span<const Intervals* const> inputs, Time low, Time high, Intervals& out);

}  // namespace holdsfor
