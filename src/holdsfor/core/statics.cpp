// Statically determined fluents: from finished lists, and point by point inside a cycle.
#include <algorithm>

#include "sweep.h"

namespace holdsfor {

// The lists of every pair that the rules of a table define, into `scratch_`. For one pair the first rule that succeeds
// counts; what it gives for different values of its variables is united.
void Sweep::solve_definitions(Index table) {
  scratch_.clear();
  scratch_.width = world_.fluents[table].width;
  FluentTable found;
  found.width = scratch_.width;
  std::vector<Value> columns;
  for (const Definition& definition : prepared_->component->definitions) {
    if (definition.head.table != table) continue;
    found.clear();
    machine_.run(definition.program, [&](const Machine::Frame& frame) {
      columns.clear();
      for (const Shape& shape : definition.head.columns) columns.push_back(machine_.build(shape, frame));
      const Value value = machine_.build(definition.head.value, frame);
      const bool is_open = value.is_wildcard() ||
                           std::any_of(columns.begin(), columns.end(), [](Value one) { return one.is_wildcard(); });
      // A fallback such as holdsFor(f(_)=true, []) has nothing to add.
      if (is_open || !world_.is_of_key(table, columns)) return false;
      Intervals& list = found.pairs[found.add_pair(found.add(columns), value).first].list;
      const Intervals& given = *frame.lists[definition.out];
      list.insert(list.end(), given.begin(), given.end());
      return false;
    });
    for (Index number = 0; number < found.pair_count; ++number) {
      Pair& pair = found.pairs[number];
      const auto [known, is_new] = scratch_.add_pair(scratch_.add(found.columns(pair.instance)), pair.value);
      if (!is_new) continue;
      make_maximal(pair.list);
      scratch_.pairs[known].list.swap(pair.list);
    }
  }
}

void Sweep::define(Index table) {
  solve_definitions(table);
  FluentTable& fluent = world_.fluents[table];
  fluent.clear();
  for (Index number = 0; number < scratch_.pair_count; ++number) {
    Pair& pair = scratch_.pairs[number];
    if (pair.list.empty()) continue;
    const auto columns = scratch_.columns(pair.instance);
    if (!is_declared(table, columns, pair.value)) continue;
    fluent.pairs[fluent.add_pair(fluent.add(columns), pair.value).first].list.swap(pair.list);
  }
}

// Which statically determined pairs of the component hold just after the present time-point.
void Sweep::find_next() {
  const bool before = std::exchange(world_.is_pointwise, true);
  const Component& component = (*prepared_->component);
  for (const Index table : component.tables) {
    FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < fluent.pair_count; ++number) fluent.pairs[number].holds_next = false;
  }
  Index last = kNone;
  for (const Definition& definition : component.definitions) {
    const Index table = definition.head.table;
    if (table == last) continue;
    last = table;
    solve_definitions(table);
    FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < scratch_.pair_count; ++number) {
      const Pair& found = scratch_.pairs[number];
      if (!contains(found.list, world_.now + 1)) continue;
      const auto columns = scratch_.columns(found.instance);
      if (!is_declared(table, columns, found.value)) continue;
      fluent.pairs[fluent.add_pair(fluent.add(columns), found.value).first].holds_next = true;
    }
  }
  world_.is_pointwise = before;
}

void Sweep::update_static() {
  for (const Index table : prepared_->component->tables) {
    if (world_.plan().tables[table].role != Role::kStaticFluent) continue;
    FluentTable& fluent = world_.fluents[table];
    for (Index number = 0; number < fluent.pair_count; ++number) {
      Pair& pair = fluent.pairs[number];
      if (pair.since != kForever && !pair.holds_next) {
        pair.list.push_back({pair.since, world_.now + 1});
        pair.since = kForever;
      } else if (pair.since == kForever && pair.holds_next) {
        pair.since = world_.now + 1;
      }
    }
  }
}

}  // namespace holdsfor
