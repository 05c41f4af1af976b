// Evaluates metric predicates slice by slice, and saves their state in checkpoints.
#include <algorithm>
#include <array>
#include <numeric>

#include "metric_run.h"

namespace holdsfor {
namespace {

std::array<std::vector<MetricTable>*, 4> parts_of(MetricCarried& carried) {
  return {&carried.ahead, &carried.going_on, &carried.armed, &carried.recent};
}

std::array<const std::vector<MetricTable>*, 4> parts_of(const MetricCarried& carried) {
  return {&carried.ahead, &carried.going_on, &carried.armed, &carried.recent};
}

// Equal sets of rows must have equal words, independent of their order.
void put(const MetricTable& table, CheckpointWriter& into) {
  if (table.is_empty()) return into.put(std::uint64_t{0});
  std::vector<Index> order;
  for (Index row = 0; row < table.rows(); ++row) {
    if (!table.list(row).empty()) order.push_back(row);
  }
  std::sort(order.begin(), order.end(), [&](Index one, Index other) {
    const auto a = table.args(one);
    const auto b = table.args(other);
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](Value x, Value y) { return x.word() < y.word(); });
  });
  into.put(order.size());
  for (const Index row : order) {
    into.put(table.args(row));
    into.put(table.list(row).size());
    for (const Interval& one : table.list(row)) {
      into.put_time(one.start);
      into.put_time(one.end);
    }
  }
}

void get(CheckpointReader& from, MetricTable& table) {
  std::vector<Value> args;
  const std::size_t rows = from.get_count(table.width() + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    from.get(args, table.width());
    const Index row = table.row_of(args);
    const std::size_t count = from.get_count(2);
    for (std::size_t k = 0; k < count; ++k) {
      const Time start = from.get_time();
      table.list(row).push_back({start, from.get_time()});
    }
  }
}

}  // namespace

void MetricRun::evaluate_slices(World& world, CheckpointReader* reader, Time from, std::span<const Checkpoint> saves,
                                std::span<CheckpointWriter> writers) {
  for (const MetricLink& link : component_.outputs) world.fluents[link.table].clear();
  for (MetricCarried& carried : state_) carried.clear();
  if (reader != nullptr) read_state(*reader);
  const MetricWatch watch = [&] { world.watch.check(); };
  Time low = reader == nullptr ? -kEndless : from + 1;
  const auto advance = [&](Time last, bool is_end) {
    const Interval slice{low, last + 1};
    if (is_empty(slice)) return;
    clear_tables();
    for (const MetricLink& link : component_.inputs) {
      take_cells(world.fluent_table(link.table), slice, tables_[link.relation]);
    }
    evaluate_slice(slice, world.prepared.is_profiled, watch);
    for (const MetricLink& link : component_.outputs) give_cells(world, link, is_end ? slice.end : kEndless);
    low = slice.end;
  };
  for (std::size_t number = 0; number < saves.size(); ++number) {
    advance(saves[number].time, saves[number].time >= world.query);
    save(writers[number]);
  }
  advance(world.query, true);
  find_next_change(world);
}

void MetricRun::clear_tables() {
  for (MetricTable& table : tables_) {
    if (!table.is_empty()) table.clear();
  }
}

void MetricRun::evaluate_slice(Interval slice, bool is_profiled, const MetricWatch& watch) {
  for (Index i = 0; i < runs_.size(); ++i) {
    measured(i, is_profiled, [&] { return runs_[i]->run(slice, state_[i], MetricStratumRun::kNoLimit, watch); });
    if (is_profiled) profile_[i].most_kept = std::max(profile_[i].most_kept, state_[i].facts());
  }
}

void MetricRun::read_state(CheckpointReader& from) {
  from.get();
  for (MetricCarried& carried : state_) {
    for (auto* tables : parts_of(carried)) {
      for (MetricTable& table : *tables) get(from, table);
    }
  }
}

// The first word is the number of facts.
void MetricRun::save(CheckpointWriter& into) const {
  into.put(std::accumulate(state_.begin(), state_.end(), std::size_t{0},
                           [](std::size_t sum, const MetricCarried& one) { return sum + one.facts(); }));
  for (const MetricCarried& carried : state_) {
    for (const auto* tables : parts_of(carried)) {
      for (const MetricTable& table : *tables) put(table, into);
    }
  }
}

std::vector<Index> MetricRun::carried_widths() const {
  std::vector<Index> found;
  for (const auto& run : runs_) {
    const MetricCarried nothing = run->nothing();
    for (const auto* tables : parts_of(nothing)) {
      for (const MetricTable& table : *tables) found.push_back(static_cast<Index>(table.width()));
    }
  }
  return found;
}

// Results that an operator derives up to the end of a slice, without a continuation after it, end there.
void MetricRun::note_ends(const MetricStratumRun& run, const MetricCarried& carried, Time now) {
  for (const MetricRule& rule : run.stratum().rules) {
    // Joins change only when their inputs change.
    if (std::holds_alternative<MetricJoin>(rule)) continue;
    const Index head = head_of(rule);
    const MetricTable& table = tables_[head];
    const auto& own = run.stratum().relations;
    const MetricTable& ahead =
        carried.ahead[static_cast<std::size_t>(std::find(own.begin(), own.end(), head) - own.begin())];
    for (Index row = 0; row < table.rows(); ++row) {
      if (table.list(row).empty() || table.list(row).back().end != now + 1) continue;
      const Index later = ahead.find(table.args(row));
      if (later == kNoRow || ahead.list(later).front().start > now + 1) next_change_ = now + 1;
    }
  }
}

// Facts that continue may have new consequences at any later time. Future facts have them when they begin or end.
void MetricRun::find_next_change(const World& world) {
  next_change_ = kForever;
  const Time now = world.query;
  const auto note = [&](Time cell) {
    if (cell > now && !is_infinite(cell) && cell != kNever && cell != kForever)
      next_change_ = std::min(next_change_, cell);
  };
  for (const MetricCarried& carried : state_) {
    for (const auto* tables : {&carried.going_on, &carried.armed, &carried.recent}) {
      for (const MetricTable& table : *tables) {
        if (!table.is_empty()) next_change_ = now + 1;
      }
    }
    for (const MetricTable& table : carried.ahead) {
      for (Index row = 0; row < table.rows(); ++row) {
        for (const Interval& one : table.list(row)) {
          note(one.start);
          note(one.end);
        }
      }
    }
  }
  for (std::size_t i = 0; i < runs_.size(); ++i) note_ends(*runs_[i], state_[i], now);
  for (const MetricLink& link : component_.inputs) {
    const FluentTable& fluent = world.fluent_table(link.table);
    for (Index number = 0; number < fluent.pair_count; ++number) {
      for (const Interval& one : fluent.pairs[number].list) {
        note(one.start);
        note(one.end);
      }
    }
  }
}

}  // namespace holdsfor
