#include "row_columns.h"

#include <algorithm>
#include <cmath>

#include "arithmetic.h"
#include "formulas.h"
#include "prepared.h"

namespace holdsfor {
namespace {

using Kind = ColumnSource::Kind;
using Found = ColumnLookup::Found;

// Limit of the lookup table by term code, in entries for each fact.
constexpr std::size_t kCodesForFact = 16;

// The fact with the values `given(i)`, or the reason why there is none.
template <typename Given>
std::int32_t find_fact(const FactIndex& index, const FactTable& facts, const Given& given) {
  std::int32_t found = Found::kNoFact;
  index.any_match(facts, given, [&](Index fact, const Value*) {
    const bool is_second = found != Found::kNoFact;
    found = is_second ? std::int32_t{Found::kSeveral} : static_cast<std::int32_t>(fact);
    return is_second;
  });
  return found;
}

// Whether a formula reads only known values of rows.
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
  ColumnLookup lookup;
  lookup.facts = one.table;
  lookup.index = one.out;
  for (const Index place : prepared.fact_indexes[one.out].places()) {
    const Shape& shape = one.columns[place];
    const ColumnSource source = shape.kind == ShapeKind::kConstant
                                    ? ColumnSource{.kind = Kind::kConstant, .constant = shape.constant}
                                    : into.sources[shape.reg];
    // For a computed number it is unknown whether it is an integer, so it is not a term.
    const bool is_term =
        source.kind == Kind::kArgument || source.kind == Kind::kLookup || source.kind == Kind::kConstant;
    if (!is_term) return false;
    lookup.keys.push_back(source);
  }
  const Index facts = lookup.facts;
  const Index number = add_lookup(std::move(lookup), prepared);
  for (const auto& [place, reg] : one.gives_registers) {
    const Index column = add_fact_numbers(prepared.plan.facts[facts], {facts, place});
    into.sources[reg] = {.kind = Kind::kLookup, .number = number, .column = place, .numbers = column};
  }
  into.steps.push_back({.kind = ColumnStep::Kind::kLookup, .number = number, .left = {}, .right = {}});
  return true;
}

Index ColumnTests::add_fact_numbers(const FactTable& facts, std::pair<Index, Index> column) {
  const auto known = std::find_if(fact_numbers.begin(), fact_numbers.end(),
                                  [&](const FactNumbers& one) { return one.column == column; });
  const auto number = static_cast<Index>(known - fact_numbers.begin());
  if (known != fact_numbers.end()) return number;
  FactNumbers& made = fact_numbers.emplace_back();
  made.column = column;
  for (std::size_t fact = 0; fact < facts.count; ++fact) {
    made.numbers.push_back(small_number(facts.rows[fact * facts.columns + column.second]));
  }
  return number;
}

// The number of a lookup, shared between rules.
Index ColumnTests::add_lookup(ColumnLookup lookup, const Prepared& prepared) {
  for (Index number = 0; number < lookups.size(); ++number) {
    if (lookups[number].is_like(lookup)) return number;
  }
  const FactIndex& index = prepared.fact_indexes[lookup.index];
  const FactTable& facts = prepared.plan.facts[lookup.facts];
  for (Index place = 0; place < lookup.keys.size(); ++place) {
    if (lookup.keys[place].kind == Kind::kConstant) continue;
    if (lookup.variable) {
      lookup.variable.reset();
      break;
    }
    lookup.variable = place;
  }
  if (lookup.variable) {
    const ColumnSource source = lookup.keys[*lookup.variable];
    const auto find_for = [&](Value value) {
      return find_fact(index, facts,
                       [&](std::size_t i) { return i == *lookup.variable ? value : lookup.keys[i].constant; });
    };
    if (source.kind == Kind::kLookup) {
      const FactTable& others = prepared.plan.facts[lookups[source.number].facts];
      for (std::size_t fact = 0; fact < others.count; ++fact) {
        lookup.known.push_back(find_for(others.rows[fact * others.columns + source.column]));
      }
    } else {
      const Index place = index.places()[*lookup.variable];
      const std::size_t most = kCodesForFact * (facts.count + 64);
      for (std::size_t fact = 0; fact < facts.count; ++fact) {
        const Value value = facts.rows[fact * facts.columns + place];
        if (!value.is_code() || value.as_code() >= most) continue;
        if (lookup.known.size() <= value.as_code())
          lookup.known.resize(value.as_code() + std::size_t{1}, Found::kNoFact);
        lookup.known[value.as_code()] = find_for(value);
      }
    }
  }
  lookups.push_back(std::move(lookup));
  return static_cast<Index>(lookups.size() - 1);
}

void ColumnTester::begin(const ColumnTests& tests, const EventRows& rows, std::size_t first, std::size_t count) {
  tests_ = &tests;
  rows_ = &rows;
  first_ = first;
  count_ = count;
  found_.assign(tests.lookups.size() * count, Found::kNotLookedUp);
  numbers_.resize(tests.numbers * count);
  arguments_.resize(rows.width() * count);
  has_argument_.assign(rows.width(), false);
  stack_.resize(2 * kDeepestFormula * count);
}

void ColumnTester::test(const ColumnProgram& program, std::vector<std::uint32_t>& selected,
                        std::vector<std::uint32_t>& undecided) {
  for (const ColumnStep& step : program.steps) {
    if (step.kind == ColumnStep::Kind::kLookup) {
      look_up(step.number, selected, undecided);
      continue;
    }
    const double* const left = compute(step.left, program, selected, 0);
    std::size_t kept = 0;
    if (step.kind == ColumnStep::Kind::kAssign) {
      double* const into = numbers_.data() + step.number * count_;
      for (std::size_t i = 0; i < selected.size(); ++i) {
        const std::uint32_t row = selected[i];
        if (std::isnan(left[i])) undecided.push_back(row);
        into[row] = left[i];
        selected[kept] = row;
        kept += static_cast<std::size_t>(!std::isnan(left[i]));
      }
    } else {
      const double* const right = compute(step.right, program, selected, kDeepestFormula);
      for (std::size_t i = 0; i < selected.size(); ++i) {
        if (std::isunordered(left[i], right[i])) undecided.push_back(selected[i]);
      }
      // Comparisons with NaN are false, except inequality.
      const auto keep_if = [&](const auto& is_kept) {
        for (std::size_t i = 0; i < selected.size(); ++i) {
          selected[kept] = selected[i];
          kept += static_cast<std::size_t>(is_kept(left[i], right[i]));
        }
      };
      switch (step.comparison) {
        case Comparison::kLess:
          keep_if([](double a, double b) { return a < b; });
          break;
        case Comparison::kGreater:
          keep_if([](double a, double b) { return a > b; });
          break;
        case Comparison::kAtMost:
          keep_if([](double a, double b) { return a <= b; });
          break;
        case Comparison::kAtLeast:
          keep_if([](double a, double b) { return a >= b; });
          break;
        default:
          keep_if([&](double a, double b) { return !std::isunordered(a, b) && holds(step.comparison, a, b); });
      }
    }
    selected.resize(kept);
  }
}

// Keeps the rows with exactly one fact.
void ColumnTester::look_up(Index number, std::vector<std::uint32_t>& selected, std::vector<std::uint32_t>& undecided) {
  const ColumnLookup& lookup = tests_->lookups[number];
  std::int32_t* const found = found_.data() + number * count_;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const std::uint32_t row = selected[i];
    if (found[row] == Found::kNotLookedUp) found[row] = find(lookup, row);
    if (found[row] == Found::kSeveral) undecided.push_back(row);
    selected[kept] = row;
    kept += static_cast<std::size_t>(found[row] >= 0);
  }
  selected.resize(kept);
}

