#include "intake.h"

#include <algorithm>
#include <bit>

#include "tables.h"

namespace holdsfor {
namespace {

void prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

Intake::RowId row_id(std::size_t arrivals, std::size_t row, bool is_home) {
  return {.arrivals = static_cast<std::uint32_t>(arrivals) & UINT16_MAX,
          .is_home = static_cast<std::uint32_t>(is_home) & 1U,
          .row_high = static_cast<std::uint32_t>(row >> 32U) & 0x7FFFU,
          .row_low = static_cast<std::uint32_t>(row)};
}

}  // namespace

const Route* Intake::route_of(Index table) const {
  const auto found = std::find_if(stage_->inputs.begin(), stage_->inputs.end(),
                                  [&](const Route& route) { return route.table == table; });
  return found == stage_->inputs.end() ? nullptr : &*found;
}

// The keys of each row, one for each of the places; a key that a row has twice is kNone the second time.
void Intake::find_keys(const Arrivals& arrivals, const Route& route, KeyNumbers& keys,
                       std::vector<Index>& found) const {
  const std::size_t count = arrivals.rows.size();
  const std::size_t ways = route.places.size();
  const std::size_t begin = found.size();
  found.resize(begin + count * ways);
  for (std::size_t way = 0; way < ways; ++way) {
    const std::span<Index> column(found.data() + begin + way * count, count);
    keys.numbers(arrivals.rows.row(0) + kEventHead, arrivals.rows.width, route.places[way], column);
    for (std::size_t earlier = 0; earlier < way; ++earlier) {
      const Index* other = found.data() + begin + earlier * count;
      for (std::size_t row = 0; row < count; ++row) {
        if (column[row] == other[row]) column[row] = kNone;
      }
    }
  }
}

void Intake::group(std::span<const Arrivals> arrivals, KeyNumbers& keys) {
  arrivals_ = arrivals;
  keys_.clear();
  begin_.clear();
  std::vector<Index> found;
  for (const Arrivals& some : arrivals) {
    const Route* route = route_of(some.table);
    if (route != nullptr && !route->is_shared && some.rows.size() > 0) find_keys(some, *route, keys, found);
  }
  // How many rows each key gets; `begin_` is one ahead until they have their places.
  if (group_of_.size() < keys.size()) group_of_.resize(keys.size(), kNone);
  begin_.push_back(0);
  begin_.push_back(0);
  for (Index& key : found) {
    if (key == kNone) continue;
    Index& group = group_of_[key];
    if (group == kNone) {
      group = static_cast<Index>(keys_.size());
      keys_.push_back(key);
      begin_.push_back(0);
    }
    key = group;
    ++begin_[group + 2];
  }
  for (std::size_t group = 2; group < begin_.size(); ++group) begin_[group] += begin_[group - 1];
  ids_.resize(begin_.back());
  std::size_t at = 0;
  for (std::size_t number = 0; number < arrivals.size(); ++number) {
    const Arrivals& some = arrivals[number];
    const Route* route = route_of(some.table);
    if (route == nullptr || route->is_shared) continue;
    const std::size_t count = some.rows.size();
    const std::size_t ways = route->places.size();
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t way = 0; way < ways; ++way) {
        const Index group = found[at + way * count + row];
        if (group != kNone) ids_[begin_[group + 1]++] = row_id(number, row, way == 0);
      }
    }
    at += count * ways;
  }
  begin_.pop_back();
  for (const Index key : keys_) group_of_[key] = kNone;
}

void Intake::group_shared(std::span<const Arrivals> arrivals) {
  arrivals_ = arrivals;
  keys_.clear();
  ids_.clear();
  for (std::size_t number = 0; number < arrivals.size(); ++number) {
    const Route* route = route_of(arrivals[number].table);
    if (route == nullptr || !route->is_shared) continue;
    for (std::size_t row = 0; row < arrivals[number].rows.size(); ++row) ids_.push_back(row_id(number, row, true));
  }
  begin_.assign(1, 0);
  if (ids_.empty()) return;
  keys_.push_back(kNone);
  begin_.push_back(ids_.size());
}

Taken LogWriter::take_in(const Intake& intake, std::size_t group, Log& log, std::vector<Cause>* causes) {
  taken_ = {};
  gather(intake, group);
  sort();
  merge(log, causes);
  return taken_;
}

