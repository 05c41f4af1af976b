#include "checkpoint_contents.h"

#include <algorithm>
#include <numeric>

namespace holdsfor {
namespace {

RowSet read_rows(CheckpointReader& from, std::size_t width) {
  RowSet rows{width + 1, {}};
  const std::size_t count = from.get_count(width + 1);
  for (std::size_t i = 0; i < count * (width + 1); ++i) rows.cells.push_back(from.get_value());
  return rows;
}

void write_rows(CheckpointWriter& into, const RowSet& rows) {
  into.put(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    into.put_time(time_of(*rows.row(row)));
    into.put(std::span(rows.row(row) + 1, rows.width - 1));
  }
}

void read_fluent(CheckpointReader& from, std::size_t columns, SavedTable& into) {
  into.instances.resize(from.get_count(columns));
  for (auto& instance : into.instances) from.get(instance, columns);
  into.pairs.resize(from.get_count(6));
  for (SavedPair& pair : into.pairs) {
    pair.instance = from.get_index(into.instances.size());
    pair.value = from.get_value();
    pair.since = from.get_time();
    pair.last_effective = from.get_time();
    pair.flags = from.get();
    pair.list.resize(from.get_count(2));
    for (Interval& one : pair.list) {
      one.start = from.get_time();
      one.end = from.get_time();
    }
  }
}

// Equal states must have equal words: sorts pairs by contents, and instances by pairs.
void put_in_order(SavedTable& saved, std::span<SavedAttempt> attempts) {
  std::vector<Index> order(saved.pairs.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto by_word = [](Value a, Value b) { return a.word() < b.word(); };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const SavedPair& one = saved.pairs[a];
    const SavedPair& other = saved.pairs[b];
    if (one.instance == other.instance) return one.value.word() < other.value.word();
    const auto& columns = saved.instances[one.instance];
    const auto& others = saved.instances[other.instance];
    return std::lexicographical_compare(columns.begin(), columns.end(), others.begin(), others.end(), by_word);
  });
  std::vector<Index> pair_now(order.size());
  std::vector<Index> instance_now(saved.instances.size(), kNone);
  std::vector<SavedPair> pairs;
  std::vector<std::vector<Value>> instances;
  for (const Index number : order) {
    SavedPair& pair = saved.pairs[number];
    Index& instance = instance_now[pair.instance];
    if (instance == kNone) {
      instance = static_cast<Index>(instances.size());
      instances.push_back(std::move(saved.instances[pair.instance]));
    }
    pair_now[number] = static_cast<Index>(pairs.size());
    pair.instance = instance;
    pairs.push_back(std::move(pair));
  }
  saved.pairs = std::move(pairs);
  saved.instances = std::move(instances);
  for (SavedAttempt& attempt : attempts) {
    if (attempt.table == saved.table) attempt.trigger = pair_now[attempt.trigger];
  }
}

void write_fluent(CheckpointWriter& into, const SavedTable& saved) {
  into.put(saved.instances.size());
  for (const auto& instance : saved.instances) into.put(instance);
  into.put(saved.pairs.size());
  for (const SavedPair& pair : saved.pairs) {
    into.put(pair.instance);
    into.put(pair.value);
    into.put_time(pair.since);
    into.put_time(pair.last_effective);
    into.put(pair.flags);
    into.put(pair.list.size());
    for (const Interval one : pair.list) {
      into.put_time(one.start);
      into.put_time(one.end);
    }
  }
}

}  // namespace

template <typename Visit>
void CheckpointContents::for_phases(const Visit& visit) const {
  for (const Index number : prepared_.phases_of[stage_]) {
    const Phase& phase = prepared_.phases[number];
    const bool is_computed_again =
        phase.kind == PhaseKind::kStatic && prepared_.plan.tables[phase.tables[0]].recomputed;
    if (!is_computed_again) visit(phase);
  }
}

bool CheckpointContents::has_effects(const Phase& phase, Index table) const {
  return phase.kind != PhaseKind::kStatic && prepared_.has_effect_readers[table];
}

std::vector<SavedPhase> CheckpointContents::nothing() const {
  std::vector<SavedPhase> found;
  for_phases([&](const Phase& phase) {
    SavedPhase& saved = found.emplace_back();
    for (const Index table : phase.tables) saved.tables.push_back(no_rows(phase, table));
  });
  return found;
}

