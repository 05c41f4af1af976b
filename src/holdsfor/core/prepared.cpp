#include "prepared.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "formulas.h"
#include "phases.h"
#include "row_conditions.h"

namespace holdsfor {
namespace {

bool binds(const Shape& shape) {
  if (shape.kind == ShapeKind::kBind) return true;
  return std::any_of(shape.items.begin(), shape.items.end(), binds);
}

bool gives(const Shape& shape, Index reg) {
  if (shape.kind == ShapeKind::kBind && shape.reg == reg) return true;
  return std::any_of(shape.items.begin(), shape.items.end(), [&](const Shape& item) { return gives(item, reg); });
}

// Whether a term is known before an instruction runs. A register may be bound by a column of the same instruction.
bool is_given(const Shape& shape, const Instruction& one) {
  if (shape.kind == ShapeKind::kConstant) return true;
  if (shape.kind != ShapeKind::kRegister || gives(one.value, shape.reg)) return false;
  return std::none_of(one.columns.begin(), one.columns.end(),
                      [&](const Shape& other) { return gives(other, shape.reg); });
}

// Whether a term can be built from known values.
bool is_built(const Shape& shape, const Instruction& one) {
  if (shape.kind != ShapeKind::kStructure && shape.kind != ShapeKind::kList) return is_given(shape, one);
  return std::all_of(shape.items.begin(), shape.items.end(), [&](const Shape& item) { return is_built(item, one); });
}

// Visits the instructions of a plan once, and records what they need.
class Preparation {
 public:
  explicit Preparation(Prepared& prepared) : prepared_(prepared) {}

  void run() {
    Plan& plan = prepared_.plan;
    for (Stage& stage : plan.stages) {
      for (Component& component : stage.components) {
        for (Rule& rule : component.rules) program(rule.program);
        for (Definition& definition : component.definitions) program(definition.program);
        for (Delay& delay : component.delays) program(delay.program);
      }
    }
    for (auto* conditions : {&plan.initially, &plan.postpones, &plan.groundings}) {
      for (Condition& condition : *conditions) program(condition.program);
    }
  }

 private:
  void program(Program& given) {
    prepared_.most_registers = std::max(prepared_.most_registers, given.registers);
    block(given.block);
  }

  // If `is_counted`, every solution matters, because solutions are collected.
  void block(Block& instructions, bool is_counted = false) {
    for (Instruction& one : instructions) {
      for (Block& inner : one.blocks) block(inner, is_counted || one.op == Op::kCollect);
      for (Expression& expression : one.expressions) expression.formula = make_formula(expression);
      one.is_ground =
          std::all_of(one.columns.begin(), one.columns.end(), [&](const Shape& shape) { return is_given(shape, one); });
      // A known pair always has a list of intervals, which may be empty.
      if (one.op == Op::kLookup) {
        one.is_ground =
            is_built(one.value, one) && std::all_of(one.columns.begin(), one.columns.end(),
                                                    [&](const Shape& shape) { return is_built(shape, one); });
      }
      const bool gives_nothing = one.op != Op::kDomain && one.op != Op::kLookup && one.op != Op::kListCall &&
                                 !binds(one.value) && !one.time.binds && one.outputs.empty() &&
                                 std::none_of(one.columns.begin(), one.columns.end(), binds);
      const bool has_one_answer = one.is_ground && is_given(one.value, one) && one.op != Op::kCall;
      one.is_test = gives_nothing && (!is_counted || has_one_answer);
      if (one.op == Op::kFacts) facts(one);
      if (one.op == Op::kHolding && one.is_ground) prepared_.has_instance_readers[one.table] = true;
      if (one.op == Op::kEdges) {
        const bool is_effect = one.edge == EdgeKind::kInitiated || one.edge == EdgeKind::kTerminated;
        (is_effect ? prepared_.has_effect_readers : prepared_.has_edge_readers)[one.table] = true;
      }
    }
  }

  void facts(Instruction& one) {
    one.out = fact_index(one);
    one.is_plain = prepared_.fact_indexes[one.out].places().size() <= kMostFactKeys;
    for (Index place = 0; place < one.columns.size(); ++place) {
      const Shape& shape = one.columns[place];
      if (shape.kind == ShapeKind::kAnything || is_given(shape, one)) continue;
      one.is_plain = one.is_plain && shape.kind == ShapeKind::kBind;
      one.gives_registers.emplace_back(place, shape.reg);
    }
  }

  Index fact_index(const Instruction& one) {
    std::vector<Index> places;
    for (Index place = 0; place < one.columns.size(); ++place) {
      if (is_given(one.columns[place], one)) places.push_back(place);
    }
    const auto key = std::pair(one.table, places);
    for (const auto& [known, number] : known_) {
      if (known == key) return number;
    }
    const auto number = static_cast<Index>(prepared_.fact_indexes.size());
    prepared_.fact_indexes.emplace_back(prepared_.plan.facts[one.table], places);
    known_.emplace_back(key, number);
    return number;
  }

