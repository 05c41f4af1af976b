#include "reports.h"

#include <algorithm>
#include <bit>

#include "window.h"

namespace holdsfor {
namespace {

// Pairs up to which the search is linear.
constexpr std::size_t kFewPairs = 8;

// Finds the last reports of the pairs of results. Both have their pairs in about the same order.
class LastReports {
 public:
  explicit LastReports(std::span<const Value> reported) : reported_(reported) {}

  // Whether an interval was reported, but its last report differs.
  [[nodiscard]] bool differ(const Value* row) {
    const std::span<const Value> times = find(row);
    const auto at = [&](std::size_t number) { return &times[number * kReportedWords]; };
    const std::size_t count = times.size() / kReportedWords;
    std::size_t first = 0;  // the first report that ends after the start of the interval
    for (std::size_t high = count; first < high;) {
      const std::size_t middle = (first + high) / 2;
      if (time_of(at(middle)[1]) <= time_of(row[1])) {
        first = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; first < count && time_of(*at(first)) < time_of(row[2]); ++first) {
      if (at(first)[0] != row[1] || at(first)[1] != row[2]) return true;
    }
    return false;
  }

 private:
  // The times of the reports of a pair, in order.
  [[nodiscard]] std::span<const Value> find(const Value* row) {
    const std::size_t begin = at_;
    do {
      if (at_ >= reported_.size()) {
        at_ = 0;
        if (reported_.empty()) break;
        continue;
      }
      const auto head = std::bit_cast<ReportedHead>(reported_[at_].word());
      const std::size_t width = head.columns + std::size_t{1};
      const Value* const pair = &reported_[at_ + 1];
      const std::size_t size = head.count * std::size_t{kReportedWords};
      if (head.table == result_head(row).table && std::equal(pair, pair + width, row + 3)) {
        return reported_.subspan(at_ + 1 + width, size);
      }
      at_ += 1 + width + size;
    } while (at_ != begin);
    return {};
  }

  std::span<const Value> reported_;
  std::size_t at_ = 0;
};

}  // namespace

void Reports::add_cause(Index report, Cause cause) {
  Report& one = reports_[report];
  // All differences from one key have the same cause.
  if (one.last != kNone && causes_[one.last].cause == cause) return;
  const auto added = static_cast<Index>(causes_.size());
  causes_.push_back({.cause = cause});
  (one.last == kNone ? one.first : causes_[one.last].next) = added;
  one.last = added;
}

void Reports::clear() {
  // Free the memory of a large batch.
  constexpr std::size_t kMany = std::size_t{1} << 16U;
  reports_.clear();
  causes_.clear();
  if (reports_.capacity() > kMany) reports_.shrink_to_fit();
  if (causes_.capacity() > kMany) causes_.shrink_to_fit();
}

void save_unreported(std::span<const Value> results, const std::vector<Value>& reported, Results& into) {
  LastReports last(reported);
  for (std::size_t at = 0; at < results.size();) {
    const Value* row = &results[at];
    const ResultHead head = result_head(row);
    if (head.kind == ResultKind::kInterval && last.differ(row)) {
      into.insert(into.end(), row, row + head.width);
    }
    at += head.width;
  }
}

KeyComparison::KeyComparison(std::span<const TableInfo> tables) {
  for (const TableInfo& table : tables) is_hidden_.push_back(table.is_hidden);
}

// Merges both lists of intervals. The intervals of a pair are in order.
void KeyComparison::join(const Results& results, const Results& unreported) {
  std::vector<const Value*> rows;
  for (const Results* some : {&unreported, &results}) {
    for (std::size_t at = 0; at < some->size(); at += result_head(&(*some)[at]).width) {
      if (result_head(&(*some)[at]).kind == ResultKind::kInterval) rows.push_back(&(*some)[at]);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Value* a, const Value* b) {
    if (a[0] != b[0]) return a[0].word() < b[0].word();
    const std::size_t width = result_head(a).width;
    for (std::size_t i = 3; i < width; ++i) {
      if (a[i] != b[i]) return a[i].word() < b[i].word();
    }
    return time_of(a[1]) < time_of(b[1]);
  });
  joined_.clear();
  for (const Value* row : rows) joined_.insert(joined_.end(), row, row + result_head(row).width);
}

std::span<const PairChange> KeyComparison::compare(const Results& results, const Results* unreported,
                                                   std::vector<Value>& reported, const ReportTimes& times) {
  if (unreported != nullptr) join(results, *unreported);
  // Read from a copy of the last report, because the changes point into it. The report keeps its memory.
  before_.assign(reported.begin(), reported.end());
  read_reported(before_, times.low_before);
  read_results(unreported != nullptr ? joined_ : results);
  found_.clear();
  const auto add = [&](const PairSpan& pair) {
    for (const Change& change : changes_) found_.push_back({pair.table, pair.pair, pair.columns, change});
  };
  for (const PairSpan& pair : now_) {
    const Index known = find(pair, last_, slots_);
    std::span<const Reported> before;
    if (known != kNone) {
      PairSpan& last = last_[known];
      last.is_met = true;
      before = std::span(last_times_).subspan(last.from, last.to - last.from);
    }
    changes_.clear();
    holdsfor::compare(before, std::span(now_times_).subspan(pair.from, pair.to - pair.from), times, changes_);
    add(pair);
  }
  for (const PairSpan& pair : last_) {
    if (pair.is_met) continue;
    changes_.clear();
    holdsfor::compare(std::span(last_times_).subspan(pair.from, pair.to - pair.from), {}, times, changes_);
    add(pair);
  }
  reported.clear();
  write_reported(reported, times.low);
  return found_;
}

// A report is updated only when its key changes. So it lacks intervals that were behind the window then, but may have
// intervals that are behind the window now.
std::size_t count_reported(const std::vector<Value>& reported, Time low) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < reported.size();) {
    const auto head = std::bit_cast<ReportedHead>(reported[at].word());
    at += std::size_t{2} + head.columns;
    for (std::uint32_t i = 0; i < head.count; ++i, at += kReportedWords) {
      found += static_cast<std::size_t>(reaches_into_window(time_of(reported[at + 1]), low));
    }
  }
  return found;
}

