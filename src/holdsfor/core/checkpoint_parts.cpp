#include "checkpoint_parts.h"

#include <algorithm>
#include <numeric>

#include "rows.h"

namespace holdsfor {
namespace {

struct SavedPair {
  Index instance = 0;
  Value value;
  Time since = kForever;
  Time last_effective = kNever;
  std::uint64_t flags = 0;
  Intervals list;
};

// What a checkpoint has of a table: rows of an event, or pairs of a fluent with the effects on it, if rules read them.
struct SavedTable {
  Index table = 0;
  RowSet rows;
  std::vector<std::vector<Value>> instances;
  std::vector<SavedPair> pairs;
  RowSet initiations, terminations;
};

struct SavedAttempt {
  Time due = 0;
  Index table = 0;
  Index trigger = 0;  // a pair
  Time initiated = 0;
  std::uint64_t is_postponable = 0;
  std::uint64_t rule = 0;
  std::vector<Value> effect;
};

struct SavedPhase {
  std::vector<SavedTable> tables;
  std::uint64_t in_a_row = 0;
  std::vector<SavedAttempt> attempts;

  SavedTable& of(Index table) {
    return *std::find_if(tables.begin(), tables.end(), [&](const SavedTable& one) { return one.table == table; });
  }
};

// Reads and writes the words that Sweep saves: see sweep_state.cpp.
class Contents {
 public:
  Contents(const Prepared& prepared, Index stage) : prepared_(prepared), stage_(stage) {}

  [[nodiscard]] std::vector<SavedPhase> read(const Checkpoint& from) const {
    CheckpointReader reader(from);
    std::vector<SavedPhase> found;
    for_phases([&](const Phase& phase) { found.push_back(read_phase(reader, phase)); });
    return found;
  }

  [[nodiscard]] Checkpoint write(Time time, std::span<SavedPhase> phases) const {
    Checkpoint into{.time = time, .words = {}};
    CheckpointWriter writer;
    writer.begin(into);
    std::size_t next = 0;
    for_phases([&](const Phase& phase) { write_phase(writer, phase, phases[next++]); });
    writer.finish();
    return into;
  }

  // Where the key of one column stands in the rows of a table.
  [[nodiscard]] Index key_place(Index table) const {
    const auto& members = prepared_.plan.stages[stage_].members;
    return std::find_if(members.begin(), members.end(), [&](const Route& route) { return route.table == table; })
        ->places[0][0];
  }

 private:
  template <typename Visit>
  void for_phases(const Visit& visit) const {
    for (const Index number : prepared_.phases_of[stage_]) {
      const Phase& phase = prepared_.phases[number];
      const bool is_computed_again =
          phase.kind == PhaseKind::kStatic && prepared_.plan.tables[phase.tables[0]].recomputed;
      if (!is_computed_again) visit(phase);
    }
  }

  [[nodiscard]] bool has_effects(const Phase& phase, Index table) const {
    return phase.kind != PhaseKind::kStatic && prepared_.has_effect_readers[table];
  }

  static RowSet read_rows(CheckpointReader& from, std::size_t width) {
    RowSet rows{width + 1, {}};
    const std::size_t count = from.get_count(width + 1);
    for (std::size_t i = 0; i < count * (width + 1); ++i) rows.cells.push_back(from.get_value());
    return rows;
  }

  static void write_rows(CheckpointWriter& into, const RowSet& rows) {
    into.put(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      into.put_time(time_of(*rows.row(row)));
      into.put(std::span(rows.row(row) + 1, rows.width - 1));
    }
  }

