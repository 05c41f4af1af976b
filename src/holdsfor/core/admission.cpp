#include "admission.h"

#include <algorithm>

namespace holdsfor {
namespace {

bool are_all_between(std::span<const Time> times, Time first, Time last) {
  Time least = kForever;
  Time most = kNever;
  for (const Time time : times) {
    least = std::min(least, time);
    most = std::max(most, time);
  }
  return least >= first && most <= last;
}

}  // namespace

void Admission::admit(Edits& edits, const Window& window, Time query, Deliveries& into) {
  lost_.clear();
  if (waiting_count_ > 0) admit_waiting(window, query, into);
  const Time first = window.first(query);
  for (Edit& edit : edits.all()) {
    if (plan_.tables[edit.table].is_event()) {
      edit.is_retraction ? retract_events(edit, window, query, into) : insert_events(edit, window, query, into);
    } else {
      admit_intervals(edit, first, into);
    }
  }
}

// An event that was announced and falls between two windows never counts.
void Admission::admit_waiting(const Window& window, Time query, Deliveries& into) {
  const Time first = window.first(query);
  for (Index table = 0; table < waiting_.size(); ++table) {
    Waiting& waiting = waiting_[table];
    Waiting left{.rows = {waiting.rows.width, {}}, .causes = {}};
    for (std::size_t row = 0; row < waiting.rows.size(); ++row) {
      const Value* cells = waiting.rows.row(row);
      const Time time = time_of(cells[0]);
      if (time > query) {
        left.rows.cells.insert(left.rows.cells.end(), cells, cells + left.rows.width);
        left.causes.push_back(waiting.causes[row]);
        continue;
      }
      --waiting_count_;
      if (time >= first) {
        into.events_of(table, plan_.tables[table].columns).add(time, waiting.args(row), waiting.causes[row], false);
      }
    }
    waiting = std::move(left);
  }
}

void Admission::insert_events(Edit& edit, const Window& window, Time query, Deliveries& into) {
  const Time first = window.first(query);
  const EventRows& rows = edit.events;
  // kNever is not a time-point.
  if (are_all_between(rows.times(), std::max(first, window.start + 1), query)) {
    into.add(
        {.table = edit.table, .rows = std::move(edit.events), .cause = edit.cause, .causes = {}, .is_retraction = {}});
    return;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Time time = rows.time(row);
    if (time < first || time <= window.start) {
      ++late_;
    } else if (time > query) {
      Waiting& waiting = waiting_[edit.table];
      waiting.rows.width = rows.width() + kEventHead;
      waiting.rows.cells.push_back(time_cell(time));
      for (std::size_t i = 0; i < rows.width(); ++i) waiting.rows.cells.push_back(Value::from_word(rows.args(row)[i]));
      waiting.causes.push_back(edit.cause_of(row));
      ++waiting_count_;
    } else {
      into.events_of(edit.table, rows.width()).add(time, rows.args(row), edit.cause_of(row), false);
    }
  }
}

void Admission::retract_events(const Edit& edit, const Window& window, Time query, Deliveries& into) {
  const Time first = window.first(query);
  const EventRows& rows = edit.events;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Time time = rows.time(row);
    if (time > query) {
      if (!retract_waiting(edit.table, time, rows.args(row))) count_lost(edit.cause_of(row));
    } else if (time < first) {
      count_lost(edit.cause_of(row));
    } else {
      into.events_of(edit.table, rows.width()).add(time, rows.args(row), edit.cause_of(row), true);
    }
  }
}

void Admission::count_lost(Cause cause) {
  ++unmatched_;
  if (cause != kNoCause) lost_.push_back(cause);
}

bool Admission::retract_waiting(Index table, Time time, const std::uint64_t* args) {
  Waiting& waiting = waiting_[table];
  const std::size_t width = waiting.rows.width;
  bool is_found = false;
  for (std::size_t row = waiting.rows.size(); row-- > 0;) {
    const Value* cells = waiting.rows.row(row);
    const auto is_same = [](Value cell, std::uint64_t word) { return cell.word() == word; };
    if (time_of(cells[0]) != time || !std::equal(cells + kEventHead, cells + width, args, is_same)) continue;
    const auto at = waiting.rows.cells.begin() + static_cast<std::ptrdiff_t>(row * width);
    waiting.rows.cells.erase(at, at + static_cast<std::ptrdiff_t>(width));
    waiting.causes.erase(waiting.causes.begin() + static_cast<std::ptrdiff_t>(row));
    --waiting_count_;
    is_found = true;
  }
  return is_found;
}

// Whether an interval goes to its key. Cuts it at the start of the window.
bool Admission::is_admitted(Value* row, Time first, Cause cause) {
  IntervalHead head = interval_head(row);
  const Time start = time_of(row[1]);
  const Time end = time_of(row[2]);
  if (head.has(kIsRetraction)) {
    const bool is_known = end > first && end > start;
    if (!is_known) count_lost(cause);
    return is_known;
  }
  if (end <= start) return false;
  if (end <= first || (head.has(kIsPoint) && start < first)) {
    ++late_;
    return false;
  }
  if (start < first) {
    head.flags |= kIsCut;
    row[0] = interval_head_cell(head);
    row[1] = time_cell(first);
  }
  return true;
}

// Moves the admitted rows together, in place.
void Admission::admit_intervals(Edit& edit, Time first, Deliveries& into) {
  RowSet& rows = edit.intervals;
  const std::size_t count = rows.size();
  causes_.clear();
  Value* kept = rows.cells.data();
  Value* cells = kept;
  for (std::size_t row = 0; row < count; ++row, cells += rows.width) {
    const Cause cause = edit.cause_of(row);
    if (!is_admitted(cells, first, cause)) continue;
    if (kept != cells) std::copy_n(cells, rows.width, kept);
    kept += rows.width;
    if (cause != kNoCause) causes_.push_back(cause);
  }
  rows.cells.resize(static_cast<std::size_t>(kept - rows.cells.data()));
  into.intervals_of(edit.table, plan_.tables[edit.table].columns).append(std::move(rows), causes_);
}

}  // namespace holdsfor
