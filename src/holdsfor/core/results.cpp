#include "results.h"

#include <algorithm>
#include <bit>

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

// A range of time-points, (from, until].
struct Span {
  Time from = kNever;
  Time until = kForever;

  [[nodiscard]] bool has(Time time) const { return time > from && time <= until; }
  // The intervals of a list, in order, whose last time-point is in the range.
  [[nodiscard]] std::span<const Interval> of(const Intervals& list) const {
    const Interval* first = list.data();
    const Interval* last = first + list.size();
    if (from != kNever) first = first_after(first, last, from);
    if (until != kForever) last = first_after(first, last, until);
    return {first, last};
  }

 private:
  // Intervals that are examined one by one; a longer list is searched by halves.
  static constexpr std::ptrdiff_t kFew = 8;

  static const Interval* first_after(const Interval* first, const Interval* last, Time time) {
    const auto is_before = [&](const Interval& one) { return one.end - 1 <= time; };
    if (last - first > kFew) return std::partition_point(first, last, is_before);
    while (last != first && !is_before(last[-1])) --last;
    return last;
  }
};

void extract_events(const EventTable& events, Index table, ResultKind kind, Span span, Results& into) {
  if (events.size() == 0) return;
  std::size_t near = 0;
  const auto [first, last] = events.between(moved(span.from, 1), span.until, near);
  for (std::size_t row = first; row < last; ++row) put_row(into, table, kind, events.time(row), events.row(row));
}

void extract_intervals(const FluentTable& fluent, Index table, Span span, Results& into) {
  for (Index number = 0; number < fluent.pair_count; ++number) {
    const Pair& pair = fluent.pairs[number];
    if (!pair.is_declared || pair.list.empty()) continue;
    const std::span<const Interval> found = span.of(pair.list);
    if (found.empty()) continue;
    const auto columns = fluent.columns(pair.instance);
    const std::size_t width = columns.size() + 4;
    const Value head = result_head_cell({.table = static_cast<std::uint16_t>(table),
                                         .kind = ResultKind::kInterval,
                                         .width = static_cast<std::uint32_t>(width)});
    const std::size_t known = into.size();
    into.resize(known + found.size() * width);
    Value* row = into.data() + known;
    for (const Interval& one : found) {
      row[0] = head;
      row[1] = time_cell(one.start);
      row[2] = time_cell(one.end);
      row[3] = pair.value;
      for (std::size_t i = 0; i < columns.size(); ++i) row[4 + i] = columns[i];
      row += width;
    }
  }
}

std::uint64_t hash_of_row(const Value* row) { return hash_of({row, result_head(row).width}); }

bool is_same(const Value* a, const Value* b) { return a[0] == b[0] && std::equal(a, a + result_head(a).width, b); }

}  // namespace

Time last_time(const Value* row) {
  if (result_head(row).kind != ResultKind::kInterval) return time_of(row[1]);
  const Time end = time_of(row[2]);
  return end == kForever ? kForever : end - 1;
}

void extract_results(const World& world, const Sweep& sweep, Index stage, Time from, Time until, Results& into) {
  const Span settled{from, until};
  const Span settled_lists{moved(from, -1), until == kForever ? kForever : moved(until, -1)};
  for (const StageTable& one : world.prepared.tables_of[stage]) {
    if (!one.is_member) break;
    if (one.is_event) {
      extract_events(world.events[one.table], one.table, ResultKind::kEvent, settled, into);
      continue;
    }
    const FluentTable& fluent = world.fluents[one.table];
    if (fluent.pair_count > 0) extract_intervals(fluent, one.table, one.is_static ? settled_lists : settled, into);
    if (!one.has_effects) continue;
    extract_events(fluent.initiations, one.table, ResultKind::kInitiation, settled, into);
    extract_events(fluent.terminations, one.table, ResultKind::kTermination, settled, into);
  }
  for (const Conflict& conflict : sweep.conflicts()) {
    if (!settled.has(conflict.time)) continue;
    put_row(into, conflict.table, ResultKind::kConflict, conflict.time,
            world.fluents[conflict.table].columns(conflict.instance));
  }
}

std::int64_t ResultsDiff::read(std::span<const Value> results, const std::vector<bool>* is_compared, Rows& into) {
  std::int64_t conflicts = 0;
  into.clear();
  for (std::size_t at = 0; at < results.size();) {
    const ResultHead head = result_head(&results[at]);
    if (head.kind == ResultKind::kConflict) ++conflicts;
    if (is_compared == nullptr || (*is_compared)[head.table]) into.push_back(&results[at]);
    at += head.width;
  }
  return conflicts;
}

void ResultsDiff::compare(std::span<const Value> before, std::span<const Value> after,
                          const std::vector<bool>* is_compared) {
  removed_.clear();
  added_.clear();
  // Skip a common beginning and a common end.
  common_ = 0;
  while (common_ < before.size() && common_ < after.size() && is_same(&before[common_], &after[common_])) {
    common_ += result_head(&before[common_]).width;
  }
  before = before.subspan(common_);
  after = after.subspan(common_);
  more_conflicts_ = read(after, is_compared, after_) - read(before, is_compared, before_);
  while (!before_.empty() && !after_.empty() && is_same(before_.back(), after_.back())) {
    before_.pop_back();
    after_.pop_back();
  }
  if (before_.empty() || after_.empty()) {
    removed_.swap(before_);
    added_.swap(after_);
    return;
  }
  // Match the remaining rows by hash, in the order of the results.
  slots_.assign(std::bit_ceil(before_.size() * 2), kNone);
  const std::size_t mask = slots_.size() - 1;
  for (Index number = 0; number < before_.size(); ++number) {
    std::size_t at = hash_of_row(before_[number]) & mask;
    while (slots_[at] != kNone) at = (at + 1) & mask;
    slots_[at] = number;
  }
  is_kept_.assign(before_.size(), false);
  for (const Value* row : after_) {
    std::size_t at = hash_of_row(row) & mask;
    while (slots_[at] != kNone && (is_kept_[slots_[at]] || !is_same(before_[slots_[at]], row))) at = (at + 1) & mask;
    if (slots_[at] == kNone) {
      added_.push_back(row);
    } else {
      is_kept_[slots_[at]] = true;
    }
  }
  for (Index number = 0; number < before_.size(); ++number) {
    if (!is_kept_[number]) removed_.push_back(before_[number]);
  }
}

}  // namespace holdsfor
