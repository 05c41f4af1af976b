#include <algorithm>
#include <ranges>

#include "intervals.h"

namespace holdsfor {
namespace {

void sometime(const Intervals& list, Time low, Time high, Intervals& out) {
  Intervals found;
  for (const Interval& one : list) found.push_back({moved(one.start, low), moved(one.end, high)});
  make_maximal(found);
  out.swap(found);
}

void always(const Intervals& list, Time low, Time high, Intervals& out) {
  Intervals joined = list;
  make_maximal(joined);
  Intervals found;
  for (const Interval& one : joined) found.push_back({moved(one.start, high), moved(one.end, low)});
  make_maximal(found);
  out.swap(found);
}

void since(const Intervals& during, const Intervals& list, Time low, Time high, Intervals& out) {
  Intervals found;
  // No point lies between neighbours, or between a point and itself.
  if (low <= 1) sometime(list, low, std::min<Time>(high, 1), found);
  Intervals spans = during;
  make_maximal(spans);
  for (const Interval& one : spans) {
    const Intervals stretch{{moved(one.start, -1), moved(one.end, 1)}};
    const Intervals* inside[] = {&list, &stretch};
    Intervals reached;
    intersect(inside, reached);
    sometime(reached, low, high, reached);
    const Intervals* limited[] = {&reached, &stretch};
    Intervals part;
    intersect(limited, part);
    found.insert(found.end(), part.begin(), part.end());
  }
  make_maximal(found);
  out.swap(found);
}

// Mirrors time.
Intervals mirrored(const Intervals& list) {
  Intervals found;
  const auto turned = [](Time time) {
    if (time == kForever) return kNever;
    return time == kNever ? kForever : 1 - time;
  };
  for (const Interval& one : list | std::views::reverse) found.push_back({turned(one.end), turned(one.start)});
  return found;
}

}  // namespace

void metric(IntervalOperator op, std::span<const Intervals* const> inputs, Time low, Time high, Intervals& out) {
  const Time limit = high < 0 ? kForever : high;
  const bool is_ahead =
      op == IntervalOperator::kDiamondPlus || op == IntervalOperator::kBoxPlus || op == IntervalOperator::kUntil;
  std::vector<Intervals> lists;
  for (const Intervals* input : inputs) lists.push_back(is_ahead ? mirrored(*input) : *input);
  Intervals found;
  switch (op) {
    case IntervalOperator::kDiamondMinus:
    case IntervalOperator::kDiamondPlus:
      sometime(lists[0], low, limit, found);
      break;
    case IntervalOperator::kBoxMinus:
    case IntervalOperator::kBoxPlus:
      always(lists[0], low, limit, found);
      break;
    default:
      since(lists[0], lists[1], low, limit, found);
  }
  out = is_ahead ? mirrored(found) : std::move(found);
}

}  // namespace holdsfor
