#include <algorithm>

#include "intervals.h"

namespace holdsfor {

// An interval of the first list and one of the second are adjacent if no interval of either list lies between them.
// Both lists are sorted and disjoint. So the only candidate after an interval `a` is the first interval of the second
// list that begins at or after the end of `a`. It is adjacent unless the next interval of the first list ends before it
// begins.
void sequence(const Intervals& first, const Intervals& second, Intervals& out) {
  out.clear();
  std::size_t next = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Interval a = first[i];
    while (next < second.size() && second[next].start < a.end) ++next;
    if (next == second.size()) break;
    const Interval b = second[next];
    const bool is_overtaken = i + 1 < first.size() && first[i + 1].end <= b.start;
    if (is_overtaken) continue;
    if (!out.empty() && a.start < out.back().end) {
      out.back().end = std::max(out.back().end, b.end);
    } else {
      out.push_back({a.start, b.end});
    }
  }
}

}  // namespace holdsfor
