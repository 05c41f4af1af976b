#include "row_conditions.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "host.h"
#include "machine.h"
#include "world.h"

namespace holdsfor {
namespace {

constexpr unsigned kMostBits = 31;  // the last bit is set only if nothing is known

bool takes_every_row(const Instruction& events) {
  return std::all_of(events.columns.begin(), events.columns.end(), [](const Shape& shape) {
    return shape.kind == ShapeKind::kAnything || shape.kind == ShapeKind::kBind;
  });
}

}  // namespace

void assign_row_bits(Plan& plan) {
  for (Stage& stage : plan.stages) {
    std::vector<unsigned> next(plan.tables.size(), 0);
    for (Component& component : stage.components) {
      for (Rule& rule : component.rules) {
        if (!rule.begins_with_row()) continue;
        const Block& block = rule.program.block;
        for (const Index at : rule.row_rest) rule.rest.push_back(block[at]);
        if (rule.row_tests.empty() && takes_every_row(block[0])) continue;
        unsigned& bit = next[block[0].table];
        if (bit == kMostBits) continue;
        rule.row_bit = static_cast<std::uint8_t>(bit++);
      }
    }
  }
}

// Compiles the conditions of rules to tests of columns.
class RowConditions::Compiler {
 public:
  Compiler(const Prepared& prepared, std::vector<OfTable>& tables)
      : prepared_(prepared), plan_(prepared.plan), tables_(tables) {}

  void add(const Rule& rule) {
    const Block& block = rule.program.block;
    of_ = &tables_[block[0].table];
    bit_ = Passes{1} << rule.row_bit;
    of_->all |= bit_;
    place_of_.assign(rule.program.registers, std::nullopt);
    place_of_[0] = kTime;
    bool is_whole = match(block[0]);
    // After a condition that is not a simple test, later conditions must not suppress its reports.
    for (std::size_t i = 0; i < rule.row_tests.size() && is_whole; ++i) is_whole = condition(block[rule.row_tests[i]]);
    if (is_whole) return;
    Rest rest{.bit = bit_,
              .program = {.block = {}, .registers = rule.program.registers, .lists = rule.program.lists},
              .columns = {}};
    rest.program.block.push_back(block[0]);
    for (const Index at : rule.row_tests) rest.program.block.push_back(block[at]);
    rest.columns = of_->column_tests.make(rest.program, prepared_);
    of_->rest.push_back(std::move(rest));
  }

 private:
  bool match(const Instruction& events) {
    bool is_whole = true;
    for (Place place = 0; place < events.columns.size(); ++place) {
      const Shape& shape = events.columns[place];
      if (shape.kind == ShapeKind::kBind) {
        place_of_[shape.reg] = place;
      } else if (shape.kind == ShapeKind::kConstant) {
        only(of_->columns, place, {shape.constant.word()});
      } else if (shape.kind != ShapeKind::kAnything) {
        is_whole = false;
      }
    }
    return is_whole;
  }

  bool condition(const Instruction& one) {
    switch (one.op) {
      case Op::kCompare:
        return compare(one);
      case Op::kEqual:
        return equal(one);
      case Op::kFacts:
        return facts(one);
      default:
        return false;
    }
  }

  bool compare(const Instruction& one) {
    const Expression* number = one.expressions.data();
    const Expression* limit = &one.expressions[1];
    Comparison comparison = one.comparison;
    if (number->kind == ExpressionKind::kConstant) {
      std::swap(number, limit);
      comparison = mirrored(comparison);
    }
    if (number->kind != ExpressionKind::kRegister || limit->kind != ExpressionKind::kConstant) return false;
    const auto place = place_of_[number->reg];
    const auto value = exact(limit->constant);
    if (!place || !value) return false;
    Limits& of_place = limits_of(*place);
    of_place.bits |= bit_;
    insert(of_place, *value);
    const auto at = static_cast<std::size_t>(std::lower_bound(of_place.limits.begin(), of_place.limits.end(), *value) -
                                             of_place.limits.begin());
    for (std::size_t position = 0; position < of_place.passes.size(); ++position) {
      const int order = position < 2 * at + 1 ? -1 : position == 2 * at + 1 ? 0 : 1;
      if (!holds(comparison, order)) of_place.passes[position] &= ~bit_;
    }
    return true;
  }

  bool equal(const Instruction& one) {
    const Shape* term = one.columns.data();
    const Shape* constant = &one.columns[1];
    if (term->kind == ShapeKind::kConstant) std::swap(term, constant);
    const auto place = place_of(*term);
    if (!place || *place == kTime || constant->kind != ShapeKind::kConstant) return false;
    if (one.negated) {
      passes_of(words_of(of_->words, *place), constant->constant.word()) &= ~bit_;
    } else {
      only(of_->words, *place, {constant->constant.word()});
    }
    return true;
  }

