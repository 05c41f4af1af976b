#include <algorithm>

#include "intervals.h"

namespace holdsfor {
namespace {

enum Relation : std::int64_t { kBefore, kMeets, kStarts, kFinishes, kDuring, kOverlaps, kEqual };
enum Mode : std::int64_t {
  kSource,
  kTarget,
  kUnion,
  kIntersection,
  kRelativeComplement,
  kRelativeComplementInverse,
};

Time last(const Interval& one) { return one.end == kForever ? kForever : one.end - 1; }

bool related(std::int64_t relation, const Interval& source, const Interval& target) {
  const Time s = source.start;
  const Time t = target.start;
  const Time f = last(source);
  const Time g = last(target);
  switch (relation) {
    case kBefore:
      return f < t;
    case kMeets:
      return f == t && s < f;
    case kStarts:
      return s == t && f < g;
    case kFinishes:
      return s > t && f == g;
    case kDuring:
      return s > t && f < g;
    case kOverlaps:
      return s < t && t < f && f < g;
    default:
      return s == t && f == g;
  }
}

// Finds the intervals of each list that are related to some interval of the other. Related candidates of `a` are
// adjacent, except for `before`, which relates `a` to all later intervals. There the last target, or the first source,
// decides.
void choose(std::int64_t relation, const Intervals& sources, const Intervals& targets, Intervals& chosen_sources,
            Intervals& chosen_targets) {
  if (relation == kBefore) {
    for (const Interval& a : sources) {
      if (!targets.empty() && related(relation, a, targets.back())) chosen_sources.push_back(a);
    }
    for (const Interval& b : targets) {
      if (!sources.empty() && related(relation, sources.front(), b)) chosen_targets.push_back(b);
    }
    return;
  }
  std::vector<bool> is_chosen(targets.size());
  std::size_t from = 0;
  for (const Interval& a : sources) {
    // Every relation except `before` needs a common time-point.
    while (from < targets.size() && targets[from].end <= a.start) ++from;
    bool found = false;
    for (std::size_t j = from; j < targets.size() && targets[j].start < a.end; ++j) {
      if (related(relation, a, targets[j])) {
        found = true;
        is_chosen[j] = true;
      }
    }
    if (found) chosen_sources.push_back(a);
  }
  for (std::size_t j = 0; j < targets.size(); ++j) {
    if (is_chosen[j]) chosen_targets.push_back(targets[j]);
  }
}

}  // namespace

void allen(std::int64_t relation, std::int64_t mode, const Intervals& sources, const Intervals& targets,
           Intervals& out) {
  Intervals some_sources;
  Intervals some_targets;
  choose(relation, sources, targets, some_sources, some_targets);
  const Intervals* both[] = {&some_sources, &some_targets};
  switch (mode) {
    case kSource:
      out.swap(some_sources);
      return;
    case kTarget:
      out.swap(some_targets);
      return;
    case kUnion:
      return unite(both, out);
    case kIntersection:
      return intersect(both, out);
    case kRelativeComplement:
      return subtract(some_sources, std::span(both).subspan(1), out);
    default:
      return subtract(some_targets, std::span(both).first(1), out);
  }
}

}  // namespace holdsfor
