#include "part_store.h"

#include <algorithm>

#include "interval_editor.h"
#include "key_state_io.h"

namespace holdsfor {
namespace {

// Cells behind the border up to which a checkpoint of all keys of a value is not worth its cost.
constexpr std::size_t kFewCells = 64;

}  // namespace

bool PartStore::is_needed(const Stage& stage) {
  return std::any_of(stage.inputs.begin(), stage.inputs.end(), [](const Route& route) { return route.is_partial(); });
}

PartStore::PartStore(const Stage& stage) : width_(stage.key), intake_(by_value_), intervals_(by_value_) {
  by_value_.key = 1;
  for (const Route& route : stage.inputs) {
    if (!route.is_partial()) continue;
    by_value_.inputs.push_back({.table = route.table, .places = route.places, .is_shared = false, .parts = {}});
    for (const auto& parts : route.parts) parts_.insert(parts_.end(), parts.begin(), parts.end());
  }
  std::sort(parts_.begin(), parts_.end());
  parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
}

// Delivery

PartStore::Touched& PartStore::touch(Index value) {
  Index& place = values_[value].touched;
  values_[value].is_free = false;
  if (place == kNone) {
    place = static_cast<Index>(touched_.size());
    touched_.push_back({.value = value});
  }
  return touched_[place];
}

void PartStore::set_wake(Index value, Time time) {
  values_[value].wake = time;
  if (time != kForever) waking_.emplace(time, value);
}

void PartStore::deliver(const Deliveries& deliveries, const Moment& moment, LogWriter& writer, const LogWidths& widths,
                        const std::vector<bool>& is_home) {
  touched_.clear();
  causes_.clear();
  const IntakeCrew crew = IntakeCrew::alone(writer.tester());
  intake_.group(deliveries.events, numbers_, crew);
  intervals_.group(deliveries.intervals, is_home, numbers_, crew);
  if (values_.size() < numbers_.size()) values_.resize(numbers_.size());
  for (std::size_t group = 0; group < intake_.size(); ++group) {
    const Index value = intake_.key(group);
    const auto from = static_cast<std::uint32_t>(causes_.size());
    const Taken taken = writer.take_in(intake_, group, values_[value].log, &causes_);
    unmatched_ += taken.unmatched;
    Touched& one = touch(value);
    one.is_changed = taken.first != kForever;
    one.first_change = taken.first;
    one.causes_from = from;
    one.causes_to = static_cast<std::uint32_t>(causes_.size());
  }
  for (std::size_t group = 0; group < intervals_.size(); ++group) {
    const Index value = intervals_.key(group);
    Touched& one = touch(value);
    // Keep the causes of a value contiguous.
    const auto from = static_cast<std::uint32_t>(causes_.size());
    for (std::uint32_t i = one.causes_from; i < one.causes_to; ++i) causes_.push_back(causes_[i]);
    const Taken taken = take_in(intervals_, group, moment.window.first(moment.query), values_[value].intervals,
                                &causes_, writer.lost());
    unmatched_ += taken.unmatched;
    one.is_changed = one.is_changed || taken.first != kForever;
    one.first_change = std::min(one.first_change, taken.first);
    one.causes_from = from;
    one.causes_to = static_cast<std::uint32_t>(causes_.size());
  }
  for (; !waking_.empty() && waking_.top().first <= moment.query; waking_.pop()) {
    const auto [time, value] = waking_.top();
    // The value is due: a point is, or was, at the query time; or all rows are behind the border.
    if (values_[value].wake != time || values_[value].is_free) continue;
    Touched& one = touch(value);
    one.is_changed = true;
    one.first_change = std::min(one.first_change, kLater);
  }
  for (Touched& one : touched_) {
    Rows& rows = values_[one.value];
    rows.touched = kNone;
    one.is_compacted = moment.border != kNever && is_worth_compacting(rows, moment, widths);
  }
}

// Whether the border has passed enough rows, or all rows.
bool PartStore::is_worth_compacting(Rows& rows, const Moment& moment, const LogWidths& widths) {
  const Time border = moment.border;
  const std::size_t cells = rows.log.cells().size();
  const std::size_t behind = cells == 0 ? 0 : rows.log.find(border + 1, 0, widths).at;
  const std::size_t interval_cells = rows.intervals.cells().size();
  if (behind == cells && rows.intervals.last_end() <= border) return true;
  return behind > std::max(kFewCells, cells / 2) || interval_cells > std::size_t{2} * rows.interval_cells + kFewCells ||
         rows.intervals.cells_behind(border, moment.keep) > std::max(kFewCells, interval_cells / 2);
}

void PartStore::finish_compaction(const Moment& moment, Time longest_keep, const LogWidths& widths) {
  const std::span<const Time> keep = moment.keep;
  for (const Touched& one : touched_) {
    Rows& rows = values_[one.value];
    bool is_less = false;
    if (one.is_compacted) {
      const std::size_t before = rows.log.cells().size() + rows.intervals.cells().size();
      rows.log.drop_until(moment.border, keep, widths);
      rows.intervals.settle(moment.border, keep);
      rows.interval_cells = static_cast<std::uint32_t>(rows.intervals.cells().size());
      is_less = rows.log.cells().size() + rows.intervals.cells().size() < before;
    }
    Time next = rows.intervals.wake(moment.query);
    if (moment.border != kNever && rows.has_rows()) {
      Time last = rows.intervals.last_end();
      if (!rows.log.empty()) last = std::max(last, time_of(rows.log.cells()[rows.log.last_row()]));
      if (last > moment.border) {
        next = std::min(next, moved(last, moment.query - moment.border));
      } else if (is_less) {
        // Rows kept for look-back remain. If nothing was dropped now, nothing will be dropped later.
        next = std::min(next, moved(moment.query, moved(*moment.window.size, longest_keep)));
      }
    }
    set_wake(one.value, next);
    forget_if_empty(one.value);
  }
  touched_.clear();
}

void PartStore::forget_if_empty(Index value) {
  Rows& rows = values_[value];
  if (rows.has_rows() || !rows.links.empty() || rows.is_free) return;
  rows = Rows{};
  rows.is_free = true;
  numbers_.forget(value);
}

// Keys

void PartStore::place(Index slot, std::span<const Value> key) {
  if (is_placed(slot)) return;
  if (value_of_.size() < (slot + std::size_t{1}) * width_) {
    value_of_.resize((slot + std::size_t{1}) * width_, kNone);
    place_of_.resize(value_of_.size());
  }
  for (const Index part : parts_) {
    const Index value = numbers_.number(key.subspan(part, 1));
    if (values_.size() < numbers_.size()) values_.resize(numbers_.size());
    values_[value].is_free = false;
    const std::size_t link = slot * width_ + part;
    value_of_[link] = value;
    place_of_[link] = static_cast<std::uint32_t>(values_[value].links.size());
    values_[value].links.push_back(static_cast<std::uint32_t>(link));
  }
}

void PartStore::remove(Index slot) {
  if (!is_placed(slot)) return;
  for (const Index part : parts_) {
    const std::size_t link = slot * width_ + part;
    const Index value = value_of_[link];
    auto& links = values_[value].links;
    links[place_of_[link]] = links.back();
    place_of_[links.back()] = place_of_[link];
    links.pop_back();
    value_of_[link] = kNone;
    forget_if_empty(value);
  }
}

std::span<const Value> PartStore::events(Index slot, std::span<const Value> own, const LogWidths& widths,
                                         std::vector<Value>& scratch) const {
  std::vector<std::span<const Value>> logs;
  for_values(slot, [&](const Rows& rows) {
    if (!rows.log.empty()) logs.push_back(rows.log.cells());
  });
  if (logs.empty()) return own;
  if (!own.empty()) logs.push_back(own);
  if (logs.size() == 1) return logs[0];
  scratch.clear();
  std::size_t run = 0;  // the beginning of the rows of one time and table
  const auto comes_before = [](const Value* a, const Value* b) {
    if (a[0] != b[0]) return time_of(a[0]) < time_of(b[0]);
    return RowHead::from(a[1]).table < RowHead::from(b[1]).table;
  };
  while (!logs.empty()) {
    auto next = logs.begin();
    for (auto one = next + 1; one != logs.end(); ++one) {
      if (comes_before(one->data(), next->data())) next = one;
    }
    const std::size_t width = widths.of(next->data());
    const std::span<const Value> row = next->first(width);
    if (run < scratch.size() && comes_before(&scratch[run], row.data())) run = scratch.size();
    // A row that has two of the values is in both logs.
    bool is_known = false;
    for (std::size_t at = run; at < scratch.size() && !is_known; at += width) {
      is_known =
          std::equal(row.begin() + kLogHead, row.end(), scratch.begin() + static_cast<std::ptrdiff_t>(at + kLogHead));
    }
    if (!is_known) scratch.insert(scratch.end(), row.begin(), row.end());
    *next = next->subspan(width);
    if (next->empty()) logs.erase(next);
  }
  return scratch;
}

// State

void PartStore::mark_values(std::span<const Value> key, std::vector<bool>& is_marked) const {
  for (const Index part : parts_) {
    const Index value = numbers_.find(key.subspan(part, 1));
    if (value != kNone) is_marked[value] = true;
  }
}

void PartStore::write(StateWriter& into, const LogWidths& widths, const IsWanted& is_wanted) const {
  std::vector<Index> wanted;
  for (Index value = 0; value < values_.size(); ++value) {
    if (values_[value].has_rows() && is_wanted(value, numbers_.key(value))) wanted.push_back(value);
  }
  into.put(wanted.size());
  for (const Index value : wanted) {
    into.put_values(numbers_.key(value));
    write_log(into, values_[value].log, widths);
    write_intervals(into, values_[value].intervals);
    into.put_time(values_[value].wake);
    into.put(values_[value].interval_cells);
  }
}

void PartStore::read(StateReader& from, const Plan& plan) {
  const std::size_t count = from.get_count(1);
  std::vector<Value> key;
  for (std::size_t i = 0; i < count; ++i) {
    key.clear();
    from.get_values(1, key);
    const Index value = numbers_.number(key);
    if (value < values_.size()) StateReader::refuse("the saved state is damaged: a value is there twice");
    values_.resize(numbers_.size());
    Rows& rows = values_[value];
    read_log(from, rows.log, plan);
    read_intervals(from, rows.intervals, plan);
    set_wake(value, from.get_time());
    rows.interval_cells = static_cast<std::uint32_t>(from.get_below(UINT32_MAX));
  }
}

Time PartStore::next_wake() {
  while (!waking_.empty() &&
         (values_[waking_.top().second].wake != waking_.top().first || values_[waking_.top().second].is_free)) {
    waking_.pop();
  }
  return waking_.empty() ? kForever : waking_.top().first;
}

void PartStore::absorb(PartStore& other) {
  unmatched_ += other.unmatched_;
  for (Index theirs = 0; theirs < other.values_.size(); ++theirs) {
    Rows& rows = other.values_[theirs];
    if (!rows.has_rows()) continue;
    const Index own = numbers_.number(other.numbers_.key(theirs));
    if (values_.size() < numbers_.size()) values_.resize(numbers_.size());
    if (values_[own].has_rows()) continue;
    values_[own].is_free = false;
    values_[own].log = std::move(rows.log);
    values_[own].intervals = std::move(rows.intervals);
    values_[own].interval_cells = rows.interval_cells;
    set_wake(own, rows.wake);
  }
}

std::size_t PartStore::rows(const LogWidths& widths) const {
  std::size_t found = 0;
  for (const Rows& rows : values_) found += rows.log.rows(widths) + rows.intervals.size();
  return found;
}

void PartStore::forget_conditions(const LogWidths& widths) {
  for (Rows& rows : values_) rows.log.forget_conditions(widths);
}

void PartStore::mark_terms(TermMarks& marks) const {
  for (Index value = 0; value < values_.size(); ++value) {
    marks.mark(values_[value].log.cells());
    marks.mark(values_[value].intervals.cells());
    if (!values_[value].is_free) marks.mark(numbers_.key(value));
  }
}

}  // namespace holdsfor
