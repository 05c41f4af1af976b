#include "sweep.h"

#include <algorithm>
#include <array>
#include <utility>

namespace holdsfor {

Sweep::Sweep(World& world) : world_(world), machine_(world) {
  world_.find_next = [this] { find_next(); };
}

void Sweep::run(const SweepRequest& request) {
  const auto resume_at = world_.prepared.resume_at;
  if (!resume_at) {
    run_stage(request);
    return;
  }
  // For tests: stops, forgets all but the checkpoint, and goes on from there.
  Checkpoint halfway;
  SweepRequest first = request;
  first.save_after = *resume_at;
  first.into = &halfway;
  std::vector<EventTable> given(world_.events.size());
  for (std::size_t table = 0; table < given.size(); ++table) given[table].copy(world_.events[table]);
  run_stage(first);
  if (halfway.time == kNever) return;
  for (std::size_t table = 0; table < given.size(); ++table) {
    const Time keep = world_.plan().tables[table].keep;
    const Time least = keep == kForever ? kNever : moved(*resume_at, -keep);
    EventTable& events = world_.events[table];
    events.clear();
    for (std::size_t row = 0; row < given[table].size(); ++row) {
      if (given[table].time(row) > least) events.add(given[table].time(row), given[table].row(row));
    }
    if (world_.prepared.component_of[table] != kNone &&
        world_.prepared.stage_of[world_.prepared.component_of[table]] == request.stage) {
      world_.fluents[table].clear();
      continue;
    }
    for (Index number = 0; number < world_.fluents[table].pair_count; ++number) {
      std::erase_if(world_.fluents[table].pairs[number].list,
                    [&](const Interval& one) { return one.end <= moved(least, 1); });
    }
  }
  SweepRequest second = request;
  second.from = &halfway;
  run_stage(second);
}

void Sweep::run_stage(const SweepRequest& request) {
  request_ = request;
  initial_.assign(request.initial.begin(), request.initial.end());
  scheduled_.clear();
  conflicts_.clear();
  wake_ = kForever;
  world_.depends_on_query = false;
  reader_.reset();
  writer_.reset();
  if (request.from != nullptr) reader_.emplace(*request.from);
  if (request.into != nullptr) {
    request_.into->words.clear();
    request_.into->time = request.save_after <= world_.query ? request.save_after : kNever;
    if (request.save_after <= world_.query) writer_.emplace(*request.into);
  }
  for (const Index number : world_.prepared.of_stage[request.stage]) run_component(number);
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

void Sweep::run_component(Index number) {
  prepared_ = &world_.prepared.components[number];
  const Component& component = *prepared_->component;
  component_ = number;
  if (component.is_static) {
    load_static(component.tables[0]);
    define(component.tables[0]);
    splice_static(component.tables[0]);
    save_static(component.tables[0]);
  } else {
    world_.running = number;
    has_static_ = prepared_->has_definitions;
    attempts_.clear();
    in_a_row_ = 0;
    load();
    open_sources();
    bool is_saved = !writer_;
    for (;;) {
      const Time given = next_given();
      const Time due = attempts_.empty() ? kForever : attempts_.begin()->first;
      const Time time = std::min(given, due);
      const bool is_over = time > world_.query || time == kForever;
      if (!is_saved && (is_over || time > request_.save_after)) {
        save();
        is_saved = true;
      }
      if (is_over) {
        wake_ = std::min(wake_, time);
        break;
      }
      if (given == time) in_a_row_ = 0;
      std::uint64_t active = 0;
      for (Source& source : sources_) {
        if (source.next() != time) continue;
        active |= source.bit;
        source.pass(time);
      }
      step(time, active);
    }
    finish();
  }
  for (const Index table : component.tables) {
    if (world_.prepared.has_edge_readers[table]) world_.fluents[table].index_edges();
  }
}

Time Sweep::Source::next() const {
  if (events != nullptr) return at < events->size() ? events->time(at) : kForever;
  if (edges != nullptr) return at < edges->size() ? (*edges)[at].time : kForever;
  return at < times->size() ? (*times)[at] : kForever;
}

void Sweep::Source::pass(Time time) {
  from = at;
  while (next() == time) ++at;
}

Time Sweep::next_given() {
  Time first = kForever;
  for (const Source& source : sources_) first = std::min(first, source.next());
  return first;
}

void Sweep::open_sources() {
  sources_.clear();
  extra_.clear();
  if (!initial_.empty()) extra_.push_back(kInitial);
  for (const auto& [time, pair] : scheduled_) {
    if (owns(pair.table)) extra_.push_back(time);
  }
  std::sort(extra_.begin(), extra_.end());
  sources_.push_back({.bit = 0, .times = &extra_});
  for (std::size_t i = 0; i < prepared_->sources.size(); ++i) {
    open(prepared_->sources[i], i < 64 ? std::uint64_t{1} << i : 0, static_cast<Index>(i));
  }
  if (!has_static_) {
    skip_past();
    return;
  }
  // Statically determined fluents of a cycle may change whenever anything does.
  for (Index table = 0; table < world_.plan().tables.size(); ++table) {
    if (owns(table)) continue;
    const FluentTable& fluent = world_.fluent_table(table);
    for (Index number = 0; number < fluent.pair_count; ++number) {
      for (const Interval& one : fluent.pairs[number].list) {
        if (one.start != kNever) extra_.push_back(one.start - 1);
        if (one.end != kForever) extra_.push_back(one.end - 1);
      }
    }
  }
  std::sort(extra_.begin(), extra_.end());
  skip_past();
}

// What a checkpoint has seen is not seen again.
void Sweep::skip_past() {
  if (!reader_) return;
  for (Source& source : sources_) {
    while (source.next() <= request_.from->time) ++source.at;
  }
}

void Sweep::open(Index table, std::uint64_t bit, Index number) {
  const TableInfo& info = world_.plan().tables[table];
  if (info.is_event()) {
    sources_.push_back({.bit = bit, .number = number, .events = &world_.event_table(table)});
    return;
  }
  const FluentTable& fluent = world_.fluent_table(table);
  sources_.push_back({.bit = bit, .edges = &fluent.starts});
  sources_.push_back({.bit = bit, .edges = &fluent.ends});
  sources_.push_back({.bit = bit, .events = &fluent.initiations});
  sources_.push_back({.bit = bit, .events = &fluent.terminations});
}

// One time-point

void Sweep::step(Time time, std::uint64_t active) {
  const Component& component = *prepared_->component;
  world_.now = time;
  touched_.clear();
  for (const Index table : component.tables) {
    world_.fluents[table].ended.clear();
    world_.fluents[table].open_ends.clear();
  }
  if (time == kInitial && !initial_.empty()) {
    for (const GroundPair& pair : initial_) {
      if (!owns(pair.table)) continue;
      initiate(pair.table, pair.columns, pair.value);
      FluentTable& fluent = world_.fluents[pair.table];
      fluent.pairs[fluent.find_pair(fluent.find(pair.columns), pair.value)].starts_initially = true;
    }
  }
  if (prepared_->is_plain) {
    decide_plain(active);
  } else {
    for (const Group& group : component.groups) {
      while (decide(group, active) && group.repeats) {
      }
    }
  }
  if (!attempts_.empty()) pass_on();
  apply();
}

// Rules that read nothing of their own time-point run once, those of an event for each of its rows.
void Sweep::decide_plain(std::uint64_t active) {
  const Component& component = *prepared_->component;
  for (const Source& source : sources_) {
    if (source.number == kNone || (source.bit & active) == 0) continue;
    for (const Index number : prepared_->row_rules[source.number]) {
      const Rule& rule = component.rules[number];
      found_.clear();
      for (std::size_t row = source.from; row < source.at; ++row) {
        machine_.run_on_row(rule.program, source.events->row(row), [&](const Machine::Frame& frame) {
          note(rule, frame);
          return false;
        });
      }
      take(rule);
    }
  }
  for (const Index number : prepared_->other_rules) {
    if ((prepared_->runs_for[number] & active) != 0) fire(component.rules[number]);
  }
  if (attempts_.empty() && scheduled_.empty()) return;
  // A postponed effect is decided when all that may postpone it is known.
  for (const bool is_late : {false, true}) {
    for (const Group& group : component.groups) {
      for (const Decision& decision : group.decisions) {
        if ((decision.kind != MomentKind::kInitiated) == is_late) decide_delayed(decision);
      }
    }
  }
}

bool Sweep::decide(const Group& group, std::uint64_t active) {
  const std::size_t before = changes_;
  for (const Index rule : group.rules) {
    // A rule that is set off inside the component runs every time.
    if (prepared_->runs_for[rule] == ~std::uint64_t{0} || (prepared_->runs_for[rule] & active) != 0) {
      fire(prepared_->component->rules[rule]);
    }
  }
  if (!attempts_.empty() || !scheduled_.empty()) {
    for (const Decision& decision : group.decisions) decide_delayed(decision);
  }
  return changes_ != before;
}

void Sweep::decide_delayed(const Decision& decision) {
  Machine::Frame none;
  const auto [from, to] = attempts_.equal_range(world_.now);
  for (auto at = from; at != to; ++at) {
    const Attempt& attempt = at->second;
    const bool is_end = !attempt.rule->effect;
    const MomentKind kind = is_end                   ? MomentKind::kTerminated
                            : attempt.is_postponable ? MomentKind::kDelayed
                                                     : MomentKind::kInitiated;
    const Pair& trigger = world_.fluents[attempt.table].pairs[attempt.trigger];
    const Index table = is_end ? attempt.table : attempt.effect.table;
    const Value value = is_end ? trigger.value : attempt.effect.value;
    if (kind != decision.kind || table != decision.table || !machine_.match(decision.value, value, none)) continue;
    if (!comes_true(attempt)) continue;
    if (is_end) {
      const auto columns = world_.fluents[table].columns(trigger.instance);
      const std::vector<Value> copied(columns.begin(), columns.end());
      terminate(table, copied, value);
    } else {
      initiate(table, attempt.effect.columns, value);
    }
  }
  if (decision.kind == MomentKind::kInitiated) {
    const auto [first, last] = scheduled_.equal_range(world_.now);
    for (auto at = first; at != last; ++at) {
      const GroundPair& pair = at->second;
      if (pair.table == decision.table && machine_.match(decision.value, pair.value, none)) {
        initiate(pair.table, pair.columns, pair.value);
      }
    }
  }
}

void Sweep::fire(const Rule& rule) {
  found_.clear();
  machine_.run(rule.program, [&](const Machine::Frame& frame) {
    note(rule, frame);
    return false;
  });
  take(rule);
}

// Notes what a solution brings about; it takes effect when all solutions are known.
void Sweep::note(const Rule& rule, const Machine::Frame& frame) {
  for (const Shape& shape : rule.columns) found_.push_back(machine_.build(shape, frame));
  found_.push_back(rule.kind != HeadKind::kHappen ? machine_.build(rule.value, frame) : Value::nothing());
}

void Sweep::take(const Rule& rule) {
  const std::size_t width = rule.columns.size() + 1;
  for (std::size_t at = 0; at < found_.size(); at += width) {
    const std::span<const Value> columns(found_.data() + at, width - 1);
    const Value value = found_[at + width - 1];
    if (!world_.is_of_key(rule.table, columns)) continue;
    switch (rule.kind) {
      case HeadKind::kInitiate:
        initiate(rule.table, columns, value);
        break;
      case HeadKind::kTerminate:
        terminate(rule.table, columns, value);
        break;
      case HeadKind::kHappen:
        happen(rule.table, columns);
    }
  }
}

void Sweep::happen(Index table, std::span<const Value> columns) {
  EventTable& events = world_.events[table];
  const auto [from, to] = events.between(world_.now, world_.now);
  for (std::size_t row = from; row < to; ++row) {
    if (std::equal(columns.begin(), columns.end(), events.row(row).begin())) return;
  }
  events.add(world_.now, columns);
  ++changes_;
}

namespace {

// The marks of an instance at a time-point; those of an earlier one are forgotten.
Instance& marked(FluentTable& table, Index number, Time now) {
  Instance& instance = table.instances[number];
  if (instance.stamp != now) {
    instance.stamp = now;
    instance.initiated = kNone;
    instance.is_contested = instance.is_ended = false;
    instance.ended = kNone;
  }
  return instance;
}

void record(EventTable& effects, Time now, std::span<const Value> columns, Value value) {
  std::vector<Value> row(columns.begin(), columns.end());
  row.push_back(value);
  effects.add(now, row);
}

}  // namespace

void Sweep::initiate(Index table, std::span<const Value> columns, Value value) {
  FluentTable& fluent = world_.fluents[table];
  const Index number = fluent.add(columns);
  const auto [pair, is_new] = fluent.add_pair(number, value);
  if (is_new) fluent.pairs[pair].is_declared = is_declared(table, columns, value);
  if (fluent.pairs[pair].last_initiated == world_.now) return;
  const bool is_first = fluent.instances[number].stamp != world_.now;
  Instance& instance = marked(fluent, number, world_.now);
  if (is_first) touched_.emplace_back(table, number);
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
    for (const OpenEnd& known : fluent.open_ends) {
      if (known.value == value && std::equal(columns.begin(), columns.end(), known.columns.begin())) return;
    }
    fluent.open_ends.push_back({{columns.begin(), columns.end()}, value});
  } else {
    const Index number = fluent.add(columns);
    const bool is_first = fluent.instances[number].stamp != world_.now;
    Instance& instance = marked(fluent, number, world_.now);
    if (is_first) touched_.emplace_back(table, number);
    if (value.is_wildcard()) {
      if (instance.is_ended) return;
      instance.is_ended = true;
    } else {
      for (Index at = instance.ended; at != kNone; at = fluent.ended[at].second) {
        if (fluent.ended[at].first == value) return;
      }
      fluent.ended.emplace_back(value, instance.ended);
      instance.ended = static_cast<Index>(fluent.ended.size() - 1);
    }
  }
  if (world_.prepared.has_effect_readers[table]) record(fluent.terminations, world_.now, columns, value);
  ++changes_;
}

// Delayed effects

bool Sweep::comes_true(const Attempt& attempt) const {
  const FluentTable& fluent = world_.fluents[attempt.table];
  const Pair& trigger = fluent.pairs[attempt.trigger];
  const bool is_unbroken =
      fluent.instances[trigger.instance].current == attempt.trigger && trigger.since <= attempt.initiated + 1;
  const bool is_renewed = trigger.last_initiated == world_.now || trigger.last_effective > attempt.initiated;
  return is_unbroken && !(attempt.is_postponable && is_renewed);
}

// Effects that take place now on fluents of later components are left for them.
void Sweep::pass_on() {
  const auto [from, to] = attempts_.equal_range(world_.now);
  for (auto at = from; at != to; ++at) {
    const Attempt& attempt = at->second;
    if (!comes_true(attempt)) continue;
    if (++in_a_row_ > world_.plan().max_delayed_effects) {
      throw EvaluationStop(EvaluationStop::Reason::kTooManyEffects, attempt.rule->site.number, Value::nothing(),
                           world_.now);
    }
    if (attempt.rule->effect && !owns(attempt.effect.table)) scheduled_.emplace(world_.now, attempt.effect);
  }
}

// Whether a number is positive and whole; larger than a word, it may be a float.
bool Sweep::is_delay(Value delay) const {
  if (delay.is_integer()) return delay.as_integer() >= 1;
  const Value one = Value::integer(1);
  if (!world_.arithmetic.compare(Comparison::kAtLeast, delay, one)) return false;
  const std::array args{delay};
  const auto whole = world_.arithmetic.apply(Function::kTruncate, args);
  return whole && world_.arithmetic.compare(Comparison::kEqual, delay, *whole);
}

void Sweep::stage(Index table, Index number) {
  const FluentTable& fluent = world_.fluents[table];
  const auto own = fluent.columns(fluent.pairs[number].instance);
  const std::vector<Value> columns(own.begin(), own.end());
  const Value value = fluent.pairs[number].value;
  std::vector<std::pair<Time, Attempt>> found;
  for (const Delay& rule : prepared_->component->delays) {
    if (rule.trigger.table != table) continue;
    machine_.run_on(rule.trigger, columns, value, rule.program, [&](const Machine::Frame& frame) {
      const auto delay = world_.arithmetic.evaluate(rule.delay, frame.values);
      if (!delay || !is_delay(*delay)) {
        throw EvaluationStop(EvaluationStop::Reason::kDelay, rule.site.number, delay.value_or(Value::nothing()),
                             world_.now);
      }
      // Later than any time-point.
      if (!delay->is_integer()) return false;
      Attempt attempt{.table = table, .trigger = number, .initiated = world_.now, .rule = &rule, .effect = {}};
      if (rule.effect) {
        attempt.effect.table = rule.effect->table;
        for (const Shape& shape : rule.effect->columns) attempt.effect.columns.push_back(machine_.build(shape, frame));
        attempt.effect.value = machine_.build(rule.effect->value, frame);
      }
      found.emplace_back(moved(world_.now, delay->as_integer()), std::move(attempt));
      return false;
    });
  }
  if (found.empty()) return;
  const bool can_wait = is_postponable(table, number);
  for (auto& [due, attempt] : found) {
    attempt.is_postponable = can_wait;
    attempts_.emplace(due, std::move(attempt));
  }
}

bool Sweep::is_postponable(Index table, Index number) {
  const auto& postpones = world_.prepared.postpones[table];
  const auto yes = [](const Machine::Frame&) { return true; };
  return std::any_of(postpones.begin(), postpones.end(), [&](Index one) {
    const Condition& condition = world_.plan().postpones[one];
    const FluentTable& fluent = world_.fluents[table];
    return machine_.run_on(condition.pair, fluent.columns(fluent.pairs[number].instance), fluent.pairs[number].value,
                           condition.program, yes);
  });
}

// The next state

void Sweep::apply() {
  attempts_.erase(attempts_.begin(), attempts_.upper_bound(world_.now));
  if (has_static_) find_next();
  for (const Index table : prepared_->component->tables) {
    const FluentTable& fluent = world_.fluents[table];
    if (fluent.open_ends.empty()) continue;
    for (Index number = 0; number < fluent.instances.size(); ++number) {
      if (fluent.instances[number].stamp != world_.now) touched_.emplace_back(table, number);
    }
  }
  for (const auto& [table, instance] : touched_) apply_instance(table, instance);
  if (has_static_) update_static();
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
  stage(table, number);
}

void Sweep::finish() {
  const Component& component = (*prepared_->component);
  for (const Index table : component.tables) {
    FluentTable& fluent = world_.fluents[table];
    fluent.open_ends.clear();
    for (Index number = 0; number < fluent.pair_count; ++number) {
      Pair& pair = fluent.pairs[number];
      if (pair.since == kForever) continue;
      pair.list.push_back({pair.since, kForever});
      pair.since = kForever;
    }
  }
  world_.running = kNone;
  // Statically determined fluents follow from the finished ones, also beyond the query time.
  for (const Definition& definition : component.definitions) {
    const Index table = definition.head.table;
    if (&definition == &component.definitions.front() || (&definition - 1)->head.table != table) {
      define(table);
      splice_static(table);
    }
  }
}

}  // namespace holdsfor
