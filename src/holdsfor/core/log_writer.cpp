#include "log_writer.h"

#include <algorithm>
#include <bit>

namespace holdsfor {
namespace {

std::uint16_t table_of(const TimedRow& entry) { return RowHead::from(entry.row[1]).table; }

// Rows of one time and table that are compared pairwise; more rows use a hash table.
constexpr std::size_t kFewEquals = 8;
// Rows up to this width, in cells, are copied with this fixed width.
constexpr std::size_t kNarrow = 4;

}  // namespace

Taken LogWriter::take_in(const Intake& intake, std::size_t group, Log& log, std::vector<Cause>* causes) {
  taken_ = {};
  has_causes_ = intake.has_causes();
  const std::span<Value> cells = intake.rows(group);
  if (cells.empty()) return taken_;
  read(cells);
  order_ = sorting_.of({entries_.data(), count_});
  if (intake.can_lend() && log.empty() && !has_causes_ && !takes_back_ && !has_equals()) {
    lend(intake, cells, log);
  } else {
    merge(log, causes);
  }
  return taken_;
}

void LogWriter::read(std::span<const Value> cells) {
  // Every row has at least `kLogHead` cells.
  const std::size_t most = cells.size() / kLogHead;
  if (entries_.size() < most) entries_.resize(most);
  TimedRow* entry = entries_.data();
  const Value* row = cells.data();
  const auto more = static_cast<std::size_t>(has_causes_);
  unsigned flags = 0;
  for (const Value* const end = row + cells.size(); row != end; ++entry) {
    *entry = {time_of(row[0]), row};
    const RowHead head = RowHead::from(row[1]);
    flags |= head.flags;
    row += widths_[head.table] + more;
  }
  count_ = static_cast<std::size_t>(entry - entries_.data());
  takes_back_ = (flags & kTakesBack) != 0;
}

// Whether some incoming rows are equal.
bool LogWriter::has_equals() const {
  if (!sorting_.may_have_ties()) return false;
  std::vector<std::size_t> slots;  // by hash: rows of one time and table, if there are many
  for (std::size_t first = 0, next = 1; next < count_; first = next++) {
    if (entry(first).time != entry(next).time) continue;
    const std::uint16_t table = table_of(entry(first));
    const auto is_with_first = [&](const TimedRow& other) {
      return other.time == entry(first).time && table_of(other) == table;
    };
    while (next < count_ && is_with_first(entry(next))) ++next;
    if (next - first == 1) continue;
    const std::size_t width = widths_[table] - kLogHead;
    const auto args = [&](std::size_t i) { return std::span(entry(i).row + kLogHead, width); };
    const auto is_same = [&](std::size_t i, std::size_t j) { return std::ranges::equal(args(i), args(j)); };
    if (next - first <= kFewEquals) {
      for (std::size_t i = first + 1; i < next; ++i) {
        for (std::size_t j = first; j < i; ++j) {
          if (is_same(i, j)) return true;
        }
      }
      continue;
    }
    slots.assign(std::bit_ceil((next - first) * 2), kNoRow);
    for (std::size_t i = first; i < next; ++i) {
      std::size_t slot = hash_of(args(i)) & (slots.size() - 1);
      for (; slots[slot] != kNoRow; slot = (slot + 1) & (slots.size() - 1)) {
        if (is_same(i, slots[slot])) return true;
      }
      slots[slot] = i;
    }
  }
  return false;
}

// Sorts rows in place and lends them to an empty log. All rows are new.
void LogWriter::lend(const Intake& intake, std::span<Value> cells, Log& log) {
  const std::size_t count = count_;
  const Value* last = entry(count - 1).row;
  const std::size_t last_width = widths_.of(last);
  taken_.first = entry(0).time;
  if (!order_.empty()) {
    const Value* const from = cells.data();
    if (out_.size() < cells.size() + kNarrow) out_.resize(cells.size() + kNarrow);
    std::copy(cells.begin(), cells.end(), out_.begin());
    Value* into = cells.data();
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const Value* row = out_.data() + (entries_[order_[i]].row - from);
      const std::size_t width = widths_.of(row);
      // The next row overwrites the excess cells.
      if (width <= kNarrow && last_width + width >= kNarrow) {
        std::copy_n(row, kNarrow, into);
      } else {
        std::copy_n(row, width, into);
      }
      into += width;
    }
    std::copy_n(out_.data() + (last - from), last_width, into);
  }
  log.borrow(cells, intake.lender(), cells.size() - last_width);
}

