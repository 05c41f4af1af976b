// Statically determined fluents: computed from finished lists, and point by point inside a cycle.
#include <algorithm>

#include "sweep.h"

namespace holdsfor {

// Adds the list of every pair that the rules of a table define. For a pair, the first rule that succeeds counts. Its
// results for different values of its variables are united.
void Sweep::solve_definitions(Index table, FluentTable& into) {
  const Component& component = *world_.prepared.components[world_.prepared.component_of[table]].component;
  Index number = 0;
  for (const Definition& definition : component.definitions) {
    ++number;
    if (definition.head.table != table) continue;
    machine_.run(definition.program, [&](const Machine::Frame& frame) {
      head_.clear();
      bool is_open = false;
      for (const Shape& shape : definition.head.columns) {
        head_.push_back(machine_.build(shape, frame));
        is_open = is_open || head_.back().is_wildcard();
      }
      const Value value = machine_.build(definition.head.value, frame);
      // A fallback such as holdsFor(f(_)=true, []) adds nothing.
      if (is_open || value.is_wildcard() || !world_.is_of_key(table, head_)) return false;
      const auto [known, is_new] = into.add_pair(into.add(head_), value);
      Pair& pair = into.pairs[known];
      if (is_new) pair.defined_by = number;
      if (pair.defined_by != number) return false;
      const Intervals& given = *frame.lists[definition.out];
      pair.list.insert(pair.list.end(), given.begin(), given.end());
      return false;
    });
  }
  for (Index pair = 0; pair < into.pair_count; ++pair) make_maximal(into.pairs[pair].list);
}

void Sweep::define(Index table) {
  FluentTable& fluent = world_.fluents[table];
  fluent.clear();
  solve_definitions(table, fluent);
  find_declared(table);
}

void Sweep::find_declared(Index table) {
  FluentTable& fluent = world_.fluents[table];
  if (world_.prepared.groundings[table].empty()) return;
  for (Index number = 0; number < fluent.pair_count; ++number) {
    Pair& pair = fluent.pairs[number];
    pair.is_declared = pair.list.empty() || is_declared(table, fluent.columns(pair.instance), pair.value);
  }
}

MetricRun& Sweep::metric_run(const MetricComponent& metric) {
  auto& run = metric_[&metric];
  if (run == nullptr) run = std::make_unique<MetricRun>(metric, world_.terms, world_.host);
  return *run;
}

// Evaluates metric predicates slice by slice. Their state precedes the tables in a checkpoint.
void Sweep::run_slices(const MetricComponent& metric) {
  MetricRun& run = metric_run(metric);
  run.evaluate_slices(world_, reader_ ? &*reader_ : nullptr, reader_ ? request_.from->time : kNever, request_.saves,
                      writers_);
  wake_ = std::min(wake_, run.next_change());
}

// Evaluates metric predicates: at the time-points up to the next one, or for the queried time.
void Sweep::run_metric(const MetricComponent& metric) {
  MetricRun* run = &metric_run(metric);
  const auto stop = [&](EvaluationStop::Reason reason) { throw EvaluationStop(reason, 0, {}, world_.query); };
  switch (run->evaluate(world_)) {
    case MetricRun::Outcome::kTooFar:
      stop(EvaluationStop::Reason::kTooFar);
      break;
    case MetricRun::Outcome::kNoEnd:
      stop(EvaluationStop::Reason::kNoEnd);
      break;
    case MetricRun::Outcome::kDone:
      break;
  }
  for (const MetricLink& link : metric.outputs) find_declared(link.table);
}

// Computes which statically determined pairs of the component hold just after the present time-point.
void Sweep::find_next() {
  const bool before = std::exchange(world_.is_pointwise, true);
  const Component& component = *world_.prepared.components[phase_->components[0]].component;
  for (const Index table : component.tables) {
    FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < fluent.pair_count; ++number) fluent.pairs[number].holds_next = false;
  }
  Index last = kNone;
  for (const Definition& definition : component.definitions) {
    const Index table = definition.head.table;
    if (table == last) continue;
    last = table;
    scratch_.clear();
    scratch_.width = world_.fluents[table].width;
    solve_definitions(table, scratch_);
    FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < scratch_.pair_count; ++number) {
      const Pair& found = scratch_.pairs[number];
      if (!contains(found.list, world_.now + 1)) continue;
      const auto columns = scratch_.columns(found.instance);
      if (!is_declared(table, columns, found.value)) continue;
      fluent.pairs[fluent.add_pair(fluent.add(columns), found.value).first].holds_next = true;
    }
  }
  world_.is_pointwise = before;
}

void Sweep::update_static() {
  for (const Index table : phase_->tables) {
    if (world_.plan().tables[table].role != Role::kStaticFluent) continue;
    FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < fluent.pair_count; ++number) {
      Pair& pair = fluent.pairs[number];
      if (pair.since != kForever && !pair.holds_next) {
        pair.list.push_back({pair.since, world_.now + 1});
        pair.since = kForever;
      } else if (pair.since == kForever && pair.holds_next) {
        pair.since = world_.now + 1;
      }
    }
  }
}

}  // namespace holdsfor
