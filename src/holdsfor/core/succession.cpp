#include "succession.h"

#include <algorithm>
#include <bit>

#include "reports.h"

namespace holdsfor {
namespace {

bool is_input(const TableInfo& table) { return table.role == Role::kInputEvent || table.role == Role::kInputFluent; }

// Sorts rows of several earlier keys that are one key now by time.
void put_in_time_order(RowSet& rows) {
  if (rows.cells.empty()) return;
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto comes_before = [&](std::size_t a, std::size_t b) { return time_of(*rows.row(a)) < time_of(*rows.row(b)); };
  if (std::is_sorted(order.begin(), order.end(), comes_before)) return;
  std::stable_sort(order.begin(), order.end(), comes_before);
  std::vector<Value> cells;
  cells.reserve(rows.cells.size());
  for (const std::size_t row : order) cells.insert(cells.end(), rows.row(row), rows.row(row) + rows.width);
  rows.cells = std::move(cells);
}

}  // namespace

bool Succession::ByWords::operator()(const Key& one, const Key& other) const {
  return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end(),
                                      [](Value a, Value b) { return a.word() < b.word(); });
}

Succession::Succession(const Prepared& prepared, Time border)
    : prepared_(prepared),
      border_(border),
      homes_(prepared.plan.tables.size()),
      keys_(prepared.plan.stages.size()),
      has_state_(prepared.plan.tables.size()) {
  for (Index stage = 0; stage < prepared.plan.stages.size(); ++stage) {
    for (const Route& member : prepared.plan.stages[stage].members) homes_[member.table].stage = stage;
    const std::vector<SavedPhase> phases = CheckpointContents(prepared, stage).nothing();
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      for (std::size_t place = 0; place < phases[phase].tables.size(); ++place) {
        homes_[phases[phase].tables[place].table] = {stage, phase, place, true};
      }
    }
  }
}

void Succession::expect(const Heritage& how) {
  for (std::size_t before = 0; before < how.table_of.size(); ++before) {
    if (how.table_of[before] != kNone && how.has_state[before]) has_state_[how.table_of[before]] = true;
  }
}

Succession::State& Succession::state_of(Index stage, const Key& key) {
  State& found = keys_[stage][key];
  if (found.phases.empty()) found.phases = CheckpointContents(prepared_, stage).nothing();
  return found;
}

Succession::Key Succession::key_of(Index table, const Value* columns, std::span<const Value> earlier) const {
  Key key;
  for (const Index place : CheckpointContents(prepared_, homes_[table].stage).key_places(table)) {
    const Value value = columns[place];
    key.push_back(value.is_wildcard() && key.size() < earlier.size() ? earlier[key.size()] : value);
  }
  return key;
}

// States

void Succession::add_checkpoint(const Prepared& earlier, Index stage, std::span<const Value> key,
                                const Checkpoint& from, const Heritage& how) {
  if (from.time != border_ || border_ == kNever) return;
  for (const SavedPhase& phase : CheckpointContents(earlier, stage).read(from)) {
    std::map<Index, std::vector<Heir>> heirs;  // by earlier table
    for (const SavedTable& saved : phase.tables) {
      const Index table = how.table_of[saved.table];
      if (table == kNone || !how.has_state[saved.table] || !homes_[table].is_saved) continue;
      add_table(saved, table, key, heirs[saved.table]);
    }
    for (const SavedAttempt& attempt : phase.attempts) {
      const auto known = heirs.find(attempt.table);
      const auto delay = how.delay_of.find({attempt.table, static_cast<Index>(attempt.rule)});
      if (known == heirs.end() || delay == how.delay_of.end()) continue;
      const Heir heir = known->second[attempt.trigger];
      const Index table = how.table_of[attempt.table];
      SavedPhase& into = heir.state->phases[homes_[table].phase];
      into.in_a_row = std::max(into.in_a_row, phase.in_a_row);
      SavedAttempt& added = into.attempts.emplace_back(attempt);
      added.table = table;
      added.trigger = heir.number;
      added.rule = delay->second;
    }
  }
}

