#include "sweep.h"

#include <algorithm>
#include <utility>

namespace holdsfor {

Sweep::Sweep(World& world) : world_(world), machine_(world) {
  world_.find_next = [this] { find_next(); };
}

void Sweep::run(const SweepRequest& request) {
  const auto resume_at = world_.prepared.resume_at;
  // Checkpoints on either side: one to read is before `resume_at`, one to write after it.
  const bool goes_on_later = resume_at && request.from != nullptr && request.from->time >= *resume_at;
  const bool stops_earlier = resume_at && !request.saves.empty() && request.saves.front().time < *resume_at;
  if (!resume_at || goes_on_later || stops_earlier || *resume_at > world_.query) {
    run_stage(request);
    return;
  }
  // For tests: stop, drop everything except the checkpoint, and resume.
  Checkpoint halfway{.time = *resume_at, .words = {}};
  SweepRequest first = request;
  first.saves = {&halfway, 1};
  const std::span<const Value> log = world_.log;
  std::vector<EventTable> given(world_.events.size());
  for (std::size_t table = 0; table < given.size(); ++table) given[table].copy(world_.events[table]);
  run_stage(first);
  const auto least_kept = [&](Index table) {
    const Time keep = world_.plan().tables[table].keep;
    return keep == kForever ? kNever : moved(*resume_at, -keep);
  };
  std::vector<Value> kept;
  for (std::size_t at = 0; at < log.size();) {
    const Index table = RowHead::from(log[at + 1]).table;
    const auto row = log.subspan(at, kLogHead + world_.plan().tables[table].columns);
    if (static_cast<Time>(row[0].word()) > least_kept(table)) kept.insert(kept.end(), row.begin(), row.end());
    at += row.size();
  }
  world_.log = kept;
  for (Index table = 0; table < given.size(); ++table) {
    world_.events[table].copy(given[table]);
    if (world_.prepared.stage_of(table) == request.stage) {
      world_.fluents[table].clear();
      continue;
    }
    for (Index number = 0; number < world_.fluents[table].pair_count; ++number) {
      std::erase_if(world_.fluents[table].pairs[number].list,
                    [&](const Interval& one) { return one.end <= moved(least_kept(table), 1); });
    }
    if (!world_.fluents[table].timelines().empty()) world_.fluents[table].index_times();
  }
  SweepRequest second = request;
  second.from = &halfway;
  run_stage(second);
  world_.log = log;
}

void Sweep::run_stage(const SweepRequest& request) {
  request_ = request;
  // A stopped evaluation may have left state behind.
  machine_.reset();
  touched_.clear();
  openly_ended_.clear();
  with_ended_.clear();
  scheduled_.clear();
  conflicts_.clear();
  wake_ = kForever;
  world_.depends_on_query = false;
  reader_.reset();
  if (request.from != nullptr) reader_.emplace(*request.from);
  if (writers_.size() < request.saves.size()) writers_.resize(request.saves.size());
  for (std::size_t number = 0; number < request.saves.size(); ++number) writers_[number].begin(request.saves[number]);
  const auto& needed = world_.prepared.needs_rows[request.stage];
  if (!needed.empty()) fill_event_tables(world_, needed);
  for (const Index number : world_.prepared.phases_of[request.stage]) run_phase(number);
  for (std::size_t number = 0; number < request.saves.size(); ++number) writers_[number].finish();
  if (world_.depends_on_query) wake_ = std::min(wake_, moved(world_.query, 1));
}

bool Sweep::is_declared(Index table, std::span<const Value> columns, Value value) {
  const auto& groundings = world_.prepared.groundings[table];
  const auto found = [](const Machine::Frame&) { return true; };
  return groundings.empty() || std::any_of(groundings.begin(), groundings.end(), [&](Index number) {
           const Condition& condition = world_.plan().groundings[number];
           return machine_.run_on(condition.pair, columns, value, condition.program, found);
         });
}

void Sweep::run_phase(Index number) {
  phase_ = &world_.prepared.phases[number];
  if (phase_->kind == PhaseKind::kStatic) {
    const Component& component = *world_.prepared.components[phase_->components[0]].component;
    const bool has_slices = component.metric != nullptr && component.metric->is_forward;
    if (has_slices) run_slices(*component.metric);
    for (const Index table : phase_->tables) load_static(table);
    if (component.metric == nullptr) {
      define(phase_->tables[0]);
    } else if (!has_slices) {
      run_metric(*component.metric);
    }
    for (const Index table : phase_->tables) {
      splice_static(table);
      save_static(table);
    }
  } else {
    world_.running = number;
    attempts_.clear();
    effect_cells_.clear();
    first_attempt_ = 0;
    in_a_row_ = 0;
    next_save_ = 0;
    set_limit();
    slot_instances_.assign(phase_->slots.instances(), kNone);
    slot_pairs_.assign(phase_->slots.pairs(), kNone);
    begin_packed();
    if (reader_) load();
    open_sources();
    if (phase_->kind == PhaseKind::kRows) {
      run_rows();
    } else {
      run_cycle();
    }
    finish();
  }
  for (const Index table : phase_->tables) {
    if (world_.prepared.has_edge_readers[table]) world_.fluents[table].index_edges();
    if (world_.prepared.has_instance_readers[table]) world_.fluents[table].index_times();
  }
}

void Sweep::set_limit() {
  const Time next = next_save_ < request_.saves.size() ? request_.saves[next_save_].time : kForever;
  limit_ = std::min({world_.query, next, kForever - 1});
}

bool Sweep::stops_before(Time time) {
  const bool is_end = time > world_.query || time == kForever;
  while (next_save_ < request_.saves.size() && (is_end || time > request_.saves[next_save_].time)) save(next_save_++);
  set_limit();
  if (is_end) wake_ = std::min(wake_, time);
  return is_end;
}

void Sweep::begin_time_point(Time time) {
  // Check for a stop only every 64 time-points; a key may have millions.
  if ((++steps_ & 63U) == 0) world_.watch.check();
  world_.set_now(time);
  if (time == kInitial) initiate_initially();
}

// Evaluates a component with a cycle of rules: at each time-point, decides its groups in order.
void Sweep::run_cycle() {
  const Component& component = *world_.prepared.components[phase_->components[0]].component;
  for (;;) {
    const Time given = next_given();
    const Time time = std::min(given, next_due());
    if (is_over(time)) return;
    if (given == time) in_a_row_ = 0;
    const std::uint64_t active = pass_sources(time);
    begin_time_point(time);
    for (const Group& group : component.groups) {
      while (decide(group, active) && group.repeats) {
      }
    }
    pass_on(phase_->components[0]);
    apply();
  }
}

// Sources

Time Sweep::Source::next() const {
  if (events != nullptr) return at < events->size() ? events->time(at) : kForever;
  if (edges != nullptr) return at < edges->size() ? (*edges)[at].time : kForever;
  return at < times->size() ? (*times)[at] : kForever;
}

void Sweep::Source::pass(Time time) {
  from = at;
  while (next() == time) ++at;
}

Time Sweep::next_given() const {
  Time first = kForever;
  for (const Source& source : sources_) first = std::min(first, source.next());
  return first;
}

std::uint64_t Sweep::pass_sources(Time time) {
  std::uint64_t active = 0;
  for (Source& source : sources_) {
    source.pass(time);
    if (source.at != source.from) active |= source.bit;
  }
  return active;
}

void Sweep::open_sources() {
  sources_.clear();
  extra_.clear();
  if (!request_.initial.empty()) extra_.push_back(kInitial);
  for (const auto& [time, pair] : scheduled_) {
    if (world_.is_running(pair.table)) extra_.push_back(time);
  }
  if (phase_->has_definitions) {
    // Statically determined fluents of a cycle may change at every start or end of another fluent.
    for (Index table = 0; table < world_.plan().tables.size(); ++table) {
      if (world_.is_running(table)) continue;
      const FluentTable& fluent = world_.fluent_table(table);
      for (Index number = 0; number < fluent.pair_count; ++number) {
        for (const Interval& one : fluent.pairs[number].list) {
          if (one.start != kNever) extra_.push_back(one.start - 1);
          if (one.end != kForever) extra_.push_back(one.end - 1);
        }
      }
    }
  }
  if (!extra_.empty()) {
    std::sort(extra_.begin(), extra_.end());
    sources_.push_back({.times = &extra_});
  }
  for (const Index table : phase_->sources) {
    if (!phase_->row_rules[table].is_from_log) open(table, phase_->row_rules[table].bit);
  }
  if (!reader_) return;
  // Skip what the checkpoint already contains.
  for (Source& source : sources_) {
    while (source.next() <= request_.from->time) ++source.at;
  }
}

// Opens a table of another phase. Such tables are finished, so an empty one stays empty.
void Sweep::open(Index table, std::uint64_t bit) {
  const auto add = [&](const Source& source) {
    if (source.next() != kForever) sources_.push_back(source);
  };
  if (world_.plan().tables[table].is_event()) {
    add({.table = table, .bit = bit, .events = &world_.event_table(table)});
    return;
  }
  const FluentTable& fluent = world_.fluent_table(table);
  add({.bit = bit, .edges = &fluent.starts});
  add({.bit = bit, .edges = &fluent.ends});
  add({.bit = bit, .events = &fluent.initiations});
  add({.bit = bit, .events = &fluent.terminations});
}

// Rules

void Sweep::fire(const Rule& rule) {
  found_[0].clear();
  machine_.run(rule.program, [&](const Machine::Frame& frame) {
    note(rule, frame, found_[0]);
    return false;
  });
  take(rule, found_[0]);
}

void Sweep::fire(const RuleGroup& group) {
  if (group.is_alone()) {
    fire(*group.rules[0]);
    return;
  }
  clear_found(group);
  machine_.run(group.beginning, [&](const Machine::Frame&) {
    note_rests(group, ~std::uint64_t{0});
    return false;
  });
  take_found(group);
}

void Sweep::clear_found(const RuleGroup& group) {
  for (std::size_t i = 0; i < group.rules.size(); ++i) found_[i].clear();
}

void Sweep::note_rests(const RuleGroup& group, std::uint64_t wanted) {
  for (std::size_t i = 0; i < group.rules.size(); ++i) {
    if ((wanted >> i & 1U) == 0) continue;
    machine_.solve(group.rests[i], 0, [&](const Machine::Frame& frame) {
      note(*group.rules[i], frame, found_[i]);
      return false;
    });
  }
}

void Sweep::take_found(const RuleGroup& group) {
  for (std::size_t i = 0; i < group.rules.size(); ++i) take(*group.rules[i], found_[i]);
}

// Records the effect of a solution. It is applied after all solutions are known.
void Sweep::note(const Rule& rule, const Machine::Frame& frame, std::vector<Value>& found) const {
  for (const Shape& shape : rule.columns) found.push_back(machine_.build(shape, frame));
  found.push_back(rule.kind != HeadKind::kHappen ? machine_.build(rule.value, frame) : Value::nothing());
}

void Sweep::take(const Rule& rule, const std::vector<Value>& found) {
  const std::size_t width = rule.columns.size() + 1;
  for (std::size_t at = 0; at < found.size(); at += width) {
    take(rule, {found.data() + at, width - 1}, found[at + width - 1]);
  }
}

void Sweep::take(const Rule& rule, std::span<const Value> columns, Value value) {
  if (!world_.is_of_key(rule.table, columns)) return;
  // After a termination of all instances, a condition may leave open which instance it means.
  const auto is_open = [](Value one) { return one.is_wildcard(); };
  if (rule.kind != HeadKind::kTerminate && (is_open(value) || std::any_of(columns.begin(), columns.end(), is_open))) {
    return;
  }
  switch (rule.kind) {
    case HeadKind::kInitiate:
      initiate(rule.table, columns, value);
      break;
    case HeadKind::kTerminate:
      terminate(rule.table, columns, value, rule.has_open_head);
      break;
    case HeadKind::kHappen:
      happen(rule.table, columns);
  }
}

bool Sweep::decide(const Group& group, std::uint64_t active) {
  const Component& component = *world_.prepared.components[phase_->components[0]].component;
  const std::size_t before = changes_;
  for (const Index rule : group.rules) {
    // A rule that is triggered inside the component runs every time.
    if (phase_->runs_for[rule] == ~std::uint64_t{0} || (phase_->runs_for[rule] & active) != 0) {
      fire(component.rules[rule]);
    }
  }
  if (is_anything_due()) {
    for (const Decision& decision : group.decisions) decide(decision);
  }
  return changes_ != before;
}

}  // namespace holdsfor