void KeyComparison::read_reported(const std::vector<Value>& reported, Time low) {
  last_.clear();
  last_times_.clear();
  for (std::size_t at = 0; at < reported.size();) {
    const auto head = std::bit_cast<ReportedHead>(reported[at].word());
    const std::size_t width = head.columns + std::size_t{1};
    PairSpan& pair = last_.emplace_back();
    pair.table = head.table;
    pair.columns = head.columns;
    pair.pair = &reported[at + 1];
    pair.hash = mix(hash_of({pair.pair, width}), pair.table);
    pair.from = static_cast<std::uint32_t>(last_times_.size());
    at += 1 + width;
    for (std::uint32_t i = 0; i < head.count; ++i, at += kReportedWords) {
      const Reported one{time_of(reported[at]), time_of(reported[at + 1]), time_of(reported[at + 2]),
                         time_of(reported[at + 3])};
      if (reaches_into_window(one.end, low)) last_times_.push_back(one);
    }
    pair.to = static_cast<std::uint32_t>(last_times_.size());
  }
  index(last_, slots_);
}

void KeyComparison::index(const std::vector<PairSpan>& pairs, std::vector<Index>& slots) {
  slots.clear();
  if (pairs.size() <= kFewPairs) return;
  slots.assign(std::bit_ceil(pairs.size() * 4), kNone);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::size_t at = pairs[i].hash & (slots.size() - 1);
    while (slots[at] != kNone) at = (at + 1) & (slots.size() - 1);
    slots[at] = static_cast<Index>(i);
  }
}

