// The pass over the rows of a key: evaluates all plain components of a phase at once.
#include <algorithm>
#include <bit>
#include <tuple>

#include "sweep.h"

namespace holdsfor {

// One pass over the log and the sources. Rules read nothing of their own time-point, so their order does not matter:
// each runs row by row.
void Sweep::run_rows() {
  const auto& all_rules = phase_->row_rules;
  const Value* row = world_.log.data();
  const Value* const end = phase_->reads_log ? row + world_.log.size() : row;
  const auto time_of_row = [&] { return static_cast<Time>(row->word()); };
  const auto go_on = [&] { row += all_rules[RowHead::from(row[1]).table].width; };
  if (reader_) {
    while (row != end && time_of_row() <= request_.from->time) go_on();
  }
  Time next_of_sources = next_given();
  for (;;) {
    // Until the next time-point with other work, process rows of packed tables with bits alone.
    if (row != end && uses_bits_) row = run_packed(row, end, std::min({moved(limit_, 1), next_of_sources, next_due()}));
    const Time given = std::min(row != end ? time_of_row() : kForever, next_of_sources);
    const Time time = std::min(given, next_due());
    if (is_over(time)) return;
    if (given == time) in_a_row_ = 0;
    begin_time_point(time);
    std::uint64_t active = 0;
    for (; row != end && time_of_row() == time; go_on()) {
      const RowHead head = RowHead::from(row[1]);
      const RowRules& rules = all_rules[head.table];
      active |= rules.bit;
      run_row(rules, row + kLogHead, head.passes);
    }
    if (next_of_sources == time) {
      active |= pass_sources(time);
      for (const Source& source : sources_) {
        if (source.table == kNone) continue;
        for (std::size_t at = source.from; at < source.at; ++at) {
          run_row(all_rules[source.table], source.events->row(at).data(), RowHead::kUnknown);
        }
      }
      next_of_sources = next_given();
    }
    for (const auto& [group, runs_for] : phase_->other_groups) {
      if ((runs_for & active) != 0) fire(group);
    }
    if ((next_due() == time || !scheduled_.empty()) && is_anything_due()) decide_delayed();
    apply();
  }
}

void Sweep::run_row(const RowRules& rules, const Value* row, Passes passes) {
  std::size_t next = 0;
  if (passes == RowHead::kUnknown) {
    for (const RowRule& rule : rules.by_bit) {
      if (rule.rule != nullptr) fire_row(rule, row, !rule.has_conditions);
    }
  } else {
    std::uint64_t wanted = (passes & rules.mask) | rules.other_bits;
    if (uses_bits_) {
      mark_packed(rules, row, wanted & rules.packed_bits);
      wanted &= ~rules.packed_bits;
    }
    while (wanted != 0) {
      const auto position = static_cast<std::size_t>(std::countr_zero(wanted));
      if ((rules.grouped_bits >> position & 1U) != 0) {
        const RowGroup& group = *std::find_if(rules.groups.begin(), rules.groups.end(), [&](const RowGroup& one) {
          return (one.positions >> position & 1U) != 0;
        });
        fire_rows(rules, group, wanted, row);
        wanted &= ~group.positions;
        continue;
      }
      wanted &= wanted - 1;
      const RowRule& rule = rules.at(position);
      fire_row(rule, row, position < RowRules::kOthers || !rule.has_conditions);
    }
    next = RowRules::kPositions - RowRules::kOthers;
  }
  for (; next < rules.others.size(); ++next) fire_row(rules.others[next], row, !rules.others[next].has_conditions);
}

// Runs a rule on a row. `is_decided`: the row passes its conditions.
void Sweep::fire_row(const RowRule& rule, const Value* row, bool is_decided) {
  if (rule.is_direct && is_decided) {
    fire_direct(rule, row);
    return;
  }
  if (is_foreign(rule, row) || machine_.enter_row(rule, row, is_decided) == nullptr) return;
  found_[0].clear();
  const Block& block = is_decided ? rule.rule->rest : rule.rule->program.block;
  machine_.solve(block, is_decided ? 0 : 1, [&](const Machine::Frame& solution) {
    note(*rule.rule, solution, found_[0]);
    return false;
  });
  machine_.leave();
  take(*rule.rule, found_[0]);
}

// Whether a row concerns another key. Such a row is skipped: the world has only part of that key's state, and
// conditions could report a missing value for that reason alone.
bool Sweep::is_foreign(const RowRule& rule, const Value* row) const {
  return world_.key_places != nullptr && std::any_of(rule.key.begin(), rule.key.end(), [&](const auto& place_and_part) {
           return row[place_and_part.first] != world_.key[place_and_part.second];
         });
}

// Runs the rules of a group at the wanted positions on a row.
void Sweep::fire_rows(const RowRules& rules, const RowGroup& group, std::uint64_t wanted, const Value* row) {
  const RowRule& first = rules.at(static_cast<std::size_t>(std::countr_zero(group.positions)));
  if (is_foreign(first, row) || machine_.enter_row(first, row, true) == nullptr) return;
  std::uint64_t members = 0;
  std::size_t member = 0;
  for (std::uint64_t left = group.positions; left != 0; left &= left - 1, ++member) {
    members |= (wanted >> static_cast<unsigned>(std::countr_zero(left)) & 1U) << member;
  }
  clear_found(group.group);
  machine_.solve(group.group.beginning.block, 0, [&](const Machine::Frame&) {
    note_rests(group.group, members);
    return false;
  });
  machine_.leave();
  take_found(group.group);
}

// Runs a rule that needs no registers.
void Sweep::fire_direct(const RowRule& rule, const Value* row) {
  const Value* const from[] = {row, rule.constants.data(), looked_up_.data()};
  if (!rule.lookups.empty()) {
    solve_direct(rule, from, 0, 0);
    return;
  }
  if (passes_all(rule, row)) conclude(rule, from);
}

// Whether a pair of a finished table holds at the present time-point.
inline bool Sweep::passes_finished(const RowTest& test, const Value* const* from) {
  Index pair = slot_pairs_[test.pair_slot];
  if (pair == kNone) pair = find_finished(test, from);
  return pair != kNowhere && world_.fluent_table(test.table).pairs[pair].holds(world_.now, nearby_.of(test.pair_slot));
}

// Whether a row passes the tests of a rule without lookups.
bool Sweep::passes_all(const RowRule& rule, const Value* row) {
  const Value* const from[] = {row, rule.constants.data(), looked_up_.data()};
  return std::none_of(rule.tests.begin(), rule.tests.end(), [&](const RowTest& test) {
    if (test.pair_slot == kNone) return passes(test, from) == test.is_negated;
    return passes_finished(test, from) == test.is_negated;
  });
}

Index Sweep::find_finished(const RowTest& test, const Value* const* from) {
  const FluentTable& fluent = world_.fluent_table(test.table);
  const Index instance = find_instance(test, fluent, from);
  const Index pair = instance == kNone ? kNone : fluent.find_pair(instance, from[test.value.from][test.value.at]);
  return slot_pairs_[test.pair_slot] = pair == kNone ? kNowhere : pair;
}

// Runs the rest of a rule from one of its lookups and tests on, for every matching fact.
void Sweep::solve_direct(const RowRule& rule, const Value* const* from, std::size_t lookup, std::size_t test) {
  for (; lookup + test < rule.is_lookup.size(); ++test) {
    if (rule.is_lookup[lookup + test]) {
      const RowLookup& wanted = rule.lookups[lookup];
      const FactTable& facts = world_.plan().facts[wanted.facts];
      const FactIndex& index = world_.prepared.fact_indexes[wanted.index];
      index.any_match(
          facts, [&](std::size_t i) { return from[wanted.keys[i].from][wanted.keys[i].at]; },
          [&](Index, const Value* fact) {
            for (const auto& [place, at] : wanted.outputs) looked_up_[at] = fact[place];
            solve_direct(rule, from, lookup + 1, test);
            return false;
          });
      return;
    }
    if (passes(rule.tests[test], from) == rule.tests[test].is_negated) return;
  }
  conclude(rule, from);
}

// Applies the head of a rule.
void Sweep::conclude(const RowRule& rule, const Value* const* from) {
  const Value value = from[rule.value.from][rule.value.at];
  const Index table = rule.table;
  const bool has_slot = rule.slot != kNone && !is_packed(table);
  Index instance = has_slot ? slot_instances_[rule.slot] : kNone;
  if (instance == kNone) {
    head_.clear();
    for (const Cell one : rule.columns) head_.push_back(from[one.from][one.at]);
    if (!has_slot) {
      take(*rule.rule, head_, value);
      return;
    }
    instance = world_.is_of_key(table, head_) ? world_.fluents[table].add(head_) : kNowhere;
    slot_instances_[rule.slot] = instance;
  }
  if (instance == kNowhere) return;
  FluentTable& fluent = world_.fluents[table];
  if (rule.kind == HeadKind::kTerminate) {
    mark_ended(table, fluent, instance, value);
    return;
  }
  Index pair = rule.pair_slot == kNone ? kNone : slot_pairs_[rule.pair_slot];
  if (pair == kNone) {
    bool is_new = false;
    std::tie(pair, is_new) = fluent.add_pair(instance, value);
    if (is_new && !world_.prepared.groundings[table].empty()) {
      fluent.pairs[pair].is_declared = is_declared(table, fluent.columns(instance), value);
    }
    if (rule.pair_slot != kNone) slot_pairs_[rule.pair_slot] = pair;
  }
  mark_initiated(table, fluent, instance, pair);
}

// Whether a fluent holds at the present time-point.
bool Sweep::passes(const RowTest& test, const Value* const* from) {
  if (test.pair_slot != kNone) return passes_finished(test, from);
  const FluentTable& fluent = world_.fluent_table(test.table);
  Index instance = test.slot == kNone ? kNone : slot_instances_[test.slot];
  if (instance >= kNowhere) {
    instance = find_instance(test, fluent, from);
    if (instance == kNone) return false;
    if (test.slot != kNone) slot_instances_[test.slot] = instance;
  }
  const auto matches = [&](Value value) {
    return test.takes_any_value || value == from[test.value.from][test.value.at];
  };
  if (test.is_of_phase) {
    const Index current = fluent.instances[instance].current;
    return current != kNone && matches(fluent.pairs[current].value) && fluent.pairs[current].is_declared;
  }
  if (!fluent.timelines().empty()) {
    const auto found = fluent.timelines().holding(instance, world_.now, holding_, nearby_);
    return std::any_of(found.begin(), found.end(), [&](Index pair) { return matches(fluent.pairs[pair].value); });
  }
  for (Index pair = fluent.instances[instance].first_pair; pair != kNone; pair = fluent.pairs[pair].next) {
    if (matches(fluent.pairs[pair].value) && fluent.pairs[pair].holds(world_.now, nearby_.of(test.table + pair))) {
      return true;
    }
  }
  return false;
}

Index Sweep::find_instance(const RowTest& test, const FluentTable& fluent, const Value* const* from) {
  head_.clear();
  for (const Cell one : test.columns) head_.push_back(from[one.from][one.at]);
  return fluent.find(head_);
}

// The state after a time-point

void Sweep::apply() {
  if (next_due() == world_.now) drop_due();
  if (phase_->has_definitions) find_next();
  for (const Index table : openly_ended_) {
    const FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < fluent.instances.size(); ++number) {
      const Instance& instance = fluent.instances[number];
      if (instance.stamp != world_.now && instance.current != kNone) touched_.emplace_back(table, number);
    }
  }
  for (const auto& [table, instance] : touched_) apply_instance(table, instance);
  touched_.clear();
  if ((initiated_bits_ | ended_bits_) != 0) apply_packed(world_.now);
  if (phase_->has_definitions) update_static();
  for (const Index table : openly_ended_) world_.fluents[table].open_ends.clear();
  openly_ended_.clear();
  for (const Index table : with_ended_) world_.fluents[table].ended.clear();
  with_ended_.clear();
}

inline void Sweep::apply_instance(Index table, Index number) {
  FluentTable& fluent = world_.fluents[table];
  Instance& instance = fluent.instances[number];
  const Index before = instance.current;
  if (instance.current != kNone && fluent.is_broken(instance.current, world_.now)) {
    Pair& pair = fluent.pairs[instance.current];
    pair.list.push_back({pair.since, world_.now + 1});
    pair.since = kForever;
    instance.current = kNone;
  }
  if (instance.stamp == world_.now && instance.initiated != kNone) {
    if (fluent.is_broken(instance.initiated, world_.now)) {
      conflicts_.push_back({table, number, world_.now});
    } else {
      begin(table, fluent, instance.initiated);
    }
  }
  if (instance.current != before && has_bits(table)) mirror(table, fluent, before, instance.current);
}

inline void Sweep::begin(Index table, FluentTable& fluent, Index number) {
  Pair& pair = fluent.pairs[number];
  Instance& instance = fluent.instances[pair.instance];
  if (instance.current == kNone) {
    instance.current = number;
    pair.since = world_.now + 1;
  }
  pair.last_effective = world_.now;
  if (!world_.prepared.delays_of[table].empty()) stage(table, number);
}

}  // namespace holdsfor