void LogWriter::merge(Log& log, std::vector<Cause>* causes) {
  const std::size_t count = count_;
  const Log::Position from = log.find(entry(0).time, table_of(entry(0)), widths_);
  const std::span<const Value> old = log.cells();
  std::size_t at = from.at;
  end_ = 0;
  std::size_t last = kNoRow;
  for (std::size_t i = 0; i < count;) {
    const Time time = entry(i).time;
    const std::uint16_t table = table_of(entry(i));
    if (at == old.size() && (i + 1 == count || entry(i + 1).time != time)) {
      // No other row can be equal.
      const std::size_t before = end_;
      run_.begin(end_, widths_[table]);
      const Value* row = entry(i++).row;
      const RowHead head = RowHead::from(row[1]);
      if ((head.flags & kTakesBack) != 0) {
        note_lost(row);
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
    // Rows of one time and table: first those in the log, then the incoming ones.
    const std::size_t before = last;
    run_.begin(end_, widths_[table]);
    while (at < old.size() && order() == 0) keep();
    do {
      apply(entry(i++).row, causes);
    } while (i < count && entry(i).time == time && table_of(entry(i)) == table);
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

void LogWriter::apply(const Value* row, std::vector<Cause>* causes) {
  const std::uint8_t flags = RowHead::from(row[1]).flags;
  const bool takes_back = (flags & kTakesBack) != 0;
  const std::span<const Value> args(row + kLogHead, run_.width - kLogHead);
  const std::size_t known = run_.find(args, out_.data(), end_);
  if (known == kNoRow) {
    if (takes_back) {
      note_lost(row);
    } else {
      insert(row, causes);
      run_.added(args, out_.data(), end_ - run_.width);
    }
    return;
  }
  if (!takes_back) return;
  RowHead head = RowHead::from(out_[known + 1]);
  head.is_there = 0;
  out_[known + 1] = head.word();
  run_.has_gaps = true;
  taken_.first = std::min(taken_.first, time_of(row[0]));
  note_cause(row, causes);
}

// Writes a new row.
void LogWriter::insert(const Value* row, std::vector<Cause>* causes) {
  Value* into = add(run_.width);
  for (std::size_t i = 0; i < run_.width; ++i) into[i] = row[i];
  taken_.first = std::min(taken_.first, time_of(row[0]));
  note_cause(row, causes);
}

void LogWriter::note_cause(const Value* row, std::vector<Cause>* causes) const {
  if (causes == nullptr || !has_causes_) return;
  const auto cause = static_cast<Cause>(row[run_.width].word());
  if (cause != kNoCause) causes->push_back(cause);
}

// Records a retraction without a matching row.
void LogWriter::note_lost(const Value* row) {
  if ((RowHead::from(row[1]).flags & kIsCounted) == 0) return;
  ++taken_.unmatched;
  note_cause(row, &lost_);
}

// Removes the retracted rows of a run.
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
  indexed_ = 0;
}

std::size_t LogWriter::Run::find(std::span<const Value> args, const Value* cells, std::size_t end) {
  // A row that was retracted and is inserted again is a new row.
  const auto is = [&](std::size_t at) {
    return std::equal(args.begin(), args.end(), cells + at + kLogHead) && RowHead::from(cells[at + 1]).is_there != 0;
  };
  if (end - from <= kFewRows * width) {
    for (std::size_t at = from; at < end; at += width) {
      if (is(at)) return at;
    }
    return kNoRow;
  }
  if (indexed_ == 0) index(cells, end);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash_of(args) & mask; slots_[slot] != kNoRow; slot = (slot + 1) & mask) {
    if (is(slots_[slot])) return slots_[slot];
  }
  return kNoRow;
}

void LogWriter::Run::added(std::span<const Value> args, const Value* cells, std::size_t at) {
  if (indexed_ == 0) return;
  if ((indexed_ + 1) * 2 > slots_.size()) {
    index(cells, at + width);
  } else {
    put(hash_of(args), at);
  }
}

// Indexes all rows up to `end`, with room for as many more.
void LogWriter::Run::index(const Value* cells, std::size_t end) {
  slots_.assign(std::bit_ceil((end - from) / width * 4), kNoRow);
  indexed_ = 0;
  for (std::size_t at = from; at < end; at += width) put(hash_of({cells + at + kLogHead, width - kLogHead}), at);
}

void LogWriter::Run::put(std::uint64_t hash, std::size_t at) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kNoRow) slot = (slot + 1) & mask;
  slots_[slot] = at;
  ++indexed_;
}

}  // namespace holdsfor