// Finds the rows of a group; they are all over the arrivals, so that they are fetched together.
void LogWriter::gather(const Intake& intake, std::size_t group) {
  entries_.clear();
  for (const Intake::RowId id : intake.rows(group)) {
    const Arrivals& arrivals = intake.arrivals()[id.arrivals];
    const std::size_t row = id.row();
    Entry& entry = entries_.emplace_back();
    entry.row = arrivals.rows.row(row);
    prefetch(entry.row);
    entry.table = static_cast<std::uint16_t>(arrivals.table);
    entry.is_home = id.is_home != 0 && arrivals.is_counted;
    entry.is_retraction = !arrivals.is_retraction.empty() && arrivals.is_retraction[row];
    entry.cause = arrivals.causes.empty() ? kNoCause : arrivals.causes[row];
  }
}

namespace {

constexpr std::size_t kShortRun = 8;

// Sorts words; what is in order already, in runs, is merged. `spare` is as large.
void sort_words(std::vector<std::uint64_t>& words, std::vector<std::uint64_t>& spare) {
  const std::size_t count = words.size();
  std::vector<std::uint32_t> runs;  // where they end
  for (std::size_t at = 0; at < count;) {
    std::size_t end = at + 1;
    while (end < count && words[end - 1] <= words[end]) ++end;
    // Short runs become longer by insertion.
    for (; end < count && end - at < kShortRun; ++end) {
      const std::uint64_t word = words[end];
      std::size_t to = end;
      for (; to > at && words[to - 1] > word; --to) words[to] = words[to - 1];
      words[to] = word;
    }
    runs.push_back(static_cast<std::uint32_t>(end));
    at = end;
  }
  spare.resize(count);
  while (runs.size() > 1) {
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t run = 0; run < runs.size(); run += 2) {
      const bool is_alone = run + 1 == runs.size();
      const std::size_t end = is_alone ? runs[run] : runs[run + 1];
      const std::uint64_t* left = words.data() + begin;
      const std::uint64_t* const left_end = words.data() + runs[run];
      const std::uint64_t* right = left_end;
      const std::uint64_t* const right_end = words.data() + end;
      std::uint64_t* out = spare.data() + begin;
      while (left != left_end && right != right_end) {
        const bool takes_right = *right < *left;
        *out++ = takes_right ? *right : *left;
        right += static_cast<std::ptrdiff_t>(takes_right);
        left += static_cast<std::ptrdiff_t>(!takes_right);
      }
      out = std::copy(left, left_end, out);
      std::copy(right, right_end, out);
      runs[kept++] = static_cast<std::uint32_t>(end);
      begin = end;
    }
    runs.resize(kept);
    words.swap(spare);
  }
}

}  // namespace

// Puts entries into the order of their times. They are in the order of tables and arrival, and stay so within a time.
void LogWriter::sort() {
  const std::size_t count = entries_.size();
  Time first = kForever;
  Time last = kNever;
  bool is_sorted = true;
  for (const Entry& entry : entries_) {
    const Time time = time_of(entry.row[0]);
    is_sorted = is_sorted && time >= last;
    first = std::min(first, time);
    last = std::max(last, time);
  }
  order_.clear();
  if (is_sorted) return;
  // Time and position in one word, if both fit.
  const auto range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const int bits = std::bit_width(count - 1);
  if (std::bit_width(range) + bits <= 64) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto time = static_cast<std::uint64_t>(time_of(entries_[i].row[0])) - static_cast<std::uint64_t>(first);
      order_.push_back(time << static_cast<unsigned>(bits) | i);
    }
    sort_words(order_, spare_);
    const std::uint64_t mask = (std::uint64_t{1} << static_cast<unsigned>(bits)) - 1;
    for (std::uint64_t& one : order_) one &= mask;
    return;
  }
  for (std::size_t i = 0; i < count; ++i) order_.push_back(i);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint64_t a, std::uint64_t b) {
    return time_of(entries_[a].row[0]) < time_of(entries_[b].row[0]);
  });
}

