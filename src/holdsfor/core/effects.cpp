// What rules bring about at a time-point, and the state that follows from it.
#include <algorithm>

#include "sweep.h"

namespace holdsfor {
namespace {

void record(EventTable& effects, Time now, std::span<const Value> columns, Value value) {
  std::vector<Value> row(columns.begin(), columns.end());
  row.push_back(value);
  effects.add(now, row);
}

}  // namespace

void Sweep::initiate_initially() {
  for (const GroundPair& pair : request_.initial) {
    if (!world_.is_running(pair.table)) continue;
    initiate(pair.table, pair.columns, pair.value);
    FluentTable& fluent = world_.fluents[pair.table];
    fluent.pairs[fluent.find_pair(fluent.find(pair.columns), pair.value)].starts_initially = true;
  }
}

void Sweep::happen(Index table, std::span<const Value> columns) {
  EventTable& events = world_.events[table];
  const auto [from, to] = events.between(world_.now, world_.now, world_.cursor(table, World::Rows::kEvents));
  for (std::size_t row = from; row < to; ++row) {
    if (std::equal(columns.begin(), columns.end(), events.row(row).begin())) return;
  }
  events.add(world_.now, columns);
  ++changes_;
}

void Sweep::initiate(Index table, std::span<const Value> columns, Value value) {
  FluentTable& fluent = world_.fluents[table];
  const Index number = fluent.add(columns);
  const auto [pair, is_new] = fluent.add_pair(number, value);
  if (is_new) fluent.pairs[pair].is_declared = is_declared(table, columns, value);
  if (fluent.pairs[pair].last_initiated == world_.now) return;
  if (fluent.instances[number].stamp != world_.now) touched_.emplace_back(table, number);
  Instance& instance = fluent.marked(number, world_.now);
  if (instance.initiated == kNone) {
    instance.initiated = pair;
  } else {
    instance.is_contested = true;
  }
  fluent.pairs[pair].last_initiated = world_.now;
  if (world_.prepared.has_effect_readers[table]) record(fluent.initiations, world_.now, columns, value);
  ++changes_;
}

void Sweep::terminate(Index table, std::span<const Value> columns, Value value) {
  FluentTable& fluent = world_.fluents[table];
  const bool is_open = std::any_of(columns.begin(), columns.end(), [](Value one) { return one.is_wildcard(); });
  if (is_open) {
    for (std::size_t end = 0; end < fluent.open_ends.size(); end += columns.size() + 1) {
      const auto known = fluent.open_ends.begin() + static_cast<std::ptrdiff_t>(end);
      if (std::equal(columns.begin(), columns.end(), known) && fluent.open_ends[end + columns.size()] == value) return;
    }
    if (fluent.open_ends.empty()) openly_ended_.push_back(table);
    fluent.open_ends.insert(fluent.open_ends.end(), columns.begin(), columns.end());
    fluent.open_ends.push_back(value);
  } else {
    const Index number = fluent.add(columns);
    if (fluent.instances[number].stamp != world_.now) touched_.emplace_back(table, number);
    Instance& instance = fluent.marked(number, world_.now);
    if (value.is_wildcard()) {
      if (instance.is_ended) return;
      instance.is_ended = true;
    } else {
      for (Index at = instance.ended; at != kNone; at = fluent.ended[at].second) {
        if (fluent.ended[at].first == value) return;
      }
      if (fluent.ended.empty()) with_ended_.push_back(table);
      fluent.ended.emplace_back(value, instance.ended);
      instance.ended = static_cast<Index>(fluent.ended.size() - 1);
    }
  }
  if (world_.prepared.has_effect_readers[table]) record(fluent.terminations, world_.now, columns, value);
  ++changes_;
}

void Sweep::apply() {
  drop_due();
  if (phase_->has_definitions) find_next();
  for (const Index table : openly_ended_) {
    const FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < fluent.instances.size(); ++number) {
      if (fluent.instances[number].stamp != world_.now) touched_.emplace_back(table, number);
    }
  }
  for (const auto& [table, instance] : touched_) apply_instance(table, instance);
  if (phase_->has_definitions) update_static();
  touched_.clear();
  for (const Index table : openly_ended_) world_.fluents[table].open_ends.clear();
  openly_ended_.clear();
  for (const Index table : with_ended_) world_.fluents[table].ended.clear();
  with_ended_.clear();
}

void Sweep::apply_instance(Index table, Index number) {
  FluentTable& fluent = world_.fluents[table];
  Instance& instance = fluent.instances[number];
  if (instance.current != kNone && fluent.is_broken(instance.current, world_.now)) {
    Pair& pair = fluent.pairs[instance.current];
    pair.list.push_back({pair.since, world_.now + 1});
    pair.since = kForever;
    instance.current = kNone;
  }
  if (instance.stamp != world_.now || instance.initiated == kNone) return;
  if (fluent.is_broken(instance.initiated, world_.now)) {
    conflicts_.push_back({table, number, world_.now});
  } else {
    begin(table, instance.initiated);
  }
}

void Sweep::begin(Index table, Index number) {
  FluentTable& fluent = world_.fluents[table];
  Pair& pair = fluent.pairs[number];
  Instance& instance = fluent.instances[pair.instance];
  if (instance.current == kNone) {
    instance.current = number;
    pair.since = world_.now + 1;
  }
  pair.last_effective = world_.now;
  if (phase_->has_delays) stage(table, number);
}

void Sweep::finish() {
  for (const Index table : phase_->tables) {
    FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < fluent.pair_count; ++number) {
      Pair& pair = fluent.pairs[number];
      if (pair.since == kForever) continue;
      pair.list.push_back({pair.since, kForever});
      pair.since = kForever;
    }
  }
  world_.running = kNone;
  if (!phase_->has_definitions) return;
  // Statically determined fluents follow from the finished ones, also beyond the query time.
  Index last = kNone;
  for (const Definition& definition : world_.prepared.components[phase_->components[0]].component->definitions) {
    if (definition.head.table == last) continue;
    last = definition.head.table;
    define(last);
    splice_static(last);
  }
}

}  // namespace holdsfor
