#include "key_log.h"

#include <algorithm>
#include <stdexcept>

namespace holdsfor {

LogWidths::LogWidths(const Plan& plan) {
  if (plan.tables.size() > UINT16_MAX)
    throw std::invalid_argument("the plan has more tables than a log can tell apart");
  for (const TableInfo& table : plan.tables) widths_.push_back(static_cast<std::uint32_t>(table.columns + kLogHead));
}

namespace {

// Distance of marks, in cells. Shorter logs need no marks.
constexpr std::size_t kCellsBetweenMarks = 256;

bool comes_before(const Value* row, Time time, std::uint16_t table) {
  const Time own = time_of(row[0]);
  return own < time || (own == time && RowHead::from(row[1]).table < table);
}

}  // namespace

Log::Position Log::find(Time time, std::uint16_t table, const LogWidths& widths) {
  const std::span<const Value> cells = this->cells();
  if (cells.empty()) return {};
  if (comes_before(cells.data() + last_, time, table)) return {cells.size(), last_};
  if (cells.size() > kCellsBetweenMarks) make_marks(widths);
  const auto mark = std::partition_point(
      marks_.begin(), marks_.end(), [&](std::size_t one) { return comes_before(cells.data() + one, time, table); });
  Position found;
  found.at = found.before = mark == marks_.begin() ? 0 : *(mark - 1);
  while (comes_before(cells.data() + found.at, time, table)) {
    found.before = found.at;
    found.at += widths.of(cells.data() + found.at);
  }
  return found;
}

Time Log::time_at(std::size_t cell, const LogWidths& widths) {
  const std::span<const Value> cells = this->cells();
  if (cells.size() > kCellsBetweenMarks) make_marks(widths);
  const auto mark = std::upper_bound(marks_.begin(), marks_.end(), cell);
  std::size_t at = mark == marks_.begin() ? 0 : *(mark - 1);
  while (at < cell) at += widths.of(cells.data() + at);
  return at < cells.size() ? time_of(cells[at]) : kForever;
}

void Log::make_marks(const LogWidths& widths) {
  const std::span<const Value> cells = this->cells();
  std::size_t at = marks_.empty() ? 0 : marks_.back();
  for (std::size_t mark = at; at < cells.size(); at += widths.of(cells.data() + at)) {
    if (at - mark < kCellsBetweenMarks) continue;
    marks_.push_back(at);
    mark = at;
  }
}

std::size_t Log::rows(const LogWidths& widths) const {
  std::size_t found = 0;
  for (std::size_t at = 0; at < cells().size(); at += widths.of(&cells()[at])) ++found;
  return found;
}

void Log::replace(std::size_t from, std::size_t to, std::span<const Value> cells, std::size_t last) {
  // Reserve space, because more rows are likely to come.
  std::vector<Value>& own = cells_.own(cells.size() + (this->cells().size() + cells.size()) / 2);
  const auto place = [&](std::size_t at) { return own.begin() + static_cast<std::ptrdiff_t>(at); };
  marks_.erase(std::upper_bound(marks_.begin(), marks_.end(), from), marks_.end());
  const std::size_t common = std::min(to - from, cells.size());
  std::copy_n(cells.begin(), common, place(from));
  if (common < cells.size()) {
    own.insert(place(to), cells.begin() + static_cast<std::ptrdiff_t>(common), cells.end());
  } else {
    own.erase(place(from + common), place(to));
  }
  last_ = last;
}

void Log::borrow(std::span<Value> cells, std::shared_ptr<CellBuffer> lender, std::size_t last) {
  cells_.borrow(cells, std::move(lender));
  marks_.clear();
  last_ = last;
}

void Log::forget_conditions(const LogWidths& widths) {
  const std::span<Value> cells = cells_.edit();
  for (std::size_t at = 0; at < cells.size(); at += widths.of(&cells[at])) {
    RowHead head = RowHead::from(cells[at + 1]);
    head.passes = RowHead::kUnknown;
    cells[at + 1] = head.word();
  }
}

void Log::drop_until(Time time, std::span<const Time> keep, const LogWidths& widths) {
  std::vector<Value>& own = cells_.own();
  std::size_t to = 0;
  std::size_t last = 0;
  std::size_t from = 0;
  while (from < own.size()) {
    const Time when = time_of(own[from]);
    if (when > time) break;
    const RowHead head = RowHead::from(own[from + 1]);
    const std::size_t width = widths[head.table];
    const Time kept = keep[head.table];
    // Keep the rows of the last `kept` time-points.
    if (kept == kForever ||
        static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(when) < static_cast<std::uint64_t>(kept)) {
      std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(from), width,
                  own.begin() + static_cast<std::ptrdiff_t>(to));
      last = to;
      to += width;
    }
    from += width;
  }
  marks_.clear();
  last_ = from < own.size() ? last_ - (from - to) : last;
  own.erase(own.begin() + static_cast<std::ptrdiff_t>(to), own.begin() + static_cast<std::ptrdiff_t>(from));
}

}  // namespace holdsfor
