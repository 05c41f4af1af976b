// What is known of a row in advance, against the machine that runs the rules on it.
#include <array>
#include <memory>
#include <set>

#include "arithmetic.h"
#include "checks.h"
#include "machine.h"
#include "row_conditions.h"
#include "rows.h"
#include "world.h"

namespace checks {

using namespace holdsfor;

std::size_t unknown_rows = 0;

namespace {

constexpr Index kColumns = 3;

// Knows no more than the core, and counts what it has to hear.
class CountingHost : public Host {
 public:
  std::size_t questions = 0;
  std::size_t failures = 0;

  std::optional<Value> apply(std::uint8_t, std::span<const Value>) override { return asked(); }
  std::optional<Value> evaluate(Value) override { return asked(); }
  std::optional<Value> aggregate(std::uint8_t, std::span<const Value>) override { return asked(); }
  int compare(Value, Value) override {
    ++questions;
    return 0;
  }
  std::vector<Value> solve(std::uint32_t, std::span<const Value>, std::size_t& answers) override {
    ++questions;
    answers = 0;
    return {};
  }
  std::vector<ListAnswer> solve_lists(std::uint32_t, std::span<const Value>, std::span<const Intervals* const>,
                                      Time) override {
    ++questions;
    return {};
  }
  ZoneDay zone_day(Value, std::int64_t) override { return {}; }
  std::uint32_t why(std::uint8_t, std::span<const Value>) override { return 0; }
  void failed(std::uint32_t, std::span<const Value>, std::uint32_t) override { ++failures; }

 private:
  std::optional<Value> asked() {
    ++questions;
    return std::nullopt;
  }
};

Shape constant(Value value) {
  Shape shape;
  shape.kind = ShapeKind::kConstant;
  shape.constant = value;
  return shape;
}

Shape in_register(Index reg, bool binds = false) {
  Shape shape;
  shape.kind = binds ? ShapeKind::kBind : ShapeKind::kRegister;
  shape.reg = reg;
  return shape;
}

// Random rules on one table of three columns. Registers: 0 the time, 1 to 3 the columns, 4 and more what is found.
class Writer {
 public:
  Writer(Random& random, TermTable& terms) : random_(random), terms_(terms) {}

  // A term for a row or a rule; `odd` ones are no small numbers.
  Value term(bool odd) {
    static constexpr std::array kNumbers = {0.5, 1.5, 2.25, -0.5, 7.75};
    switch (random_.below(odd ? 12 : 6)) {
      case 6:
        return terms_.name(random_.chance(2) ? "a" : "b");
      case 7:
        return Value::integer((std::int64_t{1} << 53U) + static_cast<std::int64_t>(random_.below(3)) - 1);
      case 8:
        return Value::integer(-(std::int64_t{1} << 61U));
      case 9:
        return terms_.real(1e300);
      case 10:
        return terms_.big_integer("99999999999999999999");
      case 11:
        return terms_.real(9007199254740993.5e3);
      case 0:
      case 1:
        return terms_.real(kNumbers.at(random_.below(kNumbers.size())));
      default:
        return Value::integer(static_cast<std::int64_t>(random_.below(9)) - 2);
    }
  }

  Rule rule() {
    Rule found;
    known_ = {0};
    Instruction events;
    events.op = Op::kEvents;
    events.table = 0;
    for (Index column = 0; column < kColumns; ++column) {
      if (random_.chance(6)) {
        events.columns.push_back(constant(term(true)));
      } else if (random_.chance(8)) {
        events.columns.push_back(Shape{});
      } else if (known_.size() > 1 && random_.chance(8)) {
        events.columns.push_back(in_register(known_.back()));
      } else {
        known_.push_back(column + 1);
        events.columns.push_back(in_register(column + 1, true));
      }
    }
    found.program.block.push_back(events);
    next_ = kColumns + 1;
    // The row decides the first conditions. Those before the first that finds something need not be looked at again.
    const std::size_t count = random_.below(4);
    bool is_decided = true;
    for (Index at = 1; at <= count; ++at) {
      found.program.block.push_back(condition(1));
      is_decided = is_decided && !random_.chance(5);
      if (is_decided) found.row_tests.push_back(at);
      if (!is_decided || next_ > kColumns + 1) found.row_rest.push_back(at);
    }
    found.columns = {in_register(known())};
    found.value = constant(term(false));
    found.program.registers = next_;
    return found;
  }

 private:
  Index known() { return known_[random_.below(known_.size())]; }

  Expression expression(std::size_t depth) {
    Expression found;
    if (depth > 0 && random_.chance(4)) {
      static constexpr std::array kFunctions = {Function::kAdd, Function::kMultiply, Function::kDivide, Function::kMax};
      found.kind = ExpressionKind::kApply;
      found.function = static_cast<std::uint8_t>(kFunctions.at(random_.below(kFunctions.size())));
      found.args = {expression(depth - 1), expression(depth - 1)};
    } else if (random_.chance(2)) {
      found.kind = ExpressionKind::kConstant;
      found.constant = term(random_.chance(6));
    } else {
      found.kind = ExpressionKind::kRegister;
      found.reg = known();
    }
    return found;
  }

