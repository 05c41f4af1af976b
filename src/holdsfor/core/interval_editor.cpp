#include "interval_editor.h"

#include <algorithm>
#include <bit>

#include "intervals.h"

namespace holdsfor {

// Applies rows in order. After a few retractions, it finds the rows of a pair by hash instead of a linear search. The
// caller must call `finish` at the end.
class IntervalEditor {
 public:
  explicit IntervalEditor(IntervalLog& log) : log_(log), cells_(log.cells_.own()) {}

  // Inserts a row, or retracts its part from `first` on. False if a retraction finds nothing.
  bool take(const Value* row, Time first);
  void finish();

 private:
  // Retractions by linear search before the index is built.
  static constexpr std::size_t kFewRetractions = 4;
  static constexpr std::uint32_t kNoRow = UINT32_MAX;

  // An entry in the chain of log rows with the same hash.
  struct Entry {
    std::uint32_t at = 0;
    std::uint32_t next = kNoRow;
  };

  void add(std::uint32_t at);
  void index(std::uint32_t entry);
  void build();
  bool retract(const Value* row, Time first);

  IntervalLog& log_;
  std::vector<Value>& cells_;
  std::size_t retractions_ = 0;
  bool has_gone_ = false;
  std::vector<std::uint32_t> slots_;  // the last entry of a hash; empty: no index
  std::vector<Entry> entries_;
};

namespace {

std::uint64_t hash_of_pair(const Value* row) {
  const IntervalHead head = interval_head(row);
  return mix(hash_of({row + 4, head.width - std::size_t{4}}), head.table);
}

}  // namespace

bool IntervalEditor::take(const Value* row, Time first) {
  const IntervalHead head = interval_head(row);
  if (!head.has(kIsRetraction)) {
    const std::size_t at = cells_.size();
    log_.insert({row, head.width});
    if (!slots_.empty()) add(static_cast<std::uint32_t>(at));
    return true;
  }
  if (slots_.empty()) {
    if (++retractions_ <= kFewRetractions) return log_.retract(row, first);
    build();
  }
  return retract(row, first);
}

void IntervalEditor::add(std::uint32_t at) {
  entries_.push_back({.at = at, .next = kNoRow});
  if (entries_.size() > slots_.size()) {
    slots_.assign(std::bit_ceil(entries_.size() * 2), kNoRow);
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) index(entry);
    return;
  }
  index(static_cast<std::uint32_t>(entries_.size() - 1));
}

void IntervalEditor::index(std::uint32_t entry) {
  std::uint32_t& slot = slots_[hash_of_pair(&cells_[entries_[entry].at]) & (slots_.size() - 1)];
  entries_[entry].next = slot;
  slot = entry;
}

void IntervalEditor::build() {
  for (std::size_t at = 0; at < cells_.size(); at += interval_head(&cells_[at]).width) {
    entries_.push_back({.at = static_cast<std::uint32_t>(at), .next = kNoRow});
  }
  slots_.assign(std::bit_ceil(entries_.size() * 2 + 2), kNoRow);
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) index(entry);
}

bool IntervalEditor::retract(const Value* row, Time first) {
  const Time from = std::max(time_of(row[1]), first);
  const Time until = time_of(row[2]);
  if (from >= until) return false;
  bool is_found = false;
  std::vector<Value> left;  // remainders after the retracted time-points
  for (std::uint32_t entry = slots_[hash_of_pair(row) & (slots_.size() - 1)]; entry != kNoRow;
       entry = entries_[entry].next) {
    Value* known = &cells_[entries_[entry].at];
    IntervalHead head = interval_head(known);
    if (head.has(kIsGone) || !IntervalLog::meets(known, row, from, until)) continue;
    is_found = true;
    IntervalLog::put_rest(known, until, left);
    if (time_of(known[1]) < from) {
      known[2] = time_cell(from);
      continue;
    }
    head.flags |= kIsGone;
    known[0] = interval_head_cell(head);
    has_gone_ = true;
  }
  for (std::size_t at = 0; at < left.size(); at += interval_head(&left[at]).width) {
    const std::size_t into = cells_.size();
    log_.insert({&left[at], interval_head(&left[at]).width});
    add(static_cast<std::uint32_t>(into));
  }
  return is_found;
}

void IntervalEditor::finish() {
  if (!has_gone_) return;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < cells_.size();) {
    const IntervalHead head = interval_head(&cells_[at]);
    if (!head.has(kIsGone)) {
      std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(at), head.width,
                  cells_.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += head.width;
    }
    at += head.width;
  }
  cells_.resize(kept);
  has_gone_ = false;
  slots_.clear();
  entries_.clear();
}

Taken take_in(const IntervalIntake& intake, std::size_t group, Time first, IntervalLog& log, std::vector<Cause>* causes,
              std::vector<Cause>& lost) {
  Taken taken;
  if (!intake.has_causes() && !intake.takes_back(group)) {
    const std::span<Value> rows = intake.rows(group);
    for (std::size_t at = 0; at < rows.size(); at += interval_head(&rows[at]).width) {
      taken.first = std::min(taken.first, time_of(rows[at + 1]));
    }
    // Its start event is at the time-point before.
    taken.first = moved(taken.first, -1);
    if (log.empty() && intake.can_lend()) {
      log.borrow(rows, intake.lender());
    } else {
      log.insert(rows);
    }
    return taken;
  }
  IntervalEditor editor(log);
  intake.for_rows(group, [&](const Value* row, Time first_change) {
    const IntervalHead head = interval_head(row);
    const Cause cause = intake.cause(row);
    if (editor.take(row, intake.is_input(head.table) ? first : kNever)) {
      taken.first = std::min(taken.first, first_change);
      if (causes != nullptr && cause != kNoCause) causes->push_back(cause);
    } else if (head.has(kIsHome)) {
      ++taken.unmatched;
      if (cause != kNoCause) lost.push_back(cause);
    }
  });
  editor.finish();
  return taken;
}

}  // namespace holdsfor
