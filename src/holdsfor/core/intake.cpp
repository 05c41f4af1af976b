#include "intake.h"

#include <algorithm>
#include <array>
#include <bit>

#include "tables.h"

namespace holdsfor {
namespace {

// About as many cells as a bucket should have: the cache nearest but one has room for them, and for what is made of
// them.
constexpr std::size_t kBucketCells = std::size_t{1} << 14U;

Value cause_cell(const Arrivals& arrivals, std::size_t row) {
  return Value::from_word(static_cast<std::uint64_t>(arrivals.causes.empty() ? kNoCause : arrivals.causes[row]));
}

}  // namespace

const Route* Intake::route_of(Index table) const {
  const auto found = std::find_if(stage_->inputs.begin(), stage_->inputs.end(),
                                  [&](const Route& route) { return route.table == table; });
  return found == stage_->inputs.end() ? nullptr : &*found;
}

void Intake::begin(std::span<const Arrivals> arrivals) {
  ++grouping_;
  keys_.clear();
  has_causes_ =
      std::any_of(arrivals.begin(), arrivals.end(), [](const Arrivals& some) { return !some.causes.empty(); });
}

// The groups of each row, one for each of the places; a key that a row has twice is kNone the second time.
void Intake::find_groups(const Arrivals& arrivals, const Route& route, KeyNumbers& keys) {
  const std::size_t count = arrivals.rows.size();
  const std::size_t begin = found_.size();
  found_.resize(begin + count * route.places.size());
  for (std::size_t way = 0; way < route.places.size(); ++way) {
    const std::span<Index> column(found_.data() + begin + way * count, count);
    keys.numbers(arrivals.rows.row(0) + kEventHead, arrivals.rows.width, route.places[way], column);
    if (group_of_.size() < keys.size()) group_of_.resize(keys.size(), kNone);
    for (Index& one : column) {
      Index& group = group_of_[one];
      if (group == kNone) {
        group = static_cast<Index>(keys_.size());
        keys_.push_back(one);
      }
      one = group;
    }
    for (std::size_t earlier = 0; earlier < way; ++earlier) {
      const Index* other = found_.data() + begin + earlier * count;
      for (std::size_t row = 0; row < count; ++row) {
        if (column[row] == other[row]) column[row] = kNone;
      }
    }
  }
}

void Intake::group(std::span<const Arrivals> arrivals, KeyNumbers& keys) {
  begin(arrivals);
  found_.clear();
  const auto for_routes = [&](const auto& apply) {
    for (const Arrivals& some : arrivals) {
      const Route* route = route_of(some.table);
      if (route != nullptr && !route->is_shared && !route->is_partial() && some.rows.size() > 0) apply(some, *route);
    }
  };
  std::size_t cells = 0;
  for_routes([&](const Arrivals& some, const Route& route) {
    find_groups(some, route, keys);
    cells += some.rows.size() * route.places.size() * cells_of(some);
  });
  for (const Index key : keys_) group_of_[key] = kNone;
  const std::size_t groups_each = std::min(keys_.size(), keys_.size() * kBucketCells / std::max<std::size_t>(cells, 1));
  bucket_bits_ = static_cast<unsigned>(std::bit_width(groups_each));
  begin_.assign((keys_.size() >> bucket_bits_) + 2, 0);
  std::size_t at = 0;
  for_routes([&](const Arrivals& some, const Route& route) {
    const std::size_t width = cells_of(some);
    for (const std::size_t end = at + some.rows.size() * route.places.size(); at < end; ++at) {
      if (found_[at] != kNone) begin_[(found_[at] >> bucket_bits_) + 1] += width;
    }
  });
  for (std::size_t bucket = 1; bucket < begin_.size(); ++bucket) begin_[bucket] += begin_[bucket - 1];
  cells_.reset(begin_.back());
  next_ = begin_;
  at = 0;
  for_routes([&](const Arrivals& some, const Route& route) {
    place(some, route, at);
    at += some.rows.size() * route.places.size();
  });
}

// How many cells a row takes on its way.
std::size_t Intake::cells_of(const Arrivals& arrivals) const {
  return arrivals.rows.width - kEventHead + kLogHead + static_cast<std::size_t>(has_causes_);
}

void Intake::place(const Arrivals& arrivals, const Route& route, std::size_t at) {
  const std::size_t count = arrivals.rows.size();
  const std::size_t ways = route.places.size();
  const auto mask = static_cast<Index>(bucket_size() - 1);
  if (ways == 1 && arrivals.is_retraction.empty() && !has_causes_) {
    place_plain(arrivals, std::span(found_).subspan(at, count), mask);
    return;
  }
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t way = 0; way < ways; ++way) {
      const Index group = found_[at + way * count + row];
      if (group == kNone) continue;
      std::size_t& next = next_[group >> bucket_bits_];
      next = static_cast<std::size_t>(put(arrivals, row, way == 0, group & mask, cells_.data() + next) - cells_.data());
    }
  }
}

