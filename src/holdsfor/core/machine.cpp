#include "machine.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "aggregates.h"
#include "shapes.h"

namespace holdsfor {

namespace {

// The columns of an instruction that are known when it runs; most are few.
class Known {
 public:
  Known(const std::vector<Shape>& shapes, std::span<const Value> registers, TermTable& terms) : size_(shapes.size()) {
    if (size_ > few_.size()) many_.resize(size_);
    Value* into = size_ > few_.size() ? many_.data() : few_.data();
    for (const Shape& shape : shapes) *into++ = build(shape, registers, terms);
  }
  operator std::span<const Value>() const {  // NOLINT(google-explicit-constructor)
    return {size_ > few_.size() ? many_.data() : few_.data(), size_};
  }

 private:
  std::array<Value, 8> few_;
  std::vector<Value> many_;
  std::size_t size_;
};

}  // namespace

Machine::Frame& Machine::enter(const Program& program) {
  if (depth_ == frames_.size()) frames_.push_back(std::make_unique<Frame>());
  Frame& frame = *frames_[depth_++];
  frame.values.resize(program.registers);
  frame.values[0] = world_.terms.integer(world_.now);
  if (program.lists > 0) {
    frame.lists.assign(program.lists, nullptr);
    if (frame.made.size() < program.lists) frame.made.resize(program.lists);
  }
  frame_ = &frame;
  return frame;
}

bool Machine::run(const Program& program, Finish finish) {
  Frame& frame = enter(program);
  const auto last = [&] { return finish(frame); };
  const FunctionRef<bool()> end(last);
  const bool is_ended = step(program.block, 0, Next{.finish = &end});
  leave();
  return is_ended;
}

bool Machine::run_on_row(const Program& program, std::span<const Value> row, Finish finish) {
  Frame& frame = enter(program);
  const auto last = [&] { return finish(frame); };
  const FunctionRef<bool()> end(last);
  const bool is_ended = match_all(program.block[0].columns, row) && step(program.block, 1, Next{.finish = &end});
  leave();
  return is_ended;
}

bool Machine::run_on(const PairShape& shape, std::span<const Value> columns, Value value, const Program& program,
                     Finish finish) {
  Frame& frame = enter(program);
  const auto last = [&] { return finish(frame); };
  const FunctionRef<bool()> end(last);
  const bool is_ended = match_all(shape.columns, columns) && match(shape.value, value, frame) &&
                        step(program.block, 0, Next{.finish = &end});
  leave();
  return is_ended;
}

// Terms

bool Machine::match(const Shape& shape, Value value, Frame& frame) const {
  switch (shape.kind) {
    case ShapeKind::kAnything:
      return true;
    case ShapeKind::kConstant:
      return shape.constant == value || value.is_wildcard();
    case ShapeKind::kRegister:
      return frame.values[shape.reg] == value || value.is_wildcard() || frame.values[shape.reg].is_wildcard();
    case ShapeKind::kBind:
      frame.values[shape.reg] = value;
      return true;
    case ShapeKind::kStructure: {
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
  if (!world_.terms.is_list(value)) return false;
  const Term& term = world_.terms[value];
  const std::size_t first = shape.items.size() - static_cast<std::size_t>(shape.has_tail);
  if (shape.has_tail ? term.items.size() < first : term.items.size() != first) return false;
  for (std::size_t i = 0; i < first; ++i) {
    if (!match(shape.items[i], term.items[i], frame)) return false;
  }
  return !shape.has_tail || match(shape.items.back(), world_.terms.list(std::span(term.items).subspan(first)), frame);
}

Value Machine::build(const Shape& shape, const Frame& frame) const {
  return holdsfor::build(shape, frame.values, world_.terms);
}

bool Machine::match_all(const std::vector<Shape>& shapes, std::span<const Value> values) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!match(shapes[i], values[i], *frame_)) return false;
  }
  return true;
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
      case Op::kCopy:
        if (!copy(one)) return false;
        continue;
      case Op::kNegate:
        if (exists(one.blocks[0])) return false;
        continue;
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

bool Machine::exists(const Block& block) {
  const auto found = [] { return true; };
  const FunctionRef<bool()> end(found);
  return step(block, 0, Next{.finish = &end});
}

bool Machine::passes(const Instruction& one) {
  const auto found = [] { return true; };
  const FunctionRef<bool()> end(found);
  return generate(one, Next{.finish = &end});
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
      return collect(one, next);
    case Op::kListCall:
      return list_call(one, next);
    default:
      return false;
  }
}

// Conditions on events and fluents

std::optional<Time> Machine::moment(const Instant& instant) const {
  const Value value = frame_->values[instant.reg];
  return value.is_integer() ? std::optional(value.as_integer()) : std::nullopt;
}