void Succession::add_table(const SavedTable& saved, Index table, std::span<const Value> key, std::vector<Heir>& heirs) {
  const Home home = homes_[table];
  add_rows(saved.rows, &SavedTable::rows, table, key);
  add_rows(saved.initiations, &SavedTable::initiations, table, key);
  add_rows(saved.terminations, &SavedTable::terminations, table, key);
  std::vector<Heir> instances;
  for (const auto& instance : saved.instances) {
    State& state = state_of(home.stage, key_of(table, instance.data(), key));
    SavedTable& into = state.phases[home.phase].tables[home.place];
    instances.push_back({&state, static_cast<Index>(into.instances.size())});
    into.instances.push_back(instance);
  }
  for (const SavedPair& pair : saved.pairs) {
    const Heir instance = instances[pair.instance];
    SavedTable& into = instance.state->phases[home.phase].tables[home.place];
    heirs.push_back({instance.state, static_cast<Index>(into.pairs.size())});
    into.pairs.push_back(pair);
    into.pairs.back().instance = instance.number;
  }
}

void Succession::add_rows(const RowSet& rows, RowSet SavedTable::* into, Index table, std::span<const Value> key) {
  if (rows.cells.empty()) return;
  const Home home = homes_[table];
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Value* cells = rows.row(row);
    State& state = state_of(home.stage, key_of(table, cells + 1, key));
    RowSet& known = state.phases[home.phase].tables[home.place].*into;
    // The widths differ if the new rules do not read these rows.
    if (known.width == rows.width) known.cells.insert(known.cells.end(), cells, cells + rows.width);
  }
}

Checkpoint Succession::checkpoint(Index stage, State& state) const {
  for (SavedPhase& phase : state.phases) {
    for (SavedTable& saved : phase.tables) {
      for (RowSet SavedTable::* rows : {&SavedTable::rows, &SavedTable::initiations, &SavedTable::terminations}) {
        put_in_time_order(saved.*rows);
      }
    }
    std::stable_sort(phase.attempts.begin(), phase.attempts.end(),
                     [](const SavedAttempt& a, const SavedAttempt& b) { return a.due < b.due; });
  }
  return CheckpointContents(prepared_, stage).write(border_, state.phases);
}

void Succession::add_reported(const std::vector<Value>& reported, const Heritage& how) {
  for (std::size_t at = 0; at < reported.size();) {
    auto head = std::bit_cast<ReportedHead>(reported[at].word());
    const std::size_t width = 2 + head.columns + head.count * kReportedWords;
    const Index table = how.table_of[head.table];
    if (table != kNone) {
      head.table = static_cast<std::uint16_t>(table);
      State& state = state_of(homes_[table].stage, key_of(table, &reported[at + 2], {}));
      const std::size_t from = state.reported.size();
      const auto row = reported.begin() + static_cast<std::ptrdiff_t>(at);
      state.reported.insert(state.reported.end(), row, row + static_cast<std::ptrdiff_t>(width));
      state.reported[from] = Value::from_word(std::bit_cast<std::uint64_t>(head));
    }
    at += width;
  }
}

// Rows

// Whether rows of a table are taken over: input, and settled results.
bool Succession::is_taken(const Plan& earlier, Index table, const Heritage& how) {
  if (how.table_of[table] == kNone) return false;
  return is_input(earlier.tables[table]) || how.has_state[table];
}

void Succession::add_log(const Plan& earlier, const Log& log, const LogWidths& widths,
                         const std::vector<bool>& is_wanted, const Heritage& how) {
  const auto cells = log.cells();
  for (std::size_t at = 0; at < cells.size();) {
    const std::size_t width = widths.of(&cells[at]);
    const Index before = RowHead::from(cells[at + 1]).table;
    const Index table = how.table_of[before];
    const Time time = time_of(cells[at]);
    // Results after the border are derived again.
    if (is_wanted[before] && is_taken(earlier, before, how) && (is_input(earlier.tables[before]) || time <= border_)) {
      rows_.events_of(table, width - kLogHead)
          .add(time, cells.subspan(at + kLogHead, width - kLogHead), kNoCause, false);
    }
    at += width;
  }
}

