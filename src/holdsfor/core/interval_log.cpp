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
  for (std::size_t at = 0; at < cells_.size();) {
    Value* known = cells_.data() + at;
    const IntervalHead head = interval_head(known);
    at += head.width;
    if (head.table != wanted.table || head.has(kIsSettled) || head.has(kIsPoint) != wanted.has(kIsPoint)) continue;
    // The end, the start as it was pushed, value and arguments.
    if (!std::equal(known + 2, known + head.width, row + 2)) continue;
    const Time start = time_of(known[1]);
    if (time_of(known[2]) <= first || (head.has(kIsPoint) && start < first)) continue;
    if (start >= first) {
      const auto from = cells_.begin() + (known - cells_.data());
      cells_.erase(from, from + static_cast<std::ptrdiff_t>(head.width));
    } else {
      // What the window has left behind stays.
      known[0] = interval_head_cell(
          {.table = head.table, .flags = static_cast<std::uint8_t>(head.flags | kIsSettled), .width = head.width});
      known[2] = time_cell(first);
    }
    return true;
  }
  return false;
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
