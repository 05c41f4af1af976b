#include "world.h"

#include <utility>

#include "log.h"
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

// Whether a term is known before an instruction runs: a register may get its value from a column of its own.
bool is_given(const Shape& shape, const Instruction& one) {
  if (shape.kind == ShapeKind::kConstant) return true;
  if (shape.kind != ShapeKind::kRegister || gives(one.value, shape.reg)) return false;
  return std::none_of(one.columns.begin(), one.columns.end(),
                      [&](const Shape& other) { return gives(other, shape.reg); });
}

// Goes through the instructions of a plan once and notes what they need.
class Preparation {
 public:
  explicit Preparation(Prepared& prepared) : prepared_(prepared) {}

  void run() {
    Plan& plan = prepared_.plan;
    for (Stage& stage : plan.stages) {
      for (Component& component : stage.components) {
        for (Rule& rule : component.rules) block(rule.program.block);
        for (Definition& definition : component.definitions) block(definition.program.block);
        for (Delay& delay : component.delays) block(delay.program.block);
      }
    }
    for (auto* conditions : {&plan.initially, &plan.postpones, &plan.groundings}) {
      for (Condition& condition : *conditions) block(condition.program.block);
    }
  }

 private:
  // Where solutions are counted, each of them matters.
  void block(Block& instructions, bool is_counted = false) {
    for (Instruction& one : instructions) {
      for (Block& inner : one.blocks) block(inner, is_counted || one.op == Op::kCollect);
      one.is_ground =
          std::all_of(one.columns.begin(), one.columns.end(), [&](const Shape& shape) { return is_given(shape, one); });
      const bool gives_nothing = one.op != Op::kDomain && one.op != Op::kLookup && one.op != Op::kListCall &&
                                 !binds(one.value) && !one.time.binds && one.outputs.empty() &&
                                 std::none_of(one.columns.begin(), one.columns.end(), binds);
      const bool has_one_answer = one.is_ground && is_given(one.value, one) && one.op != Op::kCall;
      one.is_test = gives_nothing && (!is_counted || has_one_answer);
      if (one.op == Op::kFacts) one.out = fact_index(one);
      if (one.op == Op::kEdges) {
        const bool is_effect = one.edge == EdgeKind::kInitiated || one.edge == EdgeKind::kTerminated;
        (is_effect ? prepared_.has_effect_readers : prepared_.has_edge_readers)[one.table] = true;
      }
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

bool is_in(Index table, const Component& component) {
  return std::find(component.tables.begin(), component.tables.end(), table) != component.tables.end();
}

// Whether some instruction reads what a component decides at the time-point at which it runs.
bool reads_present(const Block& block, const Component& component) {
  return std::any_of(block.begin(), block.end(), [&](const Instruction& one) {
    const bool is_of_time_point = one.op == Op::kEvents || one.op == Op::kEdges || one.op == Op::kEndable;
    if (is_of_time_point && is_in(one.table, component)) return true;
    return std::any_of(one.blocks.begin(), one.blocks.end(),
                       [&](const Block& inner) { return reads_present(inner, component); });
  });
}

// Gives the rules of a plain component to the sources whose rows they begin with.
void assign_rows(PreparedComponent& prepared) {
  const Component& component = *prepared.component;
  prepared.row_rules.resize(prepared.sources.size());
  for (Index number = 0; number < component.rules.size(); ++number) {
    const Block& block = component.rules[number].program.block;
    const bool begins = !block.empty() && block[0].op == Op::kEvents && !block[0].time.binds && block[0].time.reg == 0;
    const auto source =
        begins ? std::find(prepared.sources.begin(), prepared.sources.end(), block[0].table) : prepared.sources.end();
    if (source == prepared.sources.end()) {
      prepared.other_rules.push_back(number);
    } else {
      prepared.row_rules[static_cast<std::size_t>(source - prepared.sources.begin())].push_back(number);
    }
  }
}

PreparedComponent prepared_component(const Component& component) {
  PreparedComponent found;
  found.component = &component;
  found.has_definitions = !component.definitions.empty();
  const auto is_own = [&](Index table) { return is_in(table, component); };
  for (const Rule& rule : component.rules) {
    for (const Index driver : rule.drivers) {
      const bool is_known = std::find(found.sources.begin(), found.sources.end(), driver) != found.sources.end();
      if (!is_own(driver) && !is_known) found.sources.push_back(driver);
    }
  }
  const bool has_many = found.sources.size() > 64;
  for (const Rule& rule : component.rules) {
    const bool is_set_off_inside =
        rule.drivers.empty() || std::any_of(rule.drivers.begin(), rule.drivers.end(), is_own);
    std::uint64_t mask = has_many || is_set_off_inside ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < found.sources.size() && !has_many; ++i) {
      const bool drives = std::find(rule.drivers.begin(), rule.drivers.end(), found.sources[i]) != rule.drivers.end();
      if (drives) mask |= std::uint64_t{1} << i;
    }
    found.runs_for.push_back(mask);
  }
  found.is_plain = !has_many && !found.has_definitions &&
                   std::none_of(component.rules.begin(), component.rules.end(),
                                [&](const Rule& rule) { return reads_present(rule.program.block, component); });
  if (found.is_plain) assign_rows(found);
  return found;
}

}  // namespace

FactIndex::FactIndex(const FactTable& facts, std::vector<Index> places) : places_(std::move(places)) {
  std::vector<Value> key(places_.size());
  for (Index row = 0; row < facts.count; ++row) {
    for (std::size_t i = 0; i < places_.size(); ++i) key[i] = facts.rows[row * facts.columns + places_[i]];
    rows_[hash_of(key)].push_back(row);
  }
}

std::span<const Index> FactIndex::find(std::uint64_t wanted) const {
  const auto found = rows_.find(wanted);
  return found == rows_.end() ? std::span<const Index>() : found->second;
}

Prepared::Prepared(Plan given)
    : plan(std::move(given)),
      has_edge_readers(plan.tables.size()),
      has_effect_readers(plan.tables.size()),
      groundings(plan.tables.size()),
      postpones(plan.tables.size()),
      component_of(plan.tables.size(), kNone) {
  for (const Stage& stage : plan.stages) {
    auto& numbers = of_stage.emplace_back();
    for (const Component& component : stage.components) {
      numbers.push_back(static_cast<Index>(components.size()));
      stage_of.push_back(static_cast<Index>(of_stage.size() - 1));
      for (const Index table : component.tables) component_of[table] = numbers.back();
      components.push_back(prepared_component(component));
    }
  }
  for (Index number = 0; number < plan.groundings.size(); ++number) {
    groundings[plan.groundings[number].pair.table].push_back(number);
  }
  for (Index number = 0; number < plan.postpones.size(); ++number) {
    postpones[plan.postpones[number].pair.table].push_back(number);
  }
  Preparation(*this).run();
  assign_row_bits(plan);
}

World::World(const Prepared& prepared_plan, TermTable& term_table, Host& the_host)
    : prepared(prepared_plan),
      terms(term_table),
      host(the_host),
      arithmetic(term_table, the_host),
      events(prepared_plan.plan.tables.size()),
      fluents(prepared_plan.plan.tables.size()),
      is_shared(prepared_plan.plan.tables.size()) {
  for (std::size_t table = 0; table < plan().tables.size(); ++table) {
    const std::size_t width = plan().tables[table].columns;
    events[table].width = fluents[table].width = width;
    fluents[table].initiations.width = fluents[table].terminations.width = width + 1;
  }
}

bool World::will_hold(Index table, Index number) const {
  const FluentTable& fluent = fluent_table(table);
  const Pair& pair = fluent.pairs[number];
  if (!is_running(table)) return pair.holds(now + 1);
  if (plan().tables[table].role == Role::kStaticFluent) return pair.holds_next && pair.is_declared;
  return fluent.holds_next(number, now);
}

void World::clear() {
  for (EventTable& one : events) one.clear();
  for (FluentTable& one : fluents) one.clear();
  running = kNone;
}

void load_events(World& world, std::span<const Value> log) {
  const auto& tables = world.plan().tables;
  for (std::size_t at = 0; at < log.size();) {
    const Index table = RowHead::from(log[at + 1]).table;
    const std::size_t width = tables[table].columns;
    world.events[table].add(static_cast<Time>(log[at].word()), log.subspan(at + kLogHead, width));
    at += kLogHead + width;
  }
}

}  // namespace holdsfor