// The same for rows that are many: each reaches one key, and there is nothing to tell of it.
void Intake::place_plain(const Arrivals& arrivals, std::span<const Index> groups, Index mask) {
  const std::size_t width = arrivals.rows.width;
  const Value* cells = arrivals.rows.row(0);
  ArrivalHead head{.table = static_cast<std::uint16_t>(arrivals.table), .is_counted = arrivals.is_counted};
  for (const Index group : groups) {
    std::size_t& next = next_[group >> bucket_bits_];
    Value* into = cells_.data() + next;
    next += width - kEventHead + kLogHead;
    head.group = group & mask;
    into[0] = cells[0];
    into[1] = head.word();
    for (std::size_t i = kEventHead; i < width; ++i) into[i + 1] = cells[i];
    cells += width;
  }
}

Value* Intake::put(const Arrivals& arrivals, std::size_t row, bool is_home, Index group, Value* into) const {
  const ArrivalHead head{.table = static_cast<std::uint16_t>(arrivals.table),
                         .is_counted = is_home && arrivals.is_counted,
                         .is_retraction = !arrivals.is_retraction.empty() && arrivals.is_retraction[row],
                         .group = group};
  const Value* cells = arrivals.rows.row(row);
  *into++ = cells[0];
  *into++ = head.word();
  for (std::size_t i = kEventHead; i < arrivals.rows.width; ++i) *into++ = cells[i];
  if (has_causes_) *into++ = cause_cell(arrivals, row);
  return into;
}

void Intake::group_shared(std::span<const Arrivals> arrivals) {
  begin(arrivals);
  bucket_bits_ = 0;
  std::size_t size = 0;
  const auto is_shared = [&](const Arrivals& some) {
    const Route* route = route_of(some.table);
    return route != nullptr && route->is_shared && some.rows.size() > 0;
  };
  for (const Arrivals& some : arrivals) {
    if (is_shared(some)) size += some.rows.size() * cells_of(some);
  }
  cells_.reset(size);
  begin_ = {0, size};
  if (size == 0) return;
  keys_.push_back(kNone);
  Value* into = cells_.data();
  for (const Arrivals& some : arrivals) {
    for (std::size_t row = 0; is_shared(some) && row < some.rows.size(); ++row) into = put(some, row, true, 0, into);
  }
}

Taken LogWriter::take_in(const Intake& intake, std::size_t group, Log& log, std::vector<Cause>* causes) {
  taken_ = {};
  const std::size_t bucket = group / intake.bucket_size();
  if (opened_ != Opened{&intake, intake.grouping(), bucket}) open_bucket(intake, bucket);
  const std::size_t own = group % intake.bucket_size();
  entries_ = {rows_.data() + rows_begin_[own], rows_begin_[own + 1] - rows_begin_[own]};
  sort();
  merge(log, causes);
  return taken_;
}

// Finds the rows of each group of a bucket.
void LogWriter::open_bucket(const Intake& intake, std::size_t number) {
  opened_ = {&intake, intake.grouping(), number};
  has_causes_ = intake.has_causes();
  const std::span<const Value> cells = intake.bucket(number);
  const auto for_rows = [&](const auto& apply) {
    for (std::size_t at = 0; at < cells.size();) {
      const ArrivalHead head = ArrivalHead::from(cells[at + 1]);
      apply(head.group, cells.data() + at);
      at += widths_[head.table] + static_cast<std::size_t>(has_causes_);
    }
  };
  // Counts are two ahead of their groups at first, and one while rows get their places.
  rows_begin_.assign(intake.bucket_size() + 2, 0);
  for_rows([&](std::size_t group, const Value* /*row*/) { ++rows_begin_[group + 2]; });
  for (std::size_t group = 2; group < rows_begin_.size(); ++group) rows_begin_[group] += rows_begin_[group - 1];
  rows_.resize(rows_begin_.back());
  for_rows([&](std::size_t group, const Value* row) { rows_[rows_begin_[group + 1]++] = {time_of(row[0]), row}; });
}

namespace {

constexpr std::size_t kShortRun = 8;

// Sorts words; what is in order already, in runs, is merged. `spare` and `runs` are for its own use.
void sort_words(std::vector<std::uint64_t>& words, std::vector<std::uint64_t>& spare, std::vector<std::size_t>& runs) {
  const std::size_t count = words.size();
  runs.clear();  // where they end
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
    runs.push_back(end);
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
      runs[kept++] = end;
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
    is_sorted = is_sorted && entry.time >= last;
    first = std::min(first, entry.time);
    last = std::max(last, entry.time);
  }
  order_.clear();
  if (is_sorted) return;
  order_.resize(count);
  // Time and position in one word, if both fit.
  const auto range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  const auto needed = static_cast<unsigned>(std::bit_width(range)) + bits;
  const auto word = [&](std::size_t i) {
    const auto time = static_cast<std::uint64_t>(entries_[i].time) - static_cast<std::uint64_t>(first);
    return time << bits | i;
  };
  if (count <= kFewEntries && needed < 32) {
    sort_few(word);
  } else if (needed <= 64) {
    for (std::size_t i = 0; i < count; ++i) order_[i] = word(i);
    sort_words(order_, spare_, runs_);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    for (std::uint64_t& one : order_) one &= mask;
  } else {
    for (std::size_t i = 0; i < count; ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return entries_[a].time < entries_[b].time; });
  }
}

