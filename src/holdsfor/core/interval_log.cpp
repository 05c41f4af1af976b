#include "interval_log.h"

#include <algorithm>
#include <array>

#include "intervals.h"
#include "sorting.h"

namespace holdsfor {

std::size_t IntervalLog::size() const {
  const auto cells = this->cells();
  std::size_t found = 0;
  for (std::size_t at = 0; at < cells.size(); at += interval_head(&cells[at]).width) ++found;
  return found;
}

void IntervalLog::insert(std::span<const Value> rows) {
  std::vector<Value>& cells = cells_.own(rows.size());
  cells.insert(cells.end(), rows.begin(), rows.end());
}

bool IntervalLog::meets(const Value* known, const Value* row, Time from, Time until) {
  const IntervalHead head = interval_head(known);
  return head.table == interval_head(row).table && time_of(known[1]) < until && from < time_of(known[2]) &&
         std::equal(known + 4, known + head.width, row + 4);
}

void IntervalLog::put_rest(const Value* known, Time from, std::vector<Value>& into) {
  if (from >= time_of(known[2])) return;
  const IntervalHead head = interval_head(known);
  const std::size_t piece = into.size();
  into.insert(into.end(), known, known + head.width);
  const auto flags = static_cast<std::uint8_t>(head.flags & ~kIsCut);
  into[piece] = interval_head_cell({.table = head.table, .flags = flags, .width = head.width});
  into[piece + 1] = into[piece + 3] = time_cell(from);
}

bool IntervalLog::retract(const Value* row, Time first) {
  const Time from = std::max(time_of(row[1]), first);
  const Time until = time_of(row[2]);
  if (from >= until) return false;
  std::vector<Value>& cells = cells_.own();
  bool is_found = false;
  std::vector<Value> rest;  // remainders after the retracted time-points
  std::size_t kept = 0;
  for (std::size_t at = 0; at < cells.size();) {
    Value* known = cells.data() + at;
    const IntervalHead head = interval_head(known);
    at += head.width;
    if (meets(known, row, from, until)) {
      is_found = true;
      put_rest(known, until, rest);
      if (time_of(known[1]) >= from) continue;
      known[2] = time_cell(from);
    }
    if (kept + head.width != at) {
      std::copy(known, known + head.width, cells.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    kept += head.width;
  }
  cells.resize(kept);
  cells.insert(cells.end(), rest.begin(), rest.end());
  return is_found;
}

namespace {

bool is_same_pair(const Value* a, const Value* b) {
  const IntervalHead head = interval_head(a);
  return head.table == interval_head(b).table && std::equal(a + 4, a + head.width, b + 4);
}

}  // namespace

// The rows sorted by pair, then by start.
std::vector<Value*> IntervalLog::by_pair() {
  const std::span<Value> cells = cells_.edit();
  std::vector<Value*> rows;
  for (std::size_t at = 0; at < cells.size(); at += interval_head(&cells[at]).width) rows.push_back(&cells[at]);
  sort_added(rows.begin(), rows.end(), [](const Value* a, const Value* b) {
    const IntervalHead head = interval_head(a);
    const IntervalHead other = interval_head(b);
    if (head.table != other.table) return head.table < other.table;
    for (std::size_t i = 4; i < head.width; ++i) {
      if (a[i] != b[i]) return a[i].word() < b[i].word();
    }
    return time_of(a[1]) < time_of(b[1]);
  });
  return rows;
}

void IntervalLog::settle(Time time, std::span<const Time> keep) {
  const std::vector<Value*> rows = by_pair();
  std::vector<Value> left;
  left.reserve(cells().size());
  for (std::size_t from = 0; from < rows.size();) {
    // A maximal interval: rows of one pair, each beginning no later than the end of the rows before it.
    std::size_t to = from + 1;
    Time end = time_of(rows[from][2]);
    while (to < rows.size() && is_same_pair(rows[from], rows[to]) && time_of(rows[to][1]) <= end) {
      end = std::max(end, time_of(rows[to++][2]));
    }
    const Time kept = keep[interval_head(rows[from]).table];
    const bool is_over = kept != kForever && end <= moved(time, -kept);
    Value* last = nullptr;  // the last settled row; rows that touch it are merged into it
    for (std::size_t row = from; row < to && !is_over; ++row) {
      const IntervalHead head = interval_head(rows[row]);
      const bool is_settled = time_of(rows[row][2]) <= time;
      if (is_settled && last != nullptr && time_of(rows[row][1]) <= time_of(last[2])) {
        last[2] = time_cell(std::max(time_of(last[2]), time_of(rows[row][2])));
        if (head.has(kIsCut) && rows[row][1] == last[1]) {
          IntervalHead cut = interval_head(last);
          cut.flags |= kIsCut;
          last[0] = interval_head_cell(cut);
        }
        continue;
      }
      const std::size_t at = left.size();
      left.insert(left.end(), rows[row], rows[row] + head.width);
      if (!is_settled) continue;
      const auto flags = static_cast<std::uint8_t>(head.flags & kIsCut);
      left[at] = interval_head_cell({.table = head.table, .flags = flags, .width = head.width});
      last = &left[at];
    }
    from = to;
  }
  cells_.own().assign(left.begin(), left.end());
}

std::size_t IntervalLog::cells_behind(Time time, std::span<const Time> keep) const {
  const auto cells = this->cells();
  std::size_t found = 0;
  for (std::size_t at = 0; at < cells.size();) {
    const IntervalHead head = interval_head(&cells[at]);
    const Time kept = keep[head.table];
    if (kept != kForever && time_of(cells[at + 2]) <= moved(time, -kept)) found += head.width;
    at += head.width;
  }
  return found;
}

Time IntervalLog::last_end() const {
  const auto cells = this->cells();
  Time found = kNever;
  for (std::size_t at = 0; at < cells.size(); at += interval_head(&cells[at]).width) {
    found = std::max(found, time_of(cells[at + 2]));
  }
  return found;
}

Time IntervalLog::last_edge(Time until) const {
  const auto cells = this->cells();
  Time last = kNever;
  for (std::size_t at = 0; at < cells.size(); at += interval_head(&cells[at]).width) {
    for (const Time edge : {time_of(cells[at + 1]), time_of(cells[at + 2])}) {
      if (edge <= until) last = std::max(last, edge);
    }
  }
  return last;
}

Time IntervalLog::wake(Time query) const {
  const auto cells = this->cells();
  Time found = kForever;
  for (std::size_t at = 0; at < cells.size(); at += interval_head(&cells[at]).width) {
    const Time start = time_of(cells[at + 1]);
    if (!interval_head(&cells[at]).has(kIsPoint) || start < query) continue;
    found = std::min(found, start == query ? query + 1 : start);
  }
  return found;
}

}  // namespace holdsfor
