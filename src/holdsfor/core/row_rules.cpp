#include "row_rules.h"

#include <algorithm>
#include <optional>

#include "prepared.h"

namespace holdsfor {
namespace {

class RowRuleMaker {
 public:
  RowRuleMaker(const Prepared& prepared, const Rule& rule, const std::vector<Index>& phase_tables,
               const std::vector<Index>& key_places, const std::vector<Index>& head_places, Slots& slots)
      : prepared_(prepared),
        phase_tables_(phase_tables),
        key_places_(key_places),
        head_places_(head_places),
        slots_(slots) {
    made_.rule = &rule;
    made_.table = rule.table;
    made_.kind = rule.kind;
    made_.key_places = key_places;
  }

  RowRule run() {
    const Block& block = made_.rule->program.block;
    for (Index place = 0; place < block[0].columns.size(); ++place) {
      const Shape& shape = block[0].columns[place];
      if (shape.kind == ShapeKind::kBind) {
        made_.registers.emplace_back(place, shape.reg);
      } else if (shape.kind != ShapeKind::kAnything) {
        made_.has_pattern = true;
        made_.binds_inside = made_.binds_inside || !shape.items.empty();
      }
    }
    for (Index part = 0; part < head_places_.size(); ++part) {
      const Shape& shape = made_.rule->columns[head_places_[part]];
      for (const auto& [place, reg] : made_.registers) {
        if (shape.kind == ShapeKind::kRegister && shape.reg == reg) made_.key.emplace_back(place, part);
      }
    }
    made_.has_conditions = made_.has_pattern || !made_.rule->row_tests.empty();
    bool is_direct = !made_.binds_inside;
    const Block& rest = made_.rule->rest;
    for (std::size_t i = 0; i < rest.size() && is_direct; ++i) {
      made_.is_lookup.push_back(rest[i].op == Op::kFacts);
      is_direct = made_.is_lookup.back() ? lookup(rest[i]) : test(rest[i]);
    }
    if (made_.lookups.empty()) made_.is_lookup.clear();
    is_direct = is_direct && head();
    made_.is_direct = is_direct;
    return std::move(made_);
  }

 private:
  Cell constant(Value value) {
    made_.constants.push_back(value);
    return {Cell::kConstants, static_cast<std::uint32_t>(made_.constants.size() - 1)};
  }

  std::optional<Cell> cell(const Shape& shape) {
    if (shape.kind == ShapeKind::kConstant) return constant(shape.constant);
    if (shape.kind != ShapeKind::kRegister) return std::nullopt;
    for (const auto& [place, reg] : made_.registers) {
      if (reg == shape.reg) return Cell{Cell::kRow, place};
    }
    const auto found = std::find(outputs_.begin(), outputs_.end(), shape.reg);
    if (found != outputs_.end()) return Cell{Cell::kFacts, static_cast<std::uint32_t>(found - outputs_.begin())};
    return std::nullopt;
  }

  bool cells(const std::vector<Shape>& shapes, std::vector<Cell>& into) {
    for (const Shape& shape : shapes) {
      const auto found = shape.kind == ShapeKind::kAnything ? constant(Value::wildcard()) : cell(shape);
      if (!found) return false;
      into.push_back(*found);
    }
    return true;
  }

  bool lookup(const Instruction& one) {
    RowLookup made;
    made.facts = one.table;
    made.index = one.out;
    const auto& places = prepared_.fact_indexes[one.out].places();
    for (const Index place : places) {
      const auto key = cell(one.columns[place]);
      if (!key) return false;
      made.keys.push_back(*key);
    }
    for (Index place = 0; place < one.columns.size(); ++place) {
      const Shape& shape = one.columns[place];
      if (shape.kind == ShapeKind::kAnything || std::find(places.begin(), places.end(), place) != places.end())
        continue;
      if (shape.kind != ShapeKind::kBind || outputs_.size() == RowRule::kMostOutputs) return false;
      made.outputs.emplace_back(place, static_cast<Index>(outputs_.size()));
      outputs_.push_back(shape.reg);
    }
    made_.lookups.push_back(std::move(made));
    return true;
  }

