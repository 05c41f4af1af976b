#include "metric_time.h"

#include <algorithm>
#include <stdexcept>

#include "wide.h"

namespace holdsfor {
namespace {

// Beyond every finite cell, after any shift.
constexpr Wide kInfinite = Wide{1} << 70U;

// Shifts a cell by ticks, to a point or to the gap beside it. Infinite cells stay infinite.
Wide shifted(Time cell, Time ticks, bool is_gap) {
  if (is_infinite(cell)) return cell > 0 ? kInfinite : -kInfinite;
  return ((Wide{cell} + 2 * Wide{ticks}) & ~Wide{1}) | Wide{is_gap ? 1 : 0};
}

Time told_apart(Wide cell) {
  if (cell >= kInfinite) return kEndless;
  if (cell <= -kInfinite) return -kEndless;
  const auto bit = static_cast<Time>(cell & 1);
  if (cell > kMostCells) return kBeyond | bit;
  if (cell < -kMostCells) return -kBeyond | bit;
  return static_cast<Time>(cell);
}

// An interval that lies completely beyond the distinguishable times does not become empty.
Interval told_apart(Wide start, Wide end) {
  Interval found{told_apart(start), told_apart(end)};
  if (start < end && found.start >= found.end) {
    found.start = start > 0 ? kBeyond : -kBeyond;
    found.end = found.start | 1;
  }
  return found;
}

bool is_odd(Time cell) { return (cell & 1) != 0; }

}  // namespace

Interval reached(Interval one, const Offsets& offsets) {
  return told_apart(offsets.low ? shifted(one.start, *offsets.low, is_odd(one.start) || offsets.low_open) : -kInfinite,
                    offsets.high ? shifted(one.end, *offsets.high, is_odd(one.end) && !offsets.high_open) : kInfinite);
}

Interval eroded(Interval one, const Offsets& offsets) {
  Wide start = one.start <= -kEndless ? -kInfinite : kInfinite;
  Wide end = one.end >= kEndless ? kInfinite : -kInfinite;
  if (offsets.high) start = shifted(one.start, *offsets.high, is_odd(one.start) && !offsets.high_open);
  if (offsets.low) end = shifted(one.end, *offsets.low, is_odd(one.end) || offsets.low_open);
  return told_apart(start, end);
}

Interval closed(Interval one) {
  if (!is_infinite(one.start)) one.start &= ~Time{1};
  if (!is_infinite(one.end)) one.end |= 1;
  return one;
}

Time finer(Time cell, Time factor) {
  if (cell > kMostCells || cell < -kMostCells) return cell;
  const Wide point = Wide{cell >> 1} * 2 * factor;
  if (point > kMostCells || point < -kMostCells) throw std::overflow_error("a time is too far away");
  return static_cast<Time>(point) | (cell & 1);
}

void add_interval(Intervals& list, Interval added, Intervals& fresh) {
  if (list.empty() || list.back().end < added.start) {
    list.push_back(added);
    fresh.push_back(added);
    return;
  }
  // Intervals that overlap or touch.
  const auto first =
      std::partition_point(list.begin(), list.end(), [&](const Interval& one) { return one.end < added.start; });
  Time from = added.start;
  Interval whole = added;
  auto last = first;
  for (; last != list.end() && last->start <= added.end; ++last) {
    if (from < last->start) fresh.push_back({from, last->start});
    from = std::max(from, last->end);
    whole = {std::min(whole.start, last->start), std::max(whole.end, last->end)};
  }
  if (from < added.end) fresh.push_back({from, added.end});
  if (first == last) {
    list.insert(first, added);
  } else {
    *first = whole;
    list.erase(first + 1, last);
  }
}

Intervals::const_iterator first_after(const Intervals& list, Time cell) {
  return std::partition_point(list.begin(), list.end(), [cell](const Interval& one) { return one.end <= cell; });
}

void intersect(const Intervals& one, const Intervals& other, Intervals& out) {
  out.clear();
  if (one.size() > other.size()) return intersect(other, one, out);
  if (one.empty()) return;
  auto at = first_after(other, one.front().start);
  for (const Interval& part : one) {
    if (at != other.end() && at->end <= part.start)
      at = std::partition_point(at, other.end(), [&](const Interval& next) { return next.end <= part.start; });
    for (; at != other.end() && at->start < part.end; ++at) {
      out.push_back(common(part, *at));
      if (at->end > part.end) break;
    }
  }
}

void subtract(const Intervals& base, const Intervals& other, Intervals& out) {
  out.clear();
  if (base.empty()) return;
  auto at = first_after(other, base.front().start);
  for (const Interval& part : base) {
    Time from = part.start;
    while (at != other.end() && at->end <= part.start) ++at;
    auto next = at;
    for (; next != other.end() && next->start < part.end; ++next) {
      if (from < next->start) out.push_back({from, next->start});
      from = std::max(from, next->end);
    }
    if (from < part.end) out.push_back({from, part.end});
  }
}

}  // namespace holdsfor