  Instruction condition(std::size_t depth) {
    Instruction one;
    switch (random_.below(8)) {
      case 0:
        one.op = Op::kAssign;
        one.expressions = {expression(1)};
        if (random_.chance(3)) {
          one.columns = {in_register(known())};
        } else {
          one.columns = {in_register(next_, true)};
          known_.push_back(next_++);
        }
        return one;
      case 1:
        one.op = Op::kEqual;
        one.negated = random_.chance(2);
        one.columns = {in_register(known()), random_.chance(3) ? in_register(known()) : constant(term(true))};
        if (random_.chance(3)) std::swap(one.columns[0], one.columns[1]);
        return one;
      case 2:
        one.op = Op::kFacts;
        one.table = 0;
        one.columns = {in_register(known()), random_.chance(2) ? constant(term(false)) : Shape{}};
        if (random_.chance(3)) {
          one.columns[1] = in_register(next_, true);
          known_.push_back(next_++);
        }
        return one;
      case 3:
        if (depth > 0) {
          const std::vector<Index> before = known_;
          one.op = Op::kNegate;
          one.blocks = {{condition(0), condition(0)}};
          known_ = before;
          return one;
        }
        [[fallthrough]];
      default:
        one.op = Op::kCompare;
        one.comparison = static_cast<Comparison>(random_.below(6));
        one.expressions = {expression(1), expression(1)};
        return one;
    }
  }

  Random& random_;
  TermTable& terms_;
  std::vector<Index> known_;
  Index next_ = 0;
};

std::unique_ptr<Prepared> random_plan(Random& random, Writer& writer) {
  Plan plan;
  plan.tables.push_back({.label = "event", .role = Role::kInputEvent, .columns = kColumns});
  plan.tables.push_back({.label = "fluent", .role = Role::kSimpleFluent, .columns = 1});
  FactTable facts{.label = "fact", .columns = 2, .rows = {}, .count = random.below(6)};
  for (std::size_t cell = 0; cell < facts.count * 2; ++cell) facts.rows.push_back(writer.term(true));
  plan.facts.push_back(facts);
  Component component;
  component.tables = {1};
  for (std::size_t count = random.chance(10) ? 40 : 1 + random.below(4); count > 0; --count) {
    component.rules.push_back(writer.rule());
    component.rules.back().table = 1;
    component.rules.back().drivers = {0};
  }
  plan.stages.push_back({.components = {component}, .key = 0, .members = {}, .inputs = {}});
  return std::make_unique<Prepared>(std::move(plan));
}

}  // namespace

void check_row_conditions(unsigned seed) {
  Random random(seed);
  TermTable terms;
  Writer writer(random, terms);
  const auto prepared = random_plan(random, writer);
  const RowConditions conditions(*prepared, 0);
  RowTester tester(conditions, terms);
  CountingHost host;
  World world(*prepared, terms, host);
  Machine machine(world);
  Machine other(world);  // for what is left: the registers of the first have the values that it must find by itself
  EventRows rows(kColumns);
  for (std::size_t count = 0; count < kRowsEach; ++count) {
    const Time time = static_cast<Time>(random.below(8)) + (random.chance(20) ? Time{1} << 62U : 0);
    std::vector<Value> row;
    const bool is_odd = random.chance(2);
    for (Index column = 0; column < kColumns; ++column) row.push_back(writer.term(is_odd && random.chance(3)));
    rows.add(time, row);
  }
  std::vector<Passes> tested(kRowsEach);
  const std::size_t some = random.below(kRowsEach);
  tester.test(0, rows, 0, std::span(tested).first(some));
  tester.test(0, rows, some, std::span(tested).subspan(some));
  std::size_t unknown = 0;
  for (std::size_t number = 0; number < kRowsEach; ++number) {
    const Time time = rows.time(number);
    std::vector<Value> row;
    for (Index column = 0; column < kColumns; ++column) row.push_back(Value::from_word(rows.args(number)[column]));
    const Passes passes = tested[number];
    unknown += passes == RowHead::kUnknown ? 1 : 0;
    world.set_now(time);
    for (const Rule& rule : prepared->plan.stages[0].components[0].rules) {
      if (rule.row_bit == Rule::kNoRowBit) continue;
      host.questions = host.failures = 0;
      std::set<std::uint64_t> solutions;
      machine.run_on_row(rule.program, row, [&](const Machine::Frame& frame) {
        solutions.insert(machine.build(rule.columns[0], frame).word());
        return false;
      });
      const bool is_plain = host.questions == 0 && host.failures == 0;
      if (passes == RowHead::kUnknown) continue;
      const bool is_set = (passes >> rule.row_bit & 1U) != 0;
      // The rule may be left out only if it finds nothing and says nothing.
      CHECK(is_set || (solutions.empty() && is_plain));
      // What is left finds the same, and has the same to say.
      Program left = rule.program;
      left.block.resize(1);
      left.block.insert(left.block.end(), rule.rest.begin(), rule.rest.end());
      host.questions = host.failures = 0;
      std::set<std::uint64_t> found;
      other.run_on_row(left, row, [&](const Machine::Frame& frame) {
        found.insert(other.build(rule.columns[0], frame).word());
        return false;
      });
      const bool is_left_plain = host.questions == 0 && host.failures == 0;
      CHECK(!is_set || (found == solutions && is_left_plain == is_plain));
    }
  }
  unknown_rows += unknown;
}

}  // namespace checks
