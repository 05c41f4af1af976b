#include "results.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "rows.h"

namespace holdsfor {
namespace {

void put_head(Results& into, Index table, ResultKind kind, std::size_t width) {
  into.push_back(result_head_cell(
      {.table = static_cast<std::uint16_t>(table), .kind = kind, .width = static_cast<std::uint32_t>(width)}));
}

void put_row(Results& into, Index table, ResultKind kind, Time time, std::span<const Value> cells) {
  put_head(into, table, kind, cells.size() + 2);
  into.push_back(time_cell(time));
  into.insert(into.end(), cells.begin(), cells.end());
}

void extract_events(const EventTable& events, Index table, ResultKind kind, Time settled, Results& into) {
  for (std::size_t row = 0; row < events.size(); ++row) {
    if (events.time(row) > settled) put_row(into, table, kind, events.time(row), events.row(row));
  }
}

void extract_intervals(const FluentTable& fluent, Index table, Time settled, Results& into) {
  for (Index number = 0; number < fluent.pair_count; ++number) {
    const Pair& pair = fluent.pairs[number];
    if (!pair.is_declared) continue;
    // Lists are in the order of time.
    std::size_t first = pair.list.size();
    while (first > 0 && pair.list[first - 1].end - 1 > settled) --first;
    const auto columns = fluent.columns(pair.instance);
    const std::size_t width = columns.size() + 4;
    const Value head = result_head_cell({.table = static_cast<std::uint16_t>(table),
                                         .kind = ResultKind::kInterval,
                                         .width = static_cast<std::uint32_t>(width)});
    const std::size_t known = into.size();
    into.resize(known + (pair.list.size() - first) * width);
    Value* row = into.data() + known;
    for (; first < pair.list.size(); ++first, row += width) {
      row[0] = head;
      row[1] = time_cell(pair.list[first].start);
      row[2] = time_cell(pair.list[first].end);
      row[3] = pair.value;
      std::copy(columns.begin(), columns.end(), row + 4);
    }
  }
}

bool is_less(const Value* a, const Value* b) {
  const std::size_t width = result_head(a).width;
  if (a[0] != b[0]) return a[0].word() < b[0].word();
  return std::lexicographical_compare(a + 1, a + width, b + 1, b + width,
                                      [](Value x, Value y) { return x.word() < y.word(); });
}

bool is_same(const Value* a, const Value* b) { return a[0] == b[0] && std::equal(a, a + result_head(a).width, b); }

}  // namespace

Time last_time(const Value* row) {
  if (result_head(row).kind != ResultKind::kInterval) return time_of(row[1]);
  const Time end = time_of(row[2]);
  return end == kForever ? kForever : end - 1;
}

void extract_results(const World& world, const Sweep& sweep, const Stage& stage, Time settled, Results& into) {
  for (const Route& member : stage.members) {
    const Index table = member.table;
    if (world.plan().tables[table].is_event()) {
      extract_events(world.events[table], table, ResultKind::kEvent, settled, into);
      continue;
    }
    const FluentTable& fluent = world.fluents[table];
    extract_intervals(fluent, table, settled, into);
    if (!world.prepared.has_effect_readers[table]) continue;
    extract_events(fluent.initiations, table, ResultKind::kInitiation, settled, into);
    extract_events(fluent.terminations, table, ResultKind::kTermination, settled, into);
  }
  for (const Conflict& conflict : sweep.conflicts()) {
    if (conflict.time <= settled) continue;
    put_row(into, conflict.table, ResultKind::kConflict, conflict.time,
            world.fluents[conflict.table].columns(conflict.instance));
  }
}

std::size_t drop_settled(Results& results, Time settled) {
  std::size_t conflicts = 0;
  std::size_t to = 0;
  for (std::size_t at = 0; at < results.size();) {
    const ResultHead head = result_head(&results[at]);
    if (last_time(&results[at]) > settled) {
      if (to != at) {
        std::copy_n(results.begin() + static_cast<std::ptrdiff_t>(at), head.width,
                    results.begin() + static_cast<std::ptrdiff_t>(to));
      }
      to += head.width;
    } else if (head.kind == ResultKind::kConflict) {
      ++conflicts;
    }
    at += head.width;
  }
  results.resize(to);
  return conflicts;
}

std::size_t count_conflicts(const Results& results) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < results.size(); at += result_head(&results[at]).width) {
    if (result_head(&results[at]).kind == ResultKind::kConflict) ++found;
  }
  return found;
}

void ResultsDiff::compare(const Results& before, const Results& after) {
  removed_.clear();
  added_.clear();
  if (before.empty()) {
    for (std::size_t at = 0; at < after.size(); at += result_head(&after[at]).width) added_.push_back(&after[at]);
    return;
  }
  // What both begin with is the same.
  std::size_t from = 0;
  while (from < before.size() && from < after.size() && is_same(&before[from], &after[from])) {
    from += result_head(&before[from]).width;
  }
  if (from == before.size() && from == after.size()) return;
  before_.clear();
  after_.clear();
  for (std::size_t at = from; at < before.size(); at += result_head(&before[at]).width) before_.push_back(&before[at]);
  for (std::size_t at = from; at < after.size(); at += result_head(&after[at]).width) after_.push_back(&after[at]);
  while (!before_.empty() && !after_.empty() && is_same(before_.back(), after_.back())) {
    before_.pop_back();
    after_.pop_back();
  }
  if (before_.empty() || after_.empty()) {
    removed_.swap(before_);
    added_.swap(after_);
    return;
  }
  std::sort(before_.begin(), before_.end(), is_less);
  std::sort(after_.begin(), after_.end(), is_less);
  std::set_difference(before_.begin(), before_.end(), after_.begin(), after_.end(), std::back_inserter(removed_),
                      is_less);
  std::set_difference(after_.begin(), after_.end(), before_.begin(), before_.end(), std::back_inserter(added_),
                      is_less);
  // In the order of the results: that of words may depend on which thread first met a term.
  std::sort(removed_.begin(), removed_.end(), std::less<>{});
  std::sort(added_.begin(), added_.end(), std::less<>{});
}

}  // namespace holdsfor
