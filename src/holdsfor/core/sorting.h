// Sorts sequences that are partly in order.
#pragma once

#include <algorithm>

namespace holdsfor {

// Sorts a range with a sorted prefix, as after appending to a sorted range.
template <typename Iterator, typename ComesBefore>
void sort_added(Iterator first, Iterator last, const ComesBefore& comes_before) {
  const Iterator added = std::is_sorted_until(first, last, comes_before);
  if (added == last) return;
  std::stable_sort(added, last, comes_before);
  std::inplace_merge(first, added, last, comes_before);
}

}  // namespace holdsfor
