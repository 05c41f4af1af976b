// Saves and loads the state of a sweep at a checkpoint, component by component in execution order.
#include <stdexcept>
#include <utility>

#include "sweep.h"

namespace holdsfor {

// The component of a table of the present phase.
const Component& Sweep::component_of(Index table) const {
  if (!world_.is_running(table)) throw std::invalid_argument("a checkpoint does not fit its plan");
  return *world_.prepared.components[world_.prepared.component_of[table]].component;
}

void Sweep::save(std::size_t number) {
  const Time time = request_.saves[number].time;
  CheckpointWriter& writer = writers_[number];
  const auto& tables = world_.plan().tables;
  const std::span<const Attempt> attempts = std::span(attempts_).subspan(first_attempt_);
  if (!attempts.empty()) {
    saved_pairs_.resize(tables.size());
    needed_.assign(tables.size(), {});
  }
  for (const Attempt& attempt : attempts) {
    auto& pairs = needed_[attempt.table];
    if (pairs.size() <= attempt.trigger) pairs.resize(attempt.trigger + std::size_t{1});
    pairs[attempt.trigger] = true;
  }
  for (const Index table : phase_->tables) {
    const Time keep = tables[table].keep;
    if (tables[table].is_event()) {
      save_rows(writer, world_.events[table], time, keep);
      continue;
    }
    const FluentTable& fluent = world_.fluents[table];
    save_fluent(writer, fluent, attempts.empty() ? nothing_needed_ : needed_[table], time, keep, saved_numbers_);
    if (!attempts.empty()) saved_pairs_[table] = saved_numbers_.pairs;
    if (!world_.prepared.has_effect_readers[table]) continue;
    save_rows(writer, fluent.initiations, time, keep);
    save_rows(writer, fluent.terminations, time, keep);
  }
  writer.put(attempts.empty() ? 0 : static_cast<std::uint64_t>(in_a_row_));
  writer.put(attempts.size());
  for (const Attempt& attempt : attempts) {
    const auto& delays = component_of(attempt.table).delays;
    writer.put_time(attempt.due);
    writer.put(attempt.table);
    writer.put(saved_pairs_[attempt.table][attempt.trigger]);
    writer.put_time(attempt.initiated);
    writer.put(attempt.is_postponable ? 1 : 0);
    writer.put(static_cast<std::uint64_t>(attempt.rule - delays.data()));
    if (!attempt.rule->effect) continue;
    writer.put(std::span(effect_cells_).subspan(attempt.effect, attempt.rule->effect->columns.size() + 1));
  }
}

void Sweep::load() {
  for (const Index table : phase_->tables) {
    if (world_.plan().tables[table].is_event()) {
      load_rows(*reader_, world_.events[table], request_.from->time);
      continue;
    }
    FluentTable& fluent = world_.fluents[table];
    load_fluent(*reader_, fluent, head_);
    if (world_.prepared.has_effect_readers[table]) {
      load_rows(*reader_, fluent.initiations, request_.from->time);
      load_rows(*reader_, fluent.terminations, request_.from->time);
    }
    if (has_bits(table)) set_packed(table);
    // In a cycle, statically determined fluents are also decided point by point.
    const TableInfo& info = world_.plan().tables[table];
    if (info.role == Role::kStaticFluent && !info.recomputed) known_before(table) = fluent;
  }
  in_a_row_ = static_cast<std::int64_t>(reader_->get());
  const std::size_t count = reader_->get_count(6);
  std::vector<Value> cells;
  for (std::size_t i = 0; i < count; ++i) {
    Attempt attempt;
    attempt.due = reader_->get_time();
    attempt.table = reader_->get_index(world_.fluents.size());
    attempt.trigger = reader_->get_index(world_.fluents[attempt.table].pair_count);
    attempt.initiated = reader_->get_time();
    attempt.is_postponable = reader_->get() != 0;
    const auto& delays = component_of(attempt.table).delays;
    attempt.rule = &delays[reader_->get_index(delays.size())];
    attempt.effect = effect_cells_.size();
    if (attempt.rule->effect) {
      reader_->get(cells, attempt.rule->effect->columns.size() + 1);
      effect_cells_.insert(effect_cells_.end(), cells.begin(), cells.end());
    }
    attempts_.push_back(attempt);
  }
}

// Statically determined fluents follow from the lists of others. If whole lists are kept for them, nothing needs to be
// saved. Otherwise the intervals up to the checkpoint are saved and joined with those after it. Their value at the next
// time-point may still change by input that begins there.

void Sweep::save_static(Index table) {
  const TableInfo& info = world_.plan().tables[table];
  if (info.recomputed) return;
  for (std::size_t number = 0; number < request_.saves.size(); ++number) {
    save_lists(writers_[number], world_.fluents[table], request_.saves[number].time, info.keep, saved_numbers_);
  }
}

void Sweep::load_static(Index table) {
  if (!reader_ || world_.plan().tables[table].recomputed) return;
  load_fluent(*reader_, known_before(table), head_);
}

FluentTable& Sweep::known_before(Index table) {
  if (before_.size() <= table) before_.resize(table + std::size_t{1});
  before_[table].width = world_.fluents[table].width;
  before_[table].terms = world_.fluents[table].terms;
  return before_[table];
}

void Sweep::splice_static(Index table) {
  if (!reader_ || world_.plan().tables[table].recomputed) return;
  const Time next = moved(request_.from->time, 1);
  FluentTable& fluent = world_.fluents[table];
  const FluentTable& before = before_[table];
  for (Index number = 0; number < fluent.pair_count; ++number) {
    for (Interval& one : fluent.pairs[number].list) one.start = std::max(one.start, next);
  }
  for (Index number = 0; number < before.pair_count; ++number) {
    const Pair& known = before.pairs[number];
    Pair& pair = fluent.pairs[fluent.add_pair(fluent.add(before.columns(known.instance)), known.value).first];
    Intervals& list = pair.list;
    // If the pair does not hold later, `is_declared` was not computed.
    if (list.empty()) pair.is_declared = known.is_declared;
    list.insert(list.end(), known.list.begin(), known.list.end());
    if (known.since != kForever) list.push_back({known.since, next});
  }
  for (Index number = 0; number < fluent.pair_count; ++number) make_maximal(fluent.pairs[number].list);
}

}  // namespace holdsfor
