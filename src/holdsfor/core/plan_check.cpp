#include "plan_check.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "plan_words.h"

namespace holdsfor {
namespace {

constexpr std::size_t kMostTables = 65'535;  // a row head has sixteen bits for the table
constexpr Index kMostColumns = 1'000;

void require(bool is_so, const char* reason) {
  if (!is_so) refuse_plan(reason);
}

// Checks the instructions of one program, in execution order.
class ProgramCheck {
 public:
  ProgramCheck(const Plan& plan, const Program& program) : plan_(plan), program_(program) {}

  void run() {
    // The first register is the present time-point.
    require(program_.registers > 0 && program_.registers <= kMostRegisters, "a program has too many or no registers");
    require(program_.lists <= kMostRegisters, "a program has too many lists");
    has_list_.assign(program_.lists, false);
    check(program_.block);
  }
  void require_list(Index list) const {
    require(list < program_.lists && has_list_[list], "a list is used before it is made");
  }
  void check(const Shape& shape) const {
    require(shape.reg < program_.registers, "a register is out of range");
    for (const Shape& item : shape.items) check(item);
  }
  void check(const std::vector<Shape>& shapes) const {
    for (const Shape& shape : shapes) check(shape);
  }
  void check(const PairShape& pair) const {
    check_columns(pair.table, pair.columns, false);
    check(pair.value);
  }
  void check(const Expression& expression) const {
    require(expression.reg < program_.registers, "a register is out of range");
    check(expression.term);
    for (const Expression& arg : expression.args) check(arg);
  }
  void check(const Site& site) const { check_registers(site.row); }
  void check_columns(Index table, const std::vector<Shape>& columns, bool is_event) const {
    require(table < plan_.tables.size(), "a table is missing");
    require(plan_.tables[table].is_event() == is_event, "a table is of the wrong kind");
    require(plan_.tables[table].columns == columns.size(), "a row has the wrong number of columns");
    check(columns);
  }

 private:
  // Limit of registers and of list registers: a damaged plan must not exhaust memory.
  static constexpr Index kMostRegisters = 100'000;

  void check_registers(const std::vector<Index>& registers) const {
    for (const Index one : registers) require(one < program_.registers, "a register is out of range");
  }
  void check_time(const Instant& time) const {
    require(time.reg < program_.registers, "a register is out of range");
    require(time.least.value_or(0) >= 0 && time.most.value_or(0) >= 0, "a distance is negative");
    require(!time.binds || time.reg != 0, "the present time-point is given another value");
  }
  void make_list(Index list) {
    require(list < program_.lists, "a list register is out of range");
    has_list_[list] = true;
  }
  void check(const Block& block) {
    for (const Instruction& one : block) check(one);
  }

  // A list register that a block sets is set afterwards only if every block sets it.
  void check_blocks(const Instruction& one) {
    const std::vector<bool> before = has_list_;
    if (one.op == Op::kBranch) {
      check(one.blocks[0]);
      check(one.blocks[1]);
      if (one.blocks.size() < 3) return;
      const std::vector<bool> then = std::exchange(has_list_, before);
      check(one.blocks[2]);
      for (std::size_t i = 0; i < then.size(); ++i) has_list_[i] = has_list_[i] && then[i];
      return;
    }
    // Code after a choice without alternatives is unreachable, so every register counts as set.
    std::vector<bool> after(has_list_.size(), one.op == Op::kChoose);
    for (const Block& block : one.blocks) {
      has_list_ = before;
      check(block);
      for (std::size_t i = 0; i < after.size(); ++i) after[i] = after[i] && has_list_[i];
    }
    has_list_ = before;
    for (std::size_t i = 0; i < after.size(); ++i) has_list_[i] = has_list_[i] || after[i];
  }

  void check(const Instruction& one) {
    check(one.columns);
    check(one.value);
    for (const Expression& expression : one.expressions) check(expression);
    check(one.site);
    switch (one.op) {
      case Op::kEvents:
        check_columns(one.table, one.columns, true);
        return check_time(one.time);
      case Op::kHolding:
        require(!one.time.binds, "a fluent gives no time-points");
        [[fallthrough]];
      case Op::kEdges:
        check_columns(one.table, one.columns, false);
        return check_time(one.time);
      case Op::kEndable:
        return check_columns(one.table, one.columns, false);
      case Op::kFacts:
        require(one.table < plan_.facts.size(), "a fact table is missing");
        return require(plan_.facts[one.table].columns == one.columns.size(), "a fact has the wrong number of columns");
      case Op::kListCall:
        for (const Index list : one.list_inputs) require_list(list);
        for (const Index list : one.list_outputs) make_list(list);
        [[fallthrough]];
      case Op::kCall:
        require(one.table < plan_.goals, "a goal is missing");
        check_registers(one.inputs);
        return check_registers(one.outputs);
      case Op::kCollect:
        require(one.expressions.empty() || one.aggregate >= 0, "a window has no aggregate");
        [[fallthrough]];
      case Op::kNegate:
      case Op::kChoose:
      case Op::kBranch:
        return check_blocks(one);
      case Op::kSpell:
        require_list(one.inputs[0]);
        return check_registers(one.outputs);
      case Op::kRead:
        return make_list(one.out);
      case Op::kDomain:
        require(one.out < program_.registers, "a register is out of range");
        for (const PairShape& place : one.places) check(place);
        return;
      case Op::kLookup:
        check_columns(one.table, one.columns, false);
        return make_list(one.out);
      case Op::kOperate:
        check_operator(one);
        return make_list(one.out);
      case Op::kEmpty:
        return one.gives ? make_list(one.out) : require_list(one.out);
      case Op::kCopy:
        require_list(one.inputs[0]);
        return one.negated ? require_list(one.out) : make_list(one.out);
      case Op::kCompare:
      case Op::kEqual:
      case Op::kAssign:
        return;
    }
  }