SavedTable CheckpointContents::no_rows(const Phase& phase, Index table) const {
  const TableInfo& info = prepared_.plan.tables[table];
  SavedTable saved;
  saved.table = table;
  if (info.is_event()) saved.rows.width = info.columns + std::size_t{1};
  if (!info.is_event() && has_effects(phase, table)) {
    saved.initiations.width = saved.terminations.width = info.columns + std::size_t{2};
  }
  return saved;
}

const std::vector<Index>& CheckpointContents::key_places(Index table) const {
  const auto& members = prepared_.plan.stages[stage_].members;
  return std::find_if(members.begin(), members.end(), [&](const Route& route) { return route.table == table; })
      ->places[0];
}

std::vector<SavedPhase> CheckpointContents::read(const Checkpoint& from) const {
  CheckpointReader reader(from);
  std::vector<SavedPhase> found;
  for_phases([&](const Phase& phase) { found.push_back(read_phase(reader, phase)); });
  return found;
}

Checkpoint CheckpointContents::write(Time time, std::span<SavedPhase> phases) const {
  Checkpoint into{.time = time, .words = {}};
  CheckpointWriter writer;
  writer.begin(into);
  std::size_t next = 0;
  for_phases([&](const Phase& phase) { write_phase(writer, phase, phases[next++]); });
  writer.finish();
  return into;
}

SavedPhase CheckpointContents::read_phase(CheckpointReader& from, const Phase& phase) const {
  SavedPhase found;
  for (const Index table : phase.tables) {
    const TableInfo& info = prepared_.plan.tables[table];
    SavedTable& saved = found.tables.emplace_back();
    saved.table = table;
    if (info.is_event()) {
      saved.rows = read_rows(from, info.columns);
      continue;
    }
    read_fluent(from, info.columns, saved);
    if (!has_effects(phase, table)) continue;
    saved.initiations = read_rows(from, info.columns + std::size_t{1});
    saved.terminations = read_rows(from, info.columns + std::size_t{1});
  }
  if (phase.kind == PhaseKind::kStatic) return found;
  found.in_a_row = from.get();
  const std::size_t count = from.get_count(6);
  for (std::size_t i = 0; i < count; ++i) found.attempts.push_back(read_attempt(from, phase, found));
  return found;
}

SavedAttempt CheckpointContents::read_attempt(CheckpointReader& from, const Phase& phase, SavedPhase& known) const {
  SavedAttempt found;
  found.due = from.get_time();
  found.table = from.get_index(prepared_.plan.tables.size());
  if (std::find(phase.tables.begin(), phase.tables.end(), found.table) == phase.tables.end()) {
    throw std::invalid_argument("a checkpoint does not fit its plan");
  }
  found.trigger = from.get_index(known.of(found.table).pairs.size());
  found.initiated = from.get_time();
  found.is_postponable = from.get();
  const auto& delays = prepared_.components[prepared_.component_of[found.table]].component->delays;
  const Index rule = from.get_index(delays.size());
  found.rule = rule;
  if (delays[rule].effect) from.get(found.effect, delays[rule].effect->columns.size() + 1);
  return found;
}

void CheckpointContents::write_phase(CheckpointWriter& into, const Phase& phase, SavedPhase& from) const {
  for (SavedTable& saved : from.tables) {
    const TableInfo& info = prepared_.plan.tables[saved.table];
    if (info.is_event()) {
      write_rows(into, saved.rows);
      continue;
    }
    // If all instances are kept, they stay in insertion order.
    if (info.keep != kForever || phase.kind == PhaseKind::kStatic) put_in_order(saved, from.attempts);
    write_fluent(into, saved);
    if (!has_effects(phase, saved.table)) continue;
    write_rows(into, saved.initiations);
    write_rows(into, saved.terminations);
  }
  if (phase.kind == PhaseKind::kStatic) return;
  into.put(from.attempts.empty() ? 0 : from.in_a_row);
  into.put(from.attempts.size());
  for (const SavedAttempt& attempt : from.attempts) {
    into.put_time(attempt.due);
    into.put(attempt.table);
    into.put(attempt.trigger);
    into.put_time(attempt.initiated);
    into.put(attempt.is_postponable);
    into.put(attempt.rule);
    into.put(attempt.effect);
  }
}

}  // namespace holdsfor
