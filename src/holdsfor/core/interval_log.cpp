#include "interval_log.h"

#include <algorithm>

namespace holdsfor {

void IntervalArrivals::add(IntervalHead head, Time start, Time end, Time pushed_start, std::span<const Value> pair,
                           std::int64_t cause) {
  head.table = static_cast<std::uint16_t>(table);
  head.width = static_cast<std::uint32_t>(rows.width);
  rows.cells.push_back(interval_head_cell(head));
  for (const Time time : {start, end, pushed_start}) rows.cells.push_back(time_cell(time));
  rows.cells.insert(rows.cells.end(), pair.begin(), pair.end());
  causes.push_back(cause);
}

std::size_t IntervalLog::size() const {
  std::size_t found = 0;
  for (std::size_t at = 0; at < cells_.size(); at += interval_head(&cells_[at]).width) ++found;
  return found;
}

void IntervalLog::insert(std::span<const Value> row) { cells_.insert(cells_.end(), row.begin(), row.end()); }

bool IntervalLog::retract(const Value* row, Time first) {
  const IntervalHead wanted = interval_head(row);
  const Time from = std::max(time_of(row[1]), first);
  const Time until = time_of(row[2]);
  if (from >= until) return false;
  bool is_found = false;
  std::vector<Value> rest;  // what is left behind the time-points that are taken back
  std::size_t kept = 0;
  for (std::size_t at = 0; at < cells_.size();) {
    Value* known = cells_.data() + at;
    const IntervalHead head = interval_head(known);
    at += head.width;
    const bool is_met = head.table == wanted.table && time_of(known[1]) < until && from < time_of(known[2]) &&
                        std::equal(known + 4, known + head.width, row + 4);
    if (is_met) {
      is_found = true;
      if (until < time_of(known[2])) {
        const std::size_t piece = rest.size();
        rest.insert(rest.end(), known, known + head.width);
        const auto flags = static_cast<std::uint8_t>(head.flags & ~kIsCut);
        rest[piece] = interval_head_cell({.table = head.table, .flags = flags, .width = head.width});
        rest[piece + 1] = rest[piece + 3] = time_cell(until);
      }
      if (time_of(known[1]) >= from) continue;
      known[2] = time_cell(from);
    }
    std::copy(known, known + head.width, cells_.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += head.width;
  }
  cells_.resize(kept);
  cells_.insert(cells_.end(), rest.begin(), rest.end());
  return is_found;
}

void IntervalLog::drop_until(Time time, std::span<const Time> keep) {
  std::size_t to = 0;
  for (std::size_t at = 0; at < cells_.size();) {
    const IntervalHead head = interval_head(&cells_[at]);
    const Time end = time_of(cells_[at + 2]);
    const Time kept = keep[head.table];
    // It ended more than `kept` before the time-point after `time`.
    const bool is_over = end <= time && kept != kForever && time - end >= kept;
    if (!is_over) {
      if (to != at)
        std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(at), head.width,
                    cells_.begin() + static_cast<std::ptrdiff_t>(to));
      to += head.width;
    }
    at += head.width;
  }
  cells_.resize(to);
}

Time IntervalLog::wake(Time query) const {
  Time found = kForever;
  for (std::size_t at = 0; at < cells_.size(); at += interval_head(&cells_[at]).width) {
    const Time start = time_of(cells_[at + 1]);
    if (!interval_head(&cells_[at]).has(kIsPoint) || start < query) continue;
    found = std::min(found, start == query ? query + 1 : start);
  }
  return found;
}

}  // namespace holdsfor
