#include "interval_editor.h"

#include <algorithm>
#include <bit>

namespace holdsfor {
namespace {

std::uint64_t hash_of_pair(const Value* row) {
  const IntervalHead head = interval_head(row);
  return mix(hash_of({row + 4, head.width - std::size_t{4}}), head.table);
}

}  // namespace

bool IntervalEditor::take(const Value* row, Time first) {
  const IntervalHead head = interval_head(row);
  if (!head.has(kIsRetraction)) {
    const std::size_t at = log_.cells_.size();
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
  std::uint32_t& slot = slots_[hash_of_pair(&log_.cells_[entries_[entry].at]) & (slots_.size() - 1)];
  entries_[entry].next = slot;
  slot = entry;
}

void IntervalEditor::build() {
  const std::vector<Value>& cells = log_.cells_;
  for (std::size_t at = 0; at < cells.size(); at += interval_head(&cells[at]).width) {
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
  std::vector<Value> left;  // what there is behind the time-points that are taken back
  for (std::uint32_t entry = slots_[hash_of_pair(row) & (slots_.size() - 1)]; entry != kNoRow;
       entry = entries_[entry].next) {
    Value* known = &log_.cells_[entries_[entry].at];
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
    const std::size_t into = log_.cells_.size();
    log_.insert({&left[at], interval_head(&left[at]).width});
    add(static_cast<std::uint32_t>(into));
  }
  return is_found;
}

void IntervalEditor::finish() {
  if (!has_gone_) return;
  std::vector<Value>& cells = log_.cells_;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < cells.size();) {
    const IntervalHead head = interval_head(&cells[at]);
    if (!head.has(kIsGone)) {
      std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(at), head.width,
                  cells.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += head.width;
    }
    at += head.width;
  }
  cells.resize(kept);
  has_gone_ = false;
  slots_.clear();
  entries_.clear();
}

}  // namespace holdsfor
