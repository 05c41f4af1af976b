#include "deliveries.h"

#include <algorithm>

namespace holdsfor {
namespace {

// The entry of a table in a sorted list; created if missing.
template <typename Entry>
Entry& entry_of(std::vector<Entry>& entries, Index table, std::size_t width, auto is_other) {
  auto at = std::lower_bound(entries.begin(), entries.end(), table,
                             [](const Entry& one, Index wanted) { return one.table < wanted; });
  while (at != entries.end() && at->table == table && is_other(*at)) ++at;
  if (at != entries.end() && at->table == table) return *at;
  at = entries.insert(at, Entry{});
  at->table = table;
  at->rows.width = width;
  return *at;
}

}  // namespace

void Deliveries::add(Arrivals arrivals) {
  const auto after = std::upper_bound(events.begin(), events.end(), arrivals.table,
                                      [](Index wanted, const Arrivals& one) { return wanted < one.table; });
  events.insert(after, std::move(arrivals));
}

Arrivals& Deliveries::events_of(Index table, std::size_t columns) {
  const auto after = std::upper_bound(events.begin(), events.end(), table,
                                      [](Index wanted, const Arrivals& one) { return wanted < one.table; });
  if (after != events.begin() && std::prev(after)->table == table && std::prev(after)->can_grow()) {
    return *std::prev(after);
  }
  return *events.insert(after, Arrivals{.table = table, .rows = EventRows(columns), .causes = {}, .is_retraction = {}});
}

IntervalArrivals& Deliveries::intervals_of(Index table, std::size_t columns) {
  return entry_of(intervals, table, columns + kIntervalRowHead, [](const IntervalArrivals&) { return false; });
}

EffectArrivals& Deliveries::effects_of(Index table, bool is_termination, std::size_t columns) {
  EffectArrivals& found = entry_of(effects, table, columns + kEventHead + 1,
                                   [&](const EffectArrivals& one) { return one.is_termination != is_termination; });
  found.is_termination = is_termination;
  return found;
}

void Deliveries::drop(const std::vector<bool>& tables) {
  const auto is_dropped = [&](const auto& one) { return static_cast<bool>(tables[one.table]); };
  std::erase_if(events, is_dropped);
  std::erase_if(intervals, is_dropped);
  std::erase_if(effects, is_dropped);
}

void Deliveries::clear() {
  events.clear();
  intervals.clear();
  effects.clear();
}

}  // namespace holdsfor