std::pair<Time, Time> Machine::reach(const Instant& instant) const {
  const Time last = moved(world_.now, -instant.least.value_or(0));
  const Time first = instant.most ? moved(world_.now, -*instant.most) : kNever;
  return {first, last};
}

bool Machine::events(const Instruction& one, const Next& next) {
  const EventTable& table = world_.event_table(one.table);
  Time first = kNever;
  Time last = kNever;
  if (one.time.binds) {
    std::tie(first, last) = reach(one.time);
  } else {
    const auto time = moment(one.time);
    if (!time) return false;
    first = last = *time;
  }
  const auto [from, to] = table.between(first, last);
  for (std::size_t row = from; row < to; ++row) {
    if (one.time.binds) frame_->values[one.time.reg] = world_.terms.integer(table.time(row));
    if (match_all(one.columns, table.row(row)) && go_on(next)) return true;
  }
  return false;
}

bool Machine::try_pair(const Instruction& one, const FluentTable& table, Index number, const Next& next) {
  const Pair& pair = table.pairs[number];
  return match_all(one.columns, table.columns(pair.instance)) && match(one.value, pair.value, *frame_) && go_on(next);
}

bool Machine::each_pair(const Instruction& one, FunctionRef<bool(const FluentTable&, Index)> accept, const Next& next) {
  const FluentTable& table = world_.fluent_table(one.table);
  if (!one.is_ground) {
    for (Index number = 0; number < table.pair_count; ++number) {
      if (accept(table, number) && try_pair(one, table, number, next)) return true;
    }
    return false;
  }
  const Known columns(one.columns, frame_->values, world_.terms);
  const Index instance = table.find(columns);
  if (instance == kNone) return false;
  for (Index number = table.instances[instance].first_pair; number != kNone; number = table.pairs[number].next) {
    if (accept(table, number) && match(one.value, table.pairs[number].value, *frame_) && go_on(next)) return true;
  }
  return false;
}

bool Machine::holding(const Instruction& one, const Next& next) {
  const auto time = moment(one.time);
  if (!time) return false;
  return each_pair(one, [&](const FluentTable& table, Index pair) { return table.pairs[pair].holds(*time); }, next);
}

bool Machine::endable(const Instruction& one, const Next& next) {
  const Time now = world_.now;
  const auto accept = [&](const FluentTable& table, Index number) {
    const bool is_initiated = table.is_initiated(number, now);
    return is_initiated || table.pairs[number].has(now);
  };
  return each_pair(one, accept, next);
}

bool Machine::starts(Index table, const Pair& pair, Time time) const {
  const FluentTable& fluent = world_.fluent_table(table);
  if (time == kInitial && (world_.plan().tables[table].role != Role::kSimpleFluent || pair.starts_initially))
    return false;
  const auto number = static_cast<Index>(&pair - fluent.pairs.data());
  return std::none_of(fluent.cuts.begin(), fluent.cuts.end(),
                      [&](const Edge& cut) { return cut.time == time + 1 && cut.pair == number; });
}

bool Machine::edges(const Instruction& one, const Next& next) {
  const bool is_effect = one.edge == EdgeKind::kInitiated || one.edge == EdgeKind::kTerminated;
  if (one.time.binds) {
    const auto [first, last] = reach(one.time);
    return is_effect ? effects(one, first, last, next) : edges_past(one, first, last, next);
  }
  const auto time = moment(one.time);
  if (!time) return false;
  if (is_effect) return effects(one, *time, *time, next);
  return edges_at(one, *time, next);
}

bool Machine::edges_at(const Instruction& one, Time time, const Next& next) {
  if (world_.is_running(one.table)) {
    return time == world_.now ? edges_under_way(one, time, next) : edges_past(one, time, time, next);
  }
  const FluentTable& table = world_.fluent_table(one.table);
  const auto& edges = one.edge == EdgeKind::kStart ? table.starts : table.ends;
  const auto [from, to] = std::equal_range(edges.begin(), edges.end(), Edge{time, 0});
  for (auto at = from; at != to; ++at) {
    const bool counts = one.edge == EdgeKind::kEnd || starts(one.table, table.pairs[at->pair], time);
    if (counts && try_pair(one, table, at->pair, next)) return true;
  }
  return false;
}

bool Machine::edges_under_way(const Instruction& one, Time time, const Next& next) {
  const bool is_static = world_.plan().tables[one.table].role == Role::kStaticFluent;
  if (is_static) world_.find_next();
  const auto accept = [&](const FluentTable& table, Index number) {
    const Pair& pair = table.pairs[number];
    const bool is = pair.holds(time);
    const bool will = is_static ? pair.holds_next : table.holds_next(number, time);
    if (one.edge == EdgeKind::kEnd) return is && !will;
    return will && !is && starts(one.table, pair, time);
  };
  return each_pair(one, accept, next);
}