  SavedPhase read_phase(CheckpointReader& from, const Phase& phase) const {
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

  static void read_fluent(CheckpointReader& from, std::size_t columns, SavedTable& into) {
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

  SavedAttempt read_attempt(CheckpointReader& from, const Phase& phase, SavedPhase& known) const {
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

  void write_phase(CheckpointWriter& into, const Phase& phase, SavedPhase& from) const {
    for (SavedTable& saved : from.tables) {
      const TableInfo& info = prepared_.plan.tables[saved.table];
      if (info.is_event()) {
        write_rows(into, saved.rows);
        continue;
      }
      // Where all instances are kept, they stay as they came.
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

  // The same state has the same words: pairs stand in the order of their contents, and instances in that of pairs.
  static void put_in_order(SavedTable& saved, std::span<SavedAttempt> attempts) {
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

  static void write_fluent(CheckpointWriter& into, const SavedTable& saved) {
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

  const Prepared& prepared_;
  Index stage_;
};

// Adds rows, in the order of time.
void add_rows(RowSet& into, const RowSet& more) {
  if (more.cells.empty()) return;
  RowSet joined{more.width, {}};
  joined.cells.reserve(into.cells.size() + more.cells.size());
  std::size_t next = 0;
  const auto put = [&](const Value* row) { joined.cells.insert(joined.cells.end(), row, row + more.width); };
  for (std::size_t row = 0; row < into.size(); ++row) {
    while (next < more.size() && time_of(*more.row(next)) < time_of(*into.row(row))) put(more.row(next++));
    put(into.row(row));
  }
  while (next < more.size()) put(more.row(next++));
  into = std::move(joined);
}

void add_phase(SavedPhase& into, SavedPhase& more) {
  const std::size_t attempts = into.attempts.size();
  for (SavedAttempt& attempt : more.attempts) {
    attempt.trigger += static_cast<Index>(into.of(attempt.table).pairs.size());
    into.attempts.push_back(std::move(attempt));
  }
  std::inplace_merge(into.attempts.begin(), into.attempts.begin() + static_cast<std::ptrdiff_t>(attempts),
                     into.attempts.end(), [](const SavedAttempt& a, const SavedAttempt& b) { return a.due < b.due; });
  into.in_a_row = std::max(into.in_a_row, more.in_a_row);
  for (std::size_t i = 0; i < into.tables.size(); ++i) {
    SavedTable& known = into.tables[i];
    SavedTable& added = more.tables[i];
    add_rows(known.rows, added.rows);
    add_rows(known.initiations, added.initiations);
    add_rows(known.terminations, added.terminations);
    const auto instances = static_cast<Index>(known.instances.size());
    std::move(added.instances.begin(), added.instances.end(), std::back_inserter(known.instances));
    for (SavedPair& pair : added.pairs) {
      pair.instance += instances;
      known.pairs.push_back(std::move(pair));
    }
  }
}

// Phases of parts, as many as there are, from that of the whole. What has no key belongs to all parts.
class PhaseSplit {
 public:
  PhaseSplit(const Contents& contents, std::size_t count, const std::function<std::size_t(Value)>& part_of)
      : contents_(contents), count_(count), part_of_(part_of) {}

  std::vector<SavedPhase> run(const SavedPhase& whole) {
    std::vector<SavedPhase> parts(count_);
    places_.clear();
    for (SavedPhase& part : parts) {
      part.in_a_row = whole.in_a_row;
      part.tables.resize(whole.tables.size());
    }
    for (std::size_t i = 0; i < whole.tables.size(); ++i) split_table(whole.tables[i], i, parts);
    for (const SavedAttempt& attempt : whole.attempts) {
      const auto table = std::find_if(whole.tables.begin(), whole.tables.end(),
                                      [&](const SavedTable& one) { return one.table == attempt.table; });
      const Place place = places_[static_cast<std::size_t>(table - whole.tables.begin())][attempt.trigger];
      parts[place.part].attempts.push_back(attempt);
      parts[place.part].attempts.back().trigger = place.number;
    }
    return parts;
  }

 private:
  struct Place {
    std::size_t part = 0;
    Index number = 0;
  };

  void split_table(const SavedTable& known, std::size_t number, std::vector<SavedPhase>& parts) {
    const Index key = contents_.key_place(known.table);
    for (SavedPhase& part : parts) part.tables[number].table = known.table;
    for (RowSet SavedTable::* rows : {&SavedTable::rows, &SavedTable::initiations, &SavedTable::terminations}) {
      const RowSet& from = known.*rows;
      for (SavedPhase& part : parts) (part.tables[number].*rows).width = from.width;
      for (std::size_t row = 0; row < from.size(); ++row) {
        const Value* cells = from.row(row);
        const auto put = [&](SavedPhase& part) {
          auto& into = (part.tables[number].*rows).cells;
          into.insert(into.end(), cells, cells + from.width);
        };
        if (cells[1 + key].is_wildcard()) {
          for (SavedPhase& part : parts) put(part);
        } else {
          put(parts[part_of_(cells[1 + key])]);
        }
      }
    }
    std::vector<Place> instances;
    for (const auto& instance : known.instances) {
      const std::size_t part = part_of_(instance[key]);
      auto& into = parts[part].tables[number].instances;
      instances.push_back({part, static_cast<Index>(into.size())});
      into.push_back(instance);
    }
    auto& places = places_.emplace_back();
    for (const SavedPair& pair : known.pairs) {
      const Place instance = instances[pair.instance];
      auto& into = parts[instance.part].tables[number].pairs;
      places.push_back({instance.part, static_cast<Index>(into.size())});
      into.push_back(pair);
      into.back().instance = instance.number;
    }
  }

  const Contents& contents_;
  std::size_t count_;
  const std::function<std::size_t(Value)>& part_of_;
  std::vector<std::vector<Place>> places_;  // of pairs, by table
};

}  // namespace

Checkpoint join_checkpoints(const Prepared& prepared, Index stage, std::span<const Checkpoint* const> parts) {
  const Contents contents(prepared, stage);
  std::vector<SavedPhase> joined = contents.read(*parts[0]);
  for (const Checkpoint* part : parts.subspan(1)) {
    std::vector<SavedPhase> more = contents.read(*part);
    for (std::size_t i = 0; i < joined.size(); ++i) add_phase(joined[i], more[i]);
  }
  return contents.write(parts[0]->time, joined);
}

std::vector<Checkpoint> split_checkpoint(const Prepared& prepared, Index stage, const Checkpoint& whole,
                                         std::size_t count, const std::function<std::size_t(Value)>& part_of) {
  const Contents contents(prepared, stage);
  PhaseSplit split(contents, count, part_of);
  std::vector<std::vector<SavedPhase>> parts(count);
  for (const SavedPhase& phase : contents.read(whole)) {
    std::vector<SavedPhase> of_phase = split.run(phase);
    for (std::size_t part = 0; part < count; ++part) parts[part].push_back(std::move(of_phase[part]));
  }
  std::vector<Checkpoint> found;
  found.reserve(count);
  for (auto& part : parts) found.push_back(contents.write(whole.time, part));
  return found;
}

void for_keys_in(const Prepared& prepared, Index stage, const Checkpoint& checkpoint,
                 const std::function<void(Value)>& visit) {
  const Contents contents(prepared, stage);
  for (const SavedPhase& phase : contents.read(checkpoint)) {
    for (const SavedTable& saved : phase.tables) {
      const Index place = contents.key_place(saved.table);
      for (const RowSet* rows : {&saved.rows, &saved.initiations, &saved.terminations}) {
        for (std::size_t row = 0; row < rows->size(); ++row) {
          const Value key = rows->row(row)[1 + place];
          if (!key.is_wildcard()) visit(key);
        }
      }
      for (const auto& instance : saved.instances) visit(instance[place]);
    }
  }
}

}  // namespace holdsfor
