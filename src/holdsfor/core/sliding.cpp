#include "sliding.h"

#include <algorithm>
#include <cmath>

#include "machine.h"

namespace holdsfor {

void SlidingItems::add(Aggregate kind, std::size_t place, Value item, const Arithmetic& arithmetic,
                       const TermTable& terms) {
  ++count_;
  if (kind == Aggregate::kCount) return;
  if (kind == Aggregate::kDistinct) {
    ++times_[item.word()];
    return;
  }
  if (!terms.is_number(item)) {
    ++others_;
  } else if (kind == Aggregate::kSum || kind == Aggregate::kAverage) {
    sum_.add(item, terms);
  } else {
    while (!extremes_.empty() && !is_better(kind, extremes_.back().second, item, arithmetic)) extremes_.pop_back();
    extremes_.emplace_back(place, item);
  }
}

void SlidingItems::take_away(Aggregate kind, std::size_t place, Value item, const TermTable& terms) {
  --count_;
  if (kind == Aggregate::kCount) return;
  if (kind == Aggregate::kDistinct) {
    const auto at = times_.find(item.word());
    if (--at->second == 0) times_.erase(at);
    return;
  }
  if (!terms.is_number(item)) {
    --others_;
  } else if (kind == Aggregate::kSum || kind == Aggregate::kAverage) {
    sum_.take_away(item, terms);
  } else if (!extremes_.empty() && extremes_.front().first == place) {
    extremes_.pop_front();
  }
}

void SlidingItems::clear() {
  count_ = others_ = 0;
  sum_.clear();
  times_.clear();
  extremes_.clear();
}

std::optional<Value> SlidingItems::value(Aggregate kind, const Arithmetic& arithmetic, TermTable& terms) const {
  if (others_ > 0) return std::nullopt;
  switch (kind) {
    case Aggregate::kCount:
      return Value::integer(static_cast<std::int64_t>(count_));
    case Aggregate::kDistinct:
      return Value::integer(static_cast<std::int64_t>(times_.size()));
    case Aggregate::kSum:
      return sum_.value(terms);
    case Aggregate::kAverage: {
      const auto sum = sum_.value(terms);
      return sum ? mean(*sum, count_, arithmetic) : std::nullopt;
    }
    default:
      return extremes_.front().second;
  }
}

SlidingWindow& SlidingWindows::window(const EventTable& table, std::span<const Index> places,
                                      std::span<const Value> known) {
  if (table_ != &table || version_ != table.version()) {
    windows_.clear();
    table_ = &table;
    version_ = table.version();
    rows_ = 0;
  }
  for (; rows_ < table.size(); ++rows_) {
    const auto row = table.row(rows_);
    key_.clear();
    for (const Index place : places) key_.push_back(row[place]);
    windows_[key_].rows.push_back(rows_);
  }
  key_.assign(known.begin(), known.end());
  return windows_[key_];
}

namespace {

// The first time-point of a window of some length that ends now. Later than now if the window is empty.
Time first_of_window(Time now, Value length, const TermTable& terms) {
  if (length.is_integer()) return length.as_integer() <= 0 ? kForever : moved(now, 1 - length.as_integer());
  const bool is_real = length.is_real() || terms[length].kind == TermKind::kReal;
  const double real = length.is_real() ? length.as_real() : is_real ? terms[length].real : 0;
  if (!is_real) return terms[length].text.front() == '-' ? kForever : kNever;
  if (real <= 0) return kForever;
  return real < 9e18 ? moved(now, 1 - static_cast<Time>(std::ceil(real))) : kNever;
}

}  // namespace

bool Machine::slide(const Instruction& one, const Next& next) {
  const auto length = world_.arithmetic.evaluate(one.expressions[0], frame_->values);
  // `collect` reports for each row of the window that the length has no value.
  if (!length) return collect(one, next);
  const Instruction& events = one.blocks[0][0];
  const EventTable& table = world_.event_table(events.table);
  if (slides_.size() <= one.out) slides_.resize(one.out + 1);
  std::vector<Value> known;
  for (const Index place : one.inputs) known.push_back(build(events.columns[place], *frame_));
  SlidingWindow& window = slides_[one.out].window(table, one.inputs, known);
  const Time first = first_of_window(world_.now, *length, world_.terms);
  const auto kind = static_cast<Aggregate>(one.aggregate);

  const auto& rows = window.rows;
  const auto goes_up_to = [&](std::size_t at, Time time) { return at < rows.size() && table.time(rows[at]) <= time; };
  const bool is_behind = window.to > 0 && !goes_up_to(window.to - 1, world_.now);
  const bool is_longer = window.from > 0 && table.time(rows[window.from - 1]) >= first;
  if (is_behind || is_longer) {
    window.inside.clear();
    const auto begin = std::lower_bound(rows.begin(), rows.end(), first,
                                        [&](std::size_t row, Time time) { return table.time(row) < time; });
    window.from = window.to = static_cast<std::size_t>(begin - rows.begin());
    window.items.resize(std::max(window.items.size(), window.to));
  }
  for (; goes_up_to(window.to, world_.now); ++window.to) {
    Value item = Value::nothing();
    if (match_all(events.columns, table.row(rows[window.to]))) item = slide_item(one);
    if (window.items.size() <= window.to) window.items.resize(window.to + 1);
    window.items[window.to] = item;
    if (!item.is_nothing()) window.inside.add(kind, window.to, item, world_.arithmetic, world_.terms);
  }
  for (; window.from < window.to && table.time(rows[window.from]) < first; ++window.from) {
    const Value item = window.items[window.from];
    if (!item.is_nothing()) window.inside.take_away(kind, window.from, item, world_.terms);
  }
  const bool needs_some = kind == Aggregate::kAverage || kind == Aggregate::kLeast || kind == Aggregate::kGreatest;
  if (needs_some && window.inside.count() == 0) return false;
  const auto value = window.inside.value(kind, world_.arithmetic, world_.terms);
  if (!value) return collect(one, next);
  return match(one.columns[1], world_.arithmetic.term(*value), *frame_) && go_on(next);
}

// The item of a row: a number if it is one, otherwise the term itself.
Value Machine::slide_item(const Instruction& one) {
  if (one.expressions.size() > 1) {
    if (const auto number = world_.arithmetic.evaluate(one.expressions[1], frame_->values)) return *number;
  }
  return build(one.columns[0], *frame_);
}

}  // namespace holdsfor