bool Machine::edges_past(const Instruction& one, Time first, Time last, const Next& next) {
  const FluentTable& table = world_.fluent_table(one.table);
  const bool is_start = one.edge == EdgeKind::kStart;
  const auto found = [&](Index number, Time time) {
    if (time < first || time > last) return false;
    const Pair& pair = table.pairs[number];
    if (!pair.is_declared || (is_start && !starts(one.table, pair, time))) return false;
    if (one.time.binds) frame_->values[one.time.reg] = world_.terms.integer(time);
    return try_pair(one, table, number, next);
  };
  if (!world_.is_running(one.table)) {
    const auto& edges = is_start ? table.starts : table.ends;
    for (auto at = std::lower_bound(edges.begin(), edges.end(), Edge{first, 0}); at != edges.end() && at->time <= last;
         ++at) {
      if (found(at->pair, at->time)) return true;
    }
    return false;
  }
  for (Index number = 0; number < table.pair_count; ++number) {
    for (const Interval& interval : table.pairs[number].list) {
      const Time time = is_start ? interval.start : interval.end;
      if (time != kNever && time != kForever && found(number, time - 1)) return true;
    }
    const Time since = table.pairs[number].since;
    if (is_start && since != kForever && found(number, since - 1)) return true;
  }
  if (first <= world_.now && world_.now <= last) {
    if (one.time.binds) frame_->values[one.time.reg] = world_.terms.integer(world_.now);
    return edges_under_way(one, world_.now, next);
  }
  return false;
}

bool Machine::effects(const Instruction& one, Time first, Time last, const Next& next) {
  const FluentTable& fluent = world_.fluent_table(one.table);
  const EventTable& table = one.edge == EdgeKind::kInitiated ? fluent.initiations : fluent.terminations;
  const auto [from, to] = table.between(first, last);
  for (std::size_t row = from; row < to; ++row) {
    if (one.time.binds) frame_->values[one.time.reg] = world_.terms.integer(table.time(row));
    const auto values = table.row(row);
    if (match_all(one.columns, values) && match(one.value, values.back(), *frame_) && go_on(next)) return true;
  }
  return false;
}

// Background knowledge

bool Machine::facts(const Instruction& one, const Next& next) {
  const FactTable& table = world_.plan().facts[one.table];
  const FactIndex& index = world_.prepared.fact_indexes[one.out];
  std::uint64_t wanted = 0;
  for (const Index place : index.places()) wanted = mix(wanted, build(one.columns[place], *frame_).word());
  for (const Index row : index.find(wanted)) {
    if (match_all(one.columns, {table.rows.data() + row * table.columns, table.columns}) && go_on(next)) return true;
  }
  return false;
}

bool Machine::call(const Instruction& one, const Next& next) {
  std::vector<Value> inputs;
  inputs.reserve(one.inputs.size());
  for (const Index reg : one.inputs) inputs.push_back(frame_->values[reg]);
  std::size_t count = 0;
  const std::vector<Value> found = world_.host.solve(one.table, inputs, count);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < one.outputs.size(); ++i) {
      frame_->values[one.outputs[i]] = found[row * one.outputs.size() + i];
    }
    if (go_on(next)) return true;
  }
  return false;
}

// Computation

void Machine::failed(const Site& site) {
  std::vector<Value> row;
  row.reserve(site.row.size());
  for (const Index reg : site.row) row.push_back(frame_->values[reg]);
  world_.host.failed(site.number, row);
}

bool Machine::compare(const Instruction& one) {
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
  return match(one.columns[0], *value, *frame_);
}

bool Machine::equal(const Instruction& one) {
  const Value ground = build(one.columns[0], *frame_);
  if (one.negated) return ground != build(one.columns[1], *frame_);
  return match(one.columns[1], ground, *frame_);
}

bool Machine::collect(const Instruction& one, const Next& next) {
  std::vector<Value> found;
  const auto add = [&] {
    found.push_back(build(one.columns[0], *frame_));
    return false;
  };
  const FunctionRef<bool()> end(add);
  step(one.blocks[0], 0, Next{.finish = &end});
  if (one.aggregate < 0) return match(one.columns[1], world_.terms.list(found), *frame_) && go_on(next);
  const auto kind = static_cast<Aggregate>(one.aggregate);
  const bool needs_some = kind == Aggregate::kAverage || kind == Aggregate::kLeast || kind == Aggregate::kGreatest;
  if (found.empty() && needs_some) return false;
  const auto value = aggregate(kind, found, world_.arithmetic, world_.host);
  if (!value) {
    failed(one.site);
    return false;
  }
  return match(one.columns[1], *value, *frame_) && go_on(next);
}

}  // namespace holdsfor
