#include "machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "aggregates.h"
#include "formulas.h"
#include "shapes.h"

namespace holdsfor {

Machine::Machine(World& world) : world_(world) {
  std::size_t most = 1;
  for (const TableInfo& table : world.plan().tables) most = std::max<std::size_t>(most, table.columns);
  known_.resize(most);
}

Machine::Frame& Machine::enter(const Program& program) {
  if (depth_ == frames_.size()) {
    frames_.push_back(std::make_unique<Frame>());
    frames_.back()->values.resize(world_.prepared.most_registers);
  }
  Frame& frame = *frames_[depth_++];
  frame.values[0] = world_.now_value;
  if (program.lists > 0) {
    frame.lists.assign(program.lists, nullptr);
    if (frame.made.size() < program.lists) frame.made.resize(program.lists);
  }
  frame_ = &frame;
  return frame;
}

bool Machine::run(const Program& program, Finish finish) {
  enter(program);
  const bool is_ended = solve(program.block, 0, finish);
  leave();
  return is_ended;
}

bool Machine::run_part(const Program& program, const Block& part, std::span<const std::pair<Index, Value>> given,
                       std::span<const std::pair<Index, Intervals>> given_lists, Finish finish) {
  Frame& frame = enter(program);
  std::fill(frame.values.begin() + 1, frame.values.end(), Value::wildcard());
  for (const auto& [reg, value] : given) frame.values[reg] = value;
  for (const auto& [reg, list] : given_lists) {
    frame.made[reg] = list;
    frame.lists[reg] = &frame.made[reg];
  }
  const bool is_ended = solve(part, 0, finish);
  leave();
  return is_ended;
}

bool Machine::run_on_row(const Program& program, std::span<const Value> row, Finish finish) {
  enter(program);
  const bool is_ended = match_all(program.block[0].columns, row) && solve(program.block, 1, finish);
  leave();
  return is_ended;
}

Machine::Frame* Machine::enter_row(const RowRule& rule, const Value* row, bool is_decided) {
  Frame& frame = enter(rule.rule->program);
  if (is_decided ? rule.binds_inside : rule.has_pattern) {
    const auto& columns = rule.rule->program.block[0].columns;
    if (!match_all(columns, {row, columns.size()})) {
      leave();
      return nullptr;
    }
  } else {
    for (const auto& [place, reg] : rule.registers) frame.values[reg] = row[place];
  }
  return &frame;
}

bool Machine::solve(const Block& block, std::size_t first, Finish finish) {
  Frame& frame = *frame_;
  const auto last = [&] { return finish(frame); };
  const FunctionRef<bool()> end(last);
  return step(block, first, Next{.finish = &end});
}

bool Machine::run_on(const PairShape& shape, std::span<const Value> columns, Value value, const Program& program,
                     Finish finish) {
  Frame& frame = enter(program);
  const bool is_ended =
      match_all(shape.columns, columns) && match(shape.value, value, frame) && solve(program.block, 0, finish);
  leave();
  return is_ended;
}

// Terms

bool Machine::match(const Shape& shape, Value value, Frame& frame) const {
  switch (shape.kind) {
    case ShapeKind::kAnything:
      return true;
    case ShapeKind::kConstant:
      return world_.terms.unifies(shape.constant, value);
    case ShapeKind::kRegister:
      return world_.terms.unifies(frame.values[shape.reg], value);
    case ShapeKind::kBind:
      frame.values[shape.reg] = value;
      return true;
    case ShapeKind::kStructure: {
      if (value.is_wildcard()) return match_open(shape, frame);
      if (!world_.terms.is_compound(value)) return false;
      const Term& term = world_.terms[value];
      if (term.functor != shape.constant || term.items.size() != shape.items.size()) return false;
      for (std::size_t i = 0; i < term.items.size(); ++i) {
        if (!match(shape.items[i], term.items[i], frame)) return false;
      }
      return true;
    }
    case ShapeKind::kList:
      break;
  }
  return value.is_wildcard() ? match_open(shape, frame) : match_list(shape, value, frame);
}

bool Machine::match_list(const Shape& shape, Value value, Frame& frame) const {
  TermTable& terms = world_.terms;
  const bool is_partial = terms.is_partial_list(value);
  if (!is_partial && !terms.is_list(value)) return false;
  const std::vector<Value>& items = terms[value].items;
  const std::size_t wanted = shape.items.size() - static_cast<std::size_t>(shape.has_tail);
  const std::size_t given = items.size() - static_cast<std::size_t>(is_partial);
  // Beyond the items of an open list, every item is open.
  const bool is_open = is_partial && items.back().is_wildcard();
  if (given < wanted ? !is_open : !shape.has_tail && (given > wanted || (is_partial && !is_open))) return false;
  for (std::size_t i = 0; i < wanted; ++i) {
    if (!match(shape.items[i], i < given ? items[i] : Value::wildcard(), frame)) return false;
  }
  if (!shape.has_tail) return true;
  if (given < wanted) return match(shape.items.back(), Value::wildcard(), frame);
  const std::span<const Value> rest = std::span(items).subspan(wanted, given - wanted);
  return match(shape.items.back(), is_partial ? terms.list(rest, items.back()) : terms.list(rest), frame);
}

// Matches a wildcard, which represents every term. Registers inside the shape stay open.
bool Machine::match_open(const Shape& shape, Frame& frame) const {
  return std::all_of(shape.items.begin(), shape.items.end(),
                     [&](const Shape& item) { return match(item, Value::wildcard(), frame); });
}

Value Machine::build(const Shape& shape, const Frame& frame) const {
  return holdsfor::build(shape, frame.values, world_.terms);
}

// Control

bool Machine::step(const Block& block, std::size_t at, const Next& next) {
  for (; at < block.size(); ++at) {
    const Instruction& one = block[at];
    switch (one.op) {
      case Op::kCompare:
        if (!compare(one)) return false;
        continue;
      case Op::kAssign:
        if (!assign(one)) return false;
        continue;
      case Op::kEqual:
        if (!equal(one)) return false;
        continue;
      case Op::kOperate:
        if (!operate(one)) return false;
        continue;
      case Op::kEmpty:
        if (!empty(one)) return false;
        continue;
      case Op::kSpell:
        spell(one);
        continue;
      case Op::kRead:
        if (!read(one)) return false;
        continue;
      case Op::kCopy:
        if (!copy(one)) return false;
        continue;
      case Op::kNegate:
        if (exists(one.blocks[0])) return false;
        continue;
      case Op::kHolding:
        if (!one.is_ground) return generate(one, Next{.block = &block, .at = at + 1, .next = &next});
        if (one.is_test) {
          if (!holds(one)) return false;
          continue;
        }
        if (const Index pair = held(one); pair != kSeveral) {
          if (pair == kNone || !match(one.value, world_.fluent_table(one.table).pairs[pair].value, *frame_))
            return false;
          continue;
        }
        return generate(one, Next{.block = &block, .at = at + 1, .next = &next});
      case Op::kCall: {
        const auto* const recent = recent_answers(one);
        if (recent == nullptr || recent->count > 1) {
          if (!one.is_test) return generate(one, Next{.block = &block, .at = at + 1, .next = &next});
          if (!passes(one)) return false;
          continue;
        }
        if (recent->count == 0) return false;
        for (std::size_t i = 0; i < one.outputs.size(); ++i) frame_->values[one.outputs[i]] = recent->values[i];
        continue;
      }
      case Op::kBranch: {
        const Next rest{.block = &block, .at = at + 1, .next = &next};
        if (exists(one.blocks[0])) return step(one.blocks[1], 0, rest);
        return one.blocks.size() > 2 && step(one.blocks[2], 0, rest);
      }
      case Op::kChoose: {
        const Next rest{.block = &block, .at = at + 1, .next = &next};
        return std::any_of(one.blocks.begin(), one.blocks.end(),
                           [&](const Block& branch) { return step(branch, 0, rest); });
      }
      default:
        if (one.is_test) {
          if (!passes(one)) return false;
          continue;
        }
        return generate(one, Next{.block = &block, .at = at + 1, .next = &next});
    }
  }
  return go_on(next);
}

bool Machine::exists(const Block& block, std::size_t first) { return step(block, first, Next{}); }

bool Machine::passes(const Instruction& one) { return generate(one, Next{}); }

std::span<const Value> Machine::known(const std::vector<Shape>& shapes) {
  Value* into = known_.data();
  for (const Shape& shape : shapes) {
    *into++ = shape.kind == ShapeKind::kConstant   ? shape.constant
              : shape.kind == ShapeKind::kRegister ? frame_->values[shape.reg]
                                                   : build(shape, *frame_);
  }
  return {known_.data(), shapes.size()};
}

bool Machine::generate(const Instruction& one, const Next& next) {
  switch (one.op) {
    case Op::kEvents:
      return events(one, next);
    case Op::kHolding:
      return holding(one, next);
    case Op::kEndable:
      return endable(one, next);
    case Op::kEdges:
      return edges(one, next);
    case Op::kFacts:
      return facts(one, next);
    case Op::kCall:
      return call(one, next);
    case Op::kDomain:
      return domain(one, next);
    case Op::kLookup:
      return lookup(one, next);
    case Op::kCollect:
      return one.expressions.empty() ? collect(one, next) : slide(one, next);
    case Op::kListCall:
      return list_call(one, next);
    default:
      return false;
  }
}

// Computation

void Machine::failed(const Site& site, std::uint32_t reason) {
  std::vector<Value> row;
  row.reserve(site.row.size());
  for (const Index reg : site.row) row.push_back(frame_->values[reg]);
  world_.host.failed(site.number, row, reason);
}

bool Machine::compare(const Instruction& one) {
  const double small_left = value_of(one.expressions[0].formula, frame_->values);
  const double small_right = value_of(one.expressions[1].formula, frame_->values);
  if (!std::isunordered(small_left, small_right)) return holdsfor::holds(one.comparison, small_left, small_right);
  const auto left = world_.arithmetic.evaluate(one.expressions[0], frame_->values);
  const auto right = left ? world_.arithmetic.evaluate(one.expressions[1], frame_->values) : std::nullopt;
  if (!right) {
    failed(one.site);
    return false;
  }
  return world_.arithmetic.compare(one.comparison, *left, *right);
}

bool Machine::assign(const Instruction& one) {
  const auto value = world_.arithmetic.evaluate(one.expressions[0], frame_->values);
  if (!value) {
    failed(one.site);
    return false;
  }
  return match(one.columns[0], world_.arithmetic.term(*value), *frame_);
}

bool Machine::equal(const Instruction& one) {
  const Value ground = build(one.columns[0], *frame_);
  if (one.negated) return ground != build(one.columns[1], *frame_);
  return match(one.columns[1], ground, *frame_);
}

bool Machine::collect(const Instruction& one, const Next& next) {
  const std::size_t first = collected_.size();
  const auto add = [&] {
    const Shape& shape = one.columns[0];
    collected_.push_back(shape.kind == ShapeKind::kRegister ? frame_->values[shape.reg] : build(shape, *frame_));
    return false;
  };
  const FunctionRef<bool()> end(add);
  step(one.blocks[0], 0, Next{.finish = &end});
  const auto found = std::span<const Value>(collected_).subspan(first);
  if (one.aggregate < 0) {
    const Value list = world_.terms.list(found);
    collected_.resize(first);
    return match(one.columns[1], list, *frame_) && go_on(next);
  }
  const auto kind = static_cast<Aggregate>(one.aggregate);
  const bool needs_some = kind == Aggregate::kAverage || kind == Aggregate::kLeast || kind == Aggregate::kGreatest;
  const bool has_none = found.empty() && needs_some;
  const auto value = has_none ? std::nullopt : aggregate(kind, found, world_.arithmetic, world_.terms, world_.host);
  if (!value && !has_none) failed(one.site, world_.host.why(static_cast<std::uint8_t>(kind), found));
  collected_.resize(first);
  return value && match(one.columns[1], world_.arithmetic.term(*value), *frame_) && go_on(next);
}

}  // namespace holdsfor