// The place of each of a few entries is the number of those before it: counted without a branch, several at a time.
template <typename Word>
void LogWriter::sort_few(const Word& word) {
  const std::size_t count = entries_.size();
  std::array<std::int32_t, kFewEntries> words;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as are read
  for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<std::int32_t>(word(i));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t own = words[i];
    std::int32_t before = 0;
    for (std::size_t j = 0; j < count; ++j) before += static_cast<std::int32_t>(words[j] < own);
    order_[static_cast<std::size_t>(before)] = i;
  }
}

void LogWriter::merge(Log& log, std::vector<Cause>* causes) {
  const std::size_t count = entries_.size();
  if (count == 0) return;
  const auto entry_at = [&](std::size_t i) -> const Entry& { return entries_[order_.empty() ? i : order_[i]]; };
  const auto table_of = [](const Entry& entry) { return ArrivalHead::from(entry.row[1]).table; };
  const Log::Position from = log.find(entry_at(0).time, table_of(entry_at(0)), widths_);
  const std::span<const Value> old = log.cells();
  std::size_t at = from.at;
  end_ = 0;
  std::size_t last = kNoRow;
  for (std::size_t i = 0; i < count;) {
    const Time time = entry_at(i).time;
    const std::uint16_t table = table_of(entry_at(i));
    if (at == old.size() && (i + 1 == count || entry_at(i + 1).time != time)) {
      // Nothing that it could be equal to.
      const std::size_t before = end_;
      run_.begin(end_, widths_[table]);
      const Value* row = entry_at(i++).row;
      if (ArrivalHead::from(row[1]).is_retraction) {
        taken_.unmatched += static_cast<std::size_t>(ArrivalHead::from(row[1]).is_counted);
      } else {
        insert(row, causes);
        last = before;
      }
      continue;
    }
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
    do {
      apply(entry_at(i++).row, causes);
    } while (i < count && entry_at(i).time == time && table_of(entry_at(i)) == table);
    if (run_.has_gaps) drop_gaps();
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

void LogWriter::apply(const Value* entry, std::vector<Cause>* causes) {
  const ArrivalHead arrival = ArrivalHead::from(entry[1]);
  const std::span<const Value> args(entry + kLogHead, run_.width - kLogHead);
  const std::size_t known = run_.find(args, out_.data(), end_);
  if (known == kNoRow) {
    if (arrival.is_retraction) {
      taken_.unmatched += static_cast<std::size_t>(arrival.is_counted);
    } else {
      run_.added(args, end_);
      insert(entry, causes);
    }
    return;
  }
  if (!arrival.is_retraction) return;
  RowHead head = RowHead::from(out_[known + 1]);
  head.is_there = 0;
  out_[known + 1] = head.word();
  run_.has_gaps = true;
  taken_.first = std::min(taken_.first, time_of(entry[0]));
  note_cause(entry, causes);
}

// Writes a row that is not there.
void LogWriter::insert(const Value* entry, std::vector<Cause>* causes) {
  const std::uint16_t table = ArrivalHead::from(entry[1]).table;
  const Time time = time_of(entry[0]);
  Value* row = add(run_.width);
  row[0] = entry[0];
  row[1] = RowHead{.table = table, .passes = tester_.test(table, time, entry + kLogHead)}.word();
  for (std::size_t i = kLogHead; i < run_.width; ++i) row[i] = entry[i];
  taken_.first = std::min(taken_.first, time);
  note_cause(entry, causes);
}

void LogWriter::note_cause(const Value* entry, std::vector<Cause>* causes) const {
  if (causes == nullptr || !has_causes_) return;
  const auto cause = static_cast<Cause>(entry[run_.width].word());
  if (cause != kNoCause) causes->push_back(cause);
}

// Leaves out the rows of a run that are no longer there.
void LogWriter::drop_gaps() {
  std::size_t to = run_.from;
  for (std::size_t at = run_.from; at < end_; at += run_.width) {
    if (RowHead::from(out_[at + 1]).is_there == 0) continue;
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
    return std::equal(args.begin(), args.end(), cells + at + kLogHead) && RowHead::from(cells[at + 1]).is_there != 0;
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
