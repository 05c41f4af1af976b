#include "metric_body.h"

#include <algorithm>

namespace holdsfor {
namespace {

Shape in_register(Index reg) {
  Shape found;
  found.kind = ShapeKind::kRegister;
  found.reg = reg;
  return found;
}

std::vector<Index> registers_of(const MetricLiteral& literal) {
  std::vector<Index> found;
  if (const auto* scan = std::get_if<MetricScan>(&literal)) {
    for (const Shape& shape : scan->columns) {
      if (shape.kind == ShapeKind::kRegister) found.push_back(shape.reg);
    }
  } else if (const auto* test = std::get_if<MetricTest>(&literal)) {
    found = test->left_registers;
    found.insert(found.end(), test->right_registers.begin(), test->right_registers.end());
  } else {
    const auto& total = std::get<MetricTotal>(literal);
    found = total.groups;
    found.push_back(total.result);
  }
  return found;
}

}  // namespace

MetricBody::MetricBody(const MetricJoin& rule, TermTable& terms, Host& host)
    : rule_(rule), terms_(terms), host_(host), arithmetic_(terms, host), totals_(rule.literals.size()) {
  for (std::size_t i = 0; i < rule.literals.size(); ++i) {
    registers_of_.push_back(holdsfor::registers_of(rule.literals[i]));
    if (const auto* total = std::get_if<MetricTotal>(&rule.literals[i])) {
      for (const Index reg : total->groups) totals_[i].columns.push_back(in_register(reg));
      totals_[i].columns.push_back(in_register(total->result));
    }
  }
  tables_.resize(rule.literals.size());
  registers_.resize(rule.registers);
  steps_.resize(rule.literals.size());
  lists_.resize(rule.literals.size() + 1);
  spare_.resize(rule.literals.size() + 1);
}

void MetricBody::begin() {
  for (TotalTable& one : totals_) one.table.reset();
}

const MetricTable& MetricBody::total_of(std::size_t literal, TableOf table_of) {
  const auto& total = std::get<MetricTotal>(rule_.literals[literal]);
  auto& made = totals_[literal].table;
  if (!made) {
    made.emplace(total.groups.size() + 1);
    find_totals(total, table_of(total.scan.relation), terms_, host_, arithmetic_, *made);
  }
  return *made;
}

void MetricBody::solve(TableOf table_of, Derived& out, std::size_t changed, const Fresh* fresh) {
  if (!plan(table_of, changed)) return;
  fresh_ = fresh;
  out_ = &out;
  run(0, always_);
}

// Orders the conditions: first the changed scan, then the smallest table that shares a variable with bound ones. Tests
// run as early as possible, negation last. False if a table is empty.
bool MetricBody::plan(TableOf table_of, std::size_t changed) {
  const std::size_t count = rule_.literals.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto* scan = std::get_if<MetricScan>(&rule_.literals[i]);
    if (scan == nullptr) continue;
    tables_[i] = &table_of(scan->relation);
    if (!scan->negated && tables_[i]->is_empty()) return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (std::holds_alternative<MetricTotal>(rule_.literals[i])) tables_[i] = &total_of(i, table_of);
  }
  is_bound_.assign(rule_.registers, false);
  std::vector<std::size_t> waiting(count);
  for (std::size_t i = 0; i < count; ++i) waiting[i] = i;
  step_count_ = 0;
  while (!waiting.empty()) {
    const auto best = std::min_element(waiting.begin(), waiting.end(), [&](std::size_t one, std::size_t other) {
      return rank(one, one == changed) < rank(other, other == changed);
    });
    add_step(*best, changed);
    waiting.erase(best);
  }
  return true;
}

bool MetricBody::is_bound(const std::vector<Index>& registers) const {
  return std::all_of(registers.begin(), registers.end(), [&](Index reg) { return is_bound_[reg]; });
}

// Whether a test binds the register on one of its sides.
bool MetricBody::gives(const MetricTest& test, bool is_left) const {
  const Expression& side = is_left ? test.left : test.right;
  return test.comparison == Comparison::kEqual && side.kind == ExpressionKind::kRegister && !is_bound_[side.reg] &&
         is_bound(is_left ? test.right_registers : test.left_registers);
}

std::pair<int, std::size_t> MetricBody::rank(std::size_t literal, bool is_changed) const {
  const MetricLiteral& one = rule_.literals[literal];
  const auto& registers = registers_of_[literal];
  if (const auto* scan = std::get_if<MetricScan>(&one)) {
    if (scan->negated) return {9, 0};
    if (is_changed) return {0, 0};
    const bool is_first = std::find(is_bound_.begin(), is_bound_.end(), true) == is_bound_.end();
    const bool is_joined = std::any_of(registers.begin(), registers.end(), [&](Index reg) { return is_bound_[reg]; });
    return {is_first || is_joined ? 2 : 4, tables_[literal]->rows()};
  }
  const auto* test = std::get_if<MetricTest>(&one);
  if (test == nullptr) return {5, 0};
  if (is_bound(registers)) return {1, 0};
  return gives(*test, true) || gives(*test, false) ? std::pair<int, std::size_t>{1, 1}
                                                   : std::pair<int, std::size_t>{10, 0};
}

