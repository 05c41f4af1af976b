// Lists of intervals [start, end), sorted and disjoint. Unless it says otherwise, intervals that touch are joined.
#pragma once

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
Time moved(Time time, Time distance);

// Sorts and joins intervals that overlap or touch, in place.
void make_maximal(Intervals& list);
// Whether a time-point is in a list.
bool contains(const Intervals& list, Time time);

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
