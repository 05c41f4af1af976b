#include "world.h"

namespace holdsfor {

World::World(const Prepared& prepared_plan, TermTable& term_table, Host& the_host)
    : prepared(prepared_plan),
      terms(term_table),
      host(the_host),
      arithmetic(term_table, the_host),
      events(prepared_plan.plan.tables.size()),
      fluents(prepared_plan.plan.tables.size()),
      is_shared(prepared_plan.plan.tables.size()),
      cursors_(prepared_plan.plan.tables.size() * 3) {
  for (std::size_t table = 0; table < plan().tables.size(); ++table) {
    const std::size_t width = plan().tables[table].columns;
    events[table].width = fluents[table].width = width;
    fluents[table].terms = &terms;
    fluents[table].initiations.width = fluents[table].terminations.width = width + 1;
  }
}

bool World::will_hold(Index table, Index number) const {
  const FluentTable& fluent = fluent_table(table);
  const Pair& pair = fluent.pairs[number];
  if (!is_running(table)) return pair.holds(now + 1);
  if (plan().tables[table].role == Role::kStaticFluent) return pair.holds_next && pair.is_declared;
  return fluent.holds_next(number, now);
}

void World::clear() {
  if (stage_ == kNone) {
    for (EventTable& table : events) table.clear();
    for (FluentTable& table : fluents) table.clear();
  } else {
    for (const StageTable& one : prepared.tables_of[stage_]) {
      if (one.is_event) {
        events[one.table].clear();
      } else {
        fluents[one.table].clear();
      }
    }
  }
  log = {};
  running = kNone;
}

void World::set_stage(Index stage) {
  clear();
  stage_ = stage;
}

void fill_event_tables(World& world, const std::vector<bool>& is_wanted) {
  const auto& tables = world.plan().tables;
  for (std::size_t at = 0; at < world.log.size();) {
    const Index table = RowHead::from(world.log[at + 1]).table;
    const std::size_t width = tables[table].columns;
    if (is_wanted[table]) {
      world.events[table].add(static_cast<Time>(world.log[at].word()), world.log.subspan(at + kLogHead, width));
    }
    at += kLogHead + width;
  }
}

}  // namespace holdsfor