// The fact of a row, or the reason why there is none.
std::int32_t ColumnTester::find(const ColumnLookup& lookup, std::uint32_t row) const {
  if (lookup.variable) {
    const ColumnSource& source = lookup.keys[*lookup.variable];
    if (source.kind == Kind::kLookup) {
      return lookup.known[static_cast<std::size_t>(found_[source.number * count_ + row])];
    }
    const Value key = value(source, row);
    if (key.is_code() && key.as_code() < lookup.known.size()) return lookup.known[key.as_code()];
  }
  return find_fact(prepared_->fact_indexes[lookup.index], prepared_->plan.facts[lookup.facts],
                   [&](std::size_t i) { return value(lookup.keys[i], row); });
}

Value ColumnTester::value(const ColumnSource& source, std::uint32_t row) const {
  if (source.kind == Kind::kArgument) return Value::from_word(rows_->args(first_ + row)[source.number]);
  if (source.kind == Kind::kConstant) return source.constant;
  const FactTable& facts = prepared_->plan.facts[tests_->lookups[source.number].facts];
  const auto fact = static_cast<std::size_t>(found_[source.number * count_ + row]);
  return facts.rows[fact * facts.columns + source.column];
}

// An argument of all rows, as numbers.
std::span<const double> ColumnTester::argument(Index place) {
  const std::span<double> column(arguments_.data() + place * count_, count_);
  if (!has_argument_[place]) {
    const std::uint64_t* word = rows_->args(first_) + place;
    for (double& one : column) {
      one = small_number(Value::from_word(*word));
      word += rows_->width();
    }
    has_argument_[place] = true;
  }
  return column;
}

void ColumnTester::read(const ColumnSource& source, std::span<const std::uint32_t> rows, double* into) {
  const auto gather = [&](const auto& number_of) {
    for (const std::uint32_t row : rows) *into++ = number_of(row);
  };
  switch (source.kind) {
    case Kind::kNumber:
      return gather([own = numbers_.data() + source.number * count_](std::uint32_t row) { return own[row]; });
    case Kind::kArgument:
      return gather([own = argument(source.number)](std::uint32_t row) { return own[row]; });
    case Kind::kLookup:
      return gather(
          [found = found_.data() + source.number * count_,
           own = tests_->fact_numbers[source.numbers].numbers.data()](std::uint32_t row) { return own[found[row]]; });
    case Kind::kTime:
      return gather([&](std::uint32_t row) {
        const Time time = rows_->time(first_ + row);
        return Value::fits(time) ? small_number(Value::integer(time)) : kUnknownNumber;
      });
    default:
      return gather([number = small_number(source.constant)](std::uint32_t) { return number; });
  }
}

double* ColumnTester::compute(const Formula& formula, const ColumnProgram& program, std::span<const std::uint32_t> rows,
                              std::size_t place) {
  double* const base = stack_.data() + place * count_;
  double* top = base;  // one past the last column
  for (const FormulaStep& step : formula) {
    switch (step.kind) {
      case FormulaStep::Kind::kConstant:
        std::fill_n(top, rows.size(), step.constant);
        top += count_;
        break;
      case FormulaStep::Kind::kRegister:
        read(program.sources[step.reg], rows, top);
        top += count_;
        break;
      case FormulaStep::Kind::kOne:
        apply_function(step.function, {top - count_, rows.size()});
        break;
      case FormulaStep::Kind::kTwo:
        top -= count_;
        apply_function(step.function, {top - count_, rows.size()}, top);
    }
  }
  return base;
}

}  // namespace holdsfor
