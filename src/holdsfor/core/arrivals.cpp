#include "arrivals.h"

#include <utility>

namespace holdsfor {

void IntervalArrivals::add(std::uint8_t flags, Time start, Time end, Time pushed_start, std::span<const Value> pair,
                           Cause cause) {
  const IntervalHead head{
      .table = static_cast<std::uint16_t>(table), .flags = flags, .width = static_cast<std::uint32_t>(rows.width)};
  put_interval(head, start, end, pushed_start, pair, rows.cells);
  add_cause(cause);
}

void IntervalArrivals::add(const Value* row, Cause cause) {
  rows.cells.insert(rows.cells.end(), row, row + rows.width);
  add_cause(cause);
}

// Adds the cause of the last row.
void IntervalArrivals::add_cause(Cause cause) {
  if (cause == kNoCause && causes.empty()) return;
  causes.resize(rows.size() - 1, kNoCause);
  causes.push_back(cause);
}

void IntervalArrivals::append(RowSet more, std::span<const Cause> its_causes) {
  const std::size_t before = rows.size();
  if (rows.cells.empty()) {
    rows.cells = std::move(more.cells);
  } else {
    rows.append(more);
  }
  if (its_causes.empty() && causes.empty()) return;
  causes.resize(before, kNoCause);
  causes.insert(causes.end(), its_causes.begin(), its_causes.end());
  causes.resize(rows.size(), kNoCause);
}

}  // namespace holdsfor