  Prepared& prepared_;
  std::vector<std::pair<std::pair<Index, std::vector<Index>>, Index>> known_;
};

}  // namespace

FactIndex::FactIndex(const FactTable& facts, std::vector<Index> places) : places_(std::move(places)) {
  std::vector<Value> key(places_.size());
  std::vector<std::pair<std::uint64_t, Index>> order;
  order.reserve(facts.count);
  for (Index row = 0; row < facts.count; ++row) {
    for (std::size_t i = 0; i < places_.size(); ++i) key[i] = facts.rows[row * facts.columns + places_[i]];
    order.emplace_back(hash_of(key), row);
  }
  std::sort(order.begin(), order.end());
  slots_.resize(std::bit_ceil(order.size() * 2 + 1));
  for (std::size_t first = 0; first < order.size();) {
    const std::uint64_t hash = order[first].first;
    const auto begin = static_cast<std::uint32_t>(first);
    while (first < order.size() && order[first].first == hash) rows_.push_back(order[first++].second);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].begin != slots_[at].end) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {hash, begin, static_cast<std::uint32_t>(first)};
  }
}

std::span<const Index> FactIndex::find(std::uint64_t wanted) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = wanted & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.begin == slot.end) return {};
    if (slot.hash == wanted) return {rows_.data() + slot.begin, slot.end - slot.begin};
  }
}

namespace {

void find_tables_of_stages(Prepared& prepared) {
  const Plan& plan = prepared.plan;
  for (const Stage& stage : plan.stages) {
    auto& found = prepared.tables_of.emplace_back();
    const auto add = [&](Index table, bool is_member) {
      const bool is_known =
          std::any_of(found.begin(), found.end(), [&](const StageTable& one) { return one.table == table; });
      if (is_known) return;
      const Index phase = prepared.phase_of[table];
      found.push_back({.table = table,
                       .is_event = plan.tables[table].is_event(),
                       .is_member = is_member,
                       .is_static = phase != kNone && prepared.phases[phase].kind == PhaseKind::kStatic,
                       .has_effects = prepared.has_effect_readers[table]});
    };
    for (const Route& member : stage.members) add(member.table, true);
    for (const Route& input : stage.inputs) add(input.table, false);
  }
}

}  // namespace

Prepared::Prepared(Plan given, bool is_traced)
    : plan(std::move(given)),
      has_edge_readers(plan.tables.size()),
      has_instance_readers(plan.tables.size()),
      has_effect_readers(plan.tables.size()),
      groundings(plan.tables.size()),
      postpones(plan.tables.size()),
      component_of(plan.tables.size(), kNone),
      phase_of(plan.tables.size(), kNone),
      delays_of(plan.tables.size()) {
  for (const Stage& stage : plan.stages) {
    auto& numbers = of_stage.emplace_back();
    for (const Component& component : stage.components) {
      numbers.push_back(static_cast<Index>(components.size()));
      for (const Index table : component.tables) component_of[table] = numbers.back();
      for (const Delay& delay : component.delays) delays_of[delay.trigger.table].push_back(&delay);
      components.push_back({.component = &component, .stage = static_cast<Index>(of_stage.size() - 1)});
    }
  }
  for (Index number = 0; number < plan.groundings.size(); ++number) {
    groundings[plan.groundings[number].pair.table].push_back(number);
  }
  for (Index number = 0; number < plan.postpones.size(); ++number) {
    postpones[plan.postpones[number].pair.table].push_back(number);
  }
  Preparation(*this).run();
  if (is_traced) has_edge_readers = has_effect_readers = std::vector<bool>(plan.tables.size(), true);
  assign_row_bits(plan);
  make_phases(*this);
  find_tables_of_stages(*this);
  if (!is_traced) return;
  for (auto& needed : needs_rows) {
    needed.resize(plan.tables.size());
    for (Index table = 0; table < needed.size(); ++table) needed[table] = plan.tables[table].is_event();
  }
}

void Prepared::take_rules(Prepared other) {
  std::vector<Stage> stages = std::move(plan.stages);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    stages[stage].components = std::move(other.plan.stages[stage].components);
  }
  std::vector<TableInfo> tables = std::move(plan.tables);
  std::copy(other.plan.tables.begin(), other.plan.tables.end(), tables.begin());
  other.plan.stages = std::move(stages);
  other.plan.tables = std::move(tables);
  other.resume_at = resume_at;
  other.checkpoint_cells = checkpoint_cells;
  other.is_profiled = is_profiled;
  *this = std::move(other);
}

}  // namespace holdsfor