void LogWriter::merge(Log& log, std::vector<Cause>* causes) {
  const std::size_t count = entries_.size();
  if (count == 0) return;
  const auto entry_at = [&](std::size_t i) -> const Entry& { return entries_[order_.empty() ? i : order_[i]]; };
  const Log::Position from = log.find(time_of(entry_at(0).row[0]), entry_at(0).table, widths_);
  const std::span<const Value> old = log.cells();
  std::size_t at = from.at;
  end_ = 0;
  std::size_t last = kNoRow;
  for (std::size_t i = 0; i < count;) {
    const Time time = time_of(entry_at(i).row[0]);
    const std::uint16_t table = entry_at(i).table;
    const auto order = [&] {
      const Time other = time_of(old[at]);
      if (other != time) return other < time ? -1 : 1;
      return static_cast<int>(RowHead::from(old[at + 1]).table) - static_cast<int>(table);
    };
    const auto keep = [&] {
      const std::size_t width = widths_.of(old.data() + at);
      last = end_;
      std::copy_n(old.data() + at, width, add(width));
      at += width;
    };
    while (at < old.size() && order() < 0) keep();
    // Rows of one time and table: those that are there, then those that come.
    const std::size_t before = last;
    run_.begin(end_, widths_[table]);
    while (at < old.size() && order() == 0) keep();
    for (; i < count && time_of(entry_at(i).row[0]) == time && entry_at(i).table == table; ++i) {
      apply(entry_at(i), log, causes);
    }
    if (run_.has_gaps) drop_gaps(log);
    last = end_ > run_.from ? end_ - run_.width : before;
  }
  const std::size_t new_last = at < old.size()  ? log.last_row() - at + from.at + end_
                               : last != kNoRow ? from.at + last
                                                : from.before;
  log.replace(from.at, at, {out_.data(), end_}, new_last);
}

Value* LogWriter::add(std::size_t width) {
  if (end_ + width > out_.size()) out_.resize(std::max(end_ + width, 2 * out_.size()));
  end_ += width;
  return out_.data() + end_ - width;
}

void LogWriter::apply(const Entry& entry, Log& log, std::vector<Cause>* causes) {
  const std::span<const Value> args(entry.row + kEventHead, run_.width - kLogHead);
  const std::size_t known = run_.find(args, out_.data(), end_);
  if (known == kNoRow) {
    if (entry.is_retraction) {
      taken_.unmatched += static_cast<std::size_t>(entry.is_home);
      return;
    }
    const RowHead head{.table = entry.table, .count = 1, .passes = tester_.test(entry.table, entry.row)};
    run_.added(args, end_);
    Value* row = add(run_.width);
    row[0] = entry.row[0];
    row[1] = head.word();
    std::copy(args.begin(), args.end(), row + kLogHead);
    taken_.first = std::min(taken_.first, time_of(entry.row[0]));
  } else {
    const std::span<Value> row(out_.data() + known, run_.width);
    const Log::Count count = log.count(row);
    log.set_count(row, entry.is_retraction ? count - 1 : count + 1);
    if (entry.is_retraction && count == 1) {
      run_.has_gaps = true;
      taken_.first = std::min(taken_.first, time_of(entry.row[0]));
    }
  }
  if (causes != nullptr && entry.cause != kNoCause) causes->push_back(entry.cause);
}

// Leaves out the rows of a run that are no longer there.
void LogWriter::drop_gaps(const Log& log) {
  std::size_t to = run_.from;
  for (std::size_t at = run_.from; at < end_; at += run_.width) {
    if (log.count({out_.data() + at, run_.width}) == 0) continue;
    std::copy_n(out_.data() + at, run_.width, out_.data() + to);
    to += run_.width;
  }
  end_ = to;
}

void LogWriter::Run::begin(std::size_t at, std::size_t row_width) {
  from = at;
  width = row_width;
  has_gaps = false;
  if (!rows_.empty()) rows_.clear();
}

std::size_t LogWriter::Run::find(std::span<const Value> args, const Value* cells, std::size_t end) {
  // A row that was taken back and comes again is a new one.
  const auto is = [&](std::size_t at) {
    return std::equal(args.begin(), args.end(), cells + at + kLogHead) && RowHead::from(cells[at + 1]).count != 0;
  };
  if (end - from <= kFewRows * width) {
    for (std::size_t at = from; at < end; at += width) {
      if (is(at)) return at;
    }
    return kNoRow;
  }
  if (rows_.empty()) {
    for (std::size_t at = from; at < end; at += width) rows_.emplace(hash_of({cells + at + kLogHead, args.size()}), at);
  }
  for (auto [at, last] = rows_.equal_range(hash_of(args)); at != last; ++at) {
    if (is(at->second)) return at->second;
  }
  return kNoRow;
}

void LogWriter::Run::added(std::span<const Value> args, std::size_t at) {
  if (!rows_.empty()) rows_.emplace(hash_of(args), at);
}

}  // namespace holdsfor
