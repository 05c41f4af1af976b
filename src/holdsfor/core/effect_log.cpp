#include "effect_log.h"

#include <algorithm>

#include "intervals.h"

namespace holdsfor {
namespace {

// The index of the first row at or after a time.
std::size_t first_from(const RowSet& rows, Time time) {
  std::size_t low = 0;
  std::size_t high = rows.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (time_of(*rows.row(middle)) < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

auto cell_at(RowSet& rows, std::size_t row) {
  return rows.cells.begin() + static_cast<std::ptrdiff_t>(row * rows.width);
}

}  // namespace

RowSet& EffectLog::rows_of(Index table, bool is_termination, std::size_t width) {
  for (Entry& entry : entries_) {
    if (entry.table == table && entry.is_termination == is_termination) return entry.rows;
  }
  return entries_.emplace_back(Entry{table, is_termination, {width, {}}}).rows;
}

void EffectLog::insert(Index table, bool is_termination, std::span<const Value> row) {
  RowSet& rows = rows_of(table, is_termination, row.size());
  const Time time = time_of(row[0]);
  std::size_t at = rows.size();
  if (at > 0 && time_of(*rows.row(at - 1)) > time) at = first_from(rows, time + 1);
  rows.cells.insert(cell_at(rows, at), row.begin(), row.end());
}

void EffectLog::remove(Index table, bool is_termination, std::span<const Value> row) {
  RowSet& rows = rows_of(table, is_termination, row.size());
  for (std::size_t at = first_from(rows, time_of(row[0])); at < rows.size() && *rows.row(at) == row[0]; ++at) {
    if (!std::equal(row.begin(), row.end(), rows.row(at))) continue;
    rows.cells.erase(cell_at(rows, at), cell_at(rows, at + 1));
    return;
  }
}

void EffectLog::drop_until(Time time, std::span<const Time> keep) {
  for (Entry& entry : entries_) {
    const Time kept = keep[entry.table];
    if (kept == kForever) continue;
    const std::size_t left = first_from(entry.rows, moved(moved(time, -kept), 1));
    entry.rows.cells.erase(entry.rows.cells.begin(), cell_at(entry.rows, left));
  }
}

bool EffectLog::empty() const {
  return std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.rows.cells.empty(); });
}

}  // namespace holdsfor
