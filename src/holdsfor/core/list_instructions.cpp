// The instructions of statically determined fluents: domains of variables, and lists of intervals.
#include <algorithm>
#include <limits>
#include <unordered_set>

#include "interval_terms.h"
#include "machine.h"

namespace holdsfor {
namespace {

// How a duration filter measures an open interval; the numbers are those of the compiler.
enum OpenLength : std::int64_t { kSoFar, kToQuery, kEndless, kKept, kLeftOut };

// Drops repeated values, from `first` on.
void drop_repeated(std::vector<Value>& values, std::size_t first) {
  constexpr std::size_t kFew = 16;
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  if (values.size() - first <= kFew) {
    auto end = begin;
    for (auto at = begin; at != values.end(); ++at) {
      if (std::find(begin, end, *at) == end) *end++ = *at;
    }
    values.erase(end, values.end());
    return;
  }
  std::unordered_set<Value> known;
  values.erase(std::remove_if(begin, values.end(), [&](Value value) { return !known.insert(value).second; }),
               values.end());
}

}  // namespace

bool Machine::domain(const Instruction& one, const Next& next) {
  const std::size_t first = domains_.size();
  for (const PairShape& place : one.places) {
    const FluentTable& table = world_.fluent_table(place.table);
    for (Index number = 0; number < table.pair_count; ++number) {
      const Pair& pair = table.pairs[number];
      if (!(world_.is_pointwise ? table.is_known(number, world_.now) : table.has_held(number))) continue;
      if (!match_all(place.columns, table.columns(pair.instance)) || !match(place.value, pair.value, *frame_)) continue;
      const Value value = frame_->values[one.out];
      if (domains_.size() == first || domains_.back() != value) domains_.push_back(value);
    }
  }
  drop_repeated(domains_, first);
  const std::size_t last = domains_.size();
  bool is_ended = false;
  for (std::size_t at = first; at < last && !is_ended; ++at) {
    frame_->values[one.out] = domains_[at];
    is_ended = go_on(next);
  }
  domains_.resize(first);
  return is_ended;
}

bool Machine::lookup(const Instruction& one, const Next& next) {
  Frame& frame = *frame_;
  const FluentTable& table = world_.fluent_table(one.table);
  if (!one.is_ground) {
    const auto accept = [&](const FluentTable& from, Index number) {
      if (!(world_.is_pointwise ? from.is_known(number, world_.now) : from.has_held(number))) return false;
      put_list(one, from, number);
      return true;
    };
    return each_pair(one, accept, next);
  }
  const Index instance = table.find(known(one.columns));
  const Index number = instance == kNone ? kNone : table.find_pair(instance, build(one.value, frame));
  put_list(one, table, number);
  return go_on(next);
}

void Machine::put_list(const Instruction& one, const FluentTable& table, Index number) {
  Intervals& made = frame_->made[one.out];
  made.clear();
  frame_->lists[one.out] = &made;
  if (number == kNone || !table.pairs[number].is_declared) return;
  if (!world_.is_pointwise) {
    frame_->lists[one.out] = &table.pairs[number].list;
  } else if (world_.will_hold(one.table, number)) {
    made.push_back({world_.now + 1, world_.now + 2});
  }
}

bool Machine::empty(const Instruction& one) {
  if (one.gives) {
    frame_->made[one.out].clear();
    frame_->lists[one.out] = &frame_->made[one.out];
    return true;
  }
  return frame_->lists[one.out]->empty() != one.negated;
}

bool Machine::copy(const Instruction& one) {
  const Intervals& source = *frame_->lists[one.inputs[0]];
  if (one.negated) return source == *frame_->lists[one.out];
  frame_->made[one.out] = source;
  frame_->lists[one.out] = &frame_->made[one.out];
  return true;
}

bool Machine::list_call(const Instruction& one, const Next& next) {
  std::vector<Value> inputs;
  for (const Index reg : one.inputs) inputs.push_back(frame_->values[reg]);
  std::vector<const Intervals*> lists;
  for (const Index reg : one.list_inputs) lists.push_back(frame_->lists[reg]);
  world_.depends_on_query = true;
  auto answers = world_.host.solve_lists(one.table, inputs, lists, world_.query);
  return std::any_of(answers.begin(), answers.end(), [&](ListAnswer& answer) {
    for (std::size_t i = 0; i < one.outputs.size(); ++i) frame_->values[one.outputs[i]] = answer.values[i];
    for (std::size_t i = 0; i < one.list_outputs.size(); ++i) {
      const Index out = one.list_outputs[i];
      frame_->made[out] = answer.lists[i];
      frame_->lists[out] = &frame_->made[out];
    }
    return go_on(next);
  });
}

void Machine::spell(const Instruction& one) {
  frame_->values[one.outputs[0]] = holdsfor::spell(*frame_->lists[one.inputs[0]], world_.arithmetic, world_.terms);
}

bool Machine::read(const Instruction& one) {
  auto found = read_intervals(build(one.columns[0], *frame_), world_.arithmetic, world_.terms);
  if (!found) {
    failed(one.site);
    return false;
  }
  frame_->made[one.out].swap(*found);
  frame_->lists[one.out] = &frame_->made[one.out];
  return true;
}

// The lists that a term contains. False if the term is not a list of lists.
bool Machine::read_rest(Value term, std::vector<Intervals>& rest) {
  if (!world_.terms.is_list(term)) return false;
  return std::ranges::all_of(world_.terms[term].items, [&](Value item) {
    auto found = read_intervals(item, world_.arithmetic, world_.terms);
    if (found) rest.push_back(std::move(*found));
    return found.has_value();
  });
}

bool Machine::operate(const Instruction& one) {
  std::vector<const Intervals*>& inputs = operands_;
  inputs.clear();
  for (const Index input : one.inputs) inputs.push_back(frame_->lists[input]);
  std::vector<Intervals> rest;
  if (!one.outputs.empty() && !read_rest(frame_->values[one.outputs[0]], rest)) {
    failed(one.site);
    return false;
  }
  for (const Intervals& list : rest) inputs.push_back(&list);
  Intervals& out = spare_;
  out.clear();
  switch (one.interval_operator) {
    case IntervalOperator::kUnion:
      unite(inputs, out);
      break;
    case IntervalOperator::kIntersection:
      intersect(inputs, out);
      break;
    case IntervalOperator::kRelativeComplement:
      subtract(*inputs[0], std::span(inputs).subspan(1), out);
      break;
    case IntervalOperator::kComplement:
      complement(inputs, out);
      break;
    case IntervalOperator::kSequence:
      sequence(*inputs[0], *inputs[1], out);
      break;
    case IntervalOperator::kAllen:
      allen(one.parameters[0], one.parameters[1], *inputs[0], *inputs[1], out);
      break;
    case IntervalOperator::kLonger:
    case IntervalOperator::kShorter:
    case IntervalOperator::kAtLeast:
    case IntervalOperator::kAtMost:
      if (!filter(one, *inputs[0], out)) return false;
      break;
    default:
      metric(one.interval_operator, inputs, one.parameters[0], one.parameters[1], out);
  }
  frame_->made[one.out].swap(out);
  frame_->lists[one.out] = &frame_->made[one.out];
  return true;
}

bool Machine::filter(const Instruction& one, const Intervals& list, Intervals& out) {
  const auto bound = world_.arithmetic.evaluate(one.expressions[0], frame_->values);
  if (!bound) {
    failed(one.site);
    return false;
  }
  const Comparison comparison = one.interval_operator == IntervalOperator::kLonger    ? Comparison::kGreater
                                : one.interval_operator == IntervalOperator::kShorter ? Comparison::kLess
                                : one.interval_operator == IntervalOperator::kAtLeast ? Comparison::kAtLeast
                                                                                      : Comparison::kAtMost;
  const auto open = static_cast<OpenLength>(one.parameters[0]);
  for (const Interval& interval : list) {
    const bool is_open = interval.end == kForever;
    if (is_open && open >= kKept) {
      if (open == kKept) out.push_back(interval);
      continue;
    }
    if (is_open && open != kEndless) world_.depends_on_query = true;
    const bool is_endless = interval.start == kNever || (is_open && open == kEndless);
    const Time end = !is_open ? interval.end : open == kSoFar ? world_.query + 1 : world_.query;
    const Value length = is_endless ? world_.terms.real(std::numeric_limits<double>::infinity())
                                    : world_.terms.integer(end - interval.start);
    if (world_.arithmetic.compare(comparison, length, *bound)) out.push_back(interval);
  }
  return true;
}

}  // namespace holdsfor