// Collects the intervals of each pair. In the results, intervals in different segments are apart.
void KeyComparison::read_results(const Results& results) {
  now_.clear();
  now_slots_.clear();
  rows_.clear();
  for (std::size_t at = 0; at < results.size();) {
    const ResultHead head = result_head(&results[at]);
    if (head.kind == ResultKind::kInterval && !is_hidden_[head.table]) {
      PairSpan wanted;
      wanted.table = head.table;
      wanted.pair = &results[at + 3];
      wanted.columns = head.width - std::size_t{4};
      const Index last = rows_.empty() ? kNone : rows_.back().pair;
      const bool goes_on = last != kNone && now_[last].table == wanted.table &&
                           std::equal(wanted.pair, wanted.pair + wanted.columns + 1, now_[last].pair);
      Index pair = last;
      if (!goes_on) {
        wanted.hash = mix(hash_of({wanted.pair, wanted.columns + 1}), wanted.table);
        pair = find(wanted, now_, now_slots_);
        if (pair == kNone) {
          pair = static_cast<Index>(now_.size());
          now_.push_back(wanted);
          // Index with room for twice as many pairs.
          if (now_.size() > kFewPairs && now_.size() * 2 > now_slots_.size()) {
            index(now_, now_slots_);
          } else if (!now_slots_.empty()) {
            std::size_t slot = wanted.hash & (now_slots_.size() - 1);
            while (now_slots_[slot] != kNone) slot = (slot + 1) & (now_slots_.size() - 1);
            now_slots_[slot] = pair;
          }
        }
      }
      rows_.push_back({pair, time_of(results[at + 1]), time_of(results[at + 2])});
      ++now_[pair].to;
    }
    at += head.width;
  }
  // Turn the count in `to` into the position of the next interval of the pair.
  std::uint32_t from = 0;
  for (PairSpan& pair : now_) {
    const std::uint32_t count = pair.to;
    pair.from = pair.to = from;
    from += count;
  }
  now_times_.resize(rows_.size());
  for (const Row& row : rows_) now_times_[now_[row.pair].to++] = {.start = row.start, .end = row.end};
}

Index KeyComparison::find(const PairSpan& wanted, const std::vector<PairSpan>& pairs, const std::vector<Index>& slots) {
  const auto is = [&](const PairSpan& one) {
    return one.hash == wanted.hash && one.table == wanted.table &&
           std::equal(one.pair, one.pair + one.columns + 1, wanted.pair);
  };
  if (slots.empty()) {
    const auto found = std::find_if(pairs.begin(), pairs.end(), is);
    return found == pairs.end() ? kNone : static_cast<Index>(found - pairs.begin());
  }
  for (std::size_t at = wanted.hash & (slots.size() - 1); slots[at] != kNone; at = (at + 1) & (slots.size() - 1)) {
    if (is(pairs[slots[at]])) return slots[at];
  }
  return kNone;
}

void KeyComparison::write_reported(std::vector<Value>& reported, Time low) const {
  std::size_t most = now_times_.size() * kReportedWords;
  for (const PairSpan& pair : now_) most += pair.columns + std::size_t{2};
  // A key that grows does so at every report.
  if (most > reported.capacity()) reported.reserve(most + most / 4);
  reported.resize(most);
  Value* into = reported.data();
  for (const PairSpan& pair : now_) {
    Value* const head = into;
    std::uint32_t count = 0;
    for (std::uint32_t i = pair.from; i < pair.to; ++i) {
      const Reported& one = now_times_[i];
      if (!reaches_into_window(one.end, low)) continue;
      if (count++ == 0) into = std::copy_n(pair.pair, pair.columns + 1, head + 1);
      for (const Time time : {one.start, one.end, one.first_start, one.first_query}) *into++ = time_cell(time);
    }
    if (count == 0) continue;
    *head = Value::from_word(std::bit_cast<std::uint64_t>(
        ReportedHead{static_cast<std::uint16_t>(pair.table), static_cast<std::uint16_t>(pair.columns), count}));
  }
  reported.resize(static_cast<std::size_t>(into - reported.data()));
}

}  // namespace holdsfor