  void check_operator(const Instruction& one) const {
    for (const Index list : one.inputs) require_list(list);
    check_registers(one.outputs);
    const std::size_t lists = one.inputs.size();
    const auto& given = one.parameters;
    const auto within = [&](std::size_t place, std::int64_t last) { return given[place] >= 0 && given[place] <= last; };
    // Only operators on any number of lists take operands from a term.
    bool fits = false;
    switch (one.interval_operator) {
      case IntervalOperator::kUnion:
      case IntervalOperator::kIntersection:
      case IntervalOperator::kComplement:
        fits = given.empty();
        break;
      case IntervalOperator::kRelativeComplement:
        fits = lists > 0 && given.empty();
        break;
      case IntervalOperator::kSequence:
        fits = lists == 2 && given.empty();
        break;
      case IntervalOperator::kAllen:
        fits = lists == 2 && given.size() == 2 && within(0, 6) && within(1, 5);
        break;
      case IntervalOperator::kLonger:
      case IntervalOperator::kShorter:
      case IntervalOperator::kAtLeast:
      case IntervalOperator::kAtMost:
        fits = lists == 1 && given.size() == 1 && within(0, 4) && one.expressions.size() == 1;
        break;
      default: {
        const bool is_of_two =
            one.interval_operator == IntervalOperator::kSince || one.interval_operator == IntervalOperator::kUntil;
        fits = lists == (is_of_two ? 2U : 1U) && given.size() == 2 && given[0] >= 0 &&
               (given[1] == -1 || given[1] >= given[0]);
      }
    }
    const bool takes_any = one.interval_operator <= IntervalOperator::kComplement;
    require(fits && (one.outputs.empty() || takes_any), "an operator has the wrong lists or parameters");
  }

  const Plan& plan_;
  const Program& program_;
  std::vector<bool> has_list_;  // by list register
};

bool asks_host(const Expression& expression) {
  return expression.kind == ExpressionKind::kTerm || expression.kind == ExpressionKind::kCalendar ||
         std::any_of(expression.args.begin(), expression.args.end(), asks_host);
}

bool has_registers(const Shape& shape) {
  return shape.kind == ShapeKind::kRegister || shape.kind == ShapeKind::kBind ||
         std::any_of(shape.items.begin(), shape.items.end(), has_registers);
}

class PlanCheck {
 public:
  explicit PlanCheck(const Plan& plan) : plan_(plan), is_member_(plan.tables.size()) {}

  void run() {
    require(plan_.tables.size() <= kMostTables, "it has too many tables");
    for (const TableInfo& table : plan_.tables) require(table.columns <= kMostColumns, "a table has too many columns");
    for (const Stage& stage : plan_.stages) check(stage);
    for (const auto* conditions : {&plan_.initially, &plan_.postpones, &plan_.groundings}) {
      for (const Condition& condition : *conditions) check(condition);
    }
  }

 private:
  ProgramCheck checked(const Program& program) const {
    ProgramCheck found(plan_, program);
    found.run();
    return found;
  }
  Role role(Index table) const {
    require(table < plan_.tables.size(), "a table is missing");
    return plan_.tables[table].role;
  }
  void check(const Condition& condition) const { checked(condition.program).check(condition.pair); }

  void check(const Stage& stage) {
    require(!stage.is_tied || stage.key == 1, "keys of several columns are tied");
    require(stage.is_tied || stage.fact_ties.empty(), "facts tie keys that are not tied");
    std::size_t members = 0;
    for (const Component& component : stage.components) {
      check(component);
      members += component.tables.size();
    }
    std::vector<bool> has_route(plan_.tables.size());
    for (const Route& route : stage.members) {
      check(route, stage);
      require(route.places.size() == 1 && !route.is_shared && !route.is_partial(), "a result has no key, or several");
      require(!has_route[route.table], "a result has two keys");
      require(is_in(stage, route.table), "a result is not computed");
      has_route[route.table] = true;
    }
    require(members == stage.members.size(), "a result has no key");
    for (const Route& route : stage.inputs) {
      check(route, stage);
      require(!has_route[route.table], "an input comes twice");
      has_route[route.table] = true;
    }
  }
  static bool is_in(const Stage& stage, Index table) {
    return std::any_of(stage.components.begin(), stage.components.end(),
                       [&](const Component& one) { return is_in(one, table); });
  }
  static bool is_in(const Component& component, Index table) {
    return std::find(component.tables.begin(), component.tables.end(), table) != component.tables.end();
  }
  void check(const Route& route, const Stage& stage) const {
    require(route.table < plan_.tables.size(), "a table is missing");
    require(!route.is_partial() || !stage.is_tied, "keys that are tied have parts");
    require(!route.is_partial() || (!route.is_shared && route.parts.size() == route.places.size()),
            "parts of a key have no columns");
    for (const auto& parts : route.parts) {
      for (const Index part : parts) require(part < stage.key, "a part is not in the key");
    }
    for (const auto& places : route.places) {
      require(places.size() == (route.is_partial() ? 1 : stage.key), "a key has the wrong number of columns");
      for (const Index place : places) require(place < plan_.tables[route.table].columns, "a key is not in its row");
    }
  }