  bool test(const Instruction& one) {
    if (one.op == Op::kNegate) {
      if (one.blocks[0].size() != 1 || !test(one.blocks[0][0])) return false;
      made_.tests.back().is_negated = !made_.tests.back().is_negated;
      return true;
    }
    if (one.op != Op::kHolding || !one.is_ground || !one.is_test || one.time.binds || one.time.reg != 0) return false;
    RowTest made;
    made.table = one.table;
    made.is_of_phase = std::find(phase_tables_.begin(), phase_tables_.end(), one.table) != phase_tables_.end();
    made.takes_any_value = one.value.kind == ShapeKind::kAnything;
    if (!cells(one.columns, made.columns)) return false;
    if (!made.takes_any_value) {
      const auto value = cell(one.value);
      if (!value) return false;
      made.value = *value;
    }
    made.slot = slot(made.table, made.columns);
    if (made.slot != kNone && !made.is_of_phase && !made.takes_any_value && made.value.from == Cell::kConstants) {
      made.pair_slot = slots_.pair(made.slot, made_.constants[made.value.at]);
    }
    made_.tests.push_back(std::move(made));
    return true;
  }

  bool head() {
    const Rule& rule = *made_.rule;
    if (!cells(rule.columns, made_.columns)) return false;
    if (rule.kind == HeadKind::kHappen) {
      made_.value = constant(Value::nothing());
      return true;
    }
    std::vector<Cell> value;
    if (!cells({rule.value}, value)) return false;
    made_.value = value[0];
    // Effects that rules read are recorded with their columns.
    if (prepared_.has_effect_readers[rule.table]) return true;
    made_.slot = slot(rule.table, made_.columns);
    const bool is_constant = made_.value.from == Cell::kConstants && rule.kind == HeadKind::kInitiate;
    if (made_.slot != kNone && is_constant) {
      made_.pair_slot = slots_.pair(made_.slot, made_.constants[made_.value.at]);
    }
    return true;
  }

  Index slot(Index table, const std::vector<Cell>& columns) {
    Slots::Columns found;
    for (const Cell one : columns) {
      if (one.from == Cell::kConstants) {
        if (made_.constants[one.at].is_wildcard()) return kNone;
        found.emplace_back(kNone, made_.constants[one.at].word());
        continue;
      }
      if (one.from == Cell::kFacts) return kNone;
      const auto at = std::find(key_places_.begin(), key_places_.end(), one.at);
      if (at == key_places_.end()) return kNone;
      found.emplace_back(static_cast<Index>(at - key_places_.begin()), 0);
    }
    return slots_.instance(table, std::move(found));
  }

  const Prepared& prepared_;
  const std::vector<Index>& phase_tables_;
  const std::vector<Index>& key_places_;
  const std::vector<Index>& head_places_;
  Slots& slots_;
  RowRule made_;
  std::vector<Index> outputs_;  // registers that facts bind
};

}  // namespace

void group_row_rules(RowRules& rules) {
  std::vector<const Rule*> found;
  std::vector<std::size_t> positions;
  const auto add = [&](const RowRule& rule, std::size_t position) {
    const bool runs_whole = position >= RowRules::kOthers && rule.has_conditions;
    if (rule.rule == nullptr || rule.is_direct || runs_whole) return;
    found.push_back(rule.rule);
    positions.push_back(position);
  };
  for (std::size_t bit = 0; bit < rules.by_bit.size(); ++bit) add(rules.by_bit[bit], bit);
  for (std::size_t i = 0; RowRules::kOthers + i < RowRules::kPositions && i < rules.others.size(); ++i) {
    add(rules.others[i], RowRules::kOthers + i);
  }
  const std::uint64_t all = rules.mask | rules.other_bits;
  // No rule runs between them, and the row binds the same registers to the same values.
  const auto may_share = [&](std::size_t i) {
    const std::uint64_t between = (std::uint64_t{1} << positions[i]) - (std::uint64_t{2} << positions[i - 1]);
    const RowRule& one = rules.at(positions[i - 1]);
    const RowRule& other = rules.at(positions[i]);
    return (all & between) == 0 && !one.binds_inside && !other.binds_inside && one.registers == other.registers &&
           one.key == other.key;
  };
  std::size_t next = 0;
  for (RuleGroup& group :
       group_rules(found, [&](std::size_t i) -> const Block& { return found[i]->rest; }, may_share)) {
    RowGroup made;
    for (std::size_t i = 0; i < group.rules.size(); ++i) made.positions |= std::uint64_t{1} << positions[next++];
    if (group.is_alone()) continue;
    made.group = std::move(group);
    rules.grouped_bits |= made.positions;
    rules.groups.push_back(std::move(made));
  }
}

RowRule make_row_rule(const Prepared& prepared, const Rule& rule, const std::vector<Index>& phase_tables,
                      const std::vector<Index>& key_places, const std::vector<Index>& head_places, Slots& slots) {
  return RowRuleMaker(prepared, rule, phase_tables, key_places, head_places, slots).run();
}

}  // namespace holdsfor
