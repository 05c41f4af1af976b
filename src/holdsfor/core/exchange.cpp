#include "exchange.h"

#include <algorithm>

#include "rows_io.h"

namespace holdsfor {
namespace {

// Cells before the values in a row of an interval: head, start, end and the start that it was pushed with.
constexpr std::size_t kPlainIntervalCells = 4;

void write_flags(StateWriter& into, const std::vector<bool>& flags, std::size_t count) {
  for (std::size_t row = 0; row < count; ++row) into.put(row < flags.size() && flags[row] ? 1 : 0);
}

void write_deliveries(StateWriter& into, const Deliveries& deliveries) {
  into.put(deliveries.events.size());
  for (const Arrivals& some : deliveries.events) {
    into.put(some.table);
    write_events(into, some.rows);
    write_flags(into, some.is_retraction, some.rows.size());
  }
  into.put(deliveries.intervals.size());
  for (const IntervalArrivals& some : deliveries.intervals) {
    into.put(some.table);
    write_rows(into, some.rows, kPlainIntervalCells);
  }
  into.put(deliveries.effects.size());
  for (const EffectArrivals& some : deliveries.effects) {
    into.put(some.table);
    into.put(some.is_termination ? 1 : 0);
    write_rows(into, some.rows, kEventHead);
    write_flags(into, some.is_retraction, some.rows.size());
  }
}

Index read_table(StateReader& from, const Plan& plan, bool is_event) {
  const auto table = static_cast<Index>(from.get_below(plan.tables.size()));
  if (plan.tables[table].is_event() != is_event) StateReader::refuse("the exchange is damaged: rows of another table");
  return table;
}

void read_event_arrivals(StateReader& from, const Plan& plan, Deliveries& into) {
  const Index table = read_table(from, plan, true);
  EventRows rows(plan.tables[table].columns);
  read_events(from, rows);
  Arrivals& arrivals = into.events_of(table, rows.width());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    arrivals.add(rows.time(row), rows.args(row), kNoCause, from.get_below(2) == 1);
  }
}

void read_interval_arrivals(StateReader& from, const Plan& plan, Deliveries& into) {
  const Index table = read_table(from, plan, false);
  IntervalArrivals& arrivals = into.intervals_of(table, plan.tables[table].columns);
  arrivals.is_input = false;
  RowSet rows{arrivals.rows.width, {}};
  read_rows(from, rows, kPlainIntervalCells);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Value* cells = rows.row(row);
    const IntervalHead head = interval_head(cells);
    if (head.table != table || head.width != rows.width || head.flags > kIsRetraction) {
      StateReader::refuse("the exchange is damaged: no such interval");
    }
    arrivals.add({.flags = head.flags}, time_of(cells[1]), time_of(cells[2]), time_of(cells[3]),
                 {cells + kPlainIntervalCells, rows.width - kPlainIntervalCells}, kNoCause);
  }
}

void read_effect_arrivals(StateReader& from, const Plan& plan, Deliveries& into) {
  const Index table = read_table(from, plan, false);
  const bool is_termination = from.get_below(2) == 1;
  EffectArrivals& arrivals = into.effects_of(table, is_termination, plan.tables[table].columns);
  const std::size_t before = arrivals.rows.size();
  read_rows(from, arrivals.rows, kEventHead);
  for (std::size_t row = before; row < arrivals.rows.size(); ++row) {
    arrivals.is_retraction.push_back(from.get_below(2) == 1);
    arrivals.causes.push_back(kNoCause);
  }
}

}  // namespace

Exchange::Exchange(const Stage& stage, const BucketGrid& grid, const TermTable& terms)
    : stage_(stage), grid_(grid), terms_(terms) {}

const Route* Exchange::route_of(Index table, const std::vector<bool>& wanted) const {
  if (!wanted[table]) return nullptr;
  const auto found = std::find_if(stage_.inputs.begin(), stage_.inputs.end(),
                                  [&](const Route& route) { return route.table == table; });
  return found == stage_.inputs.end() ? nullptr : &*found;
}

void Exchange::add(const Deliveries& deliveries, const std::vector<bool>& wanted) {
  std::vector<Value> args;
  for (const Arrivals& some : deliveries.events) {
    const Route* route = route_of(some.table, wanted);
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      args.clear();
      for (std::size_t i = 0; i < some.rows.width(); ++i) args.push_back(Value::from_word(some.rows.args(row)[i]));
      grid_.find(*route, args.data(), terms_, targets_);
      const bool is_retraction = !some.is_retraction.empty() && some.is_retraction[row];
      for (const Index bucket : targets_) {
        Arrivals& arrivals = by_bucket_[bucket].events_of(some.table, some.rows.width());
        arrivals.add(some.rows.time(row), some.rows.args(row), kNoCause, is_retraction);
      }
    }
  }
  for (const IntervalArrivals& some : deliveries.intervals) {
    const Route* route = route_of(some.table, wanted);
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      const Value* cells = some.rows.row(row);
      grid_.find(*route, cells + kIntervalRowHead, terms_, targets_);
      for (const Index bucket : targets_) {
        RowSet& rows = by_bucket_[bucket].intervals_of(some.table, some.rows.width - kIntervalRowHead).rows;
        rows.cells.insert(rows.cells.end(), cells, cells + some.rows.width);
      }
    }
  }
  for (const EffectArrivals& some : deliveries.effects) {
    const Route* route = route_of(some.table, wanted);
    const std::size_t columns = some.rows.width - kEventHead - 1;
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      const Value* cells = some.rows.row(row);
      grid_.find(*route, cells + kEventHead, terms_, targets_);
      for (const Index bucket : targets_) {
        EffectArrivals& arrivals = by_bucket_[bucket].effects_of(some.table, some.is_termination, columns);
        arrivals.rows.cells.insert(arrivals.rows.cells.end(), cells, cells + some.rows.width);
        arrivals.is_retraction.push_back(some.is_retraction[row]);
      }
    }
  }
}

std::vector<std::pair<Index, std::string>> Exchange::finish(std::uint64_t fingerprint) const {
  std::vector<std::pair<Index, std::string>> found;
  for (const auto& [bucket, deliveries] : by_bucket_) {
    StateWriter into(terms_);
    write_deliveries(into, deliveries);
    found.emplace_back(bucket, into.finish(fingerprint));
  }
  return found;
}

void read_exchange(StateReader& from, const Plan& plan, Deliveries& into) {
  for (std::size_t count = from.get_count(2); count > 0; --count) read_event_arrivals(from, plan, into);
  for (std::size_t count = from.get_count(2); count > 0; --count) read_interval_arrivals(from, plan, into);
  for (std::size_t count = from.get_count(3); count > 0; --count) read_effect_arrivals(from, plan, into);
  if (!from.is_at_end()) StateReader::refuse("the exchange is damaged: something follows it");
}

}  // namespace holdsfor
