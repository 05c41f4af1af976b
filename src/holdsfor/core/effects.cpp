// Effects of rules at a time-point, and the state that follows from them.
#include <algorithm>
#include <bit>
#include <stdexcept>

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
  if (is_packed(table)) {
    const PairBits bits = packed_bits(table, columns, value);
    // Rules of a packed table name everything that they initiate. Otherwise the plan is damaged.
    if (bits == 0) throw std::invalid_argument("a rule initiates what no rule of its table names");
    initiated_bits_ |= bits;
    packed_pair(static_cast<std::size_t>(std::countr_zero(bits)));
    return;
  }
  FluentTable& fluent = world_.fluents[table];
  const Index number = fluent.add(columns);
  const auto [pair, is_new] = fluent.add_pair(number, value);
  if (is_new) fluent.pairs[pair].is_declared = is_declared(table, columns, value);
  if (!mark_initiated(table, fluent, number, pair)) return;
  if (world_.prepared.has_effect_readers[table]) record(fluent.initiations, world_.now, columns, value);
}

void Sweep::terminate(Index table, std::span<const Value> columns, Value value, bool may_be_open) {
  if (is_packed(table)) {
    ended_bits_ |= packed_bits(table, columns, value);
    return;
  }
  FluentTable& fluent = world_.fluents[table];
  const auto is_open = [&](Value one) { return one.is_wildcard() || (may_be_open && world_.terms.is_open(one)); };
  const bool ends_openly =
      (!value.is_wildcard() && is_open(value)) || std::any_of(columns.begin(), columns.end(), is_open);
  if (ends_openly ? !end_openly(table, fluent, columns, value)
                  : !mark_ended(table, fluent, fluent.add(columns), value)) {
    return;
  }
  if (world_.prepared.has_effect_readers[table]) record(fluent.terminations, world_.now, columns, value);
}

bool Sweep::end_openly(Index table, FluentTable& fluent, std::span<const Value> columns, Value value) {
  for (std::size_t end = 0; end < fluent.open_ends.size(); end += columns.size() + 1) {
    const auto known = fluent.open_ends.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::equal(columns.begin(), columns.end(), known) && fluent.open_ends[end + columns.size()] == value) {
      return false;
    }
  }
  if (fluent.open_ends.empty()) openly_ended_.push_back(table);
  fluent.open_ends.insert(fluent.open_ends.end(), columns.begin(), columns.end());
  fluent.open_ends.push_back(value);
  ++changes_;
  return true;
}

bool Sweep::end_another(Index table, FluentTable& fluent, Instance& instance, Value value) {
  for (Index at = instance.ended; at != kNone; at = fluent.ended[at].second) {
    if (fluent.ended[at].first == value) return false;
  }
  if (fluent.ended.empty()) with_ended_.push_back(table);
  fluent.ended.emplace_back(value, instance.ended);
  instance.ended = static_cast<Index>(fluent.ended.size() - 1);
  return true;
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
  // Beyond the query time, statically determined fluents follow from the finished lists. Up to the query time they are
  // what rules have read: from the finished lists, another of their rules may apply by now. That happens only because
  // of instances far in the past. Otherwise the finished lists give the same result after a checkpoint.
  Index last = kNone;
  for (const Definition& definition : world_.prepared.components[phase_->components[0]].component->definitions) {
    if (definition.head.table == last) continue;
    last = definition.head.table;
    const bool is_as_read = !reader_ || world_.plan().tables[last].recomputed;
    if (is_as_read) scratch_ = world_.fluents[last];
    define(last);
    splice_static(last);
    if (is_as_read) put_back_read(last);
  }
}

// Restores the lists that rules have read: up to the time-point after the query time, the lists of a table become those
// in `scratch_`.
void Sweep::put_back_read(Index table) {
  const Time next = moved(world_.query, 1);
  FluentTable& fluent = world_.fluents[table];
  for (Index number = 0; number < fluent.pair_count; ++number) {
    Intervals& list = fluent.pairs[number].list;
    for (Interval& one : list) one.start = std::max(one.start, next);
    std::erase_if(list, [](const Interval& one) { return one.start >= one.end; });
  }
  for (Index number = 0; number < scratch_.pair_count; ++number) {
    const Pair& read = scratch_.pairs[number];
    if (read.list.empty()) continue;
    Pair& pair = fluent.pairs[fluent.add_pair(fluent.add(scratch_.columns(read.instance)), read.value).first];
    pair.is_declared = true;
    for (const Interval& one : read.list) {
      if (one.start < next) pair.list.push_back({one.start, std::min(one.end, next)});
    }
    make_maximal(pair.list);
  }
}

}  // namespace holdsfor
