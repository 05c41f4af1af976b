// The instructions of rules that read events, fluents and background knowledge.
#include <algorithm>
#include <array>
#include <tuple>

#include "machine.h"
#include "plan_words.h"

namespace holdsfor {

// Conditions on events and fluents

std::optional<Time> Machine::moment(const Instant& instant) const {
  if (instant.reg == 0) return world_.now;
  return world_.terms.time(frame_->values[instant.reg]);
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
  const auto [from, to] = table.between(first, last, world_.cursor(one.table, World::Rows::kEvents));
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

// Like `holding` for one instance, without a continuation.
bool Machine::holds(const Instruction& one) {
  const FluentTable& table = world_.fluent_table(one.table);
  const Index number = table.find(known(one.columns));
  if (number == kNone) return false;
  if (one.time.reg == 0 && world_.has_current(one.table)) {
    const Index current = table.instances[number].current;
    return current != kNone && table.pairs[current].is_declared &&
           match(one.value, table.pairs[current].value, *frame_);
  }
  const auto time = moment(one.time);
  if (!time) return false;
  if (!table.timelines().empty()) {
    const auto found = table.timelines().holding(number, *time, holding_, nearby_);
    return std::any_of(found.begin(), found.end(),
                       [&](Index pair) { return match(one.value, table.pairs[pair].value, *frame_); });
  }
  for (Index pair = table.instances[number].first_pair; pair != kNone; pair = table.pairs[pair].next) {
    if (match(one.value, table.pairs[pair].value, *frame_) && table.pairs[pair].holds(*time, nearby_.of(pair))) {
      return true;
    }
  }
  return false;
}

Index Machine::held(const Instruction& one) {
  const FluentTable& fluent = world_.fluent_table(one.table);
  const Index instance = fluent.find(known(one.columns));
  if (instance == kNone) return kNone;
  if (one.time.reg == 0 && world_.has_current(one.table)) {
    const Index current = fluent.instances[instance].current;
    return current != kNone && fluent.pairs[current].is_declared ? current : kNone;
  }
  const auto time = moment(one.time);
  if (!time) return kNone;
  if (!fluent.timelines().empty()) {
    const auto pairs = fluent.timelines().holding(instance, *time, holding_, nearby_);
    return pairs.empty() ? kNone : pairs.size() == 1 ? pairs[0] : kSeveral;
  }
  Index found = kNone;
  for (Index pair = fluent.instances[instance].first_pair; pair != kNone; pair = fluent.pairs[pair].next) {
    if (!fluent.pairs[pair].holds(*time, nearby_.of(pair))) continue;
    if (found != kNone) return kSeveral;
    found = pair;
  }
  return found;
}

bool Machine::holding(const Instruction& one, const Next& next) {
  const auto time = moment(one.time);
  if (!time) return false;
  if (one.time.reg == 0 && world_.has_current(one.table)) {
    return each_pair(
        one,
        [](const FluentTable& table, Index pair) {
          return table.pairs[pair].since != kForever && table.pairs[pair].is_declared;
        },
        next);
  }
  const FluentTable& fluent = world_.fluent_table(one.table);
  if (one.is_ground && !fluent.timelines().empty()) {
    const Index instance = fluent.find(known(one.columns));
    if (instance == kNone) return false;
    const auto pairs = fluent.timelines().holding(instance, *time, holding_, nearby_);
    const auto goes_on = [&](Index pair) { return match(one.value, fluent.pairs[pair].value, *frame_) && go_on(next); };
    if (pairs.size() <= 1) return !pairs.empty() && goes_on(pairs[0]);
    // Copy the pairs: the continuation may query others and overwrite them.
    const std::vector<Index> several(pairs.begin(), pairs.end());
    return std::any_of(several.begin(), several.end(), goes_on);
  }
  return each_pair(
      one, [&](const FluentTable& table, Index pair) { return table.pairs[pair].holds(*time, nearby_.of(pair)); },
      next);
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
  const bool is_initiation = one.edge == EdgeKind::kInitiated;
  const EventTable& table = is_initiation ? fluent.initiations : fluent.terminations;
  const auto kind = is_initiation ? World::Rows::kInitiations : World::Rows::kTerminations;
  const auto [from, to] = table.between(first, last, world_.cursor(one.table, kind));
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
  if (one.is_plain) return plain_facts(one, table, index, next);
  std::uint64_t wanted = 0;
  for (const Index place : index.places()) wanted = mix(wanted, build(one.columns[place], *frame_).word());
  const auto rows = index.find(wanted);
  return std::any_of(rows.begin(), rows.end(), [&](std::size_t row) {
    return match_all(one.columns, {table.rows.data() + row * table.columns, table.columns}) && go_on(next);
  });
}

// Looks up facts without patterns.
bool Machine::plain_facts(const Instruction& one, const FactTable& table, const FactIndex& index, const Next& next) {
  const auto& places = index.places();
  std::array<Value, kMostFactKeys> given;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Shape& shape = one.columns[places[i]];
    given[i] = shape.kind == ShapeKind::kConstant ? shape.constant : frame_->values[shape.reg];
  }
  return index.any_match(
      table, [&](std::size_t i) { return given[i]; },
      [&](Index, const Value* fact) {
        for (const auto& [place, reg] : one.gives_registers) frame_->values[reg] = fact[place];
        return go_on(next);
      });
}

const RecentAnswers::Answers* Machine::recent_answers(const Instruction& one) {
  std::array<Value, RecentAnswers::kMostInputs> inputs;
  const std::size_t count = one.inputs.size();
  if (count > inputs.size()) return nullptr;
  for (std::size_t i = 0; i < count; ++i) inputs[i] = frame_->values[one.inputs[i]];
  const auto* const recent =
      recent_answers_.find(world_.host.answers_version(), one.table, std::span<const Value>(inputs).first(count));
  // Only the host knows how many values a goal returns; a damaged plan may expect more.
  const bool is_enough = recent != nullptr && recent->values.size() >= recent->count * one.outputs.size();
  return is_enough ? recent : nullptr;
}

bool Machine::call(const Instruction& one, const Next& next) {
  std::array<Value, RecentAnswers::kMostInputs> few;
  std::vector<Value> many;
  const bool is_few = one.inputs.size() <= few.size();
  if (!is_few) many.resize(one.inputs.size());
  const std::span<Value> inputs(is_few ? few.data() : many.data(), one.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = frame_->values[one.inputs[i]];
  const std::uint64_t version = world_.host.answers_version();
  const auto* const recent = is_few ? recent_answers_.find(version, one.table, inputs) : nullptr;
  // Copy the answers: the continuation may solve other goals and overwrite the cache entry.
  RecentAnswers::Answers found;
  if (recent == nullptr) {
    found.values = world_.host.solve(one.table, inputs, found.count);
    if (is_few) recent_answers_.keep(version, one.table, inputs, found);
  } else {
    found.count = recent->count;
    if (!one.outputs.empty()) found.values = recent->values;
  }
  // Only the host knows how many values a goal returns; a damaged plan may expect more.
  if (found.values.size() < found.count * one.outputs.size()) refuse_plan("a goal does not give what it should");
  for (std::size_t row = 0; row < found.count; ++row) {
    for (std::size_t i = 0; i < one.outputs.size(); ++i) {
      frame_->values[one.outputs[i]] = found.values[row * one.outputs.size() + i];
    }
    if (go_on(next)) return true;
  }
  return false;
}

}  // namespace holdsfor
