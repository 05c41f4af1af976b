#include "row_columns.h"

#include <algorithm>
#include <cmath>

#include "arithmetic.h"
#include "formulas.h"
#include "prepared.h"

namespace holdsfor {
namespace {

using Kind = ColumnSource::Kind;

// Whether a formula reads only what is known of rows.
bool is_known(const Formula& formula, const std::vector<ColumnSource>& sources) {
  return !formula.empty() && std::none_of(formula.begin(), formula.end(), [&](const FormulaStep& step) {
    return step.kind == FormulaStep::Kind::kRegister && sources[step.reg].kind == Kind::kNothing;
  });
}

}  // namespace

std::optional<ColumnProgram> ColumnTests::make(const Program& program, const Prepared& prepared) {
  ColumnProgram made;
  made.sources.resize(program.registers);
  made.sources[0].kind = Kind::kTime;
  const auto& columns = program.block[0].columns;
  for (Index place = 0; place < columns.size(); ++place) {
    if (columns[place].kind == ShapeKind::kBind) {
      made.sources[columns[place].reg] = {.kind = Kind::kArgument, .number = place};
    } else if (columns[place].kind != ShapeKind::kAnything && columns[place].kind != ShapeKind::kConstant) {
      return std::nullopt;
    }
  }
  for (std::size_t at = 1; at < program.block.size(); ++at) {
    if (!add(program.block[at], prepared, made)) return std::nullopt;
  }
  return made;
}

bool ColumnTests::add(const Instruction& one, const Prepared& prepared, ColumnProgram& into) {
  if (one.op == Op::kFacts) return add_lookup(one, prepared, into);
  if (one.op != Op::kCompare && one.op != Op::kAssign) return false;
  if (!is_known(one.expressions[0].formula, into.sources)) return false;
  ColumnStep step{.kind = ColumnStep::Kind::kCompare, .comparison = one.comparison, .left = {}, .right = {}};
  step.left = one.expressions[0].formula;
  if (one.op == Op::kCompare) {
    if (!is_known(one.expressions[1].formula, into.sources)) return false;
    step.right = one.expressions[1].formula;
  } else {
    if (one.columns[0].kind != ShapeKind::kBind) return false;
    step.kind = ColumnStep::Kind::kAssign;
    step.number = numbers++;
    into.sources[one.columns[0].reg] = {.kind = Kind::kNumber, .number = step.number};
  }
  into.steps.push_back(std::move(step));
  return true;
}

bool ColumnTests::add_lookup(const Instruction& one, const Prepared& prepared, ColumnProgram& into) {
  if (!one.is_plain) return false;
  ColumnLookup lookup{.facts = one.table, .index = one.out, .keys = {}};
  for (const Index place : prepared.fact_indexes[one.out].places()) {
    const Shape& shape = one.columns[place];
    const ColumnSource source = shape.kind == ShapeKind::kConstant
                                    ? ColumnSource{.kind = Kind::kConstant, .constant = shape.constant}
                                    : into.sources[shape.reg];
    // Of a number it is not known whether it is a whole one.
    const bool is_term =
        source.kind == Kind::kArgument || source.kind == Kind::kLookup || source.kind == Kind::kConstant;
    if (!is_term) return false;
    lookup.keys.push_back(source);
  }
  const auto known = std::find(lookups.begin(), lookups.end(), lookup);
  const auto number = static_cast<Index>(known - lookups.begin());
  if (known == lookups.end()) lookups.push_back(std::move(lookup));
  for (const auto& [place, reg] : one.gives_registers) {
    into.sources[reg] = {.kind = Kind::kLookup, .number = number, .column = place};
  }
  into.steps.push_back({.kind = ColumnStep::Kind::kLookup, .number = number, .left = {}, .right = {}});
  return true;
}

void ColumnTester::begin(const ColumnTests& tests, const EventRows& rows, std::size_t first, std::size_t count) {
  tests_ = &tests;
  rows_ = &rows;
  first_ = first;
  count_ = count;
  found_.assign(tests.lookups.size() * count, kNotLookedUp);
  numbers_.resize(tests.numbers * count);
}

void ColumnTester::test(const ColumnProgram& program, std::vector<std::uint32_t>& selected,
                        std::vector<std::uint32_t>& undecided) {
  for (const ColumnStep& step : program.steps) {
    std::size_t kept = 0;
    const auto keep = [&](std::uint32_t row) { selected[kept++] = row; };
    for (const std::uint32_t row : selected) {
      if (step.kind == ColumnStep::Kind::kLookup) {
        const std::int32_t found = look_up(step.number, row);
        if (found >= 0) keep(row);
        if (found == kSeveral) undecided.push_back(row);
        continue;
      }
      const double left = number(step.left, program, row);
      if (step.kind == ColumnStep::Kind::kAssign) {
        if (std::isnan(left)) {
          undecided.push_back(row);
          continue;
        }
        numbers_[step.number * count_ + row] = left;
        keep(row);
        continue;
      }
      const double right = number(step.right, program, row);
      if (std::isunordered(left, right)) {
        undecided.push_back(row);
      } else if (holds(step.comparison, left, right)) {
        keep(row);
      }
    }
    selected.resize(kept);
  }
}

// The fact that a row has, or why there is none.
std::int32_t ColumnTester::look_up(Index number, std::uint32_t row) {
  std::int32_t& found = found_[number * count_ + row];
  if (found != kNotLookedUp) return found;
  const ColumnLookup& lookup = tests_->lookups[number];
  const FactIndex& index = prepared_->fact_indexes[lookup.index];
  const FactTable& facts = prepared_->plan.facts[lookup.facts];
  found = kNoFact;
  index.any_match(
      facts, [&](std::size_t i) { return value(lookup.keys[i], row); },
      [&](Index fact, const Value*) {
        const bool is_second = found != kNoFact;
        found = is_second ? kSeveral : static_cast<std::int32_t>(fact);
        return is_second;
      });
  return found;
}

Value ColumnTester::value(const ColumnSource& source, std::uint32_t row) const {
  if (source.kind == Kind::kArgument) return Value::from_word(rows_->args(first_ + row)[source.number]);
  if (source.kind == Kind::kConstant) return source.constant;
  const FactTable& facts = prepared_->plan.facts[tests_->lookups[source.number].facts];
  const auto fact = static_cast<std::size_t>(found_[source.number * count_ + row]);
  return facts.rows[fact * facts.columns + source.column];
}

double ColumnTester::number(const ColumnSource& source, std::uint32_t row) const {
  if (source.kind == Kind::kNumber) return numbers_[source.number * count_ + row];
  if (source.kind != Kind::kTime) return small_number(value(source, row));
  const Time time = rows_->time(first_ + row);
  return Value::fits(time) ? small_number(Value::integer(time)) : kUnknownNumber;
}

double ColumnTester::number(const Formula& formula, const ColumnProgram& program, std::uint32_t row) const {
  const auto get = [&](Index reg) { return number(program.sources[reg], row); };
  if (formula.size() > 1) return value_with(formula, get);
  return formula[0].kind == FormulaStep::Kind::kRegister ? get(formula[0].reg) : formula[0].constant;
}

}  // namespace holdsfor