void Succession::add_intervals(const Plan& earlier, const IntervalLog& log, const std::vector<bool>& is_wanted,
                               const Heritage& how) {
  const auto& cells = log.cells();
  for (std::size_t at = 0; at < cells.size();) {
    const Value* row = &cells[at];
    IntervalHead head = interval_head(row);
    const Index table = how.table_of[head.table];
    const TableInfo& info = earlier.tables[head.table];
    at += head.width;
    if (!is_wanted[interval_head(row).table] || !is_taken(earlier, interval_head(row).table, how)) continue;
    // A statically determined fluent that ends just after the border may continue.
    const Time last = info.role == Role::kStaticFluent ? time_of(row[2]) : moved(time_of(row[2]), -1);
    if (!is_input(info) && last > border_) continue;
    head.table = static_cast<std::uint16_t>(table);
    Key known(row, row + head.width);
    known[0] = interval_head_cell(head);
    if (!known_rows_.insert(std::move(known)).second) continue;
    IntervalArrivals& into = rows_.intervals_of(table, info.columns);
    into.is_input = is_input(info);
    into.add(head.flags, time_of(row[1]), time_of(row[2]), time_of(row[3]), {row + 4, head.width - 4}, kNoCause);
  }
}

void Succession::add_effects(const Plan& earlier, const EffectLog& log, const std::vector<bool>& is_wanted,
                             const Heritage& how) {
  for (const EffectLog::Entry& entry : log.entries()) {
    const Index table = how.table_of[entry.table];
    if (!is_wanted[entry.table] || !is_taken(earlier, entry.table, how)) continue;
    EffectArrivals& into = rows_.effects_of(table, entry.is_termination, entry.rows.width - kEventHead - 1);
    for (std::size_t row = 0; row < entry.rows.size(); ++row) {
      const Value* cells = entry.rows.row(row);
      if (time_of(*cells) > border_) continue;
      Key known(cells, cells + entry.rows.width);
      // Differs from the head of an interval, which has flags or a width in these bits.
      known.push_back(Value::from_word(std::uint64_t{table} << 1U | static_cast<std::uint64_t>(entry.is_termination)));
      if (!known_rows_.insert(std::move(known)).second) continue;
      into.rows.cells.insert(into.rows.cells.end(), cells, cells + entry.rows.width);
      into.is_retraction.push_back(false);
      into.causes.push_back(kNoCause);
    }
  }
}

void Succession::deliver(const std::vector<bool>& tables, Deliveries& into) {
  for (const Arrivals& some : rows_.events) {
    if (!tables[some.table]) continue;
    Arrivals& arrivals = into.events_of(some.table, some.rows.width());
    for (std::size_t row = 0; row < some.rows.size(); ++row) {
      arrivals.add(some.rows.time(row), some.rows.args(row), kNoCause, false);
    }
  }
  for (const IntervalArrivals& some : rows_.intervals) {
    if (!tables[some.table]) continue;
    IntervalArrivals& arrivals = into.intervals_of(some.table, some.rows.width - kIntervalRowHead);
    arrivals.is_input = some.is_input;
    arrivals.append(some.rows, some.causes);
  }
  for (const EffectArrivals& some : rows_.effects) {
    if (!tables[some.table]) continue;
    EffectArrivals& arrivals =
        into.effects_of(some.table, some.is_termination, some.rows.width - kEventHead - std::size_t{1});
    arrivals.rows.append(some.rows);
    arrivals.is_retraction.insert(arrivals.is_retraction.end(), some.is_retraction.begin(), some.is_retraction.end());
    arrivals.causes.insert(arrivals.causes.end(), some.causes.begin(), some.causes.end());
  }
  rows_.drop(tables);
}

}  // namespace holdsfor