void MetricBody::add_step(std::size_t literal, std::size_t changed) {
  const MetricLiteral& one = rule_.literals[literal];
  Step& step = steps_[step_count_++];
  step.literal = &one;
  step.table = tables_[literal];
  step.index = nullptr;
  step.is_negated = false;
  step.is_fresh = literal == changed;
  step.known.clear();
  step.binds.clear();
  step.repeats.clear();
  step.test = std::get_if<MetricTest>(&one);
  step.defines.reset();
  if (step.test != nullptr) {
    for (const bool is_left : {true, false}) {
      if (step.defines || !gives(*step.test, is_left)) continue;
      step.defines = (is_left ? step.test->left : step.test->right).reg;
      step.source = is_left ? &step.test->right : &step.test->left;
    }
  } else if (const auto* scan = std::get_if<MetricScan>(&one)) {
    step.is_negated = scan->negated;
    add_columns(step, scan->columns);
  } else {
    add_columns(step, totals_[literal].columns);
  }
  for (const Index reg : registers_of_[literal]) is_bound_[reg] = true;
}

void MetricBody::add_columns(Step& step, const std::vector<Shape>& columns) {
  std::vector<Index> places;
  for (Index column = 0; column < columns.size(); ++column) {
    const Shape& shape = columns[column];
    if (shape.kind == ShapeKind::kAnything) continue;
    if (shape.kind == ShapeKind::kConstant || is_bound_[shape.reg]) {
      step.known.emplace_back(column, &shape);
      places.push_back(column);
      continue;
    }
    const bool is_repeated =
        std::any_of(step.binds.begin(), step.binds.end(), [&](const auto& bind) { return bind.second == shape.reg; });
    (is_repeated ? step.repeats : step.binds).emplace_back(column, shape.reg);
  }
  if (!places.empty() && !step.is_fresh) step.index = &step.table->index(places);
}

void MetricBody::run(std::size_t at, const Intervals& during) {
  if (at == step_count_) return emit(during);
  const Step& step = steps_[at];
  if (step.test != nullptr) {
    if (passes(step)) run(at + 1, during);
  } else if (step.is_fresh) {
    run_fresh(step);
  } else if (step.is_negated) {
    run_negated(at, during);
  } else {
    run_scan(at, during);
  }
}

// Starts with the changed pieces.
void MetricBody::run_fresh(const Step& step) {
  Intervals& list = lists_[0];
  for (const FreshPiece& piece : *fresh_) {
    if (!match(step, piece.row)) continue;
    list.assign(1, piece.during);
    run(1, list);
  }
}

void MetricBody::run_scan(std::size_t at, const Intervals& during) {
  const Step& step = steps_[at];
  const bool is_always = &during == &always_;
  each_match(step, [&](Index row) {
    const Intervals& list = step.table->list(row);
    if (is_always) return run(at + 1, list);
    intersect(during, list, lists_[at]);
    if (!lists_[at].empty()) run(at + 1, lists_[at]);
  });
}

void MetricBody::run_negated(std::size_t at, const Intervals& during) {
  const Step& step = steps_[at];
  Intervals& rest = lists_[at];
  rest = during;
  each_match(step, [&](Index row) {
    if (rest.empty()) return;
    subtract(rest, step.table->list(row), spare_[at]);
    rest.swap(spare_[at]);
  });
  if (!rest.empty()) run(at + 1, rest);
}

void MetricBody::each_match(const Step& step, FunctionRef<void(Index row)> see) {
  if (step.index == nullptr) {
    for (Index row = 0; row < step.table->rows(); ++row) {
      if (match(step, row)) see(row);
    }
    return;
  }
  std::uint64_t hash = 0;
  for (const auto& [column, shape] : step.known) hash = mix(hash, known_value(*shape).word());
  for (Index row = step.index->first(hash); row != kNoRow; row = step.index->next(row)) {
    if (match(step, row)) see(row);
  }
}

bool MetricBody::match(const Step& step, Index row) {
  const auto args = step.table->args(row);
  for (const auto& [column, shape] : step.known) {
    if (args[column] != known_value(*shape)) return false;
  }
  for (const auto& [column, reg] : step.binds) registers_[reg] = args[column];
  return std::all_of(step.repeats.begin(), step.repeats.end(),
                     [&](const auto& repeat) { return args[repeat.first] == registers_[repeat.second]; });
}

bool MetricBody::are_numbers(const std::vector<Index>& registers) const {
  return std::all_of(registers.begin(), registers.end(), [&](Index reg) { return terms_.is_number(registers_[reg]); });
}

// The term on a side of a comparison that is not an expression.
std::optional<Value> MetricBody::plain(const Expression& expression) const {
  if (expression.kind == ExpressionKind::kConstant) return expression.constant;
  if (expression.kind == ExpressionKind::kRegister) return registers_[expression.reg];
  return std::nullopt;
}

bool MetricBody::passes(const Step& step) {
  const MetricTest& test = *step.test;
  if (step.defines) {
    auto value = plain(*step.source);
    if (!value) {
      const bool is_left = step.source == &test.left;
      if (!are_numbers(is_left ? test.left_registers : test.right_registers)) return false;
      value = arithmetic_.evaluate(*step.source, registers_);
      if (!value) return false;
      value = arithmetic_.term(*value);
    }
    registers_[*step.defines] = *value;
    return true;
  }
  if (!test.is_numeric) {
    return (plain(test.left) == plain(test.right)) == (test.comparison == Comparison::kEqual);
  }
  if (!are_numbers(test.left_registers) || !are_numbers(test.right_registers)) return false;
  const auto left = arithmetic_.evaluate(test.left, registers_);
  const auto right = arithmetic_.evaluate(test.right, registers_);
  return left && right && arithmetic_.compare(test.comparison, *left, *right);
}

void MetricBody::emit(const Intervals& during) {
  for (const Interval& one : during) {
    for (const Shape& term : rule_.terms) out_->cells.push_back(known_value(term));
    out_->during.push_back(one);
  }
}

}  // namespace holdsfor