  // A membership test of one value in facts.
  bool facts(const Instruction& one) {
    std::optional<Place> place;
    std::size_t column = 0;
    for (std::size_t i = 0; i < one.columns.size(); ++i) {
      const Shape& shape = one.columns[i];
      // The rule itself reads the other columns of the fact.
      if (shape.kind == ShapeKind::kConstant || shape.kind == ShapeKind::kAnything || shape.kind == ShapeKind::kBind) {
        continue;
      }
      if (place || !place_of(shape) || *place_of(shape) == kTime) return false;
      place = place_of(shape);
      column = i;
    }
    if (!place) return false;
    const FactTable& table = plan_.facts[one.table];
    std::vector<std::uint64_t> found;
    for (std::size_t row = 0; row < table.count; ++row) {
      const Value* values = table.rows.data() + row * table.columns;
      bool is_match = true;
      for (std::size_t i = 0; i < one.columns.size(); ++i) {
        const Shape& shape = one.columns[i];
        is_match = is_match && (shape.kind != ShapeKind::kConstant || shape.constant == values[i]);
      }
      if (is_match) found.push_back(values[column].word());
    }
    only(of_->words, *place, std::move(found));
    return true;
  }

  [[nodiscard]] std::optional<Place> place_of(const Shape& shape) const {
    return shape.kind == ShapeKind::kRegister ? place_of_[shape.reg] : std::nullopt;
  }

  // A number with an exact float that no larger integer rounds to.
  static std::optional<double> exact(Value value) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53U;
    if (value.is_real()) return value.as_real();
    if (!value.is_integer() || value.as_integer() >= kExact || value.as_integer() <= -kExact) return std::nullopt;
    return static_cast<double>(value.as_integer());
  }

  static Comparison mirrored(Comparison comparison) {
    switch (comparison) {
      case Comparison::kLess:
        return Comparison::kGreater;
      case Comparison::kGreater:
        return Comparison::kLess;
      case Comparison::kAtMost:
        return Comparison::kAtLeast;
      case Comparison::kAtLeast:
        return Comparison::kAtMost;
      default:
        return comparison;
    }
  }

  Limits& limits_of(Place place) {
    for (Limits& one : of_->limits) {
      if (one.place == place) return one;
    }
    return of_->limits.emplace_back(Limits{.place = place, .bits = 0, .limits = {}, .passes = {~Passes{0}}});
  }

  // Inserts a limit, which splits a range into below, at and above the limit.
  static void insert(Limits& into, double limit) {
    const auto at = std::lower_bound(into.limits.begin(), into.limits.end(), limit);
    if (at != into.limits.end() && *at == limit) return;
    const auto position = 2 * (at - into.limits.begin());
    into.limits.insert(at, limit);
    const Passes passes = into.passes[static_cast<std::size_t>(position)];
    into.passes.insert(into.passes.begin() + position, 2, passes);
  }

  static Words& words_of(std::vector<Words>& all, Place place) {
    for (Words& one : all) {
      if (one.place == place) return one;
    }
    return all.emplace_back(Words{.place = place, .passes = {}, .others = ~Passes{0}});
  }

  static Passes& passes_of(Words& words, std::uint64_t word) {
    const auto at = std::lower_bound(words.passes.begin(), words.passes.end(), word,
                                     [](const auto& one, std::uint64_t wanted) { return one.first < wanted; });
    if (at != words.passes.end() && at->first == word) return at->second;
    return words.passes.insert(at, {word, words.others})->second;
  }

  void only(std::vector<Words>& all, Place place, std::vector<std::uint64_t> wanted) {
    Words& words = words_of(all, place);
    for (const std::uint64_t word : wanted) passes_of(words, word);
    std::sort(wanted.begin(), wanted.end());
    for (auto& [word, passes] : words.passes) {
      if (!std::binary_search(wanted.begin(), wanted.end(), word)) passes &= ~bit_;
    }
    words.others &= ~bit_;
  }

  const Prepared& prepared_;
  const Plan& plan_;
  std::vector<OfTable>& tables_;
  OfTable* of_ = nullptr;
  Passes bit_ = 0;
  std::vector<std::optional<Place>> place_of_;  // by register
};

RowConditions::RowConditions(const Prepared& prepared, Index stage)
    : prepared_(prepared), tables_(prepared.plan.tables.size()) {
  Compiler compiler(prepared, tables_);
  for (const Component& component : prepared.plan.stages[stage].components) {
    for (const Rule& rule : component.rules) {
      if (rule.row_bit != Rule::kNoRowBit) compiler.add(rule);
    }
  }
}

}  // namespace holdsfor
