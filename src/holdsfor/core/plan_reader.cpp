#include <algorithm>

#include "metric_reader.h"
#include "plan.h"
#include "plan_check.h"

namespace holdsfor {
namespace {

// Whether a term of a head contains an unbound variable.
bool is_open(const Shape& shape) {
  return shape.kind == ShapeKind::kAnything || std::any_of(shape.items.begin(), shape.items.end(), is_open);
}

class Reader : private MetricReader {
 public:
  using MetricReader::MetricReader;

  Plan plan() {
    Plan plan;
    plan.fingerprint = fingerprint();
    list(plan.tables, [&] { return table(); });
    list(plan.facts, [&] { return facts(); });
    plan.goals = goals();
    list(plan.stages, [&] { return stage(); });
    list(plan.initially, [&] { return condition(); });
    list(plan.postpones, [&] { return condition(); });
    list(plan.groundings, [&] { return condition(); });
    plan.max_delayed_effects = word();
    text();
    plan.settle = distance();
    text();
    if (!is_at_end()) refuse_plan("something follows it");
    return plan;
  }

 private:
  // The source line of a rule, which only messages need.
  void origin() {
    text();
    word();
  }

  Rule rule() {
    Rule found;
    found.kind = one_of(HeadKind::kHappen);
    found.table = index();
    columns(found.columns);
    if (flag()) found.value = shape();
    found.program = program();
    list(found.drivers, [&] { return index(); });
    list(found.row_tests, [&] { return index(); });
    list(found.row_rest, [&] { return index(); });
    origin();
    found.has_open_head = (found.kind != HeadKind::kHappen && is_open(found.value)) ||
                          std::any_of(found.columns.begin(), found.columns.end(), is_open);
    return found;
  }
  Delay delay() {
    Delay found;
    found.trigger = pair();
    found.program = program();
    found.delay = expression();
    if (flag()) found.effect = effect();
    found.site = site();
    origin();
    return found;
  }
  // A tuple of three.
  PairShape effect() {
    if (word() != 3) refuse_plan("an effect is incomplete");
    PairShape found;
    found.table = index();
    columns(found.columns);
    found.value = shape();
    return found;
  }
  Condition condition() {
    Condition found;
    found.pair = pair();
    found.program = program();
    origin();
    return found;
  }
  Definition definition() {
    Definition found;
    found.head = pair();
    found.program = program();
    found.out = index();
    origin();
    return found;
  }
  Decision decision() {
    Decision found;
    found.kind = one_of(MomentKind::kEvent);
    found.table = index();
    found.value = shape();
    return found;
  }
  Group group() {
    Group found;
    list(found.rules, [&] { return index(); });
    list(found.decisions, [&] { return decision(); });
    found.repeats = flag();
    return found;
  }
  Component component() {
    Component found;
    list(found.tables, [&] { return index(); });
    list(found.groups, [&] { return group(); });
    list(found.rules, [&] { return rule(); });
    list(found.definitions, [&] { return definition(); });
    list(found.delays, [&] { return delay(); });
    found.is_static = flag();
    if (flag()) found.metric = std::make_shared<const MetricComponent>(metric_component());
    return found;
  }
  Route route() {
    Route found;
    found.table = index();
    const auto indices = [&] {
      std::vector<Index> some;
      list(some, [&] { return index(); });
      return some;
    };
    list(found.places, indices);
    found.is_shared = flag();
    list(found.parts, indices);
    return found;
  }
  Stage stage() {
    Stage found;
    list(found.components, [&] { return component(); });
    found.key = index();
    list(found.members, [&] { return route(); });
    list(found.inputs, [&] { return route(); });
    found.is_tied = flag();
    const std::size_t tables = length();
    for (std::size_t i = 0; i < tables; ++i) fact_ties(found.fact_ties);
    text();
    return found;
  }
  // The groups of keys that the facts of one table tie.
  void fact_ties(std::vector<std::vector<Value>>& into) {
    text();
    std::vector<Index> columns;
    list(columns, [&] { return index(); });
    const std::size_t groups = length();
    for (std::size_t group = 0; group < groups; ++group) {
      auto& values = into.emplace_back();
      const std::size_t count = length();
      for (std::size_t i = 0; i < count; ++i) {
        const Shape value = shape();
        if (value.kind != ShapeKind::kConstant) refuse_plan("a fact is not ground");
        values.push_back(value.constant);
      }
    }
  }
  TableInfo table() {
    TableInfo found;
    found.label = text();
    found.role = one_of(Role::kStaticFluent);
    found.columns = index();
    found.keep = distance();
    text();
    found.recomputed = flag();
    found.is_hidden = flag();
    text();
    return found;
  }
  Time distance() {
    const std::int64_t found = word();
    if (found < 0) refuse_plan("a distance is negative");
    return found;
  }
  Index goals() {
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) {
      text();
      text();
      flag();
    }
    return static_cast<Index>(count);
  }
  FactTable facts() {
    FactTable found;
    found.label = text();
    found.columns = index();
    found.count = length();
    for (std::size_t i = 0; i < found.count; ++i) {
      if (length() != found.columns) refuse_plan("a fact has the wrong number of columns");
      for (Index place = 0; place < found.columns; ++place) {
        const Shape cell = shape();
        if (cell.kind != ShapeKind::kConstant) refuse_plan("a fact is not ground");
        found.rows.push_back(cell.constant);
      }
    }
    return found;
  }
};

}  // namespace

Plan read_plan(std::span<const std::byte> bytes, TermTable& terms) {
  Plan plan = Reader(bytes, terms).plan();
  check_plan(plan);
  for (const Stage& stage : plan.stages) {
    for (const Component& component : stage.components) {
      if (!component.metric) continue;
      check_metric(component, plan.tables);
      plan.is_rational = plan.is_rational || component.metric->is_rational;
      const bool is_alone = plan.stages.size() == 1 && stage.components.size() == 1 && stage.key == 0;
      const bool is_forward = component.metric->is_rational && component.metric->is_forward;
      if (component.metric->is_final && !(is_alone && is_forward)) refuse_plan("more than a stream is final");
    }
  }
  return plan;
}

}  // namespace holdsfor