  void check(const Component& component) {
    require(!component.tables.empty(), "a component is empty");
    for (const Index table : component.tables) {
      const Role found = role(table);
      require(found != Role::kInputEvent && found != Role::kInputFluent, "input is computed");
      require(!is_member_[table], "a table is computed twice");
      is_member_[table] = true;
    }
    if (component.is_static) {
      require(component.metric != nullptr || component.tables.size() == 1, "a fluent is no list");
      for (const Index table : component.tables) require(role(table) == Role::kStaticFluent, "a fluent is no list");
      require(component.metric == nullptr || component.definitions.empty(), "metric predicates have other rules");
      require(component.rules.empty() && component.delays.empty() && component.groups.empty(), "a list has rules");
    }
    require(component.metric == nullptr || component.is_static, "metric predicates have other rules");
    for (const Rule& rule : component.rules) check(rule, component);
    for (const Definition& definition : component.definitions) {
      require(is_in(component, definition.head.table), "a rule is in the wrong component");
      require(role(definition.head.table) == Role::kStaticFluent, "a rule is about the wrong kind of table");
      ProgramCheck of = checked(definition.program);
      of.check(definition.head);
      of.require_list(definition.out);
    }
    for (const Delay& delay : component.delays) check(delay, component);
    for (const Group& group : component.groups) {
      for (const Index rule : group.rules) require(rule < component.rules.size(), "a rule is missing");
      for (const Decision& decision : group.decisions) {
        require(role(decision.table) == Role::kSimpleFluent, "a decision is about the wrong kind of table");
        require(!has_registers(decision.value), "a decision has registers");
      }
    }
  }

  void check(const Rule& rule, const Component& component) const {
    require(is_in(component, rule.table), "a rule is in the wrong component");
    const bool is_event = rule.kind == HeadKind::kHappen;
    require(role(rule.table) == (is_event ? Role::kDerivedEvent : Role::kSimpleFluent),
            "a rule is about the wrong kind of table");
    const ProgramCheck of = checked(rule.program);
    of.check_columns(rule.table, rule.columns, is_event);
    of.check(rule.value);
    for (const Index driver : rule.drivers) role(driver);
    check_row(rule);
  }

  // Every instruction after the row is a row test, remains for a row that passes, or both.
  static void check_row(const Rule& rule) {
    const Block& block = rule.program.block;
    if (!rule.begins_with_row()) return require(rule.row_tests.empty() && rule.row_rest.empty(), "a rule has no row");
    std::vector<bool> is_there(block.size());
    for (const auto* some : {&rule.row_tests, &rule.row_rest}) {
      Index before = 0;
      for (const Index at : *some) {
        require(at > before && at < block.size(), "instructions for a row are out of range, or in no order");
        is_there[at] = true;
        before = at;
      }
    }
    require(std::all_of(is_there.begin() + 1, is_there.end(), std::identity{}), "a condition is left out");
    for (const Index at : rule.row_tests) require(is_of_row(block[at]), "a row cannot decide a condition");
  }
  // Whether an instruction needs only values, and no host.
  static bool is_of_row(const Instruction& one) {
    switch (one.op) {
      case Op::kCompare:
      case Op::kEqual:
      case Op::kAssign:
      case Op::kFacts:
        return std::none_of(one.expressions.begin(), one.expressions.end(), asks_host);
      case Op::kNegate:
      case Op::kChoose:
      case Op::kBranch:
        return std::all_of(one.blocks.begin(), one.blocks.end(),
                           [](const Block& block) { return std::all_of(block.begin(), block.end(), is_of_row); });
      default:
        return false;
    }
  }

  void check(const Delay& delay, const Component& component) const {
    require(is_in(component, delay.trigger.table), "a rule is in the wrong component");
    require(role(delay.trigger.table) == Role::kSimpleFluent, "a rule is about the wrong kind of table");
    const ProgramCheck of = checked(delay.program);
    of.check(delay.trigger);
    of.check(delay.delay);
    of.check(delay.site);
    if (!delay.effect) return;
    require(role(delay.effect->table) == Role::kSimpleFluent, "an effect is on the wrong kind of table");
    of.check(*delay.effect);
  }

  const Plan& plan_;
  std::vector<bool> is_member_;  // by table
};

}  // namespace

void check_plan(const Plan& plan) { PlanCheck(plan).run(); }

}  // namespace holdsfor
